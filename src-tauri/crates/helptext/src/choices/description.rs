//! Values that the description of an option lists.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::alone::{at_start, bare_list, slashed_at_end, slashed_with_default, with_bars};
use super::beside_default::{around_default, behind_noun, beside_default, of_noun};
use super::colon::behind_colon;
use super::explained::{each, explained};
use super::introduced::{introduced, introduces};
use super::named::{of_named, with_flags};
use super::pairs::pair;
use super::parentheses::in_parentheses;
use super::well_known::well_known;
use super::{MAX_CHOICES, are_kinds, gives_examples, has_default, list::closed};
use crate::hints::bare;
use crate::patterns::{Pattern, found, found_near, is_match, pattern};

pattern!(
    LISTED,
    r"(?i)[\[(<]\s*(?:possible values|choices|values|allowed values|options|one of)\s*(?::|[\x22'`])\s*([^\])>]*)[\])>]"
);
// `One of [none, 16/8, full]`, `one of [json merge strategic]`.
pattern!(LISTED_BEHIND, r"(?i)\b(?:(?:one|any) of|(?:choices|options|values)(?: are:?|:)) \[([^\[\]]+)\]");
// gh: `Filter by state: {open|closed|all}`.
pattern!(
    BRACES,
    r"(?:^|[^=]\s)\{ ?([A-Za-z0-9][\w.+-]*(?:[|,] ?[A-Za-z0-9][\w.+-]*)+) ?\}(?:[\s;)]|\.(?:\s|$)|$)"
);
// `{completed|not planned}`.
pattern!(
    BRACED_PHRASES,
    r"(?:^|[^=] )\{([a-z][\w-]*(?: [a-z]+)?(?:\|[a-z][\w-]*(?: [a-z]+)?)+)\}(?:[\s;).]|$)"
);
pattern!(ONLY, r"\[possible values: ([\w.+-]+)\]");
pattern!(
    BULLETS,
    r"(?i)(?:(?:possible|valid|allowed|available|supported) (?:values|options|choices|modes|types|formats)(?: are)?|values are (?:supported|allowed|possible)|one of the following):\s*([-*] \w.*)"
);
pattern!(BULLET_WITH_VALUE, r"(?:^|\s)[-*] [\w.+-]+[=<\[]");
pattern!(BULLET, r"(?:^|\s)- ([\w.+-]+)(?::|\s|$)");
pattern!(
    COMBINED,
    r"(?i)(?:comma|colon|semicolon|space|plus|pipe)[- ](?:separated|delimited|list)|separated list|separated (?:by|with)|(?:^|\s)delimited|combination of|one or more of|multiple rules|any number of|sequence of (?:zero|one) or more|one/more of|any of the (?:bits|flags|fields)|(?:separated|split) (?:by|on|at) (?:commas?|colons?|spaces?)"
);
pattern!(
    OPEN,
    r"(?i)\b(?:custom (?:values?|names?|ones)|any other|or any|and so on|may be given|also you can|you can also|also (?:possible|accepted|allowed)|name or number|number or name|units supported|(?:higher|other|larger) values)\b|(?:^|[\s,(.])etc\b|to stdout:"
);
// `new, old or read (or any unambiguous abbreviation of these)`.
pattern!(ABBREVIATED, r"\s*\(or any [^()]*abbreviation[^()]*\)");
// Go: `options=[squashed all-layers]`.
pattern!(
    ASSIGNED_LIST,
    r"(?:\b(?:options|values|choices|one of)|<[\w-]+>)\s?=\s?\[([A-Za-z0-9][\w.+-]*(?:[ ,|]+[A-Za-z0-9][\w.+-]*)+)\]"
);
// `(ISO8859_1 TeX HTML XML)`.
pattern!(SPACED_CODES, r"\(([A-Za-z0-9][\w.+-]*(?: [A-Za-z0-9][\w.+-]*){3,})\)\.?$");
pattern!(SPACED_SUPPORTED, r"\((?:supported|available): ([a-z][\w.+-]*(?: [a-z][\w.+-]*)+)\)");
// `The method (one of NONE DES SHA256)`: no commas.
pattern!(SPACED, r"\(one of ([A-Za-z0-9][\w.+-]*(?:\s+[A-Za-z0-9][\w.+-]*){2,})\)");
// `One of: darkfish pot ri`, `Compressors available: gzip (default) lzo xz`.
pattern!(
    SPACED_TO_THE_END,
    r"(?i)\b(?:one of|available|supported(?: are)?|values|choices|formats|types?|modes?|styles?|methods?):\s+([a-z0-9][\w.+-]*(?: \(default\))?(?:\s+[a-z0-9][\w.+-]*(?: \(default\))?){2,})[.)]?\.?\s*(?:$|\([a-z]+ \w)"
);
pattern!(SPACED_PAIR, r"one of: ([a-z][\w-]* [a-z][\w-]*)$");
// mosquitto: `can be one of tlsv1.3 tlsv1.2 or tlsv1.1`.
pattern!(SPACED_VERSIONS, r"one of ([a-z]+[\d.]*\d(?: [a-z]+[\d.]*\d)* or [a-z]+[\d.]*\d)(?:[.,; ]|$)");
// OpenSSL: `Output format, one of DER PEM PVK`.
pattern!(SPACED_CAPITALS, r"(?:one of|format,) ([A-Z][A-Z0-9]+(?: [A-Z][A-Z0-9]+)+)$");
// `Show dates in short, full or iso format`. The noun is captured.
pattern!(
    IN_SOME_FORM,
    r"\bin ((?:[a-z0-9][\w-]*, )+[a-z0-9][\w-]*,? or [a-z0-9][\w-]*) (format|mode|style|order|notation)\b"
);
// `members (fields, methods, etc.)`: examples of something else, unless it is the last that is said.
pattern!(ETC, r"\([^()]*\betc\b[^()]*\)\s+\w");
pattern!(AVAILABLE, r" (?:are|is) (?:available|supported|allowed|accepted|valid|possible|recognized)\.?$");
pattern!(OTHERS, r"(?i)\bother (?:options|values|choices|modes|types|formats) are:? ");
pattern!(DEFAULT_QUOTED, r#"(?i)\bdefault(?: value)?(?: here)? is:? ["'`]([\w.+-]+)["'`]"#);
pattern!(QUOTED, r#"["'`‘“]([A-Za-z0-9][\w.+-]*)["'`’”]"#);
// Words before a quoted list that say that it is about something else.
pattern!(
    ABOUT_OTHERS,
    r"(?i)\b(?:for|with|from|not|no|named|called|like|as|suffix|prefix|see|by|than|and|options?|flags?|keys?|of|in|on|to|via|using|use|or|or either|in the format|of the form)\s*$"
);

/// The values that a description lists as the only ones. `value` is the name of the option's value as written: "WHEN is
/// 'always' or 'never'".
pub fn of_description(description: &str, value: &str) -> Vec<String> {
    if !may_list(description) {
        return Vec::new();
    }
    let description = &*without(&ABBREVIATED, description);
    let description = &*one_kind_of_quotes(description);
    let description = &*plain(description);
    if is_combined(description) || is_structured(value) {
        return Vec::new();
    }
    let name = bare(value);
    let several = |choices: Vec<String>| Some(choices).filter(|choices| choices.len() > 1);
    let listed = || {
        let all = found(&LISTED, description).or_else(|| found_near(&LISTED_BEHIND, description, " ["))?;
        // `one of: a, b; default: a`
        let list = all.get(1)?.as_str().split(';').next().unwrap_or_default();
        let is_spaced = !list.contains([',', '|']) && !list.contains(" or ");
        // oclif wraps words: `<options: trace|warn|e rror>`.
        let is_wrapped = all[0].starts_with("<options: ") && list.contains('|');
        let items = split(&match (is_spaced, is_wrapped) {
            (true, _) => list.replace(' ', ","),
            (_, true) => list.replace(' ', ""),
            _ => list.to_owned(),
        });
        // `integer or "num-cpus"`, `iso, +<CUSTOM_FORMAT>`
        let is_open = items
            .iter()
            .any(|item| ["integer", "number", "string"].contains(&item.as_str()) || item.contains('<'));
        several(items).filter(|_| !is_open)
    };
    let braces = || {
        let list = split(found(&BRACES, description)?.get(1)?.as_str());
        // `"import { One, Two } from 'x'"`
        let is_code = |one: &str| description.contains(&format!("import {{ {one}"));
        several(list).filter(|choices| !are_kinds(choices) && !choices.iter().take(1).any(|one| is_code(one)))
    };
    let bullets = || {
        // A blank cannot end one item and begin the next.
        let list = found(&BULLETS, description)?.get(1)?.as_str();
        let list = list
            .strip_prefix("* ")
            .map_or_else(|| list.to_owned(), |rest| format!("- {}", rest.replace(" * ", " - ")));
        let list = list.replace(" - ", "  - ");
        // `- size=N: its size`
        let is_open = is_match(&BULLET_WITH_VALUE, &list);
        several(each(&BULLET, &list)).filter(|choices| !is_open && !are_kinds(choices))
    };
    // clap's list may have one value.
    let only = || {
        let list = description.find("[possible values: ").and_then(|at| description.get(at..))?;
        Some(vec![found(&ONLY, list)?[1].to_owned()])
    };
    let phrases = || {
        Some(
            found_near(&BRACED_PHRASES, description, "{")?[1]
                .split('|')
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        )
    };
    if let Some(choices) = listed().or_else(braces).or_else(bullets).or_else(phrases).or_else(only) {
        return choices;
    }
    if is_open(description) {
        return Vec::new();
    }
    let explained = explained(description, name);
    // `NUM (0=none, 1=simple)`: a number, but only one of these.
    let are_numbers = explained.iter().all(|item| item.bytes().all(|byte| byte.is_ascii_digit()));
    if is_free(name) {
        // `(256,512,1k,2k)`
        let are_amounts = |items: &Vec<String>| {
            items.len() > 3 && items.iter().all(|item| item.starts_with(|c: char| c.is_ascii_digit()))
        };
        // `verbosity (0,1,2)`
        let are_levels = |items: &Vec<String>| {
            items.len() > 2 && items.iter().enumerate().all(|(at, item)| *item == at.to_string())
        };
        // `size (12, 16 or 32)`
        let are_only = |items: &Vec<String>| {
            items.len() > 2
                && description.contains(" or ")
                && items.iter().all(|item| item.parse::<u64>().is_ok())
        };
        return several(explained)
            .filter(|_| are_numbers)
            .or_else(|| {
                Some(in_parentheses(description, name))
                    .filter(|items| are_amounts(items) || are_levels(items) || are_only(items))
            })
            .unwrap_or_default();
    }
    several(explained)
        .or_else(|| several(with_flags(description)).filter(|choices| choices.len() > 2))
        .or_else(|| several(of_named(description, name)))
        .or_else(|| several(beside_others(description)))
        .or_else(|| several(introduced(description, name)))
        .or_else(|| several(grouped(description)))
        .or_else(|| several(available(description)))
        .or_else(|| several(spaced(description)))
        .or_else(|| several(in_some_form(description, name)))
        .or_else(|| several(in_parentheses(description, name)))
        .or_else(|| several(quoted(description, name)))
        .or_else(|| several(beside_default(description)))
        .or_else(|| several(around_default(description)))
        .or_else(|| several(behind_noun(description, name)))
        .or_else(|| several(of_noun(description)))
        .or_else(|| several(behind_colon(description)))
        .or_else(|| several(bare_list(description)))
        .or_else(|| several(at_start(description)))
        .or_else(|| several(slashed_with_default(description)))
        .or_else(|| several(slashed_at_end(description)))
        .or_else(|| several(with_bars(description)).filter(|_| !value.contains('|')))
        .or_else(|| several(well_known(description)))
        .or_else(|| several(pair(description, name)))
        .unwrap_or_default()
}

/// Whether a description says that there are values that it does not list.
pub(super) fn is_open(description: &str) -> bool {
    is_match(&OPEN, &without(&ETC, description))
}

/// Whether a description has anything that could separate or introduce values: most have not, and the patterns are slow.
fn may_list(description: &str) -> bool {
    const MARKS: &[char] = &[',', '|', '/', '"', '\'', '`', '‘', '“', '=', ':', '{', '[', '(', ';'];
    const WORDS: &[&str] = &[" or ", "one of", " - ", "->", "  ", "Use ", " and "];
    description.contains(MARKS) || WORDS.iter().any(|word| description.contains(word))
}

/// A list without marks of its default: `a, which is the default, b`, `first, last* or never`, `a=default)`. docker writes
/// `("always", "|missing", "never")`.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    const MARKS: &[(&str, &str)] = &[
        (", which is the default,", ","),
        ("* or ", " or "),
        (", \"|", ", \""),
        ("=default)", ")"),
        (" (deprecated)", ""),
        (" (experimental)", ""),
    ];
    MARKS.iter().fold(text.into(), |text: Cow<'_, str>, (mark, without)| match text.contains(mark) {
        true => text.replace(mark, without).into(),
        false => text,
    })
}

/// TeX's quotes, and quotes in quotes, as one kind.
fn one_kind_of_quotes(text: &str) -> Cow<'_, str> {
    if !text.contains('`') && !text.contains("''") {
        return text.into();
    }
    let others = ["``", "''", "`\"", "\"`"];
    others.iter().fold(text.to_owned(), |text, quote| text.replace(quote, "\"")).into()
}

/// Whether a value has parts of its own: `NAME[:ARGS]`, `K=V`.
pub(super) fn is_structured(value: &str) -> bool {
    let is_one = value.starts_with('<') && value.ends_with('>') && value.matches('<').count() == 1;
    let is_several = value.split_whitespace().count() > 1 && !value.contains('|') && !is_one;
    let is_list = value.contains(',') && !value.contains('{');
    is_several
        || is_list
        || value.trim_start_matches(['[', '=']).contains(['=', ':', '@', '+'])
        || value.contains("[,")
}

/// Whether a value's name says that there is no list of its values.
pub(super) fn is_free(name: &str) -> bool {
    const FREE: &[&str] = &[
        "password",
        "passwd",
        "url",
        "uri",
        "file",
        "filename",
        "path",
        "dir",
        "directory",
        "host",
        "hostname",
        "port",
        "seconds",
        "secs",
        "num",
        "number",
        "int",
        "integer",
        "float",
        "size",
        "duration",
        "regex",
        "expr",
        "command",
        "cmd",
        "opts",
    ];
    let lower = name.to_lowercase();
    const ENDS: &[&str] = &[
        "_list", "-list", " list", "_spec", "-spec", "filename", "_file", "-file", "_path", "-path", "-size",
        "_dir", "-dir",
    ];
    FREE.contains(&lower.as_str()) || ENDS.iter().any(|end| lower.ends_with(end))
}

/// Whether a description says that values can be combined.
pub(super) fn is_combined(description: &str) -> bool {
    ["List of ", "A list of "].iter().any(|list| description.starts_with(list))
        || is_match(&COMBINED, description)
}

/// The same, with commas between them.
pub(super) fn is_combined_with_commas(description: &str) -> bool {
    description.to_ascii_lowercase().contains("comma") && is_combined(description)
}

/// A text without what matches.
pub(super) fn without<'t>(pattern: &Pattern, text: &'t str) -> Cow<'t, str> {
    LazyLock::force(pattern).as_ref().map_or(text.into(), |pattern| pattern.replace_all(text, ""))
}

fn spaced(description: &str) -> Vec<String> {
    const PROSE: &[&str] = &[
        "the",
        "these",
        "those",
        "your",
        "its",
        "of",
        "for",
        "in",
        "a",
        "an",
        "following",
        "is",
        "are",
        "to",
        "and",
        "or",
        "be",
        "this",
        "that",
        "it",
        "not",
        "as",
        "by",
        "with",
        "on",
        "from",
        "will",
        "can",
        "you",
        "if",
    ];
    let list = found(&SPACED, description)
        .or_else(|| {
            Some(description)
                .filter(|text| text.contains("ed: ") || text.contains("able: "))
                .and_then(|text| found(&SPACED_SUPPORTED, text))
        })
        .or_else(|| {
            let is_code = |word: &&str| {
                word.len() > 1 && word.bytes().all(|byte| !byte.is_ascii_lowercase())
                    || word.bytes().any(|byte| byte.is_ascii_digit())
            };
            let text = Some(description).filter(|text| text.trim_end_matches('.').ends_with(')'))?;
            found(&SPACED_CODES, text).filter(|found| found[1].split(' ').filter(is_code).count() > 2)
        })
        .or_else(|| found(&ASSIGNED_LIST, description))
        .or_else(|| found(&SPACED_TO_THE_END, description))
        .or_else(|| found_near(&SPACED_PAIR, description, "one of: "))
        .or_else(|| found_near(&SPACED_VERSIONS, description, "one of "))
        .or_else(|| found(&SPACED_CAPITALS, description));
    let Some(list) = list.and_then(|found| found.get(1)) else { return Vec::new() };
    let words = list
        .as_str()
        .split([' ', ',', '|'])
        .filter(|word| !word.is_empty())
        .filter(|word| !["(default)", "or"].contains(word));
    let items: Vec<String> = words.map(|word| word.trim_end_matches('.').to_owned()).collect();
    let is_prose = items.iter().any(|item| PROSE.contains(&item.to_lowercase().as_str()));
    if is_prose || are_kinds(&items) { Vec::new() } else { items }
}

/// ls: `access time (-u): atime, access, use; change time (-c): ctime, status`: lists of one noun.
fn grouped(description: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut nouns: Vec<&str> = Vec::new();
    for clause in description.split("; ").filter(|clause| clause.contains(": ")) {
        let Some((left, list)) = clause.split_once(": ") else { continue };
        let left = left.split(" (").next().unwrap_or_default();
        let values = closed(list, false);
        if values.len() > 1 {
            nouns.extend(left.rsplit(' ').next());
            items.extend(values);
        }
    }
    let is_one = nouns.len() > 1 && nouns.iter().all(|noun| Some(noun) == nouns.first());
    if is_one { items } else { Vec::new() }
}

/// `'a', 'b' and 'c' are available`: a list with the words behind it.
fn available(description: &str) -> Vec<String> {
    let found = found_near(&AVAILABLE, description, ", ");
    let Some(all) = found.and_then(|captures| captures.get(0)) else { return Vec::new() };
    let before = description.get(..all.start()).unwrap_or_default();
    let start = before.rfind([':', ')', ';']).or_else(|| before.rfind(". ")).map_or(0, |at| at + 1);
    let items = closed(before.get(start..).unwrap_or_default(), true);
    if items.len() > 2 && !gives_examples(description) { items } else { Vec::new() }
}

/// `The default is 'Background'. The other options are 'Foreground' and 'Orphan'.`
fn beside_others(description: &str) -> Vec<String> {
    let found_others = found_near(&OTHERS, description, "ther ");
    let Some(all) = found_others.and_then(|captures| captures.get(0)) else { return Vec::new() };
    let Some(default) = found(&DEFAULT_QUOTED, description) else { return Vec::new() };
    let mut items = closed(description.get(all.end()..).unwrap_or_default(), true);
    if !items.is_empty() && !items.iter().any(|item| *item == default[1]) {
        items.insert(0, default[1].to_owned());
    }
    items
}

fn in_some_form(description: &str, name: &str) -> Vec<String> {
    let Some(captures) = found(&IN_SOME_FORM, description) else { return Vec::new() };
    let (Some(list), Some(noun)) = (captures.get(1), captures.get(2)) else { return Vec::new() };
    let before = description.get(..list.start()).unwrap_or_default();
    let is_about = [noun.as_str(), "type", "fmt"].contains(&name.to_lowercase().as_str());
    let items = split(list.as_str());
    let fits = is_about && !are_kinds(&items) && introduces(before, name, true);
    if fits { items } else { Vec::new() }
}

/// `direction of search, 'forward' or 'backward'`: the only quoted words, and alternatives.
fn quoted(description: &str, name: &str) -> Vec<String> {
    let Some(pattern) = LazyLock::force(&QUOTED).as_ref() else { return Vec::new() };
    let words: Vec<&str> =
        pattern.captures_iter(description).filter_map(|found| Some(found.get(1)?.as_str())).collect();
    let Some(first) = pattern.find(description) else { return Vec::new() };
    let (before, list) = description.split_at(first.start());
    let items = closed(list, true);
    let is_whole = items.len() > 1 && words.iter().all(|word| items.iter().any(|item| item == word));
    let has_or = ["' or ", "\" or ", " or '", " or \"", "` or ", ", or ", "(default) or ", "[default] or "]
        .iter()
        .any(|or| list.contains(or));
    let is_letter_or_path = items.iter().any(|item| item.chars().count() < 2 || item.contains('/'));
    // `handler for others; "strict" (default), "ignore", "replace".`
    let is_sentence = items.len() > 2 && before.trim_end().ends_with([':', ';', '.']);
    let says_default = list.contains(" (default)") || list.contains(" [default]");
    // `use 'bundle' to bundle it, 'runner' to run it, or 'native' to load it`.
    let is_told = items.len() > 2 && list.contains(" to ") && before.trim_end().ends_with("use");
    // `force it to 'classic' or 'advanced' format`
    let is_form =
        [" format", " mode", " style"].iter().any(|noun| list.trim_end_matches('.').ends_with(noun));
    // `'none' 'minimal' or 'all' (default: minimal)`
    let names_default = has_default(description, &items);
    let fits = is_whole
        && (has_or || is_sentence || names_default && items.len() > 2)
        && !is_letter_or_path
        && !name.is_empty()
        && (says_default || names_default || is_form || is_told || !is_match(&ABOUT_OTHERS, before))
        && introduces(before, name, true);
    if fits { items } else { Vec::new() }
}

pub(super) fn split(list: &str) -> Vec<String> {
    let mut choices = Vec::new();
    for part in
        list.split([',', '|']).flat_map(|part| part.split(" or ")).flat_map(|part| part.split(" and "))
    {
        let part = part.trim().trim_start_matches("or ").trim_start_matches("and ");
        // eza: `name, .name`.
        let part =
            part.trim_matches(['"', '\'', '`', ' ', '(', ')', '[', ']', '{', '}']).trim_end_matches('.');
        let part = part.trim_end_matches(['"', '\'', '`', ' ', ')', ']', '}']);
        let is_known = choices.iter().any(|known| known == part);
        if !part.is_empty() && !part.contains(' ') && !is_known && choices.len() < MAX_CHOICES {
            choices.push(part.to_owned());
        }
    }
    choices
}

#[cfg(test)]
mod tests;
