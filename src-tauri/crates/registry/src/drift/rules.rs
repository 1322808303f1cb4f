//! Rules of the effective schema. They are watched like fields that are usually absent.
//!
//! Which schema is in effect is read from the observations themselves, so that a replay finds the same. When the
//! schema changes, the rules of the previous one are no longer watched.

use schemascope_model::TypeName;
use serde::{Deserialize, Serialize};

use super::paths::{Paths, ROOT};
use super::scan::Kind;
use super::{Conformity, Drift, Notice, Step};

/// Bytes of a rule's name that count.
const MAX_RULE: usize = 160;
/// Rules that are distinguished.
const MAX_RULES: usize = 16;
/// Schemas remembered.
const MAX_SCHEMAS: usize = 8;
/// Bytes of a digest that count.
const MAX_DIGEST: usize = 64;

/// Digests of the schemas observations were judged by, the latest last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Schemas(Vec<Box<str>>);

/// How a schema stands to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Met {
    Same,
    First,
    Again,
    New,
}

impl Schemas {
    fn meet(&mut self, digest: &str) -> Met {
        let digest = cut(digest, MAX_DIGEST);
        if self.0.last().is_some_and(|latest| **latest == *digest) {
            return Met::Same;
        }
        let met = match self.0.iter().position(|known| **known == *digest) {
            Some(at) => {
                self.0.remove(at);
                Met::Again
            }
            None if self.0.is_empty() => Met::First,
            None => Met::New,
        };
        if self.0.len() == MAX_SCHEMAS {
            self.0.remove(0);
        }
        self.0.push(digest.into());
        met
    }

    pub(super) fn is_valid(&self) -> bool {
        self.0.len() <= MAX_SCHEMAS && self.0.iter().all(|digest| digest.len() <= MAX_DIGEST)
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
        let met = self.schemas.meet(schema);
        if met == Met::Same {
            return Vec::new();
        }
        let takes_all = fits && met != Met::Again;
        let mut notices = Vec::new();
        let mut at = 0;
        while let Some(open) = self.open.get(at) {
            let is_over = takes_all || open.paths().all(|(node, _)| is_rule(&self.paths, node));
            if is_over {
                notices.push(self.accept(at));
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

    /// What an observation says of each rule.
    pub(super) fn rules(&mut self, conformity: Conformity<'_>, kinds: &mut Vec<Kind>) {
        if conformity == Conformity::Unknown {
            return;
        }
        let mut rules = rules(&self.paths);
        let mut broken = None;
        if let Conformity::Breaks { rule, .. } = conformity {
            let name = Step::Rule(cut(rule, MAX_RULE).into());
            let room = rules.len() < MAX_RULES || rules.iter().any(|node| *self.paths.step(*node) == name);
            broken = if room { self.paths.child(ROOT, name) } else { None };
            rules.extend(broken);
        }
        kinds.resize(self.paths.len(), Kind::Nowhere);
        for node in rules {
            kinds[node as usize] =
                if Some(node) == broken { Kind::Is(TypeName::Boolean) } else { Kind::Absent };
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
