//! Plain types of the domain, shared by every crate.
//!
//! Owns: the names and invariants of ids, times, calls and quality levels, and how they are
//! written in JSON. Refuses to know: where values come from, how they are stored or shown.

mod call;
mod drift;
mod evidence;
mod id;
mod marker;
mod presented;
mod quality;
mod time;
mod tool;
mod upstream;
mod version;

pub use call::{CallRecord, Carrier, Client, Fit, Origin, Outcome, Rung};
pub use drift::{Change, Ending, Share, TypeName};
pub use evidence::{Evidence, Example, FieldEvidence, ImpactedCall, RuleCount, Violation};
pub use id::{CallId, IdSource, InvalidCallId};
pub use marker::{Marker, Redacted};
pub use presented::Presented;
pub use quality::{Quality, Source};
pub use time::{InvalidTimestamp, Timestamp};
pub use tool::{InvalidName, SEPARATOR, ToolId, check_server_name};
pub use upstream::UpstreamState;
pub use version::{ActorKind, VersionOrigin, VersionState};
