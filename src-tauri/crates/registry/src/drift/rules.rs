//! Rules of the effective schema. They are watched like fields that are usually absent.
//!
//! Which schema is in effect is read from the observations themselves, so that a replay finds the same. When the
//! schema changes, the rules of the previous one are no longer watched.

use schemascope_model::{Ending, TypeName};

use super::paths::{Paths, ROOT};
use super::scan::Kind;
use super::{Conformity, Drift, Notice, Step};

/// Bytes of a rule's name that count.
const MAX_RULE: usize = 160;
/// Rules that are distinguished.
const MAX_RULES: usize = 16;
/// Stands for those that are not.
const OTHER: &str = "another rule";
/// Schemas remembered.
const MAX_SCHEMAS: usize = 8;
/// Bytes of a digest that count.
const MAX_DIGEST: usize = 64;

/// The schemas observations were judged by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Schemas {
    /// Their digests, the latest last.
    pub(super) digests: Vec<Box<str>>,
    /// The first observation of all that the latest was compared with.
    pub(super) began: u64,
    /// How many have kept all its rules.
    pub(super) kept: u32,
}

/// How a schema stands to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Met {
    Same,
    First,
    Again,
    New,
}

impl Schemas {
    fn meet(&mut self, digest: &str, observation: u64) -> Met {
        let digest = cut(digest, MAX_DIGEST);
        if self.digests.last().is_some_and(|latest| **latest == *digest) {
            return Met::Same;
        }
        let met = match self.digests.iter().position(|known| **known == *digest) {
            Some(at) => {
                self.digests.remove(at);
                Met::Again
            }
            None if self.digests.is_empty() => Met::First,
            None => Met::New,
        };
        if self.digests.len() == MAX_SCHEMAS {
            self.digests.remove(0);
        }
        self.digests.push(digest.into());
        (self.began, self.kept) = (observation, 0);
        met
    }

    /// Observations that are trusted to have kept each rule: of a schema that was there from the first on, no more than
    /// have.
    pub(super) fn trust(&self, most: u8) -> u8 {
        if self.began == 1 { u8::try_from(self.kept).unwrap_or(u8::MAX).min(most) } else { most }
    }

    pub(super) fn is_valid(&self) -> bool {
        self.digests.len() <= MAX_SCHEMAS && self.digests.iter().all(|digest| digest.len() <= MAX_DIGEST)
    }
}

impl Drift {
    /// Notes which schema is in effect. Rules of another one count from new; and one not met before that takes the
    /// observation as it is was made for results as they are now.
    pub(super) fn meet(&mut self, conformity: Conformity<'_>) -> Vec<Notice> {
        let (schema, fits) = match conformity {
            Conformity::Unknown => return Vec::new(),
            Conformity::Fits(schema) => (schema, true),
            Conformity::Breaks { schema, .. } => (schema, false),
        };
        let met = self.schemas.meet(schema, self.observations);
        if met == Met::Same {
            return Vec::new();
        }
        let takes_all = fits && met != Met::Again;
        let mut notices = Vec::new();
        let mut at = 0;
        while let Some(open) = self.open.get(at) {
            let is_over = takes_all || open.paths().all(|(node, _)| is_rule(&self.paths, node));
            if is_over {
                notices.push(self.accept(at, Ending::OtherSchema));
            } else {
                at += 1;
            }
        }
        for node in rules(&self.paths) {
            self.suspects.retain(|suspect| suspect.node != node);
            self.settle(node, Kind::Absent);
        }
        notices
    }

    /// What an observation says of each rule. Of one that breaks the schema, a single rule is known.
    pub(super) fn rules(&mut self, conformity: Conformity<'_>, kinds: &mut Vec<Kind>) {
        if conformity == Conformity::Unknown {
            return;
        }
        let rules = rules(&self.paths);
        let (said, kind) = match conformity {
            Conformity::Breaks { rule, .. } => {
                let name = Step::Rule(cut(rule, MAX_RULE).into());
                let is_known = rules.iter().any(|node| *self.paths.step(*node) == name);
                // Rules of previous schemas keep their places.
                let room = is_known || rules.len() < MAX_RULES;
                let name = if room { name } else { Step::Rule(OTHER.into()) };
                let broken = self.paths.child(ROOT, name);
                (broken.into_iter().collect(), Kind::Is(TypeName::Boolean))
            }
            _ => {
                self.schemas.kept = self.schemas.kept.saturating_add(1);
                (rules, Kind::Absent)
            }
        };
        kinds.resize(self.paths.len(), Kind::Nowhere);
        for node in said {
            kinds[node as usize] = kind;
        }
    }
}

fn rules(paths: &Paths) -> Vec<u32> {
    (0..paths.len() as u32).filter(|node| is_rule(paths, *node)).collect()
}

fn is_rule(paths: &Paths, node: u32) -> bool {
    paths.parent(node) == ROOT && matches!(paths.step(node), Step::Rule(_))
}

fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or("")
}
