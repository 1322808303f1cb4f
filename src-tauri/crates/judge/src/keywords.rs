//! Which keywords of a schema hold schemas.
//!
//! Owns: the way from a schema to those inside it. Refuses to know: what any of them says. Keywords nobody knows
//! are taken to hold schemas: references may lead there.

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
    /// Keywords with their values.
    Schema,
    /// Schemas by name.
    Named,
}

impl Kind {
    /// What a member's value is; none where it is data.
    fn below(self, key: &str) -> Option<Self> {
        match self {
            Self::Named => Some(Self::Schema),
            Self::Schema if DATA.contains(&key) => None,
            Self::Schema if NAMED.contains(&key) => Some(Self::Named),
            Self::Schema => Some(Self::Schema),
        }
    }
}

/// All schemas in a schema, itself included, in no order.
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

/// What a schema refers to.
pub(crate) fn references(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    REFERENCES.iter().filter_map(|key| schema.get(*key)?.as_str())
}

/// Changes every reference in a schema to what `change` makes of it; none leaves it. Not inside schemas that are
/// resources of their own: theirs start there.
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
