//! Values in the name of a value: `{a,b}`, `<a|b>`, `a|b`.

use super::alone::is_switch;
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
    // `yes/no(*)`, `{[AUTO]/VECTOR}`: marks of the default.
    let unmarked = name.replace("(*)", "").replace("/ ", "/").replace("| ", "|").replace(" |", "|");
    // `(true)|false`
    let is_marked = |(default, _): &(&str, &str)| default.chars().all(|c| c.is_ascii_alphanumeric());
    let unmarked = match unmarked.strip_prefix('(').and_then(|rest| rest.split_once(")|")).filter(is_marked) {
        Some((default, rest)) => format!("{default}|{rest}"),
        None => unmarked,
    };
    let is_braced = unmarked.starts_with('{') && unmarked.ends_with('}');
    let name = match unmarked.strip_prefix("{[").and_then(|rest| rest.split_once("]/")) {
        Some((default, rest)) if is_braced => format!("{{{default}/{rest}"),
        _ => unmarked,
    };
    // `<nametype>: ZONE|HOST`
    let name = name.split_once(">: ").map_or(name.as_str(), |(_, list)| list);
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
    let braced = name.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let inner = braced.filter(|_| is_braced).unwrap_or_else(|| bare(name));
    if name.contains("|...") || name.contains(",...") || inner.contains("/to/") {
        return Vec::new();
    }
    // `<y or n>`
    if let Some((one, other)) = inner.split_once(" or ")
        && [one, other].iter().all(|word| {
            word.len() < 4 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
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
        || matches!(inner.to_ascii_lowercase().as_str(), "on/off" | "yes/no" | "true/false")
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
    let is_comma = separator == ',';
    // `size:asc` beside `size`.
    let is_longer = |choice: &String| {
        choice.split_once(':').is_some_and(|(stem, _)| choices.iter().any(|other| other == stem))
    };
    // Names of subcommands: `{list,db:dump,db:load}`.
    let is_spaced = |choice: &String| {
        let are_words = choice.split(':').all(|part| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        });
        is_braced
            && is_comma
            && choices.len() > 2
            && are_words
            && choice.bytes().any(|byte| byte.is_ascii_lowercase())
    };
    let is_form = |choice: &String| {
        choice.contains(['<', '>', '[', ']', '(', '=', ' ', '{', '}', '*'])
            || choice.contains(':') && !is_longer(choice) && !is_spaced(choice)
    };
    let is_short = |choice: &String| (2..=8).contains(&choice.len());
    let is_lower = |choice: &String| choice.chars().any(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    // `left/right`, `Byte/Int16/Float32`, but not `HH/MM/SS` or `Host/Port`.
    let has_lower = choices.iter().any(|choice| choice.bytes().any(|byte| byte.is_ascii_lowercase()));
    let is_lower_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let are_lower = choices.iter().all(|choice| {
        choice.bytes().all(is_lower_part) && choice.starts_with(|c: char| c.is_ascii_lowercase())
    });
    let is_list = is_braced || are_lower || choices.len() > 3 && has_lower;
    let is_slashed = separator == '/' && !is_list && !is_switch(&choices);
    // `<level>|AUTO|AUTO-<n>`: one of them stands for others.
    let is_partly_named = separator == '|' && name.starts_with('<') && name.matches('<').count() > 1;
    // `{keep,no,INTEGER}`
    let has_kind = choices
        .iter()
        .any(|choice| ["INTEGER", "INT", "NUMBER", "N", "FLOAT", "PATH", "FILE"].contains(&choice.as_str()))
        && has_lower;
    let fits = (2..=MAX_CHOICES).contains(&choices.len())
        // `FILE|-` and `K=V|K` are forms, `FILE|DIR` kinds.
        && (choices.iter().any(is_lower) || choices.iter().all(is_short) || is_comma && choices.len() > 3)
        && !choices.iter().any(is_form)
        && !is_partly_named
        && !has_kind
        && !is_slashed
        && (is_comma && (choices.len() > 3 || !choices.iter().all(|choice| is_kind(choice)))
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
            ("yes/no(*)", "yes no"),
            ("name|name:asc|size|size:asc", "name name:asc size size:asc"),
            ("word/char/word-char", "word char word-char"),
            ("cairo/xft/ft2", "cairo xft ft2"),
            ("<nametype>: ZONE|HOST|ENTITY|USER|OTHER", "ZONE HOST ENTITY USER OTHER"),
            ("<keyflag>: KSK|REVOKE", "KSK REVOKE"),
            ("on|off|method", ""),
            ("off|seconds", ""),
            ("red|#rrggbb", ""),
            ("dev|name", ""),
            ("yes(*)/no", "yes no"),
            ("none(*)/bytecode/pcre", "none bytecode pcre"),
            ("{[AUTO]/VECTOR/RASTER}", "AUTO VECTOR RASTER"),
            ("Byte/Int16/UInt16/ Float32", "Byte Int16 UInt16 Float32"),
            ("(true)| false", "true false"),
            ("x|+", "x +"),
            ("{.,/,auto}", ". / auto"),
            ("HH/MM/SS/FF", ""),
            ("{owner/repo}", ""),
            ("{keep,no,INTEGER}", ""),
            ("<level>|AUTO|AUTO-<n>", ""),
            ("ACTION|help", ""),
            ("<a|b>", "a b"),
            ("[=a|b]", "a b"),
            ("none|HPUX|NetBSD|GNU", "none HPUX NetBSD GNU"),
            ("none|stack|all [all]", "none stack all"),
            ("[default|minimal|current] PATH", "default minimal current"),
            ("left/center/right", "left center right"),
            ("PEM|DER", "PEM DER"),
            ("on/off", "on off"),
            ("true/false", "true false"),
            ("YES/NO", "YES NO"),
            ("reboot=reset|shutdown", ""),
            ("var=value|var", ""),
            ("\"path/to/object\"", ""),
            ("<y or n>", "y n"),
            ("{RED,LIGHT_RED,NO_COLOR,0}", "RED LIGHT_RED NO_COLOR 0"),
            ("[{full,file,never}]", "full file never"),
            ("{file,dir}", ""),
            ("{list,db:dump,db:load-all}", "list db:dump db:load-all"),
            ("{host:PORT,addr:}", ""),
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
