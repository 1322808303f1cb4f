//! Plain types of the domain, shared by every crate.
//!
//! Owns: the names and invariants of ids, times, calls and quality levels, and how they are
//! written in JSON. Refuses to know: where values come from, how they are stored or shown.

mod call;
mod id;
mod marker;
mod quality;
mod time;
mod tool;
mod upstream;

pub use call::{CallRecord, Carrier, Client, Fit, Origin, Outcome, Rung};
pub use id::{CallId, IdSource, InvalidCallId};
pub use marker::{Marker, Redacted};
pub use quality::{Quality, Source};
pub use time::{InvalidTimestamp, Timestamp};
pub use tool::{InvalidName, SEPARATOR, ToolId, check_server_name};
pub use upstream::UpstreamState;
