//! How much work a comparison may still do.
//!
//! Owns: the one count of steps and the one count of levels that every recursion here draws from, so that no
//! schema, however it is built, keeps anybody waiting. Refuses to know: what the steps are for.

/// Levels of nesting, references included, that are followed.
const MAX_DEPTH: usize = 64;

/// Steps and levels that are left.
pub(super) struct Fuel {
    steps: usize,
    depth: usize,
}

impl Fuel {
    /// Fuel for this many steps.
    pub(super) fn new(steps: usize) -> Self {
        Self { steps, depth: 0 }
    }

    /// Takes steps; whether there were enough.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        let enough = self.steps >= steps;
        self.steps = self.steps.saturating_sub(steps);
        enough
    }

    /// Goes down a level; whether that was possible. If so, [`Fuel::leave`] must follow.
    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= MAX_DEPTH {
            return false;
        }
        if !self.spend(1) {
            return false;
        }
        self.depth += 1;
        true
    }

    /// Comes back up.
    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Steps that are left.
    pub(super) fn left(&self) -> usize {
        self.steps
    }

    /// Whether the steps ran out.
    pub(super) fn is_spent(&self) -> bool {
        self.steps == 0
    }
}
