//! Reads entries line by line.

use super::names::{begins_at, behind_arguments, fills, named};
use super::sections::{List, is_further, is_heading, is_title, section, stands_for_next};
use super::table::table;
use super::{
    Entry, MAX_ENTRIES, Section, What, add, begins_option, cut, description_column, is_call, is_option,
};
use crate::clean::{behind, indent};
use crate::hints::bare;
use crate::patterns::{is_match, pattern};
use crate::spec::{Place, specs};
use crate::subcommands::is_name;
use crate::usage::is_command;

pattern!(GO_FLAG, r"^-[a-z][\w.-]*(?: [a-z]\w*)?$");
pattern!(LETTER, r"^[A-Za-z](?:, +--\w\S*)?(?: <[^>]+>)?  +\S");
// `--list FILE : what it does`, `--thin   - what it does`.
pattern!(SEPARATED, r"^--?\w[\w-]*(?:[=\[ ][A-Z#<\[]\S*)?(?: ?:|\s+-) ");

/// An entry that can still get lines.
#[derive(Default)]
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
    /// Whether it stands for a command: argparse, `COMMAND    the command to execute`, above an entry for each.
    is_placeholder: bool,
    /// Whether its description may stand beneath it without indentation: tsc, between blank lines.
    is_flush: bool,
    /// Columns at which its flags begin: long flags can have one of their own.
    flag_columns: Vec<usize>,
}

/// A line that is not blank, and what is below it.
struct Line<'l> {
    at: usize,
    whole: &'l str,
    text: &'l str,
    indent: usize,
    /// Column of its description.
    column: Option<usize>,
    /// Whether it follows a blank line.
    after_blank: bool,
    /// The next line, and the next one that is not blank.
    below: &'l str,
    next: Option<&'l str>,
    /// Whether the next line is indented more.
    is_deeper: bool,
}

/// The entries so far, and what the next line can be.
pub(super) struct Reader<'l> {
    lines: &'l [String],
    pub(super) entries: Vec<Entry>,
    open: Option<Open>,
    /// The lines of the description that can go on.
    below: Vec<(usize, &'l str)>,
    section: Section,
    heading_indent: usize,
    list: List,
    is_usage: bool,
    is_example: bool,
    /// Indentation of the last line, if it is part of no entry.
    was_prose: Option<usize>,
    was_blank: bool,
    /// Indentation of the last option that begins with a dash, and of the last letter without one.
    last_option: Option<usize>,
    last_letter: Option<usize>,
    /// Column of the last description of a name, and indentation of the last name.
    last_column: Option<usize>,
    last_name: Option<usize>,
}

impl<'l> Reader<'l> {
    pub(super) fn new(lines: &'l [String]) -> Self {
        Self {
            lines,
            entries: Vec::new(),
            open: None,
            below: Vec::new(),
            section: Section::Other,
            heading_indent: 0,
            list: List::default(),
            is_usage: false,
            is_example: false,
            was_prose: None,
            was_blank: true,
            last_option: None,
            last_letter: None,
            last_column: None,
            last_name: None,
        }
    }

    /// Takes a line. Whether there was room for it.
    pub(super) fn takes(&mut self, at: usize) -> bool {
        let Some(line) = self.line(at) else {
            (self.was_blank, self.was_prose) = (true, None);
            return true;
        };
        self.was_blank = false;
        if let Some(open) = self.open.as_mut().filter(|open| open.takes(&line)) {
            open.column.get_or_insert(line.indent);
            add(self.entries.last_mut(), line.text);
            self.below.push((line.indent, line.text));
            return true;
        }
        // A description in a column goes on less indented, if nothing else can begin there.
        self.close();
        let stands_for = |open: &Open| {
            open.is_placeholder && open.column.is_some_and(|column| open.is_above_command(&line, column))
        };
        if self.open.as_ref().is_some_and(stands_for) {
            self.section = Section::Commands;
        }
        let above =
            self.open.take().filter(|open| !open.is_name && !line.after_blank && open.indent == line.indent);
        let new = match self.option(&line, above.is_some()) {
            None if self.takes_heading(&line) || self.takes_placeholder(&line) => return true,
            None => self.name(&line),
            option => option,
        };
        let Some((entry, open)) = new else {
            // `@<file>    read options from it`, `[a]    put it after`, `-    - read from stdin`.
            let is_entry = line.text.starts_with(['@', '[', '<']) && line.column.is_some()
                || line.text.starts_with("-  ");
            self.was_prose = (!is_entry).then_some(line.indent);
            return true;
        };
        let has_room = self.entries.len() < MAX_ENTRIES;
        if has_room {
            self.entries.push(entry);
            // The first row can stand beside the flags.
            self.below.extend(open.column.and_then(|column| Some((column, behind(line.whole, column)?))));
            (self.open, self.was_prose) = (Some(open), None);
        }
        has_room
    }

    /// Takes the table of the last entry's description.
    pub(super) fn close(&mut self) {
        let lines = std::mem::take(&mut self.below);
        let Some(entry) =
            self.entries.last_mut().filter(|entry| lines.len() > 1 && matches!(entry.what, What::Options(_)))
        else {
            return;
        };
        entry.table = table(&lines);
    }

    /// A line, unless it is blank.
    fn line(&self, at: usize) -> Option<Line<'l>> {
        let whole = self.lines.get(at)?.as_str();
        let text = whole.trim();
        let below = self.lines.get(at + 1).map(String::as_str).unwrap_or_default();
        let next = || self.lines.iter().skip(at + 1).find(|line| !line.trim().is_empty()).map(String::as_str);
        (!text.is_empty()).then(|| Line {
            at,
            whole,
            text,
            indent: indent(whole),
            column: description_column(whole),
            after_blank: self.was_blank,
            below,
            next: next(),
            is_deeper: !below.trim().is_empty() && indent(below) > indent(whole),
        })
    }

    /// The option whose entry begins with a line. `is_next` says whether another one is just above it.
    fn option(&mut self, line: &Line<'_>, is_next: bool) -> Option<(Entry, Open)> {
        // Options can follow a usage line without a heading of their own, and Go's also examples.
        let is_letter = self.is_letter(line);
        let may_be = (begins_option(line.text) || is_letter)
            && (self.section != Section::Prose
                || self.is_usage
                || self.is_example && is_placed_as_go_does(line) && is_match(&GO_FLAG, line.text)
                || line.indent > self.heading_indent && !self.is_example && line.column.is_some());
        if !may_be {
            return None;
        }
        let is_prose = self.was_prose == Some(line.indent) && !line.after_blank;
        let (found, description) = specs(line.text, Place::Line(line.is_deeper));
        let is_described = !description.is_empty();
        // A sentence can begin with a flag; so can an entry whose column is too narrow.
        let is_sentence = line.column.is_none()
            && is_described
            && (is_prose || (line.indent == 0 && self.section != Section::Options && !is_next))
            && !is_match(&SEPARATED, line.text);
        if found.is_empty() || is_sentence {
            return None;
        }
        let last = if is_letter { &mut self.last_letter } else { &mut self.last_option };
        *last = Some(line.indent);
        let open = Open {
            indent: line.indent,
            column: line.column.filter(|_| is_described),
            is_described,
            is_flush: line.after_blank
                && line.indent == 0
                && !is_described
                && self.section != Section::Prose
                && line.below.starts_with(char::is_alphabetic),
            flag_columns: flag_columns(line.whole),
            ..Open::default()
        };
        Some((self.entry(What::Options(found), &description), open))
    }

    /// ps: `r   only running processes`, `f, --forest   as a tree`: whether a letter without a dash stands below the
    /// letters of options with one, or below another one without.
    fn is_letter(&self, line: &Line<'_>) -> bool {
        matches!(self.section, Section::Options | Section::Other)
            && (self.last_option.is_some_and(|dash| line.indent == dash + 1)
                || self.last_letter == Some(line.indent))
            && is_match(&LETTER, line.text)
    }

    /// Whether a line is the title of a group in a list of commands: copilot, `Develop ✨`, above names in the same columns.
    fn is_title_of_group(&self, line: &Line<'_>) -> bool {
        let first = line.below.trim_start();
        self.section == Section::Commands
            && line.indent > self.heading_indent
            && line.column.is_none()
            && line.is_deeper
            && line.text.starts_with(|c: char| c.is_ascii_uppercase())
            && first.starts_with(|c: char| c.is_ascii_lowercase())
            && self.last_name == Some(indent(line.below))
            && self.last_column.is_some()
            && description_column(line.below) == self.last_column
    }

    /// Takes a heading.
    fn takes_heading(&mut self, line: &Line<'_>) -> bool {
        if self.is_title_of_group(line) {
            return true;
        }
        let (text, is_inside) = (line.text, line.indent > self.heading_indent);
        let is_entry = is_inside
            && (self.section == Section::Commands && text.contains(": ")
                || line.indent > 0
                    && (self.section == Section::Arguments || self.section.lists_commands())
                    && !text.ends_with(':')
                    && !is_title(text));
        let below = self.lines.get(line.at + 1..).unwrap_or_default();
        if is_entry || !is_heading(line.whole, below.first().map(String::as_str)) {
            return false;
        }
        let is_group = self.section.lists_commands()
            && self.list.begins_group(line.whole, below, &self.entries, self.last_column);
        if !is_group {
            self.section = section(text);
            self.list = List::new(line.whole, &self.entries);
        }
        // A further list below groups that do not say "commands" is another group.
        if self.section == Section::Commands && is_further(text, &self.entries) {
            self.section = Section::Other;
        }
        self.is_usage = text.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("usage"));
        self.is_example = text.to_lowercase().contains("example");
        self.heading_indent = line.indent;
        self.was_prose = Some(line.indent);
        true
    }

    /// Takes a line that stands for the names beneath it.
    fn takes_placeholder(&mut self, line: &Line<'_>) -> bool {
        // cabal: `[package]` is a title among commands; clap has `[FILE]` among arguments.
        let may_be = !line.text.starts_with('[') || self.section.lists_commands();
        let beneath = self.lines.get(line.at + 2).map_or(0, |line| indent(line));
        let is_described_beneath = beneath > indent(line.below);
        let is_placeholder =
            line.is_deeper && may_be && stands_for_next(line.text, line.below, is_described_beneath);
        if is_placeholder && !line.text.starts_with(['{', '[']) {
            (self.section, self.heading_indent) = (Section::Commands, line.indent);
        }
        is_placeholder
    }

    /// The argument or subcommand whose entry begins with a line.
    fn name(&mut self, line: &Line<'_>) -> Option<(Entry, Open)> {
        if matches!(self.section, Section::Options | Section::Prose) {
            return None;
        }
        let column = self.column_of_name(line);
        let is_sentence_below = line.is_deeper && line.below.trim_start().starts_with(char::is_uppercase);
        let is_below_names =
            self.last_name == Some(line.indent) && self.last_column.is_none() && !line.after_blank;
        let may_be = match self.section {
            Section::Commands | Section::Actions | Section::Arguments => line.indent > self.heading_indent,
            // Groups of subcommands under headings of their own.
            Section::Other => {
                // datalad: a name alone, with a sentence beneath. fastboot: `boot KERNEL [RAMDISK]`, likewise.
                let is_alone = || line.text.chars().all(|c| c.is_ascii_lowercase() || c == '-');
                let is_lower = || line.text.starts_with(|c: char| c.is_ascii_lowercase());
                let is_shown = || self.last_name == Some(line.indent) && is_lower() && is_call(line.text);
                // doveadm: `reopen`, among others in columns.
                let is_title = || ["options", "commands", "arguments"].contains(&line.text);
                let is_among =
                    || is_alone() && !is_title() && self.last_name == Some(line.indent) && !line.after_blank;
                let is_below = is_sentence_below && (is_alone() || is_shown());
                line.indent > 0 && (column.is_some() || is_below || is_among())
            }
            Section::Options | Section::Prose => false,
        };
        let (name, description) = if may_be {
            named(line.whole, self.section, column, is_sentence_below, is_below_names)?
        } else {
            return None;
        };
        let column = column.filter(|_| !description.is_empty());
        self.last_column = line.column.filter(|_| column.is_some()).or(self.last_column);
        self.last_name = Some(line.indent);
        let names = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or_default();
        let open = Open {
            indent: line.indent,
            column,
            is_described: true,
            is_name: true,
            is_placeholder: is_command(bare(&name)),
            names: names.to_owned(),
            ..Open::default()
        };
        Some((self.entry(What::Name(name), &description), open))
    }

    /// Column at which the description of a name begins, if the line is an entry.
    fn column_of_name(&self, line: &Line<'_>) -> Option<usize> {
        if line.column.is_some() {
            return line.column;
        }
        // A name that is as wide as its column stands beside others that are not.
        let beside = || {
            let around = [line.at.checked_sub(1), Some(line.at + 1)].into_iter().flatten();
            let mut around = around.filter_map(|at| self.lines.get(at));
            // snapraid: the first is as wide as its column.
            let is_list = self.section == Section::Commands && indent(line.below) == line.indent;
            let first = || description_column(line.below).filter(|_| is_list);
            let is_lower = line.text.starts_with(|c: char| c.is_ascii_lowercase());
            self.last_column.or_else(first).filter(|column| {
                around.any(|other| {
                    description_column(other) == Some(*column) || indent(other) == *column && is_lower
                })
            })
        };
        let last_column = self.last_column.filter(|_| self.last_name == Some(line.indent));
        let column = beside();
        column
            .filter(|column| begins_at(line.whole, *column))
            .or_else(|| last_column.filter(|column| fills(line.whole, *column)))
            .or_else(|| {
                behind_arguments(line.whole, column).filter(|_| last_column.is_some() && !line.after_blank)
            })
    }

    fn entry(&self, what: What, description: &str) -> Entry {
        Entry { section: self.section, what, description: cut(description), table: Vec::new() }
    }
}

impl Open {
    /// Whether a line belongs to the description.
    fn takes(&self, line: &Line<'_>) -> bool {
        let (text, is_inside) = (line.text, line.indent > self.indent);
        let goes_on = match self.column {
            Some(column) => {
                let is_beneath =
                    line.indent >= self.indent + 2 && !text.starts_with('-') && !line.after_blank;
                // dig: `q-opt  is one of:`, and the options in the column of the description.
                let is_option = self.is_name
                    && begins_option(text)
                    && line.column.is_some()
                    && is_option(line.whole, line.next);
                // yargs wraps at the first column.
                let is_wrapped = self.is_name
                    && line.indent == 0
                    && !line.after_blank
                    && text.starts_with(|c: char| c.is_ascii_lowercase())
                    && !text.ends_with(':');
                // kaggle: `{run,r}  Use one of:`, and an entry for each.
                let first = text.split(' ').next().unwrap_or_default();
                let is_named = line.indent + 1 < column
                    && self.names.split(',').any(|name| name == first)
                    && line.column.is_some();
                let is_command = self.is_placeholder && self.is_above_command(line, column);
                let is_in_column = line.indent + 1 >= column || is_beneath;
                is_wrapped || is_inside && is_in_column && !is_option && !is_named && !is_command
            }
            // `-d, --data <x> Send x` above `    --data-raw <x>`: the long flags of a column of short ones.
            None => {
                // MariaDB: `--suffix=# Read more groups`, a blank line, and less indented entries than descriptions are.
                let is_near = line.indent < self.indent + 7;
                let is_flag = text.starts_with('-')
                    && (!line.after_blank || is_near)
                    && is_option(line.whole, line.next);
                let is_aligned = self.flag_columns.contains(&line.indent);
                is_inside && !(is_flag && (self.is_described || is_aligned || is_near))
            }
        };
        goes_on || self.is_flush && !line.after_blank && !text.starts_with('-')
    }

    /// Whether a line below a place for a command is an entry of one, described in the same column or beneath.
    fn is_above_command(&self, line: &Line<'_>, column: usize) -> bool {
        let name = line.text.split(' ').next().unwrap_or_default();
        let is_described = match line.column {
            Some(own) => own == column,
            None => name == line.text && indent(line.below) == column,
        };
        line.indent > self.indent && line.indent + 2 < column && is_name(name) && is_described
    }
}

/// Whether a line may be one of Go's flags below examples: indented by two, and its description by eight.
fn is_placed_as_go_does(line: &Line<'_>) -> bool {
    line.indent == 2 && line.next.is_some_and(|next| indent(next) == 8 && !next.trim_start().starts_with('-'))
}

/// Columns behind blanks at which flags begin.
fn flag_columns(line: &str) -> Vec<usize> {
    let chars: Vec<char> = line.chars().take(200).collect();
    chars.windows(2).enumerate().filter(|(_, pair)| pair == &[' ', '-']).map(|(at, _)| at + 1).collect()
}
