//! Keys that recur in texts of lines `key: value`.
//!
//! One such text proves little. The same keys in many results do.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::schema::digest;

/// Results with the same keys from which on they count as structure.
const PROVEN: u64 = 10;
/// Most sets of keys that are counted. A tool with more has no fixed ones.
const MAX_SETS: usize = 64;

/// Numbers of results by digest of their keys.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct RecurringKeys(BTreeMap<Box<str>, u64>);

impl RecurringKeys {
    /// Whether nothing was counted.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts an object and returns whether its keys have recurred often enough, itself included.
    pub(crate) fn add(&mut self, json: &str) -> bool {
        let Some(digest) = digest_of_keys(json) else { return false };
        if self.0.len() >= MAX_SETS && !self.0.contains_key(&digest) {
            return false;
        }
        let count = self.0.entry(digest).or_default();
        *count = count.saturating_add(1);
        *count >= PROVEN
    }

    /// Whether the keys of an object have recurred often enough.
    pub(crate) fn prove(&self, json: &str) -> bool {
        digest_of_keys(json).is_some_and(|digest| self.0.get(&digest).is_some_and(|count| *count >= PROVEN))
    }
}

/// The digest of an object's keys, in any order.
fn digest_of_keys(json: &str) -> Option<Box<str>> {
    let Ok(Value::Object(members)) = serde_json::from_str(json) else { return None };
    let mut keys: Vec<&String> = members.keys().collect();
    keys.sort_unstable();
    Some(digest(&Value::from(keys.into_iter().map(String::as_str).collect::<Vec<_>>())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn add_proves_keys_at_the_tenth_result() {
        let mut keys = RecurringKeys::default();
        for n in 1..=12 {
            // The order of keys does not count.
            let json = if n % 2 == 0 { r#"{"b":"1","a":"2"}"# } else { r#"{"a":"3","b":"4"}"# };
            assert_eq!(keys.add(json), n >= 10, "{n}");
        }
        assert!(!keys.add(r#"{"a":"1","c":"2"}"#));
    }

    #[test]
    fn add_counts_a_bounded_number_of_sets() {
        let mut keys = RecurringKeys::default();
        for n in 0..1_000 {
            keys.add(&format!(r#"{{"key{n}":""}}"#));
        }
        assert_eq!(keys.0.len(), MAX_SETS);
    }
}
