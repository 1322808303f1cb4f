//! Limit on the work of a comparison.
//!
//! All recursion in this crate draws from one count of steps and one count of levels, so no schema
//! can delay the caller, however it is built.

/// Most levels of nesting, including references.
const MAX_DEPTH: usize = 64;

/// Schemas that are compared by their places or their numbers of keywords in one step.
pub(crate) const SCHEMAS_PER_STEP: usize = 16;

/// Remaining steps, and levels in use.
pub(crate) struct Fuel {
    steps: usize,
    depth: usize,
}

impl Fuel {
    /// Creates fuel for this many steps.
    pub(crate) fn new(steps: usize) -> Self {
        Self { steps, depth: 0 }
    }

    /// Uses steps. Returns whether enough were left.
    pub(crate) fn spend(&mut self, steps: usize) -> bool {
        let enough = self.steps >= steps;
        self.steps = self.steps.saturating_sub(steps);
        enough
    }

    /// Enters a level. Returns whether that was possible; if so, [`Fuel::leave`] must follow.
    pub(crate) fn enter(&mut self) -> bool {
        if self.depth >= MAX_DEPTH {
            return false;
        }
        if !self.spend(1) {
            return false;
        }
        self.depth += 1;
        true
    }

    /// Leaves a level.
    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Returns the remaining steps.
    pub(crate) fn left(&self) -> usize {
        self.steps
    }

    /// Returns whether no steps remain.
    pub(crate) fn is_spent(&self) -> bool {
        self.steps == 0
    }
}
