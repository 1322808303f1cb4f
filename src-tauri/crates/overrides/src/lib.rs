//! `tool_overrides.json`: what people write about tools, and what was decided about their schemas.
//!
//! The file is theirs: it may have comments, and whatever is not ours to change stays byte for byte
//! ([`Document`]). [`Overrides`] is what it says, [`reconcile`] what follows when file and decisions differ, and
//! [`populate`] what fills its gaps. Owns: the file's form. Refuses to know: where it is, who reads it, versions.
//!
//! Architecture invariant: pure. No runtime, store, clock, file or network.

mod document;
mod edit;
mod entry;
mod populate;
mod problem;
mod read;
mod reconcile;
mod resolve;
mod write;

pub use document::Document;
pub use entry::{Entry, Field, Overrides, Server, WILDCARD};
pub use populate::populate;
pub use problem::Problem;
pub use reconcile::{Decision, Known, Outcome, Reconciled, reconcile};
pub use resolve::{Changed, changes};
pub use write::write;

/// What a file says that has just been made.
pub const NEW: &str = "{\n  \"schemaVersion\": 2,\n  \"servers\": {}\n}\n";
