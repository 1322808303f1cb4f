//! Ranks, which decide which paths stay, besides sheltered ones, when a shape has more than it may
//! keep.
//!
//! The rank of a path depends only on the path and the hash key, never on counts, order or time.
//! Every process therefore gives a path the same rank, "keep the N lowest" is the same for every
//! split of the work, and the counts of the kept paths are exact. A parent always ranks below its
//! children.

use std::fmt;
use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;
use twox_hash::XxHash3_64;

use crate::keys::looks_like_data;

/// Key of all hashes in a shape. It belongs to a team: shapes with different keys do not merge, and
/// without the key no one can choose input that controls which paths are kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HashKey(pub u64, pub u64);

impl HashKey {
    /// Returns a short hash of a value's text. Of a long text, only the ends and the length are
    /// hashed, so that no value costs more than a short one.
    pub(crate) fn hash(self, text: &str) -> u64 {
        const ENDS: usize = 64;
        let bytes = text.as_bytes();
        match (bytes.first_chunk::<ENDS>(), bytes.last_chunk::<ENDS>()) {
            (Some(first), Some(last)) if bytes.len() > 2 * ENDS => {
                let head = XxHash3_64::oneshot_with_seed(self.1 ^ bytes.len() as u64, first);
                XxHash3_64::oneshot_with_seed(self.0 ^ head, last)
            }
            _ => XxHash3_64::oneshot_with_seed(self.0 ^ self.1.rotate_left(32), bytes),
        }
    }

    /// Returns a token for a value that must not be revealed. [`HashKey::hash`] is faster, but
    /// reveals its seed to anyone who knows one value; the token reveals nothing about the key.
    pub(crate) fn token(self, text: &str) -> u64 {
        let mut hasher = SipHasher13::new_with_keys(self.0, self.1);
        hasher.write_u64(u64::MAX);
        hasher.write_u8(b'v');
        hasher.write(text.as_bytes());
        hasher.finish()
    }
}

impl Default for HashKey {
    /// Returns the fixed key for shapes that stay on one machine and are used only once.
    fn default() -> Self {
        Self(0x5363_6865_6d61_7363, 0x6f70_6520_7261_6e6b)
    }
}

/// Does not show the key, which is a secret of its team.
impl fmt::Debug for HashKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashKey")
    }
}

/// Order of paths: structure before data, shallow before deep, then by hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Rank {
    /// Whether a key on the path looks like data.
    pub(crate) data: bool,
    pub(crate) depth: u16,
    pub(crate) hash: u64,
}

impl Rank {
    pub(crate) const ROOT: Self = Self { data: false, depth: 0, hash: 0 };

    pub(crate) fn field(self, key: &str, with: HashKey) -> Self {
        self.child(self.data || looks_like_data(key), b'k', key, with)
    }

    pub(crate) fn items(self, with: HashKey) -> Self {
        self.child(self.data, b'*', "", with)
    }

    /// Returns the rank of the node for all values whose keys look like data.
    pub(crate) fn values(self, with: HashKey) -> Self {
        self.child(self.data, b'{', "", with)
    }

    /// Returns the rank of the node for the objects of all members.
    pub(crate) fn members(self, with: HashKey) -> Self {
        self.child(self.data, b'+', "", with)
    }

    /// Returns the rank of a field of which only the hash is known.
    pub(crate) fn hashed_field(self, data: bool, hash: u64) -> Self {
        Self { data: self.data || data, depth: self.depth.saturating_add(1), hash }
    }

    fn child(self, data: bool, step: u8, key: &str, with: HashKey) -> Self {
        let mut hasher = SipHasher13::new_with_keys(with.0, with.1);
        hasher.write_u64(self.hash);
        hasher.write_u8(step);
        hasher.write(key.as_bytes());
        Self { data, depth: self.depth.saturating_add(1), hash: hasher.finish() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: HashKey = HashKey(1, 2);

    #[test]
    fn parents_rank_below_children_and_structure_below_data() {
        let root = Rank::ROOT;
        let orders = root.field("orders", KEY);
        let record = orders.items(KEY).field("id", KEY);
        let data = root.field("ord_88231", KEY);
        assert!(root < orders && orders < orders.items(KEY));
        assert!(record < data && data < data.field("id", KEY));
        assert!(!root.values(KEY).field("id", KEY).data);
        assert_ne!(root.field("*", KEY), root.items(KEY));
        assert_ne!(orders, root.field("orders", HashKey(1, 3)));
    }

    #[test]
    fn long_texts_are_distinguished_by_their_ends_and_length() {
        let text = |middle: &str| format!("{}{middle}{}", "a".repeat(100), "b".repeat(100));
        assert_eq!(KEY.hash(&text("xy")), KEY.hash(&text("yx")));
        assert_ne!(KEY.hash(&text("xy")), KEY.hash(&text("x")));
        assert_ne!(KEY.hash("a"), HashKey(1, 3).hash("a"));
    }
}
