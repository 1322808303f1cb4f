//! Memory for the next document: lists that are filled anew for each.
//!
//! Owns: how much of it is kept. Refuses to know: what the lists are for.

use super::plan::Plan;
use super::walk::Walk;

/// Bytes there are between documents for strings without their escapes.
const MAX_TEXT: usize = 16 << 10;

/// Elements there is room for between documents in each of the lists.
const MAX_LIST: usize = 4 << 10;

/// Lists with nothing in them.
#[derive(Default)]
pub(crate) struct Spare {
    plan: Plan<'static>,
    walk: Walk<'static>,
    /// For strings without their escapes.
    pub(super) text: String,
}

/// The copy of a shape has lists of its own.
impl Clone for Spare {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Spare {
    /// An empty plan, and a walk that begins at the root.
    pub(super) fn take<'d>(&mut self) -> (Plan<'d>, Walk<'d>) {
        (std::mem::take(&mut self.plan).again(), std::mem::take(&mut self.walk).again())
    }

    pub(super) fn put(&mut self, plan: Plan<'_>, walk: Walk<'_>) {
        (self.plan, self.walk) = (plan.again(), walk.again());
        self.plan.shrink_to(MAX_LIST);
        self.walk.shrink_to(MAX_LIST);
        if self.text.capacity() > MAX_TEXT {
            self.text = String::new();
        }
    }
}
