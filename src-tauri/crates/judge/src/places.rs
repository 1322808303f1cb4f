//! All schemas inside a schema, and the targets of references to them.
//!
//! Resources inside a resource have names of their own, and the meaning of `$dynamicRef` depends on
//! the path to it. A reference therefore has all targets it may mean, and the right one is among
//! them.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::keywords::schemas;

/// Most schemas in a schema.
const MAX_PLACES: usize = 50_000;
/// Most resources in a schema. Each one is searched for each reference.
const MAX_RESOURCES: usize = 64;

/// Index of all schemas in a schema.
pub(crate) struct Places<'a> {
    all: Vec<(&'a Value, &'a Map<String, Value>)>,
    index: HashMap<*const Value, usize>,
    anchors: HashMap<&'a str, Vec<usize>>,
    /// Resources by their `$id`. The root has an empty name if it has none.
    resources: Vec<(&'a str, &'a Value)>,
    root: &'a Value,
}

impl<'a> Places<'a> {
    /// Indexes a schema. Returns `None` if it contains too many schemas.
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

    /// Returns the schemas with their members.
    pub(crate) fn all(&self) -> &[(&'a Value, &'a Map<String, Value>)] {
        &self.all
    }

    /// Returns the root, or `None` if it has no members.
    pub(crate) fn root(&self) -> Option<usize> {
        self.index(self.root)
    }

    /// Returns the index of a schema, or `None` if the value is not a schema with members.
    pub(crate) fn index(&self, value: &Value) -> Option<usize> {
        self.index.get(&std::ptr::from_ref(value)).copied()
    }

    /// Returns the possible targets of a reference, without boolean schemas. Returns `None` if
    /// there is no target at all.
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

/// Returns whether `base` may refer to the resource with this id. A relative name depends on its
/// context, but keeps its last part.
fn may_be(id: &str, base: &str) -> bool {
    let end = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let unclear = |name: &str| matches!(name, "" | "." | "..") || name.contains(['%', '?']);
    let (id_end, base_end) = (end(id), end(base));
    !id.is_empty() && (id_end == base_end || unclear(&id_end) || unclear(&base_end))
}

/// Decodes the percent encoding of a pointer in a URI.
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
