//! Opening the store: repair the journal's tail, open or replace the index, replay the entries it
//! lacks.
//!
//! sled can panic, hang or fail when its files are damaged. It is therefore opened on its own
//! thread, inside `catch_unwind` and with a time limit. After any failure its folder is moved aside
//! and rebuilt from the journal.

mod whole;

use std::collections::HashMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use schemascope_journal::{Compressor, Damage, Found, Journal, Position, Torn};
use schemascope_model::{Timestamp, ToolId};

use crate::ballast::Ballast;
use crate::entry::{Entry, Unreadable};
use crate::index::{self, Index};
use crate::lock::Lock;
use crate::maintain::take_back;
use crate::marks::{Mark, RemovedCalls};
use crate::salvage::{Lost, Salvaged, adopt, salvage};
use crate::{Error, Fold, MAX_GROUP_ENTRIES, Reader, Writer};

pub(crate) use whole::{fill_new, open_existing};

/// Bytes of entries that are read before they are written to the index.
const MAX_GROUP_BYTES: usize = 4 << 20;

/// Most places of damage listed individually.
const MAX_NAMED_DAMAGE: usize = 10;
/// Time limit for opening the index. A healthy index of millions of calls takes a second or two.
const OPEN_TIMEOUT: Duration = Duration::from_secs(60);

/// Bytes that stay free on the disk, for other programs and for closing cleanly.
pub(crate) const RESERVED_BYTES: u64 = 100 << 20;

/// Findings and repairs of opening a store.
#[derive(Debug, Default)]
pub struct Recovery {
    /// Unfinished group that was removed from the journal's end.
    pub torn: Option<Torn>,
    /// First records that could not be read. Each was skipped.
    pub damaged: Vec<Damage>,
    /// Number of records that could not be read.
    pub damaged_count: u64,
    /// What the journal had lost and the index still had.
    pub salvaged: Option<Salvaged>,
    /// What happened to the index.
    pub index: IndexRecovery,
    /// Number of entries replayed into states.
    pub replayed: u64,
}

/// What opening did to the index.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum IndexRecovery {
    /// The index was complete, or has caught up.
    #[default]
    Intact,
    /// The index did not exist and was built from the journal.
    Built,
    /// The index was unusable, moved aside and rebuilt from the journal.
    Replaced {
        /// Reason why it was unusable.
        reason: String,
        /// Path of the old index.
        moved_to: PathBuf,
    },
}

/// What the name of an index that was moved aside begins with; the time in milliseconds follows.
const MOVED_ASIDE: &str = "index.bad-";

/// Opens the store in `dir` and replays into `fold` the entries that its states lack.
pub fn open(dir: &Path, fold: &mut dyn Fold, now: Timestamp) -> Result<(Writer, Reader, Recovery), Error> {
    let lock = Lock::take(dir)?;
    take_back(dir)?;
    let folder = dir.join("journal");
    create_private(&folder);
    adopt(dir)?;
    let (mut journal, tail) = Journal::open(&folder)?;
    let path = dir.join("index");
    let mut recovery = Recovery { torn: tail.torn, ..Recovery::default() };
    let mut caught_up = catch_up(&path, &journal, fold, &mut recovery);
    let mut salvaged = None;
    if matches!(caught_up, Err(OpenError::Ahead)) {
        drop(journal);
        salvaged = salvage(dir, Lost::AtEnd)?;
        journal = Journal::open(&folder)?.0;
        caught_up = Err(OpenError::Damaged("it is ahead of the journal".into()));
    }
    journal.set_reserve(RESERVED_BYTES);
    let caught_up = match caught_up {
        Err(OpenError::Damaged(reason)) => {
            let moved_to = dir.join(format!("{MOVED_ASIDE}{}", now.as_millis()));
            let io = |source| Error::Io { path: path.clone(), source };
            fs::rename(&path, &moved_to).map_err(io)?;
            tracing::warn!(%reason, moved_to = %moved_to.display(), "the index is unusable; rebuilding it from the journal");
            fold.clear();
            let index = IndexRecovery::Replaced { reason, moved_to };
            recovery = Recovery { torn: tail.torn, index, salvaged, ..Recovery::default() };
            catch_up(&path, &journal, fold, &mut recovery)
        }
        caught_up => caught_up,
    };
    let index = caught_up.map_err(OpenError::into_error)?;
    remove_old_indexes(dir, &recovery.index, now);
    let reader = Reader::new(journal.dir().to_owned(), index.clone());
    let ballast = Ballast::ensure(dir, RESERVED_BYTES);
    Ok((Writer::new(journal, index, compressor(dir)?, ballast, lock), reader, recovery))
}

/// Removes indexes that were moved aside, except the last one for a week. The journal has all they have, and they also
/// hold calls that were removed since.
fn remove_old_indexes(dir: &Path, recovery: &IndexRecovery, now: Timestamp) {
    const KEPT_MS: u64 = 7 * 24 * 60 * 60 * 1_000;
    let kept = match recovery {
        IndexRecovery::Replaced { moved_to, .. } => moved_to.file_name(),
        IndexRecovery::Intact | IndexRecovery::Built => None,
    };
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let moved = name.to_str().and_then(|name| name.strip_prefix(MOVED_ASIDE)?.parse().ok());
        let Some(moved) = moved.filter(|_| kept != Some(&name)) else { continue };
        if (kept.is_some() || now.as_millis().saturating_sub(moved) > KEPT_MS)
            && let Err(error) = fs::remove_dir_all(entry.path())
        {
            tracing::warn!(path = %entry.path().display(), %error, "an old index cannot be removed");
        }
    }
}

pub(crate) fn compressor(dir: &Path) -> Result<Compressor, Error> {
    Compressor::new().map_err(|source| Error::Io { path: dir.to_owned(), source })
}

/// Opens the index and brings it up to the end of the journal. A panic of sled counts as damage.
fn catch_up(
    path: &Path,
    journal: &Journal,
    fold: &mut dyn Fold,
    recovery: &mut Recovery,
) -> Result<Index, OpenError> {
    let attempt = AssertUnwindSafe(|| {
        let Opened { index, as_of, from_start } = open_index(path, journal, fold)?;
        if index.checkpoint()?.is_none() && journal.end() > FIRST && recovery.index == IndexRecovery::Intact {
            recovery.index = IndexRecovery::Built;
        }
        replay(journal, &index, fold, &as_of, from_start, recovery)?;
        Ok(index)
    });
    catch_unwind(attempt).unwrap_or_else(|_| Err(OpenError::Damaged("reading it panicked".into())))
}

/// Position of the first frame in an empty journal.
const FIRST: Position = Position { segment: 1, offset: 16 };

enum OpenError {
    /// The index has to be replaced. The journal has all its data.
    Damaged(String),
    /// The index has entries that the journal lost.
    Ahead,
    /// Continuing would lose data.
    Fatal(Error),
}

impl OpenError {
    fn into_error(self) -> Error {
        match self {
            Self::Damaged(reason) => {
                Error::Malformed(format!("the index was just rebuilt and is unusable again: {reason}"))
            }
            Self::Ahead => Error::Malformed("the index was just rebuilt and is ahead of the journal".into()),
            Self::Fatal(error) => error,
        }
    }
}

/// A usable index, and the position each tool's loaded state includes.
struct Opened {
    index: Index,
    as_of: HashMap<ToolId, Position>,
    /// Whether the states are learned again from the whole journal.
    from_start: bool,
}

impl From<sled::Error> for OpenError {
    fn from(error: sled::Error) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl From<Error> for OpenError {
    /// Converts errors of the index to damage, which the journal repairs. Errors of the journal
    /// cannot be repaired here.
    fn from(error: Error) -> Self {
        match error {
            Error::Index(error) => error.into(),
            Error::IndexPanicked | Error::IndexClosed => Self::Damaged(error.to_string()),
            error => Self::Fatal(error),
        }
    }
}

fn open_index(path: &Path, journal: &Journal, fold: &mut dyn Fold) -> Result<Opened, OpenError> {
    let marker = index::marker(path);
    if marker.exists() {
        let _ = fs::remove_file(&marker);
        // Without an index, the recorded damage is that of one already removed.
        if path.exists() {
            return Err(OpenError::Damaged("damage was found while reading it".into()));
        }
    }
    remove_unfinished_snapshots(path);
    let index = open_guarded(path)?;
    match index.format()? {
        Some(index::FORMAT) => {}
        Some(1) => index.upgrade_from_1().map_err(|error| OpenError::Damaged(error.to_string()))?,
        Some(2) => index.upgrade_from_2().map_err(|error| OpenError::Damaged(error.to_string()))?,
        Some(found) => {
            return Err(OpenError::Fatal(Error::Version {
                path: path.to_owned(),
                what: "index",
                found,
                supported: index::FORMAT,
            }));
        }
        None if index.is_empty() => index.set_format()?,
        None => return Err(OpenError::Damaged("it has data but no format".into())),
    }
    let checkpoint = index.checkpoint()?;
    if checkpoint.is_some_and(|checkpoint| checkpoint > journal.end()) {
        return Err(OpenError::Ahead);
    }
    let mut as_of = HashMap::new();
    for state in index.states() {
        let state = state.map_err(|error| OpenError::Damaged(error.to_string()))?;
        fold.load(state.tool.clone(), &state.bytes).map_err(OpenError::Damaged)?;
        as_of.insert(state.tool, state.as_of);
    }
    let from_start = fold.is_outdated();
    if from_start {
        tracing::info!("learning from the calls that are stored already");
        fold.clear();
        as_of.clear();
    }
    Ok(Opened { index, as_of, from_start })
}

/// Opens the index, requesting a held lock repeatedly: sled releases its lock a moment after it is
/// dropped.
fn open_guarded(path: &Path) -> Result<Index, OpenError> {
    let began = Instant::now();
    loop {
        match open_once(path) {
            Err(OpenError::Fatal(Error::Locked(_))) if began.elapsed() < index::SLED_LOCK_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(20));
            }
            opened => return opened,
        }
    }
}

fn open_once(path: &Path) -> Result<Index, OpenError> {
    create_private(path);
    let (send, receive) = mpsc::sync_channel(1);
    let owned = path.to_owned();
    let opening = move || {
        let opened = catch_unwind(AssertUnwindSafe(|| index::open(&owned)));
        let _ = send.send(opened);
    };
    std::thread::Builder::new()
        .name("index-open".into())
        .spawn(opening)
        .map_err(|source| OpenError::Fatal(Error::Io { path: path.to_owned(), source }))?;
    match receive.recv_timeout(OPEN_TIMEOUT) {
        Ok(Ok(Ok(index))) => {
            make_files_private(path);
            Ok(index)
        }
        Ok(Ok(Err(error))) if index::is_locked(&error) => {
            Err(OpenError::Fatal(Error::Locked(path.to_owned())))
        }
        Ok(Ok(Err(error))) => Err(OpenError::Damaged(error.to_string())),
        Ok(Err(_)) => Err(OpenError::Damaged("opening it panicked".into())),
        Err(_) => Err(OpenError::Damaged(format!("opening it took more than {OPEN_TIMEOUT:?}"))),
    }
}

/// Removes snapshots that a kill left unfinished, because sled does not open with them.
fn remove_unfinished_snapshots(path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "generating") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn replay(
    journal: &Journal,
    index: &Index,
    fold: &mut dyn Fold,
    as_of: &HashMap<ToolId, Position>,
    from_start: bool,
    recovery: &mut Recovery,
) -> Result<(), OpenError> {
    let indexed = index.checkpoint()?.unwrap_or(Position::START);
    let states = index.states_checkpoint()?.filter(|_| !from_start).unwrap_or(Position::START);
    let (mut group, mut bytes): (Vec<(Entry, Position, Vec<u8>)>, usize) = (Vec::new(), 0);
    let mut compressor = compressor(journal.dir())?;
    let from = indexed.min(states);
    let mut reader = schemascope_journal::Reader::new(journal.dir(), from).map_err(Error::from)?;
    let total = reader.bytes_left();
    let mut since_progress = 0;
    // A journal that still has its first segment has everything that states were ever learned from.
    let is_whole = schemascope_journal::segments(journal.dir()).map_err(Error::from)?;
    let is_whole = is_whole.first().is_none_or(|first| first.number == FIRST.segment);
    // Only an index that starts empty has not applied the removals.
    let gone =
        if indexed == Position::START { RemovedCalls::read(journal.dir())? } else { RemovedCalls::default() };
    while let Some(found) = reader.next() {
        let read = match found.map_err(Error::from)? {
            Found::Entry(read) => read,
            Found::Damage(damage) => {
                recovery.add_damage(damage);
                continue;
            }
        };
        if Mark::decode(read.kind, read.id).is_some() {
            continue;
        }
        let entry = match Entry::decode(read.kind, &read.payload) {
            Ok(entry) => entry,
            Err(error @ Unreadable::Format(_)) => {
                // The record is complete and has a valid checksum, so this is not damage.
                return Err(OpenError::Fatal(Error::Malformed(format!(
                    "{} segment {}: {}; a newer Schemascope wrote this data",
                    journal.dir().display(),
                    read.at.segment,
                    error.reason()
                ))));
            }
            Err(Unreadable::Malformed(_)) => {
                let bytes = read.next.offset - read.at.offset;
                let damage = Damage { at: read.at, bytes, reason: "record does not parse" };
                recovery.add_damage(damage);
                continue;
            }
        };
        if read.at >= states && as_of.get(entry.tool()).is_none_or(|as_of| read.at >= *as_of) {
            if let Err(reason) = fold.apply(&entry) {
                if from > Position::START {
                    // The entries that the snapshot replaces were not replayed. A rebuild replays
                    // them from the beginning.
                    return Err(OpenError::Damaged(reason));
                }
                if !is_whole {
                    return Err(OpenError::Fatal(Error::StateLost {
                        at: read.at,
                        tool: entry.tool().clone(),
                        reason,
                    }));
                }
                tracing::warn!(tool = %entry.tool(), %reason, "skipped a snapshot that cannot be read; its calls are still stored");
            }
            recovery.replayed += 1;
        }
        let is_gone = matches!(&entry, Entry::Call(call) if gone.has(call.id, read.at));
        if read.at >= indexed && !is_gone {
            bytes += read.payload.len();
            group.push((entry, read.at, read.compressed));
            // A few large calls fill the memory as well.
            if group.len() == MAX_GROUP_ENTRIES || bytes >= MAX_GROUP_BYTES {
                bytes = 0;
                index.apply(&mut compressor, borrowed(&group), read.next)?;
                group.clear();
            }
        }
        since_progress += 1;
        if since_progress == 1_000 {
            since_progress = 0;
            fold.progress(total.saturating_sub(reader.bytes_left()), total);
        }
    }
    Ok(index.apply(&mut compressor, borrowed(&group), journal.end())?)
}

fn borrowed(group: &[(Entry, Position, Vec<u8>)]) -> impl Iterator<Item = (&Entry, Position, &[u8])> {
    group.iter().map(|(entry, at, compressed)| (entry, *at, compressed.as_slice()))
}

impl Recovery {
    /// Adds damage. Beyond [`MAX_NAMED_DAMAGE`] places only the number is kept.
    fn add_damage(&mut self, damage: Damage) {
        self.damaged_count += 1;
        if self.damaged.len() < MAX_NAMED_DAMAGE {
            self.damaged.push(damage);
        }
    }
}

/// Takes from other users the access to the files and folders in a folder, which sled creates with the usual mode. No one else can
/// open the folder, so a failure does no harm.
pub(crate) fn make_files_private(folder: &Path) {
    #[cfg(unix)]
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let mode = if kind.is_dir() { 0o700 } else { 0o600 };
        if kind.is_dir() || kind.is_file() {
            let _ = fs::set_permissions(entry.path(), std::os::unix::fs::PermissionsExt::from_mode(mode));
        }
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// Creates a folder that only its user can read. Errors are reported when the path is opened.
pub(crate) fn create_private(path: &Path) {
    let _ = fs::create_dir(path);
    #[cfg(unix)]
    if path.is_dir() {
        let _ = fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700));
    }
}
