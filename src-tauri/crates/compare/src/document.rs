//! The two documents being compared, and the resolution of references inside each.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::cycle::has_cycle;

/// Most nodes of a document that are searched for anchors and nested documents.
const MAX_SEARCHED: usize = 1_000_000;

/// A whole schema document.
pub(crate) struct Document<'a> {
    root: &'a Value,
    /// Schema of each anchor; `None` for a duplicate anchor.
    anchors: BTreeMap<&'a str, Option<&'a Value>>,
    /// Whether references mean what they seem to: the document contains no nested document and no
    /// cycle of references at the same value.
    plain: bool,
}

/// A schema, and the document that its references point into.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The schema.
    pub(crate) value: &'a Value,
    /// Document of the schema.
    pub(crate) home: &'a Document<'a>,
}

impl<'a> Document<'a> {
    /// Reads a document.
    pub(crate) fn new(root: &'a Value) -> Self {
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
        // A cycle needs a reference.
        found.plain &= !has_cycle(&referring, |reference| found.find(reference));
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

    /// Returns the target of a reference, if it is in this document.
    pub(crate) fn resolve(&'a self, reference: &str) -> Option<Place<'a>> {
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

    /// Returns the document's own id.
    pub(crate) fn id(&self) -> Option<&'a str> {
        self.root.get("$id").and_then(Value::as_str)
    }

    /// Returns the schema of the whole document.
    pub(crate) fn top(&'a self) -> Place<'a> {
        Place { value: self.root, home: self }
    }

    /// Returns whether references mean what they seem to.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }
}

impl<'a> Place<'a> {
    /// Returns another schema of the same document.
    pub(crate) fn at(self, value: &'a Value) -> Self {
        Self { value, home: self.home }
    }

    /// Returns the schema under a keyword.
    pub(crate) fn under(self, key: &str) -> Option<Self> {
        self.value.get(key).map(|value| self.at(value))
    }

    /// Returns an identifier of this place.
    pub(crate) fn address(self) -> usize {
        std::ptr::from_ref(self.value).addr()
    }

    /// Returns the target of the reference at this place.
    pub(crate) fn target(self) -> Option<Self> {
        self.value.get("$ref").and_then(Value::as_str).and_then(|reference| self.home.resolve(reference))
    }
}

/// Decodes the percent encoding of a fragment. Returns `None` if it is invalid.
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
