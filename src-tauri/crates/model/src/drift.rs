//! The words for drift: what changed at a path, how much, and how it ended.
//!
//! Owns: the words. Refuses to know: how change is found (see `registry`).

use std::fmt;

use serde::{Deserialize, Serialize};

/// A type of JSON, as schemas name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypeName {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// Whole or not.
    Number,
    /// Text.
    String,
    /// An object.
    Object,
    /// An array.
    Array,
}

/// What changed at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "change")]
pub enum Change {
    /// The field is there no more.
    Removed,
    /// The field is there under another name.
    Renamed {
        /// Its new path.
        to: String,
    },
    /// There is a new field.
    Appeared,
    /// It is null now, mostly.
    BecameNull,
    /// It has another type.
    Retyped {
        /// The type it mostly had.
        from: TypeName,
        /// The type it mostly has.
        to: TypeName,
    },
    /// Results break a rule of the effective schema that they kept; the path is the rule.
    Violated,
}

/// So many of so many observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Those that are as they were before the change.
    pub count: u32,
    /// All that were looked at.
    pub of: u32,
}

/// How a drift ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The tool's results are again as they were before it.
    Returned,
    /// A schema came into effect that takes results as they are now, or the one that was broken is not in effect
    /// any more.
    OtherSchema,
}

impl Change {
    /// In words, of a path such as `orders[].customer`; empty for the whole result.
    pub fn sentence(&self, path: &str) -> String {
        let at = if path.is_empty() { "the result".to_owned() } else { format!("`{path}`") };
        match self {
            Self::Removed => format!("{at} is gone"),
            Self::Renamed { to } => format!("{at} is now `{to}`"),
            Self::Appeared => format!("{at} is new"),
            Self::BecameNull => format!("{at} is mostly null now"),
            Self::Retyped { from, to } => format!("{at} was {from} and is {to} now"),
            Self::Violated => format!("results break {at} of the effective schema"),
        }
    }
}

impl fmt::Display for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Object => "an object",
            Self::Array => "an array",
        })
    }
}
