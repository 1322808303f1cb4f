//! JSON with comments and trailing commas, as editors write it.
//!
//! The tree keeps the place of everything in the text, so that files people wrote can be edited in few places. Its
//! types are those of `jsonc-parser`.

use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

pub use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
pub use jsonc_parser::common::Ranged;
pub use jsonc_parser::tokens::{Token, TokenAndRange};

/// A parsed text.
pub struct Tree<'t> {
    /// The value; `None` where the text has nothing but comments.
    pub root: Option<Node<'t>>,
    /// Comments and punctuation, in order.
    pub tokens: Vec<TokenAndRange<'t>>,
}

/// Syntax error in a text, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// Reason as the parser gives it.
    pub reason: String,
    /// Reason and place in one sentence.
    pub sentence: String,
}

impl From<ParseError> for SyntaxError {
    fn from(error: ParseError) -> Self {
        Self {
            line: error.line_display(),
            column: error.column_display(),
            reason: error.kind().to_string(),
            sentence: error.to_string(),
        }
    }
}

/// Comments and trailing commas are allowed; other extensions are not.
const OPTIONS: ParseOptions = ParseOptions {
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

/// Parses a text.
pub fn parse(text: &str) -> Result<Tree<'_>, SyntaxError> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let parsed = parse_to_ast(text, &collect, &OPTIONS)?;
    Ok(Tree { root: parsed.value, tokens: parsed.tokens.unwrap_or_default() })
}
