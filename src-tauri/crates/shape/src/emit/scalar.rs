//! Strings and numbers: formats, enums and patterns.

use serde_json::Value;

use super::{Emitter, Limits, MOST_VARIETY, Policy, Schema, typed};
use crate::characters::Pattern;
use crate::distinct::Distinct;
use crate::node::{Id, Step, Type};
use crate::values::Range;
use crate::view::View;

impl Emitter<'_> {
    pub(super) fn string(&mut self, tree: View<'_>, id: Id) -> Schema {
        let mut schema = typed(Type::String);
        let count = tree.node(id).count(Type::String);
        let Some(strings) = tree.strings(id) else { return schema };
        if let Some(format) = strings.format().filter(|_| count >= self.limits.format_after) {
            self.decide(|| {
                (format!("format {}", format.name()), format!("all {count} strings have this format"))
            });
            schema.insert("format".into(), format.name().into());
            return schema;
        }
        if self.enumerate(&mut schema, (tree, id), Type::String, |text| Some(text.into())) {
            return schema;
        }
        if let Some(pattern) = pattern(tree, id, self.limits) {
            let distinct = strings.distinct.count();
            self.decide(|| {
                let because = format!("{distinct} distinct values, all of this length and these characters");
                (format!("pattern {pattern}"), because)
            });
            schema.insert("pattern".into(), pattern.to_string().into());
        }
        schema
    }

    pub(super) fn number(&mut self, tree: View<'_>, id: Id, kind: Type) -> Schema {
        let mut schema = typed(kind);
        let integers = tree.node(id).count(Type::Integer);
        if kind == Type::Number && tree.node(id).count(Type::Number) == 0 {
            let because = || format!("{integers} integers are too few to exclude other numbers");
            self.decide(|| ("number".into(), because()));
        }
        if kind == Type::Integer {
            let integer = |text: &str| serde_json::from_str(text).ok().filter(Value::is_number);
            self.enumerate(&mut schema, (tree, id), Type::Integer, integer);
        }
        schema
    }

    /// Adds `enum` or `const` if values may be enumerated. Returns whether that is so.
    fn enumerate(
        &mut self,
        schema: &mut Schema,
        (tree, id): (View<'_>, Id),
        kind: Type,
        value: impl Fn(&str) -> Option<Value>,
    ) -> bool {
        let Some(values) = enumerated(tree, id, kind, self.limits) else { return false };
        let mut listed: Vec<Value> = values.iter().filter_map(|text| value(text)).collect();
        if listed.len() < values.len() {
            return false;
        }
        let total = tree.node(id).count(kind);
        if let [_] = listed.as_slice() {
            self.decide(|| ("const".into(), format!("the same in all {total} values")));
            schema.extend(listed.pop().map(|only| ("const".to_owned(), only)));
        } else {
            self.decide(|| {
                let because = format!("{} distinct values in {total}, none seen only once", listed.len());
                (format!("enum of {}", listed.len()), because)
            });
            schema.insert("enum".into(), listed.into());
        }
        true
    }
}

/// Returns the pattern of codes: strings of one length that consist of few kinds of characters, if there are enough
/// that others are unlikely.
pub(super) fn pattern(tree: View<'_>, id: Id, policy: &Policy) -> Option<Pattern> {
    let strings = tree.strings(id)?;
    let Range(least, most) = strings.lengths;
    let pattern = strings.characters.pattern(most).filter(|_| least == most)?;
    let after = policy.pattern_after;
    (tree.node(id).documents >= after && strings.distinct.count() >= after).then_some(pattern)
}

/// Returns the values of one type, in order, if they are few, known, and all frequent enough that
/// another is unlikely: by Good–Turing, none was seen only once. A single value is significant only
/// if the observations differ in other values.
pub(crate) fn enumerated<'t>(tree: View<'t>, id: Id, kind: Type, limits: &Limits) -> Option<Vec<&'t str>> {
    let node = tree.node(id);
    let total = node.count(kind);
    if total < limits.enum_after || node.documents < limits.documents {
        return None;
    }
    let distinct: &Distinct = match kind {
        Type::String => &tree.strings(id)?.distinct,
        _ => &tree.numbers(id)?.distinct,
    };
    let (mut count, mut known, mut least, mut is_constant) = (0, 0, u64::MAX, true);
    for times in distinct.counts() {
        (count, known, least) = (count + 1, known + times, least.min(times));
        is_constant &= times == node.documents;
    }
    // The same list again and again says of its items what one list says.
    if is_constant && count > 1 {
        return None;
    }
    // Redacted values are not counted here, and a number may be of another type.
    if known != total
        || least < 2
        || count > limits.enum_values
        || limits.variety < MOST_VARIETY.min(VARIETY * count.max(2) as u64)
    {
        return None;
    }
    let values = distinct.values()?;
    let mut values: Vec<&str> = values.into_iter().map(|(text, _)| text).collect();
    if names_things(tree, id) || values.iter().any(|text| is_name(text)) {
        return None;
    }
    if kind == Type::Integer {
        values.sort_by_key(|text| text.parse::<i128>().unwrap_or_default());
        return Some(values).filter(|values| least >= 3 && are_codes(values));
    }
    let words = values.iter().all(|text| is_word(text));
    let few = count > 1 && !words && node.documents < limits.enum_documents * count as u64;
    if few || !values.iter().all(|text| may_be_code(text)) {
        return None;
    }
    values.sort_unstable();
    Some(values)
}

/// Different observations required for each value of an `enum`; a `const` requires as many as two.
const VARIETY: u64 = 3;

/// Last words of keys whose values name single things, of which there will be others.
const NAMES: [&str; 24] = [
    "id", "ids", "uid", "uuid", "guid", "arn", "sha", "hash", "digest", "token", "path", "file", "filename",
    "url", "uri", "href", "host", "hostname", "email", "login", "username", "title", "summary", "message",
];
/// Digits in a row from which on they number a thing.
const MANY_DIGITS: usize = 6;
/// Words from which on a text is a sentence.
const MANY_WORDS: usize = 5;
/// Characters of a token from which on letters and digits in turn are an id.
const LONG_TOKEN: usize = 7;

/// Returns whether values are under a key that says they name single things.
fn names_things(tree: View<'_>, mut id: Id) -> bool {
    while tree.node(id).step == Step::Items {
        id = tree.node(id).parent;
    }
    let Step::Field { .. } = tree.node(id).step else { return false };
    let key = tree.fields(tree.node(id).parent).find(|(_, field)| *field == id).map(|(key, _)| key);
    key.and_then(last_word).is_some_and(|word| NAMES.contains(&word.as_str()))
}

/// Returns the last word of a key, in lower case: `id` of `userId`, `user_id` and `ID`.
fn last_word(key: &str) -> Option<String> {
    let last = key.split(|c: char| !c.is_alphanumeric()).rfind(|part| !part.is_empty())?;
    let is_upper = last.chars().all(|c| !c.is_lowercase());
    let start = if is_upper { None } else { last.rfind(|c: char| c.is_uppercase()) };
    Some(last[start.unwrap_or(0)..].to_lowercase())
}

/// Returns whether a text is the name of a single thing rather than one of an enum: a hash, a number, an amount, the path
/// of a file, an image with its tag, a sentence.
fn is_name(text: &str) -> bool {
    let slashes = text.matches('/').count();
    let extension =
        text.rsplit('/').next().and_then(|file| file.rsplit_once('.')).map(|(_, extension)| extension);
    let is_extension =
        |text: &str| (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_file = slashes == 1 && extension.is_some_and(is_extension);
    let is_path = text.starts_with(['/', '~']) || text.starts_with("./") || slashes > 1 || is_file;
    let has_tag = text.split(':').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_amount = text.split_once('.').is_some_and(|(whole, cents)| {
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        digits(whole) && digits(cents) && cents.len() == 2 && whole.len() > 1
    });
    let is_sentence = text.split(' ').count() >= MANY_WORDS;
    is_path
        || has_tag
        || is_amount
        || is_sentence
        || text.split(|c: char| !c.is_ascii_alphanumeric()).any(is_id)
}

/// Returns whether a token is a number of many digits, or letters and digits in turn.
fn is_id(token: &str) -> bool {
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    if digits == token.len() {
        return digits >= MANY_DIGITS;
    }
    let bytes = token.as_bytes();
    let turns = bytes.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
    token.len() >= LONG_TOKEN && turns > 2
}

/// Returns whether a text is a word, or several, as the values of most enums are.
fn is_word(text: &str) -> bool {
    let letter = |c: char| c.is_alphabetic() || matches!(c, '_' | '-' | ' ');
    text.starts_with(char::is_alphabetic) && text.chars().all(letter)
}

/// Returns whether a text may be one of an enum. Expressions, commands and markup hardly are.
fn may_be_code(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '.' | ':' | '/' | '+' | '#'))
}

/// Returns whether the sorted integers are spread out, as codes are. Adjacent ones are more likely
/// counts or grades, of which there will be more.
fn are_codes(values: &[&str]) -> bool {
    let numbers: Vec<i128> = values.iter().filter_map(|text| text.parse().ok()).collect();
    let apart = numbers.windows(2).filter(|pair| pair[1].saturating_sub(pair[0]) > 1).count();
    numbers.len() > 1 && apart * 2 >= numbers.len() - 1
}
