//! Rewriting of a segment, record by record.
//!
//! The new content is written beside the segment, synced, and renamed over it, so that a kill
//! leaves either the old or the new one. Offsets change: callers must discard positions in the
//! segment first.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::compress::{Compressor, Decompressor};
use crate::frame::{self, COMMIT};
use crate::{Error, segment};

/// Extension of a segment that is being rewritten. A file with it at open was left by a kill.
const UNFINISHED: &str = "rewriting";

/// Result of rewriting a segment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// Number of records examined.
    pub records: u64,
    /// Number of records whose payload changed.
    pub changed: u64,
    /// Number of records removed because `change` asked for it.
    pub dropped: u64,
    /// Number of damaged places removed, because their content is unknown.
    pub damaged: u64,
}

/// Change to one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The record stays as it is.
    Keep,
    /// The record gets this payload.
    Replace(Vec<u8>),
    /// The record is removed.
    Drop,
    /// The whole segment stays as it is.
    Stop,
}

/// Calls `change` with the kind and payload of every record and writes the result. A segment
/// without changes or damage is not written. Returns `None` if `change` stopped.
pub fn rewrite(
    dir: &Path,
    number: u64,
    change: &mut dyn FnMut(u8, &[u8]) -> Change,
) -> Result<Option<Rewritten>, Error> {
    let Some((done, written)) = plan(dir, number, change)? else { return Ok(None) };
    if done.changed + done.dropped + done.damaged > 0 {
        replace(dir, &segment::path(dir, number), &written)?;
    }
    Ok(Some(done))
}

/// Returns what [`rewrite`] would do. Writes nothing.
pub fn rehearse(
    dir: &Path,
    number: u64,
    change: &mut dyn FnMut(u8, &[u8]) -> Change,
) -> Result<Option<Rewritten>, Error> {
    Ok(plan(dir, number, change)?.map(|(done, _)| done))
}

/// Returns the segment's new content and how it differs.
fn plan(
    dir: &Path,
    number: u64,
    change: &mut dyn FnMut(u8, &[u8]) -> Change,
) -> Result<Option<(Rewritten, Vec<u8>)>, Error> {
    let path = segment::path(dir, number);
    let io = |source| Error::Io { path: path.clone(), source };
    let bytes = segment::read(dir, number)?;
    let mut compressor = Compressor::new().map_err(io)?;
    let mut decompressor = Decompressor::default();
    let mut done = Rewritten::default();
    let mut written = segment::header().to_vec();
    let mut offset = segment::HEADER.min(bytes.len());
    while offset < bytes.len() {
        let Ok(found) = frame::parse(&bytes[offset..]) else {
            done.damaged += 1;
            offset = frame::find(&bytes, offset + 1).unwrap_or(bytes.len());
            continue;
        };
        offset += found.len();
        if found.kind == COMMIT {
            frame::write(&mut written, COMMIT, &found.id, found.payload);
            continue;
        }
        done.records += 1;
        let Ok(payload) = decompressor.decompress(found.payload) else {
            done.damaged += 1;
            continue;
        };
        match change(found.kind, &payload) {
            Change::Replace(changed) => {
                let payload = compressor.compress(&changed).map_err(io)?;
                if payload.len() > frame::MAX_PAYLOAD {
                    return Err(Error::TooLarge(changed.len()));
                }
                frame::write(&mut written, found.kind, &found.id, &payload);
                done.changed += 1;
            }
            Change::Keep => frame::write(&mut written, found.kind, &found.id, found.payload),
            Change::Drop => done.dropped += 1,
            Change::Stop => return Ok(None),
        }
    }
    Ok(Some((done, written)))
}

fn replace(dir: &Path, path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let beside = path.with_extension(UNFINISHED);
    let io = |source| Error::Io { path: beside.clone(), source };
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside).map_err(io)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(io)?;
    fs::rename(&beside, path).map_err(io)?;
    segment::sync_dir(dir)
}

/// Removes files left by a killed rewrite. The segments themselves are complete.
pub(crate) fn remove_unfinished_rewrites(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path: PathBuf = entry.path();
        if path.extension().is_some_and(|extension| extension == UNFINISHED) {
            // A file that cannot be removed now is removed at the next open. It is never read.
            let _ = fs::remove_file(path);
        }
    }
}
