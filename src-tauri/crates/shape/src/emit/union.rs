//! Unions of records: objects in which one field's value, or which of some fields is there, determines the other fields.

mod apart;

use serde_json::{Map, Value, json};

use super::object::{Openness, openness};
use super::{Emitter, Kinds, Limits, Policy, Schema};
use crate::format::Format;
use crate::node::{Id, Node, Type};
use crate::path;
use crate::tags::{Companion, OwnedValue, Row, Tags};
use crate::view::View;
use apart::apart;

/// Largest share of objects with a value seen once, up to which no further values are expected
/// (Good–Turing).
const MAX_ONCE: f64 = 0.05;

/// Other fields for each one that a tag must determine. Each alternative repeats all fields, nested alternatives
/// included, so a tag that says little makes the schema large, and rejects what is rarely there.
const FIELDS_A_DETERMINED_ONE: usize = 5;

/// A union of records.
pub(crate) struct Alternatives<'t> {
    /// Place of the field whose value distinguishes the alternatives; none if each has a field of its own.
    tag: Option<usize>,
    branches: Vec<Branch<'t>>,
    /// Number of fields that are determined besides.
    determined: usize,
}

/// Objects of one alternative.
#[derive(Clone, Copy)]
enum Branch<'t> {
    /// Those in which the tag has one value.
    Value(&'t Row),
    /// Those that have the field at a place.
    Field { place: usize, objects: u64, documents: u64, companions: Companion },
}

impl Branch<'_> {
    fn count(self) -> u64 {
        match self {
            Self::Value(row) => row.count,
            Self::Field { objects, .. } => objects,
        }
    }

    /// Returns whether any of the objects has the field at a place.
    fn has(self, place: usize) -> bool {
        match self {
            Self::Value(row) => row.with(place) > 0,
            Self::Field { companions, .. } => companions.with >> place & 1 == 1,
        }
    }

    /// Returns whether all objects have the field at a place.
    fn always_has(self, place: usize) -> bool {
        match self {
            Self::Value(row) => row.with(place) == row.count,
            Self::Field { companions, .. } => companions.always >> place & 1 == 1,
        }
    }

    /// Returns the types of a member, as far as they are known. Integers and numbers count as one.
    fn kinds(self, place: usize) -> Kinds {
        match self {
            Self::Value(row) => member_kinds(row, place),
            Self::Field { .. } => Kinds::ALL,
        }
    }

    /// Returns whether there were enough objects. Objects of one document count as one.
    fn is_known_well(self, node: &Node, policy: &Policy) -> bool {
        match self {
            Self::Value(row) => node.documents.min(row.count) >= policy.required_after,
            Self::Field { documents, .. } => documents >= policy.required_after,
        }
    }
}

/// An alternative in display form.
pub(crate) struct Alternative {
    /// Value of the tag, or the name of the field that only this alternative has.
    pub(crate) value: Value,
    /// Number of objects.
    pub(crate) count: u64,
    /// Fields of these objects, and whether all of them have the field.
    pub(crate) fields: Vec<(String, bool)>,
}

impl Alternatives<'_> {
    /// Returns the number of alternatives.
    pub(crate) fn count(&self) -> usize {
        self.branches.len()
    }

    /// Returns the name of the tag, if the alternatives have one.
    pub(crate) fn tag<'t>(&self, tree: View<'t>, id: Id) -> Option<&'t str> {
        self.tag.map(|tag| tree.node(id).fields.at(tag).0)
    }

    /// Returns the names of the fields of which each alternative has one.
    fn own_fields(&self, node: &Node) -> Vec<String> {
        let name = |branch: &Branch<'_>| match branch {
            Branch::Field { place, .. } => Some(format!("`{}`", node.fields.at(*place).0)),
            Branch::Value(_) => None,
        };
        self.branches.iter().filter_map(name).collect()
    }

    /// Passes on everything the schema of the alternatives depends on, besides the schemas of the
    /// members.
    pub(super) fn decisions(&self, node: &Node, policy: &Policy, mut decide: impl FnMut(u64)) {
        decide(self.tag.map_or(u64::MAX, |tag| tag as u64));
        for branch in &self.branches {
            match branch {
                Branch::Value(row) => match &row.value {
                    OwnedValue::Boolean(value) => decide(u64::from(*value)),
                    OwnedValue::Text(text) => text.bytes().for_each(|byte| decide(u64::from(byte))),
                },
                Branch::Field { place, .. } => decide(*place as u64),
            }
            decide(u64::from(branch.is_known_well(node, policy)));
            for place in 0..node.fields.len() {
                decide(
                    u64::from(branch.kinds(place).bits()) << 2
                        | u64::from(branch.has(place)) << 1
                        | u64::from(branch.always_has(place)),
                );
            }
        }
    }

    /// Returns the alternatives, ordered by value or by the name of their field.
    pub(crate) fn list(&self, tree: View<'_>, id: Id) -> Vec<Alternative> {
        let fields = &tree.node(id).fields;
        let alternative = |branch: &Branch<'_>| {
            let members = fields.places().iter().map(|place| *place as usize);
            let members = members.filter(|place| Some(*place) != self.tag && branch.has(*place));
            Alternative {
                value: match branch {
                    Branch::Value(row) => json_of(&row.value),
                    Branch::Field { place, .. } => fields.at(*place).0.into(),
                },
                count: branch.count(),
                fields: members
                    .map(|place| (fields.at(place).0.to_owned(), branch.always_has(place)))
                    .collect(),
            }
        };
        self.branches.iter().map(alternative).collect()
    }
}

fn json_of(value: &OwnedValue) -> Value {
    match value {
        OwnedValue::Boolean(value) => (*value).into(),
        OwnedValue::Text(text) => (**text).into(),
    }
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

/// Returns the alternatives by the field whose value determines most other fields, or else by the fields of which each
/// object has exactly one.
pub(crate) fn alternatives<'t>(tree: View<'t>, id: Id, policy: &Limits) -> Option<Alternatives<'t>> {
    let node = tree.node(id);
    let objects = node.count(Type::Object);
    // Joint counts are counts of values, so they do not give the number of objects if an object has
    // a duplicate key.
    let repeated = tree.fields(id).any(|(_, field)| tree.node(field).repeated > 0);
    if objects < policy.enum_after || repeated {
        return None;
    }
    let tags = tree.tags(id)?;
    tagged(tree, id, tags, policy).or_else(|| apart(tree, id, tags, policy))
}

/// Returns the alternatives by the field whose value determines most other fields. A field is determined if for each
/// value it is either always or never present, and not the same for all values, or if it has other types. A few objects
/// that occur again and again are no kinds of objects, so there must be enough different ones.
fn tagged<'t>(tree: View<'t>, id: Id, tags: &'t Tags, policy: &Limits) -> Option<Alternatives<'t>> {
    let node = tree.node(id);
    let objects = node.count(Type::Object);
    if identities(tree, id).is_some_and(|different| different < policy.enum_after) {
        return None;
    }
    let mut best: Option<Alternatives<'t>> = None;
    for (tag, rows) in tags.fields() {
        let counted: u64 = rows.iter().map(|row| row.count).sum();
        let once = rows.iter().filter(|row| row.count == 1).count();
        let seen_enough = once as f64 <= MAX_ONCE * objects as f64 && once < rows.len();
        let always = counted == objects && tree.node(node.fields.at(tag).1).present == objects;
        let may_be = may_be_tag(tree, node.fields.at(tag).1, &rows);
        if rows.len() < 2 || !seen_enough || !always || !may_be {
            continue;
        }
        let determined =
            (0..node.fields.len()).filter(|place| *place != tag && determines(&rows, *place)).count();
        let tells_enough = determined * FIELDS_A_DETERMINED_ONE >= node.fields.len() - 1;
        if tells_enough && determined > best.as_ref().map_or(0, |best| best.determined) {
            let branches: Vec<_> = rows.into_iter().map(Branch::Value).collect();
            if differ(node, tag, &branches, policy) {
                best = Some(Alternatives { tag: Some(tag), branches, determined });
            }
        }
    }
    best
}

/// Returns the number of different objects, if a field identifies them: a text of a format that does, or a field that is
/// named so.
fn identities(tree: View<'_>, id: Id) -> Option<u64> {
    const NAMES: &[&str] = &["id", "_id", "uuid", "guid", "sha", "node_id"];
    let objects = tree.node(id).count(Type::Object);
    let different = tree.fields(id).filter_map(|(name, field)| {
        let node = tree.node(field);
        let is_named = NAMES.iter().any(|known| name.eq_ignore_ascii_case(known));
        if node.count(Type::String) == objects {
            let strings = tree.strings(field)?;
            let is_written = strings
                .format()
                .is_some_and(|format| matches!(format, Format::Uri | Format::Uuid | Format::Email));
            return (is_named || is_written).then(|| strings.distinct.count());
        }
        let integers = is_named && node.count(Type::Integer) == objects;
        tree.numbers(field).filter(|_| integers).map(|numbers| numbers.distinct.count())
    });
    different.max()
}

/// Returns whether the values of a field may be tags. Times, addresses, hashes and the like are not.
fn may_be_tag(tree: View<'_>, field: Id, rows: &[&Row]) -> bool {
    /// Digits of a tag at most, as in `v2` or `sha256`.
    const MAX_DIGITS: usize = 3;
    let has_format = tree.strings(field).is_some_and(|strings| strings.format().is_some());
    let may_be = |row: &&Row| match &row.value {
        OwnedValue::Boolean(_) => true,
        OwnedValue::Text(text) => text.chars().filter(char::is_ascii_digit).count() <= MAX_DIGITS,
    };
    !has_format && rows.iter().all(may_be)
}

/// Returns whether alternatives would differ in more than the tag. Those that are not known well have all fields.
fn differ(node: &Node, tag: usize, branches: &[Branch<'_>], policy: &Policy) -> bool {
    let fields = || (0..node.fields.len()).filter(|place| *place != tag);
    let of = |branch: &Branch<'_>, place: usize| {
        let known_well = branch.is_known_well(node, policy);
        let kinds = if known_well { branch.kinds(place) } else { Kinds::ALL };
        (branch.has(place) || !known_well, kinds, known_well && branch.always_has(place))
    };
    let [first, others @ ..] = branches else { return false };
    others.iter().any(|other| fields().any(|place| of(first, place) != of(other, place)))
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
        let objects = node.count(Type::Object);
        let by = match found.tag(tree, id) {
            Some(tag) => format!("`{tag}`"),
            None => found.own_fields(node).join(" or "),
        };
        self.decide(|| {
            let (count, determined) = (found.count(), found.determined);
            let (union, verb, others) = match found.tag {
                Some(_) => ("tagged union", "determines", node.fields.len() - 1),
                None => ("union", "is in each object and determines", node.fields.len() - count),
            };
            let because = format!("{by} {verb} {determined} of {others} other fields in {objects} objects");
            (format!("{union} of {count}"), because)
        });
        let closed = matches!(openness(tree, id, self.limits), Openness::Closed(_));
        // Explained once for all alternatives.
        if self.decisions.is_some() {
            for (name, field) in tree.fields(id) {
                self.below(path::Step::Field(name), |emitter| {
                    emitter.decide(|| {
                        let present = tree.node(field).present;
                        let decision =
                            if present == objects { "required".into() } else { format!("by {by}") };
                        (decision, format!("present in {present} of {objects} objects"))
                    });
                    emitter.value(tree, field, Kinds::ALL)
                });
            }
        }
        let one_of: Vec<Value> = found
            .branches
            .iter()
            .map(|branch| {
                Value::Object(
                    self.silently(|emitter| emitter.alternative(tree, id, found.tag, *branch, closed)),
                )
            })
            .collect();
        Map::from_iter([("type".to_owned(), "object".into()), ("oneOf".to_owned(), one_of.into())])
    }

    fn alternative(
        &mut self,
        tree: View<'_>,
        id: Id,
        tag: Option<usize>,
        branch: Branch<'_>,
        closed: bool,
    ) -> Schema {
        let node = tree.node(id);
        let known_well = branch.is_known_well(node, self.limits);
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for place in node.fields.places().iter().map(|place| *place as usize) {
            let (name, field) = node.fields.at(place);
            if let Branch::Value(row) = branch
                && Some(place) == tag
            {
                properties.insert(name.to_owned(), json!({"const": json_of(&row.value)}));
                required.push(name);
            } else if branch.has(place) {
                let kinds = if known_well { branch.kinds(place) } else { Kinds::ALL };
                properties.insert(name.to_owned(), self.value(tree, field, kinds).into());
                let always = tree.node(field).present == node.count(Type::Object);
                if branch.always_has(place) && (known_well || always) {
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
