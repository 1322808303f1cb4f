//! Small sets of values with exact counts, and their limits.

use crate::fingerprint::Fingerprint;

/// Most distinct values kept.
pub(super) const MAX_VALUES: usize = 32;
/// Most bytes of all values, with a fixed cost for each, and most bytes of one value. Lengths are
/// those in JSON, so escapes cannot enlarge a state.
pub(super) const MAX_BYTES: usize = 768;
pub(super) const COST: usize = 16;
pub(super) const MAX_LENGTH: usize = 64;

/// Values with their counts, in no particular order.
#[derive(Debug, Clone, Default)]
pub(super) struct Few {
    values: Vec<Entry>,
    /// Concatenated texts of the values.
    texts: String,
    /// Bytes used, as counted for [`MAX_BYTES`].
    taken: u16,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    fingerprint: Fingerprint,
    count: u64,
    /// End of its text.
    end: u16,
}

impl Few {
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the count of a value, if it is in the set.
    #[inline(always)]
    pub(super) fn find(&mut self, value: &str) -> Option<&mut u64> {
        let fingerprint = Fingerprint::of(value);
        let mut at = 0;
        while let Some(known) = self.values.get(at) {
            if known.fingerprint == fingerprint && (fingerprint.is_whole() || self.text(at) == value) {
                return self.values.get_mut(at).map(|known| &mut known.count);
            }
            at += 1;
        }
        None
    }

    /// Adds a value that is not in the set. Returns whether there was room.
    pub(super) fn insert(&mut self, value: &str, count: u64) -> bool {
        let length = written_length(value);
        let taken = usize::from(self.taken) + COST + length;
        if self.values.len() == MAX_VALUES || length > MAX_LENGTH || taken > MAX_BYTES {
            return false;
        }
        // There are thousands of these lists, so their capacity stays close to their size.
        if self.values.len() == self.values.capacity() {
            self.values.reserve_exact(4);
        }
        self.texts.reserve_exact(value.len());
        self.texts.push_str(value);
        self.taken = taken as u16;
        self.values.push(Entry { fingerprint: Fingerprint::of(value), count, end: self.texts.len() as u16 });
        true
    }

    #[inline]
    fn text(&self, at: usize) -> &str {
        let start = at.checked_sub(1).map_or(0, |before| self.values[before].end);
        &self.texts[usize::from(start)..usize::from(self.values[at].end)]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        (0..self.values.len()).map(|at| (self.text(at), self.values[at].count))
    }

    /// Returns the values, most frequent first, then by text.
    pub(super) fn sorted(&self) -> Vec<(&str, u64)> {
        let mut values: Vec<(&str, u64)> = self.iter().collect();
        values.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        values
    }
}

/// Returns the length of a text in JSON, in bytes, without the quotes.
pub(crate) fn written_length(text: &str) -> usize {
    text.bytes().map(|byte| usize::from(WRITTEN[usize::from(byte)])).sum()
}

const WRITTEN: [u8; 256] = {
    let mut lengths = [1; 256];
    let mut control = 0;
    while control < 0x20 {
        lengths[control] = 6;
        control += 1;
    }
    let mut at = 0;
    while at < 7 {
        lengths[b"\"\\\x08\t\n\x0c\r"[at] as usize] = 2;
        at += 1;
    }
    lengths
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_length_equals_the_length_in_json() {
        let every: String = (0..300).filter_map(char::from_u32).collect();
        let written = serde_json::to_string(&every).unwrap();
        assert_eq!(written_length(&every), written.len() - 2);
    }

    #[test]
    fn values_are_distinguished_and_bounded() {
        let mut few = Few::default();
        for value in ["", "a", "1234567", "12345678", "12345679"] {
            assert!(few.find(value).is_none() && few.insert(value, 1));
            *few.find(value).unwrap() += 1;
        }
        assert_eq!(few.sorted()[..2], [("", 2), ("1234567", 2)]);
        assert!(!few.insert(&"\u{1}".repeat(11), 1) && few.insert(&"\u{1}".repeat(10), 1));
        let room = (0..MAX_VALUES).filter(|n| few.insert(&format!("{n:060}"), 1)).count();
        assert_eq!(room, (MAX_BYTES - 84 - 6 * COST) / (60 + COST));
    }
}
