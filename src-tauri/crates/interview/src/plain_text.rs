//! Reading single values from plain text: numbers, yes and no, choices, lists, quantities.

use serde_json::{Map, Number, Value};

use crate::field::{Field, FieldKind, UNITS_KEY, VALUE_KEY};
use crate::limits::quoted;

/// Answers that say that there is no answer, in lower case without punctuation.
const NO_ANSWERS: &[&str] = &[
    "",
    "i dont know",
    "i do not know",
    "dont know",
    "do not know",
    "not sure",
    "im not sure",
    "i am not sure",
    "no idea",
    "i have no idea",
    "unknown",
    "na",
    "n a",
    "none that i know",
    "hard to say",
    "that is hard to say",
    "thats hard to say",
    "it depends",
    "that depends",
    "it varies",
    "maybe",
    "perhaps",
    "pass",
    "skip",
    "later",
    "no comment",
    "whatever",
    "i cannot say",
    "i cant say",
    "i would have to ask",
];
/// Most entries of a list that are taken as an answer.
const MAX_ENTRIES: usize = 5_000;

/// Returns whether a text says that there is no answer.
pub(crate) fn is_no_answer(text: &str) -> bool {
    let mut normal = String::new();
    for character in text.trim().chars().take(100) {
        match character {
            '\'' | '’' => {}
            c if c.is_alphanumeric() => normal.extend(c.to_lowercase()),
            _ if !normal.ends_with(' ') => normal.push(' '),
            _ => {}
        }
    }
    NO_ANSWERS.contains(&normal.trim())
}

/// Reads the value of a field from text. On failure, says what is expected.
pub(crate) fn read(field: &Field, text: &str) -> Result<Value, String> {
    let text = text.trim();
    match &field.kind {
        FieldKind::Text => Ok(Value::from(text)),
        FieldKind::Number => {
            number(text).ok_or_else(|| format!("a number is expected, not {}", quoted(text)))
        }
        FieldKind::Boolean => yes_or_no(text)
            .map(Value::Bool)
            .ok_or_else(|| format!("yes or no is expected, not {}", quoted(text))),
        FieldKind::Choice { values, is_many: false, .. } => choice(values, text).map(Value::from),
        FieldKind::Choice { values, is_closed, .. } => choices(values, *is_closed, text),
        FieldKind::List { is_numbers } => list(text, *is_numbers),
        FieldKind::Quantity { units } => quantity(units, text),
        FieldKind::Pairs { keys } => pairs(keys, text),
        FieldKind::Table(table) if table.takes_text => list(text, false),
        FieldKind::Table(_) => Err("a table or JSON is expected".to_owned()),
        FieldKind::Structure => {
            serde_json::from_str(text).map_err(|_| format!("JSON is expected, not {}", quoted(text)))
        }
    }
}

/// Reads a number. Commas may group the digits before the decimal point by three.
fn number(text: &str) -> Option<Value> {
    let text = text.trim_end_matches('.');
    let whole = text.split('.').next().unwrap_or_default();
    let groups: Vec<&str> = whole.trim_start_matches('-').split(',').collect();
    let is_grouped = groups.len() == 1
        || groups
            .iter()
            .enumerate()
            .all(|(at, group)| group.len() == 3 || (at == 0 && (1..=3).contains(&group.len())));
    let digits = text.replace(',', "");
    let is_number = digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E'));
    if !is_grouped || !is_number {
        return None;
    }
    if let Ok(number) = digits.parse::<i64>() {
        return Some(Value::from(number));
    }
    digits.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number)
}

fn yes_or_no(text: &str) -> Option<bool> {
    let word = text.trim_end_matches(['.', '!']).trim().to_ascii_lowercase();
    match word.as_str() {
        "yes" | "y" | "true" | "yes it is" | "yes we do" | "1" => Some(true),
        "no" | "n" | "false" | "no it is not" | "no we do not" | "2" => Some(false),
        _ => None,
    }
}

/// Reads one of some values: its words, or its number from 1.
fn choice(values: &[String], text: &str) -> Result<String, String> {
    let wanted = text.trim().trim_end_matches(['.', '!', ')']).trim();
    let by_text = [text.trim(), wanted]
        .into_iter()
        .find_map(|wanted| values.iter().find(|value| value.eq_ignore_ascii_case(wanted)));
    let by_number = || {
        let number = wanted.trim_start_matches('(').parse::<usize>().ok()?;
        number.checked_sub(1).and_then(|at| values.get(at))
    };
    let chosen = by_text.or_else(by_number);
    chosen.cloned().ok_or_else(|| format!("{} is not one of: {}", quoted(text), values.join(", ")))
}

fn choices(values: &[String], is_closed: bool, text: &str) -> Result<Value, String> {
    let mut chosen: Vec<Value> = Vec::new();
    let mut is_any_known = false;
    for part in text.split([',', ';', '\n']).map(|part| part.trim().trim_start_matches(['-', '*', ' '])) {
        if part.is_empty() {
            continue;
        }
        let value = match choice(values, part) {
            Ok(value) => {
                is_any_known = true;
                Value::from(value)
            }
            Err(_) if !is_closed && part.chars().any(char::is_alphabetic) && !names_one(values, part) => {
                Value::from(part)
            }
            Err(problem) => return Err(problem),
        };
        if !chosen.contains(&value) {
            bounded(chosen.len() + 1)?;
            chosen.push(value);
        }
    }
    if is_any_known {
        Ok(Value::Array(chosen))
    } else {
        Err(format!("one or more of these are expected: {}", values.join(", ")))
    }
}

/// Whether a text has one of some values among other words, which may say the opposite: "not air".
fn names_one(values: &[String], text: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let said = words(text);
    values
        .iter()
        .map(|value| words(value))
        .any(|value| !value.is_empty() && said.windows(value.len()).any(|part| part == value.as_slice()))
}

/// Splits entries: by line, else by semicolon. Bullets and numbers before entries are removed.
fn entries(text: &str) -> Vec<&str> {
    let text = text.trim();
    let separator = if text.contains('\n') { '\n' } else { ';' };
    let parts = text.split(separator).map(|part| without_bullet(part.trim()));
    parts.filter(|part| !part.is_empty()).collect()
}

/// Rejects a number of entries that is too large.
fn bounded(entries: usize) -> Result<(), String> {
    if entries <= MAX_ENTRIES {
        return Ok(());
    }
    Err(format!("at most {MAX_ENTRIES} entries are expected; answer in parts"))
}

fn without_bullet(part: &str) -> &str {
    for bullet in ["- ", "* ", "• "] {
        if let Some(rest) = part.strip_prefix(bullet) {
            return rest.trim();
        }
    }
    let digits = part.chars().take_while(char::is_ascii_digit).count();
    let rest = part.get(digits..).unwrap_or_default();
    match rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")) {
        Some(rest) if digits > 0 => rest.trim(),
        _ => part,
    }
}

fn list(text: &str, is_numbers: bool) -> Result<Value, String> {
    if is_numbers {
        let parts = text.split(['\n', ';', ',']).map(str::trim).filter(|part| !part.is_empty());
        let read =
            |part: &str| number(part).ok_or_else(|| format!("a number is expected, not {}", quoted(part)));
        let numbers = parts.map(read).collect::<Result<Vec<Value>, String>>()?;
        return bounded(numbers.len()).map(|()| Value::Array(numbers));
    }
    let entries = entries(text);
    bounded(entries.len())?;
    Ok(entries.into_iter().map(Value::from).collect())
}

/// Whether a text is a number or a range of numbers, such as `about 3`, `2-4` or `1,5 to 2`.
fn is_amount(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "about",
        "around",
        "at",
        "least",
        "most",
        "less",
        "more",
        "than",
        "over",
        "under",
        "max",
        "min",
        "roughly",
        "from",
        "approximately",
        "ca.",
        "circa",
        "up",
        "to",
        "and",
        "or",
        "between",
    ];
    let is_number =
        |word: &str| word.chars().any(|c| c.is_ascii_digit()) && !word.chars().any(char::is_alphabetic);
    let is_sign = |word: &str| word.chars().all(|c| !c.is_alphanumeric());
    let words: Vec<&str> = text.split_whitespace().collect();
    words.iter().any(|word| is_number(word))
        && words.iter().all(|word| {
            is_number(word) || is_sign(word) || WORDS.contains(&word.to_ascii_lowercase().as_str())
        })
}

/// Reads a number or words, followed by a unit.
fn quantity(units: &[String], text: &str) -> Result<Value, String> {
    let (amount, unit) = match text.rsplit_once(char::is_whitespace) {
        Some((amount, unit)) => (amount.trim(), unit.trim_end_matches('.')),
        None => (text, ""),
    };
    let mut quantity = Map::new();
    if units.is_empty() {
        let has_unit = is_amount(amount) && !unit.chars().any(|c| c.is_ascii_digit());
        if has_unit && !unit.is_empty() {
            quantity.insert(UNITS_KEY.to_owned(), unit.into());
            quantity.insert(VALUE_KEY.to_owned(), amount.into());
        } else {
            quantity.insert(VALUE_KEY.to_owned(), text.into());
        }
        return Ok(Value::Object(quantity));
    }
    let is_unit = |known: &&String| {
        let (known, unit) = (known.to_ascii_lowercase(), unit.to_ascii_lowercase());
        known == unit
            || known.strip_suffix('s') == Some(unit.as_str())
            || unit.strip_suffix('s') == Some(known.as_str())
    };
    let Some(unit) = units.iter().find(is_unit).filter(|_| !amount.is_empty()) else {
        return Err(format!("a number and a unit are expected, the unit one of: {}", units.join(", ")));
    };
    quantity.insert(UNITS_KEY.to_owned(), unit.as_str().into());
    quantity.insert(VALUE_KEY.to_owned(), amount.into());
    Ok(Value::Object(quantity))
}

/// Reads entries of the form `first = second`.
fn pairs(keys: &[String; 2], text: &str) -> Result<Value, String> {
    let [first_key, second_key] = keys;
    let mut read: Vec<Value> = Vec::new();
    for entry in entries(text) {
        let Some((first, second)) = entry.split_once('=') else {
            return Err(format!("{first_key} = {second_key} is expected, not {}", quoted(entry)));
        };
        let mut pair = Map::new();
        pair.insert(first_key.clone(), first.trim().into());
        pair.insert(second_key.clone(), second.trim().into());
        read.push(Value::Object(pair));
    }
    Ok(Value::Array(read))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_without_content_are_recognised() {
        for text in ["", " ", "I don’t know.", "Not sure!", "n/a", "?", "It depends..."] {
            assert!(is_no_answer(text), "{text}");
        }
        assert!(!is_no_answer("None of the ovens is free in the morning."));
    }

    #[test]
    fn numbers_are_read_exactly() {
        assert_eq!(number("1,200"), Some(json!(1200)));
        assert_eq!(number("-3.5"), Some(json!(-3.5)));
        for text in ["1,2", "5 days", "", "1.2.3", "nan", "inf"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn choice_is_read_by_words_or_number() {
        let values = vec!["FLOW".to_owned(), "JOB".to_owned()];
        assert_eq!(choice(&values, "job."), Ok("JOB".to_owned()));
        assert_eq!(choice(&values, "1"), Ok("FLOW".to_owned()));
        assert!(choice(&values, "0").is_err() && choice(&values, "flow and job").is_err());
        assert_eq!(choices(&values, false, "1, 2, other"), Ok(json!(["FLOW", "JOB", "other"])));
        assert!(choices(&values, true, "1, other").is_err());
    }

    #[test]
    fn lists_and_quantities_are_read() {
        assert_eq!(list("- a b\n2. c\n", false), Ok(json!(["a b", "c"])));
        assert_eq!(list("a, b; c", false), Ok(json!(["a, b", "c"])));
        let units = vec!["hours".to_owned(), "days".to_owned()];
        assert_eq!(quantity(&units, "4 to 6 Hour"), Ok(json!({"units": "hours", "value-string": "4 to 6"})));
        assert!(quantity(&units, "a while").is_err() && quantity(&units, "20").is_err());
        assert_eq!(
            quantity(&[], "about 200 pieces"),
            Ok(json!({"units": "pieces", "value-string": "about 200"}))
        );
        assert_eq!(quantity(&[], "depends on size"), Ok(json!({"value-string": "depends on size"})));
        let keys = ["value".to_owned(), "meaning".to_owned()];
        assert_eq!(
            pairs(&keys, "0 = none; 1 = some"),
            Ok(json!([
            {"value": "0", "meaning": "none"}, {"value": "1", "meaning": "some"}]))
        );
    }
}
