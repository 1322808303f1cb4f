//! Secrets in tables: cells below a heading such as `password` or beside a cell such as `api_key`, in Markdown, and below
//! such a heading in CSV.

use super::named::keyword::{SecretKind, announced_kind};
use super::named::plausible::is_plausible;
use super::named::value::{Notation, Separator};
use crate::edits::Span;
use crate::keys::is_sensitive_key;

/// Most cells of a row that are looked at.
const MAX_CELLS: usize = 200;
/// Longest heading of a column in CSV, in bytes.
const MAX_HEADING: usize = 60;

/// A table that goes on.
enum Table {
    /// Kinds of the row above, and of the headings behind the line that ends them.
    Markdown {
        above: Vec<Option<SecretKind>>,
        headings: Vec<Option<SecretKind>>,
    },
    Csv {
        delimiter: u8,
        headings: Vec<Option<SecretKind>>,
    },
}

/// Finds the secrets in all tables of a text.
pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    let mut table: Option<Table> = None;
    let mut is_first = true;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let line = line.trim_end();
        table = match (table, line.trim_start().starts_with('|')) {
            (table, true) => Some(markdown(text, at, line, table, spans)),
            (Some(Table::Csv { delimiter, headings }), false) if !line.is_empty() => {
                csv(text, at, line, delimiter, &headings, spans).then_some(Table::Csv { delimiter, headings })
            }
            _ if is_first => csv_headings(line),
            _ => None,
        };
        // CSV begins a text or a paragraph.
        is_first = line.is_empty();
    }
}

/// Reads a row of a Markdown table.
fn markdown(text: &str, at: usize, line: &str, table: Option<Table>, spans: &mut Vec<Span>) -> Table {
    let (above, headings) = match table {
        Some(Table::Markdown { above, headings }) => (above, headings),
        _ => (Vec::new(), Vec::new()),
    };
    let cells = cells(text, at, line, b'|');
    let cells = cells.get(1..).unwrap_or_default();
    let is_rule = !cells.is_empty()
        && cells.iter().all(|cell| text[cell.clone()].chars().all(|c| matches!(c, '-' | ':')));
    if is_rule {
        return Table::Markdown { above: Vec::new(), headings: above };
    }
    let kinds: Vec<Option<SecretKind>> = cells.iter().map(|cell| kind(&text[cell.clone()])).collect();
    for (column, cell) in cells.iter().enumerate() {
        let below = headings.get(column).copied().flatten();
        let beside = kinds.first().copied().flatten().filter(|_| column == 1);
        spans.extend(below.or(beside).and_then(|kind| secret(text, cell, kind)));
    }
    Table::Markdown { above: kinds, headings }
}

/// A line of names, one of which announces secrets.
fn csv_headings(line: &str) -> Option<Table> {
    let delimiter = [b',', b';', b'\t'].into_iter().find(|one| line.as_bytes().contains(one))?;
    let names: Vec<&str> = line.split(char::from(delimiter)).take(MAX_CELLS).map(bare).collect();
    let is_name = |name: &&str| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        name.starts_with(char::is_alphabetic) && name.len() <= MAX_HEADING && name.chars().all(is_part)
    };
    let headings: Vec<Option<SecretKind>> = names.iter().map(|name| kind(name)).collect();
    let fits = names.iter().all(is_name) && headings.iter().any(Option::is_some);
    fits.then_some(Table::Csv { delimiter, headings })
}

/// Reads a row of CSV; whether it is one.
fn csv(
    text: &str,
    at: usize,
    line: &str,
    delimiter: u8,
    headings: &[Option<SecretKind>],
    spans: &mut Vec<Span>,
) -> bool {
    let cells = cells(text, at, line, delimiter);
    let is_row = cells.len() == headings.len();
    for (cell, kind) in cells.iter().zip(headings).filter(|_| is_row) {
        spans.extend(kind.and_then(|kind| secret(text, cell, kind)));
    }
    is_row
}

/// The cells of a line, without blanks and marks around them. A delimiter in double quotes or behind a backslash is none.
fn cells(text: &str, at: usize, line: &str, delimiter: u8) -> Vec<Span> {
    let mut cells = Vec::new();
    let (mut start, mut quoted, mut escaped) = (at, false, false);
    let bytes = line.as_bytes();
    for (n, byte) in bytes.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if delimiter == b'|' => escaped = true,
            b'"' if delimiter != b'|' => quoted = !quoted,
            byte if *byte == delimiter && !quoted => {
                cells.push(start..at + n);
                start = at + n + 1;
            }
            _ => {}
        }
        if cells.len() == MAX_CELLS {
            break;
        }
    }
    // What follows the last stroke of Markdown is no cell.
    let is_ended = delimiter == b'|' && line.trim_end().ends_with('|');
    if !is_ended {
        cells.push(start..at + line.len());
    }
    cells.into_iter().map(|cell| trimmed(text, cell)).collect()
}

fn trimmed(text: &str, cell: Span) -> Span {
    let inside = bare(&text[cell.clone()]);
    let start = cell.start + inside.as_ptr().addr() - text[cell].as_ptr().addr();
    start..start + inside.len()
}

/// A cell without blanks, quotes and emphasis.
fn bare(cell: &str) -> &str {
    cell.trim_matches([' ', '\t', '`', '*', '"', '\''])
}

/// What a sensitive name announces; names with other meanings as well (`pass`) announce nothing here.
fn kind(name: &str) -> Option<SecretKind> {
    is_sensitive_key(name).then(|| announced_kind(name.as_bytes(), 0, name, &name.to_ascii_lowercase()))?
}

fn secret(text: &str, cell: &Span, kind: SecretKind) -> Option<Span> {
    let notation = Notation { quoted: true, separator: Separator::Colon, spaced: true, in_list: false };
    is_plausible(text[cell.clone()].as_bytes(), kind, &notation, b"").then(|| cell.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut spans = Vec::new();
        find(text, &mut spans);
        spans.into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn cells_below_and_beside_sensitive_names_are_secrets() {
        for (text, secrets) in [
            (
                "| setting | value |\n|---|---|\n| db_password | RowPw_77 |\n| host | db1 |\n",
                vec!["RowPw_77"],
            ),
            (
                "a\n\n| user | `password` | n |\n|:--|---:|---|\n| ann | hunter2x | 3 |\n| bob | **q1w2e3r4** | 4 |",
                vec!["hunter2x", "q1w2e3r4"],
            ),
            ("|api_key|Key_a1b2c3\\|d4|\n", vec!["Key_a1b2c3\\|d4"]),
            ("user,password\nann,CsvPw_1\nbob,\"Csv,Pw_2\"\n\nann,none_3\n", vec!["CsvPw_1", "Csv,Pw_2"]),
            ("id\tapi_token\n1\ttok_9f8e7d6c5b\r\n", vec!["tok_9f8e7d6c5b"]),
        ] {
            assert_eq!(found(text), secrets, "{text}");
        }
    }

    #[test]
    fn descriptions_and_other_columns_are_none() {
        for text in [
            "| field | type | meaning |\n|---|---|---|\n| password | string | The password of the user |\n",
            "| token | required | The token |\n",
            "| name | city |\n|---|---|\n| ann | Rome42 |\n",
            "user,city\nann,Rome42\n",
            "Enter user, password\nand then, confirm it42\n",
            "user,password\nthis line has, more, cells x9\n",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
