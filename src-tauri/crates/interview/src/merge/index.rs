//! Finding items of a list without comparing each with each.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::pointer::identity;

/// Positions of the items of a list, by what makes items equal.
#[derive(Debug, Default)]
pub(super) struct Index {
    by_key: BTreeMap<String, Vec<usize>>,
    /// Positions per key that items of the list being merged have taken.
    taken: BTreeMap<String, usize>,
    count: usize,
}

impl Index {
    pub(super) fn of(items: &[Value]) -> Self {
        let mut index = Self::default();
        for item in items {
            index.add(&key(item));
        }
        index
    }

    /// Adds the key of an item that is appended to the list.
    fn add(&mut self, key: &str) {
        self.by_key.entry(key.to_owned()).or_default().push(self.count);
        self.count += 1;
    }

    /// Returns the position of the item that an item with an id merges with. Registers a new one otherwise.
    pub(super) fn identified(&mut self, item: &Value) -> Option<usize> {
        let key = key(item);
        let found = self.by_key.get(&key).and_then(|positions| positions.first()).copied();
        if found.is_none() {
            self.add(&key);
        }
        found
    }

    /// Returns the position of an equal item that no item before was matched with. Registers a new one otherwise.
    pub(super) fn equal(&mut self, item: &Value) -> Option<usize> {
        let key = key(item);
        let taken = self.taken.entry(key.clone()).or_default();
        let found = self.by_key.get(&key).and_then(|positions| positions.get(*taken)).copied();
        *taken += 1;
        if found.is_none() {
            self.add(&key);
        }
        found
    }
}

/// What makes items of a list equal: their id, or their content without regard to the order of keys.
fn key(item: &Value) -> String {
    match identity(item) {
        Some((key, id)) => format!("#{key}\u{0}{id}"),
        None => {
            let mut content = String::from("=");
            write_canonical(item, &mut content);
            content
        }
    }
}

/// Writes a value so that equal values give equal texts. Depth is bounded where answers are checked.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut entries: Vec<(&String, &Value)> = members.iter().collect();
            entries.sort_by(|one, other| one.0.cmp(other.0));
            out.push('{');
            for (key, member) in entries {
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write_canonical(member, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 => {
                out.push_str(&(float as i64).to_string());
            }
            _ => out.push_str(&number.to_string()),
        },
        other => out.push_str(&other.to_string()),
    }
}

/// Returns whether two values are the same: 1 and 1.0 are.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    if one == other {
        return true;
    }
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            (one.is_f64() || other.is_f64()) && one.as_f64() == other.as_f64()
        }
        _ => false,
    }
}
