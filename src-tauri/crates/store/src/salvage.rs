//! Salvage: calls and states that the index still has after damage truncated the journal.
//!
//! They are written to segments beside the journal, which move into it once they are complete. A kill at any point
//! loses nothing: the next start begins again, or finishes moving them.

use std::path::Path;

use schemascope_journal::{Journal, Position, Record};
use schemascope_model::CallId;

use crate::entry::{CALL, Entry};
use crate::index::{self, Index, Stored};
use crate::maintain::{remove_folder, rename, sync};
use crate::open::{create_private, open_existing};
use crate::{Error, MAX_GROUP_ENTRIES};

/// Folders of segments that are being written, and of complete ones that belong into the journal. They are named like
/// indexes, so that redacting stored data removes them as well.
const UNFINISHED: &str = "index.salvage-new";
const COMPLETE: &str = "index.salvage";

/// What was restored to the journal from the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// Number of calls.
    pub calls: u64,
    /// Number of these calls whose bodies were only in the journal and are lost.
    pub without_bodies: u64,
    /// Number of tools whose learned state was restored.
    pub states: u64,
}

/// Where the journal may have lost something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    /// At its end, which is seen at once: the index is ahead.
    AtEnd,
    /// Anywhere. All of it is read to find out.
    Anywhere,
}

/// Restores to the journal what it lost and the index has. Returns `None` if that is nothing, or the index cannot be read.
/// Marks the index as unusable otherwise, because the journal has other positions now. The journal must not be open for
/// writing.
pub(crate) fn salvage(dir: &Path, lost: Lost) -> Result<Option<Salvaged>, Error> {
    let journal = dir.join("journal");
    let (end, _) = schemascope_journal::tail(&journal)?;
    let Ok(index) = open_existing(&dir.join("index"))? else { return Ok(None) };
    let checkpoint = index.guarded(|| Ok(index.checkpoint()?)).ok().flatten();
    let Some(checkpoint) = checkpoint else { return Ok(None) };
    let known = match lost {
        _ if checkpoint > end => known(&journal)?,
        Lost::AtEnd => return Ok(None),
        Lost::Anywhere => {
            let known = known(&journal)?;
            if !index.guarded(|| Ok(lost_calls(&index, &known).next().is_some()))? {
                return Ok(None);
            }
            known
        }
    };
    // Without its first segment, the journal lacks what states were learned from.
    let is_whole = schemascope_journal::segments(&journal)?.first().is_none_or(|first| first.number == 1);
    let new = dir.join(UNFINISHED);
    remove_folder(&new)?;
    create_private(&new);
    let mut segments = Segments { journal: Journal::open(&new)?.0, group: Vec::new() };
    let salvaged = index.guarded(|| {
        let mut salvaged = Salvaged::default();
        calls(&index, &known, &mut segments, &mut salvaged)?;
        let saved = index.states_checkpoint()?.unwrap_or(Position::START);
        // States that lack the last calls are of use only if the calls do not teach everything again. Without states, calls
        // from before a snapshot are counted twice.
        let is_ahead = checkpoint > end;
        if saved >= checkpoint.max(end) || is_ahead && saved >= end && !is_whole {
            // After the calls, because a state replaces what was learned from earlier entries.
            states(&index, &mut segments, &mut salvaged)?;
        }
        segments.write()?;
        Ok(salvaged)
    })?;
    drop((segments, index));
    rename(&new, &dir.join(COMPLETE))?;
    sync(dir)?;
    adopt(dir)?;
    Ok(Some(salvaged))
}

/// Moves complete segments of a salvage into the journal, also those of one that was interrupted.
pub(crate) fn adopt(dir: &Path) -> Result<(), Error> {
    let (from, journal) = (dir.join(COMPLETE), dir.join("journal"));
    if !from.is_dir() {
        return Ok(());
    }
    let index = dir.join("index");
    if index.exists() {
        let marker = index::marker(&index);
        index::mark_damaged(&marker).map_err(|source| Error::Io { path: marker, source })?;
        sync(dir)?;
    }
    for segment in schemascope_journal::segments(&from)? {
        let last = schemascope_journal::segments(&journal)?.last().map_or(0, |last| last.number);
        let path = |dir: &Path, number| dir.join(schemascope_journal::segment_name(number));
        rename(&path(&from, segment.number), &path(&journal, last + 1))?;
    }
    sync(&journal)?;
    remove_folder(&from)
}

/// Ids of the calls in the journal, sorted.
fn known(journal: &Path) -> Result<Vec<[u8; 16]>, Error> {
    let mut ids = Vec::new();
    for segment in schemascope_journal::segments(journal)? {
        schemascope_journal::heads(journal, segment.number, |head| {
            ids.extend(head.filter(|head| head.kind == CALL).map(|head| head.id));
        })?;
    }
    ids.sort_unstable();
    Ok(ids)
}

/// Ids of the calls in the index that are not among these.
fn lost_calls(index: &Index, known: &[[u8; 16]]) -> impl Iterator<Item = CallId> {
    let is_lost = |id: &CallId| known.binary_search(&id.to_bytes()).is_err();
    // A row that cannot be read is lost; the others are not.
    index.oldest().filter_map(Result::ok).filter(is_lost)
}

fn calls(
    index: &Index,
    known: &[[u8; 16]],
    segments: &mut Segments,
    salvaged: &mut Salvaged,
) -> Result<(), Error> {
    for id in lost_calls(index, known) {
        let call = match index.call(id) {
            Ok(Some(Stored::Whole(call))) => call,
            Ok(Some(Stored::Reference(mut call, _))) => {
                call.bodies_left_out = true;
                salvaged.without_bodies += 1;
                call
            }
            Ok(None) | Err(_) => continue,
        };
        salvaged.calls += 1;
        segments.add(Entry::Call(call))?;
    }
    Ok(())
}

/// Adds the states of all tools.
fn states(index: &Index, segments: &mut Segments, salvaged: &mut Salvaged) -> Result<(), Error> {
    for state in index.states().filter_map(Result::ok) {
        salvaged.states += 1;
        segments.add(Entry::State { tool: state.tool, state: state.bytes })?;
    }
    Ok(())
}

/// Segments that are written in groups.
struct Segments {
    journal: Journal,
    group: Vec<Entry>,
}

impl Segments {
    fn add(&mut self, entry: Entry) -> Result<(), Error> {
        self.group.push(entry);
        if self.group.len() == MAX_GROUP_ENTRIES { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), Error> {
        if self.group.is_empty() {
            return Ok(());
        }
        if self.journal.is_segment_full() {
            self.journal.begin_segment()?;
        }
        let payloads: Vec<Vec<u8>> = self.group.iter().map(Entry::encode).collect();
        let records = self.group.iter().zip(&payloads);
        let records =
            records.map(|(entry, payload)| Record { kind: entry.kind(), id: entry.frame_id(), payload });
        self.journal.append(&records.collect::<Vec<_>>())?;
        self.group.clear();
        Ok(())
    }
}
