//! A file of overrides: its text and the overrides in it.
//!
//! The text is JSON with comments and trailing commas, as editors write such files.

use crate::entry::Overrides;
use crate::problem::Problem;
use crate::read;
use crate::tree::{split_bom, with_tree};

/// A file that was parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    text: String,
    overrides: Overrides,
    problems: Vec<Problem>,
}

impl Document {
    /// Parses a text. Returns an error with its place if the text cannot be used as a whole.
    pub fn parse(text: String) -> Result<Self, Problem> {
        let (_, body) = split_bom(&text);
        let (overrides, problems) = with_tree(body, |tree| read::overrides(tree, body))??;
        Ok(Self { text, overrides, problems })
    }

    /// Text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Overrides in the file.
    pub fn overrides(&self) -> &Overrides {
        &self.overrides
    }

    /// Parts of the file that are ignored because they cannot be used.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}
