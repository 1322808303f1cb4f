//! Writing for people and for programs.
//!
//! Owns: that stdout carries data only, that tables read well, and that text from upstreams cannot
//! steer a terminal. Refuses to know: what is written.

use std::io::{self, IsTerminal, Write};

use chrono::{DateTime, Local};
use comfy_table::TableStyle;
use comfy_table::{Cell, CellAlignment, Color, ContentArrangement, Table};
use schemascope_model::{Quality, Timestamp};
use serde_json::Value;

/// Writes a line of data.
pub fn line(text: &str) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{text}")
}

/// Writes a line for the person in front, aside from the data.
pub fn note(text: &str) {
    // Nobody is left to tell when stderr is gone.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes JSON: indented for a terminal, on one line for a program.
pub fn json<T: serde::Serialize>(value: &T) -> anyhow::Result<()> {
    let text = if io::stdout().is_terminal() {
        serde_json::to_string_pretty(value)?
    } else {
        serde_json::to_string(value)?
    };
    Ok(line(&text)?)
}

/// Writes a schema, always indented: it is read and kept in files.
pub fn schema(schema: &Value) -> anyhow::Result<()> {
    Ok(line(&serde_json::to_string_pretty(schema)?)?)
}

/// A table without lines; columns named in `right` are numbers.
pub fn table(header: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(TableStyle::new());
    if io::stdout().is_terminal() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    } else {
        table.force_no_tty();
    }
    table.set_header(header.iter().map(|name| Cell::new(name).fg(Color::DarkGrey)));
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    for column in right {
        if let Some(column) = table.column_mut(*column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Writes a table without the padding at the end of lines.
pub fn print(table: &Table) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for row in table.to_string().lines() {
        writeln!(out, "{}", row.trim_end())?;
    }
    Ok(())
}

/// A quality level: a word, and its colour.
pub fn quality(quality: Quality) -> Cell {
    Cell::new(quality).fg(match quality {
        Quality::None => Color::DarkGrey,
        Quality::Low => Color::Blue,
        Quality::Medium => Color::Cyan,
        Quality::High => Color::Green,
    })
}

/// A whole number with thin groups: 12 480.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

/// So many of something whose plural ends in s: 1 tool, 2 tools.
pub fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Microseconds as people say them.
pub fn duration(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..10_000 => format!("{:.1} ms", micros as f64 / 1e3),
        10_000..1_000_000 => format!("{} ms", micros / 1_000),
        _ => format!("{:.1} s", micros as f64 / 1e6),
    }
}

/// Bytes as people say them.
pub fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}

/// A time in the user's zone; today's without the date.
pub fn time(at: Timestamp) -> String {
    let local = i64::try_from(at.as_millis()).ok().and_then(DateTime::from_timestamp_millis);
    let Some(local) = local.map(|utc| utc.with_timezone(&Local)) else { return at.to_string() };
    let today = local.date_naive() == Local::now().date_naive();
    local.format(if today { "%H:%M:%S" } else { "%Y-%m-%d %H:%M" }).to_string()
}

/// Text from outside, made harmless for a terminal: control characters and marks that reorder text
/// become visible signs.
pub fn harmless(text: &str) -> String {
    let harmless = |c: char| match c {
        '\n' | '\t' => c,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(harmless).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(count), ["0", "999", "1 000", "1 234 567"]);
        assert_eq!([5, 1_500, 38_000, 2_500_000].map(duration), ["5 µs", "1.5 ms", "38 ms", "2.5 s"]);
        assert_eq!([12, 1_500, 2_000_000].map(bytes), ["12 B", "1.5 kB", "2.0 MB"]);
    }

    #[test]
    fn a_terminal_cannot_be_steered() {
        assert_eq!(harmless("a\u{1b}[31mb\r\n\u{202e}c\u{7}"), "a\u{fffd}[31mb\u{fffd}\n\u{fffd}c\u{fffd}");
    }
}
