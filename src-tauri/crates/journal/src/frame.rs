//! One frame: `magic · length · CRC32C · kind · id · payload`.
//!
//! All numbers are little-endian. The checksum covers the length and everything after the checksum.
//! The magic lets a reader find the next frame after a damaged length.

use std::ops::Range;

const MAGIC: [u8; 4] = [0xF5, b'S', b'J', 0x0A];
const LENGTH: Range<usize> = 4..8;
const CHECKSUM: Range<usize> = 8..12;
const KIND: usize = 12;
const ID: Range<usize> = 13..29;

/// Number of bytes before the payload.
pub(crate) const HEADER: usize = 29;
/// Size of the frame that ends a group.
pub(crate) const COMMIT_BYTES: usize = HEADER + size_of::<u32>();
/// Largest payload, compressed.
pub(crate) const MAX_PAYLOAD: usize = 256 << 20;
/// Kind of the frame that ends a group; never the kind of a record.
pub(crate) const COMMIT: u8 = 0;

pub(crate) struct Frame<'a> {
    pub(crate) kind: u8,
    pub(crate) id: [u8; 16],
    pub(crate) payload: &'a [u8],
}

impl Frame<'_> {
    pub(crate) fn len(&self) -> usize {
        HEADER + self.payload.len()
    }
}

pub(crate) fn write(into: &mut Vec<u8>, kind: u8, id: &[u8; 16], payload: &[u8]) {
    let length = (payload.len() as u32).to_le_bytes();
    into.extend_from_slice(&MAGIC);
    into.extend_from_slice(&length);
    into.extend_from_slice(&checksum(length, kind, id, payload).to_le_bytes());
    into.push(kind);
    into.extend_from_slice(id);
    into.extend_from_slice(payload);
}

pub(crate) fn write_commit(into: &mut Vec<u8>, records: usize) {
    write(into, COMMIT, &[0; 16], &(records as u32).to_le_bytes());
}

fn checksum(length: [u8; 4], kind: u8, id: &[u8; 16], payload: &[u8]) -> u32 {
    let sum = crc32c::crc32c(&length);
    let sum = crc32c::crc32c_append(sum, &[kind]);
    let sum = crc32c::crc32c_append(sum, id);
    crc32c::crc32c_append(sum, payload)
}

/// Returns the frame at the start of `bytes`, or the reason why there is none.
pub(crate) fn parse(bytes: &[u8]) -> Result<Frame<'_>, &'static str> {
    let Some((header, rest)) = bytes.split_at_checked(HEADER) else {
        return Err("the file ends inside a frame's header");
    };
    if header[..4] != MAGIC {
        return Err("no frame starts here");
    }
    let word = |range: Range<usize>| header[range].try_into().unwrap_or([0; 4]);
    let length = u32::from_le_bytes(word(LENGTH)) as usize;
    let payload = rest.get(..length).ok_or("the file ends inside a frame's payload")?;
    let id = header[ID].try_into().unwrap_or([0; 16]);
    let kind = header[KIND];
    if checksum(word(LENGTH), kind, &id, payload) != u32::from_le_bytes(word(CHECKSUM)) {
        return Err("the checksum does not match");
    }
    Ok(Frame { kind, id, payload })
}

/// Returns the offset of the next complete frame at or after `from`.
pub(crate) fn find(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    memchr::memmem::find_iter(rest, &MAGIC).map(|at| from + at).find(|at| parse(&bytes[*at..]).is_ok())
}
