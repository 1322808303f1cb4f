//! What a comparison says: changes, each with its place, its classes and a sentence.
//!
//! Owns: the words of the result, and how many changes are listed. Refuses to know: how they are found.

use serde::{Deserialize, Serialize};

/// Changes that are listed. What comes after is one more change that says so.
const MAX_CHANGES: usize = 1_000;

/// How bad a change is, for one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Proven: nothing that worked stops working.
    Safe,
    /// Neither proven nor shown otherwise, or of no matter to most.
    Risky,
    /// Shown: there are values that trip over it.
    Breaking,
}

/// What kind of change it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A field is named that was not.
    FieldAdded,
    /// A field is no longer named.
    FieldRemoved,
    /// A field that could be missing is always there.
    MadeRequired,
    /// A field that was always there can be missing.
    MadeOptional,
    /// More types are allowed.
    TypeWidened,
    /// Fewer types are allowed.
    TypeNarrowed,
    /// Other types are allowed.
    TypeChanged,
    /// The values something is one of.
    EnumChanged,
    /// The format of a text.
    FormatChanged,
    /// A limit, a length, a pattern or a step.
    BoundsChanged,
    /// Fields that are not named are no longer allowed.
    Closed,
    /// Fields that are not named are now allowed.
    Opened,
    /// What arrays hold.
    ItemsChanged,
    /// What maps hold.
    MapChanged,
    /// One more alternative.
    AlternativeAdded,
    /// One alternative less.
    AlternativeRemoved,
    /// A condition on the whole: `contains`, `not`, `dependentRequired` and the like.
    ConditionChanged,
    /// Anything else, and what is not understood.
    Other,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Where: `orders[].customer`, `stock{}` for the values of a map, `["odd key"]`, `[0]` for a place in a
    /// tuple, empty for the whole.
    pub path: String,
    /// What kind of change it is.
    pub what: What,
    /// How bad it is for those who read what the schema describes.
    pub output: Class,
    /// How bad it is for those who send what the schema describes.
    pub input: Class,
    /// The change in words.
    pub sentence: String,
}

/// All that changed between two schemas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comparison {
    /// The changes, outermost first.
    pub changes: Vec<Change>,
    /// The worst for readers. Safe is proven: every value the new schema allows, the old one allowed.
    pub output: Class,
    /// The worst for senders. Safe is proven: every value the old schema allowed, the new one allows.
    pub input: Class,
}

/// A class for either side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Classes {
    /// For readers.
    pub(super) output: Class,
    /// For senders.
    pub(super) input: Class,
}

impl Classes {
    /// Nothing to worry about.
    pub(super) const NONE: Self = Self { output: Class::Safe, input: Class::Safe };
    /// Allows more than before.
    pub(super) const LOOSER: Self = Self { output: Class::Breaking, input: Class::Safe };
    /// Allows less than before.
    pub(super) const TIGHTER: Self = Self { output: Class::Safe, input: Class::Breaking };
    /// Allows other things than before.
    pub(super) const OTHER: Self = Self { output: Class::Breaking, input: Class::Breaking };
    /// Nobody knows.
    pub(super) const UNSURE: Self = Self { output: Class::Risky, input: Class::Risky };

    /// No worse than either.
    pub(super) fn capped(self, cap: Self) -> Self {
        Self { output: self.output.min(cap.output), input: self.input.min(cap.input) }
    }

    /// As bad as the worse of both.
    pub(super) fn worst(self, other: Self) -> Self {
        Self { output: self.output.max(other.output), input: self.input.max(other.input) }
    }
}

/// Changes found so far.
pub(super) struct Found {
    changes: Vec<Change>,
    /// The worst of those that are not listed, and how many they are.
    beyond: Option<(usize, Classes)>,
}

impl Found {
    /// None yet.
    pub(super) fn new() -> Self {
        Self { changes: Vec::new(), beyond: None }
    }

    /// One more.
    pub(super) fn add(&mut self, path: &str, what: What, classes: Classes, sentence: String) {
        if self.changes.len() >= MAX_CHANGES {
            let (count, worst) = self.beyond.unwrap_or((0, classes));
            self.beyond = Some((count + 1, worst.worst(classes)));
            return;
        }
        let Classes { output, input } = classes;
        self.changes.push(Change { path: path.to_owned(), what, output, input, sentence });
    }

    /// All of them, and how bad they are together.
    pub(super) fn finish(mut self) -> (Vec<Change>, Classes) {
        if let Some((count, Classes { output, input })) = self.beyond {
            let sentence = format!("and {count} more changes");
            self.changes.push(Change { path: String::new(), what: What::Other, output, input, sentence });
        }
        let none = Classes { output: Class::Safe, input: Class::Safe };
        let worst = self
            .changes
            .iter()
            .fold(none, |worst, change| worst.worst(Classes { output: change.output, input: change.input }));
        (self.changes, worst)
    }
}
