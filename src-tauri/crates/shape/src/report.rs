//! Figures for people: statistics of each field and of the observations as a whole, among them
//! *field consistency*.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::emit::{self, Decision, Limits, MapValues, Policy, alternatives, dominant};
use crate::node::{self, Id, Node, Type};
use crate::novelty;
use crate::path::{self, Step};
use crate::shape::Shape;
use crate::tree::ROOT;
use crate::view::View;

/// Presence of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    /// Number of parent objects that have the field.
    pub present: u64,
    /// Number of parent objects observed.
    pub parents: u64,
}

/// Number of values of one type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeCount {
    /// Name of the type in JSON Schema; `any` for values that are too deep.
    #[serde(rename = "type")]
    pub name: String,
    /// Number of values.
    pub count: u64,
}

/// Consistency of the fields of a shape, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Consistency {
    /// Mean over all named fields outside maps.
    pub mean: f64,
    /// Consistency of the least consistent field.
    pub lowest: f64,
    /// Share of the documents that have the dominant type, or are null.
    pub root: f64,
    /// Number of these fields: as many as [`Shape::fields`] reports.
    pub fields: u64,
}

/// Report on one named field, or on the whole document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldReport {
    /// Path from the root: `orders[].customer`, `meta{}` for a map's values, `["odd key"]`.
    pub path: String,
    /// Last step of the path: `customer`, `["odd key"]`.
    pub name: String,
    /// Number of named fields around it.
    pub depth: usize,
    /// Types in display form, most frequent first, null last: `date-time`, `array of string`, `map
    /// of number`.
    pub kinds: Vec<String>,
    /// Presence of the field.
    #[serde(flatten)]
    pub presence: Presence,
    /// Number of observations that have the field.
    pub observations: u64,
    /// Types that were observed.
    pub types: Vec<TypeCount>,
    /// Share of parent objects in which the field is present with its dominant type, from 0 to 1.
    /// Integers are numbers; null makes a field nullable, not inconsistent.
    pub consistency: f64,
    /// Share of its values that have the dominant type or are null, from 0 to 1.
    pub agreement: f64,
    /// Whether the schema requires the field.
    pub required: bool,
    /// Statistics of its values.
    pub values: ValueReport,
    /// Decisions of the schema about the field, with reasons.
    pub decisions: Vec<Decision>,
    /// Alternatives, if one of its own fields distinguishes them.
    pub alternatives: Vec<AlternativeReport>,
}

/// Statistics of values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueReport {
    /// Number of distinct strings and numbers, and whether it is exact instead of estimated.
    pub distinct: Option<(u64, bool)>,
    /// Each distinct value as JSON with its count, most frequent first; empty if there are too
    /// many.
    pub counted: Vec<(String, u64)>,
    /// A few values as JSON, truncated if long.
    pub examples: Vec<String>,
    /// Smallest and largest number, as JSON.
    pub range: Option<(String, String)>,
    /// Lengths of the shortest and the longest string, in characters.
    pub lengths: Option<(u64, u64)>,
    /// Numbers of items in the shortest and the longest array.
    pub items: Option<(u64, u64)>,
}

/// An alternative of a union of records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlternativeReport {
    /// Field whose value distinguishes the alternatives; empty if each has a field of its own.
    pub tag: String,
    /// Value of that field here, or the name of the alternative's own field, as JSON.
    pub json: String,
    /// Number of objects.
    pub count: u64,
    /// Fields of these objects, and whether all of them have the field.
    pub fields: Vec<(String, bool)>,
}

/// A peculiarity of the documents, and its frequency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Note {
    /// Description.
    pub note: &'static str,
    /// Number of occurrences.
    pub count: u64,
}

/// Time since the structure last changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stability {
    /// Number of epochs with observations since a path or a type was last new.
    pub epochs: u32,
    /// Number of epochs with observations that are distinguished.
    pub of: u32,
}

impl Shape {
    /// Returns every named field outside maps, parents before children, ordered by path.
    pub fn fields(&self, policy: &Policy) -> Vec<FieldReport> {
        let kept = self.kept();
        let tree = self.view(&kept);
        let limits = emit::limits(tree, policy);
        let mut reports = Reports::new(&limits, self.explain(policy));
        reports.collect(tree, ROOT, ("", 0), false);
        reports.fields
    }

    /// Returns the whole document as a field without a name; `None` for an empty shape.
    pub fn root(&self, policy: &Policy) -> Option<FieldReport> {
        let presence = Presence { present: self.observations, parents: self.observations };
        let kept = self.kept();
        let tree = self.view(&kept);
        let limits = emit::limits(tree, policy);
        let reports = Reports::new(&limits, self.explain(policy));
        (self.observations > 0).then(|| reports.of(tree, ROOT, presence, (String::new(), String::new(), 0)))
    }

    /// Returns the consistency of the fields. A shape without named fields uses its root's type
    /// agreement. Returns `None` for an empty shape.
    pub fn consistency(&self) -> Option<Consistency> {
        if self.observations == 0 {
            return None;
        }
        let mut sums = Sums { count: 0, total: 0.0, lowest: 1.0 };
        let kept = self.kept();
        let tree = self.view(&kept);
        sums.add(tree, ROOT, false);
        let root = agreement(tree.node(ROOT), self.observations, self.observations);
        if sums.count == 0 {
            return Some(Consistency { mean: root, lowest: root, root, fields: 0 });
        }
        let Sums { count: fields, total, lowest } = sums;
        Some(Consistency { mean: total / fields as f64, lowest, root, fields })
    }

    /// Returns the mean consistency of all fields, from 0 to 1; `None` for an empty shape.
    pub fn mean_consistency(&self) -> Option<f64> {
        self.consistency().map(|consistency| consistency.mean)
    }

    /// Returns the chance that the next observation has a field or a type that none had before, from 0 to 1
    /// (Good–Turing); `None` for an empty shape. Structures that are only new as a combination do not count, and
    /// neither do keys of maps.
    pub fn unseen(&self) -> Option<f64> {
        let combination = self.signatures.unseen(self.observations)?;
        let kept = self.kept();
        Some(combination.min(novelty::chance(self.view(&kept), self.observations)))
    }

    /// Returns the time since a path or a type was last new; `None` for an empty shape.
    pub fn stability(&self) -> Option<Stability> {
        let kept = self.kept();
        let tree = self.view(&kept);
        // A new key that is data does not change the structure.
        let structure = tree.nodes().map(|(_, node)| node).filter(|node| !node.rank.data);
        let firsts = structure.flat_map(|node| node.times.first());
        let last_change = firsts.filter(|epoch| *epoch < u32::MAX).max()?;
        let since = self.epochs.keys().filter(|epoch| **epoch > last_change).count();
        Some(Stability { epochs: since as u32, of: self.epochs.len() as u32 })
    }

    /// Returns the peculiarities of the documents.
    pub fn notes(&self) -> Vec<Note> {
        let kept = self.kept();
        let tree = self.view(&kept);
        let (mut too_deep, mut repeated) = (0, 0);
        let mut members: BTreeSet<Id> = BTreeSet::new();
        for (id, node) in tree.nodes() {
            // What is a member of several, or below a key that is data, is also counted together with the others.
            if node.step == node::Step::Members || members.contains(&node.parent) {
                members.insert(id);
            } else if !node.rank.data {
                too_deep += node.count(Type::Opaque);
                repeated += node.repeated;
            } else if !tree.node(node.parent).rank.data {
                // The key itself, which has its own count.
                repeated += node.repeated;
            }
        }
        let odd = &self.oddities;
        [
            ("duplicate keys in an object", repeated),
            ("values too deep to be examined", too_deep),
            ("strings with half a surrogate pair", odd.surrogates),
            ("numbers too large for a float", odd.out_of_range),
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
    /// The presence of fields merged from several places is unknown if not all of them kept the
    /// fields.
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

/// Returns the share of parents with the dominant type or null. `present` limits the effect of
/// duplicate keys to one value per parent.
fn agreement(node: &Node, present: u64, parents: u64) -> f64 {
    let agreeing = dominant(node).map_or(0, |(_, count)| count) + node.count(Type::Null);
    agreeing.min(present) as f64 / parents.max(1) as f64
}

struct Reports<'r> {
    limits: &'r Limits,
    /// Decisions by path.
    decisions: HashMap<String, Vec<Decision>>,
    fields: Vec<FieldReport>,
}

impl<'r> Reports<'r> {
    fn new(limits: &'r Limits, decided: Vec<Decision>) -> Self {
        let mut decisions: HashMap<String, Vec<Decision>> = HashMap::new();
        for decision in decided {
            decisions.entry(decision.path.clone()).or_default().push(decision);
        }
        Self { limits, decisions, fields: Vec::new() }
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
            values: values(tree, id),
            alternatives: alternative_reports(tree, id, self.limits),
            decisions,
            path,
        }
    }
}

fn values(tree: View<'_>, id: Id) -> ValueReport {
    let mut report = ValueReport::default();
    let (node, strings, numbers) = (tree.node(id), tree.strings(id), tree.numbers(id));
    let distinct = [strings.map(|strings| &strings.distinct), numbers.map(|numbers| &numbers.distinct)];
    let quoted = |text: &str| Value::from(text).to_string();
    for (distinct, json) in distinct.into_iter().zip([quoted as fn(&str) -> String, str::to_owned]) {
        let Some(distinct) = distinct.filter(|distinct| !distinct.is_empty()) else { continue };
        let (count, exact) = report.distinct.unwrap_or((0, true));
        let known = distinct.values();
        // An estimate may exceed the number of values.
        let estimate = distinct.count().min(node.total());
        report.distinct = Some((count.saturating_add(estimate), exact && known.is_some()));
        report.counted.extend(known.into_iter().flatten().map(|(text, count)| (json(text), count)));
        report.examples.extend(distinct.examples().into_iter().map(json));
    }
    if report.distinct.is_some_and(|(_, exact)| !exact) {
        report.counted.clear();
    }
    report.counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    report.range = numbers.and_then(|numbers| numbers.range());
    let lengths = strings.map(|strings| (strings.lengths.0, strings.lengths.1));
    report.lengths = lengths.filter(|(shortest, longest)| shortest <= longest);
    let items = tree.arrays(id).map(|arrays| (arrays.lengths.0, arrays.lengths.1));
    report.items = items.filter(|(fewest, most)| fewest <= most);
    report
}

fn alternative_reports(tree: View<'_>, id: Id, limits: &Limits) -> Vec<AlternativeReport> {
    if MapValues::of(tree, id).is_some() {
        return Vec::new();
    }
    let Some(found) = alternatives(tree, id, limits) else { return Vec::new() };
    let tag = found.tag(tree, id);
    let report = |one: emit::Alternative| AlternativeReport {
        tag: tag.unwrap_or_default().to_owned(),
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

/// Returns the types seen. Integers count as numbers if there are other numbers.
fn seen_kinds(node: &Node) -> Vec<Type> {
    let numbers = node.count(Type::Number) > 0;
    let seen = |kind: &Type| node.count(*kind) > 0 && !(numbers && *kind == Type::Integer);
    Type::ALL.into_iter().filter(seen).collect()
}

/// Returns one type with its content, one level deep, if that is of one kind.
fn kind_of(tree: View<'_>, id: Id, kind: Type) -> String {
    let within = |word: &str, inner: Option<(View<'_>, Id)>| {
        let inner = inner.map(|(tree, id)| inner_kinds(tree, id));
        match inner.as_deref() {
            Some([only]) => format!("{word} of {only}"),
            _ => word.to_owned(),
        }
    };
    match kind {
        Type::Array => within("array", tree.items(id).map(|items| (tree, items))),
        Type::Object => match MapValues::of(tree, id) {
            Some(values) => within("map", Some(values.node())),
            None => "object".to_owned(),
        },
        _ => plain_kind(tree, id, kind).to_owned(),
    }
}

fn inner_kinds(tree: View<'_>, id: Id) -> Vec<&'static str> {
    seen_kinds(tree.node(id)).into_iter().map(|kind| plain_kind(tree, id, kind)).collect()
}

fn plain_kind(tree: View<'_>, id: Id, kind: Type) -> &'static str {
    match tree.strings(id).and_then(|strings| strings.format()) {
        Some(format) if kind == Type::String => format.name(),
        _ => kind.name(),
    }
}
