//! Where runs of bytes end: what tokens are cut from.
//!
//! Owns: looking at many bytes at once. Refuses to know: what is JSON.

use wide::u8x16;

/// Where the bytes from `at` on first have a quote, backslash or control character, and whether any before it
/// is beyond ASCII.
#[inline(always)]
pub(super) fn plain(bytes: &[u8], at: usize) -> (usize, bool) {
    let (quote, escape, controls) = (u8x16::splat(b'"'), u8x16::splat(b'\\'), u8x16::splat(0x1F));
    let mut rest = bytes.get(at..).unwrap_or_default();
    // A bit for each byte beyond ASCII.
    let mut wide = 0;
    while let Some((part, next)) = rest.split_first_chunk::<16>() {
        let part = u8x16::new(*part);
        let special = part.simd_eq(quote) | part.simd_eq(escape) | part.min(controls).simd_eq(part);
        let (special, high) = (special.to_bitmask(), part.to_bitmask());
        if special != 0 {
            let before = (special & special.wrapping_neg()) - 1;
            let end = bytes.len() - rest.len() + special.trailing_zeros() as usize;
            return (end, (wide | high & before) != 0);
        }
        wide |= high;
        rest = next;
    }
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    let run = rest.iter().position(special).unwrap_or(rest.len());
    (bytes.len() - rest.len() + run, wide != 0 || !rest[..run].is_ascii())
}

/// Where the digits from `at` on end.
#[inline(always)]
pub(super) fn digits(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// The code unit of the escape `\uXXXX` at `at`, if there is one.
#[inline]
pub(super) fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let [b'\\', b'u', a, b, c, d] = bytes.get(at..)?.first_chunk::<6>()? else { return None };
    let [a, b, c, d] = [a, b, c, d].map(|digit| u16::from(HEXADECIMAL[usize::from(*digit)]));
    // What is no digit has a bit beyond four.
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
        fn runs_end_at_the_first_special_byte(
            parts in prop::collection::vec("[a-z \u{7f}]{0,20}|[!#\\[\\]\u{e9}\u{a2}\u{80}]{0,3}|\"|\\\\|\n|\u{1f}|\u{0}", 0..9),
            from in any::<prop::sample::Index>(),
        ) {
            let text = parts.concat();
            let (bytes, at) = (text.as_bytes(), from.index(text.len() + 1));
            let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
            let run = bytes[at..].iter().position(special).unwrap_or(bytes.len() - at);
            prop_assert_eq!(plain(bytes, at), (at + run, !bytes[at..at + run].is_ascii()));
        }
    }
}
