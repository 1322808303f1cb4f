//! Marks: notes of the store in the journal about the journal itself, and which calls they declare
//! removed.
//!
//! The content of a mark is in its frame's id, so that it is read without decompression.

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
    /// All calls journaled before this mark with a lower id are removed.
    Floor(CallId),
    /// All calls of this segment and of those before it are removed.
    GoneThrough(u64),
    /// The states since the beginning of the segment are those of all tools; their number.
    Snapshot(u64),
}

impl Mark {
    /// Returns the mark of a frame's kind and id; `None` if the frame is an entry.
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

/// Finds out whether a segment begins with a complete snapshot, from its heads in order.
#[derive(Debug, Default)]
pub(crate) struct SnapshotFinder {
    states: u64,
    finished: bool,
    whole: bool,
}

impl SnapshotFinder {
    pub(crate) fn visit(&mut self, head: Option<Head>) {
        if self.finished {
            return;
        }
        match head.map(|head| (head.kind, Mark::decode(head.kind, head.id))) {
            Some((STATE, _)) => self.states += 1,
            Some((_, Some(Mark::Snapshot(states)))) => {
                self.finished = true;
                self.whole = states == self.states;
            }
            _ => self.finished = true,
        }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }
}

/// Calls that retention has removed although they are still in the journal.
#[derive(Debug, Default)]
pub(crate) struct RemovedCalls {
    through: u64,
    /// Positions of floors, each with the highest floor set there or later.
    floors: Vec<(Position, CallId)>,
}

impl RemovedCalls {
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

    /// Returns whether the call with this id, journaled at this position, was removed.
    pub(crate) fn has(&self, id: CallId, at: Position) -> bool {
        let next = self.floors.partition_point(|(set, _)| *set < at);
        at.segment <= self.through || self.floors.get(next).is_some_and(|(_, floor)| id < *floor)
    }
}
