//! Call ids: 128 bits, ordered by time, unique across machines.
//!
//! Layout, most significant first: 48 bits of milliseconds, 32 bits of counter, 48 bits of node.
//! Node and start of the counter are arguments, and so is the time.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::Timestamp;

/// Id of one call. Sorts by time, then by order of arrival. Written as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(u128);

/// A text that is not a call id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a call id (32 hexadecimal digits)")]
pub struct InvalidCallId(String);

impl CallId {
    /// Returns the 16 bytes, big-endian, so that bytes sort like ids.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// Returns the time of the call as encoded in the id.
    pub fn time(self) -> Timestamp {
        Timestamp::from_millis(u64::try_from(self.0 >> 80).unwrap_or(u64::MAX))
    }

    /// Returns the smallest possible id of a time.
    pub fn first_at(at: Timestamp) -> Self {
        Self(u128::from(at.as_millis()) << 80)
    }

    /// Returns the largest possible id whose text begins with `digits`; `None` if no id does.
    pub fn last_with(digits: &str) -> Option<Self> {
        format!("{digits:f<32}").parse().ok()
    }

    /// Returns the number of the machine that made the id.
    pub fn node(self) -> u64 {
        self.0 as u64 & ((1 << 48) - 1)
    }

    /// Reads the bytes written by [`CallId::to_bytes`].
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

/// Source of ids for one node.
#[derive(Debug)]
pub struct IdSource {
    node: u64,
    counter: AtomicU32,
    latest: AtomicU64,
}

impl IdSource {
    /// Creates a source. `node` distinguishes machines (48 bits are used); `start` is any number,
    /// preferably random.
    pub fn new(node: u64, start: u32) -> Self {
        let node = node & ((1 << 48) - 1);
        Self { node, counter: AtomicU32::new(start), latest: AtomicU64::new(0) }
    }

    /// Creates an id for a call that happens now. Ids never decrease, even if the clock is set
    /// back.
    pub fn live(&self, now: Timestamp) -> CallId {
        let before = self.latest.fetch_max(now.as_millis(), Ordering::Relaxed);
        self.at(Timestamp::from_millis(before.max(now.as_millis())))
    }

    /// Creates an id for a call that happened at `at`, such as one read from a trace.
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
    fn live_ids_increase_when_the_clock_is_set_back() {
        let source = IdSource::new(7, 0);
        let ids: Vec<_> = [5, 5, 3, 9].iter().map(|ms| source.live(Timestamp::from_millis(*ms))).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
    }

    #[test]
    fn text_and_bytes_round_trip() {
        let id = IdSource::new(u64::MAX, u32::MAX).at(Timestamp::from_millis(u64::MAX));
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(CallId::from_bytes(id.to_bytes()), id);
        assert_eq!(id.node(), (1 << 48) - 1);
        for bad in ["", "12", "+0000000000000000000000000000001", "zz"] {
            assert!(bad.parse::<CallId>().is_err());
        }
    }

    #[test]
    fn digits_and_times_bound_ids() {
        let source = IdSource::new(7, u32::MAX - 1);
        let ids: Vec<_> = [5, 5, 6].iter().map(|ms| source.at(Timestamp::from_millis(*ms))).collect();
        let first = CallId::first_at(Timestamp::from_millis(6));
        assert_eq!(ids.iter().map(|id| *id < first).collect::<Vec<_>>(), [true, true, false]);
        let last = CallId::last_with(&ids[0].to_string()[..20]).unwrap();
        assert!(ids[0] < last && last.to_string().starts_with(&ids[0].to_string()[..20]), "{last}");
        assert_eq!(CallId::last_with(&ids[2].to_string()), Some(ids[2]));
        assert_eq!([CallId::last_with("0x"), CallId::last_with(&"0".repeat(33))], [None, None]);
    }
}
