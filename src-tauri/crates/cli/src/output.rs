//! Input and output of the terminal: data on stdout, messages on stderr, tables, and text from upstreams without
//! characters that control a terminal.

mod indent;
mod progress;
mod table;

use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use chrono::{DateTime, Local};
use comfy_table::{Cell, Color};
use console::Term;
use schemascope_model::{CallId, Quality, Timestamp, is_harmful};
use serde_json::Value;
use textwrap::WordSplitter;

pub use indent::indented;
pub use progress::{Log, bar, spinner};
pub use schemascope_model::{harmless, harmless_lines};
pub use table::{plain, print, print_without, table};

/// Columns that help and the guide have at most: longer lines are hard to read.
pub const WIDEST: usize = 100;

/// Digits of time and counter in the id of a call.
const SHORT_ID: usize = 20;

/// Writes a line of data, or several. Whatever the text comes from, it does not control the terminal.
pub fn line(text: &str) -> io::Result<()> {
    styled(&harmless_lines(text))
}

/// Whether an error says that the reader of our output has closed it.
pub fn is_closed(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// What a command came to, if its output was written as far as someone reads it: a closed pipe does not change it.
pub fn coded(written: Result<()>, code: ExitCode) -> Result<ExitCode> {
    match written {
        Err(error) if !is_closed(&error) => Err(error),
        _ => Ok(code),
    }
}

/// Writes text of our own as it is, with its styles.
pub fn styled(text: &str) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{text}")
}

/// Writes JSON text. Characters that control a terminal are written as escapes, which mean the same.
pub fn json_text(text: &str) -> io::Result<()> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    if text.bytes().all(is_plain) {
        return styled(text.trim_end());
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.trim_end().chars() {
        match c {
            // Only between values; inside strings JSON has no such characters.
            '\n' | '\r' | '\t' => escaped.push(c),
            c if is_harmful(c) => {
                c.encode_utf16(&mut [0; 2])
                    .iter()
                    .for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}")));
            }
            c => escaped.push(c),
        }
    }
    styled(&escaped)
}

/// Writes a text of clap to stdout, with its styles if that is a terminal.
pub fn write(text: &clap::builder::StyledStr) -> io::Result<()> {
    let text = if io::stdout().is_terminal() && console::colors_enabled() {
        text.ansi().to_string()
    } else {
        text.to_string()
    };
    writeln!(io::stdout().lock(), "{}", text.trim_end())
}

/// Writes a message to stderr, in which nothing controls the terminal. On a terminal, its lines end between words.
pub fn note(text: &str) {
    let text = harmless_lines(text);
    let text = if io::stderr().is_terminal() { wrapped(&text, &Term::stderr()) } else { text };
    // A closed stderr has no reader.
    let _ = progress::above(|| writeln!(io::stderr().lock(), "{text}"));
}

/// Writes what went wrong to stderr.
pub fn error(text: &str) {
    const WORD: &str = "error:";
    let text = format!("{WORD} {}", harmless_lines(text));
    let text = if io::stderr().is_terminal() { wrapped(&text, &Term::stderr()) } else { text };
    let rest = text.strip_prefix(WORD).unwrap_or(&text);
    let word = console::style(WORD).red().bold().for_stderr();
    let _ = progress::above(|| writeln!(io::stderr().lock(), "{word}{rest}"));
}

/// Writes a question to a person: on a terminal, it stands out from what was written before.
pub fn question(text: &str) -> io::Result<()> {
    if !io::stdout().is_terminal() {
        return line(text);
    }
    let text = wrapped(&harmless_lines(text), &Term::stdout());
    styled(&format!("\n{}", console::style(text).bold()))
}

/// A line of a list, such as a command with its sentence, whose further lines are indented on a terminal.
pub fn hanging(line: &str, indent: usize) -> String {
    let width = usize::from(Term::stdout().size().1).min(WIDEST);
    if io::stdout().is_terminal() { broken(line, width, &" ".repeat(indent)) } else { line.to_owned() }
}

/// A text whose lines end between words. Those of code between backticks, which is copied, do not.
fn wrapped(text: &str, terminal: &Term) -> String {
    const UNBROKEN: char = '\u{a0}';
    let mut is_code = false;
    let blanks = text.chars().map(|c| {
        is_code = c != '\n' && is_code != (c == '`');
        if is_code && c == ' ' { UNBROKEN } else { c }
    });
    let text: String = blanks.collect();
    let width = terminal.size().1.into();
    let lines = text.lines().map(|line| {
        let indent = line.len() - line.trim_start().len();
        // A line with an address or a path is left to the terminal, which can be copied from then.
        let fits = line.split(' ').all(|word| console::measure_text_width(word) + indent <= width);
        if fits { broken(line, width, &line[..indent]) } else { line.to_owned() }
    });
    lines.collect::<Vec<_>>().join("\n").replace(UNBROKEN, " ")
}

/// Whether an answer to `[y/N]` is yes.
pub fn is_yes(answer: &str) -> bool {
    ["y", "yes"].iter().any(|yes| answer.trim().eq_ignore_ascii_case(yes))
}

/// A line as several, which end between words. Further lines are indented.
pub fn broken(line: &str, width: usize, indent: &str) -> String {
    let options = textwrap::Options::new(width).subsequent_indent(indent);
    textwrap::fill(line, options.break_words(false).word_splitter(WordSplitter::NoHyphenation))
}

/// Writes JSON: indented for a terminal, on one line for a program.
pub fn json<T: serde::Serialize>(value: &T) -> Result<()> {
    let text = if io::stdout().is_terminal() {
        serde_json::to_string_pretty(value)?
    } else {
        serde_json::to_string(value)?
    };
    Ok(json_text(&text)?)
}

/// Writes a schema, always indented: it is read and kept in files.
pub fn schema(schema: &Value) -> Result<()> {
    Ok(json_text(&serde_json::to_string_pretty(schema)?)?)
}

/// A quality level in its colour.
pub fn quality(quality: Quality) -> Cell {
    Cell::new(quality).fg(match quality {
        Quality::None => Color::DarkGrey,
        Quality::Low => Color::Blue,
        Quality::Medium => Color::Cyan,
        Quality::High => Color::Green,
    })
}

/// A number with groups of three digits: 12 480.
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

/// A number of things whose plural ends in s: 1 tool, 2 tools.
pub fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Microseconds in a readable unit.
pub fn duration(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..10_000 => format!("{:.1} ms", micros as f64 / 1e3),
        10_000..1_000_000 => format!("{:.0} ms", micros as f64 / 1e3),
        _ => format!("{:.1} s", micros as f64 / 1e6),
    }
}

/// The part of a call's id that no other call of the same machine has.
pub fn short(id: CallId) -> String {
    let mut digits = id.to_string();
    digits.truncate(SHORT_ID);
    digits
}

/// A share, 0 to 1, in percent, as the dashboard shows it.
pub fn share(share: f64) -> String {
    schemascope_figures::numbers::share(share).replace('\u{202F}', " ")
}

/// Bytes in a readable unit.
pub fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}

/// A time in the user's time zone; a time of today without the date.
pub fn time(at: Timestamp) -> String {
    let local = i64::try_from(at.as_millis()).ok().and_then(DateTime::from_timestamp_millis);
    let Some(local) = local.map(|utc| utc.with_timezone(&Local)) else { return at.to_string() };
    let today = local.date_naive() == Local::now().date_naive();
    local.format(if today { "%H:%M:%S" } else { "%Y-%m-%d %H:%M" }).to_string()
}

/// Largest file that is read as a whole, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// Reads a file as text, or standard input for `-`. A file that is too large is an error.
pub fn read_file(path: &Path) -> Result<String> {
    let unreadable = || format!("cannot read {}", path.display());
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().take(MAX_FILE + 1).read_to_end(&mut bytes)
    } else {
        // A pipe without a writer would never open.
        if !fs::metadata(path).with_context(unreadable)?.is_file() {
            bail!("{} is not a regular file; use - to read standard input", path.display());
        }
        fs::File::open(path).with_context(unreadable)?.take(MAX_FILE + 1).read_to_end(&mut bytes)
    };
    read.with_context(unreadable)?;
    if bytes.len() as u64 > MAX_FILE {
        bail!("{} is larger than {} MB", path.display(), MAX_FILE >> 20);
    }
    String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_readable_units() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(count), ["0", "999", "1 000", "1 234 567"]);
        assert_eq!([5, 1_500, 38_000, 2_500_000].map(duration), ["5 µs", "1.5 ms", "38 ms", "2.5 s"]);
        assert_eq!([12, 1_500, 2_000_000].map(bytes), ["12 B", "1.5 kB", "2.0 MB"]);
    }
}
