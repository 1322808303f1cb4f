//! Targets of references: identifiers, anchors and JSON Pointers of one document.
//!
//! References out of the document have no target; nothing is ever fetched.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

/// Keywords whose value is data.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];
/// Keywords whose value is an object of schemas by name.
const NAMED: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];
/// Most schemas of a document that are looked at.
const MAX_SCHEMAS: usize = 100_000;

/// A subschema and the identifier that references in it are relative to.
#[derive(Debug, Clone)]
pub(crate) struct Place<'a> {
    pub(crate) schema: &'a Value,
    /// JSON Pointer in the document.
    pub(crate) pointer: String,
    /// Identifier of the resource around it.
    pub(crate) base: String,
    /// Whether the resource says that it is of a draft in which `$ref` hides its siblings.
    pub(crate) old: bool,
}

/// Identifiers and anchors of a document.
#[derive(Debug)]
pub(crate) struct Index<'a> {
    places: HashMap<String, Place<'a>>,
    resources: HashMap<String, String>,
    anchors: HashMap<(String, String), String>,
    /// Number of dynamic anchors by name.
    dynamic: BTreeMap<String, usize>,
}

impl<'a> Index<'a> {
    /// Reads a document.
    pub(crate) fn of(root: &'a Value) -> Self {
        let mut index = Self {
            places: HashMap::new(),
            resources: HashMap::new(),
            anchors: HashMap::new(),
            dynamic: BTreeMap::new(),
        };
        let first = Place { schema: root, pointer: String::new(), base: String::new(), old: false };
        index.resources.insert(String::new(), String::new());
        let mut open = vec![first];
        while let Some(place) = open.pop() {
            if index.places.len() >= MAX_SCHEMAS {
                break;
            }
            let place = index.enter(place);
            if let Some(keywords) = place.schema.as_object() {
                open.extend(below(&place, keywords));
            }
            index.places.insert(place.pointer.clone(), place);
        }
        index
    }

    /// Reads the identifier and the anchors of a schema.
    fn enter(&mut self, mut place: Place<'a>) -> Place<'a> {
        let Some(keywords) = place.schema.as_object() else { return place };
        if let Some(dialect) = keywords.get("$schema").and_then(Value::as_str) {
            place.old =
                ["draft-03", "draft-04", "draft-06", "draft-07"].iter().any(|old| dialect.contains(old));
        }
        let hidden = place.old && keywords.contains_key("$ref");
        let id =
            keywords.get("$id").or_else(|| keywords.get("id").filter(|_| place.old)).and_then(Value::as_str);
        if let Some(id) = id.filter(|_| !hidden) {
            let (address, fragment) = id.split_once('#').unwrap_or((id, ""));
            if !address.is_empty() {
                place.base = joined(&place.base, address);
                self.resources.entry(place.base.clone()).or_insert_with(|| place.pointer.clone());
            }
            if !fragment.is_empty() {
                self.anchors.insert((place.base.clone(), fragment.to_owned()), place.pointer.clone());
            }
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(name) = keywords.get(keyword).and_then(Value::as_str) {
                self.anchors.insert((place.base.clone(), name.to_owned()), place.pointer.clone());
                if keyword == "$dynamicAnchor" {
                    *self.dynamic.entry(name.to_owned()).or_default() += 1;
                }
            }
        }
        place
    }

    /// The place with this pointer.
    pub(crate) fn place(&self, pointer: &str) -> Option<&Place<'a>> {
        self.places.get(pointer)
    }

    /// Whether a dynamic reference has one meaning only.
    pub(crate) fn is_static(&self, reference: &str) -> bool {
        let name = reference.rsplit_once('#').map_or("", |(_, name)| name);
        self.dynamic.get(name).is_none_or(|count| *count <= 1)
    }

    /// The target of a reference in `from`.
    pub(crate) fn target(&mut self, from: &Place<'a>, reference: &str) -> Option<Place<'a>> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let base = if address.is_empty() { from.base.clone() } else { joined(&from.base, address) };
        let resource = self.resources.get(&base)?.clone();
        let fragment = unescaped(fragment)?;
        let pointer = match fragment.strip_prefix('/') {
            Some(_) => resource + &fragment,
            None if fragment.is_empty() => resource,
            None => self.anchors.get(&(base, fragment))?.clone(),
        };
        if let Some(place) = self.places.get(&pointer) {
            return Some(place.clone());
        }
        // A place under unknown keywords: every schema on the way counts for the identifier.
        let root = self.places.get("")?.clone();
        let schema = root.schema.pointer(&pointer)?;
        let around = self
            .places
            .values()
            .filter(|place| {
                pointer.starts_with(&place.pointer) && pointer[place.pointer.len()..].starts_with('/')
            })
            .max_by_key(|place| place.pointer.len())?
            .clone();
        let place = self.enter(Place { schema, pointer: pointer.clone(), ..around });
        self.places.insert(pointer, place.clone());
        Some(place)
    }
}

/// The schemas directly below a schema, under every keyword that may hold some.
fn below<'a>(place: &Place<'a>, keywords: &'a Map<String, Value>) -> Vec<Place<'a>> {
    let mut found = Vec::new();
    let mut add = |schema: &'a Value, pointer: String| {
        if schema.is_object() || schema.is_boolean() {
            found.push(Place { schema, pointer, base: place.base.clone(), old: place.old });
        }
    };
    for (keyword, value) in keywords {
        let at = format!("{}/{}", place.pointer, escaped(keyword));
        if DATA.contains(&keyword.as_str()) || value.is_boolean() && keyword.starts_with('$') {
            continue;
        }
        match value {
            Value::Object(named) if NAMED.contains(&keyword.as_str()) => {
                for (name, schema) in named {
                    add(schema, format!("{at}/{}", escaped(name)));
                }
            }
            Value::Array(list) => {
                for (number, schema) in list.iter().enumerate() {
                    add(schema, format!("{at}/{number}"));
                }
            }
            // Identifiers under unknown keywords are none.
            one if KNOWN_ONE.contains(&keyword.as_str()) => add(one, at),
            _ => {}
        }
    }
    found
}

/// Keywords whose value is one schema.
const KNOWN_ONE: [&str; 13] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$recursiveAnchor",
];

/// A key as a part of a JSON Pointer.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Text without percent signs.
fn unescaped(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, tail @ ..] = rest {
        let hex = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        match tail.get(..2).filter(|_| *first == b'%').and_then(hex) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// An address relative to another, as RFC 3986 joins them.
fn joined(base: &str, address: &str) -> String {
    let scheme = |text: &str| {
        let end = text.find(':')?;
        let is_scheme =
            text[..end].chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
        (end > 0 && is_scheme).then_some(end)
    };
    if scheme(address).is_some() {
        return address.to_owned();
    }
    let (root, path) = match scheme(base) {
        Some(end) => {
            let after = &base[end + 1..];
            match after.strip_prefix("//") {
                Some(rest) => base.split_at(end + 3 + rest.find('/').unwrap_or(rest.len())),
                None => base.split_at(end + 1),
            }
        }
        None => ("", base),
    };
    if let Some(rest) = address.strip_prefix("//") {
        let end = scheme(base).map_or(0, |end| end + 1);
        return format!("{}//{rest}", &base[..end]);
    }
    let whole = match address.strip_prefix('/') {
        Some(_) => address.to_owned(),
        None => {
            let folder = path.rfind('/').map_or(if root.is_empty() { "" } else { "/" }, |end| &path[..=end]);
            format!("{folder}{address}")
        }
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "." => {}
            ".." => {
                if parts.len() > 1 {
                    parts.pop();
                }
            }
            part => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn addresses_are_joined_as_in_rfc_3986() {
        for (base, address, expected) in [
            ("http://a/b/c", "d", "http://a/b/d"),
            ("http://a/b/c", "/d", "http://a/d"),
            ("http://a/b/c/", "../d", "http://a/b/d"),
            ("http://a", "d", "http://a/d"),
            ("http://a/b", "urn:x:y", "urn:x:y"),
            ("http://a/b", "//c/d", "http://c/d"),
            ("", "d.json", "d.json"),
            ("a/b", "c", "a/c"),
        ] {
            assert_eq!(joined(base, address), expected, "{base} {address}");
        }
    }

    #[test]
    fn references_find_identifiers_anchors_and_pointers() {
        let schema = json!({"$id": "http://x/root", "$defs": {
            "a/b": {"$id": "sub", "$anchor": "here", "$defs": {"c%": true}},
            "plain": {"x-unknown": {"deep": {"type": "string"}}}}});
        let mut index = Index::of(&schema);
        let root = index.place("").unwrap().clone();
        for (reference, expected) in [
            ("#", Some("")),
            ("http://x/sub", Some("/$defs/a~1b")),
            ("sub#here", Some("/$defs/a~1b")),
            ("#here", None),
            ("sub#/$defs/c%25", Some("/$defs/a~1b/$defs/c%")),
            ("#/$defs/plain/x-unknown/deep", Some("/$defs/plain/x-unknown/deep")),
            ("#/nowhere", None),
            ("https://example.org/other", None),
        ] {
            let found = index.target(&root, reference).map(|place| place.pointer);
            assert_eq!(found.as_deref(), expected, "{reference}");
        }
    }
}
