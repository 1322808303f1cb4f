//! Recovery of the last segment after an interrupted write.
//!
//! A write interrupted by a kill or a power failure leaves frames without a commit. They were never
//! acknowledged and are removed. A damaged commit frame looks similar, but has its full length:
//! then the group *was* acknowledged and stays. Damage further up is left to readers, which skip
//! it.

use std::path::Path;

use crate::frame::{self, COMMIT};
use crate::{Damage, Error, Position, segment};

/// Findings at the journal's end when it was opened.
#[derive(Debug, Default)]
pub struct Recovery {
    /// Unfinished group that was removed.
    pub torn: Option<Torn>,
    /// Damage in the last segment. Earlier segments are checked when they are read.
    pub damaged: Vec<Damage>,
}

/// An unfinished group at the end, removed on opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Torn {
    /// Position of its first frame.
    pub at: Position,
    /// Number of bytes removed.
    pub bytes: u64,
}

/// Repairs that the last segment needs before it is written again.
pub(crate) struct Tail {
    /// Length that the file should have.
    pub(crate) keep: u64,
    /// Whether the last group is complete except for its commit frame, which has to be written
    /// again.
    pub(crate) commit: bool,
    pub(crate) recovery: Recovery,
}

/// Returns the end of the acknowledged part of the journal and the findings in its last segment.
/// Changes nothing; opening the journal repairs it.
pub fn tail(dir: &Path) -> Result<(Position, Recovery), Error> {
    let Some(segment) = segment::list(dir)?.last().copied() else {
        return Ok((Position::START, Recovery::default()));
    };
    let tail = inspect(dir, segment)?;
    Ok((Position { segment, offset: tail.keep }, tail.recovery))
}

pub(crate) fn inspect(dir: &Path, number: u64) -> Result<Tail, Error> {
    let bytes = segment::read(dir, number)?;
    if bytes.len() < segment::HEADER {
        // The process was killed while it created the segment.
        return Ok(Tail { keep: 0, commit: false, recovery: Recovery::default() });
    }
    let at = |offset: usize| Position { segment: number, offset: offset as u64 };
    let mut damaged = Vec::new();
    let (mut offset, mut committed, mut open_damage) = (segment::HEADER, segment::HEADER, 0);
    let (mut unread, mut records) = (bytes.len(), 0);
    while offset < bytes.len() {
        match frame::parse(&bytes[offset..]) {
            Ok(frame) => {
                offset += frame.len();
                records += 1;
                if frame.kind == COMMIT {
                    committed = offset;
                    open_damage = damaged.len();
                    records = 0;
                }
            }
            Err(reason) => {
                let next = frame::find(&bytes, offset + 1).unwrap_or(bytes.len());
                damaged.push(Damage { at: at(offset), bytes: (next - offset) as u64, reason });
                unread = offset;
                offset = next;
            }
        }
    }
    let commit = records > 0 && is_damaged_commit(&bytes[unread..], records);
    if commit || committed == bytes.len() {
        return Ok(Tail { keep: bytes.len() as u64, commit, recovery: Recovery { torn: None, damaged } });
    }
    // Damage after the last commit is part of the unfinished group.
    damaged.truncate(open_damage);
    let torn = Torn { at: at(committed), bytes: (bytes.len() - committed) as u64 };
    Ok(Tail { keep: committed as u64, commit: false, recovery: Recovery { torn: Some(torn), damaged } })
}

/// Returns whether bytes that are not a frame were the commit of a group of `records`: they have
/// its length, and most of them are as expected. The beginning of another record would share only
/// the magic.
fn is_damaged_commit(bytes: &[u8], records: usize) -> bool {
    let mut commit = Vec::new();
    frame::write_commit(&mut commit, records);
    let alike = commit.iter().zip(bytes).filter(|(expected, found)| expected == found).count();
    bytes.len() == commit.len() && alike * 3 > commit.len() * 2
}
