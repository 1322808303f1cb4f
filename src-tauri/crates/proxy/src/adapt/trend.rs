//! When results suspend a tool's schema, and when they restore it.
//!
//! Two generic results in a row suspend a schema that is not pinned; the next result with structure restores it.
//! An upstream that declares a schema and returns results without structure breaks clients that validate, and
//! this repairs it.

use std::sync::Arc;

use schemascope_model::Rung;

use super::effective::Effective;

/// Generic results in a row that suspend a schema.
const SUSPEND_AFTER: u32 = 2;

/// The recent results of a tool.
#[derive(Debug, Clone)]
pub(crate) struct Trend {
    /// Digest of the schema that was effective for them; `None` without a schema.
    schema: Option<Arc<str>>,
    generic: u32,
}

/// A change of the advertised schema that results caused. It is a decision by policy, and clients must list the
/// tools again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuspensionChange {
    /// Several results in a row lacked the structure that the schema promises.
    Suspended,
    /// A result had structure again.
    Restored,
}

impl Trend {
    /// Starts with the number of generic results in a row from the previous run.
    pub(crate) fn new(generic: u32, effective: &Effective) -> Self {
        Self { schema: digest(effective).cloned(), generic }
    }

    /// Number of generic results in a row.
    pub(crate) fn consecutive_generic(&self) -> u32 {
        self.generic
    }

    /// Digest of the effective schema of the latest result.
    pub(crate) fn schema(&self) -> Option<&Arc<str>> {
        self.schema.as_ref()
    }

    /// Whether this schema is suspended. A new schema starts without a history.
    pub(crate) fn suspends(&self, effective: &Effective) -> bool {
        effective.may_be_suspended() && self.generic >= SUSPEND_AFTER && self.is_of(effective)
    }

    /// Counts a result. Returns the change that it causes.
    pub(crate) fn note(&mut self, rung: Rung, effective: &Effective) -> Option<SuspensionChange> {
        let before = self.suspends(effective);
        if !self.is_of(effective) {
            self.generic = 0;
        }
        self.schema = digest(effective).cloned();
        self.generic = match rung {
            Rung::Generic => self.generic.saturating_add(1),
            Rung::PassThrough | Rung::Declared => 0,
        };
        match (before, self.suspends(effective)) {
            (false, true) => Some(SuspensionChange::Suspended),
            (true, false) => Some(SuspensionChange::Restored),
            _ => None,
        }
    }

    fn is_of(&self, effective: &Effective) -> bool {
        self.schema.as_ref() == digest(effective)
    }
}

fn digest(effective: &Effective) -> Option<&Arc<str>> {
    effective.schema().map(|schema| &schema.digest)
}

#[cfg(test)]
mod tests {
    use Rung::{Declared, Generic, PassThrough};
    use serde_json::json;

    use super::super::effective::Schema;
    use super::*;

    fn schema(digest: &str) -> Schema {
        Schema { digest: digest.into(), schema: Arc::new(json!({"type": "object"})), inferred: false }
    }

    fn changes(effective: &Effective, rungs: &[Rung]) -> Vec<Option<SuspensionChange>> {
        let mut trend = Trend::new(0, effective);
        rungs.iter().map(|rung| trend.note(*rung, effective)).collect()
    }

    #[test]
    fn two_generic_results_suspend_and_structure_restores() {
        let (suspended, restored) = (Some(SuspensionChange::Suspended), Some(SuspensionChange::Restored));
        for effective in [Effective::Declared(schema("a")), Effective::Promoted(schema("a"))] {
            assert_eq!(
                changes(
                    &effective,
                    &[Generic, Generic, Generic, Declared, Generic, PassThrough, Generic, Generic]
                ),
                [None, suspended, None, restored, None, None, None, suspended]
            );
        }
        for effective in [Effective::None, Effective::Pinned(schema("a")), Effective::Enforced(schema("a"))] {
            assert_eq!(changes(&effective, &[Generic, Generic, Generic, Declared]), [None; 4]);
        }
    }

    #[test]
    fn another_schema_starts_without_history() {
        let (old, new) = (Effective::Promoted(schema("a")), Effective::Promoted(schema("b")));
        let mut trend = Trend::new(0, &old);
        trend.note(Generic, &old);
        trend.note(Generic, &old);
        assert!(trend.suspends(&old) && !trend.suspends(&new));
        assert_eq!(trend.note(Generic, &new), None);
        assert_eq!((trend.consecutive_generic(), trend.suspends(&new)), (1, false));
    }

    #[test]
    fn suspended_schema_stays_suspended_after_restart() {
        let effective = Effective::Declared(schema("a"));
        let mut trend = Trend::new(2, &effective);
        assert!(trend.suspends(&effective));
        assert_eq!(trend.note(PassThrough, &effective), Some(SuspensionChange::Restored));
    }
}
