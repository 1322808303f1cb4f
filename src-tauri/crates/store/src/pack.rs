//! Encoding and compression of entries ahead of writing. This takes longer than the write itself,
//! so another thread can do it.

use schemascope_journal::Compressor;

use crate::Entry;

/// Encoder and compressor of entries.
#[derive(Debug)]
pub struct Packer(Compressor);

/// An entry and its bytes in the journal.
#[derive(Debug)]
pub struct Packed {
    pub(crate) entry: Entry,
    /// `None` if the entry is packed when it is written.
    pub(crate) bytes: Option<Vec<u8>>,
}

impl Packer {
    /// Creates a packer.
    pub fn new() -> std::io::Result<Self> {
        Compressor::new().map(Self)
    }

    /// Packs an entry. If that fails, the entry is packed again when it is written, and the error
    /// is reported there.
    pub fn pack(&mut self, entry: Entry) -> Packed {
        Packed { bytes: self.0.compress(&entry.encode()).ok(), entry }
    }
}

impl Packed {
    /// Returns the entry.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }
}

impl From<Entry> for Packed {
    fn from(entry: Entry) -> Self {
        Self { entry, bytes: None }
    }
}
