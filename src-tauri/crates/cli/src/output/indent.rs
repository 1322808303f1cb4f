//! JSON indented for people. Numbers and strings stay as they were written, which a parsed value does not guarantee.

use serde_json::value::RawValue;

/// Levels that are indented further than the one around them: a text of brackets must not grow with its square.
const MAX_LEVEL: usize = 32;

/// Valid JSON with a line for each member and item.
pub fn indented(json: &RawValue) -> String {
    let (mut out, mut level) = (String::with_capacity(json.get().len() * 2), 0_usize);
    let new_line = |out: &mut String, level: usize| {
        out.push('\n');
        out.push_str(&"  ".repeat(level.min(MAX_LEVEL)));
    };
    let (mut in_string, mut is_escaped) = (false, false);
    let mut rest = json.get().chars().peekable();
    while let Some(c) = rest.next() {
        if in_string {
            out.push(c);
            in_string = is_escaped || c != '"';
            is_escaped = !is_escaped && c == '\\';
            continue;
        }
        match c {
            ' ' | '\t' | '\n' | '\r' => {}
            '{' | '[' => {
                out.push(c);
                while rest.next_if(|next| next.is_ascii_whitespace()).is_some() {}
                match rest.next_if(|next| matches!(next, '}' | ']')) {
                    Some(end) => out.push(end),
                    None => {
                        level += 1;
                        new_line(&mut out, level);
                    }
                }
            }
            '}' | ']' => {
                level = level.saturating_sub(1);
                new_line(&mut out, level);
                out.push(c);
            }
            ',' => {
                out.push(c);
                new_line(&mut out, level);
            }
            ':' => out.push_str(": "),
            c => {
                in_string = c == '"';
                out.push(c);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn is_what_serde_prints_of_values_it_can_hold() {
        let value =
            json!({"a": [], "b": {}, "c": [1, {"d": "x: {[\"\\,]}"}], "": null, "\\": "\\\"", "e": [[[]]]});
        for text in
            [value.to_string(), serde_json::to_string_pretty(&value).unwrap(), "1".into(), "\"\\\\\"".into()]
        {
            let value: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(indented(&raw(&text)), serde_json::to_string_pretty(&value).unwrap());
        }
    }

    #[test]
    fn numbers_and_escapes_stay_as_written() {
        let text = r#"[1.0e400,12345678901234567890123,"\u00e9\ud800"]"#;
        let lines = ["[", "  1.0e400,", "  12345678901234567890123,", r#"  "\u00e9\ud800""#, "]"];
        assert_eq!(indented(&raw(text)), lines.join("\n"));
    }
}
