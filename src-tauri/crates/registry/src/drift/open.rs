//! Drifts that were reported and go on.
//!
//! While a drift is open its paths are not counted, so that the state before it stays known and the tool's return to
//! that state is noticed and reported.

use schemascope_model::{Change, Ending, Share, Timestamp, TypeName};
use serde::{Deserialize, Serialize};

use super::event::{DriftEvent, Notice};
use super::scan::Kind;
use super::suspect::{Suspect, threshold};
use super::{Drift, Sighting, Step};

/// Drifts open at a time; more are counted only.
pub(super) const MAX_OPEN: usize = 16;
/// Ended drifts that are kept, for logs that do not have their end yet.
pub(super) const MAX_ENDED: usize = 16;
/// How much one observation speaks for the return, and against; what is enough.
const RETURN: (i32, i32, i32) = (4, -3, 24);
/// The last two for results of which some are as before and some are not.
const MIXED: (i32, i32) = (-16, 64);
/// Results that were not as before after others were, from which on they are mixed.
const RELAPSES: u8 = 2;

/// A drift that goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Open {
    pub(super) event: DriftEvent,
    node: u32,
    /// Codes of what stands there since, and what stood there before.
    kind: u8,
    usual: u8,
    /// Of a renamed field, the new place, with what stands there.
    new: Option<(u32, u8)>,
    /// How much speaks for the return.
    back: i32,
    /// Whether the previous result was as before, and how often the next one was not.
    #[serde(default)]
    was_usual: bool,
    #[serde(default)]
    relapses: u8,
}

impl Open {
    pub(super) fn concerns(&self, node: u32) -> bool {
        self.node == node || self.new.is_some_and(|new| new.0 == node)
    }

    /// Looks whether it is as before.
    pub(super) fn track(&mut self, node: u32, kind: Kind) {
        if node == self.node {
            let usual = kind.code() == self.usual;
            self.relapses = self.relapses.saturating_add(u8::from(!usual && self.was_usual));
            self.was_usual = usual;
            let (back, still, _) = self.weights();
            self.back = (self.back + if usual { back } else { still }).max(0);
            self.event.after.of = self.event.after.of.saturating_add(1);
            self.event.after.count = self.event.after.count.saturating_add(u32::from(usual));
        }
    }

    fn weights(&self) -> (i32, i32, i32) {
        let (back, still, enough) = RETURN;
        match self.relapses {
            ..RELAPSES => (back, still, enough),
            _ => (back, MIXED.0, MIXED.1),
        }
    }

    /// Whether enough speaks for the return.
    fn has_returned(&self) -> bool {
        self.back >= self.weights().2
    }

    /// The paths, each with what stands there since.
    pub(super) fn paths(&self) -> impl Iterator<Item = (u32, Kind)> {
        let of = |(node, code)| Kind::of(code).map(|kind| (node, kind));
        [Some((self.node, self.kind)), self.new].into_iter().flatten().filter_map(of)
    }

    pub(super) fn is_valid(&self, paths: usize) -> bool {
        let new = self.new.map_or(0, |new| new.0);
        (self.node.max(new) as usize) < paths && self.event.examples.len() <= 3
    }
}

impl Drift {
    /// Takes changes that began by a time for usual from now on. Broken rules stay broken. Returns whether there were
    /// such changes.
    pub(crate) fn accept_since(&mut self, until: Timestamp) -> bool {
        let is_accepted = |open: &Open| open.event.change != Change::Violated && open.event.since <= until;
        let mut accepted = false;
        while let Some(at) = self.open.iter().position(is_accepted) {
            self.accept(at, Ending::LearnedAgain);
            accepted = true;
        }
        accepted
    }

    /// Notes that a drift is over.
    pub(super) fn end(&mut self, open: Open, ending: Ending) -> Notice {
        if self.ended.len() == MAX_ENDED {
            self.ended.pop_front();
        }
        let (path, first) = open.event.key();
        self.ended.push_back((path.to_owned(), first, ending));
        Notice::Ended(open.event, ending)
    }

    /// Returns what is to be reported after an observation.
    pub(super) fn conclude(&mut self, sighting: &Sighting<'_>) -> Vec<Notice> {
        let mut notices = Vec::new();
        let (over, open) = std::mem::take(&mut self.open).into_iter().partition(Open::has_returned);
        self.open = open;
        for open in Vec::into_iter(over) {
            notices.push(self.end(open, Ending::Returned));
        }
        let enough = threshold(self.paths.len());
        while let Some(at) = self.suspects.iter().position(|suspect| suspect.is_certain(enough)) {
            let suspect = self.suspects.remove(at);
            notices.extend(self.raise(suspect, enough, sighting).map(Notice::Raised));
        }
        notices
    }

    fn raise(&mut self, suspect: Suspect, enough: i32, sighting: &Sighting<'_>) -> Option<DriftEvent> {
        let pair = self.counterpart(&suspect, enough);
        // Of a renamed field the old place is reported.
        let (suspect, new) = match pair {
            Some(other) if suspect.kind == Kind::Absent.code() => (suspect, Some(other)),
            Some(other) => (other, Some(suspect)),
            None => (suspect, None),
        };
        let usual = Kind::of(suspect.usual)?;
        let before = suspect.before;
        if self.open.len() >= MAX_OPEN {
            self.not_told = self.not_told.saturating_add(1);
            if let Some(kind) = Kind::of(suspect.kind) {
                self.settle(suspect.node, kind);
            }
            return None;
        }
        let kind = Kind::of(suspect.kind)?;
        let change = match (self.paths.step(suspect.node), usual, kind, &new) {
            (_, _, _, Some(new)) => Change::Renamed { to: self.paths.text(new.node) },
            (Step::Rule(_), ..) => Change::Violated,
            (_, _, Kind::Absent, None) => Change::Removed,
            (_, Kind::Absent, ..) => Change::Appeared,
            (_, _, Kind::Is(TypeName::Null), None) => Change::BecameNull,
            (_, Kind::Is(from), Kind::Is(to), None) => Change::Retyped { from, to },
            (_, _, Kind::Nowhere, None) | (_, Kind::Nowhere, ..) => return None,
        };
        let event = DriftEvent {
            id: self.next_id,
            path: self.paths.text(suspect.node),
            change,
            before,
            after: Share { count: suspect.seen - suspect.hits, of: suspect.seen },
            since: suspect.since,
            began: suspect.began,
            at: sighting.at,
            examples: suspect.examples.clone(),
        };
        self.next_id += 1;
        // What came since belongs to the drift.
        for of in std::iter::once(&suspect).chain(&new) {
            if let Some(usual) = Kind::of(of.usual) {
                self.counted.set(of.node, usual, of.before);
            }
        }
        let new = new.map(|new| (new.node, new.kind));
        let (node, kind) = (suspect.node, suspect.kind);
        self.open.push(Open {
            event: event.clone(),
            node,
            kind,
            usual: usual.code(),
            new,
            back: 0,
            was_usual: false,
            relapses: 0,
        });
        Some(event)
    }

    /// Takes out what began together with it beside it and makes it a renaming: where one went there is one
    /// that came, of the type the other had.
    fn counterpart(&mut self, suspect: &Suspect, enough: i32) -> Option<Suspect> {
        let absent = Kind::Absent.code();
        let field = |node: u32| matches!(self.paths.step(node), Step::Field(_));
        let gone = suspect.kind == absent;
        if !field(suspect.node) || !gone && suspect.usual != absent {
            return None;
        }
        let fits = |other: &Suspect| {
            (other.kind, other.usual) == (suspect.usual, suspect.kind)
                && field(other.node)
                && other.node != suspect.node
                && self.paths.parent(other.node) == self.paths.parent(suspect.node)
                && other.began.abs_diff(suspect.began) <= 8
                && 3 * other.bits >= enough
        };
        let nearest = |other: &&Suspect| (other.began.abs_diff(suspect.began), other.node);
        let node = self.suspects.iter().filter(|other| fits(other)).min_by_key(nearest)?.node;
        let at = self.suspects.iter().position(|other| other.node == node)?;
        Some(self.suspects.remove(at))
    }
}
