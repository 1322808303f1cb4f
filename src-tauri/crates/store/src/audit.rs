//! The audit log: decisions, in a small journal of their own that retention never touches. Interviews have a log of the
//! same form.
//!
//! A decision counts once its frame is on disk; an incomplete frame is dropped. The whole log is
//! read when it is opened. The meaning of an entry is up to the caller.

use std::path::{Path, PathBuf};

use schemascope_journal::{Change, Damage, Found, Journal, Position, Record, Torn};
use schemascope_model::CallId;

use crate::Error;

/// Folder of the log in the data directory.
pub(crate) const FOLDER: &str = "decisions";
/// Folder of the log of interviews in the data directory.
pub(crate) const INTERVIEWS: &str = "interviews";
/// Kind of every frame in the log.
const ENTRY: u8 = 1;
/// Format of an entry: the entry's first byte.
const FORMAT: u8 = 1;

/// Only writer of the audit log.
#[derive(Debug)]
pub struct AuditLog {
    journal: Journal,
    dir: PathBuf,
}

/// Entries of the log, and the places that could not be read.
#[derive(Debug, Default)]
pub struct AuditContents {
    /// Entries in the order in which they were appended, oldest first.
    pub entries: Vec<Vec<u8>>,
    /// Places that could not be read. All other entries are complete.
    pub damaged: Vec<Damage>,
}

/// What becomes of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryChange {
    /// It stays as it is.
    Keep,
    /// This entry takes its place.
    Replace(Vec<u8>),
    /// It is removed.
    Remove,
}

impl AuditLog {
    /// Opens the log of a data directory, creating it if necessary, and reads it. An unfinished
    /// entry is removed from its end.
    pub fn open(data: &Path) -> Result<(Self, AuditContents, Option<Torn>), Error> {
        Self::open_folder(&data.join(FOLDER))
    }

    /// Opens the log of interviews of a data directory, as [`Self::open`] does.
    pub fn open_interviews(data: &Path) -> Result<(Self, AuditContents, Option<Torn>), Error> {
        Self::open_folder(&data.join(INTERVIEWS))
    }

    fn open_folder(dir: &Path) -> Result<(Self, AuditContents, Option<Torn>), Error> {
        crate::open::create_private(dir);
        let (journal, recovery) = Journal::open(dir)?;
        let log = Self { journal, dir: dir.to_owned() };
        let read = log.read()?;
        Ok((log, read, recovery.torn))
    }

    /// Appends an entry. On return it is on disk; after an error none of it is.
    pub fn append(&mut self, id: CallId, entry: &[u8]) -> Result<(), Error> {
        if self.journal.is_segment_full() {
            self.journal.begin_segment()?;
        }
        let payload = [&[FORMAT], entry].concat();
        self.journal.append(&[Record { kind: ENTRY, id: id.to_bytes(), payload: &payload }])?;
        Ok(())
    }

    /// Passes every entry to `change`, oldest first, and removes or replaces it on disk. Each segment is replaced as a
    /// whole, so after an error or a kill an entry is the old one or the new one.
    pub fn rewrite(&mut self, mut change: impl FnMut(&[u8]) -> EntryChange) -> Result<(), Error> {
        // Only complete segments are replaced.
        self.journal.begin_segment()?;
        let mut segments = schemascope_journal::segments(&self.dir)?;
        segments.pop();
        for segment in segments {
            let mut of_frame = |kind, payload: &[u8]| match payload.split_first() {
                Some((&FORMAT, body)) if kind == ENTRY => match change(body) {
                    EntryChange::Keep => Change::Keep,
                    EntryChange::Replace(entry) => Change::Replace([&[FORMAT], &*entry].concat()),
                    EntryChange::Remove => Change::Drop,
                },
                _ => Change::Stop,
            };
            if schemascope_journal::rewrite(&self.dir, segment.number, &mut of_frame)?.is_none() {
                let path = schemascope_journal::segment_name(segment.number);
                return Err(Error::Malformed(format!(
                    "{path} was written by a newer version of Schemascope"
                )));
            }
        }
        Ok(())
    }

    /// Returns all entries.
    pub fn read(&self) -> Result<AuditContents, Error> {
        read_to(&self.dir, None)
    }
}

/// Reads one of the logs of a data directory up to the end of its last complete entry. Does not repair
/// anything.
pub(crate) fn inspect(data: &Path, folder: &str) -> Result<(AuditContents, Option<Torn>), Error> {
    let dir = data.join(folder);
    if !dir.is_dir() {
        return Ok((AuditContents::default(), None));
    }
    let (end, tail) = schemascope_journal::tail(&dir)?;
    Ok((read_to(&dir, Some(end))?, tail.torn))
}

fn read_to(dir: &Path, end: Option<Position>) -> Result<AuditContents, Error> {
    let mut read = AuditContents::default();
    for found in schemascope_journal::Reader::new(dir, Position::START)? {
        let found = found?;
        let at = match &found {
            Found::Entry(entry) => entry.at,
            Found::Damage(damage) => damage.at,
        };
        if end.is_some_and(|end| at >= end) {
            break;
        }
        match found {
            Found::Entry(entry) => read.entries.push(body(dir, entry.kind, &entry.payload)?.to_vec()),
            Found::Damage(damage) => read.damaged.push(damage),
        }
    }
    Ok(read)
}

fn body<'a>(dir: &Path, kind: u8, payload: &'a [u8]) -> Result<&'a [u8], Error> {
    match payload.split_first() {
        Some((&FORMAT, body)) if kind == ENTRY => Ok(body),
        format => Err(Error::Version {
            path: dir.to_owned(),
            what: "audit log",
            found: format.map_or(0, |(format, _)| *format),
            supported: FORMAT,
        }),
    }
}

/// Decides what `rewrite` makes of one frame of the log.
pub(crate) fn change(kind: u8, payload: &[u8], rewrite: impl FnOnce(&[u8]) -> Option<Vec<u8>>) -> Change {
    match payload.split_first() {
        Some((&FORMAT, body)) if kind == ENTRY => {
            rewrite(body).map_or(Change::Keep, |entry| Change::Replace([&[FORMAT], &*entry].concat()))
        }
        _ => Change::Stop,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(read: &AuditContents) -> Vec<&str> {
        read.entries.iter().map(|entry| std::str::from_utf8(entry).unwrap()).collect()
    }

    #[test]
    fn audit_log_returns_complete_entries_only_after_truncation_or_damage() {
        let data = tempfile::tempdir().unwrap();
        let id = CallId::from_bytes([1; 16]);
        let (mut log, read, _) = AuditLog::open(data.path()).unwrap();
        assert!(read.entries.is_empty());
        for entry in ["one", "two", "three"] {
            log.append(id, entry.as_bytes()).unwrap();
        }
        assert_eq!(entries(&log.read().unwrap()), ["one", "two", "three"]);
        drop(log);
        let file = data.path().join(FOLDER).read_dir().unwrap().next().unwrap().unwrap().path();
        let bytes = std::fs::read(&file).unwrap();
        // Killed while writing: every entry is either complete or absent, however much reached the
        // disk.
        for length in (0..bytes.len()).rev().step_by(3) {
            std::fs::write(&file, &bytes[..length]).unwrap();
            let (log, read, _) = AuditLog::open(data.path()).unwrap();
            let found = entries(&read);
            assert_eq!(found, ["one", "two", "three"][..found.len()]);
            assert!(read.damaged.is_empty() && log.read().is_ok());
        }
        // Damage to one entry loses that entry only.
        std::fs::write(&file, &bytes).unwrap();
        let mut flipped = bytes.clone();
        let at = bytes.windows(3).position(|text| text == b"two").unwrap();
        flipped[at] ^= 1;
        std::fs::write(&file, &flipped).unwrap();
        let (_, read, _) = AuditLog::open(data.path()).unwrap();
        assert_eq!((entries(&read), read.damaged.len()), (vec!["one", "three"], 1));
    }

    #[test]
    fn removed_entries_are_gone_from_disk() {
        let data = tempfile::tempdir().unwrap();
        let id = CallId::from_bytes([1; 16]);
        let (mut log, ..) = AuditLog::open_interviews(data.path()).unwrap();
        for entry in ["one", "secret", "three"] {
            log.append(id, entry.as_bytes()).unwrap();
        }
        let change = |entry: &[u8]| match entry {
            b"secret" => EntryChange::Remove,
            b"three" => EntryChange::Replace(b"drei".to_vec()),
            _ => EntryChange::Keep,
        };
        log.rewrite(change).unwrap();
        log.append(id, b"four").unwrap();
        drop(log);
        let (log, read, torn) = AuditLog::open_interviews(data.path()).unwrap();
        assert_eq!((entries(&read), torn), (vec!["one", "drei", "four"], None));
        assert!(log.read().unwrap().damaged.is_empty());
        for file in data.path().join(INTERVIEWS).read_dir().unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            assert!(!bytes.windows(6).any(|text| text == b"secret"));
        }
    }

    #[test]
    fn audit_log_of_newer_format_is_rejected() {
        let data = tempfile::tempdir().unwrap();
        let (mut log, ..) = AuditLog::open(data.path()).unwrap();
        log.journal.append(&[Record { kind: ENTRY, id: [0; 16], payload: &[9] }]).unwrap();
        drop(log);
        let error = AuditLog::open(data.path()).unwrap_err().to_string();
        assert!(error.contains("audit log format 9") && error.contains(FOLDER), "{error}");
    }
}
