//! Records: fields, which of them are required, and whether there are others.

use serde_json::{Map, Value};

use super::{Emitter, Limits, MapValues, Policy, Schema, alternatives, of_types, typed};
use crate::node::{Counts, Id, Step, Type, add};
use crate::path;
use crate::view::View;

/// Whether a record may have fields that were not observed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Openness {
    /// It may not: the chance of an unseen field is this small.
    Closed(f64),
    /// There were too few objects to decide.
    TooFew,
    /// So many of its fields are sometimes absent that others may be present.
    Doubtful,
    /// The chance of an unseen field is this large.
    Varied(f64),
    /// Not all of its fields were kept.
    Trimmed,
    /// No object had a field.
    Empty,
}

impl Emitter<'_> {
    pub(super) fn object(&mut self, tree: View<'_>, id: Id) -> Schema {
        if let Some(values) = MapValues::of(tree, id) {
            return self.map(tree, id, &values);
        }
        let found = alternatives(tree, id, self.limits);
        if let Some(found) = found.filter(|found| self.may_copy(found.count())) {
            return self.copied(found.count(), |emitter| emitter.union(tree, id, &found));
        }
        let node = tree.node(id);
        let objects = node.count(Type::Object);
        let certainty = certainty(tree, id, self.limits);
        let is_required = |field| certainty == Certainty::Enough && tree.node(field).present == objects;
        let required = tree.fields(id).filter(|(_, field)| is_required(*field));
        let required: Vec<&str> = required.map(|(name, _)| name).collect();
        let mut properties = Map::new();
        let leaves_out = self.leaves_out();
        for (name, field) in tree.fields(id).filter(|_| !leaves_out) {
            let schema = self.field(tree, (name, field), objects, certainty);
            properties.insert(name.to_owned(), schema.into());
        }
        let openness = openness(tree, id, self.limits);
        self.decide(|| openness.explained(objects));
        let properties = tree.fields(id).next().map(|_| properties);
        let mut schema = record(properties, &required, matches!(openness, Openness::Closed(_)));
        if let Some(others) = others(tree, id, self.limits) {
            schema.insert("additionalProperties".into(), of_types(&others).into());
        }
        schema
    }

    /// Returns the schema of one field and explains whether it is required.
    fn field(&mut self, tree: View<'_>, field: (&str, Id), objects: u64, certainty: Certainty) -> Schema {
        let (name, id) = field;
        self.below(path::Step::Field(name), |emitter| {
            emitter.decide(|| {
                let present = tree.node(id).present;
                let (decision, why) = match certainty {
                    _ if present < objects => ("optional", ""),
                    Certainty::Enough => ("required", ""),
                    Certainty::TooFew => ("optional", ", too few to be sure"),
                    Certainty::Doubtful => {
                        ("optional", ", but other fields are absent too often to be sure of this one")
                    }
                };
                (decision.into(), format!("present in {present} of {objects} objects{why}"))
            });
            emitter.child(tree, id)
        })
    }
}

/// Whether the fields of a record that were always present are required.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Certainty {
    Enough,
    /// There were too few objects.
    TooFew,
    /// So many other fields are sometimes absent that one of these may be, too.
    Doubtful,
}

/// Returns whether the fields of a record that were always present are required: once there were
/// enough objects. For few objects it depends on how many other fields are optional. If every
/// probability of presence from 0 to 1 is equally likely, an optional field is n times less often
/// present in all of n objects than absent from some of them. The number of fields seen to be
/// optional therefore gives the expected number of optional fields among those that were always
/// present. Such a field is absent from the next object with probability 1/(n + 2) (Laplace), so a record
/// with hundreds of optional fields needs many objects. Objects of one document tend to be alike, so they count as one.
pub(super) fn certainty(tree: View<'_>, id: Id, limits: &Limits) -> Certainty {
    let node = tree.node(id);
    let objects = node.count(Type::Object);
    let independent = node.documents.min(objects);
    let (mut always, mut optional) = (0.0, 0.5);
    for (_, field) in tree.fields(id) {
        *(if tree.node(field).present == objects { &mut always } else { &mut optional }) += 1.0;
    }
    let mistaken = optional / independent as f64;
    let enough = independent >= limits.required_after
        || independent >= limits.required_early && mistaken / always <= limits.required_mistaken;
    if !enough {
        Certainty::TooFew
    } else if mistaken / (independent + 2) as f64 > limits.required_rejects || limits.doubts(tree, id) {
        Certainty::Doubtful
    } else {
        Certainty::Enough
    }
}

fn record(properties: Option<Map<String, Value>>, required: &[&str], closed: bool) -> Schema {
    let mut schema = typed(Type::Object);
    if let Some(properties) = properties {
        schema.insert("properties".into(), properties.into());
    }
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    if closed {
        schema.insert("additionalProperties".into(), false.into());
    }
    schema
}

/// Returns whether an object may have fields that were not observed. The chance of one in the next
/// object is the number of fields seen once, divided by the number of objects (Good–Turing). With
/// enough documents the same is computed over documents, because objects of one document tend to be
/// alike.
pub(super) fn openness(tree: View<'_>, id: Id, limits: &Limits) -> Openness {
    let node = tree.node(id);
    let objects = node.count(Type::Object);
    if tree.has_other(id) || data_fields_gone(tree, id) {
        return Openness::Trimmed;
    }
    if tree.fields(id).next().is_none() {
        return Openness::Empty;
    }
    let few = node.documents.min(objects) < limits.closed_after && !closes_early(tree, id, limits);
    if few || node.documents < limits.documents {
        return Openness::TooFew;
    }
    if limits.doubts(tree, id) {
        return Openness::Doubtful;
    }
    let once = |seen: fn(&crate::node::Node) -> u64| {
        tree.fields(id).filter(|(_, field)| seen(tree.node(*field)) == 1).count() as f64
    };
    let mut unseen = once(|field| field.present) / objects as f64;
    if node.documents >= limits.closed_after {
        unseen = unseen.max(once(|field| field.documents) / node.documents as f64);
    }
    if unseen <= limits.closed_unseen { Openness::Closed(unseen) } else { Openness::Varied(unseen) }
}

/// Returns whether so few objects are enough to close a record. Optional fields are absent from all
/// of n objects as often as present in all of them (see [`certainty`]), and a field that was always
/// absent is present next with probability 1/(n + 2) (Laplace). The number of optional fields seen
/// therefore gives the chance of an unseen one. Objects of one document count as one.
fn closes_early(tree: View<'_>, id: Id, policy: &Policy) -> bool {
    let node = tree.node(id);
    let objects = node.count(Type::Object);
    let optional = tree.fields(id).filter(|(_, field)| tree.node(*field).present < objects).count();
    let independent = node.documents.min(objects);
    let unseen = (optional as f64 + 0.5) / independent as f64 / (independent + 2) as f64;
    independent >= policy.closed_early && unseen <= policy.closed_mistaken
}

/// Returns the types of fields that were not kept, if there were so many that fields not seen yet
/// most likely have one of these types.
pub(super) fn others(tree: View<'_>, id: Id, policy: &Policy) -> Option<Counts> {
    let node = tree.node(id);
    let mut others = tree.other(id);
    if data_fields_gone(tree, id)
        && let Some(values) = tree.values(id)
    {
        add(&mut others, &tree.node(values).counts);
    }
    let enough = others.iter().sum::<u64>() >= policy.enum_after && node.documents >= policy.documents;
    (enough && others[Type::Opaque as usize] == 0).then_some(others)
}

fn data_fields_gone(tree: View<'_>, id: Id) -> bool {
    let Some(values) = tree.values(id) else { return false };
    let fields = tree.fields(id).map(|(_, field)| tree.node(field));
    let kept: u64 =
        fields.filter(|field| field.step == (Step::Field { data: true })).map(|field| field.total()).sum();
    tree.node(values).total() > kept
}

impl Openness {
    fn explained(self, objects: u64) -> (String, String) {
        let percent = |share: f64| (share * 1e3).round() / 10.0;
        match self {
            Self::Closed(unseen) => (
                "closed object".into(),
                format!("chance of an unseen field {} % after {objects} objects", percent(unseen)),
            ),
            Self::Varied(unseen) => (
                "open object".into(),
                format!("chance of an unseen field {} % after {objects} objects", percent(unseen)),
            ),
            Self::TooFew => ("open object".into(), format!("too few objects to be sure: {objects}")),
            Self::Doubtful => (
                "open object".into(),
                format!("its fields are absent from some of {objects} objects too often to exclude others"),
            ),
            Self::Trimmed => ("open object".into(), "not all of its fields were kept".into()),
            Self::Empty => ("open object".into(), format!("no fields in {objects} objects")),
        }
    }
}
