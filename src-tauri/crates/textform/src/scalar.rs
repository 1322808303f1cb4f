//! YAML scalars: which value a plain one stands for, and quoted ones.

use serde_json::Value;

/// Returns the value of a plain scalar by the core schema of YAML 1.2. Numbers with leading zeros, which older YAML
/// reads as octal, stay strings.
pub(crate) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        text if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
            // JSON's numbers are the ones on which all versions of YAML agree.
            match serde_json::from_str::<serde_json::Number>(text) {
                // An integer that would lose digits, such as an id of 20 of them, stays as it is written.
                Ok(number) if number.is_f64() && text != "-0" && !text.contains(['.', 'e', 'E']) => {
                    text.into()
                }
                Ok(number) => Value::Number(number),
                Err(_) => text.into(),
            }
        }
        text => text.into(),
    }
}

/// Whether a text may be a plain scalar or a part of one: nothing in it means anything to YAML.
pub(crate) fn is_plain(text: &str) -> bool {
    let begins =
        !text.starts_with([',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`']);
    let dash =
        ["- ", "? ", ": "].iter().any(|mark| text.starts_with(mark)) || matches!(text, "-" | "?" | ":");
    begins && !dash && !text.contains(": ") && !text.ends_with(':') && !text.contains(" #")
}

/// Reads a quoted scalar at the start of a text and returns it with what follows.
pub(crate) fn quoted(text: &str) -> Option<(String, &str)> {
    let mut chars = text.chars();
    let quote = chars.next().filter(|c| matches!(c, '\'' | '"'))?;
    let mut value = String::new();
    loop {
        match chars.next()? {
            '\'' if quote == '\'' && chars.as_str().starts_with('\'') => {
                chars.next();
                value.push('\'');
            }
            c if c == quote => return Some((value, chars.as_str())),
            '\\' if quote == '"' => value.push(escape(&mut chars)?),
            c => value.push(c),
        }
    }
}

fn escape(chars: &mut std::str::Chars<'_>) -> Option<char> {
    let digits = match chars.next()? {
        c @ ('\\' | '"' | '/' | ' ') => return Some(c),
        '0' => return Some('\0'),
        'a' => return Some('\u{7}'),
        'b' => return Some('\u{8}'),
        't' => return Some('\t'),
        'n' => return Some('\n'),
        'v' => return Some('\u{b}'),
        'f' => return Some('\u{c}'),
        'r' => return Some('\r'),
        'e' => return Some('\u{1b}'),
        'N' => return Some('\u{85}'),
        '_' => return Some('\u{a0}'),
        'L' => return Some('\u{2028}'),
        'P' => return Some('\u{2029}'),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return None,
    };
    let mut code: u32 = 0;
    for _ in 0..digits {
        code = code.checked_mul(16)? + chars.next()?.to_digit(16)?;
    }
    char::from_u32(code)
}

/// Reads a flow collection that fills the text: `[a, "b"]`, `{a: 1}`.
pub(crate) fn flow(text: &str, depth: usize) -> Option<Value> {
    let (value, rest) = flow_value(text, depth)?;
    rest.trim().is_empty().then_some(value)
}

fn flow_value(text: &str, depth: usize) -> Option<(Value, &str)> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix('[') {
        return flow_items(rest, depth.checked_sub(1)?);
    }
    if let Some(rest) = text.strip_prefix('{') {
        return flow_members(rest, depth.checked_sub(1)?);
    }
    if text.starts_with(['\'', '"']) {
        return quoted(text).map(|(value, rest)| (Value::String(value), rest));
    }
    let end = text.find([',', '[', ']', '{', '}'])?;
    let word = text[..end].trim_end();
    (!word.is_empty() && is_plain(word)).then(|| (plain(word), &text[end..]))
}

fn flow_items(mut rest: &str, depth: usize) -> Option<(Value, &str)> {
    let mut items = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(rest) = rest.strip_prefix(']') {
            return Some((Value::Array(items), rest));
        }
        let (value, after) = flow_value(rest, depth)?;
        items.push(value);
        rest = separated(after, ']')?;
    }
}

fn flow_members(mut rest: &str, depth: usize) -> Option<(Value, &str)> {
    let mut members = serde_json::Map::new();
    loop {
        rest = rest.trim_start();
        if let Some(rest) = rest.strip_prefix('}') {
            return Some((Value::Object(members), rest));
        }
        let (key, after) = if rest.starts_with(['\'', '"']) {
            let (key, after) = quoted(rest)?;
            (key, after.strip_prefix(':')?)
        } else {
            let (key, after) = rest.split_once(": ")?;
            (is_plain(key) && !key.contains([',', '[', ']', '{', '}'])).then_some((key.to_owned(), after))?
        };
        let (value, after) = flow_value(after, depth)?;
        if members.insert(key, value).is_some() {
            return None;
        }
        rest = separated(after, '}')?;
    }
}

/// What follows a comma, or the end that is still to be read.
fn separated(rest: &str, end: char) -> Option<&str> {
    let rest = rest.trim_start();
    rest.strip_prefix(',').or_else(|| rest.starts_with(end).then_some(rest))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_follows_the_core_schema() {
        for (text, value) in [
            ("1", json!(1)),
            ("-2.5", json!(-2.5)),
            ("1e3", json!(1e3)),
            ("007", json!("007")),
            ("18446744073709551615", json!(u64::MAX)),
            ("1234567890123456789012", json!("1234567890123456789012")),
            ("1.2.3", json!("1.2.3")),
            ("2024-01-01", json!("2024-01-01")),
            ("yes", json!("yes")),
            ("~", json!(null)),
            ("True", json!(true)),
        ] {
            assert_eq!(plain(text), value, "{text}");
        }
    }

    #[test]
    fn flow_reads_nested_collections() {
        let value = flow(r#"[a, 'it''s', {b: 1, "c": [x y]}, []]"#, 8);
        assert_eq!(value, Some(json!(["a", "it's", {"b": 1, "c": ["x y"]}, []])));
        for text in ["[a", "[a] b", "[a: b]", "{a}", "[&a b]", "[[[[]]]]"] {
            assert_eq!(flow(text, 3), None, "{text}");
        }
    }
}
