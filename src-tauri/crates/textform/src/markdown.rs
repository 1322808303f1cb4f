//! The only JSON block, or the only table, of a short Markdown text.
//!
//! The text around it is a title or a few sentences. A longer text is a document that contains an example, not a
//! result.

use memchr::memmem;
use serde_json::{Map, Value};

use crate::{MAX_KEY, MAX_TEXT, is_json_container};

/// Limit of lines around the structure, without blank ones.
const MAX_LINES: usize = 8;
/// Limit of the size in bytes of the text around the structure.
const MAX_BYTES: usize = 600;
/// Limit of a table's columns.
const MAX_COLUMNS: usize = 256;
/// Most cells of a table.
const MAX_CELLS: usize = 200_000;
/// Bytes that a cell takes in JSON besides its name and its text.
const CELL_BYTES: usize = 6;

/// Text around the structure, as far as it is read.
#[derive(Default)]
pub(crate) struct Around {
    lines: usize,
    bytes: usize,
}

impl Around {
    /// Adds a text; `None` above the limits.
    pub(crate) fn add(&mut self, text: &str) -> Option<()> {
        self.lines += text.lines().take(MAX_LINES + 1).filter(|line| !line.trim().is_empty()).count();
        self.bytes = self.bytes.saturating_add(text.len());
        (self.lines <= MAX_LINES && self.bytes <= MAX_BYTES).then_some(())
    }
}

/// Returns the only fenced block if it is JSON, else the JSON that begins on a line of its own and ends the text.
pub(crate) fn json(text: &str) -> Option<String> {
    match memmem::find(text.as_bytes(), b"```").is_some() {
        true => fenced(text),
        false => trailing(text),
    }
}

fn fenced(text: &str) -> Option<String> {
    let mut parts = text.split("```");
    let (before, block, after) = (parts.next()?, parts.next()?, parts.next()?);
    let begins_line = before.is_empty() || before.ends_with('\n');
    let ends_line = after.is_empty() || after.starts_with(['\n', '\r']);
    if parts.next().is_some() || !begins_line || !ends_line {
        return None;
    }
    let (language, body) = block.split_once('\n')?;
    let body = body.trim();
    if !matches!(language.trim(), "" | "json") || !is_json_container(body) {
        return None;
    }
    let mut around = Around::default();
    around.add(before)?;
    around.add(after)?;
    Some(body.to_owned())
}

fn trailing(text: &str) -> Option<String> {
    let mut around = Around::default();
    let mut rest = text;
    loop {
        let (line, after) = rest.split_once('\n')?;
        // The first line that opens a container decides, so that a log of JSON lines is no block.
        if line.starts_with(['{', '[']) {
            return None;
        }
        around.add(line)?;
        if after.starts_with(['{', '[']) {
            return is_json_container(after).then(|| after.to_owned());
        }
        rest = after;
    }
}

/// Returns the only table as a list of objects. Cells are strings, because Markdown has no other types.
pub(crate) fn table(text: &str) -> Option<String> {
    text.contains('|').then_some(())?;
    let mut around = Around::default();
    let mut lines = text.lines().peekable();
    let header = loop {
        let line = lines.next()?;
        if lines.peek().is_some_and(|next| is_rule(next)) {
            break cells(line)?;
        }
        around.add(line)?;
        is_outside(line).then_some(())?;
    };
    let rule = cells(lines.next()?)?;
    if header.len() < 2 || header.len() > MAX_COLUMNS || rule.len() != header.len() {
        return None;
    }
    let names: std::collections::BTreeSet<&String> = header.iter().collect();
    if names.len() < header.len() || header.iter().any(|name| name.is_empty() || name.len() > MAX_KEY) {
        return None;
    }
    // Every row repeats the names, and has a value for each, even if it is empty.
    let row_bytes = header.iter().map(|name| name.len() + CELL_BYTES).sum::<usize>();
    let most_rows = (MAX_TEXT / row_bytes).min(MAX_CELLS / header.len());
    let mut rows = Vec::new();
    while let Some(line) = lines.next_if(|line| line.trim_start().starts_with('|')) {
        let row = cells(line)?;
        (row.len() == header.len() && rows.len() < most_rows).then_some(())?;
        let members = header.iter().cloned().zip(row.into_iter().map(Value::from));
        rows.push(Value::Object(members.collect::<Map<_, _>>()));
    }
    for line in lines {
        around.add(line)?;
        is_outside(line).then_some(())?;
    }
    Some(Value::from(rows).to_string())
}

/// Whether a line is neither a part of a second table nor code.
fn is_outside(line: &str) -> bool {
    let line = line.trim_start();
    !line.starts_with('|') && !line.starts_with("```")
}

/// Whether a line separates a table's header from its rows: `|---|:-:|`.
fn is_rule(line: &str) -> bool {
    let Some(inner) = inner(line) else { return false };
    inner.split('|').all(|cell| {
        let dashes = cell.trim().trim_start_matches(':').trim_end_matches(':');
        !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
    })
}

/// A row without its outer bars. Rows without them are not read: such lines occur in prose.
fn inner(line: &str) -> Option<&str> {
    line.trim().strip_prefix('|')?.strip_suffix('|').filter(|inner| !inner.ends_with('\\'))
}

/// Cells of a row. `\|` is a bar within a cell.
fn cells(line: &str) -> Option<Vec<String>> {
    let mut cells = vec![String::new()];
    let mut chars = inner(line)?.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.next_if_eq(&'|').is_some() => cells.last_mut()?.push('|'),
            '|' => cells.push(String::new()),
            c => cells.last_mut()?.push(c),
        }
    }
    Some(cells.into_iter().map(|cell| cell.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn json_reads_one_fenced_or_trailing_block() {
        for text in [
            "```json\n{\"a\": 1}\n```",
            "# Result\n\nHere it is:\n\n```\n{\"a\": 1}\n```\nDone.",
            "Found 1:\n{\"a\": 1}",
            "Found 1:\n\n{\"a\": 1}",
        ] {
            assert_eq!(json(text).as_deref(), Some("{\"a\": 1}"), "{text}");
        }
        assert_eq!(json("Found:\n[\n  1,\n  2\n]").as_deref(), Some("[\n  1,\n  2\n]"));
    }

    #[test]
    fn json_rejects_documents_with_examples() {
        let long = format!("{}\n```json\n{{}}\n```", "A sentence of a document.\n".repeat(9));
        for text in [
            long.as_str(),
            "```json\n{}\n```\n\n```json\n{}\n```",
            "```python\n{}\n```",
            "Use `{}`",
            "{\"a\": 1}\n{\"b\": 2}",
            "log\n{\"a\": 1}\n{\"b\": 2}",
            "Text {\"a\": 1}",
            "{\"a\": 1}\nText",
            "```json\n{}",
            "a ```{}``` b",
        ] {
            assert_eq!(json(text), None, "{text}");
        }
    }

    #[test]
    fn table_repeats_no_long_names() {
        let table_of = |names: [&str; 2], rows: usize| {
            table(&format!("|{}|{}|\n|---|---|\n{}", names[0], names[1], "|||\n".repeat(rows)))
        };
        let longest = "n".repeat(MAX_KEY);
        assert!(table_of([&longest, "b"], 3).is_some());
        assert!(table_of([&(longest.clone() + "n"), "b"], 3).is_none());
        // Each row is small, but not what it becomes.
        assert!(table_of([&longest, "b"], MAX_TEXT / MAX_KEY + 1).is_none());
    }

    #[test]
    fn table_reads_rows_as_objects() {
        let text = "## Ships\n\n| name | year |\n|:---|---:|\n| Argo | -1300 |\n| A\\|B |  |\n\n2 rows";
        let rows: Value = serde_json::from_str(&table(text).unwrap()).unwrap();
        assert_eq!(rows, json!([{"name": "Argo", "year": "-1300"}, {"name": "A|B", "year": ""}]));
        assert_eq!(table("|a|b|\n|-|-|").as_deref(), Some("[]"));
    }

    #[test]
    fn table_rejects_what_is_no_single_table() {
        for text in [
            "| a | b |\n| c | d |",
            "a | b\n--|--\n1 | 2",
            "| a |\n|---|\n| 1 |",
            "| a | a |\n|---|---|\n| 1 | 2 |",
            "| a | b |\n|---|---|\n| 1 |",
            "| a | b |\n|---|---|\n| 1 | 2 |\n\n| a | b |\n|---|---|\n| 1 | 2 |",
            "|||",
            "",
        ] {
            assert_eq!(table(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn table_returns_the_cells_that_were_written(
            rows in prop::collection::vec(prop::collection::vec("[a-z|0-9_.]{0,8}", 3), 0..6)
        ) {
            let mut text = String::from("| x | y | z |\n|---|---|---|\n");
            for row in &rows {
                let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
                text.push_str(&format!("| {} |\n", cells.join(" | ")));
            }
            let expect: Vec<Value> = rows.iter().map(|row| json!({"x": row[0], "y": row[1], "z": row[2]})).collect();
            prop_assert_eq!(serde_json::from_str::<Value>(&table(text.trim()).unwrap()).unwrap(), Value::from(expect));
        }

        #[test]
        fn readers_return_json_or_nothing(text in "([|a\\n{}\\[\\]\" :-]|```|json|\\|--\\|--\\|){0,40}") {
            for json in [json(&text), table(&text)].into_iter().flatten() {
                prop_assert!(is_json_container(json.trim()), "{}", json);
            }
        }
    }
}
