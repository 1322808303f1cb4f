//! What stands in place of a redacted value.
//!
//! A marker is a string that tells the type, and for strings the length, of the value it replaces, so
//! that shapes stay exact without keeping the value. Owns: its written form. Refuses to know: what is
//! redacted and why.

use std::fmt;
use std::str::FromStr;

const OPEN: &str = "⟦redacted ";
const CLOSE: char = '⟧';

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
    fn written_form_round_trips() {
        for redacted in [Redacted::String(24), Redacted::Integer, Redacted::Number] {
            assert_eq!(Marker(redacted).to_string().parse(), Ok(Marker(redacted)));
        }
        for other in ["", "⟦redacted ⟧", "⟦redacted string x⟧", "redacted"] {
            assert!(other.parse::<Marker>().is_err());
        }
    }
}
