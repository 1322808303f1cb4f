//! Text from others for a terminal.

/// Text for a part of a line or of a table: characters that control a terminal, end the line or reorder text are replaced
/// by a visible sign.
pub fn harmless(text: &str) -> String {
    text.chars().map(|c| if is_harmful(c) { '\u{fffd}' } else { c }).collect()
}

/// Text that may have several lines.
pub fn harmless_lines(text: &str) -> String {
    let keeps = |c: char| matches!(c, '\n' | '\t') || !is_harmful(c);
    text.chars().map(|c| if keeps(c) { c } else { '\u{fffd}' }).collect()
}

/// Whether a character controls a terminal, ends a line or changes the order in which text is shown.
pub fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_replaces_control_and_reordering_characters() {
        let text = "a\u{1b}[31mb\r\n\u{202e}c\u{7}\u{2028}d";
        assert_eq!(harmless(text), "a\u{fffd}[31mb\u{fffd}\u{fffd}\u{fffd}c\u{fffd}\u{fffd}d");
        assert_eq!(harmless_lines(text), "a\u{fffd}[31mb\u{fffd}\n\u{fffd}c\u{fffd}\u{fffd}d");
    }
}
