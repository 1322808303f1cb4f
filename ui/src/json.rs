//! Layout of JSON: indented and split into coloured pieces, with every number and string as it was sent.
//!
//! Works on the text, without parsing values; text that is not JSON comes out unchanged. Not recursive: nesting
//! costs memory for its indentation only, which is bounded.

/// Kind of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Spaces, line breaks, punctuation.
    Mark,
    /// A key of an object.
    Key,
    /// A string.
    Text,
    /// A number.
    Number,
    /// `true`, `false`, `null`.
    Word,
}

/// Spaces per level, and most levels that are indented.
const INDENT: usize = 2;
const MAX_INDENT: usize = 40;

/// The text in pieces, laid out; adjacent pieces of the same kind are joined.
pub fn pieces(json: &str) -> Vec<(Kind, String)> {
    let mut out = Out::default();
    let mut rest = json.trim();
    let mut depth = 0_usize;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '{' | '[' => {
                let inner = rest[1..].trim_start();
                if let Some(close) = inner.chars().next().filter(|close| matches!(close, '}' | ']')) {
                    out.push(Kind::Mark, &format!("{c}{close}"));
                    rest = &inner[1..];
                    continue;
                }
                depth += 1;
                out.push(Kind::Mark, &c.to_string());
                out.line(depth);
                1
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                out.line(depth);
                out.push(Kind::Mark, &c.to_string());
                1
            }
            ',' => {
                out.push(Kind::Mark, ",");
                out.line(depth);
                1
            }
            ':' => {
                out.push(Kind::Mark, ": ");
                1
            }
            c if c.is_whitespace() => c.len_utf8(),
            '"' => {
                let end = string_end(rest);
                let is_key = rest[end..].trim_start().starts_with(':');
                out.push(if is_key { Kind::Key } else { Kind::Text }, &rest[..end]);
                end
            }
            c => {
                let end = rest
                    .find(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | '{' | '}' | '[' | ']' | '"'))
                    .unwrap_or(rest.len());
                let kind = if c == '-' || c.is_ascii_digit() { Kind::Number } else { Kind::Word };
                out.push(kind, &rest[..end]);
                end
            }
        };
        rest = &rest[taken..];
    }
    out.0
}

/// End of the string at the start of a text, or the end of the text.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[derive(Default)]
struct Out(Vec<(Kind, String)>);

impl Out {
    fn push(&mut self, kind: Kind, text: &str) {
        match self.0.last_mut() {
            Some((last, joined)) if *last == kind => joined.push_str(text),
            _ => self.0.push((kind, text.to_owned())),
        }
    }

    fn line(&mut self, depth: usize) {
        self.push(Kind::Mark, &format!("\n{}", " ".repeat(INDENT * depth.min(MAX_INDENT))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(json: &str) -> String {
        pieces(json).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn layout_changes_spaces_only() {
        let json = r#"{"a" :1.10,"b":[ ],"c":{"d":[1E5,"x, \"y\": {"]},"e":null}"#;
        let expect = "{\n  \"a\": 1.10,\n  \"b\": [],\n  \"c\": {\n    \"d\": [\n      1E5,\n      \"x, \\\"y\\\": {\"\n    ]\n  },\n  \"e\": null\n}";
        assert_eq!(laid_out(json), expect);
        let kinds: Vec<Kind> = pieces(r#"{"k":"v","n":1,"w":true}"#)
            .into_iter()
            .map(|(kind, _)| kind)
            .filter(|kind| *kind != Kind::Mark)
            .collect();
        assert_eq!(kinds, [Kind::Key, Kind::Text, Kind::Key, Kind::Number, Kind::Key, Kind::Word]);
    }

    #[test]
    fn incomplete_or_other_text_comes_out_unchanged() {
        for text in ["", "{", "\"abc", "{\"a\":[1,", "not json at all", "]}}", "\u{202E}é\""] {
            let blankless = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            assert_eq!(blankless(&laid_out(text)), blankless(text));
        }
        assert!(laid_out(&"[".repeat(100_000)).len() < 100_000 * 84);
    }
}
