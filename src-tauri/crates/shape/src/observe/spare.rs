//! Memory reused for the next document: lists that every document fills again.

use super::plan::Plan;
use super::walk::Walk;

/// Most bytes kept between documents for strings without their escapes.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// Most elements for which each list keeps room between documents.
const MAX_LIST_LENGTH: usize = 4 << 10;

/// Empty lists with reusable memory.
#[derive(Default)]
pub(crate) struct Spare {
    plan: Plan<'static>,
    walk: Walk<'static>,
    /// Buffer for strings without their escapes.
    pub(super) text: String,
}

/// A clone of a shape has its own lists.
impl Clone for Spare {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Spare {
    /// Returns an empty plan, and a walk that starts at the root.
    pub(super) fn take<'d>(&mut self) -> (Plan<'d>, Walk<'d>) {
        (std::mem::take(&mut self.plan).again(), std::mem::take(&mut self.walk).again())
    }

    pub(super) fn put(&mut self, plan: Plan<'_>, walk: Walk<'_>) {
        (self.plan, self.walk) = (plan.again(), walk.again());
        self.plan.shrink_to(MAX_LIST_LENGTH);
        self.walk.shrink_to(MAX_LIST_LENGTH);
        if self.text.capacity() > MAX_TEXT_BYTES {
            self.text = String::new();
        }
    }
}
