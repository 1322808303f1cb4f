//! What the store notes in the journal about the journal.
//!
//! A mark's meaning is in its frame's id, so that it is read without decompressing. Owns: their kinds
//! and form, and what of the calls in the journal is gone by them. Refuses to know: when they are
//! written.

use std::path::Path;

use schemascope_journal::{Head, Position, Record, Segment};
use schemascope_model::CallId;

use crate::Error;
use crate::entry::{FORMAT, STATE};

const FLOOR: u8 = 32;
const GONE_THROUGH: u8 = 33;
const SNAPSHOT: u8 = 34;

/// A note in the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Calls journaled before this with an id below are gone.
    Floor(CallId),
    /// Calls of this segment and of those before are gone.
    GoneThrough(u64),
    /// The states since the segment's beginning are those of all tools, this many.
    Snapshot(u64),
}

impl Mark {
    /// The mark a frame's kind and id stand for; none if it is an entry's.
    pub(crate) fn decode(kind: u8, id: [u8; 16]) -> Option<Self> {
        let number = u128::from_be_bytes(id) as u64;
        match kind {
            FLOOR => Some(Self::Floor(CallId::from_bytes(id))),
            GONE_THROUGH => Some(Self::GoneThrough(number)),
            SNAPSHOT => Some(Self::Snapshot(number)),
            _ => None,
        }
    }

    pub(crate) fn is_kind(kind: u8) -> bool {
        Self::decode(kind, [0; 16]).is_some()
    }

    pub(crate) fn record(self) -> Record<'static> {
        let number = |number: u64| u128::from(number).to_be_bytes();
        let (kind, id) = match self {
            Self::Floor(id) => (FLOOR, id.to_bytes()),
            Self::GoneThrough(segment) => (GONE_THROUGH, number(segment)),
            Self::Snapshot(states) => (SNAPSHOT, number(states)),
        };
        Record { kind, id, payload: &[FORMAT] }
    }
}

/// Tells from the heads of a segment, shown in order, whether it begins with a whole snapshot.
#[derive(Debug, Default)]
pub(crate) struct SnapshotFinder {
    states: u64,
    over: bool,
    whole: bool,
}

impl SnapshotFinder {
    pub(crate) fn see(&mut self, head: Option<Head>) {
        if self.over {
            return;
        }
        match head.map(|head| (head.kind, Mark::decode(head.kind, head.id))) {
            Some((STATE, _)) => self.states += 1,
            Some((_, Some(Mark::Snapshot(states)))) => {
                self.over = true;
                self.whole = states == self.states;
            }
            _ => self.over = true,
        }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }
}

/// Which calls in the journal retention has removed already.
#[derive(Debug, Default)]
pub(crate) struct Gone {
    through: u64,
    /// Where a floor was set, and the highest set there or later.
    floors: Vec<(Position, CallId)>,
}

impl Gone {
    /// Reads the heads of the whole journal.
    pub(crate) fn read(journal: &Path) -> Result<Self, Error> {
        let mut gone = Self::default();
        for Segment { number, .. } in schemascope_journal::segments(journal)? {
            schemascope_journal::heads(journal, number, |head| {
                let Some(head) = head else { return };
                match Mark::decode(head.kind, head.id) {
                    Some(Mark::Floor(id)) => gone.floors.push((head.at, id)),
                    Some(Mark::GoneThrough(segment)) => gone.through = gone.through.max(segment),
                    _ => {}
                }
            })?;
        }
        let mut highest = None;
        for (_, floor) in gone.floors.iter_mut().rev() {
            highest = highest.max(Some(*floor));
            *floor = highest.unwrap_or(*floor);
        }
        Ok(gone)
    }

    /// Whether the call with this id, journaled there, is gone.
    pub(crate) fn has(&self, id: CallId, at: Position) -> bool {
        let next = self.floors.partition_point(|(set, _)| *set < at);
        at.segment <= self.through || self.floors.get(next).is_some_and(|(_, floor)| id < *floor)
    }
}
