//! Distinct values at a path, and their number.
//!
//! A small set of short values is kept with exact counts. If there are too many values, or they are
//! too long, the number is only estimated and three values are kept as examples. Which of the two
//! applies depends only on the set of values, and the estimate can be derived from a small set, so
//! merging is exact in every order.

mod few;
mod many;
mod veiled;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::rank::HashKey;
pub(crate) use few::written_length;
use few::{Few, MAX_VALUES};
use many::{EXAMPLES, Many};
use veiled::Veiled;

#[derive(Debug, Clone)]
pub(crate) struct Distinct(Values);

#[derive(Debug, Clone)]
enum Values {
    Few(Few),
    Many(Box<Many>),
    /// A small set of which only hashes are known.
    Veiled(Box<Veiled>),
}

impl Default for Distinct {
    fn default() -> Self {
        Self(Values::Few(Few::default()))
    }
}

impl Distinct {
    pub(crate) fn is_empty(&self) -> bool {
        match &self.0 {
            Values::Few(few) => few.len() == 0,
            Values::Many(_) => false,
            Values::Veiled(veiled) => veiled.len() == 0,
        }
    }

    /// Adds a value. Returns whether it is certain that it was there before.
    #[inline(always)]
    pub(crate) fn add(&mut self, value: &str, key: HashKey) -> bool {
        match &mut self.0 {
            Values::Few(few) => match few.find(value) {
                Some(count) => {
                    *count += 1;
                    return true;
                }
                None => self.add_new(value, 1, key),
            },
            Values::Many(many) => many.add(value, key.hash(value)),
            Values::Veiled(_) => self.add_veiled(value, key),
        }
        false
    }

    #[cold]
    fn add_veiled(&mut self, value: &str, key: HashKey) {
        let mut one = Self::default();
        one.add(value, key);
        self.merge(&one.veiled(key), key);
    }

    /// Returns the same set with keyed hashes instead of values.
    pub(crate) fn veiled(&self, key: HashKey) -> Self {
        Self(match &self.0 {
            Values::Few(few) => Values::Veiled(Box::new(Veiled::of(few, key))),
            Values::Many(many) => Values::Many(Box::new(many.without_examples())),
            Values::Veiled(veiled) => Values::Veiled(veiled.clone()),
        })
    }

    #[cold]
    fn add_new(&mut self, value: &str, count: u64, key: HashKey) {
        if let Values::Few(few) = &mut self.0
            && few.insert(value, count)
        {
            return;
        }
        self.as_many(key).add(value, key.hash(value));
    }

    fn as_many(&mut self, key: HashKey) -> &mut Many {
        let mut many = Many::default();
        match &self.0 {
            Values::Few(few) => few.iter().for_each(|(value, _)| many.add(value, key.hash(value))),
            Values::Veiled(veiled) => veiled.places().for_each(|place| many.add_place(place)),
            Values::Many(_) => {}
        }
        if !matches!(self.0, Values::Many(_)) {
            self.0 = Values::Many(Box::new(many));
        }
        match &mut self.0 {
            Values::Many(many) => many,
            _ => unreachable!("the set was just converted"),
        }
    }

    pub(crate) fn merge(&mut self, theirs: &Self, key: HashKey) {
        if matches!((&self.0, &theirs.0), (Values::Veiled(_), Values::Few(_))) {
            return self.merge(&theirs.veiled(key), key);
        }
        match &theirs.0 {
            Values::Few(theirs) => {
                for (value, count) in theirs.iter() {
                    match &mut self.0 {
                        Values::Few(mine) => match mine.find(value) {
                            Some(mine) => *mine += count,
                            None => self.add_new(value, count, key),
                        },
                        Values::Many(many) => many.add(value, key.hash(value)),
                        Values::Veiled(_) => {}
                    }
                }
            }
            Values::Veiled(theirs) => match &mut self.0 {
                Values::Veiled(mine) => {
                    if !mine.merge(theirs) {
                        let many = self.as_many(key);
                        theirs.places().for_each(|place| many.add_place(place));
                    }
                }
                Values::Many(many) => theirs.places().for_each(|place| many.add_place(place)),
                Values::Few(_) => {
                    *self = self.veiled(key);
                    self.merge(&Self(Values::Veiled(theirs.clone())), key);
                }
            },
            Values::Many(theirs) => self.as_many(key).merge(theirs),
        }
    }

    /// Removes values. Returns how many observations the removed values had, or `None` if nothing
    /// was removed.
    pub(crate) fn forget(&mut self, forgets: impl Fn(&str) -> bool) -> Option<u64> {
        match &mut self.0 {
            Values::Few(few) => {
                let (gone, kept): (Vec<_>, Vec<_>) = few.iter().partition(|(value, _)| forgets(value));
                let mut left = Few::default();
                kept.into_iter().for_each(|(value, count)| _ = left.insert(value, count));
                let times = gone.iter().map(|(_, count)| count).sum();
                let any = !gone.is_empty();
                self.0 = Values::Few(left);
                any.then_some(times)
            }
            // Only the estimate remains, which reveals no value.
            Values::Many(many) => many.forget(forgets).then_some(0),
            // It contains no values.
            Values::Veiled(_) => None,
        }
    }

    /// Returns all values with their counts, most frequent first, then by text; `None` if there are
    /// too many.
    pub(crate) fn values(&self) -> Option<Vec<(&str, u64)>> {
        match &self.0 {
            Values::Few(few) => Some(few.sorted()),
            Values::Many(_) | Values::Veiled(_) => None,
        }
    }

    /// Returns the counts of a small set.
    pub(crate) fn counts(&self) -> impl Iterator<Item = u64> {
        let (few, veiled) = match &self.0 {
            Values::Few(few) => (Some(few), None),
            Values::Veiled(veiled) => (None, Some(veiled)),
            Values::Many(_) => (None, None),
        };
        let few = few.into_iter().flat_map(|few| few.iter().map(|(_, count)| count));
        few.chain(veiled.into_iter().flat_map(|veiled| veiled.counts()))
    }

    /// Returns the number of distinct values; the error is about 7 % if there are too many to
    /// count.
    pub(crate) fn count(&self) -> u64 {
        match &self.0 {
            Values::Few(few) => few.len() as u64,
            Values::Many(many) => many.estimate(),
            Values::Veiled(veiled) => veiled.len() as u64,
        }
    }

    /// Returns a few values, truncated if long.
    pub(crate) fn examples(&self) -> Vec<&str> {
        match &self.0 {
            Values::Few(few) => few.sorted().into_iter().take(EXAMPLES).map(|(value, _)| value).collect(),
            Values::Many(many) => many.examples().map(|(_, example)| example).collect(),
            Values::Veiled(_) => Vec::new(),
        }
    }
}

#[derive(Serialize)]
enum SerializedValues<'a> {
    #[serde(rename = "v")]
    Few(Vec<(&'a str, u64)>),
    #[serde(rename = "m")]
    Many(String, Vec<(u64, &'a str)>),
    #[serde(rename = "h")]
    Veiled(Vec<veiled::Written>),
}

#[derive(Deserialize)]
enum DeserializedValues {
    #[serde(rename = "v")]
    Few(Vec<(Box<str>, u64)>),
    #[serde(rename = "m")]
    Many(String, Vec<(u64, Box<str>)>),
    #[serde(rename = "h")]
    Veiled(Vec<veiled::Written>),
}

impl Serialize for Distinct {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Values::Few(few) => SerializedValues::Few(few.sorted()),
            Values::Many(many) => SerializedValues::Many(many.letters(), many.examples().collect()),
            Values::Veiled(veiled) => SerializedValues::Veiled(veiled.written()),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match DeserializedValues::deserialize(deserializer)? {
            DeserializedValues::Few(values) => {
                let mut few = Few::default();
                for (value, count) in values {
                    if few.find(&value).is_some() || !few.insert(&value, count) {
                        return Err(D::Error::custom(format_args!(
                            "more than {MAX_VALUES} distinct values, a value that is too long, or a duplicate"
                        )));
                    }
                }
                Values::Few(few)
            }
            DeserializedValues::Many(letters, examples) => {
                Values::Many(Box::new(Many::read(&letters, examples).map_err(D::Error::custom)?))
            }
            DeserializedValues::Veiled(written) => {
                Values::Veiled(Box::new(Veiled::read(written).map_err(D::Error::custom)?))
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = String>) -> Distinct {
        let mut distinct = Distinct::default();
        for value in values {
            distinct.add(&value, HashKey::default());
        }
        distinct
    }

    #[test]
    fn small_sets_are_counted_and_large_ones_estimated() {
        let few = of(["a", "b", "a"].map(String::from));
        assert_eq!(few.values(), Some(vec![("a", 2), ("b", 1)]));
        for count in [33_u64, 100, 500, 1_000, 10_000, 100_000] {
            let many = of((0..count).map(|n| format!("value-{n}")));
            assert_eq!((many.values(), many.examples().len()), (None, 3));
            let error = many.count().abs_diff(count) as f64 / count as f64;
            assert!(error < 0.2, "{count}: {}", many.count());
        }
    }

    #[test]
    fn long_values_are_estimated_and_truncated_as_examples() {
        let long = of(["é".repeat(70)]);
        assert_eq!((long.values(), long.count()), (None, 1));
        assert_eq!(long.examples()[0].chars().count(), 64 / 2 + 1);
    }
}
