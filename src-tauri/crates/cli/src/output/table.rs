//! Tables: columns without lines, as wide as the terminal at most.
//!
//! Words are not torn: an id that is torn cannot be read or copied. Where the terminal is too narrow for the longest word
//! of every column, columns are left out, and a note names them.

use std::io::{self, IsTerminal, Write};

use comfy_table::{
    Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, TableStyle, Width,
};
use console::measure_text_width;

/// Columns between two texts.
const GAP: usize = 2;

/// A table. The columns in `right` are aligned to the right.
pub fn table(header: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(TableStyle::new());
    if !io::stdout().is_terminal() {
        table.force_no_tty();
    }
    table.set_header(header.iter().map(|name| Cell::new(name).fg(Color::DarkGrey)));
    for column in table.column_iter_mut() {
        column.set_padding((0, GAP as u16));
    }
    for column in right {
        if let Some(column) = table.column_mut(*column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Writes a table. On a narrow terminal, the last columns are left out first.
pub fn print(table: &Table) -> io::Result<()> {
    print_without(table, &[])
}

/// Writes a table. On a narrow terminal, these columns are left out first, in their order, and the last columns then.
pub fn print_without(table: &Table, least_needed: &[usize]) -> io::Result<()> {
    let mut table = table.clone();
    let omitted = match table.width() {
        Some(width) => fit(&mut table, usize::from(width), least_needed),
        None => Vec::new(),
    };
    let mut out = io::stdout().lock();
    for row in table.to_string().lines() {
        // Without the padding at the end of lines.
        writeln!(out, "{}", row.trim_end())?;
    }
    if !omitted.is_empty() {
        super::note(&format!("not shown, for lack of width: {}; --json has everything", omitted.join(", ")));
    }
    Ok(())
}

/// A table of our own as text, with every column: where they do not all fit, lines are too long.
pub fn whole(table: &Table, width: usize) -> String {
    let mut fitting = table.clone();
    let table = if fit(&mut fitting, width, &[]).is_empty() { &fitting } else { table };
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Gives the columns widths that fit into that of the terminal. Returns the headings of columns that are left out.
fn fit(table: &mut Table, width: usize, least_needed: &[usize]) -> Vec<String> {
    let natural: Vec<usize> = table.column_max_content_widths().into_iter().map(usize::from).collect();
    let total = |widths: &[usize]| widths.iter().map(|width| width + GAP).sum::<usize>();
    if total(&natural) <= width {
        return Vec::new();
    }
    let least: Vec<usize> = (0..natural.len()).map(|at| longest_word(table, at, width)).collect();
    let mut shown: Vec<usize> = (0..natural.len()).collect();
    let mut next = least_needed.iter().copied().chain((0..natural.len()).rev());
    let of = |columns: &[usize], widths: &[usize]| columns.iter().map(|&at| widths[at]).collect::<Vec<_>>();
    while shown.len() > 1
        && total(&of(&shown, &least)) > width
        && let Some(column) = next.next()
    {
        shown.retain(|&at| at != column);
    }
    let mut widths = of(&shown, &least);
    let left = width.saturating_sub(total(&widths));
    widen(&mut widths, &of(&shown, &natural), left);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_constraint(match shown.iter().position(|&column| column == at) {
            Some(place) => ColumnConstraint::Absolute(Width::Fixed((widths[place] + GAP) as u16)),
            None => ColumnConstraint::Hidden,
        });
    }
    let header = table.header().into_iter().flat_map(|row| row.cell_iter()).enumerate();
    header.filter(|(at, _)| !shown.contains(at)).map(|(_, cell)| cell.content()).collect()
}

/// Distributes `left` over columns that could be wider, equally.
fn widen(widths: &mut [usize], natural: &[usize], mut left: usize) {
    let mut order: Vec<usize> = (0..widths.len()).collect();
    order.sort_by_key(|&at| natural[at].saturating_sub(widths[at]));
    for (done, &at) in order.iter().enumerate() {
        let more = natural[at].saturating_sub(widths[at]).min(left / (order.len() - done));
        widths[at] += more;
        left -= more;
    }
}

/// What the longest word of a column needs.
fn longest_word(table: &Table, column: usize, line: usize) -> usize {
    let needs = |word: String| measure_text_width(&word).min(most(&word, line));
    let cells = table.column_cells_with_header_iter(column).flatten();
    cells.flat_map(|cell| words(&cell.content())).map(needs).max().unwrap_or(0).max(1)
}

/// What a word gets of a line at most: ids more than flags, and these more than paths, JSON and lists of choices, whose
/// parts are words, too.
fn most(word: &str, line: usize) -> usize {
    let is_id = |word: &str| word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    match word.trim_end_matches([',', ';', ':', '.']) {
        flag if flag.starts_with('-') => line * 2 / 5,
        id if is_id(id) => line * 3 / 5,
        list if list.contains('|') => line / 5,
        _ => line / 4,
    }
}

/// The words of a text. Numbers are a word with what follows them: 2.4 ms, 12 480.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let ends_in_digit = |last: &String| last.ends_with(|c: char| c.is_ascii_digit());
        match words.last_mut().filter(|last| ends_in_digit(last)) {
            Some(last) if word.len() <= 2 || word.starts_with(|c: char| c.is_ascii_digit()) => {
                *last += " ";
                *last += word;
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Headings and rows, as wide as tables of tools and texts.
    fn tables() -> impl Strategy<Value = Vec<Vec<String>>> {
        let cell = prop_oneof![
            "[a-z]{1,9}",
            "[a-z]{2,8}__[a-z_]{2,20}",
            "([a-z]{1,12} ){1,8}",
            "[0-9]{1,3}( ms)?",
            "[äß語]{1,9}",
            ""
        ];
        (1..9_usize).prop_flat_map(move |columns| {
            let row = proptest::collection::vec(cell.clone(), columns);
            proptest::collection::vec(row, 2..6)
        })
    }

    proptest! {
        #[test]
        fn lines_fit_and_words_stay_whole(rows in tables(), width in 30..160_usize, least_needed in any::<bool>()) {
            let header: Vec<&str> = rows[0].iter().map(String::as_str).collect();
            let mut made = table(&header, &[1]);
            made.add_rows(&rows[1..]);
            let omitted = fit(&mut made, width, if least_needed { &[0] } else { &[] });
            let text = made.to_string();
            for line in text.lines() {
                prop_assert!(measure_text_width(line) <= width, "{line:?} is wider than {width}");
            }
            prop_assert!(omitted.len() < header.len());
            // The first column is there, unless it is needed least.
            if !least_needed || omitted.is_empty() {
                let shown: Vec<&str> = text.split_whitespace().collect();
                for word in rows.iter().flat_map(|row| row[0].split_whitespace()) {
                    prop_assert!(measure_text_width(word) > width * 3 / 5 || shown.contains(&word), "{word} is torn in\n{text}");
                }
            }
        }
    }

    #[test]
    fn narrow_terminals_get_what_matters() {
        let mut made = table(&["tool", "calls", "p50", "reason"], &[1, 2]);
        made.add_row(["shop__search_customers", "1 104", "2.4 ms", "the shop returns customers differently"]);
        let at = |width, least_needed: &[usize]| {
            let mut table = made.clone();
            (fit(&mut table, width, least_needed), table.trim_fmt())
        };
        let (omitted, text) = at(52, &[]);
        assert!(omitted.is_empty());
        assert_eq!(text.lines().next(), Some("tool                    calls     p50  reason"));
        assert!(text.contains("shop__search_customers  1 104  2.4 ms  the shop\n"), "{text}");
        assert_eq!(at(51, &[]).0, ["reason"]);
        assert_eq!(at(51, &[2]).0, ["p50"]);
        assert_eq!(at(40, &[2]).0, ["p50", "reason"]);
    }
}
