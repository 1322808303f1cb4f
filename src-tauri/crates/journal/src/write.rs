//! Appending of groups to the newest segment.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::compress::Compressor;
use crate::recover::{self, Recovery};
use crate::{Error, Position, frame, rewrite, segment, space};

/// A record to append. Kind 0 is reserved for the journal.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    /// Kind of the record, for the reader.
    pub kind: u8,
    /// Id of the record, for the reader.
    pub id: [u8; 16],
    /// Bytes to store.
    pub payload: &'a [u8],
}

/// Result of appending one record of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// Position of its frame.
    pub at: Position,
    /// Payload as it is on disk, compressed with zstd, so that an index can store the same bytes.
    pub compressed: Vec<u8>,
}

/// Writer of the journal. The caller ensures that there is only one per folder.
#[derive(Debug)]
pub struct Journal {
    dir: PathBuf,
    file: File,
    end: Position,
    compressor: Compressor,
    reserve: u64,
}

impl Journal {
    /// Opens the journal in `dir`, creating it if necessary, and repairs its end.
    pub fn open(dir: &Path) -> Result<(Self, Recovery), Error> {
        fs::create_dir_all(dir).map_err(|source| Error::Io { path: dir.to_owned(), source })?;
        rewrite::remove_unfinished_rewrites(dir);
        let compressor = Compressor::new().map_err(|source| Error::Io { path: dir.to_owned(), source })?;
        let Some(number) = segment::list(dir)?.last().copied() else {
            let (file, end) = create(dir, 1)?;
            return Ok((
                Self { dir: dir.to_owned(), file, end, compressor, reserve: 0 },
                Recovery::default(),
            ));
        };
        let tail = recover::inspect(dir, number)?;
        if tail.keep == 0 {
            let (file, end) = create(dir, number)?;
            return Ok((Self { dir: dir.to_owned(), file, end, compressor, reserve: 0 }, tail.recovery));
        }
        let path = segment::path(dir, number);
        let io = |source| Error::Io { path: path.clone(), source };
        let file = OpenOptions::new().read(true).write(true).open(&path).map_err(io)?;
        file.set_len(tail.keep).map_err(io)?;
        let end = Position { segment: number, offset: tail.keep };
        let mut journal = Self { dir: dir.to_owned(), file, end, compressor, reserve: 0 };
        if tail.commit {
            let mut commit = Vec::new();
            frame::write_commit(&mut commit, 0);
            journal.write(&commit)?;
        } else {
            journal.file.sync_data().map_err(io)?;
        }
        Ok((journal, tail.recovery))
    }

    /// Returns the folder, for [`crate::Reader`] and [`crate::read_at`].
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the position of the next frame. Everything before it is on disk.
    pub fn end(&self) -> Position {
        self.end
    }

    /// Returns whether the segment is full, so that the next group should begin a new one.
    pub fn is_segment_full(&self) -> bool {
        self.end.offset >= segment::MAX_BYTES
    }

    /// Begins a new segment.
    pub fn begin_segment(&mut self) -> Result<(), Error> {
        self.check_space()?;
        (self.file, self.end) = create(&self.dir, self.end.segment + 1)?;
        Ok(())
    }

    /// Makes appending fail while fewer bytes than this are free on the disk, so that other
    /// programs, and closing the store, still have room. Returns the reserve before.
    pub fn set_reserve(&mut self, bytes: u64) -> u64 {
        std::mem::replace(&mut self.reserve, bytes)
    }

    /// Appends a group although fewer bytes than the reserve may be free: for the few bytes without which no space can
    /// be freed.
    pub fn append_within_reserve(&mut self, records: &[Record<'_>]) -> Result<Vec<Appended>, Error> {
        let reserve = std::mem::take(&mut self.reserve);
        let appended = self.append(records);
        self.reserve = reserve;
        appended
    }

    /// Returns whether fewer bytes than the reserve are free.
    pub fn lacks_space(&self) -> bool {
        self.check_space().is_err()
    }

    fn check_space(&self) -> Result<(), Error> {
        match space::free_space(&self.dir) {
            Some(free) if free < self.reserve => {
                Err(Error::NoSpace { path: self.dir.clone(), free, reserve: self.reserve })
            }
            _ => Ok(()),
        }
    }

    /// Appends a group and syncs it. After an error, nothing of the group remains.
    pub fn append(&mut self, records: &[Record<'_>]) -> Result<Vec<Appended>, Error> {
        let compress = |record: &Record<'_>| self.compressor.compress(record.payload);
        let compressed = records.iter().map(compress).collect::<Result<Vec<_>, _>>();
        let compressed = compressed.map_err(|source| Error::Io { path: self.dir.clone(), source })?;
        let records = records.iter().zip(&compressed).map(|(record, payload)| Record { payload, ..*record });
        let places = self.append_compressed(&records.collect::<Vec<_>>())?;
        Ok(places.into_iter().zip(compressed).map(|(at, compressed)| Appended { at, compressed }).collect())
    }

    /// Appends payloads compressed by [`Compressor::compress`] in the same way. Returns the
    /// positions of their frames.
    pub fn append_compressed(&mut self, records: &[Record<'_>]) -> Result<Vec<Position>, Error> {
        self.check_space()?;
        let size = |record: &Record<'_>| frame::HEADER + record.payload.len();
        let mut bytes = Vec::with_capacity(records.iter().map(size).sum::<usize>() + frame::COMMIT_BYTES);
        let mut places = Vec::with_capacity(records.len());
        for Record { kind, id, payload } in records {
            if payload.len() > frame::MAX_PAYLOAD {
                return Err(Error::TooLarge(payload.len()));
            }
            let offset = self.end.offset + bytes.len() as u64;
            places.push(Position { segment: self.end.segment, offset });
            frame::write(&mut bytes, *kind, id, payload);
        }
        frame::write_commit(&mut bytes, records.len());
        self.write(&bytes)?;
        Ok(places)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let end = self.end.offset;
        let written = self
            .file
            .seek(SeekFrom::Start(end))
            .and_then(|_| self.file.write_all(bytes))
            .and_then(|()| self.file.sync_data());
        if let Err(source) = written {
            // Best effort: the next open removes everything after the last commit anyway, and the
            // next append overwrites it.
            let _ = self.file.set_len(end);
            return Err(Error::Io { path: segment::path(&self.dir, self.end.segment), source });
        }
        self.end.offset = end + bytes.len() as u64;
        Ok(())
    }
}

fn create(dir: &Path, number: u64) -> Result<(File, Position), Error> {
    let path = segment::path(dir, number);
    let io = |source| Error::Io { path: path.clone(), source };
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&path).map_err(io)?;
    let written = file.write_all(&segment::header()).and_then(|()| file.sync_all()).map_err(io);
    if let Err(error) = written.and_then(|()| segment::sync_dir(dir)) {
        // What is appended next goes to the segment before, which must be the last one then.
        let _ = fs::remove_file(&path);
        return Err(error);
    }
    Ok((file, Position { segment: number, offset: segment::HEADER as u64 }))
}
