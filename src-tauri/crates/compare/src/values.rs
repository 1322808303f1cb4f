//! A set of values with fast lookup of strings.

use std::collections::HashSet;

use serde_json::Value;

use crate::number::{equal, some};

/// Set of values.
pub(crate) struct Values<'v> {
    texts: HashSet<&'v str>,
    others: Vec<&'v Value>,
}

impl<'v> Values<'v> {
    /// Creates the set.
    pub(crate) fn new(values: impl IntoIterator<Item = &'v Value>) -> Self {
        let mut found = Self { texts: HashSet::new(), others: Vec::new() };
        for value in values {
            match value {
                Value::String(text) => _ = found.texts.insert(text),
                other => found.others.push(other),
            }
        }
        found
    }

    /// Returns the number of values compared for each lookup of a value other than a string.
    pub(crate) fn effort(&self) -> usize {
        self.others.len()
    }

    /// Returns whether the set contains a value; `None` where validators may differ.
    pub(crate) fn have(&self, value: &Value) -> Option<bool> {
        match value {
            Value::String(text) => Some(self.texts.contains(text.as_str())),
            other => some(self.others.iter().map(|one| equal(other, one))),
        }
    }
}
