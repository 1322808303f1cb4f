//! What pages are made of. Each part draws what it is given and knows no page.

mod foreign;
mod keyed;
mod payload;
mod rows;
mod signed;
mod size;
mod small;

pub use foreign::{Foreign, ToolName, shown};
pub use keyed::{Row, Views, keyed};
pub use payload::{Json, Payload};
pub use rows::{Column, Head, List, Rows, Sort};
pub use signed::{Signature, SignedDialog, Signing};
pub use size::on_resize;
pub use small::{
    Empty, Fact, Icon, Ladder, Loading, Logo, OutcomeWord, PresenceBar, Spark, carrier_word, source_word,
};
