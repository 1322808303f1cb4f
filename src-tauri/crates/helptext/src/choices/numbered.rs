//! Numbers and letters with what they mean: `0=none, 1=simple`, `[A] automatic`.

use super::description::without;
use super::explained::each;
use super::has_default;
use crate::patterns::{found, is_match, pattern};

pattern!(LETTERED, r"\[([A-Z])\] ([a-z]\w+)");
// `(0=none, 1=simple)`.
pattern!(ASSIGNED, r"\(\s*((?:\w+\s?=\s?[^,;()=]+[,;]\s*)+\w+\s?=\s?[^,;()=]+)\)");
// `strategy 0=default, 1=filtered`, `mode: 0 - original; 1 - neural`, `0 (directed), 1 (by ink)`.
pattern!(
    NUMBERED,
    r"(?:^|[\s,;(\[])(\d{1,2})(?:\|(\d{1,2}))?(?:=|(?: ?: ?| - | ==? | \()(?:[A-Za-z]|\d+:\d| \d))"
);
// `set it (default: 2 = wide)`
pattern!(DEFAULT_REMARK, r"\(default:? [^()]*\)");
// `1 for big endian, 0 for little`.
pattern!(NUMBERED_FOR, r"(?:^(?:n )?|, |; )(\d) for [a-z]");
pattern!(EITHER_FOR, r"\beither (\d) for [a-z].* or (\d) for [a-z]");
pattern!(NUMBERED_RANGE, r"\d-\d+ ?[:=]|\b[Rr]anges?\b");
// `f:transcript strand, b:both strands, n:don't match`, `p = none t = top b = bottom`.
pattern!(LETTER_COLON, r"(?:^|[\s(])([a-z]):[a-zA-Z]");
pattern!(LETTER_EQUALS, r"(?:^|[\s(])([a-z]) = [a-z]");

/// Numbers or letters with what they mean, in parentheses: `(0=none, 1=simple)`.
pub(super) fn in_parentheses(description: &str) -> Vec<String> {
    let Some(list) = found(&ASSIGNED, description).and_then(|found| found.get(1)) else { return Vec::new() };
    let value = |part: &str| part.split('=').next().unwrap_or_default().trim().to_owned();
    let items: Vec<String> = list.as_str().split([',', ';']).map(value).collect();
    let is_code =
        |item: &String| item.len() == 1 || item.len() < 4 && item.bytes().all(|byte| byte.is_ascii_digit());
    if items.iter().all(is_code) && !is_scale(&items) { items } else { Vec::new() }
}

/// Whether items are numbers that are not in a row: some points of a scale, or bits that are added. More than three from 0
/// are a list.
fn is_scale(items: &[String]) -> bool {
    let numbers: Option<Vec<u32>> = items.iter().map(|item| item.parse().ok()).collect();
    numbers.is_some_and(|mut numbers| {
        numbers.sort_unstable();
        let is_row = numbers.iter().zip(numbers.iter().skip(1)).all(|(one, next)| next - one == 1);
        !is_row && (numbers.len() < 4 || numbers.first() != Some(&0))
    })
}

/// Numbers in a row from 0 or 1: others are ends of a range.
pub(super) fn numbered(description: &str) -> Vec<String> {
    let is_open = description.contains("-1=") || is_match(&NUMBERED_RANGE, description);
    let description = if description.contains("(default") {
        without(&DEFAULT_REMARK, description)
    } else {
        description.into()
    };
    let description = &*description;
    let mut items = if is_open { Vec::new() } else { each(&NUMBERED, description) };
    if items.is_empty() && !is_open && description.contains(" for ") {
        items = each(&NUMBERED_FOR, description);
        if items.is_empty() && description.contains("either ") {
            items = each(&EITHER_FOR, description);
        }
    }
    // `1 for big endian, 0 for little`
    if items == ["1", "0"] {
        return items;
    }
    // `0: best, 1: fastest [default: 0 for these, 1 for those]`
    let count = items.len() / 2;
    if count > 1 && items.get(..count) == items.get(count..) {
        items.truncate(count);
    }
    let first = usize::from(items.first().is_some_and(|first| first == "1"));
    let is_row = items.iter().enumerate().all(|(at, item)| *item == (at + first).to_string());
    if is_row { items } else { Vec::new() }
}

/// `f:one strand, b:both, n:none`, `p = none t = top b = bottom`.
pub(super) fn lettered_for_each(description: &str) -> Vec<String> {
    for (pattern, mark) in [(&LETTER_COLON, ':'), (&LETTER_EQUALS, '=')] {
        let items = if description.contains(mark) { each(pattern, description) } else { Vec::new() };
        let is_new = |(at, item): (usize, &String)| !items.iter().take(at).any(|other| other == item);
        let marks = description.matches(mark).count();
        let fits = items.len() > 2 && marks <= items.len() + 1 && items.iter().enumerate().all(is_new);
        if fits && are_alternatives(description, &items) {
            return items;
        }
    }
    Vec::new()
}

/// Whether letters stand for one of several ways, and not for parts that are combined: one is the default, or they say how.
fn are_alternatives(description: &str, items: &[String]) -> bool {
    let is_named = |name: &str| items.iter().any(|item| item == name);
    let in_brackets = description.strip_suffix(']').and_then(|text| text.rsplit_once('['));
    in_brackets.is_some_and(|(_, name)| is_named(name))
        || has_default(description, items)
        || ["mode: ", "mode:  ", "how to "].iter().any(|words| description.contains(words))
}

/// `[A] automatic [I] info [R] refactor`: letters and the words they stand for.
pub(super) fn lettered(description: &str) -> Vec<String> {
    const LEAST: usize = 6;
    let items = if description.contains("] ") { each(&LETTERED, description) } else { Vec::new() };
    let is_initial = |pair: &[String]| matches!(pair, [letter, word] if word.to_lowercase().starts_with(&letter.to_lowercase()));
    if items.len() >= LEAST && items.chunks(2).all(is_initial) { items } else { Vec::new() }
}
