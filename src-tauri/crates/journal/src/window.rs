//! A window of a segment in memory that moves from its beginning to its end, frame by frame, and
//! skips damage.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::{Error, Position, frame, segment};

/// Bytes read at once; more if a frame is larger.
const WINDOW_BYTES: usize = 4 << 20;

/// Next part of a segment.
pub(crate) enum Step<'a> {
    Frame { at: Position, next: Position, kind: u8, id: [u8; 16], payload: &'a [u8] },
    Damage { at: Position, bytes: u64, reason: &'static str },
}

#[derive(Debug)]
pub(crate) struct Window {
    path: PathBuf,
    file: File,
    number: u64,
    /// Offset of the first byte in memory.
    base: u64,
    bytes: Vec<u8>,
    /// Offset of the next step within `bytes`.
    at: usize,
    /// Whether the file ends with `bytes`.
    at_end: bool,
}

impl Window {
    /// Starts at the first frame at or after an offset.
    pub(crate) fn open(dir: &Path, number: u64, from: u64) -> Result<Self, Error> {
        let path = segment::path(dir, number);
        let io = |source| Error::Io { path: path.clone(), source };
        segment::check(dir, number)?;
        let mut file = File::open(&path).map_err(io)?;
        let base = from.max(segment::HEADER as u64);
        file.seek(SeekFrom::Start(base)).map_err(io)?;
        Ok(Self { path, file, number, base, bytes: Vec::new(), at: 0, at_end: false })
    }

    /// Returns the offset of the next step.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    pub(crate) fn next(&mut self) -> Result<Option<Step<'_>>, Error> {
        loop {
            let rest = &self.bytes[self.at..];
            if rest.is_empty() {
                if self.at_end {
                    return Ok(None);
                }
                self.fill()?;
                continue;
            }
            let begins = self.at;
            let at = Position { segment: self.number, offset: self.offset() };
            // A frame that cannot be parsed may only be truncated by the window.
            match frame::parse(rest).map(|frame| (frame.kind, frame.id, frame.len())) {
                Err(_) if !self.at_end => self.fill()?,
                Ok((kind, id, length)) => {
                    self.at += length;
                    let next = Position { segment: self.number, offset: self.offset() };
                    let payload = &self.bytes[begins + frame::HEADER..self.at];
                    return Ok(Some(Step::Frame { at, next, kind, id, payload }));
                }
                Err(reason) => {
                    self.at = frame::find(&self.bytes, begins + 1).unwrap_or(self.bytes.len());
                    return Ok(Some(Step::Damage { at, bytes: (self.at - begins) as u64, reason }));
                }
            }
        }
    }

    /// Drops the bytes already read and reads more: at least as many as remain.
    fn fill(&mut self) -> Result<(), Error> {
        self.bytes.drain(..self.at);
        (self.base, self.at) = (self.offset(), 0);
        let wanted = self.bytes.len().max(WINDOW_BYTES);
        let read = (&mut self.file).take(wanted as u64).read_to_end(&mut self.bytes);
        let read = read.map_err(|source| Error::Io { path: self.path.clone(), source })?;
        self.at_end = read < wanted;
        Ok(())
    }
}
