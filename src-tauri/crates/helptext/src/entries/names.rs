//! Entries of arguments and subcommands.

use super::Section;

/// Whether a description can begin at a column, behind one blank: systemctl, where a name is as wide as its column.
pub(super) fn begins_at(line: &str, column: usize) -> bool {
    let mut around = line.chars().skip(column.saturating_sub(2)).take(3);
    let is_end = |c: char| c.is_ascii_uppercase() || matches!(c, ']' | '>' | '.');
    let is_one = !line.chars().take(column.saturating_sub(1)).collect::<String>().trim().contains(' ');
    let end = around.next();
    let is_closed = end.is_some_and(|c| matches!(c, ']' | '>'));
    end.is_some_and(|c| is_end(c) || is_one && c.is_alphanumeric())
        && around.next() == Some(' ')
        && around.next().is_some_and(|c| (is_one || is_closed) && c != ' ' || c.is_ascii_uppercase())
}

/// Name and description of an argument or a subcommand. The description begins at `column`.
pub(super) fn named(
    line: &str,
    section: Section,
    column: Option<usize>,
    is_sentence_below: bool,
) -> Option<(String, String)> {
    let is_list = section.lists_commands();
    let text = line.trim();
    let chars: Vec<char> = line.chars().collect();
    let (left, description) = match column {
        Some(column) => {
            let left: String = chars.get(..column)?.iter().collect();
            let right: String = chars.get(column..)?.iter().collect();
            (left.trim().to_owned(), right.trim().to_owned())
        }
        // `create: Create it`, or a name alone with its description beneath.
        None => match text.split_once(": ") {
            Some((left, right)) if is_list => (left.to_owned(), right.trim().to_owned()),
            // qemu-img: `amend - Update options of the image`.
            _ => match text.split_once(" - ") {
                Some((left, right)) if is_list && plain_words(left) == 1 => {
                    (left.to_owned(), right.trim().to_owned())
                }
                _ => (text.to_owned(), String::new()),
            },
        },
    };
    let left = left.trim_end_matches(':').to_owned();
    let is_name =
        left.chars().next().is_some_and(|c| c.is_alphanumeric() || matches!(c, '<' | '[' | '{' | '_'));
    // Of a command, the arguments do not count: `run [...filters]`, `call SERVICE METHOD`, `blame (praise, ann)`.
    let words = match section {
        Section::Commands | Section::Actions => plain_words(&left),
        _ => left.split_whitespace().count(),
    };
    // rndc: `addzone zone [class [view]]`, with its description beneath.
    let is_described = !description.is_empty()
        || is_sentence_below
            && section == Section::Commands
            && left.starts_with(|c: char| c.is_ascii_lowercase());
    let most = if is_described { 5 } else { 1 };
    let is_sentence = left.ends_with(['.', ';']) && !left.ends_with("...");
    (is_name && words <= most && !is_sentence).then_some((left, description))
}

/// Number of words that are not written as arguments are, up to the next name.
fn plain_words(left: &str) -> usize {
    let mut depth = 0_usize;
    let is_outside = |c: &char| {
        match c {
            '[' | '<' | '(' | '{' => depth += 1,
            ']' | '>' | ')' | '}' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    };
    let outside: String = left.chars().filter(is_outside).collect();
    let one = outside.split([',', '|']).next().unwrap_or_default();
    one.split_whitespace().filter(|word| word.contains(char::is_lowercase)).count()
}
