//! Arrays: items, tuples, fixed lengths.

use serde_json::Value;

use super::{Emitter, Kinds, Limits, Schema, of_types, typed};
use crate::node::{Id, Type};
use crate::path::Step;
use crate::values::POSITIONS;
use crate::view::View;

/// Arrays that all have one length, possibly with a type for each position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tuple {
    /// Number of items in each array.
    pub(crate) length: usize,
    /// Types at each position, if they differ between positions.
    pub(crate) positions: Option<Vec<Kinds>>,
}

/// Different observations required for a tuple or a fixed length.
const VARIETY: u64 = 6;

impl Tuple {
    /// Returns the tuple if the arrays of a node are tuples: all of one length from 2 to 8,
    /// observed often enough.
    pub(crate) fn of(tree: View<'_>, id: Id, limits: &Limits) -> Option<Self> {
        let arrays = tree.arrays(id)?;
        let count = tree.node(id).count(Type::Array);
        let length = usize::try_from(arrays.lengths.0).ok()?;
        if arrays.lengths.0 != arrays.lengths.1
            || !(2..=POSITIONS).contains(&length)
            || count < limits.tuple_after
            || limits.variety < VARIETY
        {
            return None;
        }
        let number = |kind: Type| if kind == Type::Integer { Type::Number } else { kind };
        let kinds: Vec<Vec<Type>> = arrays
            .positions
            .iter()
            .map(|counts| {
                let mut kinds: Vec<Type> =
                    Type::ALL.into_iter().filter(|kind| counts[*kind as usize] > 0).map(number).collect();
                kinds.dedup();
                kinds
            })
            .collect();
        let same = kinds.windows(2).all(|pair| pair[0] == pair[1]);
        // Positions are informative only if each has a single type, apart from null.
        let one_type_each =
            kinds.iter().all(|kinds| kinds.iter().filter(|kind| **kind != Type::Null).count() <= 1);
        // Points, boxes and colours have a fixed length; a page of ten records is just a page.
        let numbers = kinds.iter().flatten().all(|kind| matches!(kind, Type::Number | Type::Null));
        let is_informative = if same { numbers && count >= 2 * limits.tuple_after } else { one_type_each };
        if !is_informative {
            return None;
        }
        let positions = (!same).then(|| {
            let with_both = |kinds: &Vec<Type>| {
                let integer = kinds.contains(&Type::Number).then_some(Type::Integer);
                Kinds::of(kinds.iter().copied().chain(integer))
            };
            kinds.iter().map(with_both).collect()
        });
        Some(Self { length, positions })
    }
}

impl Emitter<'_> {
    pub(super) fn array(&mut self, tree: View<'_>, id: Id) -> Schema {
        let node = tree.node(id);
        let mut schema = typed(Type::Array);
        let arrays = node.count(Type::Array);
        let items = tree.items(id);
        let tuple = Tuple::of(tree, id, self.limits);
        if let (Some(Tuple { length, positions: Some(positions) }), Some(items)) = (&tuple, items)
            && self.may_copy(*length)
        {
            self.decide(|| {
                (
                    format!("tuple of {length}"),
                    format!("all {arrays} arrays have this length, and each position has one type"),
                )
            });
            if self.decisions.is_some() {
                // Explained once for all positions.
                self.below(Step::Items, |emitter| emitter.value(tree, items, Kinds::ALL));
            }
            let prefix: Vec<Value> = self.copied(*length, |emitter| {
                let position = |kinds: &Kinds| {
                    Value::Object(emitter.silently(|emitter| emitter.value(tree, items, *kinds)))
                };
                positions.iter().map(position).collect()
            });
            schema.insert("prefixItems".into(), prefix.into());
            schema.insert("items".into(), false.into());
            schema.insert("minItems".into(), (*length).into());
            return schema;
        }
        match items {
            Some(items) => {
                let items = self.below(Step::Items, |emitter| emitter.child(tree, items));
                schema.insert("items".into(), Value::Object(items));
            }
            // If items were not kept, only their types are known.
            None if tree.has_other(id) && node.count(Type::Object) == 0 => {
                let items = of_types(&tree.other(id));
                schema.insert("items".into(), Value::Object(items));
            }
            None => {}
        }
        if let Some(Tuple { length, positions: None }) = tuple {
            self.decide(|| (format!("{length} items"), format!("all {arrays} arrays have this length")));
            schema.insert("minItems".into(), length.into());
            schema.insert("maxItems".into(), length.into());
        }
        schema
    }
}
