//! Secrets in tables: cells below a heading such as `password` or beside a cell such as `api_key`, in Markdown and in the
//! tables that database clients draw, and below such a heading in CSV and the like.

use super::named::keyword::{SecretKind, announced_kind};
use super::named::plausible::is_plausible;
use super::named::value::{Notation, Separator};
use crate::edits::Span;
use crate::keys::is_sensitive_key;

/// Most cells of a row that are looked at.
const MAX_CELLS: usize = 200;
/// Longest heading of a column in CSV, in bytes.
const MAX_HEADING: usize = 60;
/// Bars between cells, the second and third of drawn boxes.
const BARS: [char; 3] = ['|', '│', '┃'];

/// A table that goes on.
enum Table {
    /// Kinds of the row above, and of the headings above the first line that ends some.
    Barred {
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
        // Blanks at the end can be empty cells.
        let whole = line.trim_end_matches(['\r', '\n']);
        let line = line.trim_end();
        table = match table {
            Some(Table::Csv { delimiter, headings }) if !line.is_empty() => {
                csv(text, at, whole, delimiter, &headings, spans)
                    .then_some(Table::Csv { delimiter, headings })
            }
            table if is_first => csv_headings(line).or_else(|| barred(text, at, line, table, spans)),
            table => barred(text, at, line, table, spans),
        };
        // CSV begins a text or a paragraph, and the rows that COPY loads follow its names.
        is_first = line.is_empty();
        if let Some(headings) = copied(line) {
            table = Some(Table::Csv { delimiter: b'\t', headings });
        }
    }
}

/// The columns of `COPY users (name, password) FROM stdin;`.
fn copied(line: &str) -> Option<Vec<Option<SecretKind>>> {
    let (names, from) = line.strip_prefix("COPY ")?.split_once('(')?.1.split_once(')')?;
    let headings: Vec<_> = names.split(',').take(MAX_CELLS).map(|name| kind(bare(name))).collect();
    (from.trim_start().to_ascii_lowercase().starts_with("from stdin") && headings.iter().any(Option::is_some))
        .then_some(headings)
}

/// Reads a line of a table with bars; none is left where the line is of no table.
fn barred(text: &str, at: usize, line: &str, table: Option<Table>, spans: &mut Vec<Span>) -> Option<Table> {
    let (above, headings) = match table {
        Some(Table::Barred { above, headings }) => (above, headings),
        _ => (Vec::new(), Vec::new()),
    };
    let is_inside = !above.is_empty() || !headings.is_empty();
    let line_of_it = line.trim_start();
    if is_rule(line_of_it) {
        // A table can have a rule below each of its rows.
        let headings = if headings.is_empty() { above } else { headings };
        return Some(Table::Barred { above: Vec::new(), headings });
    }
    // `-[ RECORD 1 ]---` of psql begins a record, whose lines are a name and a value.
    if line_of_it.starts_with("-[ ") {
        return Some(Table::Barred { above: Vec::new(), headings: Vec::new() });
    }
    let bar = line.chars().find(|c| BARS.contains(c))?;
    let is_edged = line_of_it.starts_with(bar);
    let cells = cells(text, at, line, bar, true);
    let cells = cells.get(usize::from(is_edged)..).unwrap_or_default();
    let kinds: Vec<Option<SecretKind>> = cells.iter().map(|cell| kind(&text[cell.clone()])).collect();
    // Without bars at its edges, a line between names and values has one of each, and nothing else.
    let is_pair = is_edged
        || is_inside
        || cells.len() == 2 && cells.first().is_some_and(|cell| is_word(&text[cell.clone()]));
    for (column, cell) in cells.iter().enumerate() {
        let below = headings.get(column).copied().flatten();
        let beside = kinds
            .first()
            .copied()
            .flatten()
            .filter(|_| column == 1 && is_pair && headings.iter().all(Option::is_none));
        spans.extend(below.or(beside).and_then(|kind| secret(text, cell, kind)));
    }
    Some(Table::Barred { above: kinds, headings })
}

/// Whether a line is one between rows: `|---|:-:|`, `----+----`, `├───┼───┤`.
fn is_rule(line: &str) -> bool {
    let is_part = |c: char| matches!(c, '-' | '+' | '|' | ':' | '=' | ' ' | '\u{2500}'..='\u{257f}');
    line.len() >= 3
        && line.chars().all(is_part)
        && line.chars().any(|c| matches!(c, '-' | '=' | '\u{2500}' | '\u{2501}' | '\u{2550}'))
}

fn is_word(cell: &str) -> bool {
    !cell.is_empty() && cell.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// A line of names, one of which announces secrets.
fn csv_headings(line: &str) -> Option<Table> {
    // `sqlite3` puts bars without blanks between values.
    let delimiters = [b',', b';', b'\t', b'|'].into_iter().filter(|one| *one != b'|' || !line.contains(' '));
    let delimiter = delimiters.into_iter().find(|one| line.as_bytes().contains(one))?;
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
    let cells = cells(text, at, line, char::from(delimiter), false);
    let is_row = cells.len() == headings.len();
    for (cell, kind) in cells.iter().zip(headings).filter(|_| is_row) {
        spans.extend(kind.and_then(|kind| secret(text, cell, kind)));
    }
    is_row
}

/// The cells of a line, without blanks and marks around them. A delimiter in double quotes or behind a backslash is none.
fn cells(text: &str, at: usize, line: &str, delimiter: char, is_bar: bool) -> Vec<Span> {
    // Dumps and lists of `sqlite3` have no quotes.
    let has_quotes = matches!(delimiter, ',' | ';');
    let mut cells = Vec::new();
    let (mut start, mut quoted, mut escaped) = (at, false, false);
    for (n, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if is_bar => escaped = true,
            '"' if has_quotes => quoted = !quoted,
            c if c == delimiter && !quoted => {
                cells.push(start..at + n);
                start = at + n + c.len_utf8();
            }
            _ => {}
        }
        if cells.len() == MAX_CELLS {
            break;
        }
    }
    // What follows the last bar is no cell.
    let is_ended = is_bar && line.trim_end().ends_with(delimiter);
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
        super::super::found_by(find, text)
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
            // psql, aligned and expanded; mysql; DuckDB; sqlite; a dump; Markdown without bars at its edges.
            (
                " id | name | password  \n----+------+-----------\n  1 | ann  | Pg_x9y8z7 \n  2 | bob  | Pg_a1b2c3\n(2 rows)\n",
                vec!["Pg_x9y8z7", "Pg_a1b2c3"],
            ),
            (
                "-[ RECORD 1 ]--------\nid       | 1\npassword | Exp_x9y8z7\n-[ RECORD 2 ]--------\nid       | 2\npassword | Exp_a1b2c3\n",
                vec!["Exp_x9y8z7", "Exp_a1b2c3"],
            ),
            (
                "+----+-----------+\n| id | password  |\n+----+-----------+\n|  1 | My_x9y8z7 |\n+----+-----------+\n",
                vec!["My_x9y8z7"],
            ),
            (
                "┌────┬───────────┐\n│ id │ password  │\n├────┼───────────┤\n│  1 │ Db_x9y8z7 │\n└────┴───────────┘",
                vec!["Db_x9y8z7"],
            ),
            (
                "id|password|note\n1|Sq_x9y8z7|a\n2|Sq_b8c7d6|\n3|Sq_e5f4g3|z\n",
                vec!["Sq_x9y8z7", "Sq_b8c7d6", "Sq_e5f4g3"],
            ),
            (
                "COPY u (size, password, note) FROM stdin;\n5\" disc\tCp_x9y8z7\t\nq\tCp_e5f4g3\tn\n",
                vec!["Cp_x9y8z7", "Cp_e5f4g3"],
            ),
            ("COPY public.users (id, password) FROM stdin;\n1\tCp_x9y8z7\n\\.\n", vec!["Cp_x9y8z7"]),
            ("user | password\n-----|-----\nann | Md_x9y8z7\n", vec!["Md_x9y8z7"]),
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
            "cat password | md5sum9\n",
            "usage: a | b | password 7\n",
            " id | city\n----+------\n  1 | Rome42\n",
            "user,password\nthis line has, more, cells x9\n",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
