//! What pages show of versions: their impact, what changed between them, what they rest on, and how they are
//! decided about.
//!
//! Owns: the words for decisions. Refuses to know: which page asks.

mod changes;
mod decide;
mod evidence;
mod impact;

use schemascope_api::{Decision, InForceRow, VersionRow, VersionState};

pub use changes::{changes, raw};
pub use decide::{Asking, DecisionDialog};
pub use evidence::evidence;
pub use impact::{asked, impact};

/// A version's state in a word, and the class of its tag.
pub fn state(row: &VersionRow) -> (&'static str, &'static str) {
    match row.state {
        _ if row.enforced => ("enforced", "accent"),
        _ if row.pinned => ("pinned", "accent"),
        VersionState::Promoted => ("promoted", "accent"),
        VersionState::Candidate => ("candidate", "warn"),
        VersionState::Rejected => ("rejected", "bad"),
        VersionState::Superseded if row.rolled_back => ("rolled back", ""),
        VersionState::Superseded => ("superseded", ""),
    }
}

/// What is in force, in words.
pub fn in_force(row: Option<InForceRow>) -> String {
    match row {
        Some(row) if row.enforced => format!("v{} pinned, enforced", row.version),
        Some(row) if row.pinned => format!("v{} pinned", row.version),
        Some(row) => format!("v{} promoted", row.version),
        None => "none".into(),
    }
}

/// A decision as something to do: `Promote v5`.
pub fn wish(decision: Decision) -> String {
    let with = |word: &str, version: Option<u32>| match version {
        Some(version) => format!("{word} v{version}"),
        None => word.to_owned(),
    };
    match decision {
        Decision::Promote { version } => with("Promote", version),
        Decision::Pin { version, .. } => with("Pin", version),
        Decision::Unpin {} => "Unpin".into(),
        Decision::Reject { version } => with("Reject", version),
        Decision::Rollback { to: Some(to) } => format!("Roll back to v{to}"),
        Decision::Rollback { to: None } => "Roll back".into(),
        Decision::Undo {} => "Undo".into(),
    }
}
