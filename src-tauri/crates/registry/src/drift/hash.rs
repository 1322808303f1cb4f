//! A small hash that is the same everywhere and for ever, since it is written into states.

use std::hash::{BuildHasher, Hasher};

/// Bytes of a text that are hashed where the whole text is not worth reading.
const BEGINNING: usize = 24;

/// FNV-1a, 64 bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Fnv {
    pub(super) fn text(self, text: &str) -> Self {
        let hash =
            text.bytes().fold(self.0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
        Self(hash)
    }

    pub(super) fn number(self, number: u64) -> Self {
        Self((self.0 ^ number).wrapping_mul(0x0100_0000_01B3).rotate_left(29))
    }

    /// The beginning of a text, eight bytes at a time: for values, of which there are many.
    pub(super) fn beginning(self, text: &str) -> Self {
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        let bytes = &text.as_bytes()[..text.len().min(BEGINNING)];
        let (words, rest) = bytes.as_chunks::<8>();
        let hash = words
            .iter()
            .fold(self.number(bytes.len() as u64), |hash, eight| hash.number(u64::from_le_bytes(*eight)));
        hash.number(word(rest))
    }

    /// The hash, mixed so that all bits depend on all (the finaliser of MurmurHash3).
    pub(super) fn get(self) -> u64 {
        let hash = (self.0 ^ self.0 >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        hash ^ hash >> 33
    }
}

/// For maps whose keys are hashes already.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hashed;

/// Passes a number on.
#[derive(Debug, Default)]
pub(super) struct Passing(u64);

impl BuildHasher for Hashed {
    type Hasher = Passing;

    fn build_hasher(&self) -> Passing {
        Passing::default()
    }
}

impl Hasher for Passing {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}
