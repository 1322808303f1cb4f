//! Where strings, objects and arrays end, in text that is known to be JSON.
//!
//! Owns: looking at many bytes at once. Refuses to know: what is in them; of what is no JSON it says some end or none.

/// Eight bytes of one kind.
const ONES: u64 = 0x0101_0101_0101_0101;
/// Bytes that are looked at together.
const BLOCK: usize = 64;

/// Just behind the quote that closes the string at `start`.
#[inline]
pub(crate) fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at = quote_or_backslash(bytes, at)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// Eight bytes at a time, by the usual trick of finding zero bytes in a word (Mycroft).
#[inline]
fn quote_or_backslash(bytes: &[u8], mut at: usize) -> Option<usize> {
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*word);
        let found = zeros(word ^ (ONES * u64::from(b'"'))) | zeros(word ^ (ONES * u64::from(b'\\')));
        if found != 0 {
            // The lowest mark is right; higher ones may come from a borrow.
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let rest = bytes.get(at..)?;
    rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).map(|length| at + length)
}

/// Just behind the bracket that closes the one at `start`.
///
/// A block at a time: bits tell where quotes are that count, from those which bytes are in strings (the parity of
/// quotes before; Langdale and Lemire 2019), and of the brackets outside only their numbers matter until the block
/// in which the last one closes.
pub(crate) fn container_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0, 0, false);
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
        let quotes = places(&block, |byte| byte == b'"');
        let quotes = quotes & !behind_backslashes(places(&block, |byte| byte == b'\\'), &mut escaped);
        let inside = parity(quotes) ^ in_string;
        in_string = 0_u64.wrapping_sub(inside >> (BLOCK - 1));
        // A bracket is a brace but for one bit.
        let opens = places(&block, |byte| byte | 0x20 == b'{') & !inside;
        let closes = places(&block, |byte| byte | 0x20 == b'}') & !inside;
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

/// Where in a block the outermost bracket closes.
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

/// A bit for each byte of a kind, the first the lowest.
#[inline(always)]
fn places(block: &[u8; BLOCK], is: impl Fn(u8) -> bool) -> u64 {
    // Products of bits a byte apart with bits seven apart: each in its place of the highest byte, none in another's.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let ones = block.map(|byte| u8::from(is(byte)));
    let (eights, _) = ones.as_chunks::<8>();
    let bits = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56;
    eights.iter().enumerate().fold(0, |all, (at, eight)| all | bits(eight) << (8 * at))
}

/// What follows an odd number of backslashes. `escaped`: whether the first byte does; then, the first of the next
/// block. Runs are told by a carry (simdjson).
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

/// Each bit is the parity of itself and those before.
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

    /// Byte by byte.
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
        fn containers_end_where_they_do_byte_by_byte(
            before in 0..70_usize,
            parts in prop::collection::vec(
                r#"[\[{]{1,3}|[\]}]|[ ,:0-9a-zé]{0,9}|"([a-z{}\[\] é]|\\["\\n]){0,40}"|"(\\\\){0,70}(\\")?""#, 0..40),
        ) {
            let text = format!("{}[{}]]]]]]", "x".repeat(before), parts.concat());
            let bytes = text.as_bytes();
            prop_assert_eq!(container_end(bytes, before), plainly(bytes, before));
        }
    }
}
