//! A walk through a document's values, from path to path.
//!
//! It determines the path of each value and which members of an object belong together.

use super::Circumstances;
use super::plan::{Member, Plan, Seen, Tagging, recycled};
use crate::MAX_DEPTH;
use crate::fields::FoundField;
use crate::keys::{is_hidden, looks_like_data};
use crate::node::{Id, Step, Type};
use crate::scan::{Text, Token};
use crate::signatures::{SIGNED_DEPTH, mix};
use crate::tags;
use crate::tree::{MAX_GATHERED, ROOT, Tree};
use crate::values::POSITIONS;

/// Most members of an object, duplicates included, for which tags are counted.
const MAX_MEMBERS: u32 = 256;

/// Destination of a value.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Target {
    /// Counted at this node, which is the field at this place of its parent, if it is a field.
    Node(Id, u32),
    /// Only its type is counted, at its parent.
    Other(Id),
    /// Counted by another walk.
    #[default]
    Elsewhere,
}

/// State shared by all walks through a document.
pub(super) struct WalkContext<'c, 'd> {
    pub(super) tree: &'c mut Tree,
    /// Number of the latest object.
    pub(super) objects: &'c mut u64,
    pub(super) circumstances: Circumstances<'c>,
    pub(super) plan: Plan<'d>,
    pub(super) signature: u64,
    /// Start of a new walk at this value, or at the next one if this is a key.
    pub(super) gather: Option<Start>,
    /// Number of planned steps at which the observer attends to more than the main walk: 0 while
    /// there are other walks.
    pub(super) attend_at: usize,
}

impl WalkContext<'_, '_> {
    fn gather(&mut self, start: Start) {
        self.gather = Some(start);
        self.attend_at = 0;
    }
}

/// Start of a walk to the node where the values of several keys are counted together.
#[derive(Clone, Copy)]
pub(super) struct Start {
    /// Surroundings of the value.
    around: Frame,
    next: Target,
}

/// A walk through a document's values.
#[derive(Default)]
pub(super) struct Walk<'d> {
    /// Innermost open container, or the surroundings of the value at which the walk starts.
    top: Frame,
    /// Containers around it.
    around: Vec<Frame>,
    /// Destination of the next value, unless that is an item.
    next: Target,
    /// Number of open containers inside a value that is not examined.
    skipped: usize,
    /// Whether the value at which the walk starts has ended.
    done: bool,
    /// Members of the open objects that may have tags.
    members: Vec<Member>,
    /// Members among them that may be tags.
    values: Vec<Tagging<'d>>,
}

/// An open container.
#[derive(Debug, Clone, Copy, Default)]
struct Frame {
    node: Id,
    /// Number of levels around its content.
    depth: u32,
    /// Whether its content is part of the document's signature.
    signs: bool,
    /// Whether its content is too deep to be examined.
    deep: bool,
    holds: Contents,
}

#[derive(Debug, Clone, Copy)]
enum Contents {
    /// The value at which a walk starts, in the object of this number, or in none.
    Begin { object: u64 },
    Items {
        /// Number of items so far.
        length: u64,
        first: [Option<Type>; POSITIONS],
    },
    Fields {
        /// Number of this object.
        object: u64,
        /// Places of the latest field and of the expected one.
        last: u32,
        next: u32,
        /// Start of its members and values, and the limit of members, if the object may have tags.
        members: u32,
        values: u32,
        most: u32,
        /// Places of fields that cannot be tags, one bit each, and of its own fields.
        ignored: u64,
        own: u64,
        /// Whether objects of its members are also counted together.
        together: bool,
    },
}

impl Default for Contents {
    fn default() -> Self {
        Self::Begin { object: 0 }
    }
}

impl<'d> Walk<'d> {
    /// Returns a walk that starts at the root and reuses this one's memory.
    pub(super) fn again<'e>(self) -> Walk<'e> {
        let Self { around, members, values, .. } = self;
        let mut walk = Walk { around, members, values: recycled(values), ..Walk::default() };
        let top = Frame { signs: true, ..Frame::default() };
        walk.restart(Start { around: top, next: Target::Node(ROOT, 0) });
        walk
    }

    /// Starts another walk with the memory of this one.
    pub(super) fn restart(&mut self, start: Start) {
        (self.top, self.next) = (start.around, start.next);
        (self.skipped, self.done) = (0, false);
        self.around.clear();
        self.members.clear();
        self.values.clear();
    }

    /// Returns a walk that skips everything.
    pub(super) fn nowhere() -> Self {
        Self { skipped: usize::MAX / 2, ..Self::default() }
    }

    /// Limits the reserved memory to this many members of open objects.
    pub(super) fn shrink_to(&mut self, members: usize) {
        self.members.shrink_to(members);
        self.values.shrink_to(members);
    }

    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// Accepts the key at the start of `written` if it is the expected one. Returns the length of
    /// its name.
    #[inline(always)]
    pub(super) fn expected(&mut self, written: &[u8], ways: &mut WalkContext<'_, 'd>) -> Option<usize> {
        if self.skipped > 0 {
            return None;
        }
        let Frame { node, holds: Contents::Fields { last, next, .. }, .. } = &mut self.top else {
            return None;
        };
        let (found, length) = ways.tree.node(*node).fields.expected(*next as usize, written)?;
        (*last, *next) = (found.place, found.next as u32);
        self.next = Target::Node(found.id, found.place);
        Some(length)
    }

    #[inline(always)]
    pub(super) fn token(&mut self, token: &Token<'d>, ways: &mut WalkContext<'_, 'd>) {
        if self.skipped > 0 {
            return self.skip(token);
        }
        match *token {
            Token::Key(text) => self.key(text, ways),
            Token::EndObject | Token::EndArray => self.end(ways),
            _ => self.value(*token, ways),
        }
    }

    #[inline(never)]
    fn skip(&mut self, token: &Token<'d>) {
        match token {
            Token::BeginObject | Token::BeginArray => self.skipped += 1,
            Token::EndObject | Token::EndArray => {
                self.skipped -= 1;
                self.done = self.skipped == 0 && self.around.is_empty();
            }
            _ => {}
        }
    }

    /// Finds the destination for the value of an unexpected key.
    #[inline(never)]
    fn key(&mut self, text: Text<'_>, ways: &mut WalkContext<'_, 'd>) {
        self.field(&text.decoded(), ways);
    }

    /// The same for a key whose name is known.
    pub(super) fn field(&mut self, name: &str, ways: &mut WalkContext<'_, 'd>) {
        if self.skipped > 0 {
            return;
        }
        let Frame { node, holds: Contents::Fields { object, last, next, .. }, .. } = &mut self.top else {
            return;
        };
        let (parent, object) = (*node, *object);
        let found = find(ways.tree, parent, name, *next as usize, *last);
        let data = match found {
            Some(found) => {
                (*last, *next) = (found.place, found.next as u32);
                self.next = Target::Node(found.id, found.place);
                found.data
            }
            None => {
                self.next = Target::Other(parent);
                looks_like_data(name)
            }
        };
        if data && !ways.tree.node(parent).rank.data {
            if found.is_none() {
                self.next = Target::Elsewhere;
            }
            let values = ways.tree.values(parent);
            if values.is_none() && !ways.tree.node(parent).lost_values {
                ways.plan.lost(parent, Step::Values);
            }
            let next = values.map_or(Target::Other(parent), |id| Target::Node(id, 0));
            ways.gather(self.gather(object, next));
        }
    }

    /// Begins a walk to the node where the objects of all members are counted together, unless the key looks like
    /// data.
    fn gather_member(&self, target: Target, object: u64, ways: &mut WalkContext<'_, 'd>) {
        let is_data = match target {
            Target::Node(id, _) => ways.tree.node(id).step == (Step::Field { data: true }),
            Target::Other(_) => false,
            Target::Elsewhere => true,
        };
        if is_data {
            return;
        }
        let parent = self.top.node;
        match ways.tree.members(parent) {
            Some(id) => ways.gather(self.gather(object, Target::Node(id, 0))),
            None => ways.plan.lost(parent, Step::Members),
        }
    }

    /// Returns the start of a walk to the node where the values of several keys are counted together.
    fn gather(&self, object: u64, next: Target) -> Start {
        let around = Frame { node: ROOT, signs: false, holds: Contents::Begin { object }, ..self.top };
        Start { around, next }
    }

    #[inline]
    fn end(&mut self, ways: &mut WalkContext<'_, 'd>) {
        let Some(around) = self.around.pop() else { return };
        let ended = std::mem::replace(&mut self.top, around);
        self.done = self.around.is_empty();
        match ended.holds {
            Contents::Begin { .. } => {}
            Contents::Items { length, first } => ways.plan.array(ended.node, length, first),
            Contents::Fields { most: 0, .. } => {}
            Contents::Fields { members, values, most, own: fields, .. } => {
                let (members, values) = (members as usize, values as usize);
                let node = ways.tree.node(ended.node);
                let (own, its) = (&self.members[members..], &self.values[values..]);
                let crowded = self.members.len() >= most as usize;
                // Nothing is counted if there are no values and no new combination of fields.
                let is_new = || {
                    !its.is_empty() || node.tags.as_ref().is_none_or(|tags| !tags.companions().know(fields))
                };
                match node.may_have_tags() {
                    true if crowded => ways.plan.crowded(ended.node),
                    true if !is_new() => {}
                    _ => ways.plan.object(ended.node, fields, own, its),
                }
                self.members.truncate(members);
                self.values.truncate(values);
            }
        }
    }

    #[inline(always)]
    fn value(&mut self, token: Token<'d>, ways: &mut WalkContext<'_, 'd>) {
        let Frame { node, deep, mut signs, .. } = self.top;
        let seen = Seen::new(token, deep, ways.circumstances);
        let mut target = self.next;
        let object = match &mut self.top.holds {
            Contents::Begin { object } => *object,
            Contents::Items { length, first } => {
                signs &= *length == 0;
                if let Some(first) = first.get_mut(*length as usize) {
                    *first = Some(seen.kind);
                }
                *length += 1;
                target = ways.tree.items(node).map_or(Target::Other(node), |id| Target::Node(id, 0));
                0
            }
            Contents::Fields { object, most, ignored, own, .. } => {
                // An object with too many members has no tags.
                if let Target::Node(_, place) = target
                    && (place as usize) < tags::MAX_MEMBERS
                    && self.members.len() < *most as usize
                {
                    self.members.push((place, seen.kind));
                    *own |= 1 << place;
                    if *ignored >> place & 1 == 0
                        && let Some(value) = seen.tag()
                    {
                        self.values.push((place, value));
                    }
                }
                *object
            }
        };
        if let Contents::Fields { together: true, object, .. } = self.top.holds
            && seen.kind == Type::Object
        {
            self.gather_member(target, object, ways);
        }
        let opens = matches!(token, Token::BeginObject | Token::BeginArray);
        match target {
            Target::Node(id, _) => {
                ways.plan.value(id, object, seen);
                if signs {
                    let rank = ways.tree.node(id).rank;
                    signs = !rank.data;
                    if signs {
                        ways.signature = ways.signature.wrapping_add(mix(rank.hash, seen.kind));
                    }
                }
                if opens && !deep {
                    return self.open(id, seen.kind, signs, ways);
                }
            }
            Target::Other(parent) => ways.plan.other(parent, seen.kind),
            Target::Elsewhere => {}
        }
        if opens {
            self.skipped = 1;
        } else {
            self.done = self.around.is_empty();
        }
    }

    #[inline]
    fn open(&mut self, id: Id, kind: Type, signs: bool, ways: &mut WalkContext<'_, 'd>) {
        let depth = self.top.depth + 1;
        let holds = if kind == Type::Array {
            Contents::Items { length: 0, first: [None; POSITIONS] }
        } else {
            *ways.objects += 1;
            let node = ways.tree.node(id);
            let members = self.members.len() as u32;
            Contents::Fields {
                object: *ways.objects,
                last: u32::MAX,
                next: 0,
                members,
                values: self.values.len() as u32,
                most: if node.may_have_tags() { members + MAX_MEMBERS } else { 0 },
                ignored: node.tags.as_ref().map_or(0, |tags| tags.ignored()),
                own: 0,
                together: node.plural && !node.lost_members,
            }
        };
        let deep = depth as usize >= MAX_DEPTH;
        let frame = Frame { node: id, depth, signs: signs && depth < SIGNED_DEPTH, deep, holds };
        self.around.push(std::mem::replace(&mut self.top, frame));
    }

    /// Follows the nodes to their new places. The content of removed nodes is skipped.
    pub(super) fn renumber(&mut self, new: &[Option<Id>]) {
        let place = |id: Id| new.get(id as usize).copied().flatten();
        while place(self.top.node).is_none()
            && let Some(around) = self.around.pop()
        {
            let gone = std::mem::replace(&mut self.top, around);
            if let Contents::Fields { members, values, .. } = gone.holds {
                self.members.truncate(members as usize);
                self.values.truncate(values as usize);
            }
            self.skipped += 1;
        }
        for frame in self.around.iter_mut().chain([&mut self.top]) {
            frame.node = place(frame.node).unwrap_or(ROOT);
        }
    }
}

/// Finds a field by name, or adds it if it is kept.
fn find(tree: &mut Tree, parent: Id, name: &str, guess: usize, last: u32) -> Option<FoundField> {
    if let Some(found) = tree.node_mut(parent).fields.find(name, guess, last) {
        return Some(found);
    }
    let node = tree.node(parent);
    let gathered_only = node.gathered >= MAX_GATHERED && !node.rank.data && looks_like_data(name);
    if gathered_only {
        return None;
    }
    if is_hidden(name) {
        return None;
    }
    tree.add_field(parent, name)?;
    // It now exists, as the last field.
    tree.node_mut(parent).fields.find(name, usize::MAX, last)
}
