//! Cache of what was found out about keys, because documents repeat them.

/// Number of slots.
const SLOTS: usize = 64;

/// The keys seen last, each with a fact about it. A slot has room for two, so that two alternating keys with the same
/// slot do not evict each other.
pub(crate) struct KeyCache<'a, T>([[(Ends, &'a str, T); 2]; SLOTS]);

impl<'a, T: Copy + Default> KeyCache<'a, T> {
    pub(crate) fn new() -> Self {
        Self([[(Ends::default(), "", T::default()); 2]; SLOTS])
    }

    /// Returns the fact about a key as it is written, and computes it if the key is not cached.
    #[inline]
    pub(crate) fn get_or_compute(&mut self, written: &'a str, compute: impl FnOnce() -> T) -> T {
        let ends = Ends::of(written.as_bytes());
        let slot = &mut self.0[ends.slot()];
        let is_it = |(its, key, _): &(Ends, &str, T)| {
            *its == ends && (written.len() <= Ends::WHOLE || *key == written)
        };
        match slot.iter().find(|one| is_it(one)) {
            Some(known) => known.2,
            None => {
                slot[1] = slot[0];
                slot[0] = (ends, written, compute());
                slot[0].2
            }
        }
    }
}

/// The first and last eight bytes of a text and its length. They identify a text of up to 16 bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Ends {
    first: u64,
    last: u64,
    length: usize,
}

impl Ends {
    /// Longest text that its ends identify, in bytes.
    const WHOLE: usize = 2 * size_of::<u64>();

    #[inline]
    fn of(text: &[u8]) -> Self {
        let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
        let ends = text.first_chunk().zip(text.last_chunk());
        let (first, last) = match ends {
            Some((first, last)) => (word(first), word(last)),
            // Two halves that overlap, or up to three bytes.
            None => match text.first_chunk::<4>().zip(text.last_chunk::<4>()) {
                Some((first, last)) => (u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into()),
                None => (text.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)), 0),
            },
        };
        Self { first, last, length: text.len() }
    }

    /// Slot of a key, mixed so that similar names rarely share one.
    #[inline]
    fn slot(self) -> usize {
        let mixed = self.first ^ self.last.rotate_left(29);
        // The highest bits of a product depend on all bits (Fibonacci hashing).
        (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - SLOTS.ilog2())) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_cache_distinguishes_keys_with_equal_ends() {
        let mut cache = KeyCache::new();
        let keys =
            ["", "\0", "a", "\0a", "12345678", "1234567812345678", "1234567890123456", "12345678--12345678"];
        let longer = ["12345678-a-12345678", "12345678-b-12345678"];
        for round in 0..3 {
            for key in keys.iter().chain(&longer) {
                let known = cache.get_or_compute(key, || *key);
                assert_eq!(known, *key, "{round}");
            }
        }
    }
}
