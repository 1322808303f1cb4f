//! The schemas in a schema, and where references to them may lead.
//!
//! Owns: names. Resources inside a resource have names of their own, and what `$dynamicRef` means depends on the
//! way there; so a reference has all places it may mean, at least one of them the right one. Refuses to know: what
//! a schema says.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::keywords::schemas;

/// Schemas in a schema.
const MAX_PLACES: usize = 50_000;
/// Resources in a schema: each is searched for each reference.
const MAX_RESOURCES: usize = 64;

/// All schemas in a schema.
pub(crate) struct Places<'a> {
    all: Vec<(&'a Value, &'a Map<String, Value>)>,
    index: HashMap<*const Value, usize>,
    anchors: HashMap<&'a str, Vec<usize>>,
    /// Resources with what they call themselves; the whole has no name if it says none.
    resources: Vec<(&'a str, &'a Value)>,
    root: &'a Value,
}

impl<'a> Places<'a> {
    /// None where there are too many.
    pub(crate) fn of(root: &'a Value) -> Option<Self> {
        let all = schemas(root);
        if all.len() > MAX_PLACES {
            return None;
        }
        let index = all.iter().enumerate().map(|(at, (place, _))| (std::ptr::from_ref(*place), at)).collect();
        let mut anchors: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut resources = vec![("", root)];
        for (at, (place, map)) in all.iter().enumerate() {
            let named = |key: &str| map.get(key).and_then(Value::as_str);
            for anchor in [named("$anchor"), named("$dynamicAnchor")].into_iter().flatten() {
                anchors.entry(anchor).or_default().push(at);
            }
            let ids = [named("$id"), named("id")].into_iter().flatten();
            resources.extend(ids.map(|id| (id.trim_end_matches('#'), *place)));
        }
        (resources.len() <= MAX_RESOURCES).then_some(Self { all, index, anchors, resources, root })
    }

    /// Each with its members.
    pub(crate) fn all(&self) -> &[(&'a Value, &'a Map<String, Value>)] {
        &self.all
    }

    /// The whole; none where it has no members.
    pub(crate) fn root(&self) -> Option<usize> {
        self.index(self.root)
    }

    /// The place a value is; none where it is no schema with members.
    pub(crate) fn index(&self, value: &Value) -> Option<usize> {
        self.index.get(&std::ptr::from_ref(value)).copied()
    }

    /// The places a reference may lead to, without those that ask nothing; none where there is nothing at all.
    pub(crate) fn targets(&self, reference: &str) -> Option<Vec<usize>> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let bases = self.resources.iter().filter(|(id, _)| base.is_empty() || may_be(id, base));
        if fragment.is_empty() || fragment.starts_with('/') {
            let pointer = decoded(fragment);
            let mut found: Vec<&Value> =
                bases.filter_map(|(_, resource)| resource.pointer(&pointer)).collect();
            found.dedup_by_key(|value| std::ptr::from_ref(*value));
            return (!found.is_empty())
                .then(|| found.into_iter().filter_map(|one| self.index(one)).collect());
        }
        bases.map(drop).next()?;
        self.anchors.get(fragment).cloned()
    }
}

/// Whether a resource of this name may be meant: relative names are read from wherever they stand, but keep
/// their end.
fn may_be(id: &str, base: &str) -> bool {
    let end = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let unclear = |name: &str| matches!(name, "" | "." | "..") || name.contains(['%', '?']);
    let (id_end, base_end) = (end(id), end(base));
    !id.is_empty() && (id_end == base_end || unclear(&id_end) || unclear(&base_end))
}

/// A pointer without the percent signs URIs need.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
