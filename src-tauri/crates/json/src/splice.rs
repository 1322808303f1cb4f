//! Replacing parts of a text and keeping every other byte.

use std::ops::Range;

/// Replaces ranges of a text. The ranges may be in any order, but must not overlap.
pub fn splice<T: AsRef<[u8]>>(bytes: &[u8], edits: &mut [(Range<usize>, T)]) -> Vec<u8> {
    edits.sort_by_key(|(range, _)| range.start);
    let mut spliced = Vec::with_capacity(bytes.len() + 64);
    let mut at = 0;
    for (range, replacement) in edits {
        spliced.extend_from_slice(bytes.get(at..range.start).unwrap_or_default());
        spliced.extend_from_slice(replacement.as_ref());
        at = range.end;
    }
    spliced.extend_from_slice(bytes.get(at..).unwrap_or_default());
    spliced
}

/// Replaces ranges of a string, which must lie at character boundaries.
pub fn splice_text<T: AsRef<[u8]>>(text: &str, edits: &mut [(Range<usize>, T)]) -> String {
    String::from_utf8(splice(text.as_bytes(), edits))
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splice_replaces_ranges_in_any_order() {
        let mut edits = [(4..5, "E"), (0..1, "AA"), (2..2, "+")];
        assert_eq!(splice(b"abcdef", &mut edits), b"AAb+cdEf");
        assert_eq!(splice::<&str>(b"abc", &mut []), b"abc");
    }
}
