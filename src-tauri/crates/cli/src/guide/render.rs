//! A guide page for a terminal: wrapped to its width, with light styling.

use crate::output;

const BOLD: &str = "\u{1b}[1m";
const UNDERLINED: &str = "\u{1b}[1;4m";
const ITALIC: &str = "\u{1b}[3m";
const CODE: &str = "\u{1b}[36m";
const RESET: &str = "\u{1b}[0m";
/// A blank in code, at which lines are not broken.
const UNBROKEN: char = '\u{a0}';

/// How a page is shown.
#[derive(Clone, Copy)]
pub struct Look {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether headings, code and emphasis have colours and weight.
    pub is_styled: bool,
}

/// A page for a terminal. Links to other pages become the command that prints them, and comments are left out.
pub fn page(page: &str, look: Look) -> String {
    let look = Look { width: look.width.min(output::WIDEST), ..look };
    let mut text = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            for line in lines.by_ref().take_while(|line| !line.starts_with("```")) {
                text += &format!("  {}\n", look.styled(CODE, line));
            }
        } else if line.starts_with("<!--") {
        } else if let Some(heading) = line.strip_prefix("# ") {
            text += &format!("{}\n", look.styled(UNDERLINED, heading));
        } else if line.starts_with('#') {
            text += &format!("{}\n", look.styled(BOLD, line.trim_start_matches(['#', ' '])));
        } else if line.starts_with('|') {
            let mut rows = vec![line];
            while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                rows.push(row);
            }
            text += &table(&rows, look);
        } else if line.is_empty() {
            text.push('\n');
        } else {
            let mut paragraph = line.to_owned();
            while let Some(more) = lines.next_if(|line| continues(line)) {
                paragraph.push(' ');
                paragraph += more.trim_start();
            }
            text += &wrapped(&paragraph, look);
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Whether a line is of the paragraph or list item before it.
fn continues(line: &str) -> bool {
    !line.is_empty() && !line.starts_with(['#', '|', '<', '`']) && marker(line) == 0 || starts_with_code(line)
}

/// Whether a line begins with code, which is not a fence.
fn starts_with_code(line: &str) -> bool {
    line.starts_with('`') && !line.starts_with("```")
}

/// Length of the mark of a list item at the start of a line: `- ` or `1. `.
fn marker(line: &str) -> usize {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match &line[digits..] {
        rest if digits == 0 && rest.starts_with("- ") => 2,
        rest if digits > 0 && rest.starts_with(". ") => digits + 2,
        _ => 0,
    }
}

/// A paragraph or list item.
fn wrapped(paragraph: &str, look: Look) -> String {
    let indent = " ".repeat(marker(paragraph));
    output::broken(&inline(paragraph, look), look.width, &indent).replace(UNBROKEN, " ") + "\n"
}

/// A table, whose second line is a rule.
fn table(rows: &[&str], look: Look) -> String {
    let plain = Look { is_styled: false, ..look };
    let cells = |row: &str| -> Vec<String> {
        let row = row.trim_matches('|').replace("\\|", "\u{1}");
        let cells = row.split('|').map(|cell| inline(cell.trim(), plain).replace('\u{1}', "|"));
        cells.map(|cell| cell.replace(UNBROKEN, " ")).collect()
    };
    let header = cells(rows[0]);
    let mut table = output::table(&header.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
    table.add_rows(rows.iter().skip(2).map(|row| cells(row)));
    output::plain(&table, look.width)
}

impl Look {
    fn styled(self, style: &str, text: &str) -> String {
        if self.is_styled { format!("{style}{text}{RESET}") } else { text.to_owned() }
    }

    /// Words within a sentence. Each has its style: pagers end styles with the line.
    fn emphasis(self, style: &str, text: &str) -> String {
        if text.contains('`') {
            return inline(text, self);
        }
        text.split(' ').map(|word| self.styled(style, word)).collect::<Vec<_>>().join(" ")
    }

    /// Code within a sentence, which is marked in any case.
    fn code(self, code: &str) -> String {
        let code = code.replace(' ', &UNBROKEN.to_string());
        if self.is_styled { self.styled(CODE, &code) } else { format!("`{code}`") }
    }
}

/// Prose with its code, emphasis and links.
fn inline(prose: &str, look: Look) -> String {
    let mut text = String::new();
    let mut rest = prose;
    while let Some(at) = rest.find(['`', '*', '[']) {
        text += &rest[..at];
        rest = &rest[at..];
        let styled = between(rest, "`", "`").map(|(code, rest)| (look.code(code), rest));
        let styled = styled
            .or_else(|| between(rest, "**", "**").map(|(bold, rest)| (look.emphasis(BOLD, bold), rest)))
            .or_else(|| emphasised(rest).map(|(text, rest)| (look.emphasis(ITALIC, text), rest)));
        match styled.or_else(|| link(rest, look)) {
            Some((styled, after)) => {
                text += &styled;
                rest = after;
            }
            None => {
                text += &rest[..1];
                rest = &rest[1..];
            }
        }
    }
    text + rest
}

/// What is between two marks at the start of a text, and what follows.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<(&'a str, &'a str)> {
    text.strip_prefix(open)?.split_once(close).filter(|(inside, _)| !inside.is_empty())
}

/// `*text*`, unless the star stands for itself.
fn emphasised(text: &str) -> Option<(&str, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '`';
    between(text, "*", "*").filter(|(inside, _)| {
        inside.starts_with(is_word) && inside.ends_with(|c: char| is_word(c) || c == '…')
    })
}

/// `[label](page.md)` as the label and the command that prints the page.
fn link(text: &str, look: Look) -> Option<(String, &str)> {
    let (label, rest) = between(text, "[", "]")?;
    let (target, rest) = between(rest, "(", ")")?;
    let page = target.split('#').next().and_then(|file| file.strip_suffix(".md"));
    let shown = match page {
        Some(page) if !page.contains('/') => {
            format!("{label} ({})", look.code(&format!("schemascope help {page}")))
        }
        _ => label.to_owned(),
    };
    Some((shown, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guide::TOPICS;

    #[test]
    fn headings_code_and_links_are_styled() {
        let source = "# Title\n\nUse `x*y` and **more bold**, *not* 2*3, see [CI](ci.md#top) or [this](https://a.b) [1].\n\
            \n## Part\n<!-- begin -->\n```sh\nls *.md\n```\n2 * 3\n";
        let expected = "\u{1b}[1;4mTitle\u{1b}[0m\n\nUse \u{1b}[36mx*y\u{1b}[0m and \u{1b}[1mmore\u{1b}[0m \u{1b}[1mbold\u{1b}[0m, \u{1b}[3mnot\u{1b}[0m 2*3, see CI \
            (\u{1b}[36mschemascope help ci\u{1b}[0m) or this [1].\n\n\u{1b}[1mPart\u{1b}[0m\n  \u{1b}[36mls *.md\
            \u{1b}[0m\n2 * 3";
        assert_eq!(page(source, Look { width: 100, is_styled: true }), expected);
    }

    #[test]
    fn lines_end_between_words() {
        let source = "1. A **client** calls a tool, and `schemascope serve`\n   forwards the call.\n2. `x` is\n`y`.\n\n\
            | source | meaning |\n|---|---|\n| `a\\|b` | the server sends an output schema |\n";
        let expected = "1. A client calls a tool, and\n   `schemascope serve` forwards\n   the call.\n2. `x` is `y`.\n\n\
            source  meaning\n`a|b`   the server sends an\n        output schema";
        let shown = page(source, Look { width: 31, is_styled: false });
        let trimmed: Vec<&str> = shown.lines().map(str::trim_end).collect();
        assert_eq!(trimmed.join("\n"), expected);
    }

    /// Only code, which is not broken, may be wider than the terminal.
    #[test]
    fn pages_fit_any_terminal() {
        for topic in TOPICS {
            for width in [60, 80, 200] {
                let code: Vec<&str> =
                    topic.text.split("```").skip(1).step_by(2).flat_map(str::lines).collect();
                for line in page(topic.text, Look { width, is_styled: false }).lines() {
                    let fits = line.chars().count() <= width.min(output::WIDEST);
                    assert!(
                        fits || code.contains(&line.get(2..).unwrap_or_default()),
                        "{}: {line:?} at {width}",
                        topic.name
                    );
                }
            }
        }
    }
}
