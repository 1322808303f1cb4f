//! What the end of the last segment says about the last write.
//!
//! A write that a kill or power cut tore leaves frames without a commit: they were never
//! acknowledged and are cut. A damaged commit frame looks alike but is whole in length: then the
//! group *was* acknowledged and stays. Owns: telling these apart. Refuses to know: damage further up,
//! which readers step over.

use std::path::Path;

use crate::frame::{self, COMMIT};
use crate::{Damage, Error, Position, segment};

/// What opening found at the journal's end.
#[derive(Debug, Default)]
pub struct Recovery {
    /// A torn group that was cut.
    pub torn: Option<Torn>,
    /// Damage in the last segment. Earlier segments are checked when they are read.
    pub damaged: Vec<Damage>,
}

/// An unfinished group at the end, cut at open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Torn {
    /// Where it began.
    pub at: Position,
    /// Bytes cut.
    pub bytes: u64,
}

/// What is to be done to the last segment before it is written to again.
pub(crate) struct Tail {
    /// Length the file should have.
    pub(crate) keep: u64,
    /// The last group is whole but its commit frame is not: write another.
    pub(crate) commit: bool,
    pub(crate) recovery: Recovery,
}

/// Where the acknowledged part of the journal ends, and what is wrong with its last segment. Changes
/// nothing: opening mends it.
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
        // Killed while the segment was created.
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
    // What is damaged behind the last commit is part of what was torn.
    damaged.truncate(open_damage);
    let torn = Torn { at: at(committed), bytes: (bytes.len() - committed) as u64 };
    Ok(Tail { keep: committed as u64, commit: false, recovery: Recovery { torn: Some(torn), damaged } })
}

/// Whether bytes that are no frame were the commit of a group of `records`: as long as one, and most
/// of its bytes as they should be. The torn beginning of another record shares only the magic.
fn is_damaged_commit(bytes: &[u8], records: usize) -> bool {
    let mut commit = Vec::new();
    frame::write_commit(&mut commit, records);
    let alike = commit.iter().zip(bytes).filter(|(expected, found)| expected == found).count();
    bytes.len() == commit.len() && alike * 3 > commit.len() * 2
}
