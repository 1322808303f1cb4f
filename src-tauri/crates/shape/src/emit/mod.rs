//! Emission: from a shape to a JSON Schema (draft 2020-12).
//!
//! It decides which counts lead to which keyword and can explain each decision with its numbers.
//! The schema accepts every document the shape was made from.

mod array;
mod decided;
mod incremental;
mod limits;
mod map;
mod nesting;
mod object;
mod policy;
mod refresh;
mod scalar;
mod union;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use array::Tuple;
pub use incremental::Emission;
pub(crate) use limits::Limits;
pub(crate) use map::{MapValues, dominant, is_certainly_data, is_map};
pub use policy::Policy;
pub(crate) use union::{Alternative, alternatives};

use crate::node::{Id, Node, Step, Type};
use crate::path;
use crate::shape::Shape;
use crate::tree::ROOT;
use crate::veil::schema_without_values;
use crate::view::View;

/// Object of a JSON Schema.
pub(crate) type Schema = Map<String, Value>;

/// A decision about the schema, with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Path: `orders[].customer`, `stock{}` for a map's values, empty for the whole document.
    pub path: String,
    /// Statement of the schema: `required`, `enum of 4`, `map of integer`, `format date-time`.
    pub decision: String,
    /// Numbers behind the decision.
    pub because: String,
}

impl Shape {
    /// Returns the schema of everything observed. An empty shape gives the schema that accepts
    /// everything.
    pub fn schema(&self, policy: &Policy) -> Value {
        let kept = self.kept();
        let tree = self.view(&kept);
        let limits = limits(tree, policy);
        let mut schema = document(Emitter::new(&limits).value(tree, ROOT, Kinds::ALL));
        nesting::bound(&mut schema, nesting::deepest(tree.nodes().map(|(_, node)| node)));
        let schema = Value::Object(schema);
        if self.is_veiled() { schema_without_values(&schema) } else { schema }
    }

    /// Returns all decisions with their numbers, in the order of the schema.
    pub fn explain(&self, policy: &Policy) -> Vec<Decision> {
        let kept = self.kept();
        let tree = self.view(&kept);
        let limits = limits(tree, policy);
        let mut emitter = Emitter { decisions: Some(Vec::new()), ..Emitter::new(&limits) };
        emitter.value(tree, ROOT, Kinds::ALL);
        emitter.decisions.unwrap_or_default()
    }
}

/// Returns the thresholds for what was observed.
pub(crate) fn limits(tree: View<'_>, policy: &Policy) -> Limits {
    Limits::of(tree, policy, variety(tree).0)
}

/// Adds `$schema` to the root's schema.
fn document(mut root: Schema) -> Schema {
    let mut schema = Map::new();
    schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.append(&mut root);
    schema
}

/// Set of types, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const ALL: Self = Self(u8::MAX);

    pub(crate) fn of(kinds: impl IntoIterator<Item = Type>) -> Self {
        Self(kinds.into_iter().fold(0, |bits, kind| bits | 1 << kind as u8))
    }

    fn bits(self) -> u8 {
        self.0
    }

    fn has(self, kind: Type) -> bool {
        self.0 >> kind as u8 & 1 == 1
    }
}

/// Writer of schemas, and of its decisions if requested.
pub(crate) struct Emitter<'p> {
    pub(crate) limits: &'p Limits,
    path: String,
    decisions: Option<Vec<Decision>>,
    /// Number of times the current part occurs in the schema: alternatives and positions repeat
    /// what they share.
    copies: usize,
    /// Whether only a node's own part is written, with empty parts for children that occur once.
    own: bool,
}

/// Most copies of one path in a schema. Unions and tuples that would need more are not emitted.
const MAX_COPIES: usize = 16;

impl<'p> Emitter<'p> {
    fn new(limits: &'p Limits) -> Self {
        Self { limits, path: String::new(), decisions: None, copies: 1, own: false }
    }

    /// Returns whether this many copies of everything below may be written.
    fn may_copy(&self, times: usize) -> bool {
        self.copies.saturating_mul(times) <= MAX_COPIES
    }

    /// Writes something that occurs this many times.
    fn copied<T>(&mut self, times: usize, run: impl FnOnce(&mut Self) -> T) -> T {
        let copies = self.copies;
        self.copies = copies.saturating_mul(times);
        let result = run(self);
        self.copies = copies;
        result
    }

    /// Writes without recording decisions.
    fn silently<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let decisions = self.decisions.take();
        let result = run(self);
        self.decisions = decisions;
        result
    }

    fn decide(&mut self, decision: impl FnOnce() -> (String, String)) {
        if let Some(decisions) = &mut self.decisions {
            let (decision, because) = decision();
            decisions.push(Decision { path: self.path.clone(), decision, because });
        }
    }

    /// Writes at a path below the current one.
    fn below<T>(&mut self, step: path::Step<'_>, run: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        if self.decisions.is_some() {
            path::push(&mut self.path, step);
        }
        let result = run(self);
        self.path.truncate(length);
        result
    }

    /// Returns the schema of a node's values, restricted to these types.
    pub(crate) fn value(&mut self, tree: View<'_>, id: Id, asked: Kinds) -> Schema {
        let node = tree.node(id);
        if node.count(Type::Opaque) > 0 || node.total() == 0 {
            self.decide(|| match node.count(Type::Opaque) {
                0 => ("anything".into(), "no values were observed here".into()),
                count => ("anything".into(), format!("{count} values were not examined")),
            });
            return Map::new();
        }
        let mut kinds: Vec<Type> =
            kinds(node, self.limits.integer_after).into_iter().filter(|kind| asked.has(*kind)).collect();
        let nullable = node.count(Type::Null) > 0 && asked.has(Type::Null);
        if kinds.len() > 1 {
            self.decide(|| (format!("union of {}", kinds.len()), shares(node)));
            let mut any_of: Vec<Value> =
                kinds.into_iter().map(|kind| Value::Object(self.variant(tree, id, kind))).collect();
            if nullable {
                any_of.push(json!({"type": "null"}));
            }
            return Map::from_iter([("anyOf".to_owned(), Value::Array(any_of))]);
        }
        let Some(kind) = kinds.pop() else {
            if is_little_known(tree, node, self.limits) {
                let nulls = node.count(Type::Null);
                self.decide(|| ("anything".into(), format!("only null was seen, {nulls} times")));
                return Map::new();
            }
            return Map::from_iter([("type".to_owned(), "null".into())]);
        };
        let schema = self.variant(tree, id, kind);
        if nullable {
            self.decide(|| {
                let (nulls, total) = (node.count(Type::Null), node.total());
                ("nullable".into(), format!("null in {nulls} of {total} values"))
            });
            return or_null(schema);
        }
        schema
    }

    /// Returns whether children that occur once are left empty.
    fn leaves_out(&self) -> bool {
        self.own && self.copies == 1
    }

    /// Returns the schema of a child that occurs once and completely in its parent's schema.
    fn child(&mut self, tree: View<'_>, id: Id) -> Schema {
        if self.leaves_out() { Map::new() } else { self.value(tree, id, Kinds::ALL) }
    }

    /// Returns the schema of a node with everything below it.
    fn whole(&mut self, tree: View<'_>, id: Id) -> Schema {
        let own = std::mem::replace(&mut self.own, false);
        let schema = self.value(tree, id, Kinds::ALL);
        self.own = own;
        schema
    }

    fn variant(&mut self, tree: View<'_>, id: Id, kind: Type) -> Schema {
        match kind {
            Type::String => self.string(tree, id),
            Type::Integer | Type::Number => self.number(tree, id, kind),
            Type::Array => self.array(tree, id),
            Type::Object => self.object(tree, id),
            Type::Null | Type::Boolean | Type::Opaque => typed(kind),
        }
    }
}

/// Different observations from which on their number no longer limits what is concluded.
const MOST_VARIETY: u64 = 20;

/// Estimates how many of the observations differ, up to [`MOST_VARIETY`]. Also returns the path that shows it.
fn variety(tree: View<'_>) -> (u64, Id) {
    let mut most = (0, ROOT);
    for (id, _) in tree.nodes() {
        most = most.max((variety_at(tree, id), id));
        if most.0 == MOST_VARIETY {
            break;
        }
    }
    most
}

/// The same by one path: as many as it has values, or a fraction of them where one observation has several.
fn variety_at(tree: View<'_>, id: Id) -> u64 {
    let node = tree.node(id);
    let strings = tree.strings(id).map_or(0, |strings| strings.distinct.count());
    let numbers = tree.numbers(id).map_or(0, |numbers| numbers.distinct.count());
    let share =
        u128::from(strings.max(numbers)) * u128::from(node.documents) / u128::from(node.total().max(1));
    share.min(u128::from(MOST_VARIETY)) as u64
}

/// Returns the schema that states only the type.
fn typed(kind: Type) -> Schema {
    Map::from_iter([("type".to_owned(), kind.name().into())])
}

/// Returns the types that a schema must distinguish: all observed types except null, and integers
/// only if no other number was observed, and enough of them.
fn kinds(node: &Node, integer_after: u64) -> Vec<Type> {
    let seen = |kind: Type| node.count(kind) > 0;
    let integer = are_integers(node, integer_after);
    Type::ALL
        .into_iter()
        .filter(|kind| match kind {
            Type::Null | Type::Opaque => false,
            Type::Integer => integer,
            Type::Number => !integer && (seen(Type::Integer) || seen(Type::Number)),
            other => seen(*other),
        })
        .collect()
}

/// Returns whether the numbers here are integers, as far as can be said after so many.
fn are_integers(node: &Node, integer_after: u64) -> bool {
    node.count(Type::Number) == 0 && node.count(Type::Integer) >= integer_after.max(1)
}

/// Returns whether all values were null, and too few to conclude that there are no others.
fn is_little_known(tree: View<'_>, node: &Node, policy: &Policy) -> bool {
    let nulls = node.count(Type::Null);
    // The root of what was merged is the values of a map.
    let is_document = node.step == Step::Root && !tree.tree().uneven;
    let after = if is_document { policy.null_after } else { policy.null_field_after };
    nulls == node.total() && nulls < after
}

fn shares(node: &Node) -> String {
    let seen = Type::ALL.into_iter().filter(|kind| node.count(*kind) > 0);
    let shares: Vec<String> = seen.map(|kind| format!("{} {}", node.count(kind), kind.name())).collect();
    format!("{} of {} values", shares.join(", "), node.total())
}

/// Extends a schema to accept null.
fn or_null(mut schema: Schema) -> Schema {
    if schema.contains_key("oneOf") {
        return Map::from_iter([("anyOf".to_owned(), json!([schema, {"type": "null"}]))]);
    }
    if let Some(value) = schema.remove("const") {
        schema.insert("enum".into(), json!([value, null]));
    } else if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind.take(), "null"]);
    }
    schema
}

/// Returns the schema of values of which only the types are known.
fn of_types(counts: &crate::node::Counts) -> Schema {
    let seen = |kind: Type| counts[kind as usize] > 0;
    let names: Vec<Value> = Type::ALL
        .into_iter()
        .filter(|kind| seen(*kind) && !(*kind == Type::Integer && seen(Type::Number)))
        .map(|kind| kind.name().into())
        .collect();
    match names.as_slice() {
        _ if seen(Type::Opaque) => Map::new(),
        [only] => Map::from_iter([("type".to_owned(), only.clone())]),
        _ => Map::from_iter([("type".to_owned(), names.into())]),
    }
}
