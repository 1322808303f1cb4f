//! The types of a graph's nodes, and what is inside their objects and arrays.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::graph::{Graph, Index};
use crate::names::pascal;
use crate::types::{Containers, Nodes, Type};

/// Most schemas that apply to one value, each inside the one before.
const MAX_DEPTH: usize = 200;
/// Fields that are tried as what tells alternatives apart.
const MAX_TAGS: usize = 16;

/// A field of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Name as sent.
    pub name: String,
    /// Type of its values.
    pub kind: Type,
    /// Whether every object has it.
    pub required: bool,
    /// What the schema says about it.
    pub description: String,
}

/// What is known of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// Named fields.
    pub fields: Vec<Field>,
    /// Type of all other fields; of no values if there are none.
    pub others: Type,
}

/// What is known of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Types of the first items.
    pub first: Vec<Type>,
    /// Type of all other items; of no values if there are none.
    pub others: Type,
    /// Least number of items.
    pub least: usize,
}

/// The types of a graph's nodes.
#[derive(Debug)]
pub struct Types<'a> {
    graph: &'a Graph,
    known: RefCell<HashMap<Index, Type>>,
    words: RefCell<HashMap<Vec<Nodes>, Vec<String>>>,
    depth: Cell<usize>,
}

const ABOUT_OBJECTS: [&str; 4] = ["properties", "patternProperties", "additionalProperties", "required"];
const ABOUT_ARRAYS: [&str; 2] = ["prefixItems", "items"];

impl<'a> Types<'a> {
    /// The types of a graph.
    pub fn new(graph: &'a Graph) -> Self {
        Self { graph, known: RefCell::default(), words: RefCell::default(), depth: Cell::new(0) }
    }

    pub(crate) fn graph(&self) -> &Graph {
        self.graph
    }

    /// The type of a node. Recursion ends, because no node applies to its own value again.
    pub fn of(&self, at: Index) -> Type {
        if let Some(known) = self.known.borrow().get(&at) {
            return known.clone();
        }
        let node = &self.graph.nodes[at];
        if node.never {
            return Type::NEVER;
        }
        if self.depth.get() >= MAX_DEPTH {
            return Type::ANY;
        }
        self.depth.set(self.depth.get() + 1);
        let mut kind = node.types().map_or(Type::ANY, |types| Type::named(&types));
        let own = || Containers::Either(vec![Nodes::from([at])]);
        if ABOUT_ARRAYS.iter().any(|keyword| node.has(keyword)) {
            kind.arrays = kind.arrays.meet(own());
        }
        if ABOUT_OBJECTS.iter().any(|keyword| node.has(keyword)) {
            kind.objects = kind.objects.meet(own());
        }
        if let Some(value) = node.keywords.get("const") {
            kind = kind.meet(Type::of(value));
        }
        if let Some(values) = node.keywords.get("enum").and_then(Value::as_array) {
            kind = kind.meet(values.iter().map(Type::of).fold(Type::NEVER, Type::join));
        }
        for child in node.one("ref").into_iter().chain(node.list("allOf")) {
            kind = kind.meet(self.of(child));
        }
        for keyword in ["anyOf", "oneOf"] {
            if node.has(keyword) {
                let each = node.list(keyword).into_iter().map(|child| self.of(child));
                kind = kind.meet(each.fold(Type::NEVER, Type::join));
            }
        }
        self.depth.set(self.depth.get() - 1);
        self.known.borrow_mut().insert(at, kind.clone());
        kind
    }

    /// Words for the alternatives of a union of objects, such as `Card` and `Voucher`: the only text that a field has in
    /// each. Without such a field, there are no words.
    pub fn words(&self, alternatives: &[Nodes]) -> Vec<String> {
        if let Some(known) = self.words.borrow().get(alternatives) {
            return known.clone();
        }
        let texts = |nodes: &Nodes| -> Vec<(String, String)> {
            let fields = self.object(nodes).fields.into_iter();
            fields.filter_map(|field| Some((field.name, field.kind.only_text()?.to_owned()))).collect()
        };
        let mut words = Vec::new();
        if let [first, others @ ..] = alternatives
            && !others.is_empty()
        {
            let others: Vec<HashMap<String, String>> =
                others.iter().map(|nodes| texts(nodes).into_iter().collect()).collect();
            let of_field = |(name, text): (String, String)| {
                let others: Option<Vec<&String>> = others.iter().map(|texts| texts.get(&name)).collect();
                let words: Vec<String> =
                    std::iter::once(&text).chain(others?).map(|text| pascal(text)).collect();
                (words.iter().collect::<BTreeSet<_>>().len() == words.len()).then_some(words)
            };
            words = texts(first).into_iter().take(MAX_TAGS).find_map(of_field).unwrap_or_default();
        }
        self.words.borrow_mut().insert(alternatives.to_vec(), words.clone());
        words
    }

    /// The alternatives of a union of objects, each with the name of its class, which begins with `name`.
    pub(crate) fn named<'n>(&self, alternatives: &'n [Nodes], name: &str) -> Vec<(&'n Nodes, String)> {
        let words = self.words(alternatives);
        let word = |at: usize| words.get(at).map_or("", String::as_str);
        alternatives.iter().enumerate().map(|(at, nodes)| (nodes, format!("{name}{}", word(at)))).collect()
    }

    /// What is known of objects that fit all of the nodes.
    pub fn object(&self, nodes: &Nodes) -> Object {
        let each = || nodes.iter().map(|at| &self.graph.nodes[*at]);
        let mut names: Vec<&str> = Vec::new();
        let mut seen = BTreeSet::new();
        let required: BTreeSet<&str> = each()
            .filter_map(|node| node.keywords.get("required")?.as_array())
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for node in each() {
            for (name, _) in node.named("properties") {
                names.extend(seen.insert(name).then_some(name));
            }
        }
        names.extend(required.iter().filter(|name| seen.insert(*name)));
        let mut fields = Vec::new();
        for name in names {
            let (mut kind, mut description) = (Type::ANY, "");
            for node in each() {
                let named =
                    node.keywords.get("properties").and_then(|all| all.get(name)).and_then(Value::as_u64);
                if let Some(at) = named.and_then(|at| usize::try_from(at).ok()) {
                    kind = kind.meet(self.of(at));
                    if description.is_empty() {
                        description = &self.graph.nodes[at].description;
                    }
                } else if !node.has("patternProperties") {
                    kind = kind.meet(node.one("additionalProperties").map_or(Type::ANY, |at| self.of(at)));
                }
            }
            let required = required.contains(name);
            fields.push(Field { name: name.to_owned(), kind, required, description: description.to_owned() });
        }
        let others = each().map(|node| {
            let rest = node.one("additionalProperties").map_or(Type::ANY, |at| self.of(at));
            node.named("patternProperties").into_iter().map(|(_, at)| self.of(at)).fold(rest, Type::join)
        });
        Object { fields, others: others.fold(Type::ANY, Type::meet) }
    }

    /// What is known of objects that fit some alternative: a field is required if all of them require it.
    pub fn either_object(&self, alternatives: &[Nodes]) -> Object {
        let each: Vec<Object> = alternatives.iter().map(|nodes| self.object(nodes)).collect();
        let mut seen = BTreeSet::new();
        let known = each.iter().flat_map(|object| &object.fields);
        let first: Vec<&Field> = known.filter(|field| seen.insert(&field.name)).collect();
        let fields = first.into_iter().map(|first| {
            let of = |object: &Object| object.fields.iter().find(|field| field.name == first.name).cloned();
            let kinds =
                each.iter().map(|object| of(object).map_or_else(|| object.others.clone(), |own| own.kind));
            let kind = kinds.fold(Type::NEVER, Type::join);
            let required = each.iter().all(|object| of(object).is_some_and(|own| own.required));
            Field { kind, required, ..first.clone() }
        });
        let others = each.iter().map(|object| object.others.clone()).fold(Type::NEVER, Type::join);
        Object { fields: fields.collect(), others }
    }

    /// What is known of arrays that fit all of the nodes.
    pub fn array(&self, nodes: &Nodes) -> Array {
        let each = || nodes.iter().map(|at| &self.graph.nodes[*at]);
        let rest = |node: &crate::graph::Node| node.one("items").map_or(Type::ANY, |at| self.of(at));
        let length = each().map(|node| node.list("prefixItems").len()).max().unwrap_or(0);
        let at = |position: usize| {
            let types = each().map(|node| match node.list("prefixItems").get(position) {
                Some(at) => self.of(*at),
                None => rest(node),
            });
            types.fold(Type::ANY, Type::meet)
        };
        let mut first: Vec<Type> = (0..length).map(at).collect();
        // What cannot be is not there; numbers of items beyond 2^53 do not occur.
        let most = each().filter_map(|node| node.number("maxItems")).fold(f64::INFINITY, f64::min);
        if (first.len() as f64) > most {
            first.truncate(most as usize);
        }
        let closed = (first.len() as f64) >= most;
        let others = if closed { Type::NEVER } else { each().map(rest).fold(Type::ANY, Type::meet) };
        let least = each().filter_map(|node| node.number("minItems")).fold(0.0, f64::max);
        Array { first, others, least: least as usize }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::compile::{Options, compile};
    use crate::types::Scalars;

    fn graph(schema: &Value) -> Graph {
        compile(schema, Options { optional: false, pattern: |text| Some(text.to_owned()) })
    }

    #[test]
    fn fields_of_alternatives_are_those_of_all() {
        let closed = |kind: &str, field: &str| {
            json!({"type": "object", "additionalProperties": false, "required": ["kind", field],
                "properties": {"kind": {"const": kind}, (field): {"type": "string"}}})
        };
        let graph = graph(&json!({"oneOf": [closed("card", "last4"), closed("voucher", "code")]}));
        let types = Types::new(&graph);
        let Containers::Either(alternatives) = types.of(0).objects else { panic!("no objects") };
        let object = types.either_object(&alternatives);
        let fields: Vec<(&str, bool)> =
            object.fields.iter().map(|field| (field.name.as_str(), field.required)).collect();
        assert_eq!(fields, [("kind", true), ("last4", false), ("code", false)]);
        assert_eq!(object.fields[0].kind.strings, Scalars::Listed(vec![json!("card"), json!("voucher")]));
        assert_eq!((object.fields[1].kind.clone(), object.others), (Type::named(&["string"]), Type::NEVER));
        assert_eq!(types.words(&alternatives), ["Card", "Voucher"]);
    }

    #[test]
    fn alternatives_without_a_text_of_their_own_have_no_words() {
        let words = |first: Value, second: Value, required: &[&str]| {
            let object =
                |kind: Value| json!({"type": "object", "required": required, "properties": {"kind": kind}});
            let graph = graph(&json!({"anyOf": [object(first), object(second)]}));
            let types = Types::new(&graph);
            let Containers::Either(alternatives) = types.of(0).objects else { panic!("no objects") };
            types.words(&alternatives)
        };
        assert_eq!(
            words(json!({"enum": ["bank-card"]}), json!({"const": "7"}), &["kind"]),
            ["BankCard", "T7"]
        );
        // Nothing is required of schemas whose quality is not high.
        let none: &[&str] = &[];
        assert_eq!(words(json!({"const": "card"}), json!({"const": "voucher"}), none), ["Card", "Voucher"]);
        assert_eq!(words(json!({"const": "a-b"}), json!({"const": "a_b"}), &["kind"]), none);
        assert_eq!(words(json!({"const": "card"}), json!({"enum": ["a", "b"]}), &["kind"]), none);
        assert_eq!(words(json!({"const": "card"}), json!({"enum": ["a", null]}), &["kind"]), none);
    }

    #[test]
    fn unions_and_intersections_are_by_json_type() {
        let graph = graph(&json!({"allOf": [
            {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
            {"enum": ["a", 1, 1.5, true]}]}));
        let kind = Types::new(&graph).of(0);
        assert_eq!(kind.strings, Scalars::Listed(vec![json!("a")]));
        assert_eq!(kind.numbers, Scalars::Listed(vec![json!(1)]));
        assert_eq!((kind.null, kind.booleans, kind.objects), (false, Scalars::Never, Containers::Never));
    }

    #[test]
    fn fields_of_all_parts_are_one_object() {
        let graph = graph(&json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}},
            "allOf": [{"$ref": "#/$defs/b"}, {"required": ["c"]}],
            "$defs": {"b": {"properties": {"a": {"type": "string"}, "next": {"$ref": "#"}}}}}));
        let types = Types::new(&graph);
        let kind = types.of(0);
        let Containers::Either(alternatives) = &kind.objects else { panic!("{kind:?}") };
        let object = types.object(&alternatives[0]);
        let names: Vec<_> = object.fields.iter().map(|field| (field.name.as_str(), field.required)).collect();
        assert_eq!(names, [("a", false), ("next", false), ("c", true)]);
        assert_eq!(object.fields[0].kind, Type { strings: Scalars::All, ..Type::NEVER });
        assert_eq!(object.fields[1].kind.objects, kind.objects);
    }

    #[test]
    fn tuples_know_their_length() {
        let graph = graph(&json!({"prefixItems": [{"type": "string"}, true], "minItems": 1, "maxItems": 2}));
        let types = Types::new(&graph);
        let Containers::Either(alternatives) = types.of(0).arrays else { panic!() };
        let array = types.array(&alternatives[0]);
        assert_eq!((array.first.len(), array.others, array.least), (2, Type::NEVER, 1));
    }
}
