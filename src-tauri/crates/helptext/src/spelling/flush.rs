//! Lists of commands at the left edge, which are indented: vt, `Useful tools:`; GMT, below a table's head.

use crate::clean::indent;
use crate::entries::{description_column, section};
use crate::subcommands::is_name;

/// Fewest rows of a list.
const LEAST: usize = 5;
/// Most lines of a list, and most headings that are tried.
const MOST: usize = 1_000;
const MOST_HEADINGS: usize = 100;
/// First words of a table's head above a list of commands.
const HEADS: &[&str] = &["module", "command", "subcommand", "tool", "task", "verb", "applet"];

/// Indents the rows of such lists.
pub(super) fn indented(lines: &mut [String]) {
    let (mut at, mut tried) = (0, 0);
    while at < lines.len() && tried < MOST_HEADINGS {
        let begins = is_heading(&lines[at]) || is_head_of_table(lines, at);
        at += 1;
        if !begins {
            continue;
        }
        tried += 1;
        let rows = rows(lines.get(at..).unwrap_or_default());
        if rows < LEAST {
            continue;
        }
        if let Some(head) = at.checked_sub(1).filter(|head| is_head_of_table(lines, *head)) {
            lines[head] = "Commands:".to_owned();
            lines[at].clear();
        }
        for line in lines.iter_mut().skip(at).take(rows).filter(|line| !line.is_empty()) {
            line.insert_str(0, "  ");
        }
        at += rows;
    }
}

fn is_heading(line: &str) -> bool {
    let is_short = line.split_whitespace().count() <= 4;
    indent(line) == 0 && line.ends_with(':') && is_short && section(line).lists_commands()
}

/// `Module name:     Purpose:` above a line of dashes.
fn is_head_of_table(lines: &[String], at: usize) -> bool {
    let Some(line) = lines.get(at) else { return false };
    let first = line.split([' ', ':']).next().unwrap_or_default().to_lowercase();
    let is_rule = lines.get(at + 1).is_some_and(|below| {
        below.len() > 8 && below.chars().all(|c| matches!(c, '-' | '=' | ' ' | '+' | '|'))
    });
    is_rule && line.contains("  ") && HEADS.contains(&first.trim_end_matches('s'))
}

/// The number of lines that are rows at the left edge, or are indented below one, or blank between two.
fn rows(lines: &[String]) -> usize {
    // That of the first row.
    let mut column = None;
    let (mut end, mut found) = (0, 0);
    for (at, line) in lines.iter().enumerate().take(MOST) {
        if line.trim().is_empty() || at == 0 && line.chars().all(|c| "-=+| ".contains(c)) {
            continue;
        }
        if found == 0 {
            column = description_column(line);
        }
        let is_below = indent(line) > 0 && found > 0;
        if !(is_below || indent(line) == 0 && is_row(line, column)) {
            break;
        }
        found += usize::from(!is_below);
        end = at + 1;
    }
    if found < LEAST { 0 } else { end }
}

/// Whether a line is a name, alone or with a description in this column.
fn is_row(line: &str, column: Option<usize>) -> bool {
    let name = line.split(' ').next().unwrap_or_default();
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase()) && is_name(name) && !name.contains('.');
    let found = description_column(line);
    begins
        && match column {
            Some(column) => found == Some(column),
            None => name == line.trim_end(),
        }
}

#[cfg(test)]
mod tests {
    use crate::read;

    fn names(text: &str) -> Vec<String> {
        read(text, "x").subcommands.into_iter().map(|command| command.name).collect()
    }

    #[test]
    fn lists_at_the_left_edge_are_commands() {
        let table = "X, the generic tools\n\nModule name:   Purpose of module:\n-----------------------------\nbasemap        Plot maps\nbatch          Run jobs\nbegin          Begin it\nclip           Clip it\ncoast          Plot coasts\n\nUsage: x <command> [options]\n";
        assert_eq!(names(table), ["basemap", "batch", "begin", "clip", "coast"]);
        let alone = "Usage: x [option ...] [tool | script] [argument ...]\n\n-q   be quiet\n\nTools:\n\ncds\nclean\nencseq\neval\nmerge_it\n\nSee also:\nman     the manual\n";
        assert_eq!(names(alone), ["cds", "clean", "encseq", "eval", "merge_it"]);
        let sentences =
            "Commands:\nrun it with care\nand with time\nor not at all\nas you like\nit is yours\n";
        assert_eq!(names(sentences), [""; 0]);
    }
}
