//! Values that a description explains one by one.

use std::sync::LazyLock;

use super::{MAX_CHOICES, are_kinds, gives_examples};
use crate::patterns::{Pattern, found, is_match, pattern};

/// A description of this length may be cut.
const CUT: usize = 1_900;

// turbo: `Use "loose" to pass it on. Use "strict" to pass nothing.`
pattern!(USED, r#"(?:^|\. |\) )Use ["'`]([a-z0-9][\w.+-]*)["'`] (?:to|for) "#);
pattern!(LETTERED, r"\[([A-Z])\] ([a-z]\w+)");
// LLVM: `=small  -  Small code model`.
pattern!(LLVM, r"(?:^|\s)=(\S+)\s{2,}-\s{2,}");
// `The possible values are:  never: No colors.  auto: The default.`
pattern!(
    BEFORE_DEFINED,
    r"(?i)\b(?:possible|valid|allowed|available|supported|legal|permitted)(?: \w+){1,6} are:\s+"
);
pattern!(DEFINED, r"(?:^|[.!?)]\s+|\s{2,})([a-z0-9][\w.+-]*):\s+");
// `'f' or 'file':  regular files`.
pattern!(EXPLAINED, r#"["'`]([\w+.-]+)["'`](?: or ["'`]([\w+.-]+)["'`])? ?:\s"#);
// `'auto'   - all functions  'strict' - none of them`.
pattern!(QUOTED_DASHED, r#"(?:^|\s)["'`]([a-z0-9][\w.+-]*)["'`]\s+- \w"#);
// `- "each"  Report each`.
pattern!(QUOTED_BULLET, r#"(?:^|\s)- ["'`]([a-z0-9][\w.+-]*)["'`]\s"#);
// `'plain' does nothing. 'rewrite' (the default) rewrites`.
pattern!(AT_START, r#"(?:^|[.!?;)]\s+)(["'`][a-z0-9][\w.+-]*["'`])(?: \(|\s[a-z])"#);
pattern!(ANY_QUOTED, r#"["'`][A-Za-z0-9][\w.+-]*["'`]"#);
// `(0=none, 1=simple)`.
pattern!(ASSIGNED, r"\(\s*((?:\w+\s?=\s?[^,;()=]+[,;]\s*)+\w+\s?=\s?[^,;()=]+)\)");

// `one of: original - read all lowmem - read blocks again`.
pattern!(
    BEFORE_DASHED,
    r"(?i)\b(?:one of(?: the following)?|(?:values|options|modes|choices)(?: are)?)\s*:\s+"
);
pattern!(DASHED, r"(?:^|\s)([a-z0-9][\w.+-]*)\s+-\s+\w");
// `The modes are as follows: strict       only without errors lax          all`.
pattern!(
    BEFORE_COLUMNS,
    r"(?i)\b(?:as follows:|one of(?: the following)?:|(?:values|options|modes|choices|methods|types|formats)(?: are(?: as follows)?:?|:))\s+"
);
pattern!(COLUMNS, r"(?:^|\s)([a-z0-9][\w.+-]*)\s{2,}\w");
// The same without words before it: `set how. all        all of it ascii      as text`.
pattern!(WIDE_COLUMNS, r"(?:^|\s)([a-z0-9][\w.+-]*)\s{4,}\w");
// `strategy 0=default, 1=filtered`, `mode: 0 - original; 1 - neural`, `0 (directed), 1 (by ink)`.
pattern!(NUMBERED, r"(?:^|[\s,;(])(\d{1,2})(?:=|(?: ?: ?| - | = | \()[A-Za-z])");
// `1 for big endian, 0 for little`.
pattern!(NUMBERED_FOR, r"(?:^(?:n )?|, |; )(\d) for [a-z]");
pattern!(NUMBERED_RANGE, r"\d-\d+ ?[:=]|\b[Rr]anges?\b");

/// The values that are explained, if those are all there are.
pub(super) fn explained(description: &str, name: &str) -> Vec<String> {
    if description.chars().count() > CUT {
        return Vec::new();
    }
    let lists = [
        llvm,
        lettered,
        quoted,
        quoted_dashed,
        quoted_bullets,
        defined,
        at_start,
        in_parentheses,
        dashed,
        columns,
        numbered,
        used,
    ];
    let found = lists.iter().map(|list| list(description)).find(|items| items.len() > 1);
    let named = || Some(called(description, name)).filter(|items| items.len() > 1);
    found.or_else(named).unwrap_or_else(|| assigned(description, name))
}

/// All captures of a pattern.
pub(super) fn each(pattern: &Pattern, text: &str) -> Vec<String> {
    let Some(pattern) = LazyLock::force(pattern).as_ref() else { return Vec::new() };
    let items = pattern.captures_iter(text).take(MAX_CHOICES);
    items
        .flat_map(|found| {
            found.iter().skip(1).flatten().map(|item| item.as_str().to_owned()).collect::<Vec<_>>()
        })
        .collect()
}

/// `[A] automatic [I] info [R] refactor`: letters and the words they stand for.
fn lettered(description: &str) -> Vec<String> {
    const LEAST: usize = 6;
    let items = if description.contains("] ") { each(&LETTERED, description) } else { Vec::new() };
    let is_initial = |pair: &[String]| matches!(pair, [letter, word] if word.to_lowercase().starts_with(&letter.to_lowercase()));
    if items.len() >= LEAST && items.chunks(2).all(is_initial) { items } else { Vec::new() }
}

fn used(description: &str) -> Vec<String> {
    if gives_examples(description) { Vec::new() } else { each(&USED, description) }
}

/// `=small  -  Small code model`.
pub(super) fn llvm(description: &str) -> Vec<String> {
    let items = each(&LLVM, description);
    let is_open = items.iter().any(|item| item.contains('<')) || description.contains("=<");
    if is_open { Vec::new() } else { items }
}

fn quoted(description: &str) -> Vec<String> {
    let items = each(&EXPLAINED, description);
    let is_name = |item: &String| item.chars().all(|c| !c.is_ascii_lowercase() && !c.is_ascii_digit());
    let least = if description.contains("one of: ") { 2 } else { 3 };
    let is_open = items.len() < least || items.iter().any(is_name) || description.contains("'':");
    if is_open { Vec::new() } else { items }
}

fn quoted_dashed(description: &str) -> Vec<String> {
    let items = each(&QUOTED_DASHED, description);
    if are_kinds(&items) { Vec::new() } else { items }
}

fn defined(description: &str) -> Vec<String> {
    behind(&BEFORE_DEFINED, &DEFINED, description)
}

/// Quoted words that sentences begin with, if no other words are quoted.
fn at_start(description: &str) -> Vec<String> {
    let mut items = each(&AT_START, description);
    items.dedup();
    let Some(any) = LazyLock::force(&ANY_QUOTED).as_ref() else { return Vec::new() };
    if !any.find_iter(description).all(|word| items.iter().any(|item| item == word.as_str())) {
        return Vec::new();
    }
    let items: Vec<String> =
        items.iter().map(|item| item.trim_matches(['"', '\'', '`']).to_owned()).collect();
    if are_kinds(&items) { Vec::new() } else { items }
}

/// Numbers or letters with what they mean, in parentheses: `(0=none, 1=simple)`.
fn in_parentheses(description: &str) -> Vec<String> {
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

/// `mode 'canonical' writes … mode 'off' …`, where the value is called `mode`, if no other words are quoted.
fn called(description: &str, name: &str) -> Vec<String> {
    if name.is_empty() {
        return Vec::new();
    }
    let Some(any) = LazyLock::force(&ANY_QUOTED).as_ref() else { return Vec::new() };
    let mut items: Vec<String> = Vec::new();
    for found in any.find_iter(description).take(MAX_CHOICES) {
        let before = description.get(..found.start()).unwrap_or_default().trim_end();
        let is_called = before
            .get(before.len().saturating_sub(name.len())..)
            .is_some_and(|word| word.eq_ignore_ascii_case(name));
        if !is_called {
            return Vec::new();
        }
        let item = found.as_str().trim_matches(['"', '\'', '`']).to_owned();
        if !items.contains(&item) {
            items.push(item);
        }
    }
    if are_kinds(&items) { Vec::new() } else { items }
}

fn dashed(description: &str) -> Vec<String> {
    behind(&BEFORE_DASHED, &DASHED, description)
}

fn columns(description: &str) -> Vec<String> {
    let items = behind(&BEFORE_COLUMNS, &COLUMNS, description);
    if !items.is_empty() {
        return items;
    }
    let items = each(&WIDE_COLUMNS, description);
    let gaps = description.split("    ").filter(|part| !part.trim().is_empty()).count().saturating_sub(1);
    if items.len() > 2 && items.len() == gaps && !are_kinds(&items) { items } else { Vec::new() }
}

/// All items behind some words, if the first one follows at once.
fn behind(before: &Pattern, item: &Pattern, description: &str) -> Vec<String> {
    let Some(all) = found(before, description).and_then(|found| found.get(0)) else { return Vec::new() };
    let rest = description.get(all.end()..).unwrap_or_default();
    let begins = found(item, rest).and_then(|first| first.get(0)).is_some_and(|first| first.start() == 0);
    let items = if begins { each(item, rest) } else { Vec::new() };
    // `o  first o  second` are signs before items.
    let is_repeated = items.first().is_some_and(|first| items.iter().skip(1).any(|item| item == first));
    if is_repeated || are_kinds(&items) { Vec::new() } else { items }
}

/// `slave mode (0=auto, 1=on, 2=off)`, `- "all"  Report all`: values that are explained where no value is shown.
pub(super) fn told_alone(description: &str) -> Vec<String> {
    let numbers = numbered(description);
    let items = if numbers.len() > 2 { numbers } else { in_parentheses(description) };
    if items.len() > 2 { items } else { quoted_bullets(description) }
}

/// `- "each"  Report each. - "all"  Report all.`
fn quoted_bullets(description: &str) -> Vec<String> {
    let items = if description.contains("- ") { each(&QUOTED_BULLET, description) } else { Vec::new() };
    let is_open = description.matches("- ").count() > items.len() + 1;
    if is_open || are_kinds(&items) { Vec::new() } else { items }
}

/// Numbers in a row from 0 or 1: others are ends of a range.
fn numbered(description: &str) -> Vec<String> {
    let is_open = description.contains("-1=") || is_match(&NUMBERED_RANGE, description);
    let mut items = if is_open { Vec::new() } else { each(&NUMBERED, description) };
    if items.is_empty() && !is_open && description.contains(" for ") {
        items = each(&NUMBERED_FOR, description);
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

/// `N=0 never N=1 always`, where the value is called `N`.
fn assigned(description: &str, name: &str) -> Vec<String> {
    if name.is_empty() {
        return Vec::new();
    }
    let mut items: Vec<String> = Vec::new();
    let before = format!("{name}=");
    for (at, _) in description.match_indices(&before) {
        let is_word = description
            .get(..at)
            .is_some_and(|text| text.ends_with(|c: char| c.is_alphanumeric() || "-_".contains(c)));
        let rest = description.get(at + before.len()..).unwrap_or_default();
        let quote = rest.chars().next().filter(|first| "'\"`".contains(*first));
        let rest = rest.trim_start_matches(['\'', '"', '`']);
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '+' | '-'))
            .unwrap_or(rest.len());
        let (item, behind) = rest.split_at(end);
        let item = item.trim_end_matches('.');
        let ends = match quote {
            Some(_) => behind.starts_with(['\'', '"', '`']),
            None => {
                behind.trim_end_matches([',', ';', '.', ')']).is_empty()
                    || behind.starts_with([' ', ')'])
                    || behind.get(1..2) == Some(" ")
            }
        };
        if is_word || item.is_empty() || !ends {
            return Vec::new();
        }
        if !items.iter().any(|known| known == item) {
            items.push(item.to_owned());
        }
    }
    if are_kinds(&items) { Vec::new() } else { items }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_explained_one_by_one() {
        for (description, name, values) in [
            ("- Choose code model =tiny     -   Tiny code model =small    -   Small", "value", "tiny small"),
            ("by type: 'f' or 'file':  regular 'd' or 'directory':  dirs", "type", "f file d directory"),
            ("possible values for it are: never: No colors. auto: On a terminal.", "WHEN", "never auto"),
            (
                "Control tools. 'plain' does nothing. 'rewrite' (the default) rewrites it.",
                "MODE",
                "plain rewrite",
            ),
            ("'plain' does nothing. 'rewrite' rewrites it unless 'x' is set", "MODE", ""),
            ("rounding (0=none, 1=simple, 2=adjusted)", "NUM", "0 1 2"),
            ("method (0=fast, 6=slowest)", "int", ""),
            ("format (0=concise, 1=normal, 2=filled, 4=values)", "NUM", "0 1 2 4"),
            ("levels: 1: failures 2: warnings 3: details 4-6: more and more", "LEVEL", ""),
            ("bits (1=code, 2=data, 4=names)", "n", ""),
            (
                "write (mode 'canonical'), short (mode 'short') or not (mode 'off')",
                "mode",
                "canonical short off",
            ),
            ("use mode 'a', or mode 'b' with 'c'", "mode", ""),
            ("strategy 0=default, 1=filtered, 2=huffman only", "S", "0 1 2"),
            ("level 0=fast, 9=best", "L", ""),
            ("'auto'   - All are handled 'strict' - None are (for others)", "MODE", "auto strict"),
            ("engine mode: 0 - original only; 1 - neural nets only; 2 - default.", "MODE", "0 1 2"),
            ("measure; 0 : distance, 1: full (default)", "i", "0 1"),
            ("method used. 0 (force directed), 1 (ink saving), 2 (both)", "method", "0 1 2"),
            ("factor. Ranges from 0 (average speed) to 1 (current speed)", "n", ""),
            ("class, 0: none, 1: realtime, 2: idle", "class", "0 1 2"),
            ("from 1 - 5 to 2 - 7", "N", ""),
            (
                "one of the modes. 'flat' : Render flat. 'tall' : Tall text. 'both' : All.",
                "",
                "flat tall both",
            ),
            (
                "MODE is one of: original - read all (needs more) lowmem - read blocks again",
                "MODE",
                "original lowmem",
            ),
            (
                "The modes are as follows: strict       only without errors lax          all there are",
                "mode",
                "strict lax",
            ),
            ("The options are: o  no - show none o  all - show all", "mode", ""),
            ("set keys (name=value, size=value)", "K", ""),
            (
                "set how. all             all of it text            as text none            not at all",
                "how",
                "all text none",
            ),
            ("a table:  one    two  three", "how", ""),
            ("set it. A        1 all        all of it text       as text none       not", "how", ""),
            ("check names: N=0   never N=1   on change (default) N=2   always", "N", "0 1 2"),
            ("switch it on (x=1) or off (x=0) (Asus only)", "x", "1 0"),
            ("keep (METHOD='replace'; default) or after (METHOD='system')", "METHOD", "replace system"),
            ("as in x=<file>, x=1 and x=2", "x", ""),
            ("idle on a system (x=a,b) or only (x=c)", "x", ""),
            ("max=1 and max=2 of it", "x", ""),
        ] {
            assert_eq!(explained(description, name).join(" "), values, "{description}");
        }
    }
}
