//! What stands before the text of a line and says nothing: a mark of a logger, the prompt of a shell, quotes.

/// Fewest lines with the same mark.
const LEAST: usize = 5;

/// Removes them.
pub(super) fn remove(lines: &mut [String], name: &str) {
    marks(lines);
    prompts(lines, name);
    quotes(lines);
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
    fn rows_with_arguments_in_capitals_below_the_only_form_are_subcommands() {
        let text = "Usage:\n  /usr/bin/fw [OPTION…]\n\n  activate [DEVICE|GUID]   Activate it\n  clean-remote REMOTE-ID   Clean it\n  \
                    get-history              Show it\n  install [DEVICE] [VERSION]\n                           Install it\n  \
                    search WORD              Find it\n\nHelp Options:\n  -h, --help   Show help\n";
        assert_eq!(names(text, "fw"), ["activate", "clean-remote", "get-history", "install", "search"]);
    }
}
