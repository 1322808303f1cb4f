//! Recognition of JSON Schema's string formats.
//!
//! Each check is at least as strict as the definition of the format, so a schema that names a
//! format accepts every string it was made from.

use std::net::{Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};

/// Format of a string. No string has two formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Format {
    DateTime,
    Date,
    Time,
    Uuid,
    Email,
    Ipv4,
    Ipv6,
    Uri,
}

/// Longest text examined, in bytes. Longer texts are unlikely to have one of these formats.
const MAX_LENGTH: usize = 2_000;

impl Format {
    pub(crate) const ALL: [Self; 8] =
        [Self::DateTime, Self::Date, Self::Time, Self::Uuid, Self::Email, Self::Ipv4, Self::Ipv6, Self::Uri];

    /// Returns the name used by JSON Schema.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::DateTime => "date-time",
            Self::Date => "date",
            Self::Time => "time",
            Self::Uuid => "uuid",
            Self::Email => "email",
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
            Self::Uri => "uri",
        }
    }

    pub(crate) fn of(text: &str) -> Option<Self> {
        if !text.is_ascii() || !(3..=MAX_LENGTH).contains(&text.len()) {
            return None;
        }
        Self::ALL.into_iter().find(|format| format.matches(text))
    }

    /// Returns whether an ASCII text has this format.
    pub(crate) fn is_of(self, text: &str) -> bool {
        (3..=MAX_LENGTH).contains(&text.len()) && self.matches(text)
    }

    fn matches(self, text: &str) -> bool {
        match self {
            Self::DateTime => text.split_at_checked(10).is_some_and(|(date, rest)| {
                is_date(date) && rest.strip_prefix(['T', 't']).is_some_and(is_time)
            }),
            Self::Date => is_date(text),
            Self::Time => is_time(text),
            Self::Uuid => is_uuid(text),
            Self::Email => is_email(text),
            Self::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Self::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
            Self::Uri => is_uri(text),
        }
    }
}

/// Full-date of RFC 3339.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return false;
    }
    let (Some(year), Some(month), Some(day)) = (number(&text[..4]), number(&text[5..7]), number(&text[8..]))
    else {
        return false;
    };
    // Readers of dates have no year 0.
    if year == 0 {
        return false;
    }
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// Full-time of RFC 3339, without leap seconds.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() < 9 || bytes[2] != b':' || bytes[5] != b':' {
        return false;
    }
    let below = |range: std::ops::Range<usize>, end: u32| {
        text.get(range).and_then(number).is_some_and(|number| number < end)
    };
    let rest = &text[8..];
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    let fraction_has_digits = !rest.starts_with('.') || rest.len() - zone.len() > 1;
    let offset = |zone: &str| {
        let bytes = zone.as_bytes();
        bytes.len() == 6
            && matches!(bytes[0], b'+' | b'-')
            && bytes[3] == b':'
            && number(&zone[1..3]).is_some_and(|hours| hours < 24)
            && number(&zone[4..]).is_some_and(|minutes| minutes < 60)
    };
    below(0..2, 24)
        && below(3..5, 60)
        && below(6..8, 60)
        && fraction_has_digits
        && (matches!(zone, "Z" | "z") || offset(zone))
}

fn number(digits: &str) -> Option<u32> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// A plain address with a dotted domain: common addresses, not everything that RFC 5321 allows.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-');
    let words = |text: &str| text.split('.').all(|part| !part.is_empty() && part.chars().all(word));
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
            // Labels in Punycode and similar need decoding to be checked.
            && label.get(2..4) != Some("--")
    };
    let top = domain.rsplit('.').next().unwrap_or_default();
    (1..=64).contains(&local.len())
        && domain.len() <= 190
        && words(local)
        && domain.contains('.')
        && domain.split('.').all(label)
        && top.chars().all(|c| c.is_ascii_alphabetic())
}

/// An absolute URI with an authority, of unreserved characters and common delimiters.
fn is_uri(text: &str) -> bool {
    let bytes = text.as_bytes();
    let web = || bytes.strip_prefix(b"https://").or_else(|| bytes.strip_prefix(b"http://"));
    let Some(rest) = web().or_else(|| behind_scheme(bytes)) else { return false };
    let host = run(rest, |byte| HOST[usize::from(byte)]);
    let mut tail = &rest[host..];
    if let Some(port) = tail.strip_prefix(b":") {
        let digits = run(port, |byte| byte.is_ascii_digit());
        if digits > 5 {
            return false;
        }
        tail = &port[digits..];
    }
    host > 0
        && matches!(tail.first(), None | Some(b'/' | b'?' | b'#'))
        && (is_all_plain(bytes) || is_odd_uri_tail(tail))
}

/// Returns the part after a URI's scheme and `://`.
fn behind_scheme(bytes: &[u8]) -> Option<&[u8]> {
    let end = run(bytes, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    bytes[end..].strip_prefix(b"://").filter(|_| bytes[0].is_ascii_alphabetic())
}

/// Returns the number of leading bytes that satisfy a condition.
#[inline(always)]
fn run(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    let mut at = 0;
    while bytes.get(at).is_some_and(|byte| is(*byte)) {
        at += 1;
    }
    at
}

/// Returns whether all bytes are plain. Checking sixteen at once is faster than finding the first
/// that is not.
fn is_all_plain(bytes: &[u8]) -> bool {
    let are_plain = |bytes: &[u8]| bytes.iter().fold(true, |all, byte| all & is_plain(*byte));
    let (chunks, rest) = bytes.as_chunks::<16>();
    chunks.iter().all(|chunk| are_plain(chunk))
        && are_plain(bytes.last_chunk::<16>().map_or(rest, |last| last))
}

/// Checks a path, query and fragment with escapes.
fn is_odd_uri_tail(tail: &[u8]) -> bool {
    let (mut at, mut fragments) = (0, 0);
    while let Some(byte) = tail.get(at) {
        match byte {
            b'%' => {
                let hex = tail.get(at + 1..at + 3);
                if !hex.is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) {
                    return false;
                }
                at += 2;
            }
            b'#' => fragments += 1,
            byte if is_plain(*byte) => {}
            _ => return false,
        }
        at += 1;
    }
    fragments <= 1
}

/// Bytes of a host name or an address.
const HOST: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'-' | b'.');
        byte += 1;
    }
    table
};

/// Returns whether a byte is allowed unescaped in a path, query or fragment: a letter, a digit, or
/// one of `-._~!$&'()*+,;=:@/?`.
fn is_plain(byte: u8) -> bool {
    let between = |first: u8, last: u8| byte.wrapping_sub(first) <= last - first;
    between(b'$', b';') & (byte != b'%')
        | between(b'?', b'Z')
        | between(b'a', b'z')
        | (byte == b'_')
        | (byte == b'=')
        | (byte == b'~')
        | (byte == b'!')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn formats_and_their_lookalikes() {
        for (text, format) in [
            ("2026-11-20T12:00:00Z", Some(Format::DateTime)),
            ("2026-11-20t12:00:00.123+05:30", Some(Format::DateTime)),
            ("2026-11-20 12:00:00Z", None),
            ("2026-11-20T12:00:00", None),
            ("2026-13-20T12:00:00Z", None),
            ("2026-11-20T12:00:00.Z", None),
            ("2026-02-28", Some(Format::Date)),
            ("2026-02-29", None),
            ("12:30:00Z", Some(Format::Time)),
            ("12:30:00", None),
            ("f81d4fae-7dec-11d0-a765-00a0c91e6bf6", Some(Format::Uuid)),
            ("f81d4fae-7dec-11d0-a765-00a0c91e6bg6", None),
            ("ada@example.org", Some(Format::Email)),
            ("ada@localhost", None),
            ("@example.org", None),
            ("192.168.0.1", Some(Format::Ipv4)),
            ("192.168.0.256", None),
            ("1.2.3", None),
            ("::1", Some(Format::Ipv6)),
            ("12:34", None),
            ("https://example.org/a?b=c#d", Some(Format::Uri)),
            ("https://", None),
            ("note://internal", Some(Format::Uri)),
            ("see https://example.org", None),
            ("", None),
            ("été", None),
        ] {
            assert_eq!(Format::of(text), format, "{text:?}");
        }
    }

    #[test]
    fn plain_bytes_of_a_uri_are_the_listed_ones() {
        let others = b"-._~!$&'()*+,;=:@/?";
        for byte in 0..=u8::MAX {
            assert_eq!(is_plain(byte), byte.is_ascii_alphanumeric() || others.contains(&byte), "{byte}");
        }
    }

    fn near() -> impl Strategy<Value = String> {
        prop_oneof![
            "[0-9]{4}-[01][0-9]-[0-3][0-9]([Tt ][0-2][0-9]:[0-6][0-9]:[0-6][0-9](\\.[0-9]{0,3})?(Z|[+-][0-2][0-9]:[0-6][0-9])?)?",
            "[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\\.[0-9]{0,3})?(Z|[+-][0-2][0-9]:[0-6][0-9])?",
            "[0-9a-g]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            "[a-z.+_-]{0,6}@[a-zA-Z0-9.-]{0,12}",
            "[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}",
            "[0-9a-f:]{2,20}",
            "[a-z+]{0,5}://[a-z0-9.:@-]{0,10}[/?#a-z0-9%=&'\\[\\]-]{0,10}",
        ]
    }

    fn is_valid(format: Format, text: &str) -> bool {
        let schema = serde_json::json!({"format": format.name()});
        let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
        options.should_validate_formats(true).build(&schema).unwrap().is_valid(&text.into())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        /// Every string with a recognised format is valid for a validator that checks formats. For
        /// dates, UUIDs and addresses the converse is true as well.
        #[test]
        fn validators_agree(text in near()) {
            if let Some(format) = Format::of(&text) {
                prop_assert!(is_valid(format, &text), "{} is not a valid {}", text, format.name());
            }
            for format in [Format::Date, Format::Uuid, Format::Ipv4, Format::Ipv6] {
                let valid = text.len() >= 3 && is_valid(format, &text);
                prop_assert_eq!(format.is_of(&text), valid, "{} {}", text, format.name());
            }
        }
    }

    /// Valid strings that are deliberately not recognised.
    #[test]
    fn some_valid_strings_are_not_recognised() {
        for (format, text) in [
            (Format::DateTime, "2016-12-31T23:59:60Z"), // leap second
            (Format::Time, "23:59:60Z"),                // leap second
            (Format::Email, "ada@localhost"),           // domain without a dot
            (Format::Email, "\"ada b\"@example.org"),   // quoted name
            (Format::Uri, "mailto:ada@example.org"),    // no authority
            (Format::Uri, "https://ada@example.org/"),  // user information
            (Format::Uri, "https://[2001:db8::1]/"),    // address in brackets
        ] {
            assert!(is_valid(format, text) && !format.is_of(text), "{text}");
        }
    }
}
