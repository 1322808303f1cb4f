//! Tables: columns without lines, as wide as the terminal at most.
//!
//! An id that is torn cannot be read or copied. Where the terminal is too narrow for the longest word of every column,
//! columns that matter less are left out, and a note names them. Words are torn only where that is not enough.

use std::io::{self, IsTerminal, Write};

use comfy_table::{
    Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, TableStyle, Width,
};
use console::{Term, measure_text_width};

/// Columns between two texts.
const GAP: usize = 2;
/// Columns of the widest letter.
const WIDEST_LETTER: usize = 2;
/// Longest cell in bytes that is read at a glance, so that columns are left out before it takes three lines.
const SHORT_CELL: usize = 30;
/// Longest word in bytes that is torn.
const MAX_WORD: usize = 10_000;

/// A table. The columns in `right` are aligned to the right.
pub fn table(header: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(TableStyle::new());
    if !io::stdout().is_terminal() || !console::colors_enabled() {
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

/// Writes a table with every column.
pub fn print(table: &Table) -> io::Result<()> {
    print_without(table, &[])
}

/// Writes a table. On a narrow terminal, columns with these headings are left out, in this order.
pub fn print_without(table: &Table, least_needed: &[&str]) -> io::Result<()> {
    let mut table = table.clone();
    let omitted = match io::stdout().is_terminal() {
        true => fit(&mut table, usize::from(Term::stdout().size().1), least_needed),
        false => Vec::new(),
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

/// A table for a terminal of this width as text, without colours.
pub fn plain(table: &Table, width: usize) -> String {
    let mut table = table.clone();
    table.force_no_tty();
    fit(&mut table, width, &[]);
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Gives the columns widths that fit into that of the terminal. Returns the headings of columns that are left out.
fn fit(table: &mut Table, width: usize, least_needed: &[&str]) -> Vec<String> {
    let natural: Vec<usize> = table.column_max_content_widths().into_iter().map(usize::from).collect();
    let total = |widths: &[usize]| widths.iter().map(|width| width + GAP).sum::<usize>();
    let is_too_long = |at: usize| natural[at] > MAX_WORD && has_long_word(table, at);
    if total(&natural) <= width || (0..natural.len()).any(is_too_long) {
        return Vec::new();
    }
    let headings: Vec<String> =
        table.header().into_iter().flat_map(|row| row.cell_iter()).map(Cell::content).collect();
    let mut shown: Vec<usize> = (0..natural.len()).collect();
    let needed: Vec<usize> = shown.iter().map(|at| longest_word(table, *at, width)).collect();
    let least: Vec<usize> =
        shown.iter().map(|at| needed[*at].max(two_lines(table, *at).min(width / 4))).collect();
    let of = |columns: &[usize], widths: &[usize]| columns.iter().map(|&at| widths[at]).collect::<Vec<_>>();
    let mut omitted = Vec::new();
    for heading in least_needed {
        debug_assert!(headings.iter().any(|other| other == heading), "there is no column {heading:?}");
        if total(&of(&shown, &least)) > width {
            shown.retain(|&at| headings[at] != *heading);
            omitted.push((*heading).to_owned());
        }
    }
    let mut widths = of(&shown, &least);
    if total(&widths) > width {
        widths = of(&shown, &needed);
    }
    while total(&widths) > width
        && let Some(widest) = widths.iter_mut().max().filter(|widest| **widest > WIDEST_LETTER)
    {
        *widest -= 1;
    }
    let left = width.saturating_sub(total(&widths));
    widen(&mut widths, &of(&shown, &natural), left);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_constraint(match shown.iter().position(|&column| column == at) {
            Some(place) => ColumnConstraint::Absolute(Width::Fixed((widths[place] + GAP) as u16)),
            None => ColumnConstraint::Hidden,
        });
    }
    omitted
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

/// Whether a column has a word that is not torn: that takes time with the square of its length.
fn has_long_word(table: &Table, column: usize) -> bool {
    let mut cells = table.column_cells_with_header_iter(column).flatten();
    cells.any(|cell| cell.content().split_whitespace().any(|word| word.len() > MAX_WORD))
}

/// What the longest word of a column needs.
fn longest_word(table: &Table, column: usize, line: usize) -> usize {
    let needs = |word: String| measure_text_width(&word).min(most(&word, line));
    let cells = table.column_cells_with_header_iter(column).flatten();
    cells.flat_map(|cell| words(&cell.content())).map(needs).max().unwrap_or(0).max(WIDEST_LETTER)
}

/// Width at which the short cells of a column take two lines at most.
fn two_lines(table: &Table, column: usize) -> usize {
    let is_short = |text: &String| text.len() <= SHORT_CELL;
    let cells = table.column_cells_with_header_iter(column).flatten().map(Cell::content).filter(is_short);
    let halves = |text: String| {
        let breaks = text.match_indices(' ');
        breaks.map(|(at, _)| measure_text_width(&text[..at]).max(measure_text_width(&text[at + 1..]))).min()
    };
    cells.filter_map(halves).max().unwrap_or(0)
}

/// What a word gets of a line at most: ids more than flags, and these more than paths, JSON and lists of choices, whose
/// parts are words, too.
fn most(word: &str, line: usize) -> usize {
    let is_id = |word: &str| word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/'));
    match word.trim_end_matches([',', ';', ':', '.']) {
        flag if flag.starts_with('-') => line * 2 / 5,
        path if path.starts_with('/') => line / 4,
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
            Some(last) if word.chars().count() <= 2 || word.starts_with(|c: char| c.is_ascii_digit()) => {
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
            "[a-z]{2,8}/[a-z-]{2,20}",
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
        fn lines_fit_and_words_stay_whole(rows in tables(), width in 40..160_usize, omit in any::<bool>()) {
            let header: Vec<String> = (0..rows[0].len()).map(|at| format!("h{at}")).collect();
            let mut made = table(&header.iter().map(String::as_str).collect::<Vec<_>>(), &[1]);
            made.force_no_tty();
            made.add_rows(&rows);
            let least_needed: Vec<&str> = header.iter().skip(1).map(String::as_str).collect();
            let omitted = fit(&mut made, width, if omit { &least_needed } else { &[] });
            let text = made.to_string();
            for line in text.lines() {
                prop_assert!(measure_text_width(line) <= width, "{line:?} is wider than {width}");
            }
            let shown: Vec<&str> = text.split_whitespace().collect();
            for heading in &header {
                prop_assert!(shown.contains(&heading.as_str()) != omitted.contains(heading), "{heading} in\n{text}");
            }
            if omit {
                for word in rows.iter().flat_map(|row| row[0].split_whitespace()) {
                    prop_assert!(word.len() > width * 3 / 5 || shown.contains(&word), "{word} is torn in\n{text}");
                }
            }
        }
    }

    #[test]
    fn narrow_terminals_get_what_matters() {
        let mut made = table(&["tool", "calls", "p50", "reason"], &[1, 2]);
        made.force_no_tty();
        made.add_row(["shop__search_customers", "1 104", "839 µs", "the shop returns customers differently"]);
        let at = |width, least_needed: &[&str]| {
            let mut table = made.clone();
            (fit(&mut table, width, least_needed), table.trim_fmt())
        };
        let (omitted, text) = at(52, &["p50"]);
        assert!(omitted.is_empty());
        assert_eq!(text.lines().next(), Some("tool                    calls     p50  reason"));
        assert!(text.contains("shop__search_customers  1 104  839 µs  the shop\n"), "{text}");
        let (omitted, text) = at(51, &["p50", "calls"]);
        assert_eq!(omitted, ["p50"]);
        assert!(text.contains("shop__search_customers  1 104  the shop returns\n"), "{text}");
        // What is needed is torn before it is left out.
        assert!(at(40, &["p50"]).1.contains("reason"));
        assert!(at(12, &["p50"]).1.lines().all(|line| line.chars().count() <= 12));
    }
}
