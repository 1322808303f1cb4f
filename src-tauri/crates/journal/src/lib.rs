//! The write-ahead journal. It is the source of truth: its entries have happened, whatever the
//! index contains.
//!
//! Append-only segments hold framed, checksummed, compressed records, written in groups: the frames
//! of a group, one commit frame, then `fdatasync`. Once [`Journal::append`] has returned, the group
//! survives a kill and a power failure.
//!
//! Failures it handles: an unfinished group at the end is removed on opening and reported; a
//! damaged frame loses only its record and is reported by segment and offset; after a failed write
//! the file is truncated to its last commit.

mod compress;
mod frame;
mod read;
mod recover;
mod rewrite;
mod segment;
mod segments;
mod space;
mod window;
mod write;

use std::path::PathBuf;

pub use compress::{Compressor, Decompressor};
pub use read::{Entry, Found, Reader, read_at};
pub use recover::{Recovery, Torn, tail};
pub use rewrite::{Change, Rewritten, rehearse, rewrite};
pub use segments::{Head, Segment, heads, segment_name, segments};
pub use space::free_space;
pub use write::{Appended, Journal, Record};

/// Position of a frame: number of its segment, and offset in the segment's file. Positions sort in
/// the order of writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// Number of the segment, from 1.
    pub segment: u64,
    /// Number of bytes from the start of the segment's file.
    pub offset: u64,
}

impl Position {
    /// Position before everything that was ever written.
    pub const START: Self = Self { segment: 0, offset: 0 };

    /// Returns 16 bytes, big-endian, so that bytes sort like positions.
    pub fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.segment) << 64 | u128::from(self.offset)).to_be_bytes()
    }

    /// Reads the bytes written by [`Position::to_bytes`].
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        let value = u128::from_be_bytes(bytes);
        Self { segment: (value >> 64) as u64, offset: value as u64 }
    }
}

/// A part of a segment that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Position of the first unreadable byte.
    pub at: Position,
    /// Number of unreadable bytes.
    pub bytes: u64,
    /// Reason, for the user.
    pub reason: &'static str,
}

/// Failure of the journal.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file operation failed.
    #[error("{path}: {source}")]
    Io {
        /// File or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The segment was written by a newer Schemascope.
    #[error(
        "{path} has journal format {found}, but this version of Schemascope supports only up to format {supported}; use the newer version that wrote it"
    )]
    Version {
        /// Path of the segment.
        path: PathBuf,
        /// Format of the segment.
        found: u16,
        /// Newest supported format.
        supported: u16,
    },
    /// No readable frame starts at a position named by the index.
    #[error("no readable journal frame in segment {} at offset {}", .0.segment, .0.offset)]
    NoFrame(Position),
    /// The disk has less free space than the journal must leave.
    #[error("{path}: only {} MB are free on this disk; recording resumes when {} MB are free", .free >> 20, .reserve >> 20)]
    NoSpace {
        /// Folder of the journal.
        path: PathBuf,
        /// Number of free bytes.
        free: u64,
        /// Number of bytes that must stay free.
        reserve: u64,
    },
    /// The record is larger than a frame can hold.
    #[error("a record of {0} bytes is larger than a journal frame can hold")]
    TooLarge(usize),
}
