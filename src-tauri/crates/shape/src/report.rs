//! Numbers for people: what is known of each field, and of the observations as a whole.
//!
//! Owns: *field consistency* and the other figures shown. Refuses to know: how they are shown.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::emit::{self, Decision, MapValues, Policy, alternatives, dominant};
use crate::node::{Id, Node, Type};
use crate::path::{self, Step};
use crate::shape::Shape;
use crate::tree::ROOT;
use crate::view::View;

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

/// What is known of one named field, or of the whole document.
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
    /// Observations with it.
    pub observations: u64,
    /// Types seen, without those never seen.
    pub types: Vec<TypeCount>,
    /// Share of parent objects in which the field is present with its dominant type, 0 to 1.
    /// Integers are numbers; null makes a field nullable, not inconsistent.
    pub consistency: f64,
    /// Share of its values that have the dominant type or are null, 0 to 1.
    pub agreement: f64,
    /// The schema requires it.
    pub required: bool,
    /// What its values looked like.
    pub values: ValueReport,
    /// What the schema says of it, and why.
    pub decisions: Vec<Decision>,
    /// Where one of its own fields tells alternatives apart: each of them.
    pub alternatives: Vec<AlternativeReport>,
}

/// What values looked like.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueReport {
    /// Distinct strings and numbers, and whether that was counted rather than estimated.
    pub distinct: Option<(u64, bool)>,
    /// Each of them as JSON with its count, the most frequent first; empty where there are too many.
    pub counted: Vec<(String, u64)>,
    /// A few of them as JSON, cut where long.
    pub examples: Vec<String>,
    /// Smallest and largest number, as JSON.
    pub range: Option<(String, String)>,
    /// Characters of the shortest and the longest string.
    pub lengths: Option<(u64, u64)>,
    /// Items of the shortest and the longest array.
    pub items: Option<(u64, u64)>,
}

/// One alternative of a tagged union.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlternativeReport {
    /// The field that tells.
    pub tag: String,
    /// Its value here, as JSON.
    pub json: String,
    /// Objects seen.
    pub count: u64,
    /// Fields they have, and whether all of them do.
    pub fields: Vec<(String, bool)>,
}

/// Something odd about documents, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Note {
    /// In words.
    pub note: &'static str,
    /// Times.
    pub count: u64,
}

/// How long the structure has been the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stability {
    /// Epochs with observations since a path or a type was last seen for the first time.
    pub epochs: u32,
    /// Epochs with observations that are told apart.
    pub of: u32,
}

impl Shape {
    /// Every named field outside maps, parents before children, in order of path.
    pub fn fields(&self, policy: &Policy) -> Vec<FieldReport> {
        let mut reports = Reports::new(policy, self.explain(policy));
        reports.collect(self.view(), ROOT, ("", 0), false);
        reports.fields
    }

    /// The whole document as a field without a name; none for a shape of nothing.
    pub fn root(&self, policy: &Policy) -> Option<FieldReport> {
        let presence = Presence { present: self.observations, parents: self.observations };
        let reports = Reports::new(policy, self.explain(policy));
        (self.observations > 0)
            .then(|| reports.of(self.view(), ROOT, presence, (String::new(), String::new(), 0)))
    }

    /// How consistent the fields are. A shape without named fields uses its root's type agreement; a
    /// shape of nothing has none.
    pub fn consistency(&self) -> Option<Consistency> {
        if self.observations == 0 {
            return None;
        }
        let mut sums = Sums { count: 0, total: 0.0, lowest: 1.0 };
        let tree = self.view();
        sums.add(tree, ROOT, false);
        if sums.count == 0 {
            let root = agreement(tree.node(ROOT), self.observations, self.observations);
            return Some(Consistency { mean: root, lowest: root });
        }
        Some(Consistency { mean: sums.total / sums.count as f64, lowest: sums.lowest })
    }

    /// Mean of all fields' consistency, 0 to 1; none for a shape of nothing.
    pub fn mean_consistency(&self) -> Option<f64> {
        self.consistency().map(|consistency| consistency.mean)
    }

    /// The chance that the next observation's outer structure was not seen yet, 0 to 1 (Good–Turing); none
    /// for a shape of nothing.
    pub fn unseen(&self) -> Option<f64> {
        self.signatures.unseen(self.observations)
    }

    /// How long no path and no type was seen for the first time; none for a shape of nothing.
    pub fn stability(&self) -> Option<Stability> {
        let tree = self.view();
        // A new key that is data is no change of structure.
        let structure = tree.nodes().map(|(_, node)| node).filter(|node| !node.rank.data);
        let firsts = structure.flat_map(|node| node.times.first());
        let last_change = firsts.filter(|epoch| *epoch < u32::MAX).max()?;
        let since = self.epochs.keys().filter(|epoch| **epoch > last_change).count();
        Some(Stability { epochs: since as u32, of: self.epochs.len() as u32 })
    }

    /// What was odd about the documents.
    pub fn notes(&self) -> Vec<Note> {
        let tree = self.view();
        let too_deep = tree.nodes().map(|(_, node)| node.count(Type::Opaque)).sum();
        let repeated = tree.nodes().map(|(_, node)| node.repeated).sum();
        let odd = &self.oddities;
        [
            ("keys that an object has twice", repeated),
            ("values too deep to be looked into", too_deep),
            ("strings with half a surrogate pair", odd.surrogates),
            ("numbers beyond every float", odd.out_of_range),
            ("strings of a megabyte or more", odd.long_strings),
        ]
        .into_iter()
        .map(|(note, count)| Note { note, count })
        .filter(|note| note.count > 0)
        .collect()
    }
}

struct Sums {
    count: u64,
    total: f64,
    lowest: f64,
}

impl Sums {
    /// Of what was gathered from several places and not kept in all of them, presence is not known.
    fn add(&mut self, tree: View<'_>, id: Id, gathered: bool) {
        let node = tree.node(id);
        if let Some(values) = MapValues::of(tree, id) {
            let (tree, id) = values.node();
            self.add(tree, id, gathered || values.is_gathered());
        } else if !(gathered && tree.has_other(id)) {
            let parents = node.count(Type::Object);
            for (_, id) in tree.fields(id) {
                let field = tree.node(id);
                let consistency = agreement(field, field.present, parents);
                self.count += 1;
                self.total += consistency;
                self.lowest = self.lowest.min(consistency);
                self.add(tree, id, gathered);
            }
        }
        if let Some(items) = tree.items(id) {
            self.add(tree, items, gathered);
        }
    }
}

/// `present` caps what repeated keys add beyond one value per parent.
fn agreement(node: &Node, present: u64, parents: u64) -> f64 {
    let agreeing = dominant(node).map_or(0, |(_, count)| count) + node.count(Type::Null);
    agreeing.min(present) as f64 / parents.max(1) as f64
}

struct Reports<'r> {
    policy: &'r Policy,
    /// By path.
    decisions: HashMap<String, Vec<Decision>>,
    fields: Vec<FieldReport>,
}

impl<'r> Reports<'r> {
    fn new(policy: &'r Policy, decided: Vec<Decision>) -> Self {
        let mut decisions: HashMap<String, Vec<Decision>> = HashMap::new();
        for decision in decided {
            decisions.entry(decision.path.clone()).or_default().push(decision);
        }
        Self { policy, decisions, fields: Vec::new() }
    }

    fn collect(&mut self, tree: View<'_>, id: Id, (path, depth): (&str, usize), gathered: bool) {
        let node = tree.node(id);
        let below = |step: Step<'_>| {
            let mut below = path.to_owned();
            path::push(&mut below, step);
            below
        };
        if let Some(values) = MapValues::of(tree, id) {
            let gathered = gathered || values.is_gathered();
            let (tree, id) = values.node();
            self.collect(tree, id, (&below(Step::Values), depth), gathered);
        } else if !(gathered && tree.has_other(id)) {
            let parents = node.count(Type::Object);
            for (key, id) in tree.fields(id) {
                let presence = Presence { present: tree.node(id).present, parents };
                let path = below(Step::Field(key));
                let report = self.of(tree, id, presence, (path.clone(), path::name(key), depth));
                self.fields.push(report);
                self.collect(tree, id, (&path, depth + 1), gathered);
            }
        }
        if let Some(items) = tree.items(id) {
            self.collect(tree, items, (&below(Step::Items), depth), gathered);
        }
    }

    fn of(
        &self,
        tree: View<'_>,
        id: Id,
        presence: Presence,
        (path, name, depth): (String, String, usize),
    ) -> FieldReport {
        let node = tree.node(id);
        let decisions = self.decisions.get(&path).cloned().unwrap_or_default();
        FieldReport {
            name,
            depth,
            presence,
            observations: node.documents,
            kinds: kinds(tree, id),
            types: type_counts(node),
            consistency: agreement(node, presence.present, presence.parents),
            agreement: agreement(node, node.total(), node.total()),
            required: decisions.iter().any(|decision| decision.decision == "required"),
            values: values(node),
            alternatives: alternative_reports(tree, id, self.policy),
            decisions,
            path,
        }
    }
}

fn values(node: &Node) -> ValueReport {
    let mut report = ValueReport::default();
    let strings = node.strings.as_ref().map(|strings| &strings.distinct);
    let numbers = node.numbers.as_ref().map(|numbers| &numbers.distinct);
    let quoted = |text: &str| Value::from(text).to_string();
    for (distinct, json) in [(strings, quoted as fn(&str) -> String), (numbers, str::to_owned)] {
        let Some(distinct) = distinct.filter(|distinct| !distinct.is_empty()) else { continue };
        let (count, exact) = report.distinct.unwrap_or((0, true));
        let known = distinct.values();
        // An estimate may be above what there were at all.
        let estimate = distinct.count().min(node.total());
        report.distinct = Some((count.saturating_add(estimate), exact && known.is_some()));
        report.counted.extend(known.into_iter().flatten().map(|(text, count)| (json(text), count)));
        report.examples.extend(distinct.examples().into_iter().map(json));
    }
    if report.distinct.is_some_and(|(_, exact)| !exact) {
        report.counted.clear();
    }
    report.counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    report.range = node.numbers.as_ref().and_then(|numbers| numbers.range());
    let lengths = node.strings.as_ref().map(|strings| (strings.lengths.0, strings.lengths.1));
    report.lengths = lengths.filter(|(shortest, longest)| shortest <= longest);
    let items = node.arrays.as_ref().map(|arrays| (arrays.lengths.0, arrays.lengths.1));
    report.items = items.filter(|(fewest, most)| fewest <= most);
    report
}

fn alternative_reports(tree: View<'_>, id: Id, policy: &Policy) -> Vec<AlternativeReport> {
    if MapValues::of(tree, id).is_some() {
        return Vec::new();
    }
    let Some(found) = alternatives(tree, id, policy) else { return Vec::new() };
    let tag = found.tag(tree, id);
    let report = |one: emit::Alternative| AlternativeReport {
        tag: tag.to_owned(),
        json: one.value.to_string(),
        count: one.count,
        fields: one.fields,
    };
    found.list(tree, id).into_iter().map(report).collect()
}

fn type_counts(node: &Node) -> Vec<TypeCount> {
    let seen = Type::ALL.into_iter().filter(|kind| node.count(*kind) > 0);
    seen.map(|kind| TypeCount { name: kind.name().to_owned(), count: node.count(kind) }).collect()
}

fn kinds(tree: View<'_>, id: Id) -> Vec<String> {
    let node = tree.node(id);
    let mut seen = seen_kinds(node);
    seen.sort_by_key(|kind| (*kind == Type::Null, std::cmp::Reverse(node.count(*kind)), *kind));
    seen.into_iter().map(|kind| kind_of(tree, id, kind)).collect()
}

/// Types seen; integers are numbers where there are others.
fn seen_kinds(node: &Node) -> Vec<Type> {
    let numbers = node.count(Type::Number) > 0;
    let seen = |kind: &Type| node.count(*kind) > 0 && !(numbers && *kind == Type::Integer);
    Type::ALL.into_iter().filter(seen).collect()
}

/// One type with what is inside, one level deep, where that is of one kind.
fn kind_of(tree: View<'_>, id: Id, kind: Type) -> String {
    let node = tree.node(id);
    let within = |word: &str, inner: Option<&Node>| match inner.map(inner_kinds).as_deref() {
        Some([only]) => format!("{word} of {only}"),
        _ => word.to_owned(),
    };
    match kind {
        Type::Array => within("array", tree.items(id).map(|items| tree.node(items))),
        Type::Object => match MapValues::of(tree, id) {
            Some(values) => {
                let (tree, id) = values.node();
                within("map", Some(tree.node(id)))
            }
            None => "object".to_owned(),
        },
        _ => plain_kind(node, kind).to_owned(),
    }
}

fn inner_kinds(node: &Node) -> Vec<&'static str> {
    seen_kinds(node).into_iter().map(|kind| plain_kind(node, kind)).collect()
}

fn plain_kind(node: &Node, kind: Type) -> &'static str {
    let format = node.strings.as_ref().and_then(|strings| strings.format());
    match format {
        Some(format) if kind == Type::String => format.name(),
        _ => kind.name(),
    }
}
