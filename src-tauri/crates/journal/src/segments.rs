//! Segments as wholes: which there are, what their frames' headers say, and removing them.
//!
//! Owns: looking at a segment without decompressing anything. Refuses to know: when a segment is no
//! longer needed; the caller decides that.

use std::fs;
use std::path::Path;

use crate::frame::COMMIT;
use crate::window::{Step, Window};
use crate::{Error, Journal, Position, segment};

/// A segment's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Its number.
    pub number: u64,
    /// Size of its file.
    pub bytes: u64,
}

/// What a record's frame says without its payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Where the frame begins.
    pub at: Position,
    /// What the writer said it is.
    pub kind: u8,
    /// The writer's id.
    pub id: [u8; 16],
}

/// The segments in a folder, oldest first.
pub fn segments(dir: &Path) -> Result<Vec<Segment>, Error> {
    let size = |number| {
        let path = segment::path(dir, number);
        let meta = path.metadata().map_err(|source| Error::Io { path, source })?;
        Ok(Segment { number, bytes: meta.len() })
    };
    segment::list(dir)?.into_iter().map(size).collect()
}

/// Shows the heads of a segment's records in order; none stands for something damaged between them.
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
    /// Removes a segment that is not the one written to; that one stays. Whether it is gone.
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
