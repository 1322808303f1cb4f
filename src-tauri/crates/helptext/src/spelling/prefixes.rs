//! What stands before the text of a line and says nothing: a mark of a logger, the prompt of a shell, quotes, blanks
//! that align names at their end.

use std::collections::BTreeSet;

use crate::clean::indent;
use crate::subcommands::is_name;

/// Fewest lines that are written alike.
const LEAST: usize = 5;

/// Removes them.
pub(super) fn remove(lines: &mut [String], name: &str) {
    marks(lines);
    prompts(lines, name);
    quotes(lines);
    right_aligned(lines);
    pages(lines, name);
}

/// forever: `help:      start   Start it`, in each line.
fn marks(lines: &mut [String]) {
    let mark = |line: &str| {
        let (mark, _) = line.split_once(':')?;
        let is_word = !mark.is_empty() && mark.chars().all(|c| c.is_ascii_lowercase());
        is_word.then(|| format!("{mark}:"))
    };
    let written = || lines.iter().filter(|line| !line.trim().is_empty());
    let Some(mark) = written().next().and_then(|line| mark(line)).filter(|mark| mark != "usage:") else {
        return;
    };
    if written().count() < LEAST || !written().all(|line| line.starts_with(&mark)) {
        return;
    }
    for line in lines.iter_mut().filter(|line| !line.is_empty()) {
        *line = line.get(mark.len()..).unwrap_or_default().to_owned();
    }
    let blanks = |line: &String| line.len() - line.trim_start().len();
    let shared = lines.iter().filter(|line| !line.trim().is_empty()).map(blanks).min().unwrap_or(0);
    for line in lines {
        *line = line.get(shared..).unwrap_or_default().to_owned();
    }
}

/// clipanion: `$ corepack use <pattern>` in place of a usage line, or beneath the word.
fn prompts(lines: &mut [String], name: &str) {
    let form = |line: &str| {
        let form = line
            .strip_prefix("$ ")
            .filter(|form| form.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')))?;
        // Arguments without a name of their own: `[$$path]`.
        Some(form.replace("$$", ""))
    };
    let is_usage =
        |line: &String| line.trim_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case("usage"));
    let Some(at) = lines.iter().position(|line| form(line).is_some()).filter(|_| !name.is_empty()) else {
        return;
    };
    let has_usage = lines.iter().any(is_usage);
    let above = lines.iter().take(at).rfind(|line| !line.trim().is_empty());
    let is_beneath = above.is_some_and(is_usage);
    if let Some(line) = lines.get_mut(at).filter(|_| is_beneath || !has_usage)
        && let Some(form) = form(line)
    {
        *line = if is_beneath { format!("  {form}") } else { format!("Usage: {form}") };
    }
}

/// citty: `` `build`    Builds it ``, below `COMMANDS`.
fn quotes(lines: &mut [String]) {
    let mut is_list = false;
    for line in lines {
        let text = line.trim_start();
        if text.is_empty() {
            continue;
        }
        if !line.starts_with(' ') {
            is_list = line.trim_end() == "COMMANDS";
        } else if is_list
            && let Some((named, rest)) = text.strip_prefix('`').and_then(|text| text.split_once('`'))
            && !named.contains(' ')
        {
            // Names stand at the right of their column.
            *line = format!("  {named}  {}", rest.trim());
        }
    }
}

/// yath: `       do:  Run tests`, with the colons of all names in one column.
fn right_aligned(lines: &mut [String]) {
    let parted = |line: &str| {
        let (name, text) = line.split_once(":  ")?;
        (line.starts_with(' ') && is_name(name.trim_start()) && !text.trim().is_empty()).then_some(name.len())
    };
    let columns: Vec<usize> = lines.iter().filter_map(|line| parted(line)).collect();
    let Some(column) = columns.first().copied() else { return };
    let indents: BTreeSet<usize> =
        lines.iter().filter(|line| parted(line).is_some()).map(|line| indent(line)).collect();
    if columns.len() < LEAST || indents.len() < 3 || columns.iter().any(|other| *other != column) {
        return;
    }
    for line in lines {
        if parted(line).is_some()
            && let Some((name, text)) = line.split_once(":  ")
        {
            *line = format!("  {}  {}", name.trim_start(), text.trim());
        }
    }
}

/// bundle: `bundle open(1)`, a page of the manual for each command, below a heading that does not say so.
fn pages(lines: &mut [String], name: &str) {
    let is_page = |line: &String| {
        let rest = line.trim_start().strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
        let word = rest.and_then(|rest| rest.split(' ').next()).unwrap_or_default();
        !name.is_empty() && word.strip_suffix("(1)").is_some_and(is_name)
    };
    let pages: Vec<usize> = (0..lines.len()).filter(|at| lines.get(*at).is_some_and(is_page)).collect();
    if pages.len() < LEAST {
        return;
    }
    for at in pages {
        let above = |line: &&mut String| !line.trim().is_empty();
        if let Some(heading) = lines.iter_mut().take(at).rfind(above)
            && !heading.starts_with(' ')
        {
            *heading = "COMMANDS".to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::read;

    fn names(text: &str, command: &str) -> Vec<String> {
        read(text, command).subcommands.into_iter().map(|command| command.name).collect()
    }

    #[test]
    fn mark_of_a_logger_before_each_line_is_removed() {
        let text = "help:    usage: forever [action] [options] SCRIPT\nhelp:    \nhelp:    actions:\nhelp:      start      \
                    Start it\nhelp:      stop       Stop it\nhelp:    \nhelp:    options:\nhelp:      -m MAX     Only MAX \
                    times\nhelp:      --colors   Colour it\n";
        let definition = read(text, "forever");
        let flags: Vec<&str> = definition.options.iter().map(|option| option.flags[0].as_str()).collect();
        assert_eq!(
            (names(text, "forever"), flags),
            (vec!["start".into(), "stop".into()], vec!["-m", "--colors"])
        );
        // Not where other lines have none.
        let text = "note: read it\nusage: x [-a]\n\nOptions:\n  -a   all\n";
        assert_eq!(read(text, "x").options.len(), 1);
    }

    #[test]
    fn line_behind_a_prompt_is_the_usage() {
        for text in [
            "Create it\n\n$ napi new [$$path]\n\nOptions\n\n  --name,-n #0    The name\n",
            "Create it\n\nUsage\n\n$ napi new [path]\n\nOptions\n\n  --name,-n #0    The name\n",
        ] {
            let definition = read(text, "napi new");
            let read: Vec<(&str, bool)> =
                definition.positionals.iter().map(|one| (one.name.as_str(), one.required)).collect();
            assert_eq!(read, [("path", false)], "{text}");
        }
    }

    #[test]
    fn quoted_names_and_pages_of_the_manual_are_subcommands() {
        let text = "A tool (x v1)\n\nUSAGE `x publish|link`\n\nCOMMANDS\n\n  `publish`    \n     `link`    Link it\n";
        assert_eq!(names(text, "x"), ["publish", "link"]);
        let text = "SYNOPSIS\n       box [--yes] COMMAND [ARGS...]\n\nCOMMANDS\n       Commands for boxes:\n\n       box-create(1)\n\n       \
                    Create a box.\n\n       box-enter(1)\n\n       Enter a box.\n\n       box-rm(1)\n\n       Remove a box.\n";
        assert_eq!(names(text, "box"), ["create", "enter", "rm"]);
    }

    #[test]
    fn names_aligned_at_their_end_and_pages_below_any_heading_are_subcommands() {
        let text = "Usage: yath COMMAND [options]\n\nAvailable Commands:\n         do:  Run it\n       help:  Show the \
                    list\n\n   projects:  Run all\n       test:  Run tests\n         ps:  List them\n";
        assert_eq!(names(text, "yath"), ["do", "help", "projects", "test", "ps"]);
        let text = "SYNOPSIS\n       box COMMAND [ARGS]\n\nPRIMARY COMMANDS\n       box install(1) box-install.1.html\n              \
                    Install it\n\n       box help(1)\n              Show help\n\nUTILITIES\n       box add(1) box-add.1.html\n              \
                    Add it\n\n       box open(1)\n              Open it\n\n       box rm(1)\n              Remove it\n";
        assert_eq!(names(text, "box"), ["install", "help", "add", "open", "rm"]);
    }

    #[test]
    fn rows_with_arguments_in_capitals_below_the_only_form_are_subcommands() {
        let text = "Usage:\n  /usr/bin/fw [OPTION…]\n\n  activate [DEVICE|GUID]   Activate it\n  clean-remote REMOTE-ID   Clean it\n  \
                    get-history              Show it\n  install [DEVICE] [VERSION]\n                           Install it\n  \
                    search WORD              Find it\n\nHelp Options:\n  -h, --help   Show help\n";
        assert_eq!(names(text, "fw"), ["activate", "clean-remote", "get-history", "install", "search"]);
    }
}
