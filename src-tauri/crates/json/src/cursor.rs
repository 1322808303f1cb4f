//! A cursor over JSON that was validated before: one pass, without parsing skipped values.

use serde_json::value::RawValue;

use crate::{container_end, string_end};

/// A position in a document.
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the start of a document.
    pub fn new(json: &'a RawValue) -> Self {
        Self::of(json.get())
    }

    /// The same for text that should be JSON. Steps over text that is not may fail.
    pub fn of(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Calls `each` with every key of the object at the cursor, quotes included. `each` must step
    /// over the value. Returns `None` if there is no object or a step failed.
    pub fn members(&mut self, mut each: impl FnMut(&'a str, &mut Self) -> Option<()>) -> Option<()> {
        self.all(b'{', b'}', |cursor| {
            let key = cursor.value()?;
            cursor.take(b':')?;
            each(key, cursor)
        })
    }

    /// Calls `each` at every item of the array at the cursor. `each` must step over it. Returns
    /// `None` if there is no array or a step failed.
    pub fn items(&mut self, each: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.all(b'[', b']', each)
    }

    fn all(&mut self, open: u8, close: u8, mut each: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(open)?;
        if self.take(close).is_some() {
            return Some(());
        }
        loop {
            each(self)?;
            if self.take(b',').is_none() {
                return self.take(close);
            }
        }
    }

    /// Returns whether an object begins at the cursor.
    pub fn is_object(&mut self) -> bool {
        self.peek() == Some(b'{')
    }

    /// Returns whether an array begins at the cursor.
    pub fn is_array(&mut self) -> bool {
        self.peek() == Some(b'[')
    }

    /// Steps over the value at the cursor and returns its text.
    pub fn value(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        let first = self.peek()?;
        let start = self.at;
        self.at = match first {
            b'"' => string_end(bytes, start)?,
            b'{' | b'[' => container_end(bytes, start)?,
            _ => {
                let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
                bytes[start..].iter().position(ends).map_or(bytes.len(), |length| start + length)
            }
        };
        self.text.get(start..self.at)
    }

    /// Skips white space and returns the next byte.
    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn json() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[ -~é\\\\\"{}\\[\\],:\n]{0,20}".prop_map(Value::from),
        ];
        scalar.prop_recursive(5, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(("[a-c\"\\\\\\]}]{0,9}", inner), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn cursor_steps_over_whole_values(value in json(), pretty in any::<bool>()) {
            let text = if pretty { format!(" {value:#} ") } else { value.to_string() };
            let raw = RawValue::from_string(text).unwrap();
            let mut cursor = Cursor::new(&raw);
            let whole: Value = serde_json::from_str(cursor.value().unwrap()).unwrap();
            prop_assert_eq!(&whole, &value);
            prop_assert_eq!(cursor.peek(), None);
            let mut cursor = Cursor::new(&raw);
            let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            match &value {
                Value::Array(items) => {
                    let mut found = Vec::new();
                    let all = cursor.items(|cursor| {
                        found.push(read(cursor.value()?));
                        Some(())
                    });
                    prop_assert!(all.is_some());
                    prop_assert_eq!(&found, items);
                }
                Value::Object(members) => {
                    let mut found = serde_json::Map::new();
                    let all = cursor.members(|key, cursor| {
                        found.insert(serde_json::from_str(key).unwrap(), read(cursor.value()?));
                        Some(())
                    });
                    prop_assert!(all.is_some());
                    prop_assert_eq!(&found, members);
                }
                _ => {
                    prop_assert!(cursor.items(|_| Some(())).is_none() && cursor.members(|_, _| Some(())).is_none());
                }
            }
        }
    }
}
