//! Parts that pages are made of. A part draws its properties and knows no page.

mod acting;
mod demand;
mod foreign;
mod keyed;
mod payload;
mod prose;
mod rows;
mod signed;
mod size;
mod small;
mod table;

pub use acting::Acting;
pub use demand::{OnDemand, on_demand};
pub use foreign::{Foreign, Named, ToolName, shown};
pub use keyed::{KeyedRow, Revisions, Views, keyed};
pub use payload::{Json, Payload};
pub use prose::{inlines, prose};
pub use rows::{List, Rows};
pub use signed::{Signature, SignedDialog, Signing, saved_person};
pub use size::on_resize;
pub use small::{
    Empty, Fact, Icon, Ladder, Loading, Logo, OutcomeWord, PresenceBar, Spark, Time, carrier_word,
    source_word, time,
};
pub use table::{Cell, Column, Compare, Sort, bare_table, cells, linked_table, sort_rows, table};
