//! How a tool's results went lately, and what follows for its schema.
//!
//! Owns: two generic results in a row take a schema that is not pinned out of sight, and the next result with
//! structure brings it back. An upstream that declares a schema and answers without structure breaks clients that
//! validate; this mends it. Refuses to know: time, and who is told.

use std::sync::Arc;

use schemascope_model::Rung;

use super::effective::Effective;

/// Generic results in a row that are too many.
const TOO_MANY: u32 = 2;

/// A tool's results of late.
#[derive(Debug, Clone)]
pub(crate) struct Trend {
    /// Digest of the schema they were held against; none where there was no schema.
    schema: Option<Arc<str>>,
    generic: u32,
}

/// A schema went out of sight or came back: a decision by policy, and clients are to list again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Results kept coming without the structure it promises.
    Suspended,
    /// Results have structure again.
    Restored,
}

impl Trend {
    /// Begins with what is remembered of an earlier run: generic results in a row.
    pub(crate) fn new(generic: u32, effective: &Effective) -> Self {
        Self { schema: digest(effective).cloned(), generic }
    }

    /// Generic results in a row.
    pub(crate) fn consecutive_generic(&self) -> u32 {
        self.generic
    }

    /// Whether this schema is out of sight. A new one gets its own chance.
    pub(crate) fn suspends(&self, effective: &Effective) -> bool {
        effective.may_be_suspended() && self.generic >= TOO_MANY && self.is_of(effective)
    }

    /// Notes a result; what changes by it.
    pub(crate) fn note(&mut self, rung: Rung, effective: &Effective) -> Option<Turn> {
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
            (false, true) => Some(Turn::Suspended),
            (true, false) => Some(Turn::Restored),
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
        Schema { digest: digest.into(), schema: Arc::new(json!({"type": "object"})) }
    }

    fn turns(effective: &Effective, rungs: &[Rung]) -> Vec<Option<Turn>> {
        let mut trend = Trend::new(0, effective);
        rungs.iter().map(|rung| trend.note(*rung, effective)).collect()
    }

    #[test]
    fn two_generic_results_suspend_and_one_with_structure_restores() {
        let (suspended, restored) = (Some(Turn::Suspended), Some(Turn::Restored));
        for effective in [Effective::Declared(schema("a")), Effective::Promoted(schema("a"))] {
            assert_eq!(
                turns(
                    &effective,
                    &[Generic, Generic, Generic, Declared, Generic, PassThrough, Generic, Generic]
                ),
                [None, suspended, None, restored, None, None, None, suspended]
            );
        }
        for effective in [Effective::None, Effective::Pinned(schema("a")), Effective::Enforced(schema("a"))] {
            assert_eq!(turns(&effective, &[Generic, Generic, Generic, Declared]), [None; 4]);
        }
    }

    #[test]
    fn another_schema_gets_its_own_chance() {
        let (old, new) = (Effective::Promoted(schema("a")), Effective::Promoted(schema("b")));
        let mut trend = Trend::new(0, &old);
        trend.note(Generic, &old);
        trend.note(Generic, &old);
        assert!(trend.suspends(&old) && !trend.suspends(&new));
        assert_eq!(trend.note(Generic, &new), None);
        assert_eq!((trend.consecutive_generic(), trend.suspends(&new)), (1, false));
    }

    #[test]
    fn what_was_suspended_before_a_restart_still_is() {
        let effective = Effective::Declared(schema("a"));
        let mut trend = Trend::new(2, &effective);
        assert!(trend.suspends(&effective));
        assert_eq!(trend.note(PassThrough, &effective), Some(Turn::Restored));
    }
}
