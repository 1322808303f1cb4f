//! JSON for reading: indented and in colours, with every number and string as it was sent.
//!
//! Works on the text, so nothing is parsed into other numbers; what is no JSON comes out as text. Not
//! recursive: nesting costs memory for its indentation only, which is bounded. Owns: layout. Refuses to
//! know: where documents come from.

/// What a piece of the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Blanks, line breaks, punctuation.
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

/// Spaces of one level, and levels that are indented.
const INDENT: usize = 2;
const MAX_INDENT: usize = 40;

/// The text laid out, as pieces in order; pieces of one kind that follow each other are one.
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

/// Where the string that begins a text ends, or the text's end.
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
    fn layout_changes_blanks_only() {
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
    fn what_is_cut_or_no_json_comes_out_too() {
        for text in ["", "{", "\"abc", "{\"a\":[1,", "not json at all", "]}}", "\u{202E}é\""] {
            let blankless = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            assert_eq!(blankless(&laid_out(text)), blankless(text));
        }
        assert!(laid_out(&"[".repeat(100_000)).len() < 100_000 * 84);
    }
}
