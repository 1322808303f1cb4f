//! Text of others, made safe to look at.
//!
//! A page never takes it for markup, but characters that turn the direction of writing, hide, or steer a
//! terminal would still mislead the eye. They are shown as what they are. Owns: which characters those
//! are. Refuses to know: where text comes from.

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// To be shown as it is.
    Plain(&'a str),
    /// A character to be shown by its number.
    Escape(char),
}

/// Splits a text into what can be shown and what must be named.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices().filter(|(_, c)| misleads(*c)) {
        if from < at {
            pieces.push(Piece::Plain(&text[from..at]));
        }
        pieces.push(Piece::Escape(c));
        from = at + c.len_utf8();
    }
    if from < text.len() {
        pieces.push(Piece::Plain(&text[from..]));
    }
    pieces
}

/// The text on one line, with misleading characters by their numbers, `limit` characters at most.
pub fn visible(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == limit {
            shown.push('…');
            break;
        }
        match c {
            '\n' | '\r' | '\t' => shown.push(' '),
            c if misleads(c) => shown.push_str(&name(c)),
            c => shown.push(c),
        }
    }
    shown
}

/// How a character is named.
pub fn name(c: char) -> String {
    format!("U+{:04X}", c as u32)
}

/// The first bytes of a text, cut between characters.
pub fn head(text: &str, bytes: usize) -> &str {
    let cut = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..cut]
}

/// Control characters but line breaks and tabs, whatever is invisible, and what turns the direction.
fn misleads(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        c if c.is_control() => true,
        '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{2028}' | '\u{2029}' | '\u{FEFF}' => true,
        '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => true,
        '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' | '\u{E0100}'..='\u{E01EF}' => true,
        '\u{034F}' | '\u{115F}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{FFA0}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_misleads_is_named() {
        assert_eq!(visible("a\u{202E}b\u{1b}[31m\nc", 99), "aU+202EbU+001B[31m c");
        assert_eq!(visible("abc", 2), "ab…");
        assert_eq!(pieces("x\u{200B}y"), [Piece::Plain("x"), Piece::Escape('\u{200B}'), Piece::Plain("y")]);
        assert_eq!(pieces("tab\tline\n"), [Piece::Plain("tab\tline\n")]);
        assert!(pieces("").is_empty());
    }

    #[test]
    fn cuts_fall_between_characters() {
        assert_eq!(head("aé", 2), "a");
        assert_eq!(head("aé", 3), "aé");
        assert_eq!(head("é", 99), "é");
    }
}
