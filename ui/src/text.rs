//! Text from servers and clients, made safe to read.
//!
//! A page never interprets it as markup, but invisible characters, and those that change the direction of writing
//! or control a terminal, could still mislead a reader. They are shown by their code.

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Shown as it is.
    Plain(&'a str),
    /// A character shown by its code.
    Escape(char),
}

/// Splits a text at its misleading characters.
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

/// The text on one line, with misleading characters by their code, at most `limit` characters.
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

/// Code of a character: `U+202E`.
pub fn name(c: char) -> String {
    format!("U+{:04X}", c as u32)
}

/// The first bytes of a text, without splitting a character.
pub fn head(text: &str, bytes: usize) -> &str {
    let cut = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..cut]
}

/// Control characters except line breaks and tabs, invisible characters, and those that change the direction.
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

/// Longest name in the name of a file, in bytes: with what comes around it, systems allow 255.
const MAX_STEM: usize = 120;

/// A name as part of a file's name: letters and digits of any script, `_`, `-` and `.` stay.
pub fn file_stem(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '_' };
    let mut stem = String::new();
    for c in name.chars().map(safe) {
        if stem.len() + c.len_utf8() > MAX_STEM {
            break;
        }
        stem.push(c);
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_short_and_hold_no_path() {
        assert_eq!(file_stem("shop__get_order"), "shop__get_order");
        assert_eq!(file_stem("Bäckerei <b>/ 面包店"), "Bäckerei__b___面包店");
        assert_eq!(file_stem("a\u{202e}b\u{0}c\nd"), "a_b_c_d");
        assert_eq!(file_stem(&format!("a{}", "面".repeat(300))), format!("a{}", "面".repeat(39)));
    }

    #[test]
    fn misleading_characters_are_shown_by_code() {
        assert_eq!(visible("a\u{202E}b\u{1b}[31m\nc", 99), "aU+202EbU+001B[31m c");
        assert_eq!(visible("abc", 2), "ab…");
        assert_eq!(pieces("x\u{200B}y"), [Piece::Plain("x"), Piece::Escape('\u{200B}'), Piece::Plain("y")]);
        assert_eq!(pieces("tab\tline\n"), [Piece::Plain("tab\tline\n")]);
        assert!(pieces("").is_empty());
    }

    #[test]
    fn head_does_not_split_characters() {
        assert_eq!(head("aé", 2), "a");
        assert_eq!(head("aé", 3), "aé");
        assert_eq!(head("é", 99), "é");
    }
}
