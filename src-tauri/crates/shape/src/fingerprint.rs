//! Fingerprints: comparison of short texts without following a pointer.

/// Length and ends of a text. Equal texts have equal fingerprints; texts of up to sixteen bytes are
/// equal if their fingerprints are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    /// First eight bytes, or the whole text.
    head: u64,
    /// Last eight bytes, if there are that many.
    tail: u64,
    length: u32,
}

/// Most bytes of a text that its fingerprint represents completely.
const WHOLE_BYTES: usize = 16;

impl Fingerprint {
    #[inline(always)]
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (head, tail) = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
            (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
            _ => (short(bytes), 0),
        };
        Self { head, tail, length: bytes.len() as u32 }
    }

    /// Returns whether no other text has this fingerprint.
    #[inline(always)]
    pub(crate) fn is_whole(self) -> bool {
        self.length <= WHOLE_BYTES as u32
    }

    /// Returns the length of the text if `bytes` begins with it, followed by the two bytes
    /// `behind`. Only for a text that the fingerprint represents completely, and never if there are
    /// fewer than 32 bytes.
    #[inline(always)]
    pub(crate) fn begins(self, bytes: &[u8], behind: [u8; 2]) -> Option<usize> {
        let window: &[u8; 32] = bytes.first_chunk()?;
        let word = |at: usize| window[at..].first_chunk().map(|word| u64::from_le_bytes(*word));
        let (length, head) = (self.length as usize, word(0)?);
        let begins = match length {
            0..8 => head & !(u64::MAX << (8 * length)) == self.head,
            8..=WHOLE_BYTES => head == self.head && word(length - 8)? == self.tail,
            _ => false,
        };
        (begins && window[length..length + 2] == behind).then_some(length)
    }
}

/// Returns up to seven bytes as a number.
#[inline(always)]
fn short(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            u64::from(first) | u64::from(last) << (8 * (length - 4))
        }
        _ => {
            let byte = |at: usize| bytes.get(at).map_or(0, |byte| u64::from(*byte) << (8 * at));
            byte(0) | byte(1) | byte(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn fingerprints_of_short_texts_identify_them(
            a in "[ab\u{0}\u{e9}]{0,3}|[ab]{7,18}",
            b in "[ab\u{0}\u{e9}]{0,3}|[ab]{7,18}",
            behind in "[ab]{0,9}",
        ) {
            let fingerprint = Fingerprint::of(&a);
            prop_assert_eq!(fingerprint.is_whole(), a.len() <= 16);
            prop_assert!(a != b || fingerprint == Fingerprint::of(&b));
            if fingerprint.is_whole() {
                prop_assert_eq!(fingerprint == Fingerprint::of(&b), a == b);
                let text = format!("{b}{behind}{}", " ".repeat(32));
                let begins = fingerprint.begins(text.as_bytes(), *b"ab");
                prop_assert_eq!(begins, text.starts_with(&format!("{a}ab")).then_some(a.len()));
            }
        }
    }
}
