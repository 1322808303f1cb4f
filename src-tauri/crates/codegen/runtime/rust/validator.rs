//! Validation against a JSON Schema in the form that Schemascope compiles it to: a list of nodes.
//!
//! A node is `false`, or an object of keywords as in JSON Schema 2020-12 in which subschemas are indices of nodes. `ref`
//! is the index of a node that applies as well. Nothing applies to its own value again, so validation ends.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::{Map, Number, Value};

use super::number::{identity, is_integer, is_multiple, order, same};

/// Most misfits of one value. Beyond them, reading a value of another type is still an error.
const MAX_MISFITS: usize = 1_000;

/// A key or a number of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Key(String),
    Index(usize),
}

/// Something that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Misfit {
    pub(super) path: Vec<Part>,
    pub(super) rule: String,
}

/// A path as people write it: `files[0].path`.
pub(super) fn show(path: &[Part]) -> String {
    let mut text = String::new();
    for part in path {
        match part {
            Part::Index(at) => text += &format!("[{at}]"),
            Part::Key(key) if is_word(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text += key;
            }
            Part::Key(key) => text += &format!("[{}]", Value::from(key.as_str())),
        }
    }
    if text.is_empty() { "the value".to_owned() } else { text }
}

fn is_word(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

type Keywords = Map<String, Value>;

/// A compiled schema.
#[derive(Debug)]
pub(super) struct Validator {
    nodes: Vec<Value>,
    enums: HashMap<usize, HashSet<String>>,
}

impl Validator {
    pub(super) fn new(text: &str) -> Self {
        let nodes: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
        let listed = |(at, node): (usize, &Value)| {
            let values = node.get("enum")?.as_array()?;
            Some((at, values.iter().map(identity).collect()))
        };
        let enums = nodes.iter().enumerate().filter_map(listed).collect();
        Self { nodes, enums }
    }

    /// Paths that do not fit, each with a rule it breaks; none if the value fits.
    pub(super) fn misfits(&self, value: &Value) -> Vec<Misfit> {
        let mut check = Check { validator: self, seen: HashMap::new() };
        let mut found: Vec<Misfit> = Vec::new();
        if !check.passes(0, value) {
            check.broken(0, value, &mut Vec::new(), &mut found);
        }
        found
    }

    pub(super) fn passes(&self, node: usize, value: &Value) -> bool {
        Check { validator: self, seen: HashMap::new() }.passes(node, value)
    }
}

/// Answers for one value, by node and place in memory.
struct Check<'a> {
    validator: &'a Validator,
    seen: HashMap<(usize, *const Value), bool>,
}

fn index(value: &Value) -> usize {
    value.as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or(usize::MAX)
}

fn one(node: &Keywords, keyword: &str) -> Option<usize> {
    node.get(keyword).map(index)
}

fn list<'a>(node: &'a Keywords, keyword: &str) -> impl Iterator<Item = usize> + use<'a> {
    node.get(keyword).and_then(Value::as_array).into_iter().flatten().map(index)
}

fn named<'a>(node: &'a Keywords, keyword: &str) -> Option<&'a Keywords> {
    node.get(keyword).and_then(Value::as_object)
}

fn texts<'a>(value: Option<&'a Value>) -> impl Iterator<Item = &'a str> + use<'a> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn limit(node: &Keywords, keyword: &str) -> Option<f64> {
    node.get(keyword).and_then(Value::as_f64)
}

/// Whether a count is outside of two limits: the keyword it breaks.
fn counted(node: &Keywords, count: usize, least: &'static str, most: &'static str) -> Option<&'static str> {
    let count = count as f64;
    if limit(node, least).is_some_and(|limit| count < limit) {
        return Some(least);
    }
    limit(node, most).is_some_and(|limit| count > limit).then_some(most)
}

fn is_type(value: &Value, name: &str) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(number) => name == "number" || name == "integer" && is_integer(number),
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    }
}

/// Keyword, key, value and node of what applies to the values of an object.
fn fields<'a, 'v>(
    node: &'a Keywords,
    members: &'v Map<String, Value>,
) -> impl Iterator<Item = (&'static str, &'v str, &'v Value, usize)> + use<'a, 'v> {
    let rest = one(node, "additionalProperties");
    members.iter().filter_map(move |(key, value)| match named(node, "properties").and_then(|all| all.get(key)) {
        Some(at) => Some(("properties", key.as_str(), value, index(at))),
        None => rest.map(|at| ("additionalProperties", key.as_str(), value, at)),
    })
}

fn items<'v>(node: &Keywords, values: &'v [Value]) -> Vec<(&'static str, usize, &'v Value, usize)> {
    let first: Vec<usize> = list(node, "prefixItems").collect();
    let rest = one(node, "items");
    let place = |(at, item): (usize, &'v Value)| match first.get(at) {
        Some(own) => Some(("prefixItems", at, item, *own)),
        None => rest.map(|own| ("items", at, item, own)),
    };
    values.iter().enumerate().filter_map(place).collect()
}

impl<'a> Check<'a> {
    fn node(&self, at: usize) -> Option<&'a Keywords> {
        static NONE: std::sync::OnceLock<Keywords> = std::sync::OnceLock::new();
        match self.validator.nodes.get(at) {
            Some(Value::Bool(false)) => None,
            Some(Value::Object(node)) => Some(node),
            _ => Some(NONE.get_or_init(Keywords::new)),
        }
    }

    fn passes(&mut self, at: usize, value: &Value) -> bool {
        let key = (at, std::ptr::from_ref(value));
        if let Some(known) = self.seen.get(&key) {
            return *known;
        }
        let Some(node) = self.node(at) else { return false };
        let answer = self.rules(at, node, value, true).is_empty();
        self.seen.insert(key, answer);
        answer
    }

    /// Keywords of a node that a value breaks; only the first if that is enough.
    fn rules(&mut self, at: usize, node: &Keywords, value: &Value, first: bool) -> Vec<&'static str> {
        let mut broken = Vec::new();
        macro_rules! rule {
            ($is_broken:expr, $keyword:expr) => {
                if $is_broken {
                    broken.push($keyword);
                    if first {
                        return broken;
                    }
                }
            };
        }
        if node.contains_key("type") {
            rule!(!texts(node.get("type")).any(|name| is_type(value, name)), "type");
        }
        if let Some(constant) = node.get("const") {
            rule!(!same(value, constant), "const");
        }
        if let Some(listed) = self.validator.enums.get(&at) {
            rule!(!listed.contains(&identity(value)), "enum");
        }
        if let Some(other) = one(node, "ref") {
            rule!(!self.passes(other, value), "ref");
        }
        rule!(!list(node, "allOf").all(|at| self.passes(at, value)), "allOf");
        if node.contains_key("anyOf") {
            rule!(!list(node, "anyOf").any(|at| self.passes(at, value)), "anyOf");
        }
        if node.contains_key("oneOf") {
            rule!(list(node, "oneOf").filter(|at| self.passes(*at, value)).count() != 1, "oneOf");
        }
        if let Some(other) = one(node, "not") {
            rule!(self.passes(other, value), "not");
        }
        if let Some(other) = one(node, "if") {
            let branch = if self.passes(other, value) { "then" } else { "else" };
            if let Some(at) = one(node, branch) {
                rule!(!self.passes(at, value), branch);
            }
        }
        match value {
            Value::String(text) => {
                if node.contains_key("minLength") || node.contains_key("maxLength") {
                    let keyword = counted(node, text.chars().count(), "minLength", "maxLength");
                    rule!(keyword.is_some(), keyword.unwrap_or_default());
                }
            }
            Value::Number(number) => {
                for keyword in number_rules(node, number) {
                    rule!(true, keyword);
                }
            }
            Value::Array(values) => {
                for keyword in self.array_rules(node, values, value, first) {
                    rule!(true, keyword);
                }
            }
            Value::Object(members) => {
                for keyword in self.object_rules(node, members, value, first) {
                    rule!(true, keyword);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
        broken
    }

    fn object_rules(
        &mut self,
        node: &Keywords,
        members: &Map<String, Value>,
        value: &Value,
        first: bool,
    ) -> Vec<&'static str> {
        let mut broken = Vec::new();
        if !texts(node.get("required")).all(|key| members.contains_key(key)) {
            broken.push("required");
        }
        broken.extend(counted(node, members.len(), "minProperties", "maxProperties"));
        for (key, others) in named(node, "dependentRequired").into_iter().flatten() {
            if members.contains_key(key) && !texts(Some(others)).all(|other| members.contains_key(other)) {
                broken.push("dependentRequired");
            }
        }
        for (key, at) in named(node, "dependentSchemas").into_iter().flatten() {
            if members.contains_key(key) && !self.passes(index(at), value) {
                broken.push("dependentSchemas");
            }
        }
        for (keyword, _, inner, at) in fields(node, members) {
            if first && !broken.is_empty() {
                return broken;
            }
            if !self.passes(at, inner) && !broken.contains(&keyword) {
                broken.push(keyword);
            }
        }
        if let Some(at) = one(node, "propertyNames") {
            let validator = self.validator;
            if !members.keys().all(|key| validator.passes(at, &Value::from(key.as_str()))) {
                broken.push("propertyNames");
            }
        }
        if let Some(at) = one(node, "unevaluatedProperties") {
            let known = self.known_keys(node, members, value);
            let mut rest = members.iter().filter(|(key, _)| !known.contains(key.as_str()));
            if !rest.all(|(_, inner)| self.passes(at, inner)) {
                broken.push("unevaluatedProperties");
            }
        }
        broken
    }

    fn array_rules(
        &mut self,
        node: &Keywords,
        values: &[Value],
        value: &Value,
        first: bool,
    ) -> Vec<&'static str> {
        let mut broken: Vec<&'static str> = counted(node, values.len(), "minItems", "maxItems").into_iter().collect();
        if node.get("uniqueItems") == Some(&Value::Bool(true)) {
            let mut seen = HashSet::new();
            if !values.iter().all(|item| seen.insert(identity(item))) {
                broken.push("uniqueItems");
            }
        }
        for (keyword, _, item, at) in items(node, values) {
            if first && !broken.is_empty() {
                return broken;
            }
            if !self.passes(at, item) && !broken.contains(&keyword) {
                broken.push(keyword);
            }
        }
        if let Some(at) = one(node, "contains") {
            let count = values.iter().filter(|item| self.passes(at, item)).count() as f64;
            let least = limit(node, "minContains");
            if count < least.unwrap_or(1.0) {
                broken.push(if least.is_some() { "minContains" } else { "contains" });
            }
            if limit(node, "maxContains").is_some_and(|most| count > most) {
                broken.push("maxContains");
            }
        }
        if let Some(at) = one(node, "unevaluatedItems") {
            let known = self.known_items(node, values, value);
            let mut rest = values.iter().enumerate().filter(|(place, _)| !known.contains(place));
            if !rest.all(|(_, item)| self.passes(at, item)) {
                broken.push("unevaluatedItems");
            }
        }
        broken
    }

    /// Nodes that apply to the same value and that it fits.
    fn in_place(&mut self, node: &Keywords, value: &Value) -> Vec<&'a Keywords> {
        let mut children: Vec<usize> = one(node, "ref").into_iter().collect();
        for keyword in ["allOf", "anyOf", "oneOf"] {
            children.extend(list(node, keyword));
        }
        if let Some(at) = one(node, "if") {
            let chosen = self.passes(at, value);
            children.extend(chosen.then_some(at));
            children.extend(one(node, if chosen { "then" } else { "else" }));
        }
        for (key, at) in named(node, "dependentSchemas").into_iter().flatten() {
            children.extend(value.get(key).map(|_| index(at)));
        }
        children.retain(|at| self.passes(*at, value));
        children.into_iter().filter_map(|at| self.node(at)).collect()
    }

    fn known_keys<'v>(&mut self, node: &Keywords, members: &'v Map<String, Value>, value: &Value) -> BTreeSet<&'v str> {
        let mut known: BTreeSet<&'v str> = fields(node, members).map(|(_, key, ..)| key).collect();
        for child in self.in_place(node, value) {
            if child.contains_key("unevaluatedProperties") {
                known.extend(members.keys().map(String::as_str));
            }
            known.extend(self.known_keys(child, members, value));
        }
        known
    }

    fn known_items(&mut self, node: &Keywords, values: &[Value], value: &Value) -> BTreeSet<usize> {
        let mut known: BTreeSet<usize> = items(node, values).into_iter().map(|(_, at, ..)| at).collect();
        if let Some(contains) = one(node, "contains") {
            known.extend((0..values.len()).filter(|at| self.passes(contains, &values[*at])));
        }
        for child in self.in_place(node, value) {
            if child.contains_key("unevaluatedItems") {
                known.extend(0..values.len());
            }
            known.extend(self.known_items(child, values, value));
        }
        known
    }

    /// Broken rules with the innermost paths they are about.
    fn broken(&mut self, at: usize, value: &Value, path: &mut Vec<Part>, found: &mut Vec<Misfit>) {
        let Some(node) = self.node(at) else { return add(found, path, "no value is allowed".to_owned()) };
        for rule in self.rules(at, node, value, false) {
            match (rule, value) {
                ("required", Value::Object(members)) => {
                    for key in texts(node.get("required")).filter(|key| !members.contains_key(*key)) {
                        path.push(Part::Key(key.to_owned()));
                        add(found, path, rule.to_owned());
                        path.pop();
                    }
                }
                ("properties" | "additionalProperties", Value::Object(members)) => {
                    for (keyword, key, inner, child) in fields(node, members) {
                        if keyword == rule && !self.passes(child, inner) {
                            path.push(Part::Key(key.to_owned()));
                            self.broken(child, inner, path, found);
                            path.pop();
                        }
                    }
                }
                ("prefixItems" | "items", Value::Array(values)) => {
                    for (keyword, number, item, child) in items(node, values) {
                        if keyword == rule && !self.passes(child, item) {
                            path.push(Part::Index(number));
                            self.broken(child, item, path, found);
                            path.pop();
                        }
                    }
                }
                ("ref" | "then" | "else", _) => {
                    if let Some(child) = one(node, rule) {
                        self.broken(child, value, path, found);
                    }
                }
                ("allOf", _) => {
                    for child in list(node, rule) {
                        if !self.passes(child, value) {
                            self.broken(child, value, path, found);
                        }
                    }
                }
                ("anyOf" | "oneOf", _) => {
                    let likely: Vec<usize> = list(node, rule).filter(|child| self.is_likely(*child, value)).collect();
                    match likely[..] {
                        [only] if !self.passes(only, value) => self.broken(only, value, path, found),
                        _ => add(found, path, rule.to_owned()),
                    }
                }
                ("enum" | "const", _) => {
                    let values = match node.get(rule) {
                        Some(Value::Array(values)) if rule == "enum" => values.as_slice(),
                        other => other.map_or(&[][..], std::slice::from_ref),
                    };
                    add(found, path, format!("{rule}: expected {}", either(values)));
                }
                ("type", _) => {
                    let names: Vec<&str> = texts(node.get("type")).collect();
                    add(found, path, format!("type: expected {}", names.join(" or ")));
                }
                _ => {
                    let is_index = ["not", "contains", "propertyNames"].contains(&rule) || rule.starts_with("unevaluated");
                    match node.get(rule) {
                        Some(Value::Number(limit)) if !is_index => add(found, path, format!("{rule} {limit}")),
                        _ => add(found, path, rule.to_owned()),
                    }
                }
            }
        }
    }

    /// Whether an alternative is for values of this type.
    fn is_likely(&self, at: usize, value: &Value) -> bool {
        let Some(node) = self.node(at) else { return false };
        let fits = !node.contains_key("type") || texts(node.get("type")).any(|name| is_type(value, name));
        fits && one(node, "ref").is_none_or(|other| self.is_likely(other, value))
    }
}

/// Values of an enumeration, as far as they are few and short.
fn either(values: &[Value]) -> String {
    let shown = values.iter().take(8).map(|value| {
        let text = value.to_string();
        let short: String = text.chars().take(60).collect();
        if short.len() < text.len() { short + "…" } else { short }
    });
    let shown: Vec<String> = shown.collect();
    match shown.split_last() {
        Some(_) if values.len() > shown.len() => format!("{}, …", shown.join(", ")),
        Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => shown.concat(),
    }
}

fn add(found: &mut Vec<Misfit>, path: &[Part], rule: String) {
    if found.len() < MAX_MISFITS && !found.iter().any(|misfit| misfit.path == path) {
        found.push(Misfit { path: path.to_vec(), rule });
    }
}

fn number_rules(node: &Keywords, value: &Number) -> Vec<&'static str> {
    let against = |keyword: &str| match node.get(keyword) {
        Some(Value::Number(limit)) => order(value, limit),
        _ => None,
    };
    let mut broken = Vec::new();
    let limits: [(&str, &[Ordering]); 4] = [
        ("minimum", &[Ordering::Less]),
        ("maximum", &[Ordering::Greater]),
        ("exclusiveMinimum", &[Ordering::Less, Ordering::Equal]),
        ("exclusiveMaximum", &[Ordering::Greater, Ordering::Equal]),
    ];
    for (keyword, not) in limits {
        if against(keyword).is_some_and(|order| not.contains(&order)) {
            broken.push(keyword);
        }
    }
    if let Some(Value::Number(step)) = node.get("multipleOf") {
        if is_multiple(value, step) == Some(false) {
            broken.push("multipleOf");
        }
    }
    broken
}
