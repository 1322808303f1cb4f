//! Plan of what a document adds to the counts of its paths.

use super::{Circumstances, StandsFor};
use crate::node::{Id, Node, Step, Type};
use crate::rank::HashKey;
use crate::scan::{Text, Token};
use crate::tags::{self, Value};
use crate::tree::Tree;
use crate::values::{POSITIONS, SHORT_INTEGER, integer};

/// A value as it is counted.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'d> {
    pub(crate) token: Token<'d>,
    pub(crate) kind: Type,
    /// Value that it replaces.
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
            Token::Integer(text) if text.len() <= SHORT_INTEGER || integer(text).is_some() => Type::Integer,
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

    /// Returns the value if it may be a tag.
    #[inline(always)]
    pub(super) fn tag(self) -> Option<Value<'d>> {
        match self.token {
            Token::Boolean(value) => Some(Value::Boolean(value)),
            Token::String(text) if self.stands_for.is_none() => {
                text.plain().filter(|text| text.len() <= tags::MAX_LENGTH).map(Value::Text)
            }
            _ => None,
        }
    }

    #[inline(always)]
    fn content(self) -> Content<'d> {
        match self.token {
            _ if self.kind == Type::Opaque => Content::None,
            Token::Integer(text) => Content::Integer(text),
            Token::Number(text) => Content::Number(text),
            Token::String(text) => match self.stands_for {
                None => Content::String(text),
                Some(StandsFor::String(length)) => Content::Redacted(length),
                Some(StandsFor::Integer | StandsFor::Number) => Content::None,
            },
            _ => Content::None,
        }
    }
}

/// One step of a plan.
#[derive(Debug, Clone, Copy)]
enum Planned<'d> {
    Value {
        node: Id,
        kind: Type,
        /// Number of the object that contains it, or 0.
        object: u64,
        content: Content<'d>,
    },
    /// A value without a node of its own.
    Other { parent: Id, kind: Type },
    /// Values that are not counted together because that node is not kept.
    Lost { node: Id, step: Step },
    /// End of an array, with the types of its first items.
    Array { node: Id, length: u64, first: [Option<Type>; POSITIONS] },
    /// End of an object, with the numbers of its members and values.
    Object { node: Id, fields: u64, members: u32, values: u32 },
    /// End of an object with too many members.
    Crowded { node: Id },
}

/// Data kept of a value besides its type.
#[derive(Debug, Clone, Copy)]
enum Content<'d> {
    None,
    Integer(&'d str),
    Number(&'d str),
    String(Text<'d>),
    /// A redacted string; its length if that is known.
    Redacted(Option<u64>),
}

/// Member of an object: place and type.
pub(super) type Member = (u32, Type);

/// Member that may be a tag.
pub(super) type Tagging<'d> = (u32, Value<'d>);

/// Steps, in order.
#[derive(Default)]
pub(super) struct Plan<'d> {
    steps: Vec<Planned<'d>>,
    /// Members of the objects that have ended, concatenated.
    members: Vec<Member>,
    values: Vec<Tagging<'d>>,
}

/// Data needed to carry out a plan.
pub(super) struct PlanContext<'c> {
    pub(super) tree: &'c mut Tree,
    /// Number of the document.
    pub(super) document: u64,
    pub(super) epoch: u32,
    /// Buffer for strings without their escapes.
    pub(super) decoded: &'c mut String,
}

impl<'d> Plan<'d> {
    /// Returns an empty plan that reuses this one's memory.
    pub(super) fn again<'e>(mut self) -> Plan<'e> {
        self.members.clear();
        Plan { steps: recycled(self.steps), members: self.members, values: recycled(self.values) }
    }

    /// Limits the reserved memory to this many steps.
    pub(super) fn shrink_to(&mut self, steps: usize) {
        self.steps.shrink_to(steps);
        self.members.shrink_to(steps);
        self.values.shrink_to(steps);
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    #[inline(always)]
    pub(super) fn value(&mut self, node: Id, object: u64, seen: Seen<'d>) {
        let (kind, content) = (seen.kind, seen.content());
        self.steps.push(Planned::Value { node, kind, object, content });
    }

    pub(super) fn other(&mut self, parent: Id, kind: Type) {
        self.steps.push(Planned::Other { parent, kind });
    }

    pub(super) fn lost(&mut self, node: Id, step: Step) {
        self.steps.push(Planned::Lost { node, step });
    }

    pub(super) fn array(&mut self, node: Id, length: u64, first: [Option<Type>; POSITIONS]) {
        self.steps.push(Planned::Array { node, length, first });
    }

    pub(super) fn object(&mut self, node: Id, fields: u64, members: &[Member], values: &[Tagging<'d>]) {
        self.members.extend_from_slice(members);
        self.values.extend_from_slice(values);
        let (members, values) = (members.len() as u32, values.len() as u32);
        self.steps.push(Planned::Object { node, fields, members, values });
    }

    pub(super) fn crowded(&mut self, node: Id) {
        self.steps.push(Planned::Crowded { node });
    }

    /// Makes all counts and empties the plan.
    #[inline(never)]
    pub(super) fn carry_out(&mut self, with: &mut PlanContext<'_>) {
        let (mut members, mut values) = (self.members.as_slice(), self.values.as_slice());
        let key = with.tree.key;
        let mut tables = 0;
        for step in &self.steps {
            match *step {
                Planned::Value { node, kind, object, content } => {
                    let node = with.tree.node_mut(node);
                    if node.count(kind) == 0 && !node.bare {
                        tables += kind.tables(&node.counts);
                    }
                    count_value(node, kind, object, with.document, with.epoch);
                    match content {
                        Content::None => {}
                        _ if node.bare => {}
                        Content::Integer(text) => {
                            node.numbers.get_or_insert_default().add_integer(text, key);
                        }
                        Content::Number(text) => node.numbers.get_or_insert_default().add_number(text, key),
                        Content::String(text) => count_string(node, text, with.decoded, key),
                        Content::Redacted(length) => {
                            node.strings.get_or_insert_default().add_redacted(length);
                        }
                    }
                }
                Planned::Other { parent, kind } => with.tree.node_mut(parent).other[kind as usize] += 1,
                Planned::Lost { node, step } => with.tree.lose(node, step),
                Planned::Crowded { node } => {
                    with.tree.node_mut(node).tags.get_or_insert_default().lose_companions();
                }
                Planned::Array { node, length, first } => {
                    let node = with.tree.node_mut(node);
                    if !node.bare {
                        node.arrays.get_or_insert_default().add(length, &first);
                    }
                }
                Planned::Object { node, fields: present, members: own, values: its } => {
                    let node = with.tree.node_mut(node);
                    let (own, its) = (own as usize, its as usize);
                    if node.may_have_tags() {
                        let (tags, fields) = (node.tags.get_or_insert_default(), &node.fields);
                        tags.add_fields(present);
                        tags.add(&members[..own], &values[..its], key, |at| fields.at(at).0);
                    } else {
                        node.tags = None;
                    }
                    (members, values) = (&members[own..], &values[its..]);
                }
            }
        }
        with.tree.tables += tables;
        self.clear();
    }

    /// Empties the plan.
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.members.clear();
        self.values.clear();
    }
}

#[inline(always)]
fn count_value(node: &mut Node, kind: Type, object: u64, document: u64, epoch: u32) {
    node.counts[kind as usize] += 1;
    if node.mark.document != document {
        node.mark.document = document;
        node.mark.types = 0;
        node.documents += 1;
    }
    let bit = 1 << kind as u8;
    if node.mark.types & bit == 0 {
        node.mark.types |= bit;
        if !node.bare {
            node.times.add(epoch, kind);
        }
    }
    if object > 0 {
        if node.mark.parent != object {
            node.mark.parent = object;
            node.present += 1;
        } else if matches!(node.step, Step::Field { .. }) {
            // A duplicate key is one presence of the field, with the types of all its values: readers
            // disagree on which one counts, and a schema must fit each of them.
            node.repeated += 1;
        }
    }
}

#[inline(always)]
fn count_string(node: &mut Node, text: Text<'_>, decoded: &mut String, key: HashKey) {
    let strings = node.strings.get_or_insert_default();
    match text.plain() {
        Some(plain) => strings.add(plain, text.is_plain_ascii(), key),
        // Readers disagree on its value.
        None if text.has_lone_surrogate() => strings.add_redacted(None),
        None => {
            let ascii = text.decode_into(decoded);
            strings.add(decoded, ascii, key);
        }
    }
}

/// Returns an empty list that reuses the memory.
pub(super) fn recycled<T, U>(mut list: Vec<T>) -> Vec<U> {
    list.clear();
    // The memory is reused because the types have the same size: they differ only in their
    // lifetimes.
    list.into_iter().filter_map(|_| None).collect()
}
