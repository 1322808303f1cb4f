//! Result of a comparison: changes, each with its path, its classes and a sentence.

use serde::{Deserialize, Serialize};

use crate::claim::Claim;

/// Most changes listed. One more entry counts the rest.
const MAX_CHANGES: usize = 1_000;

/// Severity of a change for one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Proven: everything that worked still works.
    Safe,
    /// Neither proven safe nor shown to break, or irrelevant for most users.
    Risky,
    /// There are values that one side cannot handle, or what described them came or went.
    Breaking,
}

/// Kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A field was added to the named fields.
    FieldAdded,
    /// A field is no longer named.
    FieldRemoved,
    /// An optional field is now required.
    MadeRequired,
    /// A required field is now optional.
    MadeOptional,
    /// More types are allowed.
    TypeWidened,
    /// Fewer types are allowed.
    TypeNarrowed,
    /// Different types are allowed.
    TypeChanged,
    /// The set of allowed values changed.
    EnumChanged,
    /// The format of a string changed.
    FormatChanged,
    /// A limit, a length, a pattern or a step changed.
    BoundsChanged,
    /// Fields that are not named are no longer allowed.
    Closed,
    /// Fields that are not named are now allowed.
    Opened,
    /// The allowed items of arrays changed.
    ItemsChanged,
    /// The allowed values of maps changed.
    MapChanged,
    /// An alternative was added.
    AlternativeAdded,
    /// An alternative was removed.
    AlternativeRemoved,
    /// A condition on the whole value changed: `contains`, `not`, `dependentRequired` and similar.
    ConditionChanged,
    /// Any other change, including one that is not understood.
    Other,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Path: `orders[].customer`, `stock{}` for the values of a map, `["odd key"]`, `[0]` for a
    /// position of a tuple, empty for the whole value.
    pub path: String,
    /// Kind of the change.
    pub what: ChangeKind,
    /// Severity for readers of values that the schema describes.
    pub output: Class,
    /// Severity for senders of values that the schema describes.
    pub input: Class,
    /// Description of the change.
    pub sentence: String,
}

/// All changes between two schemas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comparison {
    /// Changes, outermost first.
    pub changes: Vec<Change>,
    /// Highest severity for readers. Safe is proven: the old schema allows every value that the new
    /// one allows.
    pub output: Class,
    /// Highest severity for senders. Safe is proven: the new schema allows every value that the old
    /// one allows.
    pub input: Class,
}

/// Severity for readers and senders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Classes {
    /// Severity for readers.
    pub(crate) output: Class,
    /// Severity for senders.
    pub(crate) input: Class,
}

impl Classes {
    /// Safe for both.
    pub(crate) const NONE: Self = Self { output: Class::Safe, input: Class::Safe };
    /// The schema allows more.
    pub(crate) const LOOSER: Self = Self { output: Class::Breaking, input: Class::Safe };
    /// The schema allows less.
    pub(crate) const TIGHTER: Self = Self { output: Class::Safe, input: Class::Breaking };
    /// The schema allows different values.
    pub(crate) const OTHER: Self = Self { output: Class::Breaking, input: Class::Breaking };
    /// Unknown.
    pub(crate) const UNSURE: Self = Self { output: Class::Risky, input: Class::Risky };

    /// Lowers both severities to at most those of `cap`.
    pub(crate) fn capped(self, cap: Self) -> Self {
        Self { output: self.output.min(cap.output), input: self.input.min(cap.input) }
    }

    /// Returns the higher severity of both.
    pub(crate) fn worst(self, other: Self) -> Self {
        Self { output: self.output.max(other.output), input: self.input.max(other.input) }
    }
}

/// Changes found so far.
pub(crate) struct ChangeList {
    changes: Vec<Change>,
    /// Claims of each change, if they are collected.
    claims: Option<Vec<Vec<Claim>>>,
    /// Number and highest severity of the changes beyond the limit.
    beyond: Option<(usize, Classes)>,
}

impl ChangeList {
    /// Creates an empty list; `with_claims` says whether the claims of each change are collected.
    pub(crate) fn new(with_claims: bool) -> Self {
        Self { changes: Vec::new(), claims: with_claims.then(Vec::new), beyond: None }
    }

    /// Adds a change.
    pub(crate) fn add(
        &mut self,
        (path, what): (&str, ChangeKind),
        classes: Classes,
        sentence: impl FnOnce() -> String,
        claims: impl FnOnce() -> Vec<Claim>,
    ) {
        if self.changes.len() >= MAX_CHANGES {
            let (count, worst) = self.beyond.unwrap_or((0, classes));
            self.beyond = Some((count + 1, worst.worst(classes)));
            return;
        }
        let Classes { output, input } = classes;
        self.changes.push(Change { path: path.to_owned(), what, output, input, sentence: sentence() });
        if let Some(collected) = &mut self.claims {
            collected.push(claims());
        }
    }

    /// Returns all changes, the claims of each, and their highest severity.
    pub(crate) fn finish(mut self) -> (Vec<Change>, Vec<Vec<Claim>>, Classes) {
        if let Some((count, Classes { output, input })) = self.beyond {
            let sentence = format!("and {count} more changes");
            self.changes.push(Change {
                path: String::new(),
                what: ChangeKind::Other,
                output,
                input,
                sentence,
            });
            if let Some(collected) = &mut self.claims {
                collected.push(Vec::new());
            }
        }
        let none = Classes { output: Class::Safe, input: Class::Safe };
        let worst = self
            .changes
            .iter()
            .fold(none, |worst, change| worst.worst(Classes { output: change.output, input: change.input }));
        (self.changes, self.claims.unwrap_or_default(), worst)
    }
}
