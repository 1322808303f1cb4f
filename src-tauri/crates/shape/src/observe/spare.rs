//! Memory reused for the next document: lists that every document fills again.

use super::gathering::Gathering;
use super::plan::Plan;
use super::walk::Walk;

/// Most bytes kept between documents for strings without their escapes.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// Most elements for which each list keeps room between documents.
const MAX_LIST_LENGTH: usize = 4 << 10;

/// Most additional walks kept between documents, and the elements for which each keeps room.
const MAX_WALKS: usize = 8;
const MAX_WALK_LENGTH: usize = 64;

/// Empty lists with reusable memory.
#[derive(Default)]
pub(crate) struct Spare {
    plan: Plan<'static>,
    walk: Walk<'static>,
    gathering: Gathering<'static>,
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
    /// Returns an empty plan, a walk that starts at the root, and an empty list of additional walks.
    pub(super) fn take<'d>(&mut self) -> (Plan<'d>, Walk<'d>, Gathering<'d>) {
        let walk = std::mem::take(&mut self.walk).again();
        (std::mem::take(&mut self.plan), walk, std::mem::take(&mut self.gathering))
    }

    pub(super) fn put(&mut self, plan: Plan<'_>, walk: Walk<'_>, gathering: Gathering<'_>) {
        (self.plan, self.walk, self.gathering) = (plan.again(), walk.again(), gathering.again());
        self.plan.shrink_to(MAX_LIST_LENGTH);
        self.walk.shrink_to(MAX_LIST_LENGTH);
        self.gathering.shrink_to(MAX_WALKS, MAX_WALK_LENGTH);
        if self.text.capacity() > MAX_TEXT_BYTES {
            self.text = String::new();
        }
    }
}
