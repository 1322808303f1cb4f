//! Values in the name of a value: `{a,b}`, `<a|b>`, `a|b`.

use super::{MAX_CHOICES, are_kinds, is_kind};
use crate::definition::Join;
use crate::hints::bare;

/// The letters of `-type [bcdpfls]`: a set, as in a regular expression. Words in brackets have vowels, and `-b[cmB]` are
/// further flags.
pub(super) fn letters_of(name: &str, join: Join) -> Vec<String> {
    const LEAST: usize = 5;
    let letters = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or_default();
    let is_new = |at: usize, letter: char| !letters.chars().take(at).any(|known| known == letter);
    let fits = join == Join::Space
        && letters.len() >= LEAST
        && letters.chars().enumerate().all(|(at, letter)| {
            letter.is_ascii_alphabetic()
                && !"aeiouy".contains(letter.to_ascii_lowercase())
                && is_new(at, letter)
        });
    if fits { letters.chars().map(String::from).collect() } else { Vec::new() }
}

/// The values in a name.
pub fn of_name(name: &str) -> Vec<String> {
    // `none|stack|all [all]`: the default behind it.
    let name = match name.split_once(' ') {
        Some((first, rest)) if first.contains('|') && !rest.contains('|') => first,
        _ => name,
    };
    // `[default|minimal] PATH`: the first of two values.
    let name = match name.split_once("] ") {
        Some((first, rest)) if first.starts_with('[') && first.contains('|') && !rest.contains('|') => first,
        _ => name,
    };
    let inner = bare(name);
    if name.contains("|...") || name.contains(",...") {
        return Vec::new();
    }
    // `<y or n>`
    if let Some((one, other)) = inner.split_once(" or ")
        && [one, other]
            .iter()
            .all(|word| word.len() < 4 && word.bytes().all(|byte| byte.is_ascii_lowercase()))
    {
        return vec![one.to_owned(), other.to_owned()];
    }
    // An empty end goes on in the next line.
    if inner.contains('|') && name.trim_end_matches([']', '>', '}', ')']).ends_with('|') {
        return Vec::new();
    }
    let separator = if inner.contains('|') {
        '|'
    } else if name.contains('{') && name.contains(',') {
        ','
    } else if inner.matches('/').count() > 1 && !inner.starts_with('/')
        || matches!(inner, "on/off" | "yes/no")
    {
        '/'
    } else {
        return Vec::new();
    };
    let mut choices: Vec<String> = Vec::new();
    for part in inner.split(separator) {
        let part = part.trim().trim_matches(['"', '\'', '`']);
        if part == "..." {
            return Vec::new();
        }
        if !part.is_empty() && !choices.iter().any(|known| known == part) {
            choices.push(part.to_owned());
        }
    }
    // argparse writes lists so, and nothing else.
    let is_braced = separator == ',';
    let is_form = |choice: &String| choice.contains(['<', '>', '[', ']', '(', '=', ' ', '{', '}', ':', '*']);
    let is_short = |choice: &String| (2..=8).contains(&choice.len());
    let is_lower = |choice: &String| choice.chars().any(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let is_slashed = separator == '/'
        && !choices.iter().all(|choice| choice.bytes().all(|byte| byte.is_ascii_lowercase()));
    let fits = (2..=MAX_CHOICES).contains(&choices.len())
        // `FILE|-` and `K=V|K` are forms, `FILE|DIR` kinds.
        && (choices.iter().any(is_lower) || choices.iter().all(is_short) || is_braced && choices.len() > 3)
        && !choices.iter().any(is_form)
        && !is_slashed
        && (is_braced && (choices.len() > 3 || !choices.iter().all(|choice| is_kind(choice)))
            || !are_kinds(&choices));
    if fits { choices } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_letters_are_no_words() {
        assert_eq!(letters_of("[bcdpflsD]", Join::Space).concat(), "bcdpflsD");
        for other in ["[type]", "[str]", "[pwdfd]", "bcdpfls", "[bcd1x]"] {
            assert!(letters_of(other, Join::Space).is_empty(), "{other}");
        }
    }

    #[test]
    fn names_list_values_and_not_kinds() {
        for (name, values) in [
            ("{a,b}", "a b"),
            ("<a|b>", "a b"),
            ("[=a|b]", "a b"),
            ("none|HPUX|NetBSD|GNU", "none HPUX NetBSD GNU"),
            ("none|stack|all [all]", "none stack all"),
            ("[default|minimal|current] PATH", "default minimal current"),
            ("left/center/right", "left center right"),
            ("PEM|DER", "PEM DER"),
            ("on/off", "on off"),
            ("<y or n>", "y n"),
            ("{RED,LIGHT_RED,NO_COLOR,0}", "RED LIGHT_RED NO_COLOR 0"),
            ("[{full,file,never}]", "full file never"),
            ("{file,dir}", ""),
            ("FILE|-", ""),
            ("{SEED|random|reverse}", ""),
            ("uid|user", ""),
            ("K=V|K", ""),
            ("active/passive", ""),
            ("none|caller|", ""),
            ("/path/to/file", ""),
        ] {
            assert_eq!(of_name(name).join(" "), values, "{name}");
        }
    }
}
