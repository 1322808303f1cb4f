//! Opening: mend the journal's tail, open or replace the index, replay what it lacks.
//!
//! Owns: every decision about a damaged store. sled can panic, hang or refuse when its files are
//! damaged, so it is opened on a thread of its own, inside `catch_unwind`, with a time limit; whatever
//! goes wrong, its folder is moved aside and rebuilt from the journal. Refuses to know: what entries do
//! to states.

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
use crate::marks::{Gone, Mark};
use crate::{Error, Fold, GROUP, Reader, Writer};
pub(crate) use whole::{fill_new, open_existing};

/// Places of damage named one by one.
const DAMAGE_NAMED: usize = 10;
/// Opening a healthy index of millions of calls takes a second or two.
const OPEN_LIMIT: Duration = Duration::from_secs(60);

/// Bytes left free on the disk, for whoever else needs them and to close cleanly.
const RESERVE: u64 = 100 << 20;

/// What was found and mended at open.
#[derive(Debug, Default)]
pub struct Recovery {
    /// An unfinished group that was cut from the journal's end.
    pub torn: Option<Torn>,
    /// The first records that could not be read; each was stepped over.
    pub damaged: Vec<Damage>,
    /// How many there were.
    pub damaged_count: u64,
    /// What happened to the index.
    pub index: IndexRecovery,
    /// Entries replayed into states.
    pub replayed: u64,
}

/// What happened to the index at open.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum IndexRecovery {
    /// It was complete, or caught up.
    #[default]
    Intact,
    /// It was built from the journal because there was none.
    Built,
    /// It was unusable, moved aside, and built from the journal.
    Replaced {
        /// What was wrong.
        reason: String,
        /// Where the old one is.
        moved_to: PathBuf,
    },
}

/// Opens the store in `dir`, replaying into `fold` what its states lack.
pub fn open(dir: &Path, fold: &mut dyn Fold, now: Timestamp) -> Result<(Writer, Reader, Recovery), Error> {
    let lock = Lock::take(dir)?;
    take_back(dir)?;
    let journal = dir.join("journal");
    create_private(&journal);
    let (mut journal, tail) = Journal::open(&journal)?;
    journal.set_reserve(RESERVE);
    let path = dir.join("index");
    let mut recovery = Recovery { torn: tail.torn, ..Recovery::default() };
    let caught_up = match catch_up(&path, &journal, fold, &mut recovery) {
        Err(Refusal::Damaged(reason)) => {
            let moved_to = dir.join(format!("index.bad-{}", now.as_millis()));
            let io = |source| Error::Io { path: path.clone(), source };
            fs::rename(&path, &moved_to).map_err(io)?;
            tracing::warn!(%reason, moved_to = %moved_to.display(), "the index is unusable; rebuilding it from the journal");
            fold.clear();
            let index = IndexRecovery::Replaced { reason, moved_to };
            recovery = Recovery { torn: tail.torn, index, ..Recovery::default() };
            catch_up(&path, &journal, fold, &mut recovery)
        }
        caught_up => caught_up,
    };
    let index = caught_up.map_err(Refusal::into_error)?;
    let reader = Reader::new(journal.dir().to_owned(), index.clone());
    let ballast = Ballast::keep(dir, RESERVE);
    Ok((Writer::new(journal, index, compressor(dir)?, ballast, lock), reader, recovery))
}

pub(crate) fn compressor(dir: &Path) -> Result<Compressor, Error> {
    Compressor::new().map_err(|source| Error::Io { path: dir.to_owned(), source })
}

/// An index that has everything the journal has. A panic of sled is damage like any other.
fn catch_up(
    path: &Path,
    journal: &Journal,
    fold: &mut dyn Fold,
    recovery: &mut Recovery,
) -> Result<Index, Refusal> {
    let attempt = AssertUnwindSafe(|| {
        let Opened { index, as_of } = open_index(path, journal, fold)?;
        if index.checkpoint()?.is_none() && journal.end() > FIRST && recovery.index == IndexRecovery::Intact {
            recovery.index = IndexRecovery::Built;
        }
        replay(journal, &index, fold, &as_of, recovery)?;
        Ok(index)
    });
    catch_unwind(attempt).unwrap_or_else(|_| Err(Refusal::Damaged("reading it panicked".into())))
}

/// Where the first frame of an empty journal would be.
const FIRST: Position = Position { segment: 1, offset: 16 };

enum Refusal {
    /// The index must go; the journal has everything.
    Damaged(String),
    /// Going on would do harm.
    Fatal(Error),
}

impl Refusal {
    fn into_error(self) -> Error {
        match self {
            Self::Damaged(reason) => Error::Malformed(format!("a fresh index is unusable: {reason}")),
            Self::Fatal(error) => error,
        }
    }
}

/// A usable index, and what each tool's loaded state already includes.
struct Opened {
    index: Index,
    as_of: HashMap<ToolId, Position>,
}

impl From<sled::Error> for Refusal {
    fn from(error: sled::Error) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl From<Error> for Refusal {
    /// Whatever is wrong with the index, the journal has everything; what is wrong with the journal
    /// cannot be mended here.
    fn from(error: Error) -> Self {
        match error {
            Error::Index(error) => error.into(),
            Error::IndexPanicked | Error::IndexClosed => Self::Damaged(error.to_string()),
            error => Self::Fatal(error),
        }
    }
}

fn open_index(path: &Path, journal: &Journal, fold: &mut dyn Fold) -> Result<Opened, Refusal> {
    let marker = index::marker(path);
    if marker.exists() {
        let _ = fs::remove_file(&marker);
        // Without an index the note is about one that is gone already.
        if path.exists() {
            return Err(Refusal::Damaged("damage was met while reading it".into()));
        }
    }
    sweep(path);
    let index = open_guarded(path)?;
    match index.format()? {
        Some(index::FORMAT) => {}
        Some(1) => index.upgrade_from_1().map_err(|error| Refusal::Damaged(error.to_string()))?,
        Some(2) => index.upgrade_from_2().map_err(|error| Refusal::Damaged(error.to_string()))?,
        Some(found) => {
            return Err(Refusal::Fatal(Error::Version {
                path: path.to_owned(),
                what: "index",
                found,
                supported: index::FORMAT,
            }));
        }
        None if index.is_empty() => index.set_format()?,
        None => return Err(Refusal::Damaged("it has data but no format".into())),
    }
    let checkpoint = index.checkpoint()?;
    if checkpoint.is_some_and(|checkpoint| checkpoint > journal.end()) {
        return Err(Refusal::Damaged("it is ahead of the journal".into()));
    }
    let mut as_of = HashMap::new();
    for state in index.states() {
        let state = state.map_err(|error| Refusal::Damaged(error.to_string()))?;
        fold.load(state.tool.clone(), &state.bytes).map_err(Refusal::Damaged)?;
        as_of.insert(state.tool, state.as_of);
    }
    Ok(Opened { index, as_of })
}

/// sled lets go of its lock a moment after it was dropped, so a lock that is held is asked for again.
fn open_guarded(path: &Path) -> Result<Index, Refusal> {
    let began = Instant::now();
    loop {
        match open_once(path) {
            Err(Refusal::Fatal(Error::Locked(_))) if began.elapsed() < index::LOCK_LIMIT => {
                std::thread::sleep(Duration::from_millis(20));
            }
            opened => return opened,
        }
    }
}

fn open_once(path: &Path) -> Result<Index, Refusal> {
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
        .map_err(|source| Refusal::Fatal(Error::Io { path: path.to_owned(), source }))?;
    match receive.recv_timeout(OPEN_LIMIT) {
        Ok(Ok(Ok(index))) => Ok(index),
        Ok(Ok(Err(error))) if index::is_locked(&error) => Err(Refusal::Fatal(Error::Locked(path.to_owned()))),
        Ok(Ok(Err(error))) => Err(Refusal::Damaged(error.to_string())),
        Ok(Err(_)) => Err(Refusal::Damaged("opening it panicked".into())),
        Err(_) => Err(Refusal::Damaged(format!("opening it took more than {OPEN_LIMIT:?}"))),
    }
}

/// Removes snapshots that a kill left half written: sled does not open with them.
fn sweep(path: &Path) {
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
    recovery: &mut Recovery,
) -> Result<(), Refusal> {
    let indexed = index.checkpoint()?.unwrap_or(Position::START);
    let states = index.states_checkpoint()?.unwrap_or(Position::START);
    let mut group: Vec<(Entry, Position, Vec<u8>)> = Vec::new();
    let mut compressor = compressor(journal.dir())?;
    let from = indexed.min(states);
    let mut reader = schemascope_journal::Reader::new(journal.dir(), from).map_err(Error::from)?;
    let total = reader.bytes_left();
    let mut since_progress = 0;
    // With its first segment the journal has all that states were ever learned from.
    let is_whole = schemascope_journal::segments(journal.dir()).map_err(Error::from)?;
    let is_whole = is_whole.first().is_none_or(|first| first.number == FIRST.segment);
    // Only an index that begins anew has not seen them go.
    let gone = if indexed == Position::START { Gone::read(journal.dir())? } else { Gone::default() };
    while let Some(found) = reader.next() {
        let read = match found.map_err(Error::from)? {
            Found::Entry(read) => read,
            Found::Damage(damage) => {
                recovery.note(damage);
                continue;
            }
        };
        if Mark::decode(read.kind, read.id).is_some() {
            continue;
        }
        let entry = match Entry::decode(read.kind, &read.payload) {
            Ok(entry) => entry,
            Err(error @ Unreadable::Format(_)) => {
                // Whole and checksummed, so no damage: a newer program wrote it.
                return Err(Refusal::Fatal(Error::Malformed(format!(
                    "{} segment {}: {}; a newer Schemascope wrote this data",
                    journal.dir().display(),
                    read.at.segment,
                    error.reason()
                ))));
            }
            Err(Unreadable::Malformed(_)) => {
                let bytes = read.next.offset - read.at.offset;
                let damage = Damage { at: read.at, bytes, reason: "record does not parse" };
                recovery.note(damage);
                continue;
            }
        };
        if read.at >= states && as_of.get(entry.tool()).is_none_or(|as_of| read.at >= *as_of) {
            if let Err(reason) = fold.apply(&entry) {
                if from > Position::START {
                    // What the snapshot stands for was not replayed; from the beginning it is.
                    return Err(Refusal::Damaged(reason));
                }
                if !is_whole {
                    return Err(Refusal::Fatal(Error::StateLost {
                        at: read.at,
                        tool: entry.tool().clone(),
                        reason,
                    }));
                }
                tracing::warn!(tool = %entry.tool(), %reason, "a snapshot is not needed and left out");
            }
            recovery.replayed += 1;
        }
        let is_gone = matches!(&entry, Entry::Call(call) if gone.has(call.id, read.at));
        if read.at >= indexed && !is_gone {
            group.push((entry, read.at, read.compressed));
            if group.len() == GROUP {
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
    /// Notes and tells damage; of much damage the first places stand for all.
    fn note(&mut self, damage: Damage) {
        self.damaged_count += 1;
        if self.damaged.len() < DAMAGE_NAMED {
            self.damaged.push(damage);
        }
    }
}

/// What is in it is its user's business only. Whatever is wrong with the path, opening it says so.
pub(crate) fn create_private(path: &Path) {
    let _ = fs::create_dir(path);
    #[cfg(unix)]
    if path.is_dir() {
        let _ = fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700));
    }
}
