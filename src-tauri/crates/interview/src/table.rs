//! Tables in text: HTML, Markdown, and comma-, semicolon- or tab-separated values.

/// Most rows of a table that are taken as an answer.
pub(crate) const MAX_ROWS: usize = 5_000;
/// Cells of a row that are read; one more shows that there are too many.
const MAX_CELLS: usize = 201;

/// Reads the rows of a table. `None` if the text is not a table.
pub(crate) fn rows(text: &str) -> Option<Vec<Vec<String>>> {
    let lower = text.to_ascii_lowercase();
    let mut rows = if lower.contains("<tr") {
        html(text, &lower)
    } else if text.lines().filter(|line| line.trim().starts_with('|')).count() >= 2 {
        markdown(text)
    } else {
        separated(text)?
    };
    rows.retain(|row| row.iter().any(|cell| !cell.trim().is_empty()));
    for row in &mut rows {
        row.truncate(MAX_CELLS);
        for cell in row.iter_mut() {
            *cell = cell.trim().to_owned();
        }
    }
    (!rows.is_empty()).then_some(rows)
}

/// Reads the cells of an HTML table. Text outside of cells is left out; tags within them are removed.
fn html(text: &str, lower: &str) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut cell: Option<String> = None;
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let Some(start) = rest.find('<') else {
            push_text(&mut cell, rest);
            break;
        };
        push_text(&mut cell, rest.get(..start).unwrap_or_default());
        let tag_start = at + start;
        let end =
            text.get(tag_start..).and_then(|tag| tag.find('>')).map_or(text.len(), |end| tag_start + end + 1);
        let tag = lower.get(tag_start..end).unwrap_or_default();
        let name: String =
            tag.chars().skip(1).take_while(|c| c.is_ascii_alphanumeric() || *c == '/').collect();
        match name.as_str() {
            "tr" => {
                close_cell(&mut rows, &mut cell);
                rows.push(Vec::new());
            }
            "td" | "th" => {
                close_cell(&mut rows, &mut cell);
                cell = Some(String::new());
            }
            "/td" | "/th" | "/tr" | "/table" => close_cell(&mut rows, &mut cell),
            "br" | "br/" | "li" | "/p" => push_text(&mut cell, "\n"),
            _ => {}
        }
        at = end;
    }
    close_cell(&mut rows, &mut cell);
    rows
}

fn push_text(cell: &mut Option<String>, text: &str) {
    if let Some(cell) = cell {
        cell.push_str(text);
    }
}

fn close_cell(rows: &mut Vec<Vec<String>>, cell: &mut Option<String>) {
    let Some(text) = cell.take() else { return };
    if rows.is_empty() {
        rows.push(Vec::new());
    }
    if let Some(row) = rows.last_mut() {
        row.push(unescaped(&text));
    }
}

/// Replaces the entities that occur in tables. `&amp;` comes last, so that nothing is replaced twice.
fn unescaped(text: &str) -> String {
    let pairs =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}

fn markdown(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().map(str::trim).filter(|line| line.starts_with('|'));
    let rows = lines.map(markdown_cells);
    rows.filter(|row| !is_rule(row)).collect()
}

fn markdown_cells(line: &str) -> Vec<String> {
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut characters = line.chars().skip(1).peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if matches!(characters.peek(), Some('|' | '\\')) => {
                cell.extend(characters.next());
            }
            '|' => cells.push(std::mem::take(&mut cell)),
            _ => cell.push(character),
        }
    }
    if !cell.trim().is_empty() {
        cells.push(cell);
    }
    cells
}

/// Returns whether a row only separates the heading from the rest.
fn is_rule(row: &[String]) -> bool {
    row.iter().all(|cell| {
        let cell = cell.trim();
        cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':' | ' '))
    })
}

/// Reads separated values. `None` if the first line has only one cell.
fn separated(text: &str) -> Option<Vec<Vec<String>>> {
    let first = text.lines().next().unwrap_or_default();
    let separator = ['\t', ';', ','].into_iter().find(|separator| first.contains(*separator))?;
    // Where both occur in the heading, the more frequent one separates the cells.
    let count = |separator: char| first.matches(separator).count();
    let separator = if separator == ';' && count(',') > count(';') { ',' } else { separator };
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row: Vec<String> = Vec::new();
    let mut cell = String::new();
    let mut is_quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' if is_quoted => is_quoted = false,
            '"' if cell.trim().is_empty() => {
                cell.clear();
                is_quoted = true;
            }
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            '\r' if !is_quoted => {}
            _ if character == separator && !is_quoted => row.push(std::mem::take(&mut cell)),
            _ => cell.push(character),
        }
    }
    row.push(cell);
    rows.push(row);
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_table_is_read_from_every_form() {
        let expected = vec![vec!["id", "note"], vec!["a", "x | y"], vec!["b", "1"]];
        for text in [
            "<table><tr><th>id</th><th>note</th></tr><TR><td> a </td><td><b>x</b> | y</td></tr><tr><td>b<td>1</table>",
            "Here it is:\n| id | note |\n|---|:--:|\n| a | x \\| y |\n| b | 1 |\n",
            "id,note\r\na,\"x | y\"\r\nb,1\n",
            "id\tnote\na\tx | y\nb\t1",
            "id;note\na;x | y\nb;1",
        ] {
            assert_eq!(rows(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn text_without_columns_is_no_table() {
        assert_eq!(rows("only words"), None);
        assert_eq!(rows(""), None);
    }

    #[test]
    fn broken_markup_gives_cells_and_never_panics() {
        assert_eq!(rows("<tr><td>a &amp;lt; b<td>é<").unwrap(), vec![vec!["a &lt; b", "é"]]);
        assert!(rows("|").is_none());
        let _ = rows(&"<tr><td>".repeat(10_000));
        let _ = rows("\"a,\"\"");
    }
}
