//! Reads the values at the watched paths of a JSON document and counts their types.
//!
//! It reads in one pass without recursion, at any depth. It is lenient, because its input was read as JSON before.

use schemascope_model::{Marker, Redacted, TypeName};

use super::hash::Fnv;
use super::paths::{Paths, ROOT, Step};
use super::sketch::Sketch;
use schemascope_json::{rest_end, string_end};

/// What stands at a path in one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// There is no place for it: its parent is missing.
    Nowhere,
    /// Its parent is there without it.
    Absent,
    /// A value.
    Is(TypeName),
}

/// How many kinds there are.
pub(super) const KINDS: usize = 8;

impl Kind {
    const ALL: [Self; KINDS] = [
        Self::Nowhere,
        Self::Absent,
        Self::Is(TypeName::Null),
        Self::Is(TypeName::Boolean),
        Self::Is(TypeName::Number),
        Self::Is(TypeName::String),
        Self::Is(TypeName::Object),
        Self::Is(TypeName::Array),
    ];

    pub(super) fn of(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// Its place among all, as it is written into states.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Nowhere => 0,
            Self::Absent => 1,
            Self::Is(name) => 2 + name as u8,
        }
    }
}

/// Places of counts.
const ABSENT: usize = 1;
const OBJECT: usize = 6;

/// Levels that are looked into.
const MAX_DEPTH: usize = 24;
/// Items of one array that are looked at: what prevails among so many prevails.
const MAX_ITEMS: u32 = 64;

/// One document's counts, by path. Reused, so that reading allocates little.
#[derive(Debug, Clone, Default)]
pub(super) struct Outline {
    counts: Vec<[u32; KINDS]>,
    /// Of the values at each path, in whatever order.
    digests: Vec<u64>,
    touched: Vec<u32>,
    /// The kind that prevails at each path.
    pub(super) kinds: Vec<Kind>,
    pub(super) sketch: Sketch,
    /// Paths whose values do not tell what a document is about, since they may have changed; may be short.
    pub(super) changing: Vec<bool>,
}

struct Frame {
    node: Option<u32>,
    object: bool,
    /// Of an array, where its items are counted, once that is known.
    items: Option<u32>,
    /// Of an object, which field is expected; of an array, how many items came.
    next: u32,
}

impl Outline {
    /// Reads a document; paths that are new are taken into `paths`.
    pub(super) fn read(&mut self, document: &str, paths: &mut Paths) {
        for node in self.touched.drain(..) {
            self.counts[node as usize] = [0; KINDS];
            self.digests[node as usize] = 0;
        }
        self.sketch = Sketch::default();
        let bytes = document.as_bytes();
        let mut open: Vec<Frame> = Vec::new();
        let (mut skipped, mut at) = (0_usize, 0);
        // The field whose value comes next; `Err` before its key.
        let mut field: Result<Option<u32>, ()> = Ok(Some(ROOT));
        while let Some(byte) = bytes.get(at) {
            let start = at;
            let kind = match byte {
                b'"' => {
                    at = string_end(bytes, at).unwrap_or(bytes.len());
                    let text = document.get(start + 1..at.saturating_sub(1)).unwrap_or("");
                    if skipped > 0 {
                        continue;
                    }
                    if field.is_err() {
                        let known = |frame: &mut Frame| paths.field(frame.node?, text, &mut frame.next);
                        field = Ok(open.last_mut().and_then(known));
                        continue;
                    }
                    string_kind(text)
                }
                b'{' | b'[' => {
                    at += 1;
                    if skipped > 0 || open.len() >= MAX_DEPTH {
                        if skipped == 0 {
                            self.count(paths, &mut open, &field, byte_kind(*byte), "");
                        }
                        skipped += 1;
                        continue;
                    }
                    let node = self.count(paths, &mut open, &field, byte_kind(*byte), "");
                    let object = *byte == b'{';
                    open.push(Frame { node, object, items: None, next: 0 });
                    field = if object { Err(()) } else { Ok(None) };
                    continue;
                }
                b'}' | b']' => {
                    at += 1;
                    if skipped > 0 {
                        skipped -= 1;
                    } else {
                        open.pop();
                    }
                    continue;
                }
                b',' => {
                    at += 1;
                    if let Some(frame) = open.last_mut().filter(|_| skipped == 0) {
                        field = if frame.object { Err(()) } else { Ok(None) };
                        frame.next += u32::from(!frame.object);
                        if !frame.object && frame.next >= MAX_ITEMS {
                            at = close_of_array(bytes, at);
                        }
                    }
                    continue;
                }
                b'-' | b'0'..=b'9' => {
                    at = word_end(bytes, at);
                    Kind::Is(TypeName::Number)
                }
                b't' | b'f' => {
                    at = word_end(bytes, at);
                    Kind::Is(TypeName::Boolean)
                }
                b'n' => {
                    at = word_end(bytes, at);
                    Kind::Is(TypeName::Null)
                }
                _ => {
                    at += 1;
                    continue;
                }
            };
            if skipped == 0 {
                self.count(paths, &mut open, &field, kind, document.get(start..at).unwrap_or(""));
            }
        }
        self.conclude(paths);
    }

    /// Counts a value where it stands; its node.
    fn count(
        &mut self,
        paths: &mut Paths,
        open: &mut [Frame],
        field: &Result<Option<u32>, ()>,
        kind: Kind,
        text: &str,
    ) -> Option<u32> {
        let node = match (open.last_mut(), field) {
            (Some(frame), _) if !frame.object => {
                frame.items = frame.items.or_else(|| paths.child(frame.node?, Step::Items));
                frame.items
            }
            (_, Ok(node)) => *node,
            (_, Err(())) => None,
        }?;
        if self.counts.len() <= node as usize {
            self.counts.resize(node as usize + 1, [0; KINDS]);
            self.digests.resize(node as usize + 1, 0);
        }
        let counts = &mut self.counts[node as usize];
        if counts.iter().all(|count| *count == 0) {
            self.touched.push(node);
        }
        counts[usize::from(kind.code())] += 1;
        let changing = self.changing.get(node as usize).copied().unwrap_or(false);
        if !changing && matches!(kind, Kind::Is(TypeName::Number | TypeName::String)) {
            let digest = &mut self.digests[node as usize];
            *digest = digest.wrapping_add(Fnv::default().beginning(text).get());
        }
        Some(node)
    }

    /// What prevails at each path. An array's items count by majority: what one of very many has is not
    /// what the tool returns, and the length of arrays must not matter.
    fn conclude(&mut self, paths: &Paths) {
        self.kinds.clear();
        self.kinds.resize(paths.len(), Kind::Nowhere);
        if let Some(counts) = self.counts.first() {
            self.kinds[ROOT as usize] = prevailing(counts);
        }
        for node in &self.touched {
            let digest = self.digests[*node as usize];
            if digest != 0 {
                self.sketch.add(Fnv::default().number(u64::from(*node)).number(digest).get());
            }
            let counts = self.counts[*node as usize];
            let objects = counts[OBJECT];
            for child in paths.children(*node) {
                let of = self.counts.get(*child as usize).copied().unwrap_or_default();
                let total: u32 = of.iter().sum();
                self.kinds[*child as usize] = match paths.step(*child) {
                    Step::Field(_) if objects > 0 => {
                        let mut of = of;
                        of[ABSENT] = objects.saturating_sub(total);
                        prevailing(&of)
                    }
                    Step::Field(_) => Kind::Nowhere,
                    _ if total > 0 => prevailing(&of),
                    _ => Kind::Nowhere,
                };
            }
        }
    }
}

fn prevailing(counts: &[u32; KINDS]) -> Kind {
    let most = (0..KINDS).max_by_key(|kind| counts[*kind]).filter(|kind| counts[*kind] > 0);
    most.and_then(|kind| Kind::of(kind as u8)).unwrap_or(Kind::Nowhere)
}

fn byte_kind(byte: u8) -> Kind {
    if byte == b'{' { Kind::Is(TypeName::Object) } else { Kind::Is(TypeName::Array) }
}

/// A marker is what it stands for.
fn string_kind(text: &str) -> Kind {
    match text.parse() {
        Ok(Marker(Redacted::Integer | Redacted::Number)) => Kind::Is(TypeName::Number),
        _ => Kind::Is(TypeName::String),
    }
}

/// Where the array closes that an item of begins at `start`.
fn close_of_array(bytes: &[u8], start: usize) -> usize {
    rest_end(bytes, start).map_or(bytes.len(), |end| end - 1)
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t');
    start + rest.iter().position(ends).unwrap_or(rest.len()).max(1)
}
