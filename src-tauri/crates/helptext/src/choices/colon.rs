//! Lists behind a colon, up to the end of the description: `sorting order: none (default), name or inode`.

use super::alone::{is_acronym, is_switch, is_word};
use super::{MAX_CHOICES, are_kinds, gives_examples};
use crate::hints::default;
use crate::patterns::{found, pattern};

/// What the default begins with, behind a list.
const MARKS: &[&str] = &[
    " (default:",
    " (default is ",
    " [default:",
    " [env:",
    " - ",
    ". Default: ",
    ". Default is ",
    ". default: ",
    ", default: ",
    "; default: ",
];
/// Words before a colon behind which something else stands than all values.
const OTHERS: &[&str] = &[
    "additional",
    "example",
    "note",
    "see",
    "also",
    "include",
    "range",
    "incompatible",
    "requires",
    "conflicts",
    "depends",
    "fields",
    "columns",
];

// `which reads: drop,skip,keep [drop]`
pattern!(DEFAULT_IN_BRACKETS, r" ?\[([\w.+-]+)\]$");

/// `Default is 'ClusterIP'.`
fn default_behind(description: &str) -> Option<String> {
    let (_, rest) = description.rsplit_once("Default is ")?;
    Some(rest.trim_matches(['\'', '"', '`', '.', ' ']).to_owned())
}

/// `sorting order: none (default), name or inode`, up to the end of the description.
pub(super) fn behind_colon(description: &str) -> Vec<String> {
    let description = description.trim_end();
    let in_brackets =
        if description.ends_with(']') { found(&DEFAULT_IN_BRACKETS, description) } else { None };
    let (described, named) = match &in_brackets {
        Some(captures) => (description.strip_suffix(&captures[0]).unwrap_or(description), Some(&captures[1])),
        None => (description, None),
    };
    let end = MARKS.iter().filter_map(|mark| described.rfind(mark)).min().unwrap_or(described.len());
    let Some((before, list)) = described.get(..end).unwrap_or_default().rsplit_once(": ") else {
        return Vec::new();
    };
    let clause = before.rsplit(['.', ';', ',']).next().unwrap_or_default().to_lowercase();
    // `Live: a, b, c File: d, e`: several lists.
    if before.rsplit_once(": ").is_some_and(|(_, other)| other.contains(", ") && !other.contains(['.', ';']))
    {
        return Vec::new();
    }
    let unmarked = list.replace("(default)", "");
    let is_open = OTHERS.iter().any(|word| clause.contains(word))
        || clause.ends_with("default")
        || unmarked.chars().zip(unmarked.chars().skip(1)).any(|(one, next)| {
            (next == '(' && one.is_alphanumeric()) || (one == ')' && next.is_alphanumeric())
        });
    if is_open || gives_examples(list) {
        return Vec::new();
    }
    // `hash type NAME: descrypt/md5crypt/ LM/AFS`
    let slashed: Vec<String> =
        list.trim_end_matches('.').replace("/ ", "/").split('/').map(str::to_owned).collect();
    let is_part = |item: &String| !item.is_empty() && item.chars().all(|c| c.is_ascii_alphanumeric());
    if slashed.len() > 4 && slashed.iter().all(is_part) && !are_kinds(&slashed) {
        return slashed;
    }
    let mut plain = String::new();
    let mut depth = 0_usize;
    for c in list.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let sentence = plain.split([';']).next().unwrap_or_default();
    let sentence = sentence.split(". ").next().unwrap_or_default().trim().trim_end_matches('.');
    let words: Vec<String> = sentence
        .replace(" or ", ",")
        .replace(" and ", ",")
        .split([',', '|'])
        .map(|word| word.trim().trim_matches(['"', '\'', '`']).to_owned())
        .filter(|word| !word.is_empty())
        .collect();
    let is_default = |word: &String| {
        let stated = || default(description).or_else(|| default_behind(description));
        named == Some(word.as_str()) || stated().as_ref() == Some(word)
    };
    // `parts to hide: one,two (default none)` can be combined.
    let is_set =
        list.contains(',') && !list.contains(", ") && default(description).as_deref() == Some("none");
    if is_set && !words.iter().any(|word| word == "none") {
        return Vec::new();
    }
    let has_default = words.iter().any(is_default) || list.contains(" (default)");
    let is_or = words.len() == 2 && sentence.contains(" or ") && !before.contains(": ");
    let is_name = |word: &String| word.chars().all(|c| c.is_ascii_alphanumeric());
    let fits = (words.len() > 2 || words.len() == 2 && has_default || is_or || is_switch(&words))
        && words.len() <= MAX_CHOICES
        && (words.iter().all(|word| is_word(word))
            || words.iter().all(|word| is_acronym(word))
            || has_default && words.len() > 2 && words.iter().all(is_name));
    if fits && !are_kinds(&words) { words } else { Vec::new() }
}
