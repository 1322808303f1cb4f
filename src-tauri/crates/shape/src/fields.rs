//! Numbers for people: each field's presence, types and consistency.
//!
//! Owns: *field consistency* and the written form of paths. Refuses to know: schemas.

use serde::{Deserialize, Serialize};

use crate::node::{Node, Shape, Type};

/// Distinct keys an object needs before it may be taken for a map.
const MAP_MIN_KEYS: usize = 8;

/// Keys and objects from which on it tells that no key is in most of the objects.
const MAP_MANY_KEYS: usize = 16;
const MAP_MIN_OBJECTS: u64 = 8;

/// How often a field is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    /// Parent objects that have the field.
    pub present: u64,
    /// Parent objects seen.
    pub parents: u64,
}

/// How many values of one type were seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeCount {
    /// JSON Schema's name of the type; `any` for what lies too deep.
    #[serde(rename = "type")]
    pub name: String,
    /// Values seen.
    pub count: u64,
}

/// How consistent the fields of a shape are, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Consistency {
    /// The mean over all named fields outside maps.
    pub mean: f64,
    /// The least consistent of them.
    pub lowest: f64,
}

/// What is known of one named field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldReport {
    /// Path from the root: `orders[].customer`, `meta{}` for a map's values, `["odd key"]`.
    pub path: String,
    /// The end of the path that is this field's own: `customer`, `["odd key"]`.
    pub name: String,
    /// Named fields around it.
    pub depth: usize,
    /// Its types for people, the most frequent first, null last: `date-time`, `array of string`,
    /// `map of number`.
    pub kinds: Vec<String>,
    /// How often it is there.
    #[serde(flatten)]
    pub presence: Presence,
    /// Types seen, without those never seen.
    pub types: Vec<TypeCount>,
    /// Share of parent objects in which the field is present with its dominant type, 0 to 1.
    /// Integers are numbers; null makes a field nullable, not inconsistent.
    pub consistency: f64,
}

impl Shape {
    /// Every named field outside maps, parents before children, in order of path.
    pub fn fields(&self) -> Vec<FieldReport> {
        let mut fields = Vec::new();
        collect(&self.root, "", 0, &mut fields);
        fields
    }

    /// How consistent the fields are. A shape without named fields uses its root's type agreement; a
    /// shape of nothing has none.
    pub fn consistency(&self) -> Option<Consistency> {
        if self.observations == 0 {
            return None;
        }
        let mut sums = Sums { count: 0, total: 0.0, lowest: 1.0 };
        sums.add(&self.root);
        if sums.count == 0 {
            let root = agreement(&self.root, self.observations, self.observations);
            return Some(Consistency { mean: root, lowest: root });
        }
        Some(Consistency { mean: sums.total / sums.count as f64, lowest: sums.lowest })
    }

    /// Mean of all fields' consistency, 0 to 1; none for a shape of nothing.
    pub fn mean_consistency(&self) -> Option<f64> {
        self.consistency().map(|consistency| consistency.mean)
    }
}

struct Sums {
    count: u64,
    total: f64,
    lowest: f64,
}

impl Sums {
    fn add(&mut self, node: &Node) {
        if node.is_map() {
            self.add(&node.map_values());
        } else {
            let parents = node.count(Type::Object);
            for field in node.fields.values() {
                let consistency = agreement(field, field.present, parents);
                self.count += 1;
                self.total += consistency;
                self.lowest = self.lowest.min(consistency);
                self.add(field);
            }
        }
        if let Some(items) = &node.items {
            self.add(items);
        }
    }
}

impl Node {
    /// Whether the object here is a key-value map rather than a record: at least eight keys, values
    /// alike, and either half of the keys in one object only, or, when there are more keys, none in
    /// more than half of the objects. Records have fields that are mostly there. One object alone
    /// never tells.
    pub(crate) fn is_map(&self) -> bool {
        let (keys, objects) = (self.fields.len(), self.count(Type::Object));
        let singletons = self.fields.values().filter(|field| field.present == 1).count();
        let most = self.fields.values().map(|field| field.present).max().unwrap_or(0);
        let seldom = keys >= MAP_MANY_KEYS && objects >= MAP_MIN_OBJECTS && most * 2 <= objects;
        objects >= 2 && keys >= MAP_MIN_KEYS && (singletons * 2 >= keys || seldom) && self.values_alike()
    }

    /// All values of a map as one node.
    pub(crate) fn map_values(&self) -> Self {
        let mut values = Self::default();
        for field in self.fields.values() {
            values.merge(field);
        }
        // Of values not kept only the type is known; what was inside them may be anything.
        for kind in Type::ALL {
            let seen = if matches!(kind, Type::Object | Type::Array) { Type::Opaque } else { kind };
            values.counts[seen as usize] += self.other[kind as usize];
        }
        values
    }

    fn values_alike(&self) -> bool {
        let mut families = self.fields.values().filter_map(|field| dominant(field).map(|(family, _)| family));
        let Some(first) = families.next() else { return false };
        families.all(|family| family == first)
    }
}

/// The most frequent type but null, with integers counted as numbers; ties go to the first of
/// [`Type::ALL`].
fn dominant(node: &Node) -> Option<(Type, u64)> {
    Type::ALL
        .into_iter()
        .filter(|kind| !matches!(kind, Type::Null | Type::Integer))
        .map(|kind| match kind {
            Type::Number => (kind, node.count(Type::Number) + node.count(Type::Integer)),
            _ => (kind, node.count(kind)),
        })
        .filter(|(_, count)| *count > 0)
        .max_by_key(|(kind, count)| (*count, std::cmp::Reverse(*kind)))
}

/// `present` caps what repeated keys add beyond one value per parent.
fn agreement(node: &Node, present: u64, parents: u64) -> f64 {
    let agreeing = dominant(node).map_or(0, |(_, count)| count) + node.count(Type::Null);
    agreeing.min(present) as f64 / parents.max(1) as f64
}

fn collect(node: &Node, path: &str, depth: usize, into: &mut Vec<FieldReport>) {
    if node.is_map() {
        collect(&node.map_values(), &format!("{path}{{}}"), depth, into);
    } else {
        let parents = node.count(Type::Object);
        for (key, field) in &node.fields {
            let (path, name) = join(path, key);
            into.push(FieldReport {
                presence: Presence { present: field.present, parents },
                kinds: kinds(field),
                types: type_counts(field),
                consistency: agreement(field, field.present, parents),
                path: path.clone(),
                name,
                depth,
            });
            collect(field, &path, depth + 1, into);
        }
    }
    if let Some(items) = &node.items {
        collect(items, &format!("{path}[]"), depth, into);
    }
}

fn type_counts(node: &Node) -> Vec<TypeCount> {
    let seen = Type::ALL.into_iter().filter(|kind| node.count(*kind) > 0);
    seen.map(|kind| TypeCount { name: kind.name().to_owned(), count: node.count(kind) }).collect()
}

fn kinds(node: &Node) -> Vec<String> {
    let mut seen: Vec<Type> = Type::ALL.into_iter().filter(|kind| node.count(*kind) > 0).collect();
    if node.count(Type::Number) > 0 {
        // Integers are numbers.
        seen.retain(|kind| *kind != Type::Integer);
    }
    seen.sort_by_key(|kind| (*kind == Type::Null, std::cmp::Reverse(node.count(*kind)), *kind));
    seen.into_iter().map(|kind| kind_of(node, kind)).collect()
}

/// One type with what is inside, one level deep, where that is of one kind.
fn kind_of(node: &Node, kind: Type) -> String {
    let within = |inner: &Node| match kinds_of_one_level(inner).as_slice() {
        [only] => Some(only.to_string()),
        _ => None,
    };
    match kind {
        Type::String => node.format().map_or("string", |format| format.name()).to_owned(),
        Type::Array => {
            let items = node.items.as_deref().and_then(within);
            items.map_or_else(|| "array".to_owned(), |items| format!("array of {items}"))
        }
        Type::Object if node.is_map() => {
            let values = within(&node.map_values());
            values.map_or_else(|| "map".to_owned(), |values| format!("map of {values}"))
        }
        other => other.name().to_owned(),
    }
}

fn kinds_of_one_level(node: &Node) -> Vec<&'static str> {
    let integers_are_numbers = node.count(Type::Number) > 0;
    Type::ALL
        .into_iter()
        .filter(|kind| node.count(*kind) > 0 && !(integers_are_numbers && *kind == Type::Integer))
        .map(|kind| match kind {
            Type::String => node.format().map_or("string", |format| format.name()),
            other => other.name(),
        })
        .collect()
}

/// A key appended to a path, and the part that is its own; keys that are not plain words are quoted
/// as JSON.
fn join(path: &str, key: &str) -> (String, String) {
    let plain = key.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-'));
    let name = if plain { key.to_owned() } else { format!("[{}]", serde_json::Value::from(key)) };
    let dot = if plain && !path.is_empty() { "." } else { "" };
    (format!("{path}{dot}{name}"), name)
}
