//! Counting one document into a shape.
//!
//! Owns: what counts at which path. A document is read to its end before anything is counted, so one that
//! cannot be read counts nothing. Refuses to know: schemas, and everything about a document but its
//! structure and a bounded sample of its values.

use crate::MAX_DEPTH;
use crate::node::{Id, Step, Type};
use crate::rank::looks_like_data;
use crate::scan::{Sink, Token, Unreadable, has_lone_surrogate, scan};
use crate::shape::{Oddities, Shape};
use crate::signatures::{SIGNED_DEPTH, Signer, mix};
use crate::tags::{self, Value};
use crate::tree::{ROOT, Tree};
use crate::values::integer;

/// Documents up to this size are read once, into a list of tokens; longer ones are read twice, so that they
/// need no memory of their own.
const LISTED: usize = 256 << 10;

/// Strings from this length on are noted.
const LONG_STRING: usize = 1 << 20;

/// Levels of keys that look like data below which they are only counted together.
const MAX_GATHERED: u8 = 3;

/// Members an object may have for its tags to be counted, keys repeated.
const MAX_MEMBERS: usize = 256;

/// What a string stands for that replaced another value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandsFor {
    /// A string of so many characters, if that is known.
    String(Option<u64>),
    /// An integer.
    Integer,
    /// Another number.
    Number,
}

/// Tells what a string stands for, if it is in place of another value.
pub type Replacements = dyn Fn(&str) -> Option<StandsFor>;

/// When and how a document was observed.
#[derive(Clone, Copy, Default)]
pub struct Circumstances<'a> {
    /// The epoch: any number that grows with time. What is kept per epoch, is for the newest eight.
    pub epoch: u32,
    /// Known where values that must not be kept were replaced.
    pub stands_for: Option<&'a Replacements>,
}

impl Shape {
    /// Counts one JSON document. On an error the shape is as it was.
    pub fn observe(&mut self, document: &[u8]) -> Result<(), Unreadable> {
        self.observe_under(document, Circumstances::default())
    }

    /// Counts one document observed at a certain time, or with some of its values replaced.
    pub fn observe_under(
        &mut self,
        document: &[u8],
        circumstances: Circumstances<'_>,
    ) -> Result<(), Unreadable> {
        if document.len() <= LISTED {
            let mut tokens = recycled(std::mem::take(&mut self.spare));
            let read = scan(document, &mut tokens);
            if let Err(unreadable) = read {
                self.spare = recycled(tokens);
                return Err(unreadable);
            }
            let signature = self.count(circumstances, |observer| {
                tokens.iter().for_each(|token| observer.token(*token));
                Ok(())
            })?;
            self.sign(signature, circumstances, |signer| {
                tokens.iter().for_each(|token| signer.token(*token));
                Ok(())
            })?;
            self.spare = recycled(tokens);
            Ok(())
        } else {
            scan(document, &mut ())?;
            let signature = self.count(circumstances, |observer| scan(document, observer))?;
            self.sign(signature, circumstances, |signer| scan(document, signer))
        }
    }

    /// Counts a document that `read` reads, known to be one; its signature as far as it was met.
    fn count<'d>(
        &mut self,
        circumstances: Circumstances<'_>,
        read: impl FnOnce(&mut Observer<'_, 'd>) -> Result<(), Unreadable>,
    ) -> Result<u64, Unreadable> {
        let mut observer = Observer::new(self, circumstances);
        read(&mut observer)?;
        let signature = observer.count.signature;
        self.observations += 1;
        if self.note_epoch(circumstances.epoch, 1) {
            self.forget_epochs();
        }
        Ok(signature)
    }

    /// Counts a document's signature. What was met of it is all of it while every path is kept.
    fn sign(
        &mut self,
        met: u64,
        circumstances: Circumstances<'_>,
        read: impl FnOnce(&mut Signer<'_>) -> Result<(), Unreadable>,
    ) -> Result<(), Unreadable> {
        let mut signature = met;
        if self.is_trimmed() {
            let mut signer = Signer::new(self.tree.key, circumstances);
            read(&mut signer)?;
            signature = signer.signature();
        }
        self.signatures.add(signature, 1);
        Ok(())
    }
}

/// The memory of a list of tokens, for another document's.
fn recycled<'d>(mut tokens: Vec<Token<'_>>) -> Vec<Token<'d>> {
    tokens.clear();
    // The same memory: the types differ by their lifetime only.
    tokens.into_iter().map(|_| Token::Null).collect()
}

/// Counts a document's tokens.
struct Observer<'s, 'd> {
    count: Count<'s, 'd>,
    oddities: &'s mut Oddities,
    changes: &'s mut u64,
    cap: usize,
    /// Nodes at which the tree is cut back, so that a huge document needs no more than a small one.
    limit: usize,
    /// Through every path by its own keys.
    main: Walk<'d>,
    /// Through values whose key looks like data, to where such values are counted together.
    gathering: Vec<Walk<'d>>,
}

impl<'s> Observer<'s, '_> {
    fn new(shape: &'s mut Shape, circumstances: Circumstances<'s>) -> Self {
        shape.documents += 1;
        Self {
            count: Count {
                tree: &mut shape.tree,
                document: shape.documents,
                objects: &mut shape.objects,
                circumstances,
                signature: 0,
                gather: None,
            },
            oddities: &mut shape.oddities,
            changes: &mut shape.changes,
            cap: shape.cap,
            limit: limit(shape.cap),
            main: Walk::to(Target::Node(ROOT), 0, true),
            gathering: Vec::new(),
        }
    }

    fn cut_back(&mut self) {
        if let Some(new) = self.count.tree.trim(self.cap, None) {
            *self.changes += 1;
            self.main.renumber(&new);
            self.gathering.iter_mut().for_each(|walk| walk.renumber(&new));
        }
    }
}

/// Nodes up to which a tree may grow before it is cut back to its cap. Cutting back costs as much as the
/// tree is large, so it is worth waiting for enough to cut.
fn limit(cap: usize) -> usize {
    cap.saturating_add(cap / 4).saturating_add(16)
}

impl<'d> Sink<'d> for Observer<'_, 'd> {
    #[inline(always)]
    fn token(&mut self, token: Token<'d>) {
        note(self.oddities, token);
        self.main.token(token, &mut self.count);
        if !self.gathering.is_empty() || self.count.gather.is_some() {
            self.gather(token);
        }
        // Never between a key and its value, which is on its way to a node.
        if self.count.tree.len() > self.limit && !matches!(token, Token::Key(_)) {
            self.cut_back();
        }
    }
}

impl<'d> Observer<'_, 'd> {
    fn gather(&mut self, token: Token<'d>) {
        let gathering = self.gathering.len();
        self.gathering.extend(self.count.gather.take());
        for at in 0..gathering {
            self.gathering[at].token(token, &mut self.count);
            self.gathering.extend(self.count.gather.take());
        }
        self.gathering.retain(|walk| !walk.done);
    }
}

#[inline(always)]
fn note(oddities: &mut Oddities, token: Token<'_>) {
    match token {
        Token::String(text) | Token::Key(text) => {
            oddities.surrogates += u64::from(has_lone_surrogate(text));
            oddities.long_strings += u64::from(text.written_length() >= LONG_STRING);
        }
        // Only an exponent or hundreds of digits lead beyond every float.
        Token::Number(text) if text.len() > 300 || text.bytes().any(|byte| matches!(byte, b'e' | b'E')) => {
            oddities.out_of_range += u64::from(is_out_of_range(text));
        }
        Token::Integer(text) if text.len() > 300 => oddities.out_of_range += u64::from(is_out_of_range(text)),
        _ => {}
    }
}

fn is_out_of_range(number: &str) -> bool {
    number.parse::<f64>().is_ok_and(f64::is_infinite)
}

/// What one token is counted with.
struct Count<'c, 'd> {
    tree: &'c mut Tree,
    document: u64,
    objects: &'c mut u64,
    circumstances: Circumstances<'c>,
    signature: u64,
    /// A walk through the next value that begins here.
    gather: Option<Walk<'d>>,
}

/// Where a value goes.
#[derive(Debug, Clone, Copy)]
enum Target {
    /// It is counted at this node.
    Node(Id),
    /// Only its type is counted, at its parent.
    Other(Id),
    /// It is counted elsewhere.
    Elsewhere,
}

/// One way through a document's values.
struct Walk<'d> {
    stack: Vec<Frame>,
    /// Where the next value goes, unless it is an item.
    next: Target,
    /// Containers around what is not looked into.
    skipped: usize,
    /// Levels around the value it begins with.
    depth: usize,
    /// What it meets makes up the document's signature.
    signs: bool,
    /// The value it begins with has ended.
    done: bool,
    /// Members of the open objects that may have tags, each with its place and type.
    members: Vec<(u32, Type)>,
    /// Those of them that may be tags.
    values: Vec<(u32, Value<'d>)>,
}

/// An open container.
#[derive(Debug, Clone, Copy)]
struct Frame {
    node: Id,
    /// Items so far, or the place where the next field is looked for first.
    at: usize,
    /// What is inside makes up the document's signature.
    signs: bool,
    holds: Holds,
}

#[derive(Debug, Clone, Copy)]
enum Holds {
    Items,
    Fields {
        /// The number of this object.
        object: u64,
        /// Where its members and values begin, while it may have tags.
        tagged: Option<(usize, usize)>,
    },
}

/// A value as it is counted.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'d> {
    pub(crate) token: Token<'d>,
    pub(crate) kind: Type,
    /// What it is in place of.
    stands_for: Option<StandsFor>,
}

impl<'d> Seen<'d> {
    #[inline(always)]
    pub(crate) fn new(token: Token<'d>, too_deep: bool, circumstances: Circumstances<'_>) -> Self {
        let mut stands_for = None;
        let kind = match token {
            _ if too_deep => Type::Opaque,
            Token::Null => Type::Null,
            Token::Boolean(_) => Type::Boolean,
            // All numbers this short fit 64 bits.
            Token::Integer(text) if text.len() <= 18 || integer(text).is_some() => Type::Integer,
            Token::Integer(_) | Token::Number(_) => Type::Number,
            Token::String(text) => {
                stands_for = circumstances.stands_for.and_then(|stands_for| stands_for(&text.decoded()));
                match stands_for {
                    Some(StandsFor::Integer) => Type::Integer,
                    Some(StandsFor::Number) => Type::Number,
                    Some(StandsFor::String(_)) | None => Type::String,
                }
            }
            Token::BeginArray => Type::Array,
            Token::BeginObject | Token::Key(_) | Token::EndObject | Token::EndArray => Type::Object,
        };
        Self { token, kind, stands_for }
    }

    /// The value, if it is one that may be a tag.
    fn tag(self) -> Option<Value<'d>> {
        match self.token {
            Token::Boolean(value) => Some(Value::Boolean(value)),
            Token::String(text) if self.stands_for.is_none() => {
                text.plain().filter(|text| text.len() <= tags::MAX_LENGTH).map(Value::Text)
            }
            _ => None,
        }
    }
}

impl Count<'_, '_> {
    /// Counts a value at a node.
    #[inline(always)]
    fn at(&mut self, id: Id, seen: Seen<'_>) {
        let key = self.tree.key;
        let node = self.tree.node_mut(id);
        node.counts[seen.kind as usize] += 1;
        if node.mark.document != self.document {
            node.mark.document = self.document;
            node.mark.types = 0;
            node.documents += 1;
        }
        let bit = 1 << seen.kind as u8;
        if node.mark.types & bit == 0 {
            node.mark.types |= bit;
            node.times.add(self.circumstances.epoch, seen.kind);
        }
        match (seen.token, seen.stands_for) {
            _ if seen.kind == Type::Opaque => {}
            (_, Some(StandsFor::String(length))) => {
                node.strings.get_or_insert_default().add_redacted(length);
            }
            (_, Some(StandsFor::Integer | StandsFor::Number)) => {}
            (Token::String(text), None) => {
                let strings = node.strings.get_or_insert_default();
                match text.plain() {
                    Some(text) => strings.add(text, key),
                    // Readers disagree on what it is.
                    None if has_lone_surrogate(text) => strings.add_redacted(None),
                    None => strings.add(&text.decoded(), key),
                }
            }
            (Token::Integer(text), None) => node.numbers.get_or_insert_default().add_integer(text, key),
            (Token::Number(text), None) => node.numbers.get_or_insert_default().add_number(text, key),
            _ => {}
        }
    }
}

impl<'d> Walk<'d> {
    fn to(next: Target, depth: usize, signs: bool) -> Self {
        let (members, values) = (Vec::new(), Vec::new());
        Self { stack: Vec::with_capacity(16), next, skipped: 0, depth, signs, done: false, members, values }
    }

    #[inline(always)]
    fn token(&mut self, token: Token<'d>, count: &mut Count<'_, 'd>) {
        if self.skipped > 0 {
            return self.skip(token);
        }
        match token {
            Token::Key(text) => match text.plain() {
                Some(name) => self.key(name, count),
                None => self.key(&text.decoded(), count),
            },
            Token::EndObject | Token::EndArray => self.end(count),
            _ => self.value(token, count),
        }
    }

    fn skip(&mut self, token: Token<'d>) {
        match token {
            Token::BeginObject | Token::BeginArray => self.skipped += 1,
            Token::EndObject | Token::EndArray => {
                self.skipped -= 1;
                self.done = self.skipped == 0 && self.stack.is_empty();
            }
            _ => {}
        }
    }

    /// Finds where the value of a key goes.
    #[inline]
    fn key(&mut self, name: &str, count: &mut Count<'_, 'd>) {
        let Some(Frame { node: parent, at, holds: Holds::Fields { object, .. }, .. }) = self.stack.last_mut()
        else {
            return;
        };
        let (parent, object) = (*parent, *object);
        let found = match count.tree.node(parent).fields.place(name, *at) {
            Some(place) => Some((place, count.tree.node(parent).fields.at(place).1)),
            None => new_field(count.tree, parent, name),
        };
        let gathers = match found {
            Some((place, id)) => {
                *at = place + 1;
                let field = count.tree.node_mut(id);
                // A repeated key is one presence of the field, with the types of all its values: readers
                // disagree on which of them counts, and a schema must fit either.
                if field.mark.parent == object {
                    field.repeated += 1;
                } else {
                    field.mark.parent = object;
                    field.present += 1;
                }
                self.next = Target::Node(id);
                field.step == (Step::Field { data: true })
            }
            None => looks_like_data(name),
        } && !count.tree.node(parent).rank.data;
        if found.is_none() {
            self.next = if gathers { Target::Elsewhere } else { Target::Other(parent) };
        }
        if gathers {
            self.gather(parent, object, count);
        }
    }

    /// Sends a walk to where values of keys that look like data are counted together.
    fn gather(&self, parent: Id, object: u64, count: &mut Count<'_, 'd>) {
        let target = match count.tree.values(parent) {
            Some(id) => {
                let node = count.tree.node_mut(id);
                if node.mark.parent != object {
                    node.mark.parent = object;
                    node.present += 1;
                }
                Target::Node(id)
            }
            None => Target::Other(parent),
        };
        count.gather = Some(Self::to(target, self.depth + self.stack.len(), false));
    }

    fn end(&mut self, count: &mut Count<'_, 'd>) {
        let Some(frame) = self.stack.pop() else { return };
        self.done = self.stack.is_empty();
        let key = count.tree.key;
        let node = count.tree.node_mut(frame.node);
        match frame.holds {
            Holds::Items => node.arrays.get_or_insert_default().lengths.add(frame.at as u64),
            Holds::Fields { tagged: None, .. } => {}
            Holds::Fields { tagged: Some((members, values)), .. } => {
                if !node.may_have_tags() {
                    node.tags = None;
                } else if self.members.len() < members + MAX_MEMBERS {
                    let (tags, fields) = (node.tags.get_or_insert_default(), &node.fields);
                    tags.add(&self.members[members..], &self.values[values..], key, |at| fields.at(at).0);
                }
                self.members.truncate(members);
                self.values.truncate(values);
            }
        }
    }

    #[inline(always)]
    fn value(&mut self, token: Token<'d>, count: &mut Count<'_, 'd>) {
        let too_deep = self.depth + self.stack.len() >= MAX_DEPTH;
        let seen = Seen::new(token, too_deep, count.circumstances);
        let opens = matches!(token, Token::BeginObject | Token::BeginArray);
        let mut signs = self.signs && self.stack.len() < SIGNED_DEPTH;
        let mut target = self.next;
        match self.stack.last_mut() {
            Some(Frame { node, at, holds: Holds::Items, signs: around }) => {
                signs &= *around && *at == 0;
                target = count.tree.items(*node).map_or(Target::Other(*node), Target::Node);
                let arrays = count.tree.node_mut(*node).arrays.get_or_insert_default();
                arrays.add_item(*at, seen.kind);
                *at += 1;
            }
            Some(Frame {
                holds: Holds::Fields { tagged: Some((members, _)), .. }, signs: around, ..
            }) => {
                signs &= *around;
                if let Target::Node(id) = target
                    && self.members.len() < *members + MAX_MEMBERS
                {
                    let place = count.tree.node(id).place;
                    // Where there are more, the object has no tags.
                    if (place as usize) < tags::MAX_MEMBERS {
                        self.members.push((place, seen.kind));
                        if let Some(value) = seen.tag() {
                            self.values.push((place, value));
                        }
                    }
                }
            }
            Some(frame) => signs &= frame.signs,
            None => {}
        }
        match target {
            Target::Node(id) => {
                count.at(id, seen);
                let rank = count.tree.node(id).rank;
                signs &= !rank.data;
                if signs {
                    count.signature = count.signature.wrapping_add(mix(rank.hash, seen.kind));
                }
                if opens && !too_deep {
                    self.open(id, seen.kind, signs, count);
                    return;
                }
            }
            Target::Other(parent) => count.tree.node_mut(parent).other[seen.kind as usize] += 1,
            Target::Elsewhere => {}
        }
        if opens {
            self.skipped = 1;
        } else {
            self.done = self.stack.is_empty();
        }
    }

    fn open(&mut self, node: Id, kind: Type, signs: bool, count: &mut Count<'_, 'd>) {
        let holds = if kind == Type::Array {
            Holds::Items
        } else {
            *count.objects += 1;
            let may = count.tree.node(node).may_have_tags();
            let tagged = may.then_some((self.members.len(), self.values.len()));
            Holds::Fields { object: *count.objects, tagged }
        };
        self.stack.push(Frame { node, at: 0, signs, holds });
    }

    /// Follows the nodes to their new places; what is in one that went is skipped.
    fn renumber(&mut self, new: &[Option<Id>]) {
        let place = |id: Id| new.get(id as usize).copied().flatten();
        if let Some(gone) = self.stack.iter().position(|frame| place(frame.node).is_none()) {
            let begun = self.stack[gone..].iter().find_map(|frame| match frame.holds {
                Holds::Fields { tagged, .. } => tagged,
                Holds::Items => None,
            });
            if let Some((members, values)) = begun {
                self.members.truncate(members);
                self.values.truncate(values);
            }
            self.skipped += self.stack.len() - gone;
            self.stack.truncate(gone);
        }
        for frame in &mut self.stack {
            frame.node = place(frame.node).unwrap_or(ROOT);
        }
    }
}

/// A field that is new at this object: its place and node, unless it is not kept.
fn new_field(tree: &mut Tree, parent: Id, name: &str) -> Option<(usize, Id)> {
    let node = tree.node(parent);
    let gathered_only = node.gathered >= MAX_GATHERED && !node.rank.data && looks_like_data(name);
    if gathered_only { None } else { tree.add_field(parent, name) }
}
