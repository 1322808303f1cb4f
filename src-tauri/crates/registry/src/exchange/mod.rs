//! Files that machines and people exchange: what was learned, and what was decided.
//!
//! Each format has a file here that writes and reads it. The same knowledge gives the same bytes on every machine, at
//! any time. Input is untrusted: it is bounded, and rejected with the place of the first mistake.

mod bundle;
mod intake;
mod key;
mod share;
mod signature;
mod text;
mod type_registry;

pub use bundle::{Bundle, BundledTool, DecidedThere, InForceThere, MAX_NODES, MAX_TOOLS, Node};
pub use intake::SetAside;
pub use key::{key_id, read_key, write_key};
pub use share::{Position, Share, Team, latest_plausible, machine_name};
pub use signature::Authenticity;
pub use text::{MAX_FILE, WrongFile, read_json};
pub use type_registry::{RegistryRow, read_type_registry, write_type_registry};
