//! Headings, and what the entries below them are.

use super::names::is_call;
use super::{Entry, What, begins_option, description_column};
use crate::clean::indent;
use crate::subcommands::is_name;

/// What the heading above an entry says that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// No heading yet, or one that says nothing.
    Other,
    Options,
    Arguments,
    Commands,
    /// `Actions:`, which are commands where the usage has a place for an action.
    Actions,
    /// Examples, environment variables and other text in which nothing is an entry.
    Prose,
}

pub(super) fn is_heading(line: &str, next: Option<&str>) -> bool {
    let text = line.trim();
    let count = text.chars().count();
    if text.is_empty() || text.starts_with('-') || count > 90 || indent(line) > 4 {
        return false;
    }
    // dvips does not indent its options.
    let is_above_options = |next: &str| next.starts_with('-') && section(text) == Section::Options;
    let next_is_deeper = next.is_none_or(|next| {
        next.trim().is_empty() || indent(next) > indent(line) || text.ends_with(':') && is_above_options(next)
    });
    let words = text.trim_end_matches(':');
    let is_upper = words.chars().any(char::is_alphabetic) && !words.chars().any(char::is_lowercase);
    let ends_well = text.ends_with(':') || (indent(line) == 0 && !text.ends_with(['.', ',', ';', ']', ')']));
    if next_is_deeper && is_title(text) {
        return true;
    }
    next_is_deeper
        && !line.trim_start().contains("  ")
        && (ends_well || (is_upper && indent(line) == 0) || (indent(line) == 0 && text.ends_with(')')))
}

/// Whether a line is a heading of options, arguments or text.
pub fn begins_other(line: &str) -> bool {
    let section = || section(line.trim());
    line.trim_end().ends_with(':')
        && matches!(section(), Section::Options | Section::Arguments | Section::Prose)
}

/// Whether a line can be nothing but a heading: prisma, `Flags`, as far in as `Commands`.
pub(super) fn is_title(text: &str) -> bool {
    // Airflow: `Groups`, beneath the argument that they are values of.
    ["Flags", "Options", "Arguments", "Examples", "Environment", "Groups"].contains(&text)
}

/// What a heading says of the entries below it.
pub fn section(heading: &str) -> Section {
    // oclif: groups of commands, above those that stand alone.
    if heading.trim() == "TOPICS" {
        return Section::Commands;
    }
    let text = heading.trim().trim_end_matches([':', ' ']).to_lowercase();
    let has = |word: &str| text.contains(word);
    if has("example")
        || has("environment") && !has("option") && !text.ends_with("commands")
        // `Exit status: 1 if they differ` is a sentence.
        || has("exit") && !text.contains(": ")
        || text.starts_with("see also")
        || has("authors")
        || text.starts_with("usage")
        || text.ends_with("aliases") && !has(" and ")
        || has("learn more")
    {
        Section::Prose
    } else if text.starts_with("optional commands")
        // ovn-nbctl: `DHCP Options commands:`.
        || text.ends_with(" options commands")
        // steghide: `the first argument must be one of the following:`
        || has("first argument") && has("one of")
        || ["group is one of the following", "groups", "subgroups"].contains(&text.as_str())
    {
        Section::Commands
    } else if has("option") || has("flag") || has("switches") && !text.starts_with("for ") {
        Section::Options
    } else if has("command") {
        Section::Commands
    } else if has("argument") || text == "args" || has("positional") || has("parameters") {
        Section::Arguments
    } else if is_of_actions(&text) {
        Section::Actions
    } else {
        Section::Other
    }
}

/// `Actions (if none is given …)`, `Supported operations`, `<action> is one of`.
fn is_of_actions(text: &str) -> bool {
    let head = text.split(" (").next().unwrap_or(text);
    // `Valid targets are:`
    let head = head.strip_suffix(" are").unwrap_or(head);
    let is_word = |word: &str| {
        [
            "actions",
            "action",
            "operations",
            "verbs",
            "tasks",
            "modes",
            "components",
            "utilities",
            "tools",
            "modules",
            "targets",
            "frontends",
            "applets",
            "backends",
        ]
        .contains(&word)
    };
    let (first, last) = (head.split(' ').next(), head.split(' ').next_back());
    let is_one_of = || head.contains(" one of") && head.trim_start_matches('<').starts_with("action");
    head.split(' ').count() <= 4 && (first.is_some_and(is_word) || last.is_some_and(is_word)) || is_one_of()
}

impl Section {
    /// Whether its names can be subcommands.
    pub fn lists_commands(self) -> bool {
        matches!(self, Self::Commands | Self::Actions)
    }
}

/// A list of commands, as far as it was read.
#[derive(Debug, Default)]
pub(super) struct List {
    /// Indentation of its heading, and whether that is in capitals.
    indent: usize,
    is_upper: bool,
    /// Number of entries before it.
    before: usize,
    /// Whether it consists of groups.
    has_groups: bool,
}

impl List {
    pub(super) fn new(heading: &str, entries: &[Entry]) -> Self {
        Self {
            indent: indent(heading),
            is_upper: is_upper(heading),
            before: entries.len(),
            has_groups: false,
        }
    }

    /// Whether a heading is above a group of the list. The groups of a list that begins with them stand in the same
    /// columns, those of others are indented more.
    pub(super) fn begins_group(
        &mut self,
        heading: &str,
        below: &[String],
        entries: &[Entry],
        last_column: Option<usize>,
    ) -> bool {
        const MOST_WORDS: usize = 6;
        const OTHERS: &[&str] = &[
            "formats",
            "keys",
            "variables",
            "types",
            "values",
            "aliases",
            "files",
            "guides",
            "modules",
            "format",
            "level",
            "mode",
            "type",
            "unit",
            "syntax",
            "style",
            "license",
            "version",
            "file",
        ];
        let at = below.iter().position(|line| !line.trim().is_empty());
        let next = at.and_then(|at| below.get(at)).map(String::as_str);
        let behind = at.and_then(|at| below.get(at + 1)).map(String::as_str).unwrap_or_default();
        let lower = heading.trim().trim_end_matches(':').to_lowercase();
        let words = lower.split_whitespace().count();
        let is_other = lower.contains("topics")
            // hpc: `Processing Coverage files`.
            || !lower.split(' ').next().is_some_and(|first| words > 2 && first.ends_with("ing"))
                && lower.split(' ').next_back().is_some_and(|last| OTHERS.contains(&last));
        let is_short = words <= MOST_WORDS;
        let column = next.and_then(description_column);
        // git-dpm: `Low-level-stuff:`, and `import-tar: import it` as above.
        let is_colon = last_column.is_none()
            && next.and_then(|next| next.trim().split_once(": ")).is_some_and(|(name, _)| is_name(name));
        // The first description can stand beneath.
        let is_named = is_colon
            || column.is_some()
            || next.is_some_and(|next| is_call(next.trim()) && indent(behind) > indent(next));
        let is_below = next.is_some_and(|next| next.starts_with(' ') && !begins_option(next.trim_start()));
        let may_be = matches!(section(heading), Section::Other | Section::Actions);
        if is_other || !is_named || !is_short || !is_below || !may_be {
            return false;
        }
        // gopls: groups under one word.
        if !heading.trim().contains([' ', ':']) {
            return column.is_some();
        }
        let own = entries.len().saturating_sub(self.before);
        // umoci: `image:`. darcs: `help` alone above the groups. wrangler: all in capitals.
        let is_nested = indent(heading) > self.indent && heading.trim_end().ends_with(':');
        let is_alike = self.has_groups || own <= 1 || self.is_upper && is_upper(heading);
        self.has_groups |= own <= 1;
        // modal: `Compute:` below `Commands:`, with columns of its own.
        // adb: `networking:` below `general commands:`, in the same columns.
        let is_below = own > 1 && indent(heading) == self.indent && !is_of_several(&lower);
        let is_written_so = is_below
            && (are_described(below)
                || (column.is_none() || column == last_column) && heading.trim_end().ends_with(':'));
        is_nested && column.is_some()
            || is_written_so
            || is_alike && column.is_some() && (own == 0 || column == last_column)
    }
}

/// Whether a heading names what there are several of: `Output styles`, `Backends`.
fn is_of_several(heading: &str) -> bool {
    const OF_COMMANDS: &[&str] = &["utilities", "tools", "operations", "functions", "actions", "tasks"];
    heading.ends_with('s') && !["ss", "us", "is"].iter().chain(OF_COMMANDS).any(|end| heading.ends_with(end))
}

/// Whether all lines up to a blank one are names with a sentence in a column.
fn are_described(lines: &[String]) -> bool {
    const MOST: usize = 100;
    let block: Vec<&String> = lines.iter().take(MOST).take_while(|line| !line.trim().is_empty()).collect();
    let column = block.first().and_then(|line| description_column(line));
    let is_entry = |line: &&String| {
        let name = line.trim_start().split(' ').next().unwrap_or_default();
        let begins = name.starts_with(|c: char| c.is_ascii_lowercase()) && is_name(name);
        let at = description_column(line).filter(|at| Some(*at) == column);
        let sentence = at.and_then(|at| crate::clean::behind(line, at)).unwrap_or_default();
        begins && sentence.starts_with(|c: char| c.is_ascii_uppercase()) && sentence.contains(' ')
    };
    block.len() > 1 && block.iter().all(is_entry)
}

fn is_upper(heading: &str) -> bool {
    heading.contains(char::is_alphabetic) && !heading.contains(char::is_lowercase)
}

/// Whether a list of commands is only one more, below groups of names: `Other commands:`, `GitHub Commands:`.
pub(super) fn is_further(heading: &str, entries: &[Entry]) -> bool {
    const MANY: usize = 5;
    const WHOLE: &[&str] = &["commands", "available", "valid", "supported", "possible", "list", "the", "all"];
    let lower = heading.trim_end_matches(':').to_lowercase();
    let first = lower.split(' ').next().unwrap_or_default();
    let has = |section: Section, count: usize| {
        let is_name = move |entry: &&Entry| entry.section == section && matches!(entry.what, What::Name(_));
        entries.iter().filter(is_name).take(count).count() == count
    };
    lower.contains(" commands")
        && !WHOLE.contains(&first)
        && !has(Section::Commands, 1)
        && has(Section::Other, MANY)
}

/// Whether a line stands for the names beneath it: `{run,list}`, `<command>` above an entry for each. The first of them may
/// have its description beneath.
pub(super) fn stands_for_next(text: &str, next: &str, is_described_beneath: bool) -> bool {
    let first = next.split_whitespace().next().unwrap_or_default();
    if let Some(names) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        return names.split(',').any(|name| name == first);
    }
    let cell = text.split("  ").next().unwrap_or_default();
    let lower = cell.trim_matches(['<', '>', '[', ']']).to_lowercase();
    let is_command = ["command", "subcommand", "cmd"].contains(&lower.as_str())
        // ansible: `COLLECTION_ACTION`
        || !text.contains(' ') && ["_action", "_command", "_cmd"].iter().any(|end| lower.ends_with(end));
    // cabal: `[package]`, a title.
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let is_title = text == cell && inner.is_some_and(|inner| !inner.contains(['[', ']', '|', '<']));
    let is_entry = description_column(next).is_some() || is_command && text == cell && is_described_beneath;
    (is_command || is_title) && first.starts_with(char::is_alphabetic) && is_entry
}
