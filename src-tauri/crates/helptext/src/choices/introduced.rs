//! Lists behind words that introduce them: `one of a, b or c`, `possible values are`.

use std::sync::LazyLock;

use super::{PARTS, gives_examples, list::closed};
use crate::hints::bare;
use crate::patterns::{Pattern, is_match, pattern};

// Words before a list, quoted or not.
pattern!(
    BEFORE_ANY,
    r"(?i)\b(?:(?:must|can|may|should) be (?:either|(?:one|any) of)(?: the following)?(?: values)?|must be|(?:one|any) of(?: the following)?(?: values)?|only supports|choices(?: are)?|options(?: are|:)|choose from|choose between|choose one of|(?:valid|allowed|possible|supported|available) \w+ (?:names|values|types|modes|formats|levels) are|(?:languages|formats|types|modes|values|methods) (?:handled|supported|available|accepted|recognized|allowed)(?: are)?(?: currently)?)\s*:?\s+"
);
// `Legal values [a, b]`, `Allowed signals are: a and b`. The noun is captured, and what makes it a list.
pattern!(
    BEFORE_NOUN,
    r"(?i)\b(?:possible|valid|allowed|available|supported|accepted|legal|permitted|optional (?:modes|values|when))(?: (\w+))?(?: for \w+)?( are)?\s*([:=]?)\s*"
);
pattern!(BEFORE_EITHER, r"(?i)\beither(?: one of)?:?\s+");
// `Can be SCORE, LINES or ALPHA`, as a sentence or behind one.
pattern!(BEFORE_CAN, r"(?:^|[.;,] )[Cc]an be ");
pattern!(BEFORE_QUOTED, r"(?i)\b(?:can be|may be|should be|is|either|values are|modes are|set to)\s*:?\s+");
// `Ignored if the format is 'json' or 'xml'`: no list of all values.
pattern!(CONDITION, r"(?i)\b(?:if|when|unless|whose|where|which|default|not required|stdout)\b");
pattern!(SUBJECT, r"[<{][\w-]+[>}]|\b[A-Z][A-Z_-]+\b");

/// `Its level, possible values are: error, warn and info`, `Can be a or b`: lists that say that there is a value.
pub(super) fn stated(description: &str) -> Vec<String> {
    let patterns = [(&BEFORE_ANY, false, false), (&BEFORE_NOUN, false, false), (&BEFORE_CAN, false, true)];
    behind_words(description, "", &patterns)
}

pub(super) fn introduced(description: &str, name: &str) -> Vec<String> {
    let patterns = [
        (&BEFORE_ANY, false, false),
        (&BEFORE_NOUN, false, false),
        (&BEFORE_CAN, false, true),
        (&BEFORE_QUOTED, true, true),
        (&BEFORE_EITHER, false, true),
    ];
    behind_words(description, name, &patterns)
}

/// The list behind the first of these words that has one: whether it must be quoted, and whether the words may be part of
/// a condition.
fn behind_words(description: &str, name: &str, patterns: &[(&Pattern, bool, bool)]) -> Vec<String> {
    for (pattern, only_quoted, may_be_condition) in patterns.iter().copied() {
        let Some(pattern) = LazyLock::force(pattern).as_ref() else { continue };
        for captures in pattern.captures_iter(description) {
            let Some(all) = captures.get(0) else { continue };
            let (before, rest) = description.split_at(all.end());
            let before = before.get(..all.start()).unwrap_or_default();
            let is_noun = captures.len() > 1;
            let noun = captures.get(1).map_or("", |noun| noun.as_str()).to_lowercase();
            let is_other = ["in", "for", "include", "includes", "range"].contains(&noun.as_str());
            if is_other || PARTS.contains(&noun.as_str()) || all.as_str().contains(" by ") {
                continue;
            }
            let is_marked = captures.get(2).is_some()
                || captures.get(3).is_some_and(|colon| !colon.is_empty())
                || rest.starts_with('[');
            let items = closed(rest, only_quoted || is_noun && !is_marked);
            let is_joined = rest.split(['.', ';']).next().unwrap_or_default().contains(" or ");
            if all.as_str().ends_with("an be ") && !only_quoted && !is_joined {
                continue;
            }
            // `May be "a" or "b"`: a sentence of its own, even without a full stop before it.
            let is_sentence = all.as_str().trim_start_matches(['.', ' ']).starts_with(char::is_uppercase);
            let before = if is_sentence && may_be_condition { "" } else { before };
            if items.len() > 1 && introduces(before, name, may_be_condition) {
                return items;
            }
        }
    }
    Vec::new()
}

/// Whether a list can follow: no example, no alternative to something else, and not about another value.
pub(super) fn introduces(before: &str, name: &str, may_be_condition: bool) -> bool {
    let sentence = before.rsplit(". ").next().unwrap_or_default();
    let sentence = sentence.rsplit("; ").next().unwrap_or_default();
    if may_be_condition && is_match(&CONDITION, sentence) {
        return false;
    }
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let near = words.get(words.len().saturating_sub(3)..).unwrap_or_default().join(" ");
    // Without a name, nothing tells what is foreign: `HTTP method, one of GET or POST`.
    let subject = LazyLock::force(&SUBJECT).as_ref().filter(|_| !name.is_empty());
    let is_foreign =
        subject.is_some_and(|subject| subject.find_iter(&near).any(|found| bare(found.as_str()) != name));
    let is_example = [", e.g.", " e.g.", " i.e."].iter().any(|mark| before.trim_end().ends_with(mark));
    !is_example && !gives_examples(sentence) && !sentence.trim_end().ends_with(", or") && !is_foreign
}
