//! Keyed hashes of values, and maps by them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use siphasher::sip::SipHasher13;

/// A map by hashes.
pub(crate) type Hashes<V> = HashMap<u64, V, BuildHasherDefault<Identity>>;

/// The keys are hashes already.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// Hash of a text under the key of the data directory.
pub(crate) fn hash(key: (u64, u64), parts: &[&str]) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(key.0, key.1);
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write_u8(0xff);
    }
    hasher.finish()
}
