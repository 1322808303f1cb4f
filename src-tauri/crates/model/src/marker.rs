//! The marker that replaces a redacted value.
//!
//! A marker is a string that records the type of the value it replaces, and the length of a string,
//! so that shapes stay exact without the value. Within a longer text, markers replace only the
//! secret parts.

use std::fmt;
use std::str::FromStr;

const OPEN: &str = "⟦redacted ";
const CLOSE: char = '⟧';
/// Most characters of a marker.
const MAX_MARKER_CHARS: usize = 40;

/// Type of a redacted value. Null and booleans are never secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redacted {
    /// A string with this many characters.
    String(usize),
    /// A number written without fraction or exponent that fits in 64 bits.
    Integer,
    /// Any other number.
    Number,
}

impl Redacted {
    /// Returns what a string replaces: a value, if the string is a marker; a text of the original
    /// length, if it contains markers; `None` if it contains none.
    pub fn of(text: &str) -> Option<Self> {
        // This runs for every string, and most do not contain this byte.
        if !text.as_bytes().contains(&OPEN.as_bytes()[0]) {
            return None;
        }
        if let Ok(Marker(redacted)) = text.parse() {
            return Some(redacted);
        }
        let (mut length, mut found, mut rest) = (0, false, text);
        while let Some(start) = rest.find(OPEN) {
            length += rest[..start].chars().count();
            rest = &rest[start..];
            // Not further than the longest marker.
            let close = rest.char_indices().take(MAX_MARKER_CHARS).find(|&(_, c)| c == CLOSE);
            let end = close.map_or(0, |(end, _)| end + CLOSE.len_utf8());
            match rest[..end].parse() {
                Ok(Marker(Self::String(replaced))) => {
                    length = length.saturating_add(replaced);
                    found = true;
                    rest = &rest[end..];
                }
                _ => {
                    length += 1;
                    rest = &rest[OPEN.chars().next().map_or(0, char::len_utf8)..];
                }
            }
        }
        found.then(|| Self::String(length.saturating_add(rest.chars().count())))
    }
}

/// String that replaces a redacted value: `⟦redacted string 24⟧`, `⟦redacted integer⟧`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marker(pub Redacted);

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Redacted::String(length) => write!(f, "{OPEN}string {length}{CLOSE}"),
            Redacted::Integer => write!(f, "{OPEN}integer{CLOSE}"),
            Redacted::Number => write!(f, "{OPEN}number{CLOSE}"),
        }
    }
}

impl FromStr for Marker {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text.strip_prefix(OPEN).and_then(|rest| rest.strip_suffix(CLOSE)).ok_or(())? {
            "integer" => Ok(Self(Redacted::Integer)),
            "number" => Ok(Self(Redacted::Number)),
            other => {
                let length = other.strip_prefix("string ").ok_or(())?;
                length.parse().map(|length| Self(Redacted::String(length))).map_err(drop)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_with_markers_keeps_its_length() {
        let of = |text: &str| Redacted::of(text);
        assert_eq!(of("⟦redacted integer⟧"), Some(Redacted::Integer));
        assert_eq!(of("⟦redacted string 24⟧"), Some(Redacted::String(24)));
        assert_eq!(of("Bearer ⟦redacted string 24⟧"), Some(Redacted::String(31)));
        assert_eq!(of("é⟦redacted string 2⟧⟦redacted x⟦redacted string 3⟧!"), Some(Redacted::String(18)));
        for other in ["", "redacted", "a ⟦redacted integer⟧", "⟦redacted string x⟧ b", "⟦redacted "]
        {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn written_form_round_trips() {
        for redacted in [Redacted::String(24), Redacted::Integer, Redacted::Number] {
            assert_eq!(Marker(redacted).to_string().parse(), Ok(Marker(redacted)));
        }
        for other in ["", "⟦redacted ⟧", "⟦redacted string x⟧", "redacted"] {
            assert!(other.parse::<Marker>().is_err());
        }
    }
}
