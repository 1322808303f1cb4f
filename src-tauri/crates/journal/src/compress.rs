//! zstd with contexts that are kept: making one costs more than compressing a typical record.
//!
//! Owns: the compressed form of payloads. Refuses to know: frames.

use std::fmt;
use std::io;

use zstd::zstd_safe;

/// Fast, and smaller than nothing: higher levels cost more than the disk they save.
const LEVEL: i32 = 1;
/// Nothing larger was ever compressed; a larger size is damage.
const MAX_SIZE: u64 = 1 << 31;

/// Compresses one payload after the other.
pub struct Compressor(zstd::bulk::Compressor<'static>);

impl Compressor {
    /// A fresh one.
    pub fn new() -> io::Result<Self> {
        zstd::bulk::Compressor::new(LEVEL).map(Self)
    }

    /// A frame that tells its size.
    pub fn compress(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        self.0.compress(bytes)
    }
}

/// Reads what compressing gave, one after the other; its context is made when first needed.
#[derive(Default)]
pub struct Decompressor(Option<zstd::bulk::Decompressor<'static>>);

impl Decompressor {
    /// The bytes that were compressed.
    pub fn decompress(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let size = zstd_safe::get_frame_content_size(bytes).ok().flatten();
        let size = size.filter(|size| *size <= MAX_SIZE).and_then(|size| usize::try_from(size).ok());
        // A frame written as a stream does not tell its size beforehand.
        let Some(size) = size else { return zstd::decode_all(bytes) };
        let decompressor = match &mut self.0 {
            Some(decompressor) => decompressor,
            none => none.insert(zstd::bulk::Decompressor::new()?),
        };
        decompressor.decompress(bytes, size)
    }
}

impl fmt::Debug for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Compressor")
    }
}

impl fmt::Debug for Decompressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Decompressor")
    }
}
