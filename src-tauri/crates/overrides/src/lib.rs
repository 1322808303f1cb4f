//! The file `tool_overrides.json`: reading it, editing it, and keeping it in line with decisions about schemas.
//!
//! The file belongs to the user. It may contain comments, and an edit leaves everything else byte for byte
//! ([`Document`]). [`Overrides`] is its content as data, [`reconcile`] brings file and decisions in line, and
//! [`populate`] adds missing schemas from the upstreams.
//!
//! The crate is pure: it uses no runtime, store, clock, file or network, so that the tests can try any sequence of
//! edits and decisions.

mod document;
mod edit;
mod entry;
mod populate;
mod problem;
mod read;
mod reconcile;
mod resolve;
mod tree;
mod write;

pub use document::Document;
pub use edit::set as set_members;
pub use entry::{Entry, Field, Overrides, Server, WILDCARD};
pub use populate::populate;
pub use problem::Problem;
pub use reconcile::{Decision, Reconciliation, ToolFacts, reconcile};
pub use resolve::{EntryChange, changes};
pub use write::write;

/// Content of a new file.
pub const NEW_FILE: &str = "{\n  \"schemaVersion\": 2,\n  \"servers\": {}\n}\n";
