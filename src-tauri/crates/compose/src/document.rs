//! Reading JSON text as far as values are looked at, so that a large document costs little more than skipping it.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::window::MAX_VALUES;

/// Number of nodes that are read of a document: its values with the lists and objects around them.
const MAX_NODES: usize = 4 * MAX_VALUES;

/// Reads a document as far as its values are looked at. Text that is no JSON gives null.
pub fn read_document(json: &str) -> Value {
    read_counted(json).0
}

/// The same, with the number of items and members that were not read. Their contents are not counted.
pub(crate) fn read_counted(json: &str) -> (Value, usize) {
    let (left, left_out) = (Cell::new(MAX_NODES), Cell::new(0));
    let mut text = serde_json::Deserializer::from_str(json);
    let read = Bounded(&left, &left_out).deserialize(&mut text).unwrap_or_default();
    (read, left_out.get())
}

/// Numbers of nodes that are still read, and that were not.
#[derive(Clone, Copy)]
struct Bounded<'c>(&'c Cell<usize>, &'c Cell<usize>);

impl Bounded<'_> {
    /// Whether another node is read.
    fn more(self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left > 0
    }

    fn leave_out(self) {
        self.1.set(self.1.get() + 1);
    }
}

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while self.more() {
            match items.next_element_seed(self)? {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
        while items.next_element::<IgnoredAny>()?.is_some() {
            self.leave_out();
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while self.more() {
            match members.next_key::<String>()? {
                Some(key) => drop(object.insert(key, members.next_value_seed(self)?)),
                None => return Ok(Value::Object(object)),
            }
        }
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            self.leave_out();
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_is_read_as_far_as_its_values_are_looked_at() {
        let text = r#"{"a":[1,-2,3.5,"x",null,true],"b":{"c":"\u00e9"}}"#;
        assert_eq!(read_document(text), serde_json::from_str::<Value>(text).unwrap());
        let long = format!("[{}0]", "1,".repeat(100_000));
        assert_eq!(read_document(&long).as_array().map(Vec::len), Some(MAX_NODES));
        assert_eq!(read_counted(&long).1, 100_001 - MAX_NODES);
        assert_eq!(read_document("no"), Value::Null);
    }
}
