//! Entries of a help text: an option, argument or subcommand, and the description beside or beneath it.

mod names;
mod reader;
mod sections;
mod table;

use crate::clean::indent;
use crate::spec::{Place, Spec, specs};
pub use names::is_call;
use reader::Reader;
pub use sections::{Section, begins_other, section};

/// Most entries that are read.
const MAX_ENTRIES: usize = 5_000;
/// Longest description, in characters.
const MAX_DESCRIPTION: usize = 2_000;

/// An entry.
#[derive(Debug, Clone)]
pub struct Entry {
    pub section: Section,
    pub what: What,
    pub description: String,
    /// First words of the rows of a table in an option's description.
    pub table: Vec<String>,
}

/// What stands on the left of an entry.
#[derive(Debug, Clone)]
pub enum What {
    Options(Vec<Spec>),
    /// A name and what follows it up to the description, for arguments and subcommands.
    Name(String),
}

/// Column at which the description begins: behind the first gap of two blanks that no flag follows.
pub fn description_column(line: &str) -> Option<usize> {
    if !line.trim_start().contains("  ") {
        return None;
    }
    let chars: Vec<char> = line.chars().collect();
    let mut at = indent(line);
    while at < chars.len() {
        let blanks = chars.iter().skip(at).take_while(|c| **c == ' ').count();
        if blanks >= 2 {
            let before = chars.get(at.wrapping_sub(1)).copied();
            let next = chars.get(at + blanks).copied()?;
            let is_dash = next == '-'
                && [" ", "- "].iter().any(|end| {
                    end.chars().enumerate().all(|(ahead, c)| chars.get(at + blanks + 1 + ahead) == Some(&c))
                });
            // bw: `share <id>   --DEPRECATED-- Move it`.
            let is_mark = !begins_option(line.trim_start())
                && chars.get(at + blanks..).is_some_and(|rest| {
                    rest.starts_with(&['-', '-']) && rest.get(2).is_some_and(char::is_ascii_uppercase)
                });
            if (next != '-' || is_dash || is_mark) && before != Some(',') {
                return Some(at + blanks);
            }
        }
        at += blanks.max(1);
    }
    None
}

/// Whether a line begins as an option's entry does: `-x`, `+[no]x`.
fn begins_option(text: &str) -> bool {
    text.starts_with('-')
        || text
            .strip_prefix('+')
            .is_some_and(|rest| rest.starts_with("[no]") || rest.starts_with(char::is_alphabetic))
}

/// Finds the entries; whether some were left out.
pub fn read(lines: &[String]) -> (Vec<Entry>, bool) {
    let lines = joined(lines);
    let mut reader = Reader::new(&lines);
    let is_whole = (0..lines.len()).all(|at| reader.takes(at));
    reader.close();
    (reader.entries, !is_whole)
}

/// Lines in which `--color[=WHEN],` goes on with `--colour[=WHEN]` in the next are one.
fn joined(lines: &[String]) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(lines.len());
    for line in lines {
        let goes_on = line.trim_start().starts_with('-')
            && all.last().is_some_and(|last| {
                last.ends_with(',') && last.trim_start().starts_with('-') && last.len() < 400
            });
        match all.last_mut().filter(|_| goes_on) {
            Some(last) => {
                last.push(' ');
                last.push_str(line.trim_start());
            }
            None => all.push(line.clone()),
        }
    }
    all
}

fn is_option(line: &str, next: Option<&str>) -> bool {
    let deeper = next.is_some_and(|next| indent(next) > indent(line));
    !specs(line.trim(), Place::Line(deeper)).0.is_empty()
}

fn add(entry: Option<&mut Entry>, text: &str) {
    let Some(entry) = entry else { return };
    if entry.description.chars().count() + text.chars().count() < MAX_DESCRIPTION {
        // A word that was divided at the end of a line.
        if !entry.description.is_empty() && !is_hyphenated(&entry.description, text) {
            entry.description.push(' ');
        }
        entry.description.push_str(text);
    }
}

/// Whether a line was broken within a word: `read-`, `only`, but not `32-`, `or 64-bit`.
fn is_hyphenated(before: &str, text: &str) -> bool {
    let is_open =
        before.strip_suffix('-').is_some_and(|before| before.ends_with(|c: char| c.is_ascii_lowercase()));
    let word = text.split_whitespace().next().unwrap_or_default();
    is_open
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && !["and", "or", "to", "nor"].contains(&word)
}

/// A description without the dash before it, and not too long.
fn cut(text: &str) -> String {
    let text = text.strip_prefix("- ").unwrap_or(text);
    text.chars().take(MAX_DESCRIPTION).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Vec<(String, String)> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let (entries, _) = read(&lines);
        let options = entries.into_iter().filter_map(|entry| match entry.what {
            What::Options(specs) => {
                let flags: Vec<String> = specs.into_iter().flat_map(|spec| spec.flags).collect();
                Some((flags.join(","), entry.description))
            }
            What::Name(_) => None,
        });
        options.collect()
    }

    #[test]
    fn entry_begins_behind_a_blank_line_below_one_without_a_column() {
        let text = "Options:\n  -x    One\n--no-defaults       Read none\n--suffix=# Read groups with #\n\n  \
                    -A, --all Check all. This is\n                      the same\n  -f, --force       Go on\n";
        let flags: Vec<String> = options(text).into_iter().map(|(flags, _)| flags).collect();
        assert_eq!(flags, ["-x", "--no-defaults", "--suffix", "-A,--all", "-f,--force"]);
    }

    #[test]
    fn letters_without_a_dash_stand_below_those_with_one() {
        let text = "Selection:\n -a         all with a terminal\n  a         the same\n  T         one terminal\n \
                    -p, p, --pid <PID>\n            of these\n  O <form>  preloaded\n  f, --forest   a tree\n\
                    \x20   --all     all\n  X         registers\n\
                    Commands:\n  x         extract\n";
        let read = options(text);
        let flags: Vec<&str> = read.iter().map(|(flags, _)| flags.as_str()).collect();
        assert_eq!(flags, ["-a", "a", "T", "-p,p,--pid", "O", "f,--forest", "--all", "X"]);
        // Commands stand where the dashes do.
        assert_eq!(options("Options:\n  -v     say more\n  a      add files\n").len(), 1);
    }

    #[test]
    fn words_broken_at_their_hyphen_are_whole_again() {
        let read = options("  --style S\n      one of: red, one-\n      dark, pre-\n      and post\n");
        assert_eq!(read, [("--style".to_owned(), "one of: red, one-dark, pre- and post".to_owned())]);
    }

    #[test]
    fn dashes_and_colons_separate_descriptions() {
        let text = "Usage: ar [opts]\n modifiers:\n  @<file>      - read it\n  --target=NAME - the target\n  --thin       - make it thin\n\n\
                    Advanced arguments :\n -V     : display it\n--no-crc : no sum\n";
        let read = options(text);
        let read: Vec<(&str, &str)> =
            read.iter().map(|(flags, text)| (flags.as_str(), text.as_str())).collect();
        let expected = [
            ("--target", "the target"),
            ("--thin", "make it thin"),
            ("-V", "display it"),
            ("--no-crc", "no sum"),
        ];
        assert_eq!(read, expected);
        // A sentence that begins with a flag is none.
        assert_eq!(
            options("Notes:\n\nThe option is new.\n--all is the default and cannot be changed.\n"),
            []
        );
    }
}
