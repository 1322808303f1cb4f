//! The text of a file, and what it says.
//!
//! Reads JSON with comments and trailing commas, as editors write such files. Owns: the tree with its places in the
//! text. Refuses to know: overrides.

use jsonc_parser::ast::{ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::{Map, Number, Value};

use crate::entry::Overrides;
use crate::problem::Problem;
use crate::read;

/// A file's text that can be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    text: String,
    says: Overrides,
    problems: Vec<Problem>,
}

impl Document {
    /// Reads a text. One that cannot be used as a whole is refused with the place where it is wrong.
    pub fn parse(text: String) -> Result<Self, Problem> {
        let (_, body) = split(&text);
        let (says, problems) = with_tree(body, |tree| read::overrides(tree, body))??;
        Ok(Self { text, says, problems })
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it says.
    pub fn says(&self) -> &Overrides {
        &self.says
    }

    /// What in it cannot be used; the rest is.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

/// The mark of byte order some editors put first, and the text behind it.
pub(crate) fn split(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

/// A tree with the tokens of its text.
pub(crate) struct Tree<'t> {
    /// None where there is nothing but comments.
    pub(crate) root: Option<Node<'t>>,
    /// Comments and punctuation, in order.
    pub(crate) tokens: Vec<TokenAndRange<'t>>,
}

/// Parses a text and has somebody look at the tree.
pub(crate) fn with_tree<T>(text: &str, look: impl FnOnce(&Tree<'_>) -> T) -> Result<T, Problem> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &collect, &options).map_err(|error| Problem::Syntax {
        line: error.line_display(),
        column: error.column_display(),
        reason: error.kind().to_string(),
    })?;
    Ok(look(&Tree { root: parsed.value, tokens: parsed.tokens.unwrap_or_default() }))
}

/// The line of a place in a text, from 1.
pub(crate) fn line(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}

/// A node as a value. Keys that stand twice are refused, and numbers nobody can hold.
pub(crate) fn value(node: &Node<'_>, place: &str, text: &str) -> Result<Value, Problem> {
    Ok(match node {
        Node::NullKeyword(_) => Value::Null,
        Node::BooleanLit(literal) => Value::Bool(literal.value),
        Node::StringLit(literal) => Value::String(literal.value.to_string()),
        Node::NumberLit(literal) => {
            let wrong = || Problem::Type {
                line: line(text, node.start()),
                place: place.to_owned(),
                expected: "a number that can be held",
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
                    return Err(Problem::Twice { line: line(text, property.start()), place: inner });
                }
            }
            Value::Object(map)
        }
    })
}

/// A property's key.
pub(crate) fn name<'p>(property: &'p ObjectProp<'_>) -> &'p str {
    property.name.as_str()
}

/// Whether a token is a comment.
pub(crate) fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}
