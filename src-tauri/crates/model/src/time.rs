//! Points in time, in milliseconds since 1970 UTC, written as RFC 3339.
//!
//! Only [`Timestamp::now`] reads the clock.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(u64);

/// A text that is not a time. The message shows the accepted form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a time such as 2026-11-20T12:00:00.000Z")]
pub struct InvalidTimestamp(String);

/// End of the year 9999, the latest time that RFC 3339 can express. It fits in the 48 bits of a
/// call id.
const MAX_MILLIS: u64 = 253_402_300_799_999;

impl Timestamp {
    /// Returns the time `millis` milliseconds after 1970, or the latest possible time.
    pub fn from_millis(millis: u64) -> Self {
        Self(millis.min(MAX_MILLIS))
    }

    /// Returns milliseconds since 1970.
    pub fn as_millis(self) -> u64 {
        self.0
    }

    /// Reads the machine's clock. Pure crates take times as arguments; the build checks that they
    /// do not call this.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock, for crates that may")]
    pub fn now() -> Self {
        Self::from_millis(u64::try_from(Utc::now().timestamp_millis()).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match i64::try_from(self.0).ok().and_then(DateTime::<Utc>::from_timestamp_millis) {
            Some(time) => f.write_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true)),
            None => write!(f, "{} ms", self.0),
        }
    }
}

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    /// Reads RFC 3339. A time without an offset is taken as UTC.
    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        let time = DateTime::parse_from_rfc3339(text)
            .or_else(|_| DateTime::parse_from_rfc3339(&format!("{text}Z")))
            .map(|time| time.to_utc());
        time.ok()
            .and_then(|t| u64::try_from(t.timestamp_millis()).ok())
            .filter(|millis| *millis <= MAX_MILLIS)
            .map(Self::from_millis)
            .ok_or_else(|| InvalidTimestamp(text.to_owned()))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_with_and_without_offset_are_read() {
        let noon: Timestamp = "2026-11-20T12:00:00.250Z".parse().unwrap();
        assert_eq!(noon.to_string(), "2026-11-20T12:00:00.250Z");
        assert_eq!("2026-11-20T14:00:00.25+02:00".parse(), Ok(noon));
        assert_eq!("2026-11-20T12:00:00.25".parse(), Ok(noon));
        assert!("yesterday".parse::<Timestamp>().is_err());
        for outside in ["1969-01-01T00:00:00Z", "+10889-01-01T00:00:00", "9999-12-31T23:59:59-23:59"] {
            assert!(outside.parse::<Timestamp>().is_err(), "{outside}");
        }
        let latest = Timestamp::from_millis(u64::MAX);
        assert_eq!(latest.to_string().parse(), Ok(latest));
    }
}
