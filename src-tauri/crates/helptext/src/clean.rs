//! Text as a terminal would show it: without colours, overstrikes, tabs and boxes.

use std::borrow::Cow;

/// Longest text that is read, in bytes.
pub const MAX_TEXT: usize = 1 << 20;
/// Longest line that is read, in characters.
const MAX_LINE: usize = 2_000;
/// Columns between tab stops.
const TAB: usize = 8;

/// Lines without trailing blanks, and whether something was left out.
pub fn lines(text: &str) -> (Vec<String>, bool) {
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= MAX_TEXT).last().unwrap_or(0);
    let is_whole = text.len() <= MAX_TEXT;
    let kept = if is_whole { text } else { text.get(..end).unwrap_or_default() };
    let plain = plain(kept);
    let mut is_cut = !is_whole;
    let lines = plain
        .split('\n')
        .map(|line| {
            let mut line = expanded(line);
            // There are no fewer bytes than characters.
            if line.len() > MAX_LINE
                && let Some((end, _)) = line.char_indices().nth(MAX_LINE)
            {
                is_cut = true;
                line = line.get(..end).unwrap_or_default().to_owned().into();
            }
            unboxed(&line).trim_end().to_owned()
        })
        .collect();
    (lines, is_cut)
}

/// Blanks at the start of a line.
pub fn indent(line: &str) -> usize {
    line.chars().take_while(|c| *c == ' ').count()
}

/// What stands in a line from a column on, counted in characters.
pub fn behind(line: &str, column: usize) -> Option<&str> {
    line.char_indices().nth(column).and_then(|(at, _)| line.get(at..))
}

/// Without escape sequences, carriage returns and other controls; a character that overstrikes another replaces it.
fn plain(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
    if text.bytes().all(is_plain) {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                Some('[') => while chars.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {},
                // A title or link, up to BEL or ESC \.
                Some(']') => {
                    while let Some(c) = chars.next() {
                        if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                            break;
                        }
                    }
                }
                _ => {}
            },
            '\u{8}' if !plain.ends_with('\n') => {
                plain.pop();
            }
            '\n' | '\t' => plain.push(c),
            '\u{a0}' => plain.push(' '),
            c if c.is_control() => {}
            c => plain.push(c),
        }
    }
    plain.into()
}

fn expanded(line: &str) -> Cow<'_, str> {
    if !line.contains('\t') {
        return line.into();
    }
    let mut expanded = String::with_capacity(line.len() + TAB);
    let mut column = 0;
    for c in line.chars().take(MAX_LINE + 1) {
        let width = if c == '\t' { TAB - column % TAB } else { 1 };
        column += width;
        match c {
            '\t' => expanded.extend(std::iter::repeat_n(' ', width)),
            c => expanded.push(c),
        }
    }
    expanded.into()
}

/// Without the frame that `rich` draws around options. The title in an upper edge becomes a heading.
fn unboxed(line: &str) -> Cow<'_, str> {
    // Frames are not ASCII.
    if line.is_ascii() {
        return line.into();
    }
    const FRAME: &[char] = &['│', '┃', '║'];
    let is_edge = |c: char| {
        matches!(
            c,
            '─' | '━'
                | '═'
                | '╭'
                | '╮'
                | '╰'
                | '╯'
                | '┏'
                | '┓'
                | '┗'
                | '┛'
                | '┌'
                | '┐'
                | '└'
                | '┘'
        )
    };
    let trimmed = line.trim();
    if trimmed.starts_with(is_edge) {
        let title = trimmed.trim_matches(|c: char| is_edge(c) || c == ' ');
        // An arrow from a name to what stands beneath it.
        if let Some(pointed) = title.strip_prefix('>') {
            return format!("{}{}", " ".repeat(TAB), pointed.trim_start()).into();
        }
        return if title.is_empty() { "".into() } else { format!("{title}:").into() };
    }
    match trimmed.strip_prefix(FRAME) {
        Some(inner) => format!(" {}", inner.strip_suffix(FRAME).unwrap_or(inner)).into(),
        None => line.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_what_a_terminal_shows() {
        let text = "\u{1b}[1mB\u{1b}[0mold\r\n_\u{8}uO\u{8}Oo\n\ta\n╭─ Options ─────╮\n│ --all  x      │\n╰───────────────╯";
        assert_eq!(lines(text).0, ["Bold", "uOo", "        a", "Options:", "  --all  x", ""]);
        assert_eq!(lines("--all\n└──────>  All of it").0, ["--all", "        All of it"]);
    }

    #[test]
    fn long_texts_and_lines_are_cut() {
        assert!(!lines("a").1);
        assert!(lines(&"é".repeat(MAX_TEXT)).1);
        let (lines, is_cut) = lines(&"x".repeat(5_000));
        assert!(is_cut && lines[0].len() == MAX_LINE);
    }
}
