//! Text as HTML, and the few elements that the sections share.

use schemascope_api::Timestamp;
use schemascope_figures::numbers;

/// A character that reorders or ends text is shown as this one.
const REPLACEMENT: char = '\u{fffd}';

/// Text of others, as text in HTML or in a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                escaped.push(REPLACEMENT);
            }
            c if c.is_control() => escaped.push(REPLACEMENT),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A tool's id as server and name, cut to a length that fits a table.
pub fn tool(id: &str) -> String {
    const MOST: usize = 80;
    let shown = |text: &str| match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", escape(text.get(..end).unwrap_or_default())),
        None => escape(text),
    };
    match id.split_once("__") {
        Some((server, name)) => {
            format!("<bdi class=\"faint\">{} /</bdi> <bdi>{}</bdi>", shown(server), shown(name))
        }
        None => format!("<bdi>{}</bdi>", shown(id)),
    }
}

/// A moment to the minute, in UTC: `2026-11-20 14:03 UTC`.
pub fn minute(at: Timestamp) -> String {
    let text = at.to_string();
    let day = text.get(..10).unwrap_or(&text);
    format!("{day} {} UTC", text.get(11..16).unwrap_or_default())
}

/// A section under a heading.
pub fn section(title: &str, note: &str, content: &str) -> String {
    let note = if note.is_empty() { String::new() } else { format!("<p class=\"note\">{note}</p>\n") };
    format!("<section>\n<h2>{title}</h2>\n{note}{content}</section>\n")
}

/// A table. Cells are HTML; those of columns with `true` are numbers.
pub fn table(columns: &[(&str, bool)], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let class = |number: bool| if number { " class=\"num\"" } else { "" };
    let head: String = columns
        .iter()
        .map(|(name, number)| format!("<th scope=\"col\"{}>{name}</th>", class(*number)))
        .collect();
    let row = |cells: Vec<String>| {
        let cells: String = columns
            .iter()
            .zip(cells)
            .map(|((_, number), cell)| format!("<td{}>{cell}</td>", class(*number)))
            .collect();
        format!("<tr>{cells}</tr>\n")
    };
    let rows: String = rows.into_iter().map(row).collect();
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// A part of a bar: its class, its name, and how many of the whole it stands for.
pub type Part<'a> = (&'a str, &'a str, u64);

/// A bar of parts, and their names beneath.
pub fn bar(parts: &[Part<'_>], whole: u64) -> String {
    let segment = |(class, _, count): &Part<'_>| match count {
        0 => String::new(),
        count => format!("<i class=\"{class}\" style=\"flex-grow:{count}\"></i>"),
    };
    let segments: String = parts.iter().map(segment).collect();
    format!("<div class=\"bar\" aria-hidden=\"true\">{segments}</div>\n{}", key(parts, whole))
}

/// The names of parts with their numbers and shares.
pub fn key(parts: &[Part<'_>], whole: u64) -> String {
    let name = |(class, name, count): &Part<'_>| {
        format!(
            "<li><i class=\"swatch {class}\"></i>{name} <b>{}</b> <span class=\"faint\">{}</span></li>\n",
            numbers::count(*count),
            numbers::percent(*count, whole)
        )
    };
    let names: String = parts.iter().map(name).collect();
    format!("<ul class=\"key\">\n{names}</ul>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_no_markup_and_stays_in_its_line() {
        assert_eq!(escape("<img src=x onerror='a'>&\""), "&lt;img src=x onerror=&#39;a&#39;&gt;&amp;&quot;");
        assert_eq!(escape("a\n\u{202e}b\u{0}"), "a\u{fffd}\u{fffd}b\u{fffd}");
        assert_eq!(tool("a<b__c"), "<bdi class=\"faint\">a&lt;b /</bdi> <bdi>c</bdi>");
        assert!(tool(&"é".repeat(500)).chars().count() < 120);
    }
}
