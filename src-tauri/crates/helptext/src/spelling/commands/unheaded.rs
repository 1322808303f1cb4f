//! Lists of subcommands that no heading announces.

use super::forms::entry;
use super::{Heading, LEAST, MANY, MOST};
use crate::clean::indent;
use crate::patterns::{found, pattern};
use crate::subcommands::is_name;

// `{start|stop|status}`, `[help | sign | verify]`, `[command <trim|variants|help>]`, `{load|links VERSION}`.
pattern!(GROUP, r"[\[{<(] ?([a-z][\w-]*(?: ?\| ?[a-z][\w-]*){2,})(?: [A-Za-z][\w-]*)* ?[\]})>]");

/// Most groups of words that are looked for: each takes a look at all lines.
const MOST_GROUPS: usize = 8;

/// A line of a list: its name, where that begins and ends, and its description.
struct Row<'l> {
    name: &'l str,
    start: usize,
    end: usize,
    /// Where the sign before the description stands, or the description.
    column: usize,
    description: &'l str,
}

impl<'l> Row<'l> {
    /// `sign   sign a file`, `sign - sign a file`, `sign: sign a file`.
    fn of(line: &'l str) -> Option<Self> {
        let text = line.trim_start();
        let name = text.split([' ', ':']).next()?;
        let rest = text.get(name.len()..)?;
        let bare = rest.trim_start();
        let sign = ["- ", "-- ", ": ", "= "].iter().find(|sign| bare.starts_with(**sign));
        let is_parted = sign.is_some() || rest.starts_with("  ");
        let is_typed = name.len() > 1 && name.starts_with(|c: char| c.is_ascii_lowercase()) && is_name(name);
        let description = sign.map_or(bare, |sign| bare.get(sign.len()..).unwrap_or_default()).trim();
        let is_row = is_typed && is_parted && description.starts_with(char::is_alphanumeric);
        let (start, column) = (indent(line), line.len() - bare.len());
        is_row.then_some(Self { name, start, end: start + name.len(), column, description })
    }
}

/// `prog {start|stop|status}`, and rows for these words: they are what each does.
pub(super) fn of_group(lines: &mut Vec<String>, name: &str) {
    let words = |line: &String| -> Option<Vec<String>> {
        let group = found(&GROUP, line)?;
        Some(group[1].split('|').map(|name| name.trim().to_owned()).collect())
    };
    let is_usage = |line: &&String| {
        let text = line.trim_start();
        let is_named = !name.is_empty() && text.starts_with(name);
        line.contains('|')
            && (is_named || text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("usage")))
    };
    let groups: Vec<Vec<String>> =
        lines.iter().take(MOST).filter(is_usage).filter_map(words).take(MOST_GROUPS).collect();
    if groups.is_empty() || lines.iter().any(|line| Heading::of(line).is_some()) {
        return;
    }
    for names in groups {
        let is_one = |row: &Row<'_>| names.iter().any(|name| name == row.name);
        let rows = lines.iter().filter(|line| Row::of(line).is_some_and(|row| is_one(&row))).count();
        if rows < LEAST || rows * 3 < names.len() * 2 {
            continue;
        }
        let is_row = |line: &String| Row::of(line).is_some_and(|row| is_one(&row));
        let (Some(first), Some(last)) = (lines.iter().position(is_row), lines.iter().rposition(is_row))
        else {
            return;
        };
        for line in lines.iter_mut() {
            if let Some(row) = Row::of(line).filter(is_one) {
                *line = entry(row.name, row.description);
            }
        }
        // What goes on beneath is no entry of the list.
        let below = lines.iter().skip(last + 1).position(|line| line.trim().is_empty());
        let below = below.map_or(lines.len(), |below| last + 1 + below);
        lines.splice(below..below, [String::new(), "Descriptions:".to_owned()]);
        lines.splice(first..first, [String::new(), "Commands:".to_owned()]);
        return;
    }
}

/// The lines with a heading above the longest list of names and descriptions, for a text whose usage has a place for a
/// command and that announces no list.
pub fn with_heading(lines: &[String]) -> Option<Vec<String>> {
    let mut best = (0, 0..0);
    let mut at = 0;
    while at < lines.len() {
        let (rows, end) = run(lines.get(at..)?);
        if rows > best.0 {
            best = (rows, at..at + end);
        }
        at += end.max(1);
    }
    let (rows, place) = best;
    let is_flush = lines.get(place.start).is_some_and(|line| indent(line) == 0);
    if rows < if is_flush { MANY } else { LEAST } {
        return None;
    }
    let listed = lines.get(place.clone())?.iter().map(|line| match Row::of(line) {
        Some(row) => entry(row.name, row.description),
        None => format!("      {}", line.trim()),
    });
    let above = lines.get(..place.start)?.iter().cloned().chain([String::new(), "Commands:".to_owned()]);
    let below = [String::new()].into_iter().chain(lines.get(place.end..)?.iter().cloned());
    Some(above.chain(listed).chain(below).collect())
}

/// Whether a group of the list begins in the next lines, with the same columns.
fn goes_on(lines: &[String], first: &Row<'_>) -> bool {
    const NEAR: usize = 3;
    let mut near = lines.iter().take(NEAR).filter_map(|line| Row::of(line));
    near.next().is_some_and(|row| (row.start, row.column) == (first.start, first.column))
}

/// The number of rows that begin or end in the same column, from the first line on, and of lines they take.
fn run(lines: &[String]) -> (usize, usize) {
    let Some(first) = lines.first().and_then(|line| Row::of(line)) else { return (0, 1) };
    let (mut rows, mut end) = (0, 0);
    for (at, line) in lines.iter().take(MOST).enumerate() {
        match Row::of(line).filter(|row| row.start == first.start || row.end == first.end) {
            Some(_) => (rows, end) = (rows + 1, at + 1),
            // A description goes on beneath.
            None if !line.trim().is_empty() && indent(line) > first.end => {}
            // ilorest: groups of the same form.
            None if goes_on(lines.get(at + 1..).unwrap_or_default(), &first) => {}
            None => break,
        }
    }
    (rows, end.max(1))
}

#[cfg(test)]
mod tests {
    fn names(text: &str) -> String {
        let found = crate::read(text, "prog").subcommands;
        found.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_of_the_usage_are_commands_where_rows_say_what_they_do() {
        let text = "Usage: prog [help | sign | verify]\n\n  help    show this\n  sign    sign it\n  verify  verify it\n";
        assert_eq!(names(text), "help sign verify");
        let text = "Usage:\nprog {help|test|show FILE}\n  help  - print it\n  test  - do it dry\n  show  - show it\n";
        assert_eq!(names(text), "help test show");
        // Values without rows are those of an argument.
        assert_eq!(names("Usage: prog {start|stop|status}\n\nIt starts or stops.\n"), "");
    }

    #[test]
    fn rows_without_heading_are_commands_where_the_usage_has_a_place_for_one() {
        let text = "usage: prog [COMMAND] [ARGUMENTS]\n\nextensions\ncreate    - Creates it.\ndelete    - Deletes \
                    it.\nlist      - Lists them.\nraw       - Sends it.\nsave      - Saves it.\n";
        assert_eq!(names(text), "create delete list raw save");
        let text = "Usage: prog <command>\n\n    Name    What\n    trim    Trim it\n variant    Call them\n   align    Align them\n";
        assert_eq!(names(text), "trim variant align");
    }
}
