//! Two values in a sentence: `gzip or bzip2`.

use std::sync::LazyLock;

use regex::Captures;

use super::{are_kinds, beside_default::is_noun, gives_examples};
use crate::hints::default;
use crate::patterns::{found, found_near, pattern};

// `Use gzip or bzip2`, with the word before it and the quotes.
pattern!(
    PAIR,
    r#"(?:^|([^\s,/|]+)\s|[(:] ?)(["'`]?)([A-Za-z0-9][\w.+-]*)["'`]? or (["'`]?)([A-Za-z0-9](?:[\w.+-]*\w)?)["'`]?(?:[\s;,.)]|$)"#
);
// `(X or Y)`, `("counter" or "type_id")`, at the end.
pattern!(
    IN_PARENTHESES,
    r#"\((["'`]?)([A-Za-z0-9][\w.+-]*)["'`]? or (["'`]?)([A-Za-z0-9][\w.+-]*)["'`]?\)\.?$"#
);
// `VLAN tag protocol 802.1q or 802.1ad`, at the end.
pattern!(AT_END, r"^(.*?),? ([A-Za-z0-9][\w.+-]*) or ([A-Za-z0-9][\w.+-]*)\.?$");

/// Two values, one of which is the default, or which are no words of a sentence.
pub(super) fn pair(description: &str, name: &str) -> Vec<String> {
    if !description.contains(" or ") || gives_examples(description) {
        return Vec::new();
    }
    let of_default = || {
        let default = default(description)?;
        let pair = |found: Captures<'_>| {
            // `1.3 1.2 or 1.1`
            let is_part =
                found.get(1).is_some_and(|word| word.as_str().contains(|c: char| c.is_ascii_digit()));
            let pair = [found[3].to_owned(), found[5].to_owned()];
            (!is_part && found[2] == found[4] && pair.contains(&default)).then_some(pair)
        };
        LazyLock::force(&PAIR).as_ref()?.captures_iter(description).find_map(pair)
    };
    let in_parentheses = || {
        let found = found_near(&IN_PARENTHESES, description, "(")?;
        let pair = [found[2].to_owned(), found[4].to_owned()];
        let before = description.rsplit_once(" (").map_or("", |(before, _)| before);
        // `variant TYPE of it (standard or Atari)`
        let is_about = is_noun(name) || is_noun(before);
        // `(defaults depend on usage (ZSK or KSK)`
        let is_inside = before.matches('(').count() > before.matches(')').count();
        (!is_inside && (is_about || pair.iter().all(|word| is_code(word)))).then_some(pair)
    };
    let quoted = || {
        let found = found_near(&IN_PARENTHESES, description, "(")?;
        let are_quoted = !found[1].is_empty() && !found[3].is_empty() && found[2] != found[4];
        are_quoted.then(|| [found[2].to_owned(), found[4].to_owned()])
    };
    let at_end = || {
        let found = found(&AT_END, description)?;
        let pair = [found[2].to_owned(), found[3].to_owned()];
        let has_digit = |word: &String| word.contains(|c: char| c.is_ascii_digit());
        (is_noun(&found[1]) && pair.iter().all(has_digit)).then_some(pair)
    };
    let are_values = |pair: &[String; 2]| {
        !pair.iter().any(|word| word.eq_ignore_ascii_case(name))
            && !are_kinds(pair)
            && !pair.iter().any(|word| is_of_sentence(word))
            && pair[0] != pair[1]
    };
    let pair = quoted().or_else(|| of_default().or_else(in_parentheses).or_else(at_end).filter(are_values));
    pair.map(Vec::from).unwrap_or_default()
}

/// Whether a word is a name: `X`, `CocoaPods`, `type_id`.
fn is_code(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Whether a word stands for other values, or for none.
fn is_of_sentence(word: &str) -> bool {
    const WORDS: &[&str] =
        &["more", "less", "not", "a", "an", "the", "any", "other", "else", "empty", "unset", "it"];
    WORDS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::pair;

    #[test]
    fn two_values_are_a_list_if_they_are_clear() {
        for (text, expected) in [
            ("Choose to use gzip or bzip2 compression; default is gzip", "gzip bzip2"),
            ("Switch wind3 or wind4 preset on. (default: wind4)", "wind3 wind4"),
            ("Read it as (RGB or CMYK).", "RGB CMYK"),
            ("Add unique id ('counter' or 'type_id')", "counter type_id"),
            ("installs (CocoaPods or SPM)", "CocoaPods SPM"),
            ("Specify VLAN tag protocol 802.1q or 802.1ad", "802.1q 802.1ad"),
            ("Number of runs, 1 or more (default: 1)", ""),
            ("a, b or c (default: b)", ""),
            ("where it is (local or remote)", ""),
            ("(defaults depend on the usage (ZSK or KSK)", ""),
            ("like zip or tar (default: zip)", ""),
            ("Use file or dir (default: dir)", ""),
        ] {
            assert_eq!(pair(text, "X").join(" "), expected, "{text}");
        }
        assert_eq!(pair("Log to target or stderr. Default: stderr", "target"), Vec::<String>::new());
        assert_eq!(pair("Select variant TYPE of it (standard or Atari)", "TYPE"), ["standard", "Atari"]);
    }
}
