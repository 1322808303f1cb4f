//! Keys that recur in texts of lines `key: value`.
//!
//! One such text proves little. The same keys in many results do, also where some lines are optional.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::schema::digest;

/// Results with the same keys from which on they count as structure.
const PROVEN: u64 = 10;
/// Fewest keys that results share whose other keys differ; they are a third of the keys at least.
const SHARED: usize = 3;
/// Most sets of keys that are counted. A tool with more has no fixed ones.
const MAX_SETS: usize = 64;
/// Most keys of a set whose part can recur.
const MAX_KEYS: usize = 64;

/// Numbers of results by their keys: a digest of them all, and of each a hash.
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
        let Some(keys) = Keys::of(json) else { return false };
        let written = keys.write();
        if self.0.len() < MAX_SETS || self.0.contains_key(&written) {
            let count = self.0.entry(written).or_default();
            *count = count.saturating_add(1);
        }
        self.have(&keys)
    }

    /// Whether the keys of an object have recurred often enough.
    pub(crate) fn prove(&self, json: &str) -> bool {
        Keys::of(json).is_some_and(|keys| self.have(&keys))
    }

    /// Whether these keys, or a third of them, were in enough results.
    fn have(&self, keys: &Keys) -> bool {
        let known: Vec<(Keys, u64)> =
            self.0.iter().map(|(written, count)| (Keys::read(written), *count)).collect();
        let exact = known.iter().filter(|(other, _)| other.digest == keys.digest).map(|(_, count)| count);
        let is_enough = |sum: u64| sum >= PROVEN;
        is_enough(exact.sum())
            || known.iter().any(|(other, _)| {
                let shared: BTreeSet<u32> = other.each.intersection(&keys.each).copied().collect();
                let with_them = known.iter().filter(|(other, _)| shared.is_subset(&other.each));
                shared.len() >= SHARED
                    && SHARED * shared.len() >= keys.each.len()
                    && is_enough(with_them.map(|(_, count)| count).sum())
            })
    }
}

/// The keys of an object, in any order.
struct Keys {
    digest: Box<str>,
    /// Hashes; none of a set with too many keys, or that was written before there were any.
    each: BTreeSet<u32>,
}

impl Keys {
    fn of(json: &str) -> Option<Self> {
        let Ok(Value::Object(members)) = serde_json::from_str(json) else { return None };
        let mut keys: Vec<&str> = members.keys().map(String::as_str).collect();
        keys.sort_unstable();
        let hashed = keys.iter().filter(|_| keys.len() <= MAX_KEYS);
        let each = hashed.filter_map(|key| hash(digest(&Value::from(*key)).get(..8)?)).collect();
        Some(Self { digest: digest(&Value::from(keys)), each })
    }

    fn read(written: &str) -> Self {
        let mut words = written.split(' ');
        let digest = words.next().unwrap_or_default().into();
        Self { digest, each: words.filter_map(hash).collect() }
    }

    fn write(&self) -> Box<str> {
        let each = self.each.iter().map(|hash| format!(" {hash:08x}")).collect::<String>();
        format!("{}{each}", self.digest).into()
    }
}

fn hash(hex: &str) -> Option<u32> {
    u32::from_str_radix(hex, 16).ok()
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

    /// Regression: of 100 results with three fixed and five optional lines none was learned.
    #[test]
    fn add_proves_keys_of_which_some_are_optional() {
        let mut keys = RecurringKeys::default();
        let optional =
            |n: usize| (0..5).filter(move |bit| n >> bit & 1 == 1).map(|bit| format!(r#","o{bit}":"""#));
        for n in 0..32 {
            let json = format!(r#"{{"a":"","b":"","c":""{}}}"#, optional(n).collect::<String>());
            assert_eq!(keys.add(&json), n >= 9, "{n}");
        }
        assert!(keys.prove(r#"{"a":"","b":"","c":"","new":""}"#));
        for other in [
            r#"{"a":"","b":"","x":"","y":""}"#,
            r#"{"a":"","b":"","c":"","d":"","e":"","f":"","g":"","h":"","i":"","j":""}"#,
        ] {
            assert!(!keys.prove(other), "{other}");
        }
    }

    #[test]
    fn keys_counted_before_hashes_were_written_stay_proven() {
        let mut keys: RecurringKeys =
            serde_json::from_str(&format!(r#"{{"{}":10}}"#, digest(&serde_json::json!(["a", "b"])))).unwrap();
        assert!(keys.prove(r#"{"b":"","a":""}"#));
        assert!(keys.add(r#"{"b":"","a":""}"#));
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
