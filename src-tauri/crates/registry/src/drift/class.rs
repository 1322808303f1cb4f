//! Argument classes: only calls of the same class are compared with one another.
//!
//! A class is the set of arguments given, with the values of those that have few. An argument of many values counts
//! by how its values begin (`user_17` and `user_18` are alike, `order_3` is not). An argument with many beginnings
//! counts only by being given.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::hash::Fnv;

/// Arguments looked at.
const MAX_ARGUMENTS: usize = 16;
/// Values (or beginnings) of one argument that are distinguished.
const MAX_VALUES: usize = 12;

/// One call's arguments.
#[derive(Debug, Clone, Default)]
pub(super) struct Given {
    /// Identifies them all.
    pub(super) digest: u64,
    arguments: Vec<GivenArgument>,
}

#[derive(Debug, Clone, Copy)]
struct GivenArgument {
    name: u64,
    /// Hashes of the value and of how it begins.
    value: (u64, u64),
}

/// The arguments that make a class: their places and what counts of their values.
pub(super) type Class = Vec<(u8, u64)>;

/// What is known of a tool's arguments.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Classes(Vec<Argument>);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Argument(u64, Grain, Vec<(u64, u64)>);

/// What counts of an argument's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Grain {
    Value,
    Beginning,
    Nothing,
}

/// An argument's values count less from now on: what takes the place of each value in classes.
#[derive(Debug)]
pub(super) struct Coarser {
    pub(super) argument: u8,
    /// Old and new; whatever is not listed becomes 0.
    pub(super) values: Vec<(u64, u64)>,
}

impl Given {
    /// Reads a call's arguments, a JSON object or nothing.
    pub(super) fn read(arguments: Option<&str>) -> Self {
        let parsed = arguments.and_then(|text| serde_json::from_str(text).ok());
        let parsed: BTreeMap<Cow<'_, str>, &RawValue> = parsed.unwrap_or_default();
        let mut digest = Fnv::default();
        let mut given = Vec::new();
        for (name, value) in parsed {
            let value = value.get();
            let name = Fnv::default().text(&name).get();
            let exact = Fnv::default().text(value).get();
            digest = digest.number(name).number(exact);
            given.push(GivenArgument { name, value: (exact, Fnv::default().text(&beginning(value)).get()) });
        }
        Self { digest: digest.get(), arguments: given }
    }
}

/// The letters a string begins with and, of paths, the extension; of anything else its first byte.
fn beginning(value: &str) -> String {
    let Some(text) = value.strip_prefix('"') else {
        let first = value.as_bytes().first().copied().unwrap_or_default();
        return if first == b'-' || first.is_ascii_digit() { "#".into() } else { char::from(first).into() };
    };
    let text = text.strip_suffix('"').unwrap_or(text);
    let letters = text.chars().take(16).take_while(|letter| letter.is_alphabetic());
    let extension = text.rsplit_once('.').map(|(_, end)| end).filter(|end| end.len() <= 5);
    letters.chain(['.']).chain(extension.unwrap_or("").chars()).collect()
}

impl Classes {
    /// A call's class, what became coarser by it, and whether its arguments say more than the class does.
    pub(super) fn of(&mut self, given: &Given) -> (Class, Vec<Coarser>, bool) {
        let mut coarser = Vec::new();
        let mut class = Class::new();
        let mut identity = false;
        for GivenArgument { name, value } in &given.arguments {
            let known = self.0.iter().position(|argument| argument.0 == *name);
            let Some(at) = known.or_else(|| self.add(*name)) else {
                identity = true;
                continue;
            };
            let argument = &mut self.0[at];
            while !argument.takes(*value) {
                coarser.push(argument.coarsen(at as u8));
            }
            identity |= argument.1 != Grain::Value;
            class.push((at as u8, argument.counts(*value)));
        }
        class.sort_unstable();
        (class, coarser, identity)
    }

    fn add(&mut self, name: u64) -> Option<usize> {
        if self.0.len() >= MAX_ARGUMENTS {
            return None;
        }
        self.0.push(Argument(name, Grain::Value, Vec::new()));
        Some(self.0.len() - 1)
    }

    /// Makes the argument of most values count less, for want of room.
    pub(super) fn coarsen(&mut self) -> Option<Coarser> {
        let rank = |at: &usize| (self.0[*at].2.len(), std::cmp::Reverse(*at));
        let at = (0..self.0.len()).filter(|at| self.0[*at].2.len() > 1).max_by_key(rank)?;
        Some(self.0[at].coarsen(at as u8))
    }

    pub(super) fn is_valid(&self) -> bool {
        self.0.len() <= MAX_ARGUMENTS && self.0.iter().all(|argument| argument.2.len() <= MAX_VALUES)
    }
}

impl Argument {
    fn counts(&self, value: (u64, u64)) -> u64 {
        match self.1 {
            Grain::Value => value.0,
            Grain::Beginning => value.1,
            Grain::Nothing => 0,
        }
    }

    /// Notes a value; false if there is no room.
    fn takes(&mut self, value: (u64, u64)) -> bool {
        let counts = self.counts(value);
        if self.1 == Grain::Nothing || self.2.iter().any(|known| self.counts(*known) == counts) {
            return true;
        }
        if self.2.len() >= MAX_VALUES {
            return false;
        }
        self.2.push(value);
        true
    }

    fn coarsen(&mut self, at: u8) -> Coarser {
        let before: Vec<u64> = self.2.iter().map(|value| self.counts(*value)).collect();
        let values = std::mem::take(&mut self.2);
        self.1 = if self.1 == Grain::Value { Grain::Beginning } else { Grain::Nothing };
        let after = values.iter().map(|value| self.counts(*value));
        let replaced = before.into_iter().zip(after).collect();
        for value in values {
            self.takes(value);
        }
        Coarser { argument: at, values: replaced }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_tell_classes_apart_and_many_do_not() {
        let mut classes = Classes::default();
        let mut of = |arguments: String| {
            let (class, _, identity) = classes.of(&Given::read(Some(&arguments)));
            (class, identity)
        };
        let json = of(r#"{"format":"json"}"#.to_owned());
        assert_ne!(json, of(r#"{"format":"text"}"#.to_owned()));
        assert!(!json.1);
        for number in 0..40 {
            of(format!(r#"{{"id":"user_{number}"}}"#));
        }
        let user = of(r#"{"id":"user_7"}"#.to_owned());
        assert_eq!(user, of(r#"{"id":"user_99"}"#.to_owned()));
        assert_ne!(user, of(r#"{"id":"order_1"}"#.to_owned()));
        assert!(user.1);
    }

    #[test]
    fn the_order_of_arguments_does_not_matter() {
        let digest = |text| Given::read(Some(text)).digest;
        assert_eq!(digest(r#"{"a":1,"b":2}"#), digest(r#"{"b":2,"a":1}"#));
        assert_ne!(digest(r#"{"a":1,"b":2}"#), digest(r#"{"a":2,"b":1}"#));
    }
}
