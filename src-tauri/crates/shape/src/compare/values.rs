//! Many values, and whether one is among them.
//!
//! Owns: looking texts up instead of going through them. Refuses to know: where the values come from.

use std::collections::HashSet;

use serde_json::Value;

use super::number::{equal, some};

/// Values to look others up in.
pub(super) struct Values<'v> {
    texts: HashSet<&'v str>,
    others: Vec<&'v Value>,
}

impl<'v> Values<'v> {
    /// These values.
    pub(super) fn new(values: impl IntoIterator<Item = &'v Value>) -> Self {
        let mut found = Self { texts: HashSet::new(), others: Vec::new() };
        for value in values {
            match value {
                Value::String(text) => _ = found.texts.insert(text),
                other => found.others.push(other),
            }
        }
        found
    }

    /// How many have to be gone through for one that is looked up.
    pub(super) fn effort(&self) -> usize {
        self.others.len()
    }

    /// Whether a value is among them; none where validators may differ.
    pub(super) fn have(&self, value: &Value) -> Option<bool> {
        match value {
            Value::String(text) => Some(self.texts.contains(text.as_str())),
            other => some(self.others.iter().map(|one| equal(other, one))),
        }
    }
}
