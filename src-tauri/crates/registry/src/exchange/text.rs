//! Reads exchanged files as text, up to a limit, and names the line and column of a mistake.

use std::fmt;

use serde::de::DeserializeOwned;

/// Bytes of a file that is read, at most.
pub const MAX_FILE: usize = 64 << 20;

/// A file that is not what it should be. Nothing of it was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongFile {
    /// Line and column, from 1, where that is known.
    pub place: Option<(usize, usize)>,
    /// What is wrong, and what would be right.
    pub reason: String,
}

impl WrongFile {
    /// Wrong as a whole.
    pub fn whole(reason: impl Into<String>) -> Self {
        Self { place: None, reason: reason.into() }
    }

    /// Wrong where a part of the text begins; `part` is some of the very bytes of `text`.
    pub fn at(text: &str, part: &str, reason: impl Into<String>) -> Self {
        let offset = part.as_ptr().addr().checked_sub(text.as_ptr().addr());
        let before = offset.and_then(|offset| text.get(..offset));
        let place = before.map(|before| {
            let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            (line, column)
        });
        Self { place, reason: reason.into() }
    }
}

impl fmt::Display for WrongFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "line {line} column {column}: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for WrongFile {}

/// Reads JSON of a form; what a program put before it to mark the encoding is passed over.
pub fn read_json<T: DeserializeOwned>(text: &str) -> Result<T, WrongFile> {
    if text.len() > MAX_FILE {
        return Err(WrongFile::whole(format!("it has {} bytes; at most {MAX_FILE} are read", text.len())));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(WrongFile::whole("it is empty"));
    }
    serde_json::from_str(text).map_err(|error| {
        let place = (error.line() > 0).then(|| (error.line(), error.column()));
        WrongFile { place, reason: without_place(&error) }
    })
}

/// What is wrong, without the place that the error ends with.
pub(super) fn without_place(error: &serde_json::Error) -> String {
    let words = error.to_string();
    words.split(" at line ").next().unwrap_or(&words).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let error = read_json::<Value>("{\n \"a\": tru }").unwrap_err();
        assert_eq!(error.place, Some((2, 10)), "{error}");
        let text = "[\n  \"é\", 7]";
        let at = text.find('7').unwrap();
        let error = WrongFile::at(text, &text[at..=at], "is no text");
        assert_eq!(error.to_string(), "line 2 column 8: is no text");
        assert_eq!(read_json::<Value>("\u{feff}7").unwrap(), 7);
        assert_eq!(read_json::<Value>(" \n").unwrap_err().to_string(), "it is empty");
    }
}
