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
    /// A user decided that only results since the change are learned from.
    LearnedAgain,
}

impl Change {
    /// Describes the change at a path such as `orders[].customer`; the empty path means the whole
    /// result.
    pub fn sentence(&self, path: &str) -> String {
        let named = |path: &str| match path {
            "" => "the result".to_owned(),
            path => format!("`{path}`"),
        };
        let at = named(path);
        match self {
            Self::Removed => format!("{at} was removed"),
            Self::Renamed { to } => format!("{at} is now `{to}`"),
            Self::Appeared => format!("{at} is new"),
            Self::BecameNull => format!("{at} is now mostly null"),
            Self::Retyped { from, to } => format!("{at} changed from {from} to {to}"),
            Self::Violated => {
                let (path, words) = broken_rule(path);
                format!("{} {words}", named(&path))
            }
        }
    }
}

/// Reads the place of a rule in a schema, a JSON pointer such as `/properties/orders/items/required`: the path of the
/// values that break it, and what is wrong with them.
pub fn broken_rule(pointer: &str) -> (String, String) {
    let mut path = String::new();
    let mut steps = pointer.split('/').skip(1).peekable();
    let mut rule = "";
    while let Some(step) = steps.next() {
        let is_last = steps.peek().is_none();
        match step {
            _ if is_last => rule = step,
            "properties" => {
                let name = steps.next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
                path += if path.is_empty() { "" } else { "." };
                path += &name;
            }
            "items" => path += "[]",
            "additionalProperties" => path += "{}",
            "prefixItems" => {
                path += "[]";
                steps.next();
            }
            "patternProperties" => {
                path += "{}";
                steps.next();
            }
            // The numbers and names of alternatives and definitions.
            "anyOf" | "oneOf" | "allOf" | "$defs" | "definitions" | "dependentSchemas" => drop(steps.next()),
            _ => {}
        }
    }
    let words = match rule {
        "type" => "has a type that the effective schema excludes",
        "enum" => "has a value that the effective schema does not list",
        "const" => "is no longer always the same",
        "required" => "lacks fields that the effective schema requires",
        "additionalProperties" => "has fields that the effective schema excludes",
        "format" | "pattern" => "no longer has the form that the effective schema describes",
        "minItems" | "maxItems" => "has a length that the effective schema excludes",
        "anyOf" | "oneOf" => "is none of the alternatives of the effective schema",
        "" => "does not fit the effective schema",
        other => return (path, format!("breaks `{other}` of the effective schema")),
    };
    (path, words.to_owned())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_rule_is_told_by_the_path_of_its_values() {
        let cases = [
            ("/required", "the result lacks fields that the effective schema requires"),
            ("/properties/customer/type", "`customer` has a type that the effective schema excludes"),
            (
                "/properties/flows/items/properties/created_at/const",
                "`flows[].created_at` is no longer always the same",
            ),
            ("/oneOf/1/properties/a~1b/enum", "`a/b` has a value that the effective schema does not list"),
            (
                "/properties/rates/additionalProperties/type",
                "`rates{}` has a type that the effective schema excludes",
            ),
            (
                "/properties/properties/additionalProperties",
                "`properties` has fields that the effective schema excludes",
            ),
            ("/$defs/items/properties/a/type", "`a` has a type that the effective schema excludes"),
            ("/properties/n/multipleOf", "`n` breaks `multipleOf` of the effective schema"),
            ("", "the result does not fit the effective schema"),
        ];
        for (pointer, sentence) in cases {
            assert_eq!(Change::Violated.sentence(pointer), sentence);
        }
    }
}
