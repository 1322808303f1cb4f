//! Which paths stay when a shape has more than it may keep.
//!
//! The rank of a path depends on the path and the hash key alone: never on counts, order or time. So
//! everybody who sees a path ranks it alike, "keep the N lowest" is the same for every split of the work, and
//! the counts of what is kept are exact. A parent always ranks below its children. Owns: ranks and the hash
//! key. Refuses to know: counts.

use std::fmt;
use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;
use twox_hash::XxHash3_64;

use crate::distinct::written_length;

/// What hashes in a shape depend on. It belongs to a team: shapes of different keys do not merge, and who
/// does not have it cannot aim at what is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HashKey(pub u64, pub u64);

impl HashKey {
    /// Shorthand for the hash of a value's text. Long texts are told apart by both ends and their length, so
    /// that no value costs more than a short one.
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

    /// What stands for a value where the value itself may not be told. Unlike [`HashKey::hash`], which is quick
    /// and gives its seed away to whoever knows one value, it tells nothing of the key.
    pub(crate) fn token(self, text: &str) -> u64 {
        let mut hasher = SipHasher13::new_with_keys(self.0, self.1);
        hasher.write_u64(u64::MAX);
        hasher.write_u8(b'v');
        hasher.write(text.as_bytes());
        hasher.finish()
    }
}

impl Default for HashKey {
    /// The key of those who have none: of use where shapes stay on one machine and are looked at once.
    fn default() -> Self {
        Self(0x5363_6865_6d61_7363, 0x6f70_6520_7261_6e6b)
    }
}

/// Not shown: it is a secret of its team.
impl fmt::Debug for HashKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashKey")
    }
}

/// Orders paths: structure before data, shallow before deep, then by hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Rank {
    /// A key on the path looks like data.
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

    /// All values together whose keys look like data.
    pub(crate) fn values(self, with: HashKey) -> Self {
        self.child(self.data, b'{', "", with)
    }

    /// Of a field of which only the hash is known.
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

/// Ids, dates, paths, addresses, host names and sentences: what programs use as keys of maps, not as names
/// of fields. Decided on the key alone; a record may have such fields all the same.
pub(crate) fn looks_like_data(key: &str) -> bool {
    let bytes = key.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let run = || bytes.windows(4).any(|four| four.iter().all(u8::is_ascii_digit));
    // `@type` and its like are names.
    let bytes = if key.len() > 1 { key.strip_prefix('@').unwrap_or(key).as_bytes() } else { bytes };
    let hexadecimal = || bytes.len() >= 8 && digits >= 2 && bytes.iter().all(u8::is_ascii_hexdigit);
    digits >= 6
        || run()
        || digits == bytes.len() && digits > 0
        || bytes.len() > 60
        || bytes.iter().any(|byte| matches!(byte, b'@' | b'/' | b'\\' | b':' | b'.' | b' ' | 0..b' '))
        || hexadecimal()
}

/// Bytes of a key that is kept, as JSON writes it. All longer ones look like data.
const MAX_KEY: usize = 128;

/// Whether values of a key may have a path of their own: not where keys themselves would take much room, nor
/// where they mean something else to those who read a schema by serde_json. Both look like data, so that
/// their values are counted together.
pub(crate) fn may_be_kept(key: &str) -> bool {
    key.len() <= MAX_KEY && written_length(key) <= MAX_KEY && !key.starts_with("$serde_json::private::")
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
    fn keys_that_look_like_data() {
        for key in [
            "2026-11-20",
            "user@example.org",
            "/etc/passwd",
            "a sentence",
            "f81d4fae-7dec-11d0",
            "123",
            "example.org",
            "3fa9c0de",
        ] {
            assert!(looks_like_data(key), "{key}");
        }
        for key in
            ["", "id", "createdAt", "address_line_2", "sha256", "x-y", "facade", "x1", "@type", "iso_639_1"]
        {
            assert!(!looks_like_data(key), "{key}");
        }
    }

    #[test]
    fn keys_not_kept_look_like_data() {
        let control = "\u{1}".repeat(MAX_KEY / 6 + 1);
        for key in [
            "k".repeat(MAX_KEY + 1),
            "\"".repeat(MAX_KEY / 2 + 1),
            control,
            "$serde_json::private::RawValue".to_owned(),
        ] {
            assert!(!may_be_kept(&key) && looks_like_data(&key), "{key}");
        }
        assert!(may_be_kept(&"k".repeat(MAX_KEY)) && may_be_kept(""));
    }

    #[test]
    fn long_texts_are_told_apart_by_their_ends_and_length() {
        let text = |middle: &str| format!("{}{middle}{}", "a".repeat(100), "b".repeat(100));
        assert_eq!(KEY.hash(&text("xy")), KEY.hash(&text("yx")));
        assert_ne!(KEY.hash(&text("xy")), KEY.hash(&text("x")));
        assert_ne!(KEY.hash("a"), HashKey(1, 3).hash("a"));
    }
}
