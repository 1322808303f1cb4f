//! Two documents side by side: where a schema stands and where its references lead.
//!
//! Owns: resolving local references. Refuses to know: what a schema says, and anything outside the document.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::circle::goes_round;

/// Nodes of one document that are searched for anchors and nested documents.
const MAX_SEARCHED: usize = 1_000_000;

/// A whole schema document.
pub(super) struct Document<'a> {
    root: &'a Value,
    /// Where each anchor is; none for those that are there twice.
    anchors: BTreeMap<&'a str, Option<&'a Value>>,
    /// Whether references mean what they seem to: no document is nested in this one, and no reference leads back
    /// to where it stands.
    plain: bool,
}

/// A schema, and the document its references point into.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The schema.
    pub(super) value: &'a Value,
    /// Its document.
    pub(super) home: &'a Document<'a>,
}

impl<'a> Document<'a> {
    /// The document that starts here.
    pub(super) fn new(root: &'a Value) -> Self {
        let mut found = Self { root, anchors: BTreeMap::new(), plain: true };
        let mut open = vec![root];
        let mut referring = Vec::new();
        let mut searched = 0;
        while let Some(value) = open.pop() {
            searched += 1;
            match value {
                Value::Array(values) => open.extend(values),
                Value::Object(map) => {
                    found.note(value, map);
                    if map.contains_key("$ref") {
                        referring.push(value);
                    }
                    open.extend(map.values());
                }
                _ => {}
            }
            if searched > MAX_SEARCHED {
                found.plain = false;
                break;
            }
        }
        // Without a reference nothing goes round.
        found.plain &= !goes_round(&referring, |reference| found.find(reference));
        found
    }

    fn note(&mut self, value: &'a Value, map: &'a Map<String, Value>) {
        for key in ["$anchor", "$dynamicAnchor"] {
            if let Some(name) = map.get(key).and_then(Value::as_str) {
                self.anchors.entry(name).and_modify(|place| *place = None).or_insert(Some(value));
            }
        }
        if let Some(id) = map.get("$id").and_then(Value::as_str) {
            self.plain &= std::ptr::eq(value, self.root) && !id.contains('#');
        }
    }

    /// Where a reference leads, if it leads into this document.
    pub(super) fn resolve(&'a self, reference: &str) -> Option<Place<'a>> {
        self.find(reference).map(|value| Place { value, home: self })
    }

    fn find(&self, reference: &str) -> Option<&'a Value> {
        if !self.plain {
            return None;
        }
        let local = self.id().and_then(|id| reference.strip_prefix(id)).filter(|rest| rest.starts_with('#'));
        let fragment = unescape(local.unwrap_or(reference).strip_prefix('#')?)?;
        if fragment.is_empty() {
            Some(self.root)
        } else if fragment.starts_with('/') {
            self.root.pointer(&fragment)
        } else {
            *self.anchors.get(fragment.as_ref())?
        }
    }

    /// What the document calls itself.
    pub(super) fn id(&self) -> Option<&'a str> {
        self.root.get("$id").and_then(Value::as_str)
    }

    /// The schema of the whole document.
    pub(super) fn top(&'a self) -> Place<'a> {
        Place { value: self.root, home: self }
    }

    /// Whether references mean what they seem to.
    pub(super) fn is_plain(&self) -> bool {
        self.plain
    }
}

impl<'a> Place<'a> {
    /// Another schema of the same document.
    pub(super) fn at(self, value: &'a Value) -> Self {
        Self { value, home: self.home }
    }

    /// The schema under a keyword here.
    pub(super) fn under(self, key: &str) -> Option<Self> {
        self.value.get(key).map(|value| self.at(value))
    }

    /// What tells this place from all others.
    pub(super) fn address(self) -> usize {
        std::ptr::from_ref(self.value).addr()
    }

    /// Where the reference here leads.
    pub(super) fn target(self) -> Option<Self> {
        self.value.get("$ref").and_then(Value::as_str).and_then(|reference| self.home.resolve(reference))
    }
}

/// A fragment without its percent escapes; none when they are broken.
fn unescape(fragment: &str) -> Option<Cow<'_, str>> {
    if !fragment.contains('%') {
        return Some(Cow::Borrowed(fragment));
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let high = char::from(rest.next()?).to_digit(16)?;
        let low = char::from(rest.next()?).to_digit(16)?;
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}
