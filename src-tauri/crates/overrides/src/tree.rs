//! The syntax tree of a file: parsing it, and reading values and places from it.

use schemascope_json::jsonc::{self, Node, ObjectProp, Ranged as _, Token, TokenAndRange, Tree};
use serde_json::{Map, Number, Value};

use crate::problem::Problem;

/// Splits off the byte order mark that some editors write at the beginning.
pub(crate) fn split_bom(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

/// Parses a text and passes its tree to `look`.
pub(crate) fn with_tree<T>(text: &str, look: impl FnOnce(&Tree<'_>) -> T) -> Result<T, Problem> {
    let tree = jsonc::parse(text).map_err(|error| Problem::Syntax {
        line: error.line,
        column: error.column,
        reason: error.reason,
    })?;
    Ok(look(&tree))
}

/// Number of the line at a byte offset, from 1.
pub(crate) fn line(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}

/// Converts a node to a value. Duplicate keys and numbers out of range are errors.
pub(crate) fn value(node: &Node<'_>, place: &str, text: &str) -> Result<Value, Problem> {
    Ok(match node {
        Node::NullKeyword(_) => Value::Null,
        Node::BooleanLit(literal) => Value::Bool(literal.value),
        Node::StringLit(literal) => Value::String(literal.value.to_string()),
        Node::NumberLit(literal) => {
            let wrong = || Problem::Type {
                line: line(text, node.start()),
                place: place.to_owned(),
                expected: "a number that JSON can represent",
            };
            Value::Number(literal.value.parse::<Number>().map_err(|_| wrong())?)
        }
        Node::Array(array) => Value::Array(
            array.elements.iter().map(|element| value(element, place, text)).collect::<Result<_, _>>()?,
        ),
        Node::Object(object) => {
            let mut map = Map::new();
            for property in &object.properties {
                let inner = format!("{place}.{}", name(property));
                let below = value(&property.value, &inner, text)?;
                if map.insert(name(property).to_owned(), below).is_some() {
                    return Err(Problem::Duplicate { line: line(text, property.start()), place: inner });
                }
            }
            Value::Object(map)
        }
    })
}

/// Key of a property.
pub(crate) fn name<'p>(property: &'p ObjectProp<'_>) -> &'p str {
    property.name.as_str()
}

/// Whether a token is a comment.
pub(crate) fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}
