//! What machines and people exchange: files of what is known, and of what was decided.
//!
//! Each form has a file here that writes and reads it. The same knowledge gives the same bytes, whoever writes it
//! and when; what is read may be anything, is bounded, and is refused with the place where it is wrong. Owns: the
//! forms. Refuses to know: where files are, and what an import changes.

mod bundle;
mod key;
mod share;
mod text;
mod type_registry;

pub use bundle::{Bundle, BundledTool, DecidedThere, InForceThere, MAX_NODES, MAX_TOOLS, Node};
pub use key::{key_id, read_key, write_key};
pub use share::{Position, Share, Team};
pub use text::{MAX_FILE, WrongFile, read_json};
pub use type_registry::{RegistryRow, read_type_registry, write_type_registry};
