//! One text of each string format, accepted by every validator.

/// A text of each format.
const SAMPLES: &[(&str, &str)] = &[
    ("date-time", "2024-01-15T10:30:00Z"),
    ("date", "2024-01-15"),
    ("time", "10:30:00Z"),
    ("duration", "P1D"),
    ("email", "ann@example.com"),
    ("idn-email", "ann@example.com"),
    ("hostname", "example.com"),
    ("idn-hostname", "example.com"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("uri", "https://example.com/a"),
    ("uri-reference", "https://example.com/a"),
    ("iri", "https://example.com/a"),
    ("iri-reference", "https://example.com/a"),
    ("uuid", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"),
    ("regex", "a"),
    ("json-pointer", "/a"),
];

/// Returns a text of this format.
pub(crate) fn sample(format: &str) -> Option<&'static str> {
    SAMPLES.iter().find(|(name, _)| *name == format).map(|(_, text)| *text)
}

/// Returns whether the text certainly has the format. Validators ignore formats that no draft
/// defines.
pub(crate) fn is_sample(format: &str, text: &str) -> bool {
    match sample(format) {
        Some(own) => own == text,
        None => !matches!(format, "uri-template" | "relative-json-pointer"),
    }
}
