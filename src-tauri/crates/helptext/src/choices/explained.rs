//! Values that a description explains one by one.

use std::sync::LazyLock;

use super::numbered::{in_parentheses, lettered, lettered_for_each, numbered};
use super::{MAX_CHOICES, are_kinds, gives_examples, has_default};
use crate::patterns::{Pattern, found, is_match, pattern};

/// A description of this length may be cut.
const CUT: usize = 1_900;

// turbo: `Use "loose" to pass it on. Use "strict" to pass nothing.`
pattern!(USED, r#"(?:^|\. |\) )Use ["'`]([a-z0-9][\w.+-]*)["'`] (?:to|for) "#);
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
pattern!(QUOTED_DASHED, r#"(?:^|\s)["'`]([a-z0-9][\w.+-]*)["'`](?: \(default\))?\s+--? \w"#);
// `- "each"  Report each`.
pattern!(QUOTED_BULLET, r#"(?:^|\s)- ["'`]([a-z0-9][\w.+-]*)["'`]:?\s"#);
// `'plain' does nothing. 'rewrite' (the default) rewrites`.
pattern!(AT_START, r#"(?:^|[.!?;)]\s+|values are: )(["'`][a-z0-9][\w.+-]*["'`])(?: \(|:?\s[a-z])"#);
pattern!(ANY_QUOTED, r#"["'`][A-Za-z0-9][\w.+-]*["'`]"#);

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
pattern!(ALIGNED, r"(?:^|\s)([a-z0-9][\w.+-]*)(\s{2,})\w");
// `auto -> choose it low  -> low quality`.
pattern!(ARROWED, r"(?:^|\s)([A-Za-z0-9][\w.+-]*)\s+->\s");
pattern!(MAPPED, r"->\s*\S+,");
// `* strict: never * adopt: always`, `off   - Do not`.
pattern!(STARRED, r"(?:^|\s)\* ([a-z0-9][\w.+-]*): ");
pattern!(
    DASHED_DEFAULT,
    r"(?:^|\s)([a-z0-9][\w.+-]*)(?: / ([a-z0-9][\w.+-]*))?(?: / ([a-z0-9][\w.+-]*))?\s+- [A-Z]"
);
// `0-9`.
pattern!(DIGITS, r"(?:^|[ (])\d-\d");

/// Takes values from a description.
type List = fn(&str) -> Vec<String>;

/// The values that are explained, if those are all there are.
pub(super) fn explained(description: &str, name: &str) -> Vec<String> {
    if description.len() > CUT && description.chars().count() > CUT {
        return Vec::new();
    }
    // Most descriptions lack the marks that a form needs, and the patterns are slow.
    let any = true;
    let quotes = description.bytes().any(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    let brackets = description.bytes().any(|byte| matches!(byte, b'(' | b'[' | b'{'));
    let dashes = description.contains('-');
    let lists: [(bool, List); 16] = [
        (description.contains('='), llvm),
        (any, lettered),
        (quotes, quoted),
        (quotes, quoted_dashed),
        (quotes, quoted_bullets),
        (description.contains('>'), arrowed),
        (description.contains('*'), starred),
        (any, lettered_for_each),
        (description.contains(':'), defined),
        (quotes, at_start),
        (brackets, in_parentheses),
        (dashes, dashed),
        (any, columns),
        (any, numbered),
        (quotes, used),
        (dashes, dashed_with_default),
    ];
    let lists = lists.iter().filter(|(may_be, _)| *may_be);
    let found = lists.map(|(_, list)| list(description)).find(|items| items.len() > 1);
    let named = || Some(called(description, name)).filter(|items| items.len() > 1);
    found.or_else(named).unwrap_or_else(|| assigned(description, name))
}

/// All captures of a pattern.
pub(super) fn each(pattern: &Pattern, text: &str) -> Vec<String> {
    let Some(pattern) = LazyLock::force(pattern).as_ref().filter(|pattern| pattern.is_match(text)) else {
        return Vec::new();
    };
    let items = pattern.captures_iter(text).take(MAX_CHOICES);
    items
        .flat_map(|found| {
            found.iter().skip(1).flatten().map(|item| item.as_str().to_owned()).collect::<Vec<_>>()
        })
        .collect()
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

/// `auto -> choose it`, if every arrow stands behind a value.
fn arrowed(description: &str) -> Vec<String> {
    let items = if description.contains("-> ") { each(&ARROWED, description) } else { Vec::new() };
    // `chr1 -> 1, chr2 -> 2` maps names.
    let is_open =
        items.len() < 3 || description.matches("->").count() > items.len() || is_match(&MAPPED, description);
    if is_open || are_kinds(&items) { Vec::new() } else { items }
}

/// `* strict: never * adopt: always`, behind words that introduce it or with the default in it.
fn starred(description: &str) -> Vec<String> {
    let items = if description.contains("* ") { each(&STARRED, description) } else { Vec::new() };
    let is_told = || {
        ["options are:", "values are:", "one of the following:"]
            .iter()
            .any(|words| description.contains(words))
            || has_default(description, &items)
    };
    let is_open = items.len() < 2 || description.matches("* ").count() > items.len() || !is_told();
    if is_open || are_kinds(&items) { Vec::new() } else { items }
}

/// `off   - Do not last  - Once (default: last)`: what begins with a capital behind a dash, and one is the default.
fn dashed_with_default(description: &str) -> Vec<String> {
    let items = if description.contains(" - ") { each(&DASHED_DEFAULT, description) } else { Vec::new() };
    if items.len() < 3 || are_kinds(&items) || !has_default(description, &items) { Vec::new() } else { items }
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
    if are_kinds(&items) || is_match(&DIGITS, description) { Vec::new() } else { items }
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
    let items = aligned(description);
    if !items.is_empty() {
        return items;
    }
    let items = each(&WIDE_COLUMNS, description);
    let gaps = description.split("    ").filter(|part| !part.trim().is_empty()).count().saturating_sub(1);
    if items.len() > 2 && items.len() == gaps && !are_kinds(&items) { items } else { Vec::new() }
}

/// `all       all of it true      only some`: items that are as wide as each other with the blanks behind them.
fn aligned(description: &str) -> Vec<String> {
    let Some(pattern) = LazyLock::force(&ALIGNED).as_ref().filter(|_| description.contains("   ")) else {
        return Vec::new();
    };
    let mut items: Vec<String> = Vec::new();
    let mut widths: Vec<usize> = Vec::new();
    for found in pattern.captures_iter(description).take(MAX_CHOICES) {
        let (Some(item), Some(gap)) = (found.get(1), found.get(2)) else { continue };
        widths.push(gap.end() - item.start());
        items.push(item.as_str().to_owned());
    }
    let gaps =
        description.trim().split("  ").filter(|part| !part.trim().is_empty()).count().saturating_sub(1);
    let marks_default = || description.contains("(default)") || has_default(description, &items);
    let fits = items.len() == gaps
        && items.len() > 1
        && widths.iter().all(|width| Some(width) == widths.first())
        && (items.len() > 2 || marks_default());
    if fits && !are_kinds(&items) { items } else { Vec::new() }
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
    // `only set the exit status (0=found, 1=not found)`
    if ["exit", "status", "return"].iter().any(|word| description.contains(word)) {
        return Vec::new();
    }
    let numbers = numbered(description);
    let is_told = numbers.len() > 2 || numbers.len() == 2 && description.contains("(default)");
    let items = if is_told { numbers } else { in_parentheses(description) };
    if items.len() > 2 || is_told || items == ["0", "1"] { items } else { quoted_bullets(description) }
}

/// `- "each"  Report each. - "all"  Report all.`
fn quoted_bullets(description: &str) -> Vec<String> {
    let items = if description.contains("- ") { each(&QUOTED_BULLET, description) } else { Vec::new() };
    let is_open = description.matches("- ").count() > items.len() + 1;
    if is_open || are_kinds(&items) { Vec::new() } else { items }
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
            (
                "diffusion method auto     -> choose it (default) none     -> do not fs  -> by lines",
                "T",
                "auto none fs",
            ),
            ("Rename as in: chr1 -> 1, chr2 -> 2, chrX -> X", "MAP", ""),
            ("Permissions: r = read, w = write, x = execute", "PERMS", ""),
            ("Interval with a unit: s = seconds, m = minutes, h = hours", "TIME", ""),
            ("Most levels, 0 for unlimited or 1 for only the top", "N", ""),
            ("rename a -> b, c -> d or e -> f, as in x->y", "T", ""),
            ("The options are: * strict: It is an error. * adopt: It is taken.", "string", "strict adopt"),
            ("It defaults to 'merge'. * merge: Compare it. * replace: Take it.", "string", "merge replace"),
            ("Notes: * one: first * two: second", "string", ""),
            (
                "- `alias`: a union of values; - `upper` for an enum; - `pascal` for another",
                "STYLE",
                "alias upper pascal",
            ),
            ("Possible values are: `crlf`: as Windows. `lf` as Unix. Default: `lf`", "STYLE", "crlf lf"),
            ("\"json\" (default) -- convert to it. \"csv\" -- convert to rows.", "", "json csv"),
            ("profile [0 = Generic MPEG1, 1 = VCD, 2|3 = DVD, 4 = ATSC 480i]", "fmt", "0 1 2 3 4"),
            ("aspect ratio (default: 2 = 4:3) [1 = 1:1, 2 = 4:3, 3 = 16:9]", "num", "1 2 3"),
            ("N is either 0 for the external base, or 1 for the internal one.", "N", "0 1"),
            ("how to find it. f:one strand, b:both strands, n:neither [n]", "CHAR", "f b n"),
            ("interlacing mode:  p = none t = top first b = bottom first", "x", "p t b"),
            ("as in a:b, c:d and e:f:g:h", "x", ""),
            (
                "whether to verify it (default: last) off   - Do not last  - Once all   - Every time",
                "TYPE",
                "off last all",
            ),
            ("all of it - Some of that - Others - Or none (default: x)", "TYPE", ""),
            (
                "what to remove all       all of it true      some of it failing   what fails",
                "",
                "all true failing",
            ),
            ("what to use draft7     as it was (default) draft2019  as it is", "", "draft7 draft2019"),
            ("what to use draft7     as it was draft2019  as it is", "", ""),
            ("'b' compressed; 'u' uncompressed; 0-9 compression level", "type", ""),
        ] {
            assert_eq!(explained(description, name).join(" "), values, "{description}");
        }
    }
}
