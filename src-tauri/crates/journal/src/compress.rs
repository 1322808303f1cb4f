//! Compression of payloads with zstd. Contexts are reused, because creating one costs more than
//! compressing a typical record.

use std::fmt;
use std::io;

use zstd::zstd_safe;

/// Fastest level: higher ones cost more time than the disk space they save is worth.
const COMPRESSION_LEVEL: i32 = 1;
/// Largest payload ever compressed. A larger size in a frame means damage.
const MAX_DECOMPRESSED_BYTES: u64 = 1 << 31;

/// Compressor that is reused for many payloads.
pub struct Compressor(zstd::bulk::Compressor<'static>);

impl Compressor {
    /// Creates a compressor.
    pub fn new() -> io::Result<Self> {
        zstd::bulk::Compressor::new(COMPRESSION_LEVEL).map(Self)
    }

    /// Compresses a payload into a zstd frame that contains its size.
    pub fn compress(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        self.0.compress(bytes)
    }
}

/// Decompressor that is reused for many payloads. Its context is created on first use.
#[derive(Default)]
pub struct Decompressor(Option<zstd::bulk::Decompressor<'static>>);

impl Decompressor {
    /// Returns the bytes that were compressed.
    pub fn decompress(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let size = zstd_safe::get_frame_content_size(bytes).ok().flatten();
        let size =
            size.filter(|size| *size <= MAX_DECOMPRESSED_BYTES).and_then(|size| usize::try_from(size).ok());
        // A frame written as a stream does not contain its size.
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
