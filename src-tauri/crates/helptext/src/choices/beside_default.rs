//! Lists that show which of their values is the default, and lists behind the noun that they are about.

use super::description::split;
use super::parentheses::without_remarks;
use super::{are_kinds, gives_examples, list::closed};
use crate::patterns::{found, pattern};

/// Words for what values are of.
const NOUNS: &[&str] = &[
    "type",
    "format",
    "mode",
    "style",
    "level",
    "algorithm",
    "method",
    "order",
    "language",
    "policy",
    "protocol",
    "scheme",
    "variant",
    "metric",
];

// The list, and in the second the default behind it.
pattern!(
    AROUND_DEFAULT,
    r"(?:^|[\s(])((?:[A-Za-z0-9][\w.+-]*(?: \(default\))?, )*[A-Za-z0-9][\w.+-]* \(default\)(?:, [A-Za-z0-9][\w.+-]*)*,? or [A-Za-z0-9][\w.+-]*|(?:[A-Za-z0-9][\w.+-]*, )*[A-Za-z0-9][\w.+-]*,? or [A-Za-z0-9][\w.+-]* \(default\))(?:[.;,)\s]|$)"
);
// `Sort by tag, created, size (default "created")`.
pattern!(
    BY_DEFAULT,
    r"(?:^|\s)(?:by|to|as) ([a-z0-9][\w.+-]*(?:, [a-z0-9][\w.+-]*){2,}) [(\[][Dd]efault:? ['\x22`]?([A-Za-z0-9][\w.+-]*)['\x22`]?[)\]]"
);
// `Use mobile or desktop. The default value is mobile`.
pattern!(
    USE_DEFAULT,
    r"(?:^|[.;] )Use ([a-z][\w-]* or [a-z][\w-]*)[.,].* default (?:value )?is ['\x22`]?([\w-]+)"
);
pattern!(
    OR_DEFAULT,
    r"(?:^|[\s(])((?:[A-Za-z0-9][\w.+-]*, )*[A-Za-z0-9][\w.+-]*,? or [A-Za-z0-9][\w.+-]*) [(\[](?i:the )?[Dd]efault(?: is|:)? ['\x22`]?([A-Za-z0-9][\w.+-]*)['\x22`]?[)\]]"
);
// `in ical (default) or pcal format`: what says which of them is the default lists all.
pattern!(
    BESIDE_DEFAULT,
    r"(?:^|\s)([a-z0-9][\w.+-]*) \(default\),? or ([a-z0-9][\w.+-]*)(?:[.;,)]|$| (?:format|mode|style|order|\w+s?\.?$))"
);

/// `Export in ical (default) or pcal format`.
pub(super) fn beside_default(description: &str) -> Vec<String> {
    let Some(captures) = found(&BESIDE_DEFAULT, description) else { return Vec::new() };
    let items: Vec<String> = captures.iter().skip(1).flatten().map(|item| item.as_str().to_owned()).collect();
    let before = captures.get(1).and_then(|first| description.get(..first.start())).unwrap_or_default();
    // `a, b (default) or c` has more, `the report format, a (default) or b` has not.
    let has_more = before.trim_end().strip_suffix(',').is_some_and(|before| !is_noun(before));
    let fits = !has_more && !are_things(&items) && !are_kinds(&items) && !gives_examples(description);
    if fits { items } else { Vec::new() }
}

/// `a regular expression (default) or a glob`: things, not values.
fn are_things(items: &[String]) -> bool {
    items.iter().any(|item| ["a", "an", "the"].contains(&item.as_str()))
        && items.iter().any(|item| item.chars().count() > 2)
}

/// `PEM or DER (default)`, `SMIME (default), PEM or DER`, `to Landscape or Portrait (default Portrait)`.
pub(super) fn around_default(description: &str) -> Vec<String> {
    // The patterns are slow.
    let is_list = description.contains(" or ") || description.contains(", ");
    let is_marked = is_list && description.to_ascii_lowercase().contains("default");
    let patterns = [&AROUND_DEFAULT, &OR_DEFAULT, &BY_DEFAULT, &USE_DEFAULT];
    let captures = patterns.iter().filter(|_| is_marked).find_map(|pattern| found(pattern, description));
    let Some(captures) = captures else { return Vec::new() };
    let Some(list) = captures.get(1) else { return Vec::new() };
    let items = split(&without_remarks(list.as_str()));
    let named = captures.get(2).map(|default| default.as_str());
    let before = description.get(..list.start()).unwrap_or_default().trim_end();
    let is_upper = items.iter().all(|item| item.chars().all(|c| !c.is_ascii_lowercase()));
    // In `a, b or c (default)`, nothing tells where the list begins, but its first word or what is in front of it.
    let begins = before.is_empty()
        || before.ends_with([':', '.', ';', '('])
        || named.is_some() && (items.len() == 2 || !list.as_str().contains(" or "))
        || list.as_str().split([',', ' ']).next().is_some_and(|first| {
            list.as_str().get(first.len()..).is_some_and(|rest| rest.starts_with(" (default)"))
        });
    let fits = items.len() > 1
        && (is_upper || begins)
        && named.is_none_or(|named| items.iter().any(|item| item == named))
        && !before.ends_with(',')
        && !are_things(&items)
        && !are_kinds(&items)
        && !gives_examples(description);
    if fits { items } else { Vec::new() }
}

/// `data profile, raid0, raid1, dup or single`, where the value is called `PROFILE`; `algorithm to use, a (default), b, c`.
pub(super) fn behind_noun(description: &str, name: &str) -> Vec<String> {
    let parts = description.split_once(", ").filter(|(noun, _)| !noun.contains([':', ';']));
    let Some((noun, list)) = parts else { return Vec::new() };
    let last = noun.rsplit(' ').next().unwrap_or_default();
    let is_noun =
        (last.eq_ignore_ascii_case(name) || list.contains(" (default), ")) && !gives_examples(description);
    let items = if is_noun { closed(list, false) } else { Vec::new() };
    if items.len() > 2 { items } else { Vec::new() }
}

/// `Force use of auth type NONE, MD5 or OEM`, at the end.
pub(super) fn of_noun(description: &str) -> Vec<String> {
    const LEAST: usize = 3;
    if !description.contains(", ") || !description.contains(" or ") || gives_examples(description) {
        return Vec::new();
    }
    let words = description.match_indices(' ').map(|(at, _)| at);
    let mut lists = words.filter(|at| description.get(..*at).is_some_and(is_noun));
    let list = lists.next().and_then(|at| description.get(at..)).unwrap_or_default();
    let items = closed(list, false);
    let length: usize = items.iter().map(|item| item.len() + 2).sum();
    if items.len() >= LEAST && list.len() <= length + " or .".len() { items } else { Vec::new() }
}

/// Whether a text ends with a word for what values are of.
pub(super) fn is_noun(text: &str) -> bool {
    let last = text.split_whitespace().next_back().unwrap_or_default();
    NOUNS.iter().any(|noun| last.eq_ignore_ascii_case(noun))
}

/// Whether a text has such a word anywhere.
pub(super) fn has_noun(text: &str) -> bool {
    text.split_whitespace().any(is_noun)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_no_values() {
        for text in [
            "the search pattern which is either a regular expression (default) or a glob pattern (if --glob is used)",
            "a file (default) or an address",
        ] {
            assert_eq!((around_default(text), beside_default(text)), (Vec::new(), Vec::new()), "{text}");
        }
        assert_eq!(around_default("SMIME (default), PEM or DER"), ["SMIME", "PEM", "DER"]);
        assert_eq!(around_default("how to sort: a (default) or b"), ["a", "b"]);
    }
}
