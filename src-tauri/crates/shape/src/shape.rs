//! The shape: summary of all observations of one tool, and merging.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use crate::MAX_WHOLE;
use crate::observe::Spare;
use crate::rank::HashKey;
use crate::scan::Oddities;
use crate::signatures::Signatures;
use crate::times::EPOCHS;
use crate::tree::{Cuts, Kept, ROOT, Tree};
use crate::veil;
use crate::view::View;

/// Summary of all observations of one tool.
#[derive(Clone)]
pub struct Shape {
    pub(crate) observations: u64,
    pub(crate) tree: Tree,
    /// Most nodes below the root that are kept whole.
    pub(crate) cap: usize,
    /// Number of observations in the newest epochs.
    pub(crate) epochs: BTreeMap<u32, u64>,
    pub(crate) signatures: Signatures,
    pub(crate) oddities: Oddities,
    /// Number of documents and objects read so far, used to mark what was counted. Never part of
    /// the state.
    pub(crate) documents: u64,
    pub(crate) objects: u64,
    /// Number of merges and trims, which invalidate the marks. Never part of the state.
    pub(crate) changes: u64,
    /// Reusable memory. Never part of the state.
    pub(crate) spare: Spare,
}

/// Attempt to merge shapes with different hash keys, which keep different paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyMismatch;

impl fmt::Display for KeyMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the shapes have different hash keys, so they come from different teams and cannot be merged",
        )
    }
}

impl std::error::Error for KeyMismatch {}

impl Default for Shape {
    fn default() -> Self {
        Self::with_key(HashKey::default())
    }
}

/// Shapes are equal if their counts are, in whatever order they arrived.
impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        self.to_state() == other.to_state()
    }
}

impl Eq for Shape {}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values and the key must not appear in logs.
        write!(f, "Shape({} observations, {} paths)", self.observations, self.paths())
    }
}

impl Shape {
    /// Creates an empty shape, the neutral element of [`Shape::merge`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty shape whose hashes depend on `key`.
    pub fn with_key(key: HashKey) -> Self {
        Self {
            observations: 0,
            tree: Tree::new(key),
            cap: MAX_WHOLE,
            epochs: BTreeMap::new(),
            signatures: Signatures::default(),
            oddities: Oddities::default(),
            documents: 0,
            objects: 0,
            changes: 0,
            spare: Spare::default(),
        }
    }

    /// Creates an empty shape that keeps at most this many paths whole, and no more than [`MAX_WHOLE`].
    pub fn with_cap(cap: usize) -> Self {
        Self { cap: cap.min(MAX_WHOLE), ..Self::default() }
    }

    /// Returns the key of its hashes.
    pub fn key(&self) -> HashKey {
        self.tree.key
    }

    /// Returns the number of documents counted.
    pub fn observations(&self) -> u64 {
        self.observations
    }

    /// Returns whether there were more paths than could be kept. Of some others, only the [counts](Self::bare_paths)
    /// may be kept.
    pub fn is_trimmed(&self) -> bool {
        self.tree.lacks_paths(self.cap)
    }

    /// Returns the number of paths kept below the root.
    pub fn paths(&self) -> usize {
        self.view(&self.kept()).nodes().count() - 1
    }

    /// Returns of how many of the paths only the counts are kept: how often they are there, and with which types.
    pub fn bare_paths(&self) -> usize {
        let kept = self.kept();
        let tree = self.view(&kept);
        tree.nodes().filter(|(id, _)| tree.is_bare(*id)).count()
    }

    /// Returns the tree within its bound, which it may exceed temporarily while documents arrive.
    pub(crate) fn tree(&self) -> Cow<'_, Tree> {
        let excess = self.tree.excess(self.cap);
        if excess.kept.is_empty() && excess.cuts == self.tree.cuts {
            return Cow::Borrowed(&self.tree);
        }
        let mut tree = self.tree.clone();
        tree.trim(self.cap, Cuts::default());
        Cow::Owned(tree)
    }

    /// Returns for each node how much of it is within the bound; nothing if all nodes are.
    pub(crate) fn kept(&self) -> Vec<Kept> {
        self.tree.excess(self.cap).kept
    }

    /// Returns a view of the tree within its bound, without a copy, given how much of each node that is.
    pub(crate) fn view<'s>(&'s self, kept: &'s [Kept]) -> View<'s> {
        View::new(&self.tree, kept)
    }

    /// Adds another shape's counts. Commutative and associative, exactly. The smaller of the two
    /// caps applies from then on. After an error nothing was added.
    pub fn merge(&mut self, other: &Self) -> Result<(), KeyMismatch> {
        if self.tree.key != other.tree.key {
            return Err(KeyMismatch);
        }
        if self.tree.veil != other.tree.veil {
            let veil = veil::both(self.tree.veil.as_ref(), other.tree.veil.as_ref());
            let (mut own, mut other) = (self.clone(), other.clone());
            own.apply_veil(&veil).and_then(|()| other.apply_veil(&veil)).map_err(|_| KeyMismatch)?;
            *self = own;
            return self.merge(&other);
        }
        self.observations += other.observations;
        self.changes += 1;
        self.cap = self.cap.min(other.cap);
        // Trimming first keeps out nodes that would be removed again.
        self.tree.trim(self.cap, other.tree.cuts);
        self.tree.merge(ROOT, View::new(&other.tree, &[]), &[ROOT]);
        self.tree.trim(self.cap, Cuts::default());
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

    /// Counts observations of an epoch. Returns whether the epoch is new.
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
