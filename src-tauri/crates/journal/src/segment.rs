//! Segment files: their names, order and headers.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::Error;

const MAGIC: &[u8; 8] = b"SSCOPEWJ";
/// Segment format that this program writes and reads.
pub(crate) const VERSION: u16 = 1;
/// Number of bytes before the first frame.
pub(crate) const HEADER: usize = 16;
/// Size in bytes after which a new segment begins.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

pub(crate) fn path(dir: &Path, number: u64) -> PathBuf {
    dir.join(name(number))
}

pub(crate) fn name(number: u64) -> String {
    format!("{number:08}.journal")
}

/// Returns the numbers of the existing segments, in order.
pub(crate) fn list(dir: &Path) -> Result<Vec<u64>, Error> {
    let io = |source| Error::Io { path: dir.to_owned(), source };
    let mut numbers = Vec::new();
    for entry in fs::read_dir(dir).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        if path.extension().is_some_and(|extension| extension == "journal") {
            numbers.extend(stem.and_then(|stem| stem.parse::<u64>().ok()));
        }
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Syncs the folder: without it, the names of new files do not survive a power failure.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), Error> {
    let synced = File::open(dir).and_then(|dir| dir.sync_all());
    synced.map_err(|source| Error::Io { path: dir.to_owned(), source })
}

pub(crate) fn header() -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..10].copy_from_slice(&VERSION.to_le_bytes());
    header
}

/// Reads a whole segment. An unknown format is rejected. A damaged header is not, because the
/// frames after it have their own checksums.
pub(crate) fn read(dir: &Path, number: u64) -> Result<Vec<u8>, Error> {
    let path = path(dir, number);
    let io = |source| Error::Io { path: path.clone(), source };
    let mut bytes = Vec::new();
    File::open(&path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(io)?;
    match format(&bytes) {
        Some(found) if found != VERSION && crate::frame::find(&bytes, HEADER) != Some(HEADER) => {
            Err(Error::Version { path, found, supported: VERSION })
        }
        _ => Ok(bytes),
    }
}

/// Rejects an unknown format, like [`read`].
pub(crate) fn check(dir: &Path, number: u64) -> Result<(), Error> {
    let path = path(dir, number);
    let mut header = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(HEADER as u64).read_to_end(&mut header));
    read.map_err(|source| Error::Io { path, source })?;
    if format(&header).is_some_and(|found| found != VERSION) {
        self::read(dir, number)?;
    }
    Ok(())
}

fn format(bytes: &[u8]) -> Option<u16> {
    let is_ours = bytes.len() >= HEADER && &bytes[..8] == MAGIC;
    is_ours.then(|| u16::from_le_bytes([bytes[8], bytes[9]]))
}
