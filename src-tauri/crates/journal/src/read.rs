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

/// Reads records from a position to the end as it is now. One segment is in memory at a time.
#[derive(Debug)]
pub struct Reader {
    dir: PathBuf,
    segments: VecDeque<u64>,
    from: Position,
    current: Option<(u64, Vec<u8>, usize)>,
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
        let size = |number: &u64| segment::path(&self.dir, *number).metadata().map_or(0, |meta| meta.len());
        let current = self.current.as_ref().map_or(0, |(_, bytes, at)| (bytes.len() - at) as u64);
        current + self.segments.iter().map(size).sum::<u64>()
    }

    fn step(&mut self) -> Result<Option<Found>, Error> {
        loop {
            let Some((number, bytes, offset)) = &mut self.current else {
                let Some(number) = self.segments.pop_front() else { return Ok(None) };
                let start = if number == self.from.segment { self.from.offset as usize } else { 0 };
                let bytes = segment::read(&self.dir, number)?;
                let start = start.max(segment::HEADER).min(bytes.len());
                self.current = Some((number, bytes, start));
                continue;
            };
            if *offset >= bytes.len() {
                self.current = None;
                continue;
            }
            let at = Position { segment: *number, offset: *offset as u64 };
            match frame::parse(&bytes[*offset..]) {
                Ok(frame) => {
                    *offset += frame.len();
                    if frame.kind == COMMIT {
                        continue;
                    }
                    let next = Position { segment: *number, offset: *offset as u64 };
                    return Ok(Some(match self.decompressor.decompress(frame.payload) {
                        Ok(payload) => {
                            let compressed = frame.payload.to_vec();
                            Found::Entry(Entry {
                                at,
                                next,
                                kind: frame.kind,
                                id: frame.id,
                                payload,
                                compressed,
                            })
                        }
                        Err(_) => Found::Damage(Damage {
                            at,
                            bytes: frame.len() as u64,
                            reason: "payload does not decompress",
                        }),
                    }));
                }
                Err(reason) => {
                    let next = frame::find(bytes, *offset + 1).unwrap_or(bytes.len());
                    let damage = Damage { at, bytes: (next - *offset) as u64, reason };
                    *offset = next;
                    return Ok(Some(Found::Damage(damage)));
                }
            }
        }
    }
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
