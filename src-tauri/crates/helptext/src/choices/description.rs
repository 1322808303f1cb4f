//! Values that the description of an option lists.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::alone::{bare_list, behind_colon, is_switch, slashed_with_default, with_bars};
use super::explained::{each, explained};
use super::named::{of_named, with_flags};
use super::{MAX_CHOICES, are_kinds, gives_examples, list::closed};
use crate::hints::{bare, default};
use crate::patterns::{Pattern, found, is_match, pattern};

pattern!(
    LISTED,
    r"(?i)[\[(<]\s*(?:possible values|choices|values|allowed values|options|one of)\s*:\s*([^\])>]*)[\])>]"
);
// gh: `Filter by state: {open|closed|all}`.
pattern!(
    BRACES,
    r"(?:^|[^=]\s)\{([A-Za-z0-9][\w.+-]*(?:[|,] ?[A-Za-z0-9][\w.+-]*)+)\}(?:[\s;)]|\.(?:\s|$)|$)"
);
pattern!(BULLETS, r"(?i)possible values:\s*(- .*)");
pattern!(BULLET, r"(?:^|\s)- ([\w.+-]+)(?::|\s|$)");
// Words before a list, quoted or not.
pattern!(
    BEFORE_ANY,
    r"(?i)\b(?:(?:must|can|may|should) be (?:either|(?:one|any) of)(?: the following)?(?: values)?|must be|(?:one|any) of(?: the following)?(?: values)?|only supports|choices(?: are)?|options are|choose from|(?:languages|formats|types|modes|values|methods) (?:handled|supported|available|accepted|recognized|allowed)(?: are)?(?: currently)?)\s*:?\s+"
);
// `Legal values [a, b]`, `Allowed signals are: a and b`. The noun is captured, and what makes it a list.
pattern!(
    BEFORE_NOUN,
    r"(?i)\b(?:possible|valid|allowed|available|supported|accepted|legal|permitted|optional (?:modes|values|when))(?: (\w+))?(?: for \w+)?( are)?\s*(:?)\s*"
);
pattern!(BEFORE_EITHER, r"(?i)\beither(?: one of)?:?\s+");
pattern!(BEFORE_QUOTED, r"(?i)\b(?:can be|may be|should be|is|either|values are|modes are|set to)\s*:?\s+");
pattern!(
    COMBINED,
    r"(?i)(?:comma|colon|semicolon|space|plus|pipe)[- ](?:separated|delimited|list)|separated list|separated (?:by|with)|(?:^|\s)delimited|combination of|one or more of|multiple rules|any number of"
);
// `Ignored if the format is 'json' or 'xml'`: no list of all values.
pattern!(CONDITION, r"(?i)\b(?:if|when|unless|whose|where|which|default|not required|stdout)\b");
pattern!(
    OPEN,
    r"(?i)\b(?:custom (?:values?|names?|ones)|any other|or any|and so on|may be given|also (?:possible|accepted|allowed)|name or number|number or name)\b|\betc\b|to stdout:"
);
// `new, old or read (or any unambiguous abbreviation of these)`.
pattern!(ABBREVIATED, r"\s*\(or any [^()]*abbreviation[^()]*\)");
pattern!(SUBJECT, r"[<{][\w-]+[>}]|\b[A-Z][A-Z_-]+\b");
pattern!(
    IN_PARENTHESES,
    r#"\(\s*((?:["'`]?[A-Za-z0-9][A-Za-z0-9_.+#-]{0,24}["'`]?(?:\s*,\s*(?:or\s+)?|\s*\|\s*|\s+or\s+|\s*/\s*))+["'`]?[A-Za-z0-9][A-Za-z0-9_.+#-]{0,24}["'`]?)(?:[,;:]\s*(?:the |no )?default[^()]*)?\s*\)"#
);
// Go: `options=[squashed all-layers]`.
pattern!(
    ASSIGNED_LIST,
    r"\b(?:options|values|choices|one of)\s?=\s?\[([A-Za-z0-9][\w.+-]*(?:[ ,|]+[A-Za-z0-9][\w.+-]*)+)\]"
);
// `The method (one of NONE DES SHA256)`: no commas.
pattern!(SPACED, r"\(one of ([A-Za-z0-9][\w.+-]*(?:\s+[A-Za-z0-9][\w.+-]*){2,})\)");
// `One of: darkfish pot ri`, `Compressors available: gzip (default) lzo xz`.
pattern!(
    SPACED_TO_THE_END,
    r"(?i)\b(?:one of|available|supported(?: are)?|values|choices|formats|types?|modes?|styles?|methods?):\s+([a-z0-9][\w.+-]*(?: \(default\))?(?:\s+[a-z0-9][\w.+-]*(?: \(default\))?){2,})[.)]?\.?\s*$"
);
// OpenSSL: `Output format, one of DER PEM PVK`.
pattern!(SPACED_CAPITALS, r"one of ([A-Z][A-Z0-9]+(?: [A-Z][A-Z0-9]+)+)$");
// `Show dates in short, full or iso format`. The noun is captured.
pattern!(
    IN_SOME_FORM,
    r"\bin ((?:[a-z0-9][\w-]*, )+[a-z0-9][\w-]*,? or [a-z0-9][\w-]*) (format|mode|style|order|notation)\b"
);
// `members (fields, methods, etc.)`: examples of something else, unless it is the last that is said.
pattern!(ETC, r"\([^()]*\betc\b[^()]*\)\s+\w");
pattern!(QUOTED, r#"["'`‘“]([A-Za-z0-9][\w.+-]*)["'`’”]"#);
// Words before a quoted list that say that it is about something else.
pattern!(
    ABOUT_OTHERS,
    r"(?i)\b(?:for|with|from|not|no|named|called|like|as|suffix|prefix|see|by|than|and|options?|flags?|keys?|of|in|on|to|via|using|use|or|or either)\s*$"
);
pattern!(
    IN_BRACKETS,
    r"\[\s*([a-z0-9][A-Za-z0-9_.+-]{0,24}(?:\|[a-z0-9][A-Za-z0-9_.+-]{0,24})+|\w[A-Za-z0-9_.+-]{0,24}(?:, ?\w[A-Za-z0-9_.+-]{0,24}){2,})\s*\]"
);
pattern!(
    BEHIND,
    r#"^\s*(?:$|[.;]|- |,? ?(?i:the )?(?i:default)\b|, ?['"`]?[\w-]+['"`]? is (?:the )?default\b|['"`][\w-]+['"`]:|[\[(](?i:default|env|string|required|the default))"#
);
// `in ical (default) or pcal format`: what says which of them is the default lists all.
pattern!(
    BESIDE_DEFAULT,
    r"(?:^|\s)([a-z0-9][\w.+-]*) \(default\),? or ([a-z0-9][\w.+-]*)(?:[.;,)]|$| (?:format|mode|style|order|\w+s?\.?$))"
);

/// The values that a description lists as the only ones. `value` is the name of the option's value as written: "WHEN is
/// 'always' or 'never'".
pub fn of_description(description: &str, value: &str) -> Vec<String> {
    let description = &*without(&ABBREVIATED, description);
    let description = &description.replace(", which is the default,", ",");
    if is_match(&COMBINED, description) || is_structured(value) {
        return Vec::new();
    }
    let name = bare(value);
    let several = |choices: Vec<String>| Some(choices).filter(|choices| choices.len() > 1);
    let listed = || {
        let list = found(&LISTED, description)?;
        several(split(list.get(1)?.as_str()))
    };
    let braces = || {
        let list = split(found(&BRACES, description)?.get(1)?.as_str());
        several(list).filter(|choices| !are_kinds(choices))
    };
    let bullets = || several(each(&BULLET, found(&BULLETS, description)?.get(1)?.as_str()));
    if let Some(choices) = listed().or_else(braces).or_else(bullets) {
        return choices;
    }
    if is_match(&OPEN, &without(&ETC, description)) {
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
        return several(explained)
            .filter(|_| are_numbers)
            .or_else(|| Some(in_parentheses(description, name)).filter(are_amounts))
            .unwrap_or_default();
    }
    several(explained)
        .or_else(|| several(with_flags(description)).filter(|choices| choices.len() > 2))
        .or_else(|| several(of_named(description, name)))
        .or_else(|| several(introduced(description, name)))
        .or_else(|| several(spaced(description)))
        .or_else(|| several(in_some_form(description, name)))
        .or_else(|| several(in_parentheses(description, name)))
        .or_else(|| several(quoted(description, name)))
        .or_else(|| several(beside_default(description)))
        .or_else(|| several(behind_noun(description, name)))
        .or_else(|| several(behind_colon(description)))
        .or_else(|| several(bare_list(description)))
        .or_else(|| several(slashed_with_default(description)))
        .or_else(|| several(with_bars(description)).filter(|_| !value.contains('|')))
        .unwrap_or_default()
}

/// Whether a value has parts of its own: `NAME[:ARGS]`, `K=V`.
fn is_structured(value: &str) -> bool {
    let is_one = value.starts_with('<') && value.ends_with('>') && value.matches('<').count() == 1;
    let is_several = value.split_whitespace().count() > 1 && !value.contains('|') && !is_one;
    let is_list = value.contains(',') && !value.contains('{');
    is_several
        || is_list
        || value.trim_start_matches(['[', '=']).contains(['=', ':', '@', '+'])
        || value.contains("[,")
}

/// Whether a value's name says that there is no list of its values.
fn is_free(name: &str) -> bool {
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

/// Whether a list can follow: no example, no alternative to something else, and not about another value.
fn introduces(before: &str, name: &str, may_be_condition: bool) -> bool {
    let sentence = before.rsplit(". ").next().unwrap_or_default();
    let sentence = sentence.rsplit("; ").next().unwrap_or_default();
    if may_be_condition && is_match(&CONDITION, sentence) {
        return false;
    }
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let near = words.get(words.len().saturating_sub(3)..).unwrap_or_default().join(" ");
    let is_foreign = LazyLock::force(&SUBJECT)
        .as_ref()
        .is_some_and(|subject| subject.find_iter(&near).any(|found| bare(found.as_str()) != name));
    !gives_examples(sentence) && !sentence.trim_end().ends_with(", or") && !is_foreign
}

/// `HTTP method, one of GET, POST or PUT`: a list that says that there is a value.
pub(super) fn one_of(description: &str) -> Vec<String> {
    let list = description.split_once("one of ").or_else(|| description.split_once("one of: "));
    let Some((before, list)) = list.filter(|(before, _)| !gives_examples(before)) else { return Vec::new() };
    let items = if is_match(&CONDITION, before) { Vec::new() } else { closed(list, false) };
    if items.len() > 2 { items } else { Vec::new() }
}

fn introduced(description: &str, name: &str) -> Vec<String> {
    let patterns = [
        (&BEFORE_ANY, false, false),
        (&BEFORE_NOUN, false, false),
        (&BEFORE_QUOTED, true, true),
        (&BEFORE_EITHER, false, true),
    ];
    for (pattern, only_quoted, may_be_condition) in patterns {
        let Some(pattern) = LazyLock::force(pattern).as_ref() else { continue };
        for captures in pattern.captures_iter(description) {
            let Some(all) = captures.get(0) else { continue };
            let (before, rest) = description.split_at(all.end());
            let before = before.get(..all.start()).unwrap_or_default();
            let is_noun = captures.len() > 1;
            let noun = captures.get(1).map_or("", |noun| noun.as_str()).to_lowercase();
            if matches!(
                noun.as_str(),
                "in" | "for"
                    | "include"
                    | "includes"
                    | "range"
                    | "fields"
                    | "columns"
                    | "variables"
                    | "keys"
                    | "placeholders"
                    | "unit"
                    | "units"
            ) {
                continue;
            }
            let is_marked = captures.get(2).is_some()
                || captures.get(3).is_some_and(|colon| !colon.is_empty())
                || rest.starts_with('[');
            let items = closed(rest, only_quoted || is_noun && !is_marked);
            // `May be "a" or "b"`: a sentence of its own, even without a full stop before it.
            let is_sentence = all.as_str().starts_with(char::is_uppercase);
            let before = if is_sentence && may_be_condition { "" } else { before };
            if items.len() > 1 && introduces(before, name, may_be_condition) {
                return items;
            }
        }
    }
    Vec::new()
}

/// A text without what matches.
fn without<'t>(pattern: &Pattern, text: &'t str) -> Cow<'t, str> {
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
        .or_else(|| found(&ASSIGNED_LIST, description))
        .or_else(|| found(&SPACED_TO_THE_END, description))
        .or_else(|| found(&SPACED_CAPITALS, description));
    let Some(list) = list.and_then(|found| found.get(1)) else { return Vec::new() };
    let words = list
        .as_str()
        .split([' ', ',', '|'])
        .filter(|word| !word.is_empty())
        .filter(|word| *word != "(default)");
    let items: Vec<String> = words.map(|word| word.trim_end_matches('.').to_owned()).collect();
    let is_prose = items.iter().any(|item| PROSE.contains(&item.to_lowercase().as_str()));
    if is_prose || are_kinds(&items) { Vec::new() } else { items }
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
    let fits = is_whole
        && (has_or || is_sentence)
        && !is_letter_or_path
        && !name.is_empty()
        && (says_default || is_form || is_told || !is_match(&ABOUT_OTHERS, before))
        && introduces(before, name, true);
    if fits { items } else { Vec::new() }
}

/// `Export in ical (default) or pcal format`.
fn beside_default(description: &str) -> Vec<String> {
    let Some(captures) = found(&BESIDE_DEFAULT, description) else { return Vec::new() };
    let items: Vec<String> = captures.iter().skip(1).flatten().map(|item| item.as_str().to_owned()).collect();
    let before = captures.get(1).and_then(|first| description.get(..first.start())).unwrap_or_default();
    // `a, b (default) or c` has more.
    let fits = !before.trim_end().ends_with(',') && !are_kinds(&items) && !gives_examples(description);
    if fits { items } else { Vec::new() }
}

/// `data profile, raid0, raid1, dup or single`, where the value is called `PROFILE`; `algorithm to use, a (default), b, c`.
fn behind_noun(description: &str, name: &str) -> Vec<String> {
    let parts = description.split_once(", ").filter(|(noun, _)| !noun.contains([':', ';']));
    let Some((noun, list)) = parts else { return Vec::new() };
    let last = noun.rsplit(' ').next().unwrap_or_default();
    let is_noun =
        (last.eq_ignore_ascii_case(name) || list.contains(" (default), ")) && !gives_examples(description);
    let items = if is_noun { closed(list, false) } else { Vec::new() };
    if items.len() > 2 { items } else { Vec::new() }
}

/// `Output format (json, text, xml)`, at the end, or anywhere if it says when: `colors (auto, always or never)`.
pub(super) fn in_parentheses(description: &str, name: &str) -> Vec<String> {
    let is_when = name.eq_ignore_ascii_case("when");
    let of = |pattern: &Pattern, is_round: bool| {
        let captures = found(pattern, description)?;
        let (all, list) = (captures.get(0)?, captures.get(1)?.as_str());
        let before = description.get(..all.start())?;
        let lower = before.to_lowercase();
        let is_open = gives_examples(before)
            || gives_examples(list)
            || list.contains("..")
            || list.contains(" /")
            || ["etc", "and so on", "additional"].iter().any(|word| lower.contains(word))
            || lower.split_whitespace().rev().take(2).any(|word| word.contains("default"));
        // `("initially" or "full") disable checks`, `endianness (MSB or LSB) of the image`.
        let is_slashed = list.contains('/');
        let items = split(&list.replace('/', ","));
        let is_quoted = list.contains(['"', '\'', '`']);
        let is_upper = items.iter().all(|item| item.chars().all(|c| !c.is_ascii_lowercase()));
        let is_clear = is_quoted || is_upper;
        // `the script for SHELL (bash, zsh or fish) and exit`.
        let last = before.split_whitespace().next_back().unwrap_or_default();
        let is_about =
            name.len() > 2 && (before.trim_end().ends_with(name) || last.eq_ignore_ascii_case(name));
        let ends = (is_when || is_clear || is_about) && list.contains(" or ")
            // `Radix (o/d/x) of numbers`.
            || is_about && is_slashed
            || is_match(&BEHIND, description.get(all.end()..)?);
        if is_open || !ends {
            return None;
        }
        // `es5/es2015`
        let stem = |item: &String| item.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        let are_versions =
            items.iter().all(|item| stem(item) != *item && items.first().map(stem) == Some(stem(item)));
        let is_switch = are_versions || is_switch(&items);
        let has_case = items.iter().all(|item| item.starts_with(|c: char| !c.is_ascii_uppercase()))
            || is_upper && (!list.contains(", ") || !is_round || list.contains(" or "))
            || is_quoted
            || items.len() > 4 && is_round;
        // `SIGTERM/SIGKILL, defaults to SIGTERM`
        let names_default = all
            .as_str()
            .split_once("default")
            .is_some_and(|(_, rest)| items.iter().any(|item| rest.contains(item.as_str())))
            || default(description).is_some_and(|default| items.contains(&default));
        let fits = items.len() > 1
            && !are_kinds(&items)
            && has_case
            && (!is_slashed || is_round && (items.len() > 2 || is_switch || names_default));
        fits.then_some(items)
    };
    of(&IN_PARENTHESES, true).or_else(|| of(&IN_BRACKETS, false)).unwrap_or_default()
}

fn split(list: &str) -> Vec<String> {
    let mut choices = Vec::new();
    for part in
        list.split([',', '|']).flat_map(|part| part.split(" or ")).flat_map(|part| part.split(" and "))
    {
        let part = part.trim().trim_start_matches("or ").trim_start_matches("and ");
        let part = part.trim_matches(['"', '\'', '`', '.', ' ', '(', ')', '[', ']', '{', '}']);
        let is_known = choices.iter().any(|known| known == part);
        if !part.is_empty() && !part.contains(' ') && !is_known && choices.len() < MAX_CHOICES {
            choices.push(part.to_owned());
        }
    }
    choices
}

#[cfg(test)]
mod tests;
