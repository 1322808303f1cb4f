//! Entries of a help text: an option, argument or subcommand, and the description beside or beneath it.

mod names;
mod sections;

use crate::clean::indent;
use crate::patterns::{is_match, pattern};
use crate::spec::{Place, Spec, specs};
pub use names::is_call;
use names::{begins_at, behind_arguments, fills, named};
pub use sections::Section;
use sections::{List, is_further, is_heading, is_title, section, stands_for_next};

// `--list FILE : what it does`, `--thin   - what it does`.
pattern!(GO_FLAG, r"^-[a-z][\w.-]*(?: [a-z]\w*)?$");
pattern!(SEPARATED, r"^--?\w[\w-]*(?:[=\[ ][A-Z#<\[]\S*)?(?: ?:|\s+-) ");

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
    /// The lines beneath the first, as they are indented.
    pub lines: Vec<String>,
}

/// What stands on the left of an entry.
#[derive(Debug, Clone)]
pub enum What {
    Options(Vec<Spec>),
    /// A name and what follows it up to the description, for arguments and subcommands.
    Name(String),
}

/// An entry that can still get lines.
struct Open {
    indent: usize,
    /// Column of the description; none until its first line.
    column: Option<usize>,
    /// Whether the description begins in the entry's own line.
    is_described: bool,
    /// Whether it is no option.
    is_name: bool,
    /// Names in braces that it stands for.
    names: String,
    /// Whether its description may stand beneath it without indentation: tsc, between blank lines.
    is_flush: bool,
    /// Columns at which its flags begin: long flags can have one of their own.
    flag_columns: Vec<usize>,
}

/// Whether an entry may be one of Go's flags below examples: indented by two, and its description by eight.
fn is_placed_as_go_does(is_example: bool, indented: usize, next: Option<&str>) -> bool {
    is_example
        && indented == 2
        && next.is_some_and(|next| indent(next) == 8 && !next.trim_start().starts_with('-'))
}

/// Column at which the description begins: behind the first gap of two blanks that no flag follows.
fn description_column(line: &str) -> Option<usize> {
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

/// Columns behind blanks at which flags begin.
fn flag_columns(line: &str) -> Vec<usize> {
    let chars: Vec<char> = line.chars().take(200).collect();
    chars.windows(2).enumerate().filter(|(_, pair)| pair == &[' ', '-']).map(|(at, _)| at + 1).collect()
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
    let lines = &joined(lines);
    let mut entries: Vec<Entry> = Vec::new();
    let mut open: Option<Open> = None;
    let mut section_now = Section::Other;
    let mut heading_indent = 0;
    let mut list = List::default();
    let mut is_usage = false;
    let mut is_example = false;
    let mut was_prose: Option<usize> = None;
    let mut was_blank = true;
    let mut last_column = None;
    // Indentation of the last name.
    let mut last_name = None;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim();
        if text.is_empty() {
            was_blank = true;
            was_prose = None;
            continue;
        }
        let indented = indent(line);
        let next = lines.iter().skip(at + 1).find(|line| !line.trim().is_empty()).map(String::as_str);
        // The description goes on.
        if let Some(current) = &mut open {
            let goes_on = match current.column {
                Some(column) => {
                    let is_beneath = indented >= current.indent + 2 && !text.starts_with('-') && !was_blank;
                    // dig: `q-opt  is one of:`, and the options in the column of the description.
                    let is_option = current.is_name
                        && begins_option(text)
                        && description_column(line).is_some()
                        && is_option(line, next);
                    // yargs wraps at the first column.
                    let is_wrapped = current.is_name
                        && indented == 0
                        && !was_blank
                        && text.starts_with(|c: char| c.is_ascii_lowercase())
                        && !text.ends_with(':');
                    // kaggle: `{run,r}  Use one of:`, and an entry for each.
                    let first = text.split(' ').next().unwrap_or_default();
                    let is_named = indented + 1 < column
                        && current.names.split(',').any(|name| name == first)
                        && description_column(line).is_some();
                    is_wrapped
                        || indented > current.indent
                            && (indented + 1 >= column || is_beneath)
                            && !is_option
                            && !is_named
                }
                // `-d, --data <x> Send x` above `    --data-raw <x>`: the long flags of a column of short ones.
                None => {
                    // MariaDB: `--suffix=# Read more groups`, a blank line, and less indented entries than descriptions are.
                    let may_begin = !was_blank || indented < current.indent + 7;
                    let is_flag = text.starts_with('-') && may_begin && is_option(line, next);
                    let is_aligned = current.flag_columns.contains(&indented);
                    indented > current.indent
                        && !(is_flag && (current.is_described || is_aligned || indented < current.indent + 7))
                }
            };
            let goes_on = goes_on || current.is_flush && !was_blank && !text.starts_with('-');
            if goes_on {
                current.column.get_or_insert(indented);
                add(entries.last_mut(), text, line);
                was_blank = false;
                continue;
            }
            // A description in a column goes on less indented, if nothing else can begin there.
            open = None;
        }
        let after_blank = std::mem::take(&mut was_blank);
        // Options can follow a usage line without a heading of their own, and Go's also examples.
        if begins_option(text)
            && (section_now != Section::Prose
                || is_usage
                || is_placed_as_go_does(is_example, indented, next) && is_match(&GO_FLAG, text)
                || indented > heading_indent && !is_example && description_column(line).is_some())
        {
            let is_prose = was_prose == Some(indented) && !after_blank;
            let next_line = lines.get(at + 1).map(String::as_str).unwrap_or_default();
            let is_deeper = !next_line.trim().is_empty() && indent(next_line) > indented;
            let (found, description) = specs(text, Place::Line(is_deeper));
            let column = description_column(line);
            // A sentence can begin with a flag; so can an entry whose column is too narrow.
            let is_sentence = column.is_none()
                && !description.is_empty()
                && (is_prose || (indented == 0 && section_now != Section::Options))
                && !is_match(&SEPARATED, text);
            if !found.is_empty() && !is_sentence {
                if entries.len() >= MAX_ENTRIES {
                    return (entries, true);
                }
                let column = column.filter(|_| !description.is_empty());
                let is_described = !description.is_empty();
                let is_flush = after_blank
                    && indented == 0
                    && !is_described
                    && section_now != Section::Prose
                    && next_line.starts_with(char::is_alphabetic);
                entries.push(Entry {
                    section: section_now,
                    what: What::Options(found),
                    description: cut(&description),
                    lines: Vec::new(),
                });
                open = Some(Open {
                    indent: indented,
                    column,
                    is_described,
                    is_name: false,
                    names: String::new(),
                    is_flush,
                    flag_columns: flag_columns(line),
                });
                was_prose = None;
                continue;
            }
        }
        if is_heading(line, lines.get(at + 1).map(String::as_str))
            && !(section_now == Section::Commands && indented > heading_indent && text.contains(": "))
        {
            let is_entry = indented > 0
                && (section_now == Section::Arguments || section_now.lists_commands())
                && indented > heading_indent
                && !text.ends_with(':')
                && !is_title(text);
            if !is_entry {
                let is_group = section_now.lists_commands()
                    && list.begins_group(
                        line,
                        lines.get(at + 1..).unwrap_or_default(),
                        &entries,
                        last_column,
                    );
                section_now = if is_group { section_now } else { section(text) };
                // A further list below groups that do not say "commands" is another group.
                if section_now == Section::Commands && is_further(text, &entries) {
                    section_now = Section::Other;
                }
                if !is_group {
                    list = List::new(line, &entries);
                }
                is_usage = text.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("usage"));
                is_example = text.to_lowercase().contains("example");
                heading_indent = indented;
                was_prose = Some(indented);
                continue;
            }
        }
        // A name that is as wide as its column stands beside others that are not.
        let beside = || {
            let around =
                [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| lines.get(at));
            // snapraid: the first is as wide as its column.
            let below = || {
                lines
                    .get(at + 1)
                    .filter(|line| indent(line) == indented)
                    .and_then(|line| description_column(line))
            };
            let first = || Some(()).filter(|()| section_now == Section::Commands).and_then(|()| below());
            last_column.or_else(first).filter(|column| {
                around.clone().any(|line| {
                    description_column(line) == Some(*column)
                        || indent(line) == *column && text.starts_with(|c: char| c.is_ascii_lowercase())
                })
            })
        };
        let is_beside = last_name == Some(indented);
        let shown = description_column(line);
        let column = shown
            .or_else(|| beside().filter(|column| begins_at(line, *column)))
            .or_else(|| last_column.filter(|column| is_beside && fills(line, *column)))
            .or_else(|| behind_arguments(line, beside()).filter(|_| is_beside && last_column.is_some()));
        let next_line = lines.get(at + 1).map(String::as_str).unwrap_or_default();
        let is_deeper = indent(next_line) > indented && !next_line.trim().is_empty();
        let is_sentence_below = is_deeper && next_line.trim_start().starts_with(char::is_uppercase);
        let is_named = match section_now {
            Section::Commands | Section::Actions | Section::Arguments => indented > heading_indent,
            // Groups of subcommands under headings of their own.
            // datalad: a name alone, with a sentence beneath.
            Section::Other => {
                // fastboot: `boot KERNEL [RAMDISK]`, likewise.
                let is_alone = || text.chars().all(|c| c.is_ascii_lowercase() || c == '-');
                let is_shown = || last_name == Some(indented) && is_call(text);
                indented > 0 && (column.is_some() || is_sentence_below && (is_alone() || is_shown()))
            }
            _ => false,
        };
        if is_deeper && stands_for_next(text, next_line) {
            if !text.starts_with(['{', '[']) {
                (section_now, heading_indent) = (Section::Commands, indented);
            }
            continue;
        }
        if is_named && let Some((name, description)) = named(line, section_now, column, is_sentence_below) {
            if entries.len() >= MAX_ENTRIES {
                return (entries, true);
            }
            let column = column.filter(|_| !description.is_empty());
            last_column = shown.filter(|_| column.is_some()).or(last_column);
            last_name = Some(indented);
            let names =
                name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or_default().to_owned();
            entries.push(Entry {
                section: section_now,
                what: What::Name(name),
                description: cut(&description),
                lines: Vec::new(),
            });
            open = Some(Open {
                indent: indented,
                column,
                is_described: true,
                is_name: true,
                names,
                is_flush: false,
                flag_columns: Vec::new(),
            });
            was_prose = None;
            continue;
        }
        // `@<file>    read options from it`, `[a]    put it after`, `-    - read from stdin`.
        let is_entry = text.starts_with(['@', '[', '<']) && description_column(line).is_some()
            || text.starts_with("-  ");
        was_prose = (!is_entry).then_some(indented);
    }
    (entries, false)
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

fn add(entry: Option<&mut Entry>, text: &str, line: &str) {
    let Some(entry) = entry else { return };
    if entry.description.chars().count() + text.chars().count() < MAX_DESCRIPTION {
        // A word that was divided at the end of a line.
        if !entry.description.is_empty() && !is_hyphenated(&entry.description, text) {
            entry.description.push(' ');
        }
        entry.description.push_str(text);
        entry.lines.push(line.to_owned());
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
