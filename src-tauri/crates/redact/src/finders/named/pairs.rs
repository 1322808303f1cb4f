//! Secrets whose name is itself a value: `{'name': 'api_key', 'value': 'x'}`, `- name: password` above `  value: x`.

use super::value::Notation;
use crate::chars::boundary;
use crate::edits::Span;

/// Bytes around a name in which the words of a pair are looked for.
const NEAR: usize = 40;
/// Longest value, in bytes.
const MAX_VALUE: usize = 400;

/// Finds the value that belongs to the name at `start..end`, if a word such as `name` stands before it.
pub(super) fn paired_value(text: &str, start: usize, end: usize) -> Option<(Span, Notation)> {
    let before = tail(text, start).trim_end_matches(['"', '\'', ' ']);
    let before = before.strip_suffix([':', '=']).map(|before| before.trim_end_matches(['"', '\'', ' ']))?;
    let is_named = ["name", "key", "field", "variable"].iter().any(|word| {
        before.strip_suffix(word).is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric()))
    });
    if !is_named {
        return None;
    }
    let rest = text.get(end..)?;
    let to_value = rest.trim_start_matches(['"', '\'', ',', ' ', '\t', '\r', '\n']);
    if rest.len() - to_value.len() > NEAR {
        return None;
    }
    let behind = ["value", "content"].iter().find_map(|word| to_value.strip_prefix(word))?;
    let behind =
        behind.trim_start_matches(['"', '\'']).trim_start().strip_prefix([':', '='])?.trim_start_matches(' ');
    let quote = behind.chars().next().filter(|c| matches!(c, '"' | '\''));
    let value = quote.map_or(behind, |quote| behind.strip_prefix(quote).unwrap_or(behind));
    let is_end = |c: char| match quote {
        Some(quote) => c == quote || c == '\n',
        None => matches!(c, '\n' | '\r' | ',' | '}' | ';'),
    };
    let length = value.find(is_end).unwrap_or(value.len());
    let at = text.len() - value.len();
    (length <= MAX_VALUE).then(|| (at..at + value[..length].trim_end().len(), Notation::QUOTED))
}

/// The last bytes before a place.
fn tail(text: &str, at: usize) -> &str {
    text.get(boundary(text, at.saturating_sub(NEAR))..at).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_values_have_one() {
        let value = |text: &str| {
            let start = text.find("api_key")?;
            paired_value(text, start, start + 7).map(|(span, _)| text[span].to_owned())
        };
        for text in [
            "{'name': 'api_key', 'value': 'a1b2c3d4'}",
            "- name: api_key\n  value: a1b2c3d4\n",
            "key=api_key, value=a1b2c3d4; next=1",
            "[{\"field\":\"api_key\",\"content\":\"a1b2c3d4",
        ] {
            assert_eq!(value(text).as_deref(), Some("a1b2c3d4"), "{text}");
        }
        for text in ["the name api_key has a value: x", "hostname: api_key\nport: 7", "surname=api_key value"]
        {
            assert_eq!(value(text), None, "{text}");
        }
    }
}
