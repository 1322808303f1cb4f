//! The summary of all observations of one tool.
//!
//! Owns: what belongs to the observations as a whole, and merging. Refuses to know: how documents are read,
//! and what schemas look like.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use crate::MAX_NODES;
use crate::observe::Spare;
use crate::rank::HashKey;
use crate::scan::Oddities;
use crate::signatures::Signatures;
use crate::times::EPOCHS;
use crate::tree::{ROOT, Tree};
use crate::veil;
use crate::view::View;

/// The summary of all observations of one tool.
#[derive(Clone)]
pub struct Shape {
    pub(crate) observations: u64,
    pub(crate) tree: Tree,
    /// Nodes that may be kept below the root.
    pub(crate) cap: usize,
    /// Observations in the newest epochs.
    pub(crate) epochs: BTreeMap<u32, u64>,
    pub(crate) signatures: Signatures,
    pub(crate) oddities: Oddities,
    /// Documents and objects read so far, to mark what was counted for which. Never part of the state.
    pub(crate) documents: u64,
    pub(crate) objects: u64,
    /// Merges and cuts, after which marks tell nothing. Never part of the state.
    pub(crate) changes: u64,
    /// Never part of the state.
    pub(crate) spare: Spare,
}

/// Shapes of different hash keys do not merge: they would keep different paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherKey;

impl fmt::Display for OtherKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the shapes have different hash keys, so they come from different teams and cannot be merged",
        )
    }
}

impl std::error::Error for OtherKey {}

impl Default for Shape {
    fn default() -> Self {
        Self::with_key(HashKey::default())
    }
}

/// Equal counts, whatever the order they came in.
impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        self.to_state() == other.to_state()
    }
}

impl Eq for Shape {}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values and the key are nobody's business who reads a log.
        write!(f, "Shape({} observations, {} paths)", self.observations, self.paths())
    }
}

impl Shape {
    /// A shape of nothing, the neutral element of [`Shape::merge`].
    pub fn new() -> Self {
        Self::default()
    }

    /// A shape of nothing whose hashes depend on `key`.
    pub fn with_key(key: HashKey) -> Self {
        Self {
            observations: 0,
            tree: Tree::new(key),
            cap: MAX_NODES,
            epochs: BTreeMap::new(),
            signatures: Signatures::default(),
            oddities: Oddities::default(),
            documents: 0,
            objects: 0,
            changes: 0,
            spare: Spare::default(),
        }
    }

    /// A shape of nothing that keeps so many paths at most, and no more than [`MAX_NODES`].
    pub fn with_cap(cap: usize) -> Self {
        Self { cap: cap.min(MAX_NODES), ..Self::default() }
    }

    /// What its hashes depend on.
    pub fn key(&self) -> HashKey {
        self.tree.key
    }

    /// Documents counted.
    pub fn observations(&self) -> u64 {
        self.observations
    }

    /// Whether there were more paths than could be kept.
    pub fn is_trimmed(&self) -> bool {
        self.tree.cut.is_some() || !self.tree.is_within(self.cap, None)
    }

    /// Paths kept below the root.
    pub fn paths(&self) -> usize {
        self.view().nodes().count() - 1
    }

    /// The tree within its bound. While documents come in it may be larger for a while.
    pub(crate) fn tree(&self) -> Cow<'_, Tree> {
        if self.tree.is_within(self.cap, None) {
            return Cow::Borrowed(&self.tree);
        }
        let mut tree = self.tree.clone();
        tree.trim(self.cap, None);
        Cow::Owned(tree)
    }

    /// The same for readers, without a copy.
    pub(crate) fn view(&self) -> View<'_> {
        View::new(&self.tree, self.tree.first_out(self.cap))
    }

    /// Adds another shape's counts. Commutative and associative, exactly; of different caps the smaller
    /// holds from then on. On an error nothing was added.
    pub fn merge(&mut self, other: &Self) -> Result<(), OtherKey> {
        if self.tree.key != other.tree.key {
            return Err(OtherKey);
        }
        if self.tree.veil != other.tree.veil {
            let veil = veil::both(self.tree.veil.as_ref(), other.tree.veil.as_ref());
            self.draw(&veil);
            let mut other = other.clone();
            other.draw(&veil);
            return self.merge(&other);
        }
        self.observations += other.observations;
        self.changes += 1;
        self.cap = self.cap.min(other.cap);
        // Cut first, so that nothing comes in that will not stay.
        self.tree.trim(usize::MAX, other.tree.cut);
        self.tree.merge(ROOT, View::new(&other.tree, None), &[ROOT]);
        self.tree.trim(self.cap, None);
        if self.tree.veil.is_some() {
            self.tree.forget_hidden_tags();
        }
        for (epoch, observations) in &other.epochs {
            self.note_epoch(*epoch, *observations);
        }
        self.forget_epochs();
        self.signatures.merge(&other.signatures);
        self.oddities.add(&other.oddities);
        Ok(())
    }

    /// Counts observations of an epoch. Whether it is a new one.
    pub(crate) fn note_epoch(&mut self, epoch: u32, observations: u64) -> bool {
        let before = self.epochs.len();
        *self.epochs.entry(epoch).or_default() += observations;
        self.epochs.len() > before
    }

    /// Keeps the newest epochs, here and at every path.
    pub(crate) fn forget_epochs(&mut self) {
        while self.epochs.len() > EPOCHS {
            self.epochs.pop_first();
        }
        if let Some((oldest, _)) = self.epochs.first_key_value().filter(|_| self.epochs.len() == EPOCHS) {
            for node in self.tree.nodes_mut() {
                node.times.forget(*oldest);
            }
        }
    }
}
