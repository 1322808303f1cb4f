//! Tagged unions: objects in which one field's value determines the other fields.

use serde_json::{Map, Value, json};

use super::object::{Openness, openness};
use super::{Emitter, Kinds, Policy, Schema};
use crate::node::{Id, Node, Type};
use crate::path;
use crate::tags::{OwnedValue, Row};
use crate::view::View;

/// Largest share of objects with a value seen once, up to which no further values are expected
/// (Good–Turing).
const MAX_ONCE: f64 = 0.05;

/// A tagged union.
pub(crate) struct Alternatives<'t> {
    /// Place of the tag among the fields.
    tag: usize,
    /// Values of the tag, each with the fields that came with it.
    rows: Vec<&'t Row>,
    /// Number of fields that the tag determines.
    determined: usize,
}

/// An alternative in display form.
pub(crate) struct Alternative {
    /// Value of the tag.
    pub(crate) value: Value,
    /// Number of objects.
    pub(crate) count: u64,
    /// Fields of these objects, and whether all of them have the field.
    pub(crate) fields: Vec<(String, bool)>,
}

impl Alternatives<'_> {
    /// Returns the number of alternatives.
    pub(crate) fn count(&self) -> usize {
        self.rows.len()
    }

    /// Returns the name of the tag.
    pub(crate) fn tag<'t>(&self, tree: View<'t>, id: Id) -> &'t str {
        tree.node(id).fields.at(self.tag).0
    }

    /// Passes on everything the schema of the alternatives depends on, besides the schemas of the
    /// members.
    pub(super) fn decisions(&self, node: &Node, policy: &Policy, mut decide: impl FnMut(u64)) {
        decide(self.tag as u64);
        for row in &self.rows {
            match &row.value {
                OwnedValue::Boolean(value) => decide(u64::from(*value)),
                OwnedValue::Text(text) => text.bytes().for_each(|byte| decide(u64::from(byte))),
            }
            decide(u64::from(is_known_well(node, row, policy)));
            for place in 0..node.fields.len() {
                let with = row.with(place);
                decide(
                    u64::from(member_kinds(row, place).bits()) << 2
                        | u64::from(with > 0) << 1
                        | u64::from(with == row.count),
                );
            }
        }
    }

    /// Returns the alternatives, ordered by value.
    pub(crate) fn list(&self, tree: View<'_>, id: Id) -> Vec<Alternative> {
        let fields = &tree.node(id).fields;
        let alternative = |row: &&Row| {
            let members =
                fields.places().iter().map(|place| *place as usize).filter(|place| *place != self.tag);
            let with = members.map(|place| (place, row.with(place))).filter(|(_, with)| *with > 0);
            Alternative {
                value: json_of(&row.value),
                count: row.count,
                fields: with
                    .map(|(place, with)| (fields.at(place).0.to_owned(), with == row.count))
                    .collect(),
            }
        };
        self.rows.iter().map(alternative).collect()
    }
}

fn json_of(value: &OwnedValue) -> Value {
    match value {
        OwnedValue::Boolean(value) => (*value).into(),
        OwnedValue::Text(text) => (**text).into(),
    }
}

/// Returns whether there were enough objects with the tag's value. Objects of one document count as one.
fn is_known_well(node: &Node, row: &Row, policy: &Policy) -> bool {
    node.documents.min(row.count) >= policy.required_after
}

/// Returns the types of a member in the objects of a row. Integers and numbers count as one.
fn member_kinds(row: &Row, member: usize) -> Kinds {
    let seen = |kind: Type| row.has(member, kind);
    let number = seen(Type::Number) || seen(Type::Integer);
    Kinds::of(Type::ALL.into_iter().filter(|kind| match kind {
        Type::Integer | Type::Number => number,
        other => seen(*other),
    }))
}

/// Returns the alternatives by the field whose value determines most other fields, if there is one.
/// A field is determined if for each value it is either always or never present, and not the same
/// for all values, or if it has other types.
pub(crate) fn alternatives<'t>(tree: View<'t>, id: Id, policy: &Policy) -> Option<Alternatives<'t>> {
    let node = tree.node(id);
    let objects = node.count(Type::Object);
    // Joint counts are counts of values, so they do not give the number of objects if an object has
    // a duplicate key.
    let repeated = tree.fields(id).any(|(_, field)| tree.node(field).repeated > 0);
    if objects < policy.enum_after || repeated {
        return None;
    }
    let mut best: Option<Alternatives<'t>> = None;
    for (tag, rows) in tree.tags(id)?.fields() {
        let counted: u64 = rows.iter().map(|row| row.count).sum();
        let once = rows.iter().filter(|row| row.count == 1).count();
        let seen_enough = once as f64 <= MAX_ONCE * objects as f64 && once < rows.len();
        let always = counted == objects && tree.node(node.fields.at(tag).1).present == objects;
        if rows.len() < 2 || !seen_enough || !always {
            continue;
        }
        let determined =
            (0..node.fields.len()).filter(|place| *place != tag && determines(&rows, *place)).count();
        if determined > best.as_ref().map_or(0, |best| best.determined) {
            best = Some(Alternatives { tag, rows, determined });
        }
    }
    best
}

/// Returns whether a tag's value determines the presence or the type of a member.
fn determines(rows: &[&Row], member: usize) -> bool {
    let decided = |row: &&Row| matches!(row.with(member), with if with == 0 || with == row.count);
    if !rows.iter().all(decided) {
        return false;
    }
    let there = rows.iter().filter(|row| row.with(member) > 0);
    if there.clone().count() < rows.len() {
        return there.count() > 0;
    }
    let kinds: Vec<Kinds> = rows.iter().map(|row| member_kinds(row, member)).collect();
    kinds
        .iter()
        .enumerate()
        .all(|(at, mine)| kinds[..at].iter().all(|theirs| mine == theirs || mine.0 & theirs.0 == 0))
        && kinds.windows(2).any(|pair| pair[0] != pair[1])
}

impl Emitter<'_> {
    pub(super) fn union(&mut self, tree: View<'_>, id: Id, found: &Alternatives<'_>) -> Schema {
        let node = tree.node(id);
        let (objects, tag) = (node.count(Type::Object), found.tag(tree, id));
        self.decide(|| {
            let because = format!(
                "`{tag}` determines {} of {} other fields in {objects} objects",
                found.determined,
                node.fields.len() - 1
            );
            (format!("tagged union of {}", found.rows.len()), because)
        });
        let closed = matches!(openness(tree, id, self.limits), Openness::Closed(_));
        // Explained once for all alternatives.
        if self.decisions.is_some() {
            for (name, field) in tree.fields(id) {
                self.below(path::Step::Field(name), |emitter| {
                    emitter.decide(|| {
                        let present = tree.node(field).present;
                        let decision =
                            if present == objects { "required".into() } else { format!("by `{tag}`") };
                        (decision, format!("present in {present} of {objects} objects"))
                    });
                    emitter.value(tree, field, Kinds::ALL)
                });
            }
        }
        let one_of: Vec<Value> = found
            .rows
            .iter()
            .map(|row| {
                Value::Object(self.silently(|emitter| emitter.alternative(tree, id, found.tag, row, closed)))
            })
            .collect();
        Map::from_iter([("type".to_owned(), "object".into()), ("oneOf".to_owned(), one_of.into())])
    }

    fn alternative(&mut self, tree: View<'_>, id: Id, tag: usize, row: &Row, closed: bool) -> Schema {
        let node = tree.node(id);
        let known_well = is_known_well(node, row, self.limits);
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for place in node.fields.places().iter().map(|place| *place as usize) {
            let (name, field) = node.fields.at(place);
            let with = row.with(place);
            if place == tag {
                properties.insert(name.to_owned(), json!({"const": json_of(&row.value)}));
                required.push(name);
            } else if with > 0 {
                let kinds = if known_well { member_kinds(row, place) } else { Kinds::ALL };
                properties.insert(name.to_owned(), self.value(tree, field, kinds).into());
                if with == row.count && (known_well || tree.node(field).present == node.count(Type::Object)) {
                    required.push(name);
                }
            } else if !known_well {
                // Too few objects to conclude that the field never comes with this value.
                properties.insert(name.to_owned(), self.value(tree, field, Kinds::ALL).into());
            }
        }
        let mut schema = Map::new();
        schema.insert("properties".into(), properties.into());
        schema.insert("required".into(), required.into());
        if closed {
            schema.insert("additionalProperties".into(), false.into());
        }
        schema
    }
}
