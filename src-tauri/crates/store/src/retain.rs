//! Retention: calls are removed by age, count and bytes; what was learned from them stays.
//!
//! The work is done in bounded rounds, so that appending continues between them. A round first
//! records in the journal which calls are removed, then removes their rows, then deletes segments
//! whose calls are all removed. Segments are deleted oldest first, and only before a segment that
//! begins with a complete snapshot: replaying the remaining segments gives the same states.

use std::path::Path;
use std::time::Duration;

use schemascope_journal::Segment;
use schemascope_model::{CallId, Timestamp, ToolId};

use crate::marks::Mark;
use crate::open::RESERVED_BYTES;
use crate::snapshot::SNAPSHOT_SHARE;
use crate::summaries::Summaries;
use crate::{Error, Writer};

/// Most calls removed in a round.
const CALLS_PER_ROUND: usize = 2_000;
/// Most segments deleted in a round.
const SEGMENTS_PER_ROUND: u64 = 8;
/// A new segment begins when the current one holds this share of the limit, which bounds how far
/// the data on disk exceeds the limits.
const SEGMENT_SHARE: u64 = 8;

/// Limits for the calls to keep. An unset limit keeps all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policy {
    /// Age beyond which calls are removed.
    pub age: Option<Duration>,
    /// Number of newest calls to keep.
    pub count: Option<u64>,
    /// Bytes of journal and index together beyond which the oldest segments are removed. The index
    /// counts with the used part of its files, which keep their size until it is compacted. The
    /// last snapshot and everything journaled after it stay.
    pub bytes: Option<u64>,
}

/// Result of a round.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Number of calls removed from the index.
    pub calls_removed: u64,
    /// Number of journal segments deleted.
    pub segments_removed: u64,
    /// Size of the deleted segments, in bytes.
    pub bytes_freed: u64,
    /// Whether a new segment was begun, with a snapshot.
    pub segment_begun: bool,
    /// Whether more work is due immediately.
    pub more: bool,
}

/// State kept between rounds.
#[derive(Debug, Default)]
pub(crate) struct Retention {
    pub(crate) summaries: Summaries,
    /// Segment being removed because of its bytes, and its calls that still have rows.
    draining: Option<(u64, Vec<CallId>)>,
}

impl Writer {
    /// Runs one round. `states` returns the states of all tools, which must include every entry
    /// appended so far. It is called only when a snapshot is due.
    pub fn retain<I>(
        &mut self,
        policy: &Policy,
        now: Timestamp,
        states: impl FnOnce() -> I,
    ) -> Result<Progress, Error>
    where
        I: IntoIterator<Item = (ToolId, Vec<u8>)>,
    {
        let mut progress = Progress::default();
        // An index that is behind does not know all stored calls.
        if *policy == Policy::default() || self.is_index_behind() {
            return Ok(progress);
        }
        self.retention.summaries.begin_round();
        self.remove_below_floor(policy, now, &mut progress)?;
        if !progress.more {
            self.remove_oldest_segment(policy, &mut progress)?;
        }
        if !progress.more {
            self.unlink_empty(&mut progress)?;
        }
        if !progress.more && self.wants_new_segment(policy, now)? {
            // Also on a full disk, where nothing can be deleted without one.
            let reserve = self.journal.set_reserve(RESERVED_BYTES / 2);
            let begun = self.begin_with_snapshot(states());
            self.journal.set_reserve(reserve);
            begun?;
            progress.segment_begun = true;
            progress.more = true;
        }
        progress.more |= self.retention.summaries.is_exhausted();
        Ok(progress)
    }

    /// Removes by age and count: all calls below an id.
    fn remove_below_floor(
        &mut self,
        policy: &Policy,
        now: Timestamp,
        progress: &mut Progress,
    ) -> Result<(), Error> {
        let excess = policy.count.map_or(0, |kept| self.index.count().saturating_sub(kept));
        let oldest_kept = policy.age.map(|age| first_at(before(now, age)));
        let (gone, next) = self.index.guarded(|| {
            let mut gone = Vec::new();
            for id in self.index.oldest() {
                let id = id?;
                let too_old = oldest_kept.is_some_and(|oldest| id < oldest);
                if gone.len() == CALLS_PER_ROUND || !too_old && gone.len() as u64 >= excess {
                    return Ok((gone, Some(id)));
                }
                gone.push(id);
            }
            Ok((gone, None))
        })?;
        let Some(last) = gone.last() else { return Ok(()) };
        self.mark(Mark::Floor(next.unwrap_or_else(|| successor(*last))))?;
        progress.more = gone.len() == CALLS_PER_ROUND;
        self.remove_rows(&gone, progress)
    }

    /// Removes by bytes: all calls of the oldest segment, whatever their ids.
    fn remove_oldest_segment(&mut self, policy: &Policy, progress: &mut Progress) -> Result<(), Error> {
        let Some(limit) = policy.bytes else { return Ok(()) };
        if self.retention.draining.is_none() {
            let segments = schemascope_journal::segments(self.journal.dir())?;
            let Some(first) = segments.first().map(|segment| segment.number) else { return Ok(()) };
            let used = self.bytes_used(&segments);
            let leaves_enough = used_without_first(&segments, used) >= limit / 2;
            if used <= limit || !(leaves_enough || self.journal.lacks_space()) || !self.is_covered(first)? {
                return Ok(());
            }
            let ids = crate::summaries::call_ids(self.journal.dir(), first)?;
            self.mark(Mark::GoneThrough(first))?;
            self.retention.draining = Some((first, ids));
        }
        let Some((segment, mut ids)) = self.retention.draining.take() else { return Ok(()) };
        let rest = ids.split_off(ids.len().min(CALLS_PER_ROUND));
        self.remove_rows(&ids, progress)?;
        progress.more = true;
        if rest.is_empty() {
            // Otherwise a kill could bring rows back whose calls are gone.
            self.index.flush()?;
            self.unlink(segment, progress)
        } else {
            self.retention.draining = Some((segment, rest));
            Ok(())
        }
    }

    fn remove_rows(&mut self, ids: &[CallId], progress: &mut Progress) -> Result<(), Error> {
        self.index_unless_behind(|index, _| {
            progress.calls_removed += index.remove(ids)?;
            Ok(())
        })
    }

    /// Deletes the oldest segments as long as none of their calls has a row.
    fn unlink_empty(&mut self, progress: &mut Progress) -> Result<(), Error> {
        for segment in schemascope_journal::segments(self.journal.dir())? {
            if !self.is_covered(segment.number)? || !self.is_empty_of_calls(segment.number)? {
                return Ok(());
            }
            self.unlink(segment.number, progress)?;
            if progress.segments_removed == SEGMENTS_PER_ROUND {
                progress.more = true;
                return Ok(());
            }
        }
        Ok(())
    }

    fn unlink(&mut self, number: u64, progress: &mut Progress) -> Result<(), Error> {
        let bytes = schemascope_journal::segments(self.journal.dir())?
            .iter()
            .find(|segment| segment.number == number)
            .map_or(0, |segment| segment.bytes);
        if self.journal.remove_segment(number)? {
            self.retention.summaries.forget(number);
            progress.segments_removed += 1;
            progress.bytes_freed += bytes;
        }
        Ok(())
    }

    /// Returns whether states and rows no longer need a segment: a later segment begins with a
    /// complete snapshot, and everything in this one is in the index.
    fn is_covered(&mut self, number: u64) -> Result<bool, Error> {
        let indexed = self.index.guarded(|| Ok(self.index.checkpoint()?))?.unwrap_or_default();
        let current = self.journal.end().segment;
        if number >= indexed.segment.min(current) {
            return Ok(false);
        }
        if self.snapshot_segment.is_none() {
            let found = self.retention.summaries.newest_snapshot(self.journal.dir(), current)?;
            self.snapshot_segment = found;
        }
        Ok(self.snapshot_segment.is_some_and(|snapshot| number < snapshot))
    }

    /// Returns whether all calls in a segment are older than the oldest one kept.
    fn is_empty_of_calls(&mut self, number: u64) -> Result<bool, Error> {
        let Some(summary) = self.retention.summaries.of(self.journal.dir(), number)? else {
            return Ok(false);
        };
        let Some(newest) = summary.newest else { return Ok(true) };
        let oldest_kept = self.index.guarded(|| self.index.oldest().next().transpose())?;
        Ok(oldest_kept.is_none_or(|oldest| newest < oldest))
    }

    fn wants_new_segment(&mut self, policy: &Policy, now: Timestamp) -> Result<bool, Error> {
        let end = self.journal.end();
        if self.segment_oldest.is_none() {
            self.segment_calls = 0;
            if let Some(read) = self.retention.summaries.read(self.journal.dir(), end.segment)? {
                (self.segment_oldest, self.segment_calls) = (read.oldest, read.calls);
            }
        }
        // The age limit is guaranteed. The other limits may wait until a snapshot is cheap compared
        // with what it frees.
        let spans = |age: Duration| before(now, age / SEGMENT_SHARE as u32);
        let is_old = match (policy.age, self.segment_oldest) {
            (Some(age), Some(oldest)) => oldest.time() < spans(age),
            _ => false,
        };
        if is_old || self.since_snapshot < self.snapshot_size * SNAPSHOT_SHARE {
            return Ok(is_old);
        }
        let has_calls = self.segment_calls > 0;
        let counts = policy.count.is_some_and(|kept| self.segment_calls > kept / SEGMENT_SHARE);
        let segments = schemascope_journal::segments(self.journal.dir())?;
        let is_over = policy.bytes.is_some_and(|limit| self.bytes_used(&segments) > limit);
        let is_large = policy.bytes.is_some_and(|limit| end.offset > limit / SEGMENT_SHARE);
        if has_calls && (counts || is_large) {
            return Ok(true);
        }
        // An old segment can be deleted only after a later snapshot.
        let Some(first) = segments.first().map(|segment| segment.number) else { return Ok(false) };
        let waits = first < end.segment && !self.is_covered(first)?;
        Ok(waits && (is_over || self.is_empty_of_calls(first)?))
    }

    fn bytes_used(&self, segments: &[Segment]) -> u64 {
        let index = self.journal.dir().with_file_name("index");
        segments.iter().map(|segment| segment.bytes).sum::<u64>()
            + self.index.bytes_used(folder_bytes(&index))
    }
}

/// Returns the bytes used without the oldest segment and its part of the index. A segment that was written under a
/// higher limit may hold everything there is.
fn used_without_first(segments: &[Segment], used: u64) -> u64 {
    let all: u64 = segments.iter().map(|segment| segment.bytes).sum();
    let first = segments.first().map_or(0, |segment| segment.bytes);
    (u128::from(used) * u128::from(all - first) / u128::from(all.max(1))) as u64
}

/// Returns the size of the files in a folder. Unreadable files count as zero.
pub(crate) fn folder_bytes(path: &Path) -> u64 {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => folder_bytes(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}

fn before(now: Timestamp, age: Duration) -> Timestamp {
    let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
    Timestamp::from_millis(now.as_millis().saturating_sub(age))
}

/// Returns the lowest id a call at this time can have.
fn first_at(at: Timestamp) -> CallId {
    CallId::from_bytes((u128::from(at.as_millis()) << 80).to_be_bytes())
}

fn successor(id: CallId) -> CallId {
    CallId::from_bytes(u128::from_be_bytes(id.to_bytes()).saturating_add(1).to_be_bytes())
}
