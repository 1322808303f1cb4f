//! Reading of the journal, in order or at a position. Damage is skipped and returned as such;
//! opening the journal has already removed an unfinished group at its end.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::compress::Decompressor;
use crate::frame::{self, COMMIT};
use crate::window::{Step, Window};
use crate::{Damage, Error, Position, segment};

/// A record that was appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Position of its frame.
    pub at: Position,
    /// Position of the next frame.
    pub next: Position,
    /// Kind given by the writer.
    pub kind: u8,
    /// Id given by the writer.
    pub id: [u8; 16],
    /// Payload that was appended.
    pub payload: Vec<u8>,
    /// Payload as it is on disk, compressed.
    pub compressed: Vec<u8>,
}

/// Next part of a segment.
#[derive(Debug)]
pub enum Found {
    /// A record.
    Entry(Entry),
    /// An unreadable part that was skipped.
    Damage(Damage),
}

/// Iterator over records from a position to the current end. It keeps little more than one record
/// in memory.
#[derive(Debug)]
pub struct Reader {
    dir: PathBuf,
    segments: VecDeque<u64>,
    from: Position,
    current: Option<(Window, u64)>,
    decompressor: Decompressor,
}

impl Reader {
    /// Starts at the first frame at or after `from`.
    pub fn new(dir: &Path, from: Position) -> Result<Self, Error> {
        let segments = segment::list(dir)?.into_iter().filter(|number| *number >= from.segment).collect();
        Ok(Self { dir: dir.to_owned(), segments, from, current: None, decompressor: Decompressor::default() })
    }

    /// Returns the number of bytes left to read, for progress.
    pub fn bytes_left(&self) -> u64 {
        let size = |number: &u64| size(&self.dir, *number);
        let current = self.current.as_ref().map_or(0, |(window, size)| size.saturating_sub(window.offset()));
        current + self.segments.iter().map(size).sum::<u64>()
    }

    fn step(&mut self) -> Result<Option<Found>, Error> {
        loop {
            let Some((window, _)) = &mut self.current else {
                let Some(number) = self.segments.pop_front() else { return Ok(None) };
                let from = if number == self.from.segment { self.from.offset } else { 0 };
                self.current = Some((Window::open(&self.dir, number, from)?, size(&self.dir, number)));
                continue;
            };
            match window.next()? {
                None => self.current = None,
                Some(Step::Frame { kind: COMMIT, .. }) => {}
                Some(Step::Frame { at, next, kind, id, payload: compressed }) => {
                    return Ok(Some(match self.decompressor.decompress(compressed) {
                        Ok(payload) => {
                            let compressed = compressed.to_vec();
                            Found::Entry(Entry { at, next, kind, id, payload, compressed })
                        }
                        Err(_) => {
                            let bytes = next.offset - at.offset;
                            Found::Damage(Damage { at, bytes, reason: "the payload cannot be decompressed" })
                        }
                    }));
                }
                Some(Step::Damage { at, bytes, reason }) => {
                    return Ok(Some(Found::Damage(Damage { at, bytes, reason })));
                }
            }
        }
    }
}

fn size(dir: &Path, number: u64) -> u64 {
    segment::path(dir, number).metadata().map_or(0, |meta| meta.len())
}

impl Iterator for Reader {
    type Item = Result<Found, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

/// Reads the record whose frame starts at `at`.
pub fn read_at(dir: &Path, at: Position) -> Result<Entry, Error> {
    let path = segment::path(dir, at.segment);
    let io = |source| Error::Io { path: path.clone(), source };
    let mut file = File::open(&path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    file.seek(SeekFrom::Start(at.offset)).map_err(io)?;
    let mut bytes = vec![0; frame::HEADER];
    file.read_exact(&mut bytes).map_err(|_| Error::NoFrame(at))?;
    let length = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]) as u64;
    if at.offset + frame::HEADER as u64 + length > size {
        return Err(Error::NoFrame(at));
    }
    file.take(length).read_to_end(&mut bytes).map_err(io)?;
    let frame = frame::parse(&bytes).map_err(|_| Error::NoFrame(at))?;
    let payload = Decompressor::default().decompress(frame.payload).map_err(|_| Error::NoFrame(at))?;
    let next = Position { segment: at.segment, offset: at.offset + frame.len() as u64 };
    let compressed = frame.payload.to_vec();
    Ok(Entry { at, next, kind: frame.kind, id: frame.id, payload, compressed })
}
