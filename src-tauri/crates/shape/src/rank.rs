//! Which paths stay when a shape has more than it may keep.
//!
//! The rank of a path depends on the path alone: never on counts, order or time. So everybody who sees
//! a path ranks it alike, "keep the N lowest" is the same for every split of the work, and the counts of
//! what is kept are exact. A parent always ranks below its children. Owns: ranks. Refuses to know: counts.

use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;

/// Orders paths: structure before data, shallow before deep, then by hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Rank {
    /// A key on the path looks like data.
    data: bool,
    depth: u16,
    hash: u64,
}

/// Part of the written form: other keys would rank otherwise.
const KEYS: (u64, u64) = (0x5363_6865_6d61_7363, 0x6f70_6520_7261_6e6b);

impl Rank {
    pub(crate) const ROOT: Self = Self { data: false, depth: 0, hash: 0 };

    pub(crate) fn field(self, key: &str) -> Self {
        self.child(self.data || looks_like_data(key), b'k', key)
    }

    pub(crate) fn items(self) -> Self {
        self.child(self.data, b'*', "")
    }

    fn child(self, data: bool, step: u8, key: &str) -> Self {
        let mut hasher = SipHasher13::new_with_keys(KEYS.0, KEYS.1);
        hasher.write_u64(self.hash);
        hasher.write_u8(step);
        hasher.write(key.as_bytes());
        Self { data, depth: self.depth.saturating_add(1), hash: hasher.finish() }
    }
}

/// Ids, dates, paths, addresses and sentences: what programs use as keys of maps, not as names of
/// fields.
fn looks_like_data(key: &str) -> bool {
    let digits = key.bytes().filter(u8::is_ascii_digit).count();
    digits >= 4 || digits == key.len() || key.len() > 60 || key.contains(['@', '/', ':', ' ', '\n'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_rank_below_children_and_structure_below_data() {
        let root = Rank::ROOT;
        let record = root.field("orders").items().field("id");
        let data = root.field("ord_88231");
        assert!(root < root.field("orders") && root.field("orders") < root.field("orders").items());
        assert!(record < data && data < data.field("id"));
        assert_ne!(root.field("*"), root.items());
    }

    #[test]
    fn keys_that_look_like_data() {
        for key in
            ["2026-11-20", "user@example.org", "/etc/passwd", "a sentence", "f81d4fae-7dec-11d0", "123"]
        {
            assert!(looks_like_data(key), "{key}");
        }
        for key in ["id", "createdAt", "address_line_2", "sha256", "x-y"] {
            assert!(!looks_like_data(key), "{key}");
        }
    }
}
