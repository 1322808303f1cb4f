//! One way through a document's values, from path to path.
//!
//! Owns: which path a value is at, and which members of an object go together. Refuses to know: what is
//! counted there.

use super::Circumstances;
use super::plan::{Member, Plan, Seen, Tagging, recycled};
use crate::MAX_DEPTH;
use crate::fields::Found;
use crate::node::{Id, Type};
use crate::rank::looks_like_data;
use crate::scan::{Text, Token};
use crate::signatures::{SIGNED_DEPTH, mix};
use crate::tags;
use crate::tree::{ROOT, Tree};
use crate::values::POSITIONS;

/// Levels of keys that look like data below which they are only counted together.
const MAX_GATHERED: u8 = 3;

/// Members an object may have for its tags to be counted, keys repeated.
const MAX_MEMBERS: u32 = 256;

/// Where a value goes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Target {
    /// It is counted at this node, the field at this place of its parent or none.
    Node(Id, u32),
    /// Only its type is counted, at its parent.
    Other(Id),
    /// It is counted elsewhere.
    #[default]
    Elsewhere,
}

/// What all walks through a document have in common.
pub(super) struct Ways<'c, 'd> {
    pub(super) tree: &'c mut Tree,
    /// The number of the latest object.
    pub(super) objects: &'c mut u64,
    pub(super) circumstances: Circumstances<'c>,
    pub(super) plan: Plan<'d>,
    pub(super) signature: u64,
    /// A walk through the next value that begins here.
    pub(super) gather: Option<Walk<'d>>,
}

/// One way through a document's values.
#[derive(Default)]
pub(super) struct Walk<'d> {
    /// The innermost container that is open, or what is around the value it begins with.
    top: Frame,
    /// Those around that.
    around: Vec<Frame>,
    /// Where the next value goes, unless it is an item.
    next: Target,
    /// Containers around what is not looked into.
    skipped: usize,
    /// The value it begins with has ended.
    done: bool,
    /// Members of the open objects that may have tags.
    members: Vec<Member>,
    /// Those of them that may be tags.
    values: Vec<Tagging<'d>>,
}

/// An open container.
#[derive(Debug, Clone, Copy, Default)]
struct Frame {
    node: Id,
    /// Levels around what is inside.
    depth: u32,
    /// What is inside makes up the document's signature.
    signs: bool,
    /// What is inside is not looked into.
    deep: bool,
    holds: Holds,
}

#[derive(Debug, Clone, Copy)]
enum Holds {
    /// The value that a walk begins with, which is in the object of this number, or in none.
    Begin { object: u64 },
    Items {
        /// So far.
        length: u64,
        first: [Option<Type>; POSITIONS],
    },
    Fields {
        /// The number of this object.
        object: u64,
        /// The place of the latest field, and of the one that is expected.
        last: u32,
        next: u32,
        /// Where its members and values begin, and how many members there may be, while it may have tags.
        members: u32,
        values: u32,
        most: u32,
        /// Places of fields that are no tags, a bit each.
        untold: u64,
    },
}

impl Default for Holds {
    fn default() -> Self {
        Self::Begin { object: 0 }
    }
}

impl<'d> Walk<'d> {
    /// A walk that begins at the root, in the memory of another.
    pub(super) fn again<'e>(mut self) -> Walk<'e> {
        self.around.clear();
        self.members.clear();
        Walk {
            top: Frame { signs: true, ..Frame::default() },
            around: self.around,
            members: self.members,
            values: recycled(self.values),
            next: Target::Node(ROOT, 0),
            ..Walk::default()
        }
    }

    /// A walk that skips all.
    pub(super) fn nowhere() -> Self {
        Self { skipped: usize::MAX / 2, ..Self::default() }
    }

    /// Keeps no more room than for so many members of open objects.
    pub(super) fn shrink_to(&mut self, members: usize) {
        self.members.shrink_to(members);
        self.values.shrink_to(members);
    }

    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// Takes the key that `written` begins with if it is the one that is expected; the bytes of its name.
    #[inline(always)]
    pub(super) fn expected(&mut self, written: &[u8], ways: &mut Ways<'_, 'd>) -> Option<usize> {
        if self.skipped > 0 {
            return None;
        }
        let Frame { node, holds: Holds::Fields { last, next, .. }, .. } = &mut self.top else { return None };
        let (found, length) = ways.tree.node(*node).fields.expected(*next as usize, written)?;
        (*last, *next) = (found.place, found.next as u32);
        self.next = Target::Node(found.id, found.place);
        Some(length)
    }

    #[inline(always)]
    pub(super) fn token(&mut self, token: &Token<'d>, ways: &mut Ways<'_, 'd>) {
        if self.skipped > 0 {
            return self.skip(token);
        }
        match *token {
            Token::Key(text) => self.key(text, ways),
            Token::EndObject | Token::EndArray => self.end(ways),
            _ => self.value(*token, ways),
        }
    }

    /// The same, for those who are few.
    #[inline(never)]
    pub(super) fn follow(&mut self, token: &Token<'d>, ways: &mut Ways<'_, 'd>) {
        self.token(token, ways);
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

    /// Finds where the value of a key goes that is not the one expected.
    #[inline(never)]
    fn key(&mut self, text: Text<'_>, ways: &mut Ways<'_, 'd>) {
        let Frame { node, holds: Holds::Fields { object, last, next, .. }, .. } = &mut self.top else {
            return;
        };
        let (parent, object, name) = (*node, *object, &*text.decoded());
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
            ways.gather = Some(self.gather(object, ways.tree));
        }
    }

    /// A walk to where values of keys that look like data are counted together.
    fn gather(&self, object: u64, tree: &mut Tree) -> Self {
        let parent = self.top.node;
        let next = tree.values(parent).map_or(Target::Other(parent), |id| Target::Node(id, 0));
        let top = Frame { node: ROOT, signs: false, holds: Holds::Begin { object }, ..self.top };
        Self { top, next, ..Self::default() }
    }

    #[inline]
    fn end(&mut self, ways: &mut Ways<'_, 'd>) {
        let Some(around) = self.around.pop() else { return };
        let ended = std::mem::replace(&mut self.top, around);
        self.done = self.around.is_empty();
        match ended.holds {
            Holds::Begin { .. } => {}
            Holds::Items { length, first } => ways.plan.array(ended.node, length, first),
            Holds::Fields { most: 0, .. } => {}
            Holds::Fields { members, values, most, .. } => {
                let (members, values) = (members as usize, values as usize);
                let has_tags = ways.tree.node(ended.node).may_have_tags();
                // Where there are too many members nothing is told, nor where there are no values.
                if self.members.len() < most as usize && self.values.len() > values || !has_tags {
                    ways.plan.object(ended.node, &self.members[members..], &self.values[values..]);
                }
                self.members.truncate(members);
                self.values.truncate(values);
            }
        }
    }

    #[inline(always)]
    fn value(&mut self, token: Token<'d>, ways: &mut Ways<'_, 'd>) {
        let Frame { node, deep, mut signs, .. } = self.top;
        let seen = Seen::new(token, deep, ways.circumstances);
        let mut target = self.next;
        let object = match &mut self.top.holds {
            Holds::Begin { object } => *object,
            Holds::Items { length, first } => {
                signs &= *length == 0;
                if let Some(first) = first.get_mut(*length as usize) {
                    *first = Some(seen.kind);
                }
                *length += 1;
                target = ways.tree.items(node).map_or(Target::Other(node), |id| Target::Node(id, 0));
                0
            }
            Holds::Fields { object, most, untold, .. } => {
                // Where there are too many members the object has no tags.
                if let Target::Node(_, place) = target
                    && (place as usize) < tags::MAX_MEMBERS
                    && self.members.len() < *most as usize
                {
                    self.members.push((place, seen.kind));
                    if *untold >> place & 1 == 0
                        && let Some(value) = seen.tag()
                    {
                        self.values.push((place, value));
                    }
                }
                *object
            }
        };
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
    fn open(&mut self, id: Id, kind: Type, signs: bool, ways: &mut Ways<'_, 'd>) {
        let depth = self.top.depth + 1;
        let holds = if kind == Type::Array {
            Holds::Items { length: 0, first: [None; POSITIONS] }
        } else {
            *ways.objects += 1;
            let node = ways.tree.node(id);
            let members = self.members.len() as u32;
            Holds::Fields {
                object: *ways.objects,
                last: u32::MAX,
                next: 0,
                members,
                values: self.values.len() as u32,
                most: if node.may_have_tags() { members + MAX_MEMBERS } else { 0 },
                untold: node.tags.as_ref().map_or(0, |tags| tags.untold()),
            }
        };
        let deep = depth as usize >= MAX_DEPTH;
        let frame = Frame { node: id, depth, signs: signs && depth < SIGNED_DEPTH, deep, holds };
        self.around.push(std::mem::replace(&mut self.top, frame));
    }

    /// Follows the nodes to their new places; what is in one that went is skipped.
    pub(super) fn renumber(&mut self, new: &[Option<Id>]) {
        let place = |id: Id| new.get(id as usize).copied().flatten();
        while place(self.top.node).is_none()
            && let Some(around) = self.around.pop()
        {
            let gone = std::mem::replace(&mut self.top, around);
            if let Holds::Fields { members, values, .. } = gone.holds {
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

/// A field by name; a new one, where it is kept.
fn find(tree: &mut Tree, parent: Id, name: &str, guess: usize, last: u32) -> Option<Found> {
    if let Some(found) = tree.node_mut(parent).fields.find(name, guess, last) {
        return Some(found);
    }
    let node = tree.node(parent);
    let gathered_only = node.gathered >= MAX_GATHERED && !node.rank.data && looks_like_data(name);
    if gathered_only {
        return None;
    }
    tree.add_field(parent, name)?;
    // There it is, the last one of all.
    tree.node_mut(parent).fields.find(name, usize::MAX, last)
}
