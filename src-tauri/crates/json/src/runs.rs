//! Runs of bytes inside strings, sixteen bytes at a time.

use wide::u8x16;

/// Class of bytes that ends a run, and class of notable bytes. Both functions return all ones for
/// matching bytes.
pub(crate) trait Class {
    /// Bytes that end the run. A quote must be one of them.
    fn ends(part: u8x16) -> u8x16;
    /// Bytes that are reported if one precedes the end.
    fn notable(part: u8x16) -> u8x16;
}

/// Index of the first byte from `at` on that ends the run, or the length of `bytes`, and whether a notable byte
/// precedes it.
#[inline(always)]
pub(crate) fn run<C: Class>(bytes: &[u8], at: usize) -> (usize, bool) {
    let mut rest = bytes.get(at..).unwrap_or_default();
    let mut notable = 0;
    while let Some((part, next)) = rest.split_first_chunk::<16>() {
        let part = u8x16::new(*part);
        let (ends, seen) = (C::ends(part).to_bitmask(), C::notable(part).to_bitmask());
        if ends != 0 {
            let end = bytes.len() - rest.len() + ends.trailing_zeros() as usize;
            return (end, (notable | seen & before_lowest(ends)) != 0);
        }
        notable |= seen;
        rest = next;
    }
    // Filled up with quotes, which end every run.
    let mut part = [b'"'; 16];
    part[..rest.len()].copy_from_slice(rest);
    let part = u8x16::new(part);
    let (ends, seen) = (C::ends(part).to_bitmask(), C::notable(part).to_bitmask());
    let end = bytes.len() - rest.len() + (ends.trailing_zeros() as usize).min(rest.len());
    (end, (notable | seen & before_lowest(ends)) != 0)
}

/// Bits below the lowest set bit.
#[inline(always)]
fn before_lowest(bits: u32) -> u32 {
    (bits & bits.wrapping_neg()).wrapping_sub(1)
}

/// Class of bytes that ends a run at a quote, backslash or control character; bytes beyond ASCII
/// are notable.
struct Plain;

impl Class for Plain {
    #[inline(always)]
    fn ends(part: u8x16) -> u8x16 {
        let controls = part.min(u8x16::splat(0x1F)).simd_eq(part);
        part.simd_eq(u8x16::splat(b'"')) | part.simd_eq(u8x16::splat(b'\\')) | controls
    }

    #[inline(always)]
    fn notable(part: u8x16) -> u8x16 {
        // A bitmask is made of the highest bits, which bytes beyond ASCII have set.
        part
    }
}

/// Index of the first quote, backslash or control character from `at` on, and whether a byte before it is beyond ASCII.
#[inline(always)]
pub fn plain_end(bytes: &[u8], at: usize) -> (usize, bool) {
    run::<Plain>(bytes, at)
}

/// End of the run of ASCII digits that starts at `at`.
#[inline(always)]
pub fn digits_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// UTF-16 code unit of the escape `\uXXXX` at `at`, if one is there.
#[inline]
pub fn unicode_escape(bytes: &[u8], at: usize) -> Option<u16> {
    let [b'\\', b'u', a, b, c, d] = bytes.get(at..)?.first_chunk::<6>()? else { return None };
    let [a, b, c, d] = [a, b, c, d].map(|digit| u16::from(HEXADECIMAL[usize::from(*digit)]));
    // Bytes that are not digits map to values above 15.
    ((a | b | c | d) < 16).then_some(a << 12 | b << 8 | c << 4 | d)
}

const HEXADECIMAL: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut value = 0;
    while value < 16 {
        values[b"0123456789abcdef"[value] as usize] = value as u8;
        values[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    values
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn plain_end_equals_a_byte_by_byte_search(
            parts in prop::collection::vec("[a-z \u{7f}]{0,20}|[!#\\[\\]\u{e9}\u{a2}\u{80}]{0,3}|\"|\\\\|\n|\u{1f}|\u{0}", 0..9),
            from in any::<prop::sample::Index>(),
        ) {
            let text = parts.concat();
            let (bytes, at) = (text.as_bytes(), from.index(text.len() + 1));
            let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
            let run = bytes[at..].iter().position(special).unwrap_or(bytes.len() - at);
            prop_assert_eq!(plain_end(bytes, at), (at + run, !bytes[at..at + run].is_ascii()));
        }
    }
}
