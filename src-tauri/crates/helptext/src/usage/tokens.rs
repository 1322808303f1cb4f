//! Words of a usage line, and what their brackets and letters mean.

use super::lines::is_prose;
use crate::hints::bare;

/// Whether brackets hold a part of the argument before them: `[OWNER][:[GROUP]]`, `[MMDDhhmm[.ss]]`.
pub(super) fn is_part_of_another(token: &str) -> bool {
    let mut inside = token.strip_prefix('[').unwrap_or_default().chars();
    match inside.next() {
        Some(':' | ',' | '=') => true,
        // dig: `[@server]` is an argument; files of arguments can stand anywhere.
        Some('@') => token.to_lowercase().contains("file"),
        // `[.changes file]` is an argument.
        Some('.') => inside.next().is_some_and(char::is_alphanumeric) && !token.contains(' '),
        _ => false,
    }
}

/// Whether a name says that there are several: `args`, `files`.
pub(super) fn is_plural(token: &str) -> bool {
    const SINGULAR: &[&str] = &[
        "alias", "canvas", "class", "radius", "bus", "os", "dns", "https", "tls", "css", "js", "ps", "fs",
        "gas", "lens", "series", "bias",
    ];
    let lower = bare(token);
    // `PATTERNS` of grep is one argument: names in capitals say what it is about.
    if matches!(lower, "FILES" | "ARGS" | "ARGUMENTS" | "COMMANDS" | "LIBRARIES" | "PACKAGES") {
        return true;
    }
    let last = lower.rsplit(['-', '_', ' ']).next().unwrap_or_default();
    last.len() > 2
        && last.ends_with('s')
        && last.chars().all(|c| c.is_ascii_lowercase())
        && !lower.chars().any(char::is_uppercase)
        && !["ss", "us", "is"].iter().any(|end| last.ends_with(end))
        && !SINGULAR.contains(&last)
}

/// Whether brackets hold the words of one name: `[input file...]`, `<jq filter>`, `[core-file or process-id]`, `[list of files]`.
pub(super) fn is_one_of_words(token: &str) -> bool {
    const LAST: &[&str] = &["file", "files", "name", "names", "dir", "directory", "directories", "id", "ids"];
    const MOST: usize = 8;
    let mut words: Vec<&str> = bare(token).split_whitespace().collect();
    if words.last().is_some_and(|last| last.chars().all(|c| c == '.')) {
        words.pop();
    }
    let is_plain = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'));
    let lower = |word: &str| word.trim_end_matches('.').to_lowercase();
    let [first, .., last] = words[..] else { return false };
    if words.len() > MOST || words.iter().any(|word| word.starts_with('-')) || lower(first) == "options" {
        return false;
    }
    let joined = || {
        let is_name =
            |word: &&str| word.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | ',' | '/'));
        let is_inside =
            |word: &str| words.iter().skip(1).rev().skip(1).any(|own| own.eq_ignore_ascii_case(word));
        words.iter().all(is_name) && (is_inside("or") || first == "list" && is_inside("of"))
    };
    let is_pair = words.len() == 2
        && words.iter().all(is_plain)
        && LAST.contains(&lower(last).as_str())
        && !LAST.contains(&lower(first).as_str());
    is_pair || joined()
}

/// Whether brackets hold words for people: `[more options; see below]`.
pub(super) fn is_remark(token: &str) -> bool {
    let words: Vec<&str> = token.split_whitespace().collect();
    let lower = token.to_lowercase();
    token.starts_with("(e.g")
        || lower.starts_with("[option [")
        || words.len() > 1
            && !token.contains(['|', '<', '='])
            && !token.contains(" -")
            && !token.get(1..).unwrap_or_default().starts_with('-')
            && (lower.contains("options")
                || lower.ends_with(" type(s)]")
                || lower.contains("flags")
                // kmc_tools: `[global parameters]`.
                || lower == "[global parameters]"
                || lower.trim_end_matches(['.', ']']).ends_with(" option")
                || is_prose(token.trim_matches(['[', ']'])))
}

/// The words of a form. That an argument may be `-` for a stream says nothing of it: `[file|-]`.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in tokens(text) {
        if word == "-" && words.last().is_some_and(|last| last == "|") {
            words.pop();
        } else {
            words.push(word);
        }
    }
    words
}

/// Words outside of brackets; brackets with their content are one, `|` is one.
fn tokens(text: &str) -> Vec<String> {
    const MAX_TOKENS: usize = 4_000;
    let mut tokens: Vec<String> = Vec::new();
    let mut token = String::new();
    let mut depth = 0_usize;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '[' | '(' | '{' | '<' => depth += 1,
            ']' | ')' | '}' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        // `file|dir`: one argument, where no option is among them.
        let is_glued = c == '|'
            && !token.is_empty()
            && !token.starts_with('-')
            && rest.peek().is_some_and(|next| !matches!(next, ' ' | '-' | '|'));
        if depth == 0 && (c == ' ' || c == '|' && !is_glued) {
            if !token.is_empty() {
                tokens.push(std::mem::take(&mut token));
            }
            if c == '|' {
                tokens.push("|".to_owned());
            }
        } else {
            token.push(c);
        }
        if tokens.len() > MAX_TOKENS {
            break;
        }
    }
    if !token.is_empty() {
        tokens.push(token);
    }
    // `<a>...` and `[x]...` keep their dots; `[a][b]` are two.
    tokens.into_iter().flat_map(|token| apart(&token)).collect()
}

/// `[a][b]` as two tokens.
fn apart(token: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut depth = 0_usize;
    let is_option = token.starts_with('-');
    for c in token.chars() {
        if depth == 0 && c == '[' && !part.is_empty() && !is_option && part.ends_with(']') {
            parts.push(std::mem::take(&mut part));
        }
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        part.push(c);
    }
    parts.push(part);
    parts
}

/// What is inside the outer brackets, and whether dots follow them.
pub(super) fn inside(token: &str) -> (&str, bool) {
    let is_repeated =
        token.ends_with("...") || token.ends_with('…') || token.ends_with("...,") || token.ends_with('*');
    let end = token.rfind([']', ')', '}', '>']).unwrap_or(token.len());
    (token.get(1..end).unwrap_or_default(), is_repeated)
}

/// What stands behind a beginning that can be left out: `hostname` of `[user@]hostname`.
pub(super) fn begins_optionally(token: &str) -> Option<&str> {
    let begins = |text: &&str| text.starts_with(|c: char| c.is_alphanumeric() || c == '<');
    let text = token.strip_prefix('[').filter(begins)?;
    // `[http[s]://]hostname` has brackets inside.
    let rest = match text.split_once("/]") {
        Some((_, rest)) => rest,
        None => text.split_once(']').filter(|(beginning, _)| beginning.ends_with(['@', ':']))?.1,
    };
    begins(&rest).then_some(rest)
}

/// An option in brackets and the argument that stands close behind it: `[-a]device`.
pub(super) fn closely(token: &str) -> Option<(&str, &str)> {
    let (option, argument) = token.strip_prefix("[-")?.split_once(']')?;
    let is_letter = option.chars().count() == 1 && argument.starts_with(char::is_alphabetic);
    is_letter.then(|| (token.get(1..option.len() + 2).unwrap_or_default(), argument))
}

/// A letter with the name of its value: `-dfile`, `-Lcontext`.
pub(super) fn glued(flag: &str) -> Option<(&str, &str)> {
    const NAMES: &[&str] = &[
        "file",
        "dir",
        "directory",
        "name",
        "num",
        "number",
        "list",
        "chars",
        "type",
        "width",
        "height",
        "path",
        "string",
        "str",
        "size",
        "host",
        "port",
        "lang",
        "suffix",
        "paper",
        "level",
        "count",
        "command",
        "url",
        "user",
        "arg",
        "value",
        "font",
        "title",
        "style",
        "format",
        "mode",
        "key",
    ];
    let (letter, name) = flag.split_at_checked(2).filter(|(letter, _)| *letter != "--")?;
    let is_word = name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_upper =
        letter.ends_with(|c: char| c.is_ascii_uppercase()) && name.contains(['a', 'e', 'i', 'o', 'u']);
    // Tests of `find` and its like.
    let is_test = ["-iname", "-lname", "-uname", "-xtype"].contains(&flag);
    // `-Nfinoprs` are letters.
    let is_upper = is_upper && !(name.len() > 5 && are_sorted(name));
    let fits = letter.starts_with('-') && is_word && !is_test && (is_upper || NAMES.contains(&name));
    fits.then_some((letter, name))
}

/// Whether alternatives are one option: a letter and a word. `alone` says that there are no others.
pub(super) fn are_spellings(one: &str, other: &str, alone: bool) -> bool {
    let is_letter = |flag: &str| !flag.starts_with("--") && flag.chars().count() == 2;
    let initial =
        |flag: &str| flag.trim_start_matches('-').chars().next().map(|first| first.to_ascii_lowercase());
    let begin_alike = initial(one) == initial(other);
    // `-timeout|-t`
    let is_word = |flag: &str| {
        flag.chars().count() > 3 && flag.bytes().skip(1).all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    };
    let is_pair =
        alone && begin_alike && (is_word(one) && is_letter(other) || is_letter(one) && is_word(other));
    is_letter(one) && other.starts_with("--") && (alone || begin_alike)
        || one.starts_with("--") && is_letter(other) && begin_alike
        || is_pair
}

/// The flags of `(-o | --output)`, as an entry has them.
pub(super) fn spellings(token: &str) -> Option<String> {
    let inner = token.strip_prefix('(')?.strip_suffix(')')?;
    let flags: Vec<&str> = inner.split('|').map(str::trim).collect();
    let is_flag =
        |flag: &&str| flag.starts_with('-') && flag.len() > 1 && !flag.contains([' ', '=', '[', '<']);
    let [one, other] = flags.as_slice() else { return None };
    (flags.iter().all(is_flag) && are_spellings(one, other, true)).then(|| flags.join(", "))
}

/// What forms have behind one dash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dash {
    /// Letters: `-of` are two options.
    Letters,
    /// Also two letters that are one option: gdal_viewshed, `[-oz <height>] [-tz <height>]`, with a value again and again.
    Pairs,
    /// Words: so `-of` is one as well.
    Words,
}

impl Dash {
    pub(super) fn of(forms: &[String]) -> Self {
        const FEW: usize = 3;
        let is_lower = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let is_word = |word: &&str| {
            let name = word.trim_start_matches('[').strip_prefix('-').unwrap_or_default();
            let name = name.trim_end_matches([']', '*', '.']);
            name.len() > 3
                && is_lower(name)
                && glued(&format!("-{name}")).is_none()
                && (name.contains('_') || bundle(&format!("-{name}")).is_none())
        };
        let is_pair = |words: &[&str]| {
            let name = words.first().and_then(|word| word.strip_prefix("[-")).unwrap_or_default();
            let value = words.get(1).copied().unwrap_or_default();
            name.len() == 2
                && is_lower(name)
                && value.starts_with(|c: char| c == '<' || c.is_ascii_alphabetic())
        };
        let pairs = |form: &String| {
            form.split_whitespace().collect::<Vec<_>>().windows(2).filter(|words| is_pair(words)).count()
        };
        let words = forms.iter().flat_map(|form| form.split_whitespace());
        if words.filter(is_word).take(FEW).count() == FEW {
            Self::Words
        } else if forms.iter().map(pairs).sum::<usize>() > FEW {
            Self::Pairs
        } else {
            Self::Letters
        }
    }
}

/// The flags of `-[abc]`, and what stands behind them.
pub(super) fn bracketed(text: &str) -> Option<(Vec<String>, &str)> {
    let (letters, rest) = text.strip_prefix("-[")?.split_once(']')?;
    // `-[no]black` is another flag.
    let fits = letters.len() > 1
        && letters.chars().all(|c| c.is_ascii_alphanumeric())
        && !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    fits.then(|| (letters.chars().map(|letter| format!("-{letter}")).collect(), rest))
}

/// The letters of `-46Aa`. A word such as `-name` is none.
pub(super) fn bundle(flag: &str) -> Option<&str> {
    let letters = flag.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
    let count = letters.chars().count();
    if count < 2 || !letters.chars().all(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let is_mixed = letters.chars().any(|c| c.is_ascii_digit() || c.is_ascii_uppercase());
    let has_vowel = letters.chars().any(|c| "aeiouy".contains(c));
    (is_mixed || !has_vowel || are_sorted(letters) || count == 2).then_some(letters)
}

/// Whether letters are different and in their order; many may be so but for one: `adfhioruvs`.
fn are_sorted(letters: &str) -> bool {
    const MANY: usize = 7;
    let is_new = |at: usize, letter: char| !letters.chars().take(at).any(|known| known == letter);
    let are_different = letters.chars().enumerate().all(|(at, letter)| is_new(at, letter));
    let falls = letters.chars().zip(letters.chars().skip(1)).filter(|(one, next)| one > next).count();
    are_different && (falls == 0 || falls == 1 && letters.len() >= MANY)
}
