//! What stands in place of a redacted value.
//!
//! A marker is a string that tells the type, and for strings the length, of the value it replaces, so
//! that shapes stay exact without keeping the value. In a text markers stand for its secret parts only.
//! Owns: its written form. Refuses to know: what is redacted and why.

use std::fmt;
use std::str::FromStr;

const OPEN: &str = "⟦redacted ";
const CLOSE: char = '⟧';
/// Characters of a marker, at most.
const LONGEST: usize = 40;

/// The kind of value that was replaced. Null and booleans are never secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redacted {
    /// A string of so many characters.
    String(usize),
    /// A number written without fraction or exponent that fits 64 bits.
    Integer,
    /// Any other number.
    Number,
}

impl Redacted {
    /// What a string stands for: a value, if it is a marker; if it holds markers, the text that was there
    /// before with its own length. None if it is as it was.
    pub fn of(text: &str) -> Option<Self> {
        // Asked of every string there is, of which most have no such byte.
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
            // Not further than a marker goes.
            let close = rest.char_indices().take(LONGEST).find(|&(_, c)| c == CLOSE);
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

/// The string in place of a redacted value: `⟦redacted string 24⟧`, `⟦redacted integer⟧`.
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
    fn texts_with_markers_keep_their_length() {
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
