//! The watched paths and their bounds. Keys of objects that are maps are data, so they are not watched.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::hash::{Fnv, Hashed};

/// Paths watched at most.
pub(super) const MAX_PATHS: usize = 512;
/// Bytes of all keys together.
const MAX_KEYS: usize = 10_240;
/// Bytes of one key; longer ones are data.
const MAX_KEY: usize = 60;
/// Bytes of a path as shown.
const MAX_TEXT: usize = 240;
/// Fields of one object; where there are more they are data.
const MAX_FIELDS: usize = 160;
/// Documents in which keys came that stayed rare, from which on an object is a map.
const MAP: usize = 8;

pub(super) const ROOT: u32 = 0;

/// One step down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Step {
    #[serde(rename = "/")]
    Root,
    #[serde(rename = "f")]
    Field(Box<str>),
    #[serde(rename = "[")]
    Items,
    /// Values of a map, or under keys that look like data.
    #[serde(rename = "*")]
    Values,
    /// A rule of the effective schema.
    #[serde(rename = "!")]
    Rule(Box<str>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Node(u32, Step, Flags);

/// Documents that had it (up to 3), whether it is a map, and the document it came with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Flags(u8, bool, u32);

/// All paths, as a tree.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Paths {
    nodes: Vec<Node>,
    documents: u32,
    /// Values at paths there was no room for.
    pub(super) not_watched: u64,
    #[serde(skip)]
    index: HashMap<u64, u32, Hashed>,
    #[serde(skip)]
    children: Vec<Vec<u32>>,
    #[serde(skip)]
    bytes: usize,
    /// The latest document that had it.
    #[serde(skip)]
    latest: Vec<u32>,
    /// Which of its parent's children it is.
    #[serde(skip)]
    places: Vec<u32>,
}

impl Paths {
    pub(super) fn new() -> Self {
        let mut paths = Self::default();
        paths.nodes.push(Node(ROOT, Step::Root, Flags(0, false, 0)));
        paths.restore();
        paths
    }

    /// Rebuilds what follows from the nodes. False if they are no tree.
    pub(super) fn restore(&mut self) -> bool {
        let sound = self.nodes.len() <= MAX_PATHS
            && self.nodes.first().is_some_and(|node| node.1 == Step::Root)
            && self.nodes.iter().enumerate().skip(1).all(|(at, node)| (node.0 as usize) < at);
        if !sound {
            return false;
        }
        self.index.clear();
        self.bytes = 0;
        self.latest = vec![0; self.nodes.len()];
        self.children = vec![Vec::new(); self.nodes.len()];
        self.places = vec![0; self.nodes.len()];
        for at in 1..self.nodes.len() {
            let Node(parent, step, _) = &self.nodes[at];
            self.places[at] = self.children[*parent as usize].len() as u32;
            self.bytes += step.key().map_or(0, str::len);
            self.index.insert(place(*parent, step), at as u32);
            self.children[*parent as usize].push(at as u32);
        }
        self.bytes <= MAX_KEYS
    }

    pub(super) fn begin(&mut self) {
        self.documents = self.documents.saturating_add(1);
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Names of fields, and rules.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter_map(|node| node.1.key())
    }

    pub(super) fn step(&self, node: u32) -> &Step {
        &self.nodes[node as usize].1
    }

    pub(super) fn parent(&self, node: u32) -> u32 {
        self.nodes[node as usize].0
    }

    /// What stands below; of a map its values alone.
    pub(super) fn children(&self, node: u32) -> impl Iterator<Item = &u32> {
        let map = self.nodes[node as usize].2.1;
        self.children[node as usize].iter().filter(move |child| !map || self.step(**child) == &Step::Values)
    }

    /// The place of a key's value, key as written. `next` is which of the children is looked at first, since
    /// objects mostly have their keys in one order; and becomes the one behind that.
    pub(super) fn field(&mut self, parent: u32, key: &str, next: &mut u32) -> Option<u32> {
        let map = self.nodes[parent as usize].2.1;
        if !map && let Some(expected) = self.expected(parent, key, *next) {
            *next += 1;
            self.note(expected);
            return Some(expected);
        }
        if map || is_data(key) {
            return self.child(parent, Step::Values);
        }
        let found = self.field_anywhere(parent, key)?;
        *next = self.places[found as usize] + 1;
        Some(found)
    }

    fn expected(&self, parent: u32, key: &str, next: u32) -> Option<u32> {
        let child = *self.children[parent as usize].get(next as usize)?;
        matches!(self.step(child), Step::Field(name) if **name == *key).then_some(child)
    }

    fn field_anywhere(&mut self, parent: u32, key: &str) -> Option<u32> {
        // Without a copy of the key where it is known.
        let known = self.index.get(&Fnv::default().number(u64::from(parent)).text("f").text(key).get());
        if let Some(known) = known.copied() {
            self.note(known);
            return Some(known);
        }
        if self.fields(parent).count() >= MAX_FIELDS || self.has_passing_keys(parent) {
            self.nodes[parent as usize].2.1 = true;
            return self.child(parent, Step::Values);
        }
        self.child(parent, Step::Field(key.into()))
    }

    /// The place one step below, made if there is none.
    pub(super) fn child(&mut self, parent: u32, step: Step) -> Option<u32> {
        let hash = place(parent, &step);
        if let Some(known) = self.index.get(&hash).copied() {
            self.note(known);
            return Some(known);
        }
        let bytes = step.key().map_or(0, str::len);
        if self.nodes.len() >= MAX_PATHS || self.bytes + bytes > MAX_KEYS {
            self.not_watched = self.not_watched.saturating_add(1);
            return None;
        }
        let at = self.nodes.len() as u32;
        self.bytes += bytes;
        self.index.insert(hash, at);
        self.nodes.push(Node(parent, step, Flags(1, false, self.documents)));
        self.children.push(Vec::new());
        self.latest.push(self.documents);
        self.places.push(self.children[parent as usize].len() as u32);
        self.children[parent as usize].push(at);
        Some(at)
    }

    /// Counts the documents that have it, as far as it matters.
    fn note(&mut self, node: u32) {
        let flags = &mut self.nodes[node as usize].2;
        if flags.0 < 3 && self.latest[node as usize] != self.documents {
            self.latest[node as usize] = self.documents;
            flags.0 += 1;
        }
    }

    /// Whether most of an object's keys came with different documents and were hardly seen again.
    fn has_passing_keys(&self, node: u32) -> bool {
        let fields = self.fields(node).count();
        if fields < MAP {
            return false;
        }
        let passing =
            || self.fields(node).map(|child| &self.nodes[child as usize].2).filter(|flags| flags.0 <= 2);
        let born: BTreeSet<u32> = passing().map(|flags| flags.2).collect();
        born.len() >= MAP && 2 * passing().count() >= fields
    }

    /// What stands below a place. Rules stand below the root, and are not in the document.
    fn fields(&self, node: u32) -> impl Iterator<Item = u32> {
        let children = self.children[node as usize].iter().copied();
        children.filter(|child| !matches!(self.step(*child), Step::Rule(_)))
    }

    /// For people: `items[].name`, empty for the whole; of very long ones the end.
    pub(super) fn text(&self, node: u32) -> String {
        let mut steps = Vec::new();
        let mut at = node;
        while at != ROOT {
            steps.push(self.step(at));
            at = self.parent(at);
        }
        let mut text = String::new();
        for step in steps.into_iter().rev() {
            match step {
                Step::Root => {}
                Step::Field(key) => {
                    text.push_str(if text.is_empty() { "" } else { "." });
                    text.push_str(key);
                }
                Step::Items => text.push_str("[]"),
                Step::Values => text.push_str("{}"),
                Step::Rule(rule) => text = rule.to_string(),
            }
        }
        let cut = (text.len().saturating_sub(MAX_TEXT)..).find(|at| text.is_char_boundary(*at));
        match cut {
            Some(cut) if cut > 0 => format!("…{}", &text[cut..]),
            _ => text,
        }
    }
}

impl Step {
    fn key(&self) -> Option<&str> {
        match self {
            Self::Field(key) | Self::Rule(key) => Some(key),
            _ => None,
        }
    }
}

fn place(parent: u32, step: &Step) -> u64 {
    let (tag, key) = match step {
        Step::Root => ("/", ""),
        Step::Field(key) => ("f", key.as_ref()),
        Step::Items => ("[", ""),
        Step::Values => ("*", ""),
        Step::Rule(rule) => ("!", rule.as_ref()),
    };
    Fnv::default().number(u64::from(parent)).text(tag).text(key).get()
}

/// Ids, dates, paths, addresses and sentences: keys of maps, not names of fields.
fn is_data(key: &str) -> bool {
    let bytes = key.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let run = || bytes.windows(4).any(|four| four.iter().all(u8::is_ascii_digit));
    let bare = key.strip_prefix('@').filter(|rest| !rest.is_empty()).unwrap_or(key);
    let written = |byte: u8| byte < b' ' || matches!(byte, b'@' | b'/' | b'\\' | b':' | b'.' | b' ');
    bytes.len() > MAX_KEY
        || bare.bytes().any(written)
        || digits > 0 && (digits >= 6 || digits == bytes.len() || run())
        || digits >= 2 && bytes.len() >= 8 && bytes.iter().all(u8::is_ascii_hexdigit)
}
