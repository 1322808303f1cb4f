//! Foreign text in printed code: inside literals and comments, from which it cannot escape.

use std::fmt::Write;

/// Longest line of a comment in characters.
const MAX_LINE: usize = 200;
/// Longest description in characters.
const MAX_DESCRIPTION: usize = 2_000;

/// A string literal of Python in double quotes; ASCII only.
pub(crate) fn python(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        // Writing into a string cannot fail.
        let _ = match letter {
            '"' | '\\' => write!(out, "\\{letter}"),
            ' '..='~' => write!(out, "{letter}"),
            '\n' => write!(out, "\\n"),
            letter if u32::from(letter) < 0x100 => write!(out, "\\x{:02x}", u32::from(letter)),
            letter if u32::from(letter) < 0x1_0000 => write!(out, "\\u{:04x}", u32::from(letter)),
            letter => write!(out, "\\U{:08x}", u32::from(letter)),
        };
    }
    out + "\""
}

/// A string literal of JSON as Python reads it, in single quotes, so that its quotes need no escapes.
pub(crate) fn python_json(json: &str) -> String {
    let double = python(json);
    let inner = &double[1..double.len() - 1];
    format!("'{}'", inner.replace("\\\"", "\"").replace('\'', "\\'"))
}

/// A string literal of JavaScript in double quotes; ASCII only.
pub(crate) fn script(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        let _ = match letter {
            '"' | '\\' => write!(out, "\\{letter}"),
            ' '..='~' => write!(out, "{letter}"),
            '\n' => write!(out, "\\n"),
            letter => write!(out, "\\u{{{:x}}}", u32::from(letter)),
        };
    }
    out + "\""
}

/// A string literal of JSON as JavaScript reads it, in single quotes.
pub(crate) fn script_json(json: &str) -> String {
    let double = script(json);
    let inner = &double[1..double.len() - 1];
    format!("'{}'", inner.replace("\\\"", "\"").replace('\'', "\\'"))
}

/// Text that people read, without characters that control or hide anything.
fn harmless(text: &str) -> String {
    let visible = |letter: char| match letter {
        '\n' => Some('\n'),
        letter if letter.is_control() => Some(' '),
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => None,
        '\u{2060}'..='\u{206f}' | '\u{e000}'..='\u{f8ff}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => None,
        '\u{e0000}'.. => None,
        letter => Some(letter),
    };
    text.replace("\r\n", "\n").chars().take(MAX_DESCRIPTION).filter_map(visible).collect()
}

/// One line of text for a comment that ends with its line.
pub(crate) fn line(text: &str) -> String {
    let words: Vec<String> = harmless(text).split_whitespace().map(str::to_owned).collect();
    let line = words.join(" ");
    match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Lines of text for a comment or docstring, without blank ends.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = harmless(text).lines().map(|line| line.trim_end().to_owned()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let start = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
    lines.split_off(start)
}

/// A docstring of Python, with its quotes, indented.
pub(crate) fn docstring(text: &str, indent: &str) -> String {
    let escaped = |line: &String| line.replace('\\', "\\\\").replace('"', "\\\"");
    let lines: Vec<String> = lines(text).iter().map(escaped).collect();
    match lines.as_slice() {
        [] => format!("{indent}\"\"\"\"\"\"\n"),
        [line] => format!("{indent}\"\"\"{line}\"\"\"\n"),
        several => {
            let body: String = several
                .iter()
                .enumerate()
                .map(|(number, line)| match (number, line.is_empty()) {
                    (0, _) => format!("{line}\n"),
                    (_, true) => "\n".to_owned(),
                    (_, false) => format!("{indent}{line}\n"),
                })
                .collect();
            format!("{indent}\"\"\"{body}{indent}\"\"\"\n")
        }
    }
}

/// A comment of TypeScript, indented.
pub(crate) fn script_comment(text: &str, indent: &str) -> String {
    let lines: Vec<String> = lines(text).iter().map(|line| line.replace("*/", "*\u{2009}/")).collect();
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        several => {
            let body: String = several
                .iter()
                .map(|line| format!("{indent} * {line}").trim_end().to_owned() + "\n")
                .collect();
            format!("{indent}/**\n{body}{indent} */\n")
        }
    }
}

/// A documentation comment of Rust, indented. Nothing in it is an example that `cargo test` would run.
pub(crate) fn rust_comment(text: &str, indent: &str) -> String {
    let plain = |line: &String| line.trim_start().replace("```", "'''").replace("~~~", "'''");
    lines(text)
        .iter()
        .map(plain)
        .map(|line| format!("{indent}/// {line}").trim_end().to_owned() + "\n")
        .collect()
}

/// Printed code without its strings in double quotes and its comments, which begin and end with the given signs. What
/// remains has no foreign text.
pub(crate) fn without_text(printed: &str, (begin, end): (&str, &str)) -> String {
    let mut code = String::new();
    let mut rest = printed;
    while let Some(first) = rest.chars().next() {
        let length = if let Some(comment) = rest.strip_prefix(begin) {
            comment.find(end).map_or(rest.len(), |at| begin.len() + at + end.len())
        } else if first == '"' {
            string_length(rest)
        } else {
            code.push(first);
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    code
}

/// Length of the string in double quotes that a text begins with.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Whether code names a type: a word that is not the name of a field, which `:` or `?` follows.
pub(crate) fn has_type(code: &str, name: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    code.match_indices(name).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + name.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(|next| is_word(next) || next == ':' || next == '?')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_ascii_and_stay_closed() {
        assert_eq!(python("a\"\\\n\0é\u{202e}😀"), r#""a\"\\\n\x00\xe9\u202e\U0001f600""#);
        assert_eq!(python_json(r#"{"a":"'\\"}"#), r#"'{"a":"\'\\\\"}'"#);
        assert_eq!(script("`${x}`\u{2028}"), r#""`${x}`\u{2028}""#);
        assert_eq!(docstring("a\"\"\"\\", ""), "\"\"\"a\\\"\\\"\\\"\\\\\"\"\"\n");
        assert!(!script_comment("a */ b\n*/", "").trim_end().trim_end_matches("*/").contains("*/"));
        assert_eq!(line("a\u{202e}\nb\0"), "a b");
    }

    #[test]
    fn code_has_no_text_of_strings_and_comments() {
        let python =
            [docstring("An \"Any\".\nMore", "    "), "    # Any \"\n    a: Literal[\"\\\"Any\"]".to_owned()];
        assert_eq!(without_text(&python.concat(), ("#", "\n")), "    \n        a: Literal[]");
        let script = script_comment("JsonMap \"", "") + "  readonly a: JsonRoot<\"JsonMap\">;\n";
        assert_eq!(without_text(&script, ("/*", "*/")), "\n  readonly a: JsonRoot<>;\n");
        assert!(has_type("a: list[Any]", "Any") && !has_type("Any: ManyAny | Anyone", "Any"));
    }
}
