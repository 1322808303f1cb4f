//! From a shape to a JSON Schema (draft 2020-12).
//!
//! Owns: which count leads to which keyword. Refuses to know: where a shape comes from. The schema
//! accepts every document the shape was made from.

use serde_json::{Map, Value, json};

use crate::node::{Node, Shape, Type};

/// The thresholds of emission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Parent objects that must have been seen before a field that was always there is `required`.
    pub required_after: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self { required_after: 8 }
    }
}

impl Shape {
    /// The schema of what was seen. A shape of nothing gives the schema that accepts everything.
    pub fn schema(&self, policy: &Policy) -> Value {
        let mut schema = Map::new();
        schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        schema.append(&mut emit(&self.root, policy));
        Value::Object(schema)
    }
}

fn emit(node: &Node, policy: &Policy) -> Map<String, Value> {
    if node.count(Type::Opaque) > 0 || node.total() == 0 {
        return Map::new();
    }
    let mut variants = variants(node);
    let nullable = node.count(Type::Null) > 0;
    if variants.len() <= 1 {
        return variant(node, variants.pop(), nullable, policy);
    }
    let mut any_of: Vec<Value> =
        variants.into_iter().map(|kind| Value::Object(variant(node, Some(kind), false, policy))).collect();
    if nullable {
        any_of.push(json!({"type": "null"}));
    }
    Map::from_iter([("anyOf".to_owned(), Value::Array(any_of))])
}

/// The schema of the values of one type; of none for null alone.
fn variant(node: &Node, kind: Option<Type>, nullable: bool, policy: &Policy) -> Map<String, Value> {
    let mut schema = Map::from_iter([("type".to_owned(), type_keyword(kind, nullable))]);
    if let Some(kind) = kind {
        schema.append(&mut keywords(node, kind, policy));
    }
    schema
}

/// The types a schema must tell apart: all that were seen but null, and integers only where no
/// other number was seen.
fn variants(node: &Node) -> Vec<Type> {
    let seen = |kind: Type| node.count(kind) > 0;
    Type::ALL
        .into_iter()
        .filter(|kind| match kind {
            Type::Null | Type::Opaque => false,
            Type::Integer => seen(Type::Integer) && !seen(Type::Number),
            other => seen(*other),
        })
        .collect()
}

fn type_keyword(kind: Option<Type>, nullable: bool) -> Value {
    match (kind, nullable) {
        (Some(kind), true) => json!([kind.name(), "null"]),
        (Some(kind), false) => kind.name().into(),
        (None, _) => "null".into(),
    }
}

fn keywords(node: &Node, kind: Type, policy: &Policy) -> Map<String, Value> {
    match kind {
        Type::Object if node.is_map() => {
            let values = emit(&node.map_values(), policy);
            Map::from_iter([("additionalProperties".to_owned(), Value::Object(values))])
        }
        Type::Object => record(node, policy),
        Type::String => {
            let format = node.format().map(|format| ("format".to_owned(), format.name().into()));
            format.into_iter().collect()
        }
        Type::Array => {
            let items = node.items.as_deref().map(|items| Value::Object(emit(items, policy)));
            items.map(|items| ("items".to_owned(), items)).into_iter().collect()
        }
        _ => Map::new(),
    }
}

fn record(node: &Node, policy: &Policy) -> Map<String, Value> {
    let objects = node.count(Type::Object);
    let properties: Map<String, Value> =
        node.fields.iter().map(|(key, field)| (key.to_string(), emit(field, policy).into())).collect();
    let required: Vec<Value> = node
        .fields
        .iter()
        .filter(|(_, field)| objects >= policy.required_after && field.present == objects)
        .map(|(key, _)| key.to_string().into())
        .collect();
    let mut schema = Map::new();
    if !properties.is_empty() {
        schema.insert("properties".into(), properties.into());
    }
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema
}
