//! Sets of characters as ranges of code points.

/// Ranges with both ends.
pub(crate) type Ranges = Vec<(u32, u32)>;

/// The last character.
const LAST: u32 = char::MAX as u32;

/// What `\d` stands for.
pub(crate) const DIGIT: &[(u32, u32)] = &[(0x30, 0x39)];
/// What `\w` stands for.
pub(crate) const WORD: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)];
/// What `\s` stands for.
pub(crate) const SPACE: &[(u32, u32)] = &[
    (0x09, 0x0d),
    (0x20, 0x20),
    (0xa0, 0xa0),
    (0x1680, 0x1680),
    (0x2000, 0x200a),
    (0x2028, 0x2029),
    (0x202f, 0x202f),
    (0x205f, 0x205f),
    (0x3000, 0x3000),
    (0xfeff, 0xfeff),
];
/// What `.` does not stand for.
pub(crate) const LINE_ENDS: &[(u32, u32)] = &[(0x0a, 0x0a), (0x0d, 0x0d), (0x2028, 0x2029)];

/// Sorted ranges without overlaps.
pub(crate) fn normal(mut ranges: Ranges) -> Ranges {
    ranges.sort_unstable();
    let mut merged: Ranges = Vec::new();
    for (first, last) in ranges {
        match merged.last_mut() {
            Some((_, end)) if first <= end.saturating_add(1) => *end = (*end).max(last),
            _ => merged.push((first, last)),
        }
    }
    merged
}

/// All other characters.
pub(crate) fn complement(ranges: &[(u32, u32)]) -> Ranges {
    let mut next = 0;
    let mut others = Vec::new();
    for (first, last) in ranges {
        if *first > next {
            others.push((next, first - 1));
        }
        next = last + 1;
    }
    if next <= LAST {
        others.push((next, LAST));
    }
    others
}
