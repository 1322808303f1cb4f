//! Reading shapes of other machines, which may say anything.
//!
//! Bounds are not taken from the state but rebuilt from what it contains, so that merging it keeps as many paths as
//! before. Counts that contradict each other are rejected.

use super::{Cuts, InvalidState, MAX_WHOLE, State};
use crate::emit::is_map;
use crate::node::{Node, Step, Type};
use crate::rank::HashKey;
use crate::shape::Shape;
use crate::times::EPOCHS;
use crate::tree::ROOT;
use crate::veil;

impl Shape {
    /// Reads a state written by [`Shape::to_shared`] on another machine, given the hash key.
    pub fn from_foreign(bytes: &[u8], key: HashKey) -> Result<Self, InvalidState> {
        let state = State::parse(bytes)?;
        let cuts = Cuts { bare: state.bare, gone: state.cut };
        let state = State { key: Some(key), cap: MAX_WHOLE, cut: None, bare: None, ..state };
        state.check_counts()?;
        let mut shape = Self::of_written(state)?;
        let wrong = |reason: String| Err(InvalidState::Malformed(reason));
        if shape.is_trimmed() {
            return wrong("it has more paths than a shape keeps".into());
        }
        if let Err(reason) = shape.take_cuts(cuts) {
            return wrong(reason);
        }
        shape.unveil();
        match shape.contradiction() {
            Some(reason) => wrong(reason),
            None => Ok(shape),
        }
    }

    /// Returns the number of observations by epoch, for the newest epochs.
    pub fn epochs(&self) -> impl Iterator<Item = (u32, u64)> {
        self.epochs.iter().map(|(epoch, observations)| (*epoch, *observations))
    }

    /// Returns the first epoch with an observation.
    pub fn first_epoch(&self) -> Option<u32> {
        let first = self.tree.node(ROOT).times.first().into_iter().min();
        first.filter(|epoch| *epoch < u32::MAX)
    }

    /// Lowers the cuts to those of the state if nothing is left that they exclude, and as much is kept whole as a shape
    /// keeps, or nearly so. Only then was anything cut.
    fn take_cuts(&mut self, cuts: Cuts) -> Result<(), String> {
        let paths = self.tree.len();
        self.tree.trim(MAX_WHOLE, cuts);
        if self.tree.len() < paths {
            return Err("it has paths that its own bound excludes".into());
        }
        // Half of the paths are kept by rank. A quarter is enough here, because redaction may have removed values
        // since.
        if cuts != Cuts::default() && !self.tree.keeps_more_than(MAX_WHOLE / 4) {
            return Err(format!("its bound excludes paths, although it has only {paths}"));
        }
        Ok(())
    }

    /// Hides the names of fields only where this shape itself has a map whose names are hidden.
    fn unveil(&mut self) {
        let kept = self.kept();
        let view = self.view(&kept);
        let is_hidden = |node: &Node| node.fields.iter().all(|(name, _)| veil::hash(name).is_some());
        let maps = view.nodes().filter(|(id, node)| is_hidden(node) && is_map(view, *id));
        let backed: Vec<u64> = maps.map(|(_, node)| node.rank.hash).collect();
        if let Some(veil) = &mut self.tree.veil {
            veil.0.retain(|hash| backed.contains(hash));
        }
    }

    /// Returns how counts contradict each other, if they do.
    fn contradiction(&self) -> Option<String> {
        let root = self.tree.node(ROOT);
        if root.total() != self.observations || root.documents != self.observations {
            return Some("the number of observations is not the number of values it counted".into());
        }
        let recent: u64 = self.epochs.values().sum();
        let all_recent = self.epochs.len() < EPOCHS;
        if recent > self.observations || all_recent && recent < self.observations {
            return Some("the counts by day do not add up to the number of observations".into());
        }
        let days = |node: &Node| node.times.recent().iter().all(|(epoch, _)| self.epochs.contains_key(epoch));
        if !self.tree.nodes().iter().all(days) {
            return Some("a path was counted on a day without observations".into());
        }
        let below = self.tree.nodes()[1..].iter();
        let fits = |node: &Node| {
            let parent = self.tree.node(node.parent);
            let parents = match node.step {
                Step::Items => parent.count(Type::Array),
                _ => parent.count(Type::Object),
            };
            let values = match node.step {
                Step::Field { .. } => {
                    node.present <= parents && node.total() == node.present.saturating_add(node.repeated)
                }
                _ => true,
            };
            values && node.documents <= parent.documents && (parents > 0 || node.total() == 0)
        };
        (!below.into_iter().all(fits)).then(|| "a path was counted more often than what it is in".into())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::emit::Policy;
    use crate::observe::Circumstances;

    const KEY: HashKey = HashKey(5, 6);

    fn shape_of(documents: &[(Value, u32)]) -> Shape {
        let mut shape = Shape::with_key(KEY);
        for (document, epoch) in documents {
            let circumstances = Circumstances { epoch: *epoch, stands_for: None };
            shape.observe_under(document.to_string().as_bytes(), circumstances).unwrap();
        }
        shape
    }

    fn records(count: u32) -> Vec<(Value, u32)> {
        let record = |n: u32| json!({"id": n, "state": "open", "lines": [{"sku": n, "price": 1.5}]});
        (0..count).map(|n| (record(n), 100 + n / 10)).collect()
    }

    fn edited(shape: &Shape, edit: impl FnOnce(&mut Value)) -> Result<Shape, InvalidState> {
        let mut state: Value = serde_json::from_slice(&shape.to_shared()).unwrap();
        edit(&mut state);
        Shape::from_foreign(state.to_string().as_bytes(), KEY)
    }

    #[test]
    fn low_cap_and_veil_do_not_reduce_what_the_receiver_knows() {
        let own = shape_of(&records(30));
        let shared = shape_of(&records(20)).veiled();
        let expected = {
            let mut merged = own.clone();
            merged.merge(&shared).unwrap();
            merged.schema(&Policy::default())
        };
        // 0 is the root.
        for (member, value) in [("cap", json!(1)), ("cap", json!(0)), ("veil", json!([0]))] {
            let theirs = edited(&shared, |state| state[member] = value.clone()).unwrap();
            let mut merged = own.clone();
            merged.merge(&theirs).unwrap();
            assert_eq!(merged.schema(&Policy::default()), expected, "{member} {value}");
        }
    }

    #[test]
    fn bound_without_the_paths_for_it_is_rejected() {
        let shared = shape_of(&records(20));
        for depth in [0, 1, 2, 9] {
            for member in ["cut", "bare"] {
                let cut = json!({"data": false, "depth": depth, "hash": 0});
                assert!(edited(&shared, |state| state[member] = cut).is_err(), "{member} depth {depth}");
            }
        }
        let fields =
            |from: u32, count| -> Value { (from..from + count).map(|n| (format!("f{n:x}"), n)).collect() };
        let few = shape_of(&[(fields(0, 3_000), 1), (fields(2_000, 3_000), 2)]);
        let many = shape_of(&[(fields(0, 6_000), 1), (fields(4_000, 6_000), 2)]);
        assert!(!few.is_trimmed() && few.tree.cuts.bare.is_some() && many.is_trimmed());
        for wide in [few, many] {
            let read = Shape::from_foreign(&wide.to_shared(), KEY).unwrap();
            assert_eq!(read.to_shared(), wide.to_shared());
            let low = json!({"data": false, "depth": 0, "hash": 1});
            for member in ["cut", "bare"] {
                assert!(edited(&wide, |state| state[member] = low.clone()).is_err(), "{member}");
            }
        }
    }

    #[test]
    fn contradicting_counts_are_rejected() {
        let shared = shape_of(&records(20));
        assert!(edited(&shared, |_| {}).is_ok());
        for (pointer, value) in [
            ("/observations", json!(1_u64 << 48)),
            ("/observations", json!(19)),
            ("/epochs", json!({"100": 20})),
            ("/epochs", json!({"100": 10, "101": 11})),
            ("/nodes/0/n", json!(21)),
            ("/nodes/1/p", json!(21)),
            ("/nodes/1/n", json!(21)),
            ("/nodes/1/e/0/0", json!(99_999)),
        ] {
            let edit = |state: &mut Value| *state.pointer_mut(pointer).unwrap() = value.clone();
            assert!(edited(&shared, edit).is_err(), "{pointer} {value}");
        }
    }

    fn document() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            (0u64..30).prop_map(Value::from),
            "[a-d]|[a-z]{4}".prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 24, 9, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("id|name|lines|[0-9]{6}|[a-z]{3}", inner, 0..9)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Whatever an honest machine shares is read as it is, also the sum of several machines.
        #[test]
        fn honest_shapes_are_read_as_they_are(
            documents in prop::collection::vec((document(), 0u32..12), 0..40),
            at in any::<prop::sample::Index>(),
            veiled in any::<bool>(),
        ) {
            let (left, right) = documents.split_at(at.index(documents.len() + 1));
            let mut merged = shape_of(left);
            merged.merge(&shape_of(right)).unwrap();
            for shape in [shape_of(left), merged] {
                let shape = if veiled { shape.veiled() } else { shape };
                let read = Shape::from_foreign(&shape.to_shared(), KEY);
                let read = read.map_err(|error| TestCaseError::fail(error.to_string()))?;
                let [read, shared] = [read, shape].map(|shape| String::from_utf8(shape.to_shared()).unwrap());
                prop_assert_eq!(read, shared);
            }
        }
    }
}
