//! JSON Schema 2020-12 and draft-07, read into a graph.
//!
//! What cannot be read is left out with a note, so that every valid value stays valid.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::graph::{Graph, Index, Node};
use crate::loosen;
use crate::resolve::{self, Place};

/// Most nodes of a graph.
const MAX_NODES: usize = 20_000;
/// Most bytes of a graph as JSON.
const MAX_BYTES: usize = 1 << 20;
/// Most bytes of a graph's regular expressions. Well below [`MAX_BYTES`], so that the other rules stay checked.
const MAX_PATTERN_BYTES: usize = MAX_BYTES / 4;
/// The types of JSON Schema.
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/// How a schema is read.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether fields that are absent break no rule.
    pub optional: bool,
    /// Translates a regular expression of ECMA-262 for the language; `None` if that is impossible.
    pub pattern: fn(&str) -> Option<String>,
}

/// Reads a schema.
pub fn compile(schema: &Value, options: Options) -> Graph {
    let mut reader = Reader {
        index: resolve::Index::of(schema),
        graph: Graph { nodes: Vec::new(), unchecked: Vec::new(), notes: Vec::new() },
        known: HashMap::new(),
        waiting: Vec::new(),
        options,
        pattern_bytes: 0,
    };
    let root = Place { schema, pointer: String::new(), base: String::new(), old: false };
    let root = reader.index.place("").cloned().unwrap_or(root);
    reader.node(root);
    while let Some((at, place)) = reader.waiting.pop() {
        reader.read(at, &place);
    }
    let mut graph = reader.graph;
    loosen::loosen(&mut graph);
    if graph.json().len() > MAX_BYTES {
        let mut empty = Graph::anything();
        empty.leave_out(0, "*", "the schema is too large");
        return empty;
    }
    graph.unchecked.sort();
    graph.unchecked.dedup();
    graph
}

struct Reader<'a> {
    index: resolve::Index<'a>,
    graph: Graph,
    known: HashMap<String, Index>,
    waiting: Vec<(Index, Place<'a>)>,
    options: Options,
    pattern_bytes: usize,
}

impl<'a> Reader<'a> {
    /// The node of a place, which is read later.
    fn node(&mut self, place: Place<'a>) -> Index {
        if let Some(known) = self.known.get(&place.pointer) {
            return *known;
        }
        let at = self.graph.nodes.len();
        let description = place.schema.get("description").or_else(|| place.schema.get("title"));
        self.graph.nodes.push(Node {
            place: place.pointer.clone(),
            keywords: Map::new(),
            never: false,
            description: description.and_then(Value::as_str).unwrap_or_default().to_owned(),
        });
        self.known.insert(place.pointer.clone(), at);
        if at < MAX_NODES {
            self.waiting.push((at, place));
        } else if at == MAX_NODES {
            self.graph.leave_out(at, "*", "the schema has too many parts");
            loosen::mark(&mut self.graph, at);
        } else {
            loosen::mark(&mut self.graph, at);
        }
        at
    }

    /// Translates a regular expression, unless the graph has too many already.
    fn pattern(&mut self, pattern: &str) -> Result<String, &'static str> {
        const TOO_MANY: &str = "the schema's regular expressions are too large";
        if self.pattern_bytes >= MAX_PATTERN_BYTES {
            return Err(TOO_MANY);
        }
        let translated =
            (self.options.pattern)(pattern).ok_or("the regular expression cannot be translated")?;
        self.pattern_bytes += translated.len();
        if self.pattern_bytes > MAX_PATTERN_BYTES { Err(TOO_MANY) } else { Ok(translated) }
    }

    fn leave_out(&mut self, at: Index, keyword: &str, why: &str) {
        self.graph.leave_out(at, keyword, why);
        loosen::mark(&mut self.graph, at);
    }

    fn read(&mut self, at: Index, place: &Place<'a>) {
        let keywords = match place.schema {
            Value::Bool(allowed) => {
                self.graph.nodes[at].never = !allowed;
                return;
            }
            Value::Object(keywords) => keywords,
            _ => return self.leave_out(at, "*", "it is no schema"),
        };
        if let Some(reference) = keywords.get("$ref") {
            self.reference(at, place, "$ref", reference);
            if place.old {
                return;
            }
        }
        for keyword in ["$dynamicRef", "$recursiveRef"] {
            if let Some(reference) = keywords.get(keyword) {
                self.reference(at, place, keyword, reference);
            }
        }
        self.assertions(at, keywords);
        self.applicators(at, place, keywords);
    }

    fn reference(&mut self, at: Index, place: &Place<'a>, keyword: &str, reference: &Value) {
        let target = reference
            .as_str()
            .filter(|reference| keyword == "$ref" || self.index.is_static(reference))
            .and_then(|reference| self.index.target(place, reference));
        match target {
            Some(target) if target.schema.is_object() || target.schema.is_boolean() => {
                let target = self.node(target);
                if self.graph.nodes[at].has("ref") {
                    self.graph.nodes[at].keywords.insert("allOf".to_owned(), json!([target]));
                } else {
                    self.graph.nodes[at].keywords.insert("ref".to_owned(), json!(target));
                }
            }
            _ => self.leave_out(at, keyword, "the reference has no single target in the schema"),
        }
    }

    fn assertions(&mut self, at: Index, keywords: &Map<String, Value>) {
        for (keyword, value) in keywords {
            let count = || value.as_f64().is_some_and(|count| count >= 0.0 && count.fract() == 0.0);
            let kept = match keyword.as_str() {
                "type" => match types(value) {
                    Some(types) => types,
                    None => {
                        self.leave_out(at, keyword, "it names a type that does not exist");
                        continue;
                    }
                },
                "enum" if value.is_array() => value.clone(),
                "const" => value.clone(),
                // Draft 4 has a flag beside the bound.
                "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => continue,
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" if value.is_number() => {
                    value.clone()
                }
                "multipleOf" if value.as_f64().is_some_and(|number| number > 0.0) => value.clone(),
                "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
                | "minContains" | "maxContains"
                    if count() =>
                {
                    value.clone()
                }
                "uniqueItems" if value.is_boolean() => value.clone(),
                // What accepts more here may accept less around it.
                "required" | "dependentRequired" if self.options.optional => {
                    if !is_empty(value) {
                        loosen::mark(&mut self.graph, at);
                    }
                    continue;
                }
                // Draft 3 has a flag in the field's schema, which says nothing here.
                "required" if value.is_boolean() => continue,
                "required" if names(value) => value.clone(),
                "dependentRequired" if value.as_object().is_some_and(|all| all.values().all(names)) => {
                    value.clone()
                }
                "pattern" => {
                    let text = value.as_str().ok_or("the regular expression cannot be translated");
                    match text.and_then(|text| self.pattern(text)) {
                        Ok(pattern) => Value::String(pattern),
                        Err(why) => {
                            self.leave_out(at, keyword, why);
                            continue;
                        }
                    }
                }
                "enum" | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf"
                | "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
                | "minContains" | "maxContains" | "uniqueItems" | "required" | "dependentRequired" => {
                    self.leave_out(at, keyword, "its value has the wrong form");
                    continue;
                }
                _ => continue,
            };
            self.graph.nodes[at].keywords.insert(keyword.clone(), kept);
        }
        for (bound, flag) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
            if keywords.get(flag) == Some(&Value::Bool(true)) {
                let node = &mut self.graph.nodes[at].keywords;
                if let Some(value) = node.shift_remove(bound) {
                    node.insert(flag.to_owned(), value);
                }
            }
        }
    }

    fn applicators(&mut self, at: Index, place: &Place<'a>, keywords: &'a Map<String, Value>) {
        for (keyword, value) in keywords {
            match keyword.as_str() {
                "allOf" | "anyOf" | "oneOf" | "prefixItems" => self.list(at, place, keyword, keyword, value),
                "not"
                | "if"
                | "then"
                | "else"
                | "additionalProperties"
                | "propertyNames"
                | "contains"
                | "unevaluatedProperties"
                | "unevaluatedItems" => self.one(at, place, keyword, keyword, value),
                "properties" | "patternProperties" | "dependentSchemas" => {
                    self.named(at, place, keyword, keyword, value);
                }
                "items" if value.is_array() => self.list(at, place, keyword, "prefixItems", value),
                "items" => self.one(at, place, keyword, keyword, value),
                "additionalItems" if keywords.get("items").is_some_and(Value::is_array) => {
                    self.one(at, place, keyword, "items", value);
                }
                "dependencies" => self.dependencies(at, place, value),
                _ => {}
            }
        }
        let node = &mut self.graph.nodes[at].keywords;
        if !node.contains_key("if") {
            node.shift_remove("then");
            node.shift_remove("else");
        }
        if !node.contains_key("contains") {
            node.shift_remove("minContains");
            node.shift_remove("maxContains");
        }
    }

    fn child(&mut self, place: &Place<'a>, path: &str, schema: &'a Value) -> Option<Index> {
        if !schema.is_object() && !schema.is_boolean() {
            return None;
        }
        let pointer = format!("{}/{path}", place.pointer);
        let known = self.index.place(&pointer).cloned();
        let base = place.base.clone();
        Some(self.node(known.unwrap_or(Place { schema, pointer, base, old: place.old })))
    }

    fn one(&mut self, at: Index, place: &Place<'a>, written: &str, keyword: &str, value: &'a Value) {
        match self.child(place, written, value) {
            Some(child) => {
                self.graph.nodes[at].keywords.insert(keyword.to_owned(), json!(child));
            }
            None => self.leave_out(at, written, "it is no schema"),
        }
    }

    fn list(&mut self, at: Index, place: &Place<'a>, written: &str, keyword: &str, value: &'a Value) {
        let children: Option<Vec<Index>> = value.as_array().and_then(|list| {
            let numbered = list.iter().enumerate();
            numbered
                .map(|(number, schema)| self.child(place, &format!("{written}/{number}"), schema))
                .collect()
        });
        let Some(mut children) = children.filter(|list| !list.is_empty()) else {
            return self.leave_out(at, written, "it is no list of schemas");
        };
        // A second reference is already there.
        children.extend(self.graph.nodes[at].list(keyword));
        self.graph.nodes[at].keywords.insert(keyword.to_owned(), json!(children));
    }

    fn named(&mut self, at: Index, place: &Place<'a>, written: &str, keyword: &str, value: &'a Value) {
        let Some(map) = value.as_object() else {
            return self.leave_out(at, written, "it is no object of schemas");
        };
        let mut children = Map::new();
        for (name, schema) in map {
            let kept = if keyword == "patternProperties" { self.pattern(name) } else { Ok(name.clone()) };
            let child = self.child(place, &format!("{written}/{}", resolve::escaped(name)), schema);
            match (kept, child) {
                (Ok(name), Some(child)) => {
                    children.insert(name, json!(child));
                }
                (Err(why), _) => {
                    // Which names are additional is then unknown as well.
                    self.leave_out(at, written, why);
                    loosen::mark_open(&mut self.graph, at);
                }
                (_, None) => self.leave_out(at, written, "it holds something that is no schema"),
            }
        }
        self.graph.nodes[at].keywords.insert(keyword.to_owned(), Value::Object(children));
    }

    /// Dependencies of drafts before 2019-09: names or a schema.
    fn dependencies(&mut self, at: Index, place: &Place<'a>, value: &'a Value) {
        let Some(map) = value.as_object() else {
            return self.leave_out(at, "dependencies", "it is no object");
        };
        let (mut required, mut schemas) = (Map::new(), Map::new());
        for (name, dependency) in map {
            let path = format!("dependencies/{}", resolve::escaped(name));
            if names(dependency) {
                required.insert(name.clone(), dependency.clone());
            } else if let Some(child) = self.child(place, &path, dependency) {
                schemas.insert(name.clone(), json!(child));
            } else {
                self.leave_out(at, "dependencies", "it holds something that is no schema");
            }
        }
        let node = &mut self.graph.nodes[at].keywords;
        if !required.is_empty() && !self.options.optional && !node.contains_key("dependentRequired") {
            node.insert("dependentRequired".to_owned(), Value::Object(required));
        }
        if !schemas.is_empty() && !node.contains_key("dependentSchemas") {
            node.insert("dependentSchemas".to_owned(), Value::Object(schemas));
        }
    }
}

fn types(value: &Value) -> Option<Value> {
    let is_type = |value: &&Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    match value {
        Value::Array(list) if list.iter().all(|one| is_type(&one)) => Some(value.clone()),
        one if is_type(&one) => Some(json!([one])),
        _ => None,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(names) => names.is_empty(),
        Value::Object(names) => names.is_empty(),
        _ => true,
    }
}

fn names(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_beyond_the_budget_are_left_out_and_other_rules_stay() {
        let property =
            |number: usize| (format!("p{number}"), json!({"pattern": "\\p{L}".repeat(5), "minLength": 1}));
        let schema = json!({"properties": Map::from_iter((0..60).map(property))});
        let graph = compile(&schema, Options { optional: false, pattern: crate::pattern::python });
        let count = |keyword: &str| graph.nodes.iter().filter(|node| node.has(keyword)).count();
        assert_eq!(count("minLength"), 60);
        assert!((1..60).contains(&count("pattern")));
        assert_eq!(count("pattern") + graph.unchecked.len(), 60);
        assert!(graph.json().len() < MAX_BYTES);
    }
}
