//! Additional walks through a document, to the nodes where the values of several keys are counted
//! together.

use super::walk::{Start, Walk, WalkContext};
use crate::node::Id;
use crate::scan::Token;

/// Walks through the values around the current token.
#[derive(Default)]
pub(super) struct Gathering<'d> {
    /// The walks, outermost value first, and behind them others whose memory is reused.
    walks: Vec<Walk<'d>>,
    /// Number of walks without those others.
    open: usize,
}

impl<'d> Gathering<'d> {
    /// Returns a list without walks that reuses this one's memory.
    pub(super) fn again<'e>(self) -> Gathering<'e> {
        Gathering { walks: self.walks.into_iter().map(Walk::again).collect(), open: 0 }
    }

    /// Limits the reserved memory to this many walks with this many members of open objects each.
    pub(super) fn shrink_to(&mut self, walks: usize, members: usize) {
        self.walks.truncate(walks);
        self.walks.iter_mut().for_each(|walk| walk.shrink_to(members));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open == 0
    }

    pub(super) fn clear(&mut self) {
        self.open = 0;
    }

    /// Follows the nodes to their new places.
    pub(super) fn renumber(&mut self, new: &[Option<Id>]) {
        self.walks[..self.open].iter_mut().for_each(|walk| walk.renumber(new));
    }

    /// Continues all walks, and begins those that begin at this token.
    pub(super) fn token(&mut self, token: &Token<'d>, ways: &mut WalkContext<'_, 'd>) {
        // A walk that begins at this value has to follow it, one that begins behind this key has
        // not.
        let begins_here = !matches!(token, Token::Key(_));
        let followed = self.open;
        self.begin(ways);
        let mut at = 0;
        while at < if begins_here { self.open } else { followed } {
            self.walks[at].token(token, ways);
            if self.walks[at].is_done() {
                self.walks[at..self.open].rotate_left(1);
                self.open -= 1;
            } else {
                at += 1;
            }
            self.begin(ways);
        }
    }

    /// Accepts a key that the main walk expected, which does not look like data.
    #[inline(never)]
    pub(super) fn expected(&mut self, written: &[u8], length: usize, ways: &mut WalkContext<'_, 'd>) {
        for walk in &mut self.walks[..self.open] {
            if walk.expected(written, ways).is_none()
                && let Ok(name) = std::str::from_utf8(&written[..length])
            {
                walk.field(name, ways);
            }
        }
    }

    #[inline]
    fn begin(&mut self, ways: &mut WalkContext<'_, 'd>) {
        if let Some(start) = ways.gather.take() {
            self.begin_at(start);
        }
    }

    fn begin_at(&mut self, start: Start) {
        if self.open == self.walks.len() {
            self.walks.push(Walk::default());
        }
        self.walks[self.open].restart(start);
        self.open += 1;
    }
}
