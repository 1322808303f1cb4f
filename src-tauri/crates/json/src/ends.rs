//! Ends of strings, objects and arrays in text that is known to be JSON. For malformed input the result is unspecified.

use wide::u8x16;

use crate::runs::{Class, run};

/// Bytes examined together.
const BLOCK: usize = 64;

/// Class of bytes that ends a run at a quote or backslash; no byte is notable.
struct InString;

impl Class for InString {
    #[inline(always)]
    fn ends(part: u8x16) -> u8x16 {
        part.simd_eq(u8x16::splat(b'"')) | part.simd_eq(u8x16::splat(b'\\'))
    }

    #[inline(always)]
    fn notable(_: u8x16) -> u8x16 {
        u8x16::ZERO
    }
}

/// End of the string whose opening quote is at `start`: the index after its closing quote.
#[inline]
pub fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        (at, _) = run::<InString>(bytes, at);
        if *bytes.get(at)? == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// End of the container whose opening bracket is at `start`: the index after its closing bracket.
pub fn container_end(bytes: &[u8], start: usize) -> Option<usize> {
    closes_at(bytes, start, 0)
}

/// End of the container that encloses `start`, which must not lie within a string.
pub fn rest_end(bytes: &[u8], start: usize) -> Option<usize> {
    closes_at(bytes, start, 1)
}

/// The index after the bracket that closes the outermost of `depth` containers that are open at `start`, or of the one
/// that opens there.
///
/// Works on blocks of 64 bytes (Langdale and Lemire 2019, "Parsing gigabytes of JSON per second"). Bit masks mark the
/// quotes that are not escaped; the parity of the quotes before a byte says whether it is inside a string. Brackets
/// outside of strings are only counted, until the block in which the last one closes.
fn closes_at(bytes: &[u8], start: usize, mut depth: u32) -> Option<usize> {
    let (mut in_string, mut escaped) = (0, false);
    let mut rest = bytes.get(start..)?;
    while !rest.is_empty() {
        let (block, next) = match rest.split_first_chunk::<BLOCK>() {
            Some((block, next)) => (*block, next),
            None => {
                let mut block = [0; BLOCK];
                block[..rest.len()].copy_from_slice(rest);
                (block, &[][..])
            }
        };
        let quotes = places(&block, 0, b'"');
        let quotes = quotes & !behind_backslashes(places(&block, 0, b'\\'), &mut escaped);
        let inside = parity(quotes) ^ in_string;
        in_string = 0_u64.wrapping_sub(inside >> (BLOCK - 1));
        // A bracket is a brace but for one bit.
        let opens = places(&block, 0x20, b'{') & !inside;
        let closes = places(&block, 0x20, b'}') & !inside;
        if closes.count_ones() >= depth
            && let Some(close) = last_close(depth, opens, closes)
        {
            return Some(bytes.len() - rest.len() + close as usize + 1);
        }
        depth = (depth + opens.count_ones()).saturating_sub(closes.count_ones());
        rest = next;
    }
    None
}

/// Position in a block at which the outermost bracket closes.
fn last_close(mut depth: u32, opens: u64, mut closes: u64) -> Option<u32> {
    let mut opens_left = opens;
    while closes != 0 {
        let close = closes.trailing_zeros();
        let before = opens_left & ((1 << close) - 1);
        opens_left ^= before;
        depth = (depth + before.count_ones()).saturating_sub(1);
        if depth == 0 {
            return Some(close);
        }
        closes &= closes - 1;
    }
    None
}

/// A bit for each byte that equals `byte` once the bits of `set` are set in it; the first byte is the lowest bit.
#[inline(always)]
fn places(block: &[u8; BLOCK], set: u8, byte: u8) -> u64 {
    let (set, byte) = (u8x16::splat(set), u8x16::splat(byte));
    let (parts, _) = block.as_chunks::<16>();
    let bits = |part: &[u8; 16]| u64::from((u8x16::new(*part) | set).simd_eq(byte).to_bitmask());
    parts.iter().enumerate().fold(0, |all, (at, part)| all | bits(part) << (16 * at))
}

/// Bytes that follow an odd number of backslashes. `escaped` says whether the first byte of this block does, and is set
/// for the next block. The carry of an addition separates runs of backslashes (as in simdjson).
#[inline(always)]
fn behind_backslashes(backslashes: u64, escaped: &mut bool) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let first = u64::from(*escaped);
    let backslashes = backslashes & !first;
    let follows = backslashes << 1 | first;
    let odd_starts = backslashes & !EVEN & !follows;
    let (on_even, over) = odd_starts.overflowing_add(backslashes);
    *escaped = over;
    (EVEN ^ on_even << 1) & follows
}

/// Each bit becomes the parity of itself and the bits before it.
#[inline(always)]
fn parity(mut bits: u64) -> u64 {
    for by in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << by;
    }
    bits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Searches byte by byte.
    fn plainly(bytes: &[u8], start: usize) -> Option<usize> {
        let (mut depth, mut at) = (0, start);
        loop {
            match bytes.get(at)? {
                b'"' => {
                    at += 1;
                    while *bytes.get(at)? != b'"' {
                        at += if bytes[at] == b'\\' { 2 } else { 1 };
                    }
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn container_end_equals_a_byte_by_byte_search(
            before in 0..70_usize,
            parts in prop::collection::vec(
                r#"[\[{]{1,3}|[\]}]|[ ,:0-9a-zé]{0,9}|"([a-z{}\[\] é]|\\["\\n]){0,40}"|"(\\\\){0,70}(\\")?""#, 0..40),
        ) {
            let text = format!("{}[{}]]]]]]", "x".repeat(before), parts.concat());
            let bytes = text.as_bytes();
            prop_assert_eq!(container_end(bytes, before), plainly(bytes, before));
            prop_assert_eq!(rest_end(bytes, before + 1), plainly(bytes, before));
        }
    }
}
