//! The fields of a schema: every place where a value can be given or taken, at any depth.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::path::{self, Step};
use crate::words;

/// Number of fields that are read of one schema.
const MAX_FIELDS: usize = 10_000;
/// Depth at which a schema is no longer followed.
const MAX_DEPTH: usize = 24;

/// Types that a field may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const TEXT: Self = Self(1);
    pub(crate) const NUMBER: Self = Self(2);
    const BOOLEAN: Self = Self(4);

    fn of(name: &str) -> Self {
        match name {
            "string" => Self::TEXT,
            "integer" | "number" => Self::NUMBER,
            "boolean" => Self::BOOLEAN,
            _ => Self(0),
        }
    }

    /// Whether some value can have both types as it is. An unknown type fits everything.
    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 == 0 || other.0 == 0 || self.0 & other.0 != 0
    }

    /// Whether it can only be true or false.
    pub(crate) fn is_boolean(self) -> bool {
        self == Self::BOOLEAN
    }
}

/// One field.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) path: String,
    pub(crate) types: Types,
    pub(crate) format: Option<String>,
    /// Whether the schema lists its values.
    pub(crate) listed: bool,
    /// Whether every valid value of the schema has it.
    pub(crate) required: bool,
    /// Whether it is in a list or map, so that one result has several.
    pub(crate) many: bool,
    /// Whether it is the keys of a map.
    pub(crate) key: bool,
    /// Whether it is the items of a tuple, each of which means something else.
    pub(crate) tuple: bool,
    /// Whether it is a number under a plural, as in `open_tickets`: a count.
    pub(crate) counts: bool,
    /// Stems of its own name.
    pub(crate) leaf: Vec<String>,
    /// Stems of the name of what contains it.
    pub(crate) container: Vec<String>,
}

struct Walk<'a> {
    root: &'a Value,
    fields: Vec<Field>,
    left: usize,
}

/// Lists the fields of a schema, in the order of their paths.
pub(crate) fn fields(schema: &Value) -> Vec<Field> {
    let mut walk = Walk { root: schema, fields: Vec::new(), left: 4 * MAX_FIELDS };
    walk.node(schema, "", true, 0, &mut Vec::new());
    walk.fields.sort_by(|a, b| a.path.cmp(&b.path));
    walk.fields.dedup_by(|second, first| {
        let same = second.path == first.path;
        if same {
            first.types = Types(first.types.0 | second.types.0);
            first.required &= second.required;
            first.tuple |= second.tuple;
        }
        same
    });
    walk.fields
}

/// Makes a field that no schema describes, from its path alone.
pub(crate) fn bare(path: &str) -> Field {
    let steps = path::steps(path);
    let names: Vec<&str> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Name(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    let key = steps.last() == Some(&Step::Key);
    let named =
        |at: usize| names.len().checked_sub(at).and_then(|at| names.get(at)).copied().unwrap_or_default();
    let (leaf, container) = if key { ("", named(1)) } else { (named(1), named(2)) };
    Field {
        path: path.to_owned(),
        types: if path.is_empty() || key { Types::TEXT } else { Types(0) },
        format: None,
        listed: false,
        required: true,
        many: steps.iter().any(|step| !matches!(step, Step::Name(_))),
        key,
        tuple: false,
        counts: false,
        leaf: words::split(leaf),
        container: words::split(container),
    }
}

impl Walk<'_> {
    fn node(&mut self, schema: &Value, path: &str, required: bool, depth: usize, refs: &mut Vec<String>) {
        let is_too_long = path.len() > path::MAX_PATH;
        if depth > MAX_DEPTH || is_too_long || self.fields.len() >= MAX_FIELDS || self.left == 0 {
            return;
        }
        self.left -= 1;
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            if !refs.iter().any(|open| open == target)
                && let Some(found) = target.strip_prefix('#').and_then(|at| self.root.pointer(at))
            {
                refs.push(target.to_owned());
                self.node(found, path, required, depth + 1, refs);
                refs.pop();
            }
            return;
        }
        for (member, all) in [("allOf", true), ("anyOf", false), ("oneOf", false)] {
            for part in schema.get(member).and_then(Value::as_array).into_iter().flatten() {
                self.node(part, path, required && all, depth + 1, refs);
            }
        }
        let needed: BTreeSet<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        for (key, own) in members.filter(|(key, _)| key.len() <= path::MAX_NAME) {
            let own_required = required && needed.contains(key.as_str());
            self.node(own, &path::name(path, key), own_required, depth + 1, refs);
        }
        // Paths have no positions, so that the items of a tuple are those of a list.
        let tuple = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let items = schema.get("items").filter(|items| items.is_object());
        let (before, item_path) = (self.fields.len(), format!("{path}[]"));
        for item in tuple.iter().chain(items) {
            self.node(item, &item_path, required, depth + 1, refs);
        }
        if tuple.len() > 1 {
            let own = self.fields.iter_mut().skip(before).filter(|field| field.path == item_path);
            own.for_each(|field| field.tuple = true);
        }
        if let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object())
            && schema.get("properties").and_then(Value::as_object).is_none_or(serde_json::Map::is_empty)
        {
            self.fields.push(bare(&format!("{path}{{key}}")));
            self.node(values, &format!("{path}{{}}"), required, depth + 1, refs);
        }
        self.leaf(schema, path, required);
    }

    fn leaf(&mut self, schema: &Value, path: &str, required: bool) {
        let mut types = Types::default();
        let inner;
        match schema.get("type") {
            Some(Value::String(name)) => {
                types = Types::of(name);
                inner = matches!(name.as_str(), "object" | "array" | "null");
            }
            Some(Value::Array(names)) => {
                for name in names.iter().filter_map(Value::as_str) {
                    types = Types(types.0 | Types::of(name).0);
                }
                inner = types.0 == 0;
            }
            _ => {
                inner =
                    ["properties", "prefixItems", "items", "additionalProperties", "anyOf", "oneOf", "allOf"]
                        .iter()
                        .any(|member| schema.get(member).is_some());
            }
        }
        if inner {
            return;
        }
        let mut field = bare(path);
        field.types = types;
        let plural =
            path.ends_with('s') && !path.ends_with("ss") && !path.ends_with("us") && !path.ends_with("is");
        field.counts = types == Types::NUMBER && plural;
        field.format = schema.get("format").and_then(Value::as_str).map(str::to_owned);
        field.listed = schema.get("enum").is_some() || schema.get("const").is_some();
        field.required = required;
        self.fields.push(field);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_of_nested_lists_and_maps_are_found() {
        let schema = json!({"type": "object", "required": ["orders"], "properties": {
            "orders": {"type": "array", "items": {"type": "object", "required": ["id"], "properties": {
                "id": {"type": "integer"}, "note": {"type": ["string", "null"]}}}},
            "by": {"type": "object", "additionalProperties": {"type": "number"}}}});
        let found: Vec<(String, bool)> =
            fields(&schema).into_iter().map(|field| (field.path, field.required)).collect();
        let expected = [("by{key}", true), ("by{}", false), ("orders[].id", true), ("orders[].note", false)];
        assert_eq!(found, expected.map(|(path, required)| (path.to_owned(), required)));
    }

    /// Fields of tuples were unknown, so that edges from them were lost once a tuple was learned.
    #[test]
    fn items_of_tuples_are_found() {
        let schema = json!({"properties": {"beds": {"type": "array", "items": {"type": "array", "items": false,
            "prefixItems": [{"type": "integer"}, {"type": "string"}, {"properties": {"id": {"type": "string"}}}]}}}});
        let found = fields(&schema);
        let paths: Vec<&str> = found.iter().map(|field| field.path.as_str()).collect();
        assert_eq!(paths, ["beds[][]", "beds[][].id"]);
        assert!(found[0].tuple && !found[1].tuple);
        assert!(found[0].types.meets(Types::TEXT) && found[0].types.meets(Types::NUMBER));
    }

    #[test]
    fn fields_under_long_keys_are_left_out() {
        let inner: serde_json::Map<String, Value> = (0..100).map(|n| (format!("f{n}"), json!({}))).collect();
        let mut schema = json!({"properties": inner});
        for _ in 0..3 {
            schema = json!({"properties": {"id": {}, ("k".repeat(250)): schema}});
        }
        let schema = json!({"properties": {"id": {}, "a": schema, ("k".repeat(300)): schema}});
        let found: Vec<String> = fields(&schema).into_iter().map(|field| field.path).collect();
        assert!(found.iter().all(|path| path.len() <= path::MAX_PATH), "{found:?}");
        assert_eq!(found.iter().filter(|path| path.ends_with("id")).count(), 4, "{found:?}");
    }

    #[test]
    fn fields_of_a_cycle_of_references_end() {
        let schema = json!({"$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}, "v": {"type": "string"}}}}, "$ref": "#/$defs/n"});
        let found = fields(&schema);
        assert!(found.iter().any(|field| field.path == "v"));
        assert!(found.len() < 10);
    }
}
