//! The subset of Markdown the guide uses: headings, paragraphs, lists, tables, code, links and emphasis.
//!
//! The result is data, which the page draws as elements. Anything else stays text.

/// A block of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A heading: level from 1, and text.
    Heading(usize, Vec<Inline>),
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A list: whether it is numbered, and its items with their depth from 0.
    List(bool, Vec<(usize, Vec<Inline>)>),
    /// A table; its first row is the head.
    Table(Vec<Vec<Vec<Inline>>>),
    /// Code.
    Code(String),
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq)]
pub enum Inline {
    /// Plain text.
    Text(String),
    /// Code.
    Code(String),
    /// Emphasised text; strong if true.
    Emphasis(bool, String),
    /// A link: text and target.
    Link(String, String),
}

/// Splits a document into blocks.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with("<!--") {
            continue;
        }
        if let Some(fence) = fence(trimmed) {
            let indent = line.len() - line.trim_start().len();
            let code = lines.by_ref().take_while(|line| !line.trim().starts_with(fence));
            let code: Vec<&str> = code.map(|line| line.get(indent..).unwrap_or_default()).collect();
            blocks.push(Block::Code(code.join("\n")));
        } else if let Some((level, heading)) = heading(trimmed) {
            blocks.push(Block::Heading(level, inlines(heading)));
        } else if trimmed.starts_with('|') {
            let mut rows = vec![row(trimmed)];
            while let Some(line) = lines.next_if(|line| line.trim().starts_with('|')) {
                rows.extend(Some(line).filter(|line| !is_rule(line)).map(row));
            }
            blocks.push(Block::Table(rows));
        } else if let Some((numbered, _)) = item(line) {
            let mut items: Vec<(usize, String)> = Vec::new();
            let mut next = Some(line);
            while let Some(line) = next {
                match (item(line), items.last_mut()) {
                    (Some((_, text)), _) => items.push((depth(line), text.to_owned())),
                    (None, Some((_, text))) => *text += &format!(" {}", line.trim()),
                    (None, None) => {}
                }
                next = lines.next_if(|line| continues(line) || item(line).is_some());
            }
            let items = items.into_iter().map(|(depth, text)| (depth, inlines(&text))).collect();
            blocks.push(Block::List(numbered, items));
        } else {
            let mut text = trimmed.trim_start_matches("> ").to_owned();
            while let Some(line) = lines.next_if(|line| continues(line) && item(line).is_none()) {
                text += &format!(" {}", line.trim().trim_start_matches("> "));
            }
            blocks.push(Block::Paragraph(inlines(&text)));
        }
    }
    blocks
}

/// Whether a line belongs to the paragraph or item before it.
fn continues(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && heading(line).is_none() && fence(line).is_none() && !line.starts_with('|')
}

fn fence(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|fence| line.starts_with(fence))
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    text.strip_prefix(' ').filter(|_| (1..=6).contains(&level)).map(|text| (level, text.trim()))
}

/// An item of a list: whether it is numbered, and its text.
fn item(line: &str) -> Option<(bool, &str)> {
    let line = line.trim_start();
    if let Some(text) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
        return Some((false, text));
    }
    let (number, text) = line.split_once(". ")?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some((true, text))
}

/// Depth of an item by its indentation of two or more spaces per level.
fn depth(line: &str) -> usize {
    ((line.len() - line.trim_start().len()) / 2).min(4)
}

/// Whether a row of a table only separates head and body.
fn is_rule(line: &str) -> bool {
    line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

fn row(line: &str) -> Vec<Vec<Inline>> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').unwrap_or(line);
    // `\|` is a bar within a cell.
    let cells = line.replace("\\|", "\u{1}");
    cells.split('|').map(|cell| inlines(&cell.trim().replace('\u{1}', "|"))).collect()
}

/// Splits a text at code, emphasis and links.
pub fn inlines(text: &str) -> Vec<Inline> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((piece, after)) = piece(rest, plain.chars().next_back()) {
            if !plain.is_empty() {
                pieces.push(Inline::Text(std::mem::take(&mut plain)));
            }
            pieces.push(piece);
            rest = after;
        } else {
            let escaped = rest.strip_prefix('\\').and_then(|rest| rest.chars().next());
            let shown = escaped.filter(char::is_ascii_punctuation);
            plain.push(shown.unwrap_or(c));
            rest = &rest[c.len_utf8() + shown.map_or(0, char::len_utf8)..];
        }
    }
    if !plain.is_empty() {
        pieces.push(Inline::Text(plain));
    }
    pieces
}

/// The piece a text starts with, unless it is plain, and what follows. `before` is the previous character.
fn piece(text: &str, before: Option<char>) -> Option<(Inline, &str)> {
    if text.starts_with('`') {
        let fence = &text[..text.len() - text.trim_start_matches('`').len()];
        let (code, after) = text[fence.len()..].split_once(fence)?;
        return Some((Inline::Code(code.trim().to_owned()), after));
    }
    if let Some(after) = text.strip_prefix('[') {
        let (label, after) = after.split_once("](")?;
        let (target, after) = after.split_once(')')?;
        let label = label.replace(['`', '*'], "");
        return (!label.contains('[')).then(|| (Inline::Link(label, target.to_owned()), after));
    }
    let within_word = before.is_some_and(char::is_alphanumeric);
    let mark = ["**", "*", "_"].into_iter().find(|mark| text.starts_with(mark))?;
    let (inner, after) = text[mark.len()..].split_once(mark)?;
    let is_spaced = inner.is_empty() || inner.starts_with(' ') || inner.ends_with(' ');
    (!is_spaced && !within_word).then(|| (Inline::Emphasis(mark == "**", inner.replace('`', "")), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Inline {
        Inline::Text(text.into())
    }

    #[test]
    fn inlines_are_code_emphasis_and_links() {
        assert_eq!(
            inlines("Run `a *b*` **now** or *later*, see [the `guide`](ci.md#x)."),
            [
                text("Run "),
                Inline::Code("a *b*".into()),
                text(" "),
                Inline::Emphasis(true, "now".into()),
                text(" or "),
                Inline::Emphasis(false, "later".into()),
                text(", see "),
                Inline::Link("the guide".into(), "ci.md#x".into()),
                text("."),
            ]
        );
        for plain in ["2 * 3 * 4", "snake_case_name", "a [b] c", "`open", "**", "<b>x</b>", "ü*"] {
            assert_eq!(inlines(plain), [text(plain)], "{plain}");
        }
        assert_eq!(inlines(r"\*a\* \x"), [text(r"*a* \x")]);
    }

    #[test]
    fn blocks_are_split_at_their_first_line() {
        let document = "# Title\nOne\ntwo.\n\n- a\n  b\n  - c\n\n1. x\n2. y\n```sh\n$ a | b\n\n# no\n```\n\
            | k | v |\n|---|:-:|\n| `a\\|b` | c |\nafter";
        let list = |items: &[(usize, &str)]| items.iter().map(|(depth, t)| (*depth, vec![text(t)])).collect();
        assert_eq!(
            blocks(document),
            [
                Block::Heading(1, vec![text("Title")]),
                Block::Paragraph(vec![text("One two.")]),
                Block::List(false, list(&[(0, "a b"), (1, "c")])),
                Block::List(true, list(&[(0, "x"), (0, "y")])),
                Block::Code("$ a | b\n\n# no".into()),
                Block::Table(vec![
                    vec![vec![text("k")], vec![text("v")]],
                    vec![vec![Inline::Code("a|b".into())], vec![text("c")]],
                ]),
                Block::Paragraph(vec![text("after")]),
            ]
        );
    }

    #[test]
    fn incomplete_documents_are_read() {
        for document in ["", "```", "|", "- ", "#", "[a](", "**a", "1.", "|a\n|-\n- x\n```\n```"] {
            blocks(document);
        }
        assert_eq!(blocks("```\na"), [Block::Code("a".into())]);
    }
}
