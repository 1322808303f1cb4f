//! Kinds of text that has no structure to read.

use memchr::{memchr2, memchr3};

/// Kind of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text with headings, lists, fences, tables or emphasis.
    Markdown,
    /// Any other text.
    Plain,
}

/// Bytes of a text that are looked at.
const LOOKED_AT: usize = 16 << 10;

/// Returns the kind of a text.
pub fn kind(text: &str) -> Kind {
    let end = (0..=LOOKED_AT.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let text = &text[..end];
    // Every mark has one of these, and most plain texts have none.
    let has_marks = memchr3(b'#', b'`', b'*', text.as_bytes()).is_some()
        || memchr2(b']', b'|', text.as_bytes()).is_some();
    match has_marks && text.lines().any(is_markdown) {
        true => Kind::Markdown,
        false => Kind::Plain,
    }
}

/// Whether a line has a mark that occurs in Markdown and hardly elsewhere. Lists count only with emphasis or links,
/// because plain texts have lists too.
fn is_markdown(line: &str) -> bool {
    let line = line.trim_start();
    let hashes = line.len() - line.trim_start_matches('#').len();
    let heading = (1..=6).contains(&hashes) && line[hashes..].starts_with(' ');
    // Most lines have neither sign, and single characters are found much faster than pairs.
    let bold = line.contains('*') && line.split("**").count() >= 3;
    let link = line.contains(']') && line.contains("](");
    let rule = line.starts_with("|-") || line.starts_with("| -") || line.starts_with("|:-");
    heading || line.starts_with("```") || bold || link || rule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_distinguishes_markdown() {
        for text in ["# Title", "a\n```\nx\n```", "see **this** one", "[a](b)", "|---|"] {
            assert_eq!(kind(text), Kind::Markdown, "{text}");
        }
        for text in ["On branch main\n  one", "a - b", "#!shebang", "2 ** 3", ""] {
            assert_eq!(kind(text), Kind::Plain, "{text}");
        }
    }
}
