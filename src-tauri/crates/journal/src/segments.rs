//! Segments as a whole: listing them, reading the heads of their frames without decompression, and
//! removing them. The caller decides when a segment is no longer needed.

use std::fs;
use std::path::Path;

use crate::frame::COMMIT;
use crate::window::{Step, Window};
use crate::{Error, Journal, Position, segment};

/// File of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Number of the segment.
    pub number: u64,
    /// Size of its file, in bytes.
    pub bytes: u64,
}

/// Data of a record's frame without the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Position of the frame.
    pub at: Position,
    /// Kind given by the writer.
    pub kind: u8,
    /// Id given by the writer.
    pub id: [u8; 16],
}

/// Returns the file name of a segment.
pub fn segment_name(number: u64) -> String {
    segment::name(number)
}

/// Returns the segments in a folder, oldest first.
pub fn segments(dir: &Path) -> Result<Vec<Segment>, Error> {
    let size = |number| {
        let path = segment::path(dir, number);
        let meta = path.metadata().map_err(|source| Error::Io { path, source })?;
        Ok(Segment { number, bytes: meta.len() })
    };
    segment::list(dir)?.into_iter().map(size).collect()
}

/// Calls `each` with the heads of a segment's records in order, and with `None` for each damaged
/// part.
pub fn heads(dir: &Path, number: u64, mut each: impl FnMut(Option<Head>)) -> Result<(), Error> {
    let mut window = Window::open(dir, number, 0)?;
    while let Some(step) = window.next()? {
        match step {
            Step::Frame { kind: COMMIT, .. } => {}
            Step::Frame { at, kind, id, .. } => each(Some(Head { at, kind, id })),
            Step::Damage { .. } => each(None),
        }
    }
    Ok(())
}

impl Journal {
    /// Removes a segment, except the one being written. Returns whether it was removed.
    pub fn remove_segment(&mut self, number: u64) -> Result<bool, Error> {
        if number >= self.end().segment {
            return Ok(false);
        }
        let path = segment::path(self.dir(), number);
        fs::remove_file(&path).map_err(|source| Error::Io { path, source })?;
        segment::sync_dir(self.dir())?;
        Ok(true)
    }
}
