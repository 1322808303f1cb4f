//! Entries of arguments and subcommands.

use super::Section;
use crate::clean::{behind, indent};
use crate::subcommands::is_name;

/// Whether a description can begin at a column, behind one blank: systemctl, where a name is as wide as its column.
pub(super) fn begins_at(line: &str, column: usize) -> bool {
    let mut around = line.chars().skip(column.saturating_sub(2)).take(3);
    let is_end = |c: char| c.is_ascii_uppercase() || matches!(c, ']' | '>' | '.');
    let is_one = !line.chars().take(column.saturating_sub(1)).collect::<String>().trim().contains(' ');
    // jigdo-file: `make-template mt Create it`.
    let left: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).take(2).collect();
    let width = left.iter().map(|word| word.len() + 1).sum::<usize>();
    let is_pair = left.len() == 2
        && left.iter().all(|word| word.starts_with(|c: char| c.is_ascii_lowercase()) && is_name(word))
        && indent(line) + width == column
        && behind(line, column).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    let end = around.next();
    let is_closed = end.is_some_and(|c| matches!(c, ']' | '>'));
    is_pair
        || end.is_some_and(|c| is_end(c) || is_one && c.is_alphanumeric())
            && around.next() == Some(' ')
            && around.next().is_some_and(|c| (is_one || is_closed) && c != ' ' || c.is_ascii_uppercase())
}

/// Whether a name with a hyphen or a digit is as wide as its column, and a sentence follows: keymgr, where what goes on
/// stands between entries.
pub(super) fn fills(line: &str, column: usize) -> bool {
    let name = line.trim_start().split(' ').next().unwrap_or_default();
    let ends = indent(line) + name.len() + 1 == column;
    let is_compound = name.contains(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_'));
    let begins =
        || behind(line, column).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    ends && is_compound && is_name(name) && name.starts_with(|c: char| c.is_ascii_lowercase()) && begins()
}

/// Where a description begins behind one blank because what is left of it is wider than its column: ovs-dpctl,
/// `mod-flow [DP] FLOW change FLOW in DP`, or a name alone, `get_filename_encrypt_mode get it`.
pub(super) fn behind_arguments(line: &str, column: Option<usize>) -> Option<usize> {
    // `where NAME is what it is called` is a sentence.
    const OTHERS: &[&str] = &["where", "see", "use", "with", "for", "if", "when", "and", "or", "note", "the"];
    let text = line.trim_start();
    let first = text.split(' ').next().filter(|first| {
        first.starts_with(|c: char| c.is_ascii_lowercase()) && is_name(first) && !OTHERS.contains(first)
    })?;
    let mut at = first.len();
    let name = at;
    while let Some(rest) = text.get(at + 1..) {
        let length = argument(rest);
        if length == 0 {
            break;
        }
        at += 1 + length;
    }
    let start = line.len() - text.len() + at + 1;
    let description = text.get(at + 1..)?;
    let is_wide = at > name || column.is_some_and(|column| start > column);
    let begins = description.starts_with(char::is_alphabetic) && description.contains(' ');
    (is_wide && begins && line.is_ascii()).then_some(start)
}

/// Whether a text is a name and its arguments.
pub fn is_call(text: &str) -> bool {
    let mut words = text.split_inclusive(' ');
    let name = words.next().unwrap_or_default().trim_end().split(['[', '<']).next().unwrap_or_default();
    let mut rest = text.split_once(' ').map_or("", |(_, rest)| rest);
    while !rest.is_empty() {
        let length = argument(rest);
        if length == 0 {
            return false;
        }
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    is_name(name)
}

/// The length of an argument that a text begins with, up to a blank: `[DP]`, `<file>`, `COL[:KEY]=VALUE`. None: 0.
fn argument(text: &str) -> usize {
    let mut depth = 0_usize;
    let is_end = |c: char| {
        match c {
            '[' | '<' | '(' | '{' => depth += 1,
            ']' | '>' | ')' | '}' => depth = depth.saturating_sub(1),
            _ => return c == ' ' && depth == 0,
        }
        false
    };
    let word = text.get(..text.find(is_end).unwrap_or(text.len())).unwrap_or_default();
    let is_bracketed =
        word.starts_with(['[', '<', '{']) && word.trim_end_matches('.').ends_with([']', '>', '}']);
    let is_upper =
        word.len() > 1 && word.chars().any(char::is_uppercase) && !word.chars().any(char::is_lowercase);
    if is_bracketed || is_upper { word.len() } else { 0 }
}

/// Name and description of an argument or a subcommand. The description begins at `column`.
pub(super) fn named(
    line: &str,
    section: Section,
    column: Option<usize>,
    is_sentence_below: bool,
    is_below_names: bool,
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
            Some((left, right)) if is_list && !is_remark(left) => (left.to_owned(), right.trim().to_owned()),
            // qemu-img: `amend - Update options of the image`.
            _ => match text.split_once(" - ").or_else(|| text.split_once(" # ")) {
                Some((left, right)) if is_list && plain_words(left) == 1 => {
                    (left.to_owned(), right.trim().to_owned())
                }
                _ => (text.to_owned(), String::new()),
            },
        },
    };
    // certbot: `(default) run`.
    let left = left.strip_prefix("(default) ").unwrap_or(&left).trim_end_matches(':').to_owned();
    let begins =
        left.chars().next().is_some_and(|c| c.is_alphanumeric() || matches!(c, '<' | '[' | '{' | '_'));
    // Of a command, the arguments do not count: `run [...filters]`, `call SERVICE METHOD`, `blame (praise, ann)`.
    let words = match section {
        Section::Commands | Section::Actions => plain_words(&left),
        _ => without_aliases(&left).split_whitespace().count(),
    };
    // rndc: `addzone zone [class [view]]`, with its description beneath.
    let is_described = !description.is_empty()
        || is_sentence_below
            && (section == Section::Commands || is_call(without_aliases(&left)))
            && left.starts_with(|c: char| c.is_ascii_lowercase());
    // evmctl: `import [--rsa] pubkey keyring`, below others without a description.
    let is_form = is_list && column.is_none() && description.is_empty() && is_below_names && is_form(&left);
    let most = if is_described || is_form { 5 } else { 1 };
    let is_sentence = left.ends_with(['.', ';']) && !left.ends_with("..");
    (begins && words <= most && !is_sentence).then_some((left, description))
}

/// Whether a text is a command and what follows it, in words as one types them.
fn is_form(text: &str) -> bool {
    const OF_SENTENCES: &[&str] =
        &["the", "a", "an", "of", "and", "to", "for", "is", "are", "with", "from", "in", "see"];
    let mut words = text.split_whitespace();
    let is_word = |word: &str| !OF_SENTENCES.contains(&word) && !word.ends_with(['.', ',', ';', ':']);
    words.next().is_some_and(|name| is_name(name) && name.starts_with(|c: char| c.is_ascii_lowercase()))
        && words.all(is_word)
}

/// `clean_all (clean-all)` without the other names.
fn without_aliases(left: &str) -> &str {
    let (name, others) = left.strip_suffix(')').and_then(|left| left.split_once(" (")).unwrap_or((left, ""));
    if others.split(", ").all(is_name) { name } else { left }
}

/// Whether a word in front of a colon names no command: `Tip: …`, `aliases: …`. In small letters, others can be commands.
fn is_remark(word: &str) -> bool {
    const REMARKS: &[&str] = &[
        "Tip", "Note", "Hint", "Warning", "Example", "Examples", "See", "Usage", "aliases", "tip", "note",
        "hint", "warning",
    ];
    REMARKS.contains(&word.trim())
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
    one.split_whitespace().filter(|word| word.contains(char::is_lowercase) && !word.starts_with('-')).count()
}
