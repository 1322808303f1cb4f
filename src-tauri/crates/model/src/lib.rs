//! Plain types of the domain, shared by every crate: ids, times, calls, quality levels, and their
//! form in JSON. And how texts from others are shown without harm.

mod call;
mod carrier;
mod drift;
mod evidence;
mod flow;
mod harmless;
mod id;
mod marker;
mod presented;
mod quality;
mod time;
mod tool;
mod upstream;
mod version;

pub use call::{CallRecord, Client, Fit, Origin, Outcome, Rung};
pub use carrier::{Carrier, Carriers};
pub use drift::{Change, Ending, Share, TypeName, broken_rule};
pub use evidence::{Evidence, Example, FieldEvidence, ImpactedCall, RuleCount, Violation};
pub use flow::{Echo, Flow, How, Link, LostEdge};
pub use harmless::{harmless, harmless_lines, is_harmful};
pub use id::{CallId, IdSource, InvalidCallId};
pub use marker::{Marker, Redacted};
pub use presented::Presented;
pub use quality::{Quality, Source, Strategy, TextForm};
pub use time::{InvalidTimestamp, Timestamp};
pub use tool::{InvalidName, SEPARATOR, ToolId, check_server_name};
pub use upstream::UpstreamState;
pub use version::{ActorKind, VersionOrigin, VersionState};
