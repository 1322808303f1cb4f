//! Versions of a tool's schema, and what people, files and policies decide about them.
//!
//! Everything here is a fold of [`AuditEntry`]s, oldest first: the same log gives the same [`Ledger`], live or
//! replayed, and so does every beginning of it. [`Form`] says when a version is drafted. A decision that makes no
//! sense changes nothing and is rejected with one that would.

mod drafts;
mod drifts;
mod entry;
mod evidence;
mod form;
mod impact;
mod in_force;
mod ledger;
mod readiness;
mod refused;
mod tool_versions;
mod version;

pub(crate) use drafts::Drafts;
pub use drifts::{Acknowledged, Drifts, KnownDrift, Resolution, Resolved, due, untold};
pub use entry::{Actor, AuditEntry, AuditEvent, CommandLineChange, Cut, MAX_REASON};
pub use evidence::{MAX_EXAMPLE, MAX_EXAMPLES, evidence};
pub use form::{Draft, Form, HOLD};
pub use impact::Impact;
pub use in_force::{Decided, Pin};
pub use ledger::Ledger;
pub use readiness::{Obstacle, Trial, obstacles};
pub use refused::Refused;
pub use tool_versions::{InForce, ToolVersions, Wish};
pub use version::Version;
