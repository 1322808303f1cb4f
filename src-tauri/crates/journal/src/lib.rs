//! The write-ahead journal: what is in it has happened, whatever the index says.
//!
//! Append-only segments of framed, checksummed, compressed records, written in groups: a group's
//! frames, one commit frame, `fdatasync`. When [`Journal::append`] has returned, the group survives
//! a kill and a power cut. Owns: the files and their form. Refuses to know: what records mean, and
//! sled.
//!
//! Failures it answers for: a torn tail (cut at open, and said), a damaged frame (costs that record
//! only, reported by segment and offset), a failed write (the file goes back to its last commit).

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
pub use segments::{Head, Segment, heads, segments};
pub use space::free_space;
pub use write::{Appended, Journal, Record};

/// Where a frame begins: a segment's number and the offset in its file. Orders as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// Number of the segment, from 1.
    pub segment: u64,
    /// Bytes from the start of the segment's file.
    pub offset: u64,
}

impl Position {
    /// Before everything that was ever written.
    pub const START: Self = Self { segment: 0, offset: 0 };

    /// 16 bytes, big-endian, so that bytes sort as positions do.
    pub fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.segment) << 64 | u128::from(self.offset)).to_be_bytes()
    }

    /// Reads what [`Position::to_bytes`] wrote.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        let value = u128::from_be_bytes(bytes);
        Self { segment: (value >> 64) as u64, offset: value as u64 }
    }
}

/// A part of a segment that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Where it begins.
    pub at: Position,
    /// How many bytes it covers.
    pub bytes: u64,
    /// What is wrong, in plain words.
    pub reason: &'static str,
}

/// Why the journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// Written by a newer Schemascope.
    #[error("{path} has journal format {found}; this program reads format {supported}")]
    Version {
        /// The segment.
        path: PathBuf,
        /// Its format.
        found: u16,
        /// Ours.
        supported: u16,
    },
    /// Nothing readable begins at a position the index names.
    #[error("no readable journal frame in segment {} at offset {}", .0.segment, .0.offset)]
    NoFrame(Position),
    /// The disk has less room than is to be left free.
    #[error("{path}: only {} MB are free on its disk; recording goes on when there are {} MB again", .free >> 20, .reserve >> 20)]
    NoSpace {
        /// The folder.
        path: PathBuf,
        /// Bytes that are free.
        free: u64,
        /// Bytes that stay free.
        reserve: u64,
    },
    /// A record beyond what a frame can hold.
    #[error("a record of {0} bytes is larger than a journal frame can hold")]
    TooLarge(usize),
}
