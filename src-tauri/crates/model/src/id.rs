//! Call ids: 128 bits, ordered by time, unique over machines.
//!
//! Layout, most significant first: 48 bits of milliseconds, 32 bits of counter, 48 bits of node.
//! Owns: making and writing ids. Refuses to know: the clock and where a node's number comes from.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::Timestamp;

/// Identifies one call. Sorts by time, then by order of arrival; written as 32 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(u128);

/// A text that is not a call id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a call id (32 hex digits)")]
pub struct InvalidCallId(String);

impl CallId {
    /// The 16 bytes, big-endian, so that bytes sort as ids do.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// When the call was made, as far as ids know.
    pub fn time(self) -> Timestamp {
        Timestamp::from_millis(u64::try_from(self.0 >> 80).unwrap_or(u64::MAX))
    }

    /// Reads what [`CallId::to_bytes`] wrote.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for CallId {
    type Err = InvalidCallId;

    fn from_str(text: &str) -> Result<Self, InvalidCallId> {
        let hex = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let value = if hex { u128::from_str_radix(text, 16).ok() } else { None };
        value.map(Self).ok_or_else(|| InvalidCallId(text.to_owned()))
    }
}

impl Serialize for CallId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CallId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// Makes ids for one node.
#[derive(Debug)]
pub struct IdSource {
    node: u64,
    counter: AtomicU32,
    latest: AtomicU64,
}

impl IdSource {
    /// `node` tells machines apart (48 bits are used); `start` is any number, best a random one.
    pub fn new(node: u64, start: u32) -> Self {
        let node = node & ((1 << 48) - 1);
        Self { node, counter: AtomicU32::new(start), latest: AtomicU64::new(0) }
    }

    /// An id for a call that happens now. Never goes back, even when the clock does.
    pub fn live(&self, now: Timestamp) -> CallId {
        let before = self.latest.fetch_max(now.as_millis(), Ordering::Relaxed);
        self.at(Timestamp::from_millis(before.max(now.as_millis())))
    }

    /// An id for a call that happened at `at`, as traces have it.
    pub fn at(&self, at: Timestamp) -> CallId {
        let counter = self.counter.fetch_add(1, Ordering::Relaxed);
        let high = u128::from(at.as_millis()) << 80;
        CallId(high | u128::from(counter) << 48 | u128::from(self.node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_ids_rise_even_when_the_clock_goes_back() {
        let source = IdSource::new(7, 0);
        let ids: Vec<_> = [5, 5, 3, 9].iter().map(|ms| source.live(Timestamp::from_millis(*ms))).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
    }

    #[test]
    fn text_and_bytes_round_trip() {
        let id = IdSource::new(u64::MAX, u32::MAX).at(Timestamp::from_millis(u64::MAX));
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(CallId::from_bytes(id.to_bytes()), id);
        for bad in ["", "12", "+0000000000000000000000000000001", "zz"] {
            assert!(bad.parse::<CallId>().is_err());
        }
    }
}
