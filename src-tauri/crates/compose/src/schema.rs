//! The fields of a schema: every place where a value can be given or taken, at any depth.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

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
    /// An object or a list as a whole.
    const COMPOSED: Self = Self(8);

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
    /// Paths at which a value may have anything in it.
    free: Vec<String>,
    left: usize,
    /// Whether everything required is a field, also if nothing is known to be in it.
    is_input: bool,
}

/// Lists the fields of results with a schema, in the order of their paths.
pub(crate) fn outputs(schema: &Value) -> Vec<Field> {
    fields(schema, false)
}

/// Lists the fields of arguments with a schema, in the order of their paths.
pub(crate) fn inputs(schema: &Value) -> Vec<Field> {
    fields(schema, true)
}

/// Lists the paths at which a schema allows anything, and those that it describes further than it is followed.
pub(crate) fn free(schema: &Value) -> Vec<String> {
    let mut free = walk(schema, true).free;
    free.sort_unstable();
    free.dedup();
    free
}

fn walk(schema: &Value, is_input: bool) -> Walk<'_> {
    let (fields, free) = (Vec::new(), Vec::new());
    let mut walk = Walk { root: schema, fields, free, left: 4 * MAX_FIELDS, is_input };
    walk.node(schema, "", true, &BTreeSet::new(), 0, &mut Vec::new());
    walk
}

fn fields(schema: &Value, is_input: bool) -> Vec<Field> {
    let mut walk = walk(schema, is_input);
    walk.fields.sort_by(|a, b| a.path.cmp(&b.path));
    walk.fields.dedup_by(|second, first| {
        let same = second.path == first.path;
        if same {
            first.types = Types(first.types.0 | second.types.0);
            first.required |= second.required;
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

impl<'a> Walk<'a> {
    /// Lists what a value at `path` has. `needed` are names of members that it has to have, whatever this schema says.
    fn node(
        &mut self,
        schema: &'a Value,
        path: &str,
        required: bool,
        needed: &BTreeSet<&'a str>,
        depth: usize,
        refs: &mut Vec<&'a str>,
    ) {
        let is_too_long = path.len() > path::MAX_PATH;
        if depth > MAX_DEPTH || is_too_long || self.fields.len() >= MAX_FIELDS || self.left == 0 {
            self.allows_anything(path);
            return;
        }
        self.left -= 1;
        if is_free(schema) {
            self.allows_anything(path);
        }
        let parts = schema.get("allOf").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        // Mostly there is nothing to add.
        let mut needed = Cow::Borrowed(needed);
        for part in parts.iter().chain([schema]) {
            let names = part.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            if !names.is_empty() {
                needed.to_mut().extend(names.iter().filter_map(Value::as_str).take(MAX_FIELDS));
            }
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            match self.target(reference).filter(|_| !refs.contains(&reference)) {
                Some(found) => {
                    refs.push(reference);
                    self.node(found, path, required, &needed, depth + 1, refs);
                    refs.pop();
                }
                None => self.allows_anything(path),
            }
        }
        for part in parts {
            self.node(part, path, required, &needed, depth + 1, refs);
        }
        for member in ["anyOf", "oneOf"] {
            let parts = schema.get(member).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            self.alternatives(parts, path, required, &needed, depth + 1, refs);
        }
        let members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        for (key, own) in members.filter(|(key, _)| key.len() <= path::MAX_NAME) {
            let own_required = required && needed.contains(key.as_str());
            let (before, path) = (self.fields.len(), path::name(path, key));
            self.node(own, &path, own_required, &BTreeSet::new(), depth + 1, refs);
            let is_empty = self.fields.get(before..).is_none_or(|own| own.iter().all(|field| field.key));
            if self.is_input && own_required && is_empty {
                self.whole(own, path);
            }
        }
        // Paths have no positions, so that the items of a tuple are those of a list.
        let tuple = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let items = schema.get("items").filter(|items| items.is_object());
        let (before, item_path) = (self.fields.len(), format!("{path}[]"));
        for item in tuple.iter().chain(items) {
            self.node(item, &item_path, required, &BTreeSet::new(), depth + 1, refs);
        }
        if tuple.is_empty()
            && is_list(schema)
            && items.is_none()
            && schema.get("items") != Some(&Value::Bool(false))
        {
            self.allows_anything(&item_path);
        }
        if tuple.len() > 1 {
            let own = self.fields.iter_mut().skip(before).filter(|field| field.path == item_path);
            own.for_each(|field| field.tuple = true);
        }
        if let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object())
            && schema.get("properties").and_then(Value::as_object).is_none_or(serde_json::Map::is_empty)
        {
            self.fields.push(bare(&format!("{path}{{key}}")));
            self.node(values, &format!("{path}{{}}"), required, &BTreeSet::new(), depth + 1, refs);
        }
        self.leaf(schema, path, required);
    }

    /// Notes that a value may have anything in it.
    fn allows_anything(&mut self, path: &str) {
        if self.is_input && self.free.len() < MAX_FIELDS && path.len() <= path::MAX_PATH {
            self.free.push(path.to_owned());
        }
    }

    /// What a reference in the same document means.
    fn target(&self, reference: &str) -> Option<&'a Value> {
        let pointer = reference.strip_prefix('#')?;
        let pointer = percent_encoding::percent_decode_str(pointer).decode_utf8().ok()?;
        self.root.pointer(&pointer)
    }

    /// Schemas of which one holds: what is in a value is required if each of them requires it.
    fn alternatives(
        &mut self,
        parts: &'a [Value],
        path: &str,
        required: bool,
        needed: &BTreeSet<&'a str>,
        depth: usize,
        refs: &mut Vec<&'a str>,
    ) {
        let first = self.fields.len();
        let mut requiring: BTreeMap<String, usize> = BTreeMap::new();
        for part in parts {
            let before = self.fields.len();
            self.node(part, path, required, needed, depth, refs);
            let own = self.fields.iter().skip(before).filter(|field| field.required);
            let own: BTreeSet<&str> = own.map(|field| &*field.path).collect();
            for path in own {
                *requiring.entry(path.to_owned()).or_default() += 1;
            }
        }
        // The value itself is there whichever of them holds.
        let inner = self.fields.iter_mut().skip(first).filter(|field| field.path != path);
        for field in inner {
            field.required &= requiring.get(&field.path) == Some(&parts.len());
        }
    }

    /// Something required in which nothing is: a free object, a list of anything, or what cannot be followed.
    fn whole(&mut self, mut schema: &'a Value, path: String) {
        for _ in 0..MAX_DEPTH {
            let reference = schema.get("$ref").and_then(Value::as_str);
            let Some(target) = reference.and_then(|reference| self.target(reference)) else { break };
            schema = target;
        }
        let (path, types) = match (is_list(schema), is_of(schema, "object")) {
            (true, _) if schema.get("items").is_none_or(Value::is_boolean) => (format!("{path}[]"), Types(0)),
            (true, _) => (format!("{path}[]"), Types::COMPOSED),
            (false, true) => (format!("{path}{{}}"), Types(0)),
            (false, false) => (path, Types(0)),
        };
        if self.fields.len() < MAX_FIELDS && path.len() <= path::MAX_PATH {
            self.fields.push(Field { types, ..bare(&path) });
        }
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
                let reference = schema.get("$ref").and_then(Value::as_str);
                let is_followed = reference.is_some_and(|reference| self.target(reference).is_some());
                inner = is_followed
                    || [
                        "properties",
                        "patternProperties",
                        "required",
                        "prefixItems",
                        "items",
                        "additionalProperties",
                        "anyOf",
                        "oneOf",
                        "allOf",
                    ]
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

/// Whether a schema names a type, alone or among others.
fn is_of(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(own)) => own == name,
        Some(Value::Array(names)) => names.iter().any(|own| own == name),
        _ => false,
    }
}

fn is_list(schema: &Value) -> bool {
    is_of(schema, "array")
}

/// Whether a schema allows any members of an object, or any value at all.
fn is_free(schema: &Value) -> bool {
    const SAYS_MORE: [&str; 9] =
        ["$ref", "allOf", "anyOf", "oneOf", "prefixItems", "items", "enum", "const", "patternProperties"];
    let has_members = schema.get("properties").and_then(Value::as_object).is_some_and(|own| !own.is_empty());
    let others = schema.get("additionalProperties");
    let allows_any = match others {
        None => !has_members,
        Some(Value::Bool(allowed)) => *allowed,
        Some(own) => own.as_object().is_some_and(serde_json::Map::is_empty),
    };
    match schema.get("type") {
        None if has_members || others.is_some() => allows_any,
        None => *schema != Value::Bool(false) && !SAYS_MORE.iter().any(|member| schema.get(member).is_some()),
        Some(_) => is_of(schema, "object") && allows_any && schema.get("patternProperties").is_none(),
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
            outputs(&schema).into_iter().map(|field| (field.path, field.required)).collect();
        let expected = [("by{key}", true), ("by{}", false), ("orders[].id", true), ("orders[].note", false)];
        assert_eq!(found, expected.map(|(path, required)| (path.to_owned(), required)));
    }

    /// Each of these was left out, or taken for optional, so that plans had calls without what they need.
    #[test]
    fn what_is_required_is_a_required_field() {
        let schema = json!({
            "allOf": [{"properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}, {"required": ["id"]}],
            "properties": {
                "issue": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "who": {"oneOf": [
                    {"type": "object", "required": ["id", "kind"], "properties": {"id": {"type": "string"}, "kind": {"const": "user"}}},
                    {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "kind": {"const": "team"}}}]},
                "payload": {"type": "object", "additionalProperties": true},
                "options": {"$ref": "#/$defs/Options"},
                "tags": {"type": "array"},
                "rows": {"$ref": "#/$defs/List%3CRow%3E"},
                "elsewhere": {"$ref": "https://example.com/schema"},
                "base": {"$ref": "#/$defs/Base", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
                "free": {}
            },
            "required": ["name", "issue", "note", "who", "payload", "options", "tags", "rows", "elsewhere", "base", "free"],
            "$defs": {
                "Options": {"type": "object", "properties": {"deep": {"type": "boolean"}}},
                "List<Row>": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "string"}}}},
                "Base": {"type": "object", "required": ["b"], "properties": {"b": {"type": "string"}}}
            }
        });
        let found = |is_required: bool| -> Vec<String> {
            let of_kind = inputs(&schema).into_iter().filter(|field| field.required == is_required);
            of_kind.map(|field| field.path).collect()
        };
        assert_eq!(
            found(true),
            [
                "base.b",
                "base.n",
                "elsewhere",
                "free",
                "id",
                "issue",
                "name",
                "note",
                "payload{}",
                "tags[]",
                "who.id"
            ]
        );
        assert_eq!(found(false), ["options.deep", "rows[].x", "who.kind"]);
        assert!(
            !outputs(&schema).iter().any(|field| ["options", "payload{}", "tags[]"].contains(&&*field.path))
        );
    }

    /// Values in such places were called lost, because no schema names them.
    #[test]
    fn places_that_allow_anything_are_known() {
        let schema = json!({"type": "object", "properties": {
            "filter": {"anyOf": [{"type": "object", "additionalProperties": true}, {"type": "null"}]},
            "items": {"type": "array", "items": {"type": "object", "additionalProperties": true}},
            "rows": {"type": "array"},
            "any": {"title": "Any"},
            "all": true,
            "nothing": false,
            "node": {"$ref": "#/$defs/Node"},
            "by": {"type": "object", "additionalProperties": {"type": "string"}},
            "text": {"type": "string"},
            "kind": {"enum": ["a", "b"]},
            "closed": {"type": "object", "additionalProperties": false},
            "record": {"type": "object", "properties": {"x": {"type": "string"}}}
        }, "$defs": {"Node": {"type": "object", "properties": {"child": {"$ref": "#/$defs/Node"}, "id": {"type": "string"}}}}});
        assert_eq!(free(&schema), ["all", "any", "filter", "items[]", "node.child", "rows[]"]);
        assert_eq!(free(&json!({})), [""]);
    }

    /// Fields of tuples were unknown, so that edges from them were lost once a tuple was learned.
    #[test]
    fn items_of_tuples_are_found() {
        let schema = json!({"properties": {"beds": {"type": "array", "items": {"type": "array", "items": false,
            "prefixItems": [{"type": "integer"}, {"type": "string"}, {"properties": {"id": {"type": "string"}}}]}}}});
        let found = outputs(&schema);
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
        let found: Vec<String> = outputs(&schema).into_iter().map(|field| field.path).collect();
        assert!(found.iter().all(|path| path.len() <= path::MAX_PATH), "{found:?}");
        assert_eq!(found.iter().filter(|path| path.ends_with("id")).count(), 4, "{found:?}");
    }

    #[test]
    fn fields_of_a_cycle_of_references_end() {
        let schema = json!({"$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}, "v": {"type": "string"}}}}, "$ref": "#/$defs/n"});
        let found = outputs(&schema);
        assert!(found.iter().any(|field| field.path == "v"));
        assert!(found.len() < 10);
    }
}
