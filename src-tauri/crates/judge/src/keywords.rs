//! Keywords of JSON Schema that contain schemas.
//!
//! Unknown keywords are assumed to contain schemas, because references may point there.

use serde_json::{Map, Value};

/// Keywords whose value is data.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];
/// Keywords whose value is an object of schemas by name.
const NAMED: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];
/// Keywords whose value refers to a schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// What the members of an object are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Keywords and their values.
    Schema,
    /// Names and schemas.
    Named,
}

impl Kind {
    /// Returns the kind of a member's value, or `None` if it is data.
    fn below(self, key: &str) -> Option<Self> {
        match self {
            Self::Named => Some(Self::Schema),
            Self::Schema if DATA.contains(&key) => None,
            Self::Schema if NAMED.contains(&key) => Some(Self::Named),
            Self::Schema => Some(Self::Schema),
        }
    }
}

/// Returns all schemas in a schema, itself included, in no particular order.
pub(crate) fn schemas(schema: &Value) -> Vec<(&Value, &Map<String, Value>)> {
    let mut found = Vec::new();
    let mut open = vec![(schema, Kind::Schema)];
    while let Some((value, kind)) = open.pop() {
        match value {
            Value::Object(map) => {
                if kind == Kind::Schema {
                    found.push((value, map));
                }
                let below = map.iter().filter_map(|(key, value)| Some((value, kind.below(key)?)));
                open.extend(below);
            }
            Value::Array(items) => open.extend(items.iter().map(|item| (item, Kind::Schema))),
            _ => {}
        }
    }
    found
}

/// Returns the references of a schema.
pub(crate) fn references(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    REFERENCES.iter().filter_map(|key| schema.get(*key)?.as_str())
}

/// Replaces every reference in a schema by the result of `change`; `None` keeps it. Schemas with an
/// `$id` are left out, because references in them are relative to that id.
pub fn change_references(schema: &mut Value, change: &impl Fn(&str) -> Option<String>) {
    walk(schema, Kind::Schema, true, change);
}

fn walk(value: &mut Value, kind: Kind, top: bool, change: &impl Fn(&str) -> Option<String>) {
    match value {
        Value::Object(map) => {
            if kind == Kind::Schema && !top && map.get("$id").is_some_and(Value::is_string) {
                return;
            }
            for (key, value) in map.iter_mut() {
                match value {
                    Value::String(text) if kind == Kind::Schema && REFERENCES.contains(&key.as_str()) => {
                        if let Some(changed) = change(text) {
                            *text = changed;
                        }
                    }
                    _ => {
                        if let Some(kind) = kind.below(key) {
                            walk(value, kind, false, change);
                        }
                    }
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, Kind::Schema, false, change)),
        _ => {}
    }
}
