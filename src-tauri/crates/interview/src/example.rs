//! Annotations of examples and answers: `{"val": EXAMPLE, "comment": TEXT}` at any depth.

use serde_json::{Map, Value};

use crate::limits::MAX_DEPTH;

/// Longest value that a comment or an example names as a choice, in characters.
const MAX_CHOICE_CHARS: usize = 80;
/// Choices that a comment or an example may name.
const MAX_CHOICES: usize = 30;

/// Returns whether an object only annotates another value.
fn is_annotation(members: &Map<String, Value>) -> bool {
    let has_part = members.contains_key("val") || members.contains_key("comment");
    has_part && members.keys().all(|key| key == "val" || key == "comment" || key == "invented")
}

/// Separates a value from its annotation: the value, if the annotation has one, and the comment.
pub(crate) fn annotated(value: &Value) -> (Option<&Value>, Option<&str>) {
    let mut value = value;
    let mut comment = None;
    for _ in 0..MAX_DEPTH {
        let Value::Object(members) = value else { return (Some(value), comment) };
        let own = members.get("comment").and_then(Value::as_str);
        comment = comment.or(own);
        if !is_annotation(members) {
            return (Some(value), comment);
        }
        match members.get("val") {
            Some(inner) => value = inner,
            None => return (None, comment),
        }
    }
    (None, comment)
}

/// Returns an example without annotations. A field that has only a comment becomes null.
pub(crate) fn plain(example: &Value, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    match annotated(example).0 {
        None => Value::Null,
        Some(Value::Object(members)) => {
            let mut plain_members = Map::new();
            for (key, member) in members {
                if key != "comment" {
                    plain_members.insert(key.clone(), plain(member, depth + 1));
                }
            }
            Value::Object(plain_members)
        }
        Some(Value::Array(items)) => items.iter().map(|item| plain(item, depth + 1)).collect(),
        Some(other) => other.clone(),
    }
}

/// Values that a comment names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Choices {
    /// The values.
    pub(crate) values: Vec<String>,
    /// Whether no other value is allowed.
    pub(crate) is_closed: bool,
}

/// Reads the values that a comment (`One of: A, B.`, `Any of: A, B.`) or an example (`A | B`) names.
pub(crate) fn choices(comment: Option<&str>, example: Option<&Value>) -> Choices {
    let comment = comment.unwrap_or_default();
    let lower = comment.to_ascii_lowercase();
    for (words, is_closed) in [("one of:", true), ("any of:", false)] {
        let Some(at) = lower.find(words) else { continue };
        let named = comment.get(at + words.len()..).unwrap_or_default();
        let values = split_choices(first_sentence(named), &[',', ';']);
        if values.len() >= 2 {
            return Choices { values, is_closed };
        }
    }
    if let Some(Value::String(text)) = example
        && text.contains('|')
    {
        let values = split_choices(text, &['|']);
        if values.len() >= 2 {
            return Choices { values, is_closed: true };
        }
    }
    Choices::default()
}

/// Returns a text up to the first full stop that ends a sentence, or the end of the line.
fn first_sentence(text: &str) -> &str {
    let line = text.trim_start().lines().next().unwrap_or_default();
    let end = line.find(". ").unwrap_or(line.len());
    line.get(..end).unwrap_or_default().trim_end().trim_end_matches('.')
}

/// Splits a list of choices. Returns no choice at all if one of them is too long to be one.
fn split_choices(text: &str, separators: &[char]) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for part in without_parentheses(text).split(separators) {
        let part = part.trim();
        let part = part.strip_prefix("or ").or_else(|| part.strip_prefix("and ")).unwrap_or(part);
        let part = part.trim().trim_matches(['"', '\'', '`', '“', '”']).trim();
        if part.chars().count() > MAX_CHOICE_CHARS {
            return Vec::new();
        }
        let is_remark = part.starts_with("empty") || part.starts_with("nothing");
        if !part.is_empty() && !is_remark && !values.iter().any(|value| value == part) {
            values.push(part.to_owned());
        }
    }
    if values.len() > MAX_CHOICES { Vec::new() } else { values }
}

fn without_parentheses(text: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::new();
    for character in text.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(character),
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_example_has_no_annotations_at_any_depth() {
        let example = json!({
            "a": {"val": [{"b-id": {"val": "x", "comment": "id"}, "n": {"val": {"val": 3}}}], "comment": "list"},
            "c": {"comment": "only"},
            "d": {"comment": "of the object", "e": true},
        });
        assert_eq!(plain(&example, 0), json!({"a": [{"b-id": "x", "n": 3}], "c": null, "d": {"e": true}}));
        assert_eq!(plain(&json!({"comment": "x"}), 0), Value::Null);
    }

    #[test]
    fn choices_come_from_comment_or_example() {
        let named =
            choices(Some("What kind? One of: human, place (a room, a hall), or equipment. Ask."), None);
        assert_eq!(named.values, ["human", "place", "equipment"]);
        assert!(named.is_closed);
        let named = choices(Some("Any of: must, should, or empty if it need not."), None);
        assert_eq!((named.values.len(), named.is_closed), (2, false));
        assert_eq!(choices(None, Some(&json!("small|large"))).values, ["small", "large"]);
        assert!(choices(Some("One of: the kinds that you know well, see above"), None).values.len() < 3);
        assert!(choices(Some("How long does it take?"), Some(&json!("2 h"))).values.is_empty());
    }
}
