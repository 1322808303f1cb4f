//! Light styling of a guide page for a terminal.

const BOLD: &str = "\u{1b}[1m";
const UNDERLINED: &str = "\u{1b}[1;4m";
const CODE: &str = "\u{1b}[36m";
const RESET: &str = "\u{1b}[0m";

/// A page with styled headings, code and emphasis. Links to other pages become the command that prints them, and
/// comments are left out.
pub fn styled(page: &str) -> String {
    let mut text = String::new();
    let mut in_code = false;
    for line in page.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
            continue;
        }
        if line.starts_with("<!--") {
            continue;
        }
        if in_code {
            text += &format!("  {CODE}{line}{RESET}\n");
        } else if let Some(heading) = line.strip_prefix("# ") {
            text += &format!("{UNDERLINED}{heading}{RESET}\n");
        } else if line.starts_with('#') {
            text += &format!("{BOLD}{}{RESET}\n", line.trim_start_matches(['#', ' ']));
        } else {
            text += &inline(line);
            text.push('\n');
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// A line of prose with its code, emphasis and links.
fn inline(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['`', '*', '[']) {
        text += &rest[..at];
        rest = &rest[at..];
        let styled = between(rest, "`", "`").map(|(code, rest)| (format!("{CODE}{code}{RESET}"), rest));
        let styled = styled
            .or_else(|| between(rest, "**", "**").map(|(bold, rest)| (format!("{BOLD}{bold}{RESET}"), rest)));
        match styled.or_else(|| link(rest)) {
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

/// `[label](page.md)` as the label and the command that prints the page.
fn link(text: &str) -> Option<(String, &str)> {
    let (label, rest) = between(text, "[", "]")?;
    let (target, rest) = between(rest, "(", ")")?;
    let page = target.split('#').next().and_then(|file| file.strip_suffix(".md"));
    let shown = match page {
        Some(page) if !page.contains('/') => format!("{label} ({CODE}schemascope help {page}{RESET})"),
        _ => label.to_owned(),
    };
    Some((shown, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_code_and_links_are_styled() {
        let page = "# Title\n\nUse `x*y` and **bold**, see [CI](ci.md#top) or [this](https://a.b) [1].\n\
            \n## Part\n<!-- begin -->\n```sh\nls *.md\n```\n2 * 3\n";
        let expected = "\u{1b}[1;4mTitle\u{1b}[0m\n\nUse \u{1b}[36mx*y\u{1b}[0m and \u{1b}[1mbold\u{1b}[0m, see CI \
            (\u{1b}[36mschemascope help ci\u{1b}[0m) or this [1].\n\n\u{1b}[1mPart\u{1b}[0m\n  \u{1b}[36mls *.md\
            \u{1b}[0m\n2 * 3";
        assert_eq!(styled(page), expected);
    }
}
