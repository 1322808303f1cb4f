//! Versions as pages show them: impact, changes, evidence, and the dialog for decisions.

mod batch;
mod changes;
mod decide;
mod evidence;
mod impact;
mod readiness;

use schemascope_api::{Decision, InForceRow, VersionRow, VersionState};

pub use batch::{Batch, BatchDialog, Verb};
pub use changes::{changes, raw};
pub use decide::{Deciding, DecisionDialog};
pub use evidence::evidence;
pub use impact::{Parts, impact, request_impact};
pub use readiness::reasons;

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

/// The active version, in words.
pub fn effective(row: Option<InForceRow>) -> String {
    match row {
        Some(row) if row.enforced => format!("v{} pinned, enforced", row.version),
        Some(row) if row.pinned => format!("v{} pinned", row.version),
        Some(row) => format!("v{} promoted", row.version),
        None => "none".into(),
    }
}

/// A decision as the label of a button: `Promote v5`.
pub fn action(decision: Decision) -> String {
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
        Decision::Undo { .. } => "Undo".into(),
    }
}
