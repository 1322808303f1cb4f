//! Reading the journal, in order or at a position.
//!
//! Owns: stepping over damage. Refuses to know: what is a torn tail (see `recover`, which has cut it
//! before anybody reads).

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::compress::Decompressor;
use crate::frame::{self, COMMIT};
use crate::window::{Step, Window};
use crate::{Damage, Error, Position, segment};

/// A record as it was appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where its frame begins.
    pub at: Position,
    /// Where the next frame begins.
    pub next: Position,
    /// What the writer said it is.
    pub kind: u8,
    /// The writer's id.
    pub id: [u8; 16],
    /// The bytes appended.
    pub payload: Vec<u8>,
    /// The same as they are on disk.
    pub compressed: Vec<u8>,
}

/// What comes next in a segment.
#[derive(Debug)]
pub enum Found {
    /// A record.
    Entry(Entry),
    /// Something unreadable that was stepped over.
    Damage(Damage),
}

/// Reads records from a position to the end as it is now. Little more than a record is in memory at a time.
#[derive(Debug)]
pub struct Reader {
    dir: PathBuf,
    segments: VecDeque<u64>,
    from: Position,
    current: Option<(Window, u64)>,
    decompressor: Decompressor,
}

impl Reader {
    /// Starts at the first frame at or behind `from`.
    pub fn new(dir: &Path, from: Position) -> Result<Self, Error> {
        let segments = segment::list(dir)?.into_iter().filter(|number| *number >= from.segment).collect();
        Ok(Self { dir: dir.to_owned(), segments, from, current: None, decompressor: Decompressor::default() })
    }

    /// Bytes there are to read from here, for progress.
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
                            Found::Damage(Damage { at, bytes, reason: "payload does not decompress" })
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

/// Reads the one record whose frame begins at `at`.
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
