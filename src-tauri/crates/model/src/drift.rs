//! Vocabulary of drift: what changed at a path, how much, and how it ended. The registry detects
//! the changes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// JSON type, as named in schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypeName {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// Any number, integer or not.
    Number,
    /// A string.
    String,
    /// An object.
    Object,
    /// An array.
    Array,
}

/// Change at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "change")]
pub enum Change {
    /// The field is no longer present.
    Removed,
    /// The field has another name.
    Renamed {
        /// New path of the field.
        to: String,
    },
    /// A field is new.
    Appeared,
    /// The field is now mostly null.
    BecameNull,
    /// The field has another type.
    Retyped {
        /// Most frequent type before the change.
        from: TypeName,
        /// Most frequent type since the change.
        to: TypeName,
    },
    /// Results break a rule of the effective schema that earlier results kept. The path is that of
    /// the rule.
    Violated,
}

/// Share of observations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Observations that are still as they were before the change.
    pub count: u32,
    /// All observations counted.
    pub of: u32,
}

/// How a drift ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Results are again as they were before the change.
    Returned,
    /// Another schema is effective: either one that accepts the changed results, or no longer the
    /// one they broke.
    OtherSchema,
}

impl Change {
    /// Describes the change at a path such as `orders[].customer`; the empty path means the whole
    /// result.
    pub fn sentence(&self, path: &str) -> String {
        let at = if path.is_empty() { "the result".to_owned() } else { format!("`{path}`") };
        match self {
            Self::Removed => format!("{at} was removed"),
            Self::Renamed { to } => format!("{at} is now `{to}`"),
            Self::Appeared => format!("{at} is new"),
            Self::BecameNull => format!("{at} is now mostly null"),
            Self::Retyped { from, to } => format!("{at} changed from {from} to {to}"),
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
