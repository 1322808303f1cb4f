//! Finds values, members and items in a text that is JSON or nearly so.
//!
//! A document that is mutated as text keeps its unusual notation, which reading it into values would lose.

use std::ops::Range;

/// A value and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The value alone.
    pub value: Range<usize>,
    /// A member's key with its quotes.
    pub key: Option<Range<usize>>,
}

impl Part {
    /// The member or item.
    pub fn whole(&self) -> Range<usize> {
        self.key.as_ref().map_or(self.value.start, |key| key.start)..self.value.end
    }
}

/// All values that are complete, inner ones before those they are in.
pub fn parts(document: &[u8]) -> Vec<Part> {
    let (mut found, mut open, mut key) = (Vec::new(), Vec::new(), None);
    let mut at = 0;
    while let Some(byte) = document.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'{' | b'[' => open.push((start, key.take())),
            b'}' | b']' => {
                if let Some((start, key)) = open.pop() {
                    found.push(Part { value: start..at, key });
                }
                key = None;
            }
            b'"' => {
                at = string_end(document, at);
                let next = at + blanks(&document[at..]);
                if document.get(next) == Some(&b':') {
                    key = Some(start..at);
                    at = next + 1;
                } else {
                    found.push(Part { value: start..at, key: key.take() });
                }
            }
            b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' => {}
            _ => {
                let ends = |byte: &u8| b",:{}[]\" \n\r\t".contains(byte);
                at += document[at..].iter().position(ends).unwrap_or(document.len() - at);
                found.push(Part { value: start..at, key: key.take() });
            }
        }
    }
    found
}

/// White space at the start.
pub fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count()
}

/// Behind the string whose first character is at `at`.
fn string_end(document: &[u8], mut at: usize) -> usize {
    while let Some(byte) = document.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    document.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(document: &str) -> Vec<&str> {
        parts(document.as_bytes()).into_iter().map(|part| &document[part.whole()]).collect()
    }

    #[test]
    fn parts_are_found_in_valid_and_invalid_json() {
        assert_eq!(
            texts(r#"{"a\"": [1, "x"],"b":{}}"#),
            ["1", "\"x\"", r#""a\"": [1, "x"]"#, r#""b":{}"#, r#"{"a\"": [1, "x"],"b":{}}"#]
        );
        assert_eq!(texts("[1,]}"), ["1", "[1,]"]);
        assert_eq!(texts("\"a\":\"b\\"), ["\"a\":\"b\\"]);
    }
}
