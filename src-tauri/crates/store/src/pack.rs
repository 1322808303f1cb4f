//! Entries as the journal will hold them, made ready elsewhere than where they are written.
//!
//! Owns: that step, which takes longer than writing. Refuses to know: files, groups.

use schemascope_journal::Compressor;

use crate::Entry;

/// Packs one entry after the other.
#[derive(Debug)]
pub struct Packer(Compressor);

/// An entry, and its bytes in the journal.
#[derive(Debug)]
pub struct Packed {
    pub(crate) entry: Entry,
    /// None where it is packed when it is written.
    pub(crate) bytes: Option<Vec<u8>>,
}

impl Packer {
    /// A fresh one.
    pub fn new() -> std::io::Result<Self> {
        Compressor::new().map(Self)
    }

    /// Packs an entry. One that cannot be is packed when it is written, which tells why not.
    pub fn pack(&mut self, entry: Entry) -> Packed {
        Packed { bytes: self.0.compress(&entry.encode()).ok(), entry }
    }
}

impl Packed {
    /// The entry.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }
}

impl From<Entry> for Packed {
    fn from(entry: Entry) -> Self {
        Self { entry, bytes: None }
    }
}
