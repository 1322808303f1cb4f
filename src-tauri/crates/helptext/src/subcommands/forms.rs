//! Subcommands of forms that stand apart: `irsend [options] LIST remote`, each below a sentence about it.

use std::collections::{HashMap, HashSet};

use super::{MAX_SUBCOMMANDS, Subcommand};
use crate::clean::indent;
use crate::usage::{is_placeholder, is_prose};

/// Fewest subcommands that say what they are by their forms alone.
const LEAST: usize = 3;
/// Most words of a form that are looked at.
const MOST_WORDS: usize = 12;

/// What a line says after the program's name.
struct Form<'l> {
    word: &'l str,
    rest: Vec<&'l str>,
}

/// The subcommands that the lines of a text show, each behind the program's name. None if too few lines do, or if other
/// lines show the program with something else.
pub fn of_forms(lines: &[String], name: &str) -> Vec<Subcommand> {
    if name.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Subcommand> = Vec::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let (mut with_argument, mut others) = (0, 0);
    let mut example = None;
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = indent(line);
        // Lines below `Examples:` are indented more, or begin with a prompt.
        if line.to_lowercase().contains("example") && line.trim_end().ends_with(':') {
            example = Some(at);
            continue;
        }
        if example.is_some_and(|heading| at <= heading && line.trim_end().ends_with(':')) {
            example = None;
        }
        let Some(behind) = behind_name(line.trim(), name).filter(|_| example.is_none()) else { continue };
        // gdaldem: options stand in the lines below.
        let goes_on = || {
            lines.get(number + 1).is_some_and(|next| indent(next) > at && next.trim().starts_with(['[', '<']))
        };
        match form(behind) {
            Some(form) => {
                let is_shown =
                    is_upper(form.word) || form.rest.iter().any(|word| is_argument(word)) || goes_on();
                with_argument += usize::from(is_shown);
                let count = counts.entry(form.word).or_default();
                *count += 1;
                if *count == 1 && found.len() < MAX_SUBCOMMANDS {
                    found.push(Subcommand { name: form.word.to_owned(), ..Subcommand::default() });
                }
            }
            None => others += usize::from(is_other(behind)),
        }
    }
    let is_clear = found.len() >= LEAST && others <= 1 && with_argument * 2 >= found.len();
    if is_clear { found } else { Vec::new() }
}

/// heimdall: `Action: flash`, above what it takes and does.
pub fn labelled(lines: &[String]) -> Vec<Subcommand> {
    const LABELS: &[&str] = &["Action: ", "Command: ", "Subcommand: ", "Task: ", "Tool: "];
    let of = |label: &str| -> Vec<Subcommand> {
        let names = lines.iter().filter_map(|line| line.strip_prefix(label)).map(str::trim);
        let alone = |name: &str| Subcommand { name: name.to_owned(), ..Subcommand::default() };
        let mut known = HashSet::new();
        let names = names.filter(|name| is_plain(name) && known.insert(*name));
        names.take(MAX_SUBCOMMANDS).map(alone).collect()
    };
    LABELS.iter().map(|label| of(label)).find(|found| found.len() >= LEAST).unwrap_or_default()
}

/// rkdeveloptool: `ReadLBA:   rl <BeginSec> <File>`: names in a column, each behind what it does.
pub fn behind_labels(lines: &[String]) -> Vec<Subcommand> {
    const MANY: usize = 5;
    let mut found: Vec<Subcommand> = Vec::new();
    let mut column = None;
    let mut known = HashSet::new();
    for line in lines {
        let Some((label, call)) = line.split_once(':').filter(|(label, _)| !label.contains(['<', '[', '-']))
        else {
            continue;
        };
        let text = call.trim();
        let name = text.split(' ').next().unwrap_or_default();
        let rest = text.get(name.len()..).unwrap_or_default().trim();
        let at = line.chars().count() - call.trim_start().chars().count();
        let is_call = is_plain(name) && (rest.is_empty() || rest.starts_with(['<', '[']));
        if !is_call || !call.starts_with("  ") || column.is_some_and(|column| column != at) {
            continue;
        }
        column = Some(at);
        if known.insert(name) && found.len() < MAX_SUBCOMMANDS {
            let description = label.trim().to_owned();
            found.push(Subcommand { name: name.to_owned(), description, ..Subcommand::default() });
        }
    }
    if found.len() < MANY { Vec::new() } else { found }
}

/// What stands behind the name of a program at the start of a line, also behind `or:` and the like.
fn behind_name<'l>(text: &'l str, name: &str) -> Option<&'l str> {
    let text = ["Usage:", "usage:", "Syntax:", "or:", "- ", "* "]
        .iter()
        .find_map(|word| text.strip_prefix(word))
        .unwrap_or(text)
        .trim_start();
    // git-flow feature: `git flow feature start`. Of npm packages: `@puppeteer/browsers install`.
    let spaced = || name.replace('-', " ");
    let scoped = || text.strip_prefix('@')?.split_once('/')?.1.strip_prefix(name);
    let rest = text.strip_prefix(name).or_else(scoped);
    let rest = rest.or_else(|| text.strip_prefix(spaced().as_str()))?;
    rest.strip_prefix(' ').map(str::trim_start)
}

/// A form of a subcommand: a word behind what is in brackets.
fn form(behind: &str) -> Option<Form<'_>> {
    // What is said about it stands behind a gap.
    let shown = ["  ", " ... "].iter().filter_map(|gap| behind.split_once(gap)).map(|(shown, _)| shown);
    let shown = shown.min_by_key(|shown| shown.len()).unwrap_or(behind);
    if is_prose(shown) || shown.ends_with('.') && !shown.ends_with("..") {
        return None;
    }
    let mut words = shown.split_whitespace().take(MOST_WORDS).skip_while(|word| is_options(word));
    let word = words.next()?;
    let rest: Vec<&str> = words.collect();
    // `rr version 5.6`, `repmgr home page: <https://repmgr.org>`
    let is_about = rest.first().is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()))
        || rest.iter().any(|word| word.ends_with(':'));
    if is_about {
        return None;
    }
    // A name in capitals stands for something, unless what it takes is in small letters.
    let is_word = is_plain(word)
        || is_upper(word)
            && rest.iter().any(|word| is_plain(word))
            && !rest.iter().any(|word| is_upper(word));
    (is_word && !is_placeholder(word)).then_some(Form { word, rest })
}

fn is_upper(word: &str) -> bool {
    word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

fn is_plain(word: &str) -> bool {
    word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// `[options]`, `[--quiet]`
fn is_options(word: &str) -> bool {
    word.starts_with('[') && word.ends_with(']')
}

/// Whether a word is written as an argument or an option is, or as what can be left out.
fn is_argument(word: &str) -> bool {
    let is_upper = |part: &str| part.len() > 2 && part.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    word.starts_with(['<', '[', '{', '-'])
        || word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '_' | '.'))
        // s3cmd: `s3://BUCKET/OBJECT`.
        || word.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(is_upper)
}

/// Whether a form has an argument where others have a subcommand. Forms for help and the version do not.
fn is_other(behind: &str) -> bool {
    let is_for_help = ["help", "version", "-h", "-v", "-V"].iter().any(|word| behind.contains(word));
    let first = behind.split_whitespace().find(|word| !is_options(word)).unwrap_or_default();
    !is_for_help
        && !is_prose(behind)
        && !is_placeholder(first.trim_matches(['<', '>', '[', ']', '.']))
        && is_argument(first)
}

#[cfg(test)]
mod tests {
    use crate::read;

    #[test]
    fn forms_and_labels_show_commands_where_no_list_does() {
        for (name, text, expected) in [
            (
                "irsend",
                "Synopsis:\n    irsend [options] SEND_ONCE remote code [code...]\n    irsend [options] LIST remote\n    irsend [options] SIMULATE \"scancode repeat keysym remote\"\nOptions:\n    -h --help   Help\n",
                "SEND_ONCE LIST SIMULATE",
            ),
            (
                "verity",
                "Usage:\n  Compute it:\n    verity digest FILE...\n               [--hash=H]\n\n  Enable it:\n    verity enable FILE\n\n  Show it:\n    verity measure FILE...\n",
                "digest enable measure",
            ),
            (
                "git-flow feature",
                "usage: git flow feature [list]\n   or: git flow feature start\n   or: git flow feature finish <name>\n   or: git flow feature track <name>\n",
                "start finish track",
            ),
            (
                "hd",
                "Usage: hd <action> <action arguments>\n\nAction: detect\nArguments: [--verbose]\n\nAction: flash\nArguments: --repartition\n\nAction: info\nDescription: Shows it\n",
                "detect flash info",
            ),
            (
                "rk",
                "Help:\t\t-h or --help\nListDevice:      ld\nDownloadBoot:    db <Loader>\nReadLBA:         rl <Begin> <File>\nResetDevice:     rd [code]\nTestDevice:      td\n",
                "ld db rl rd td",
            ),
            // Examples, files and sentences.
            ("cut", "Usage: cut FILE\n\nExamples:\n  cut first [x]\n  cut second [x]\n  cut third [x]\n", ""),
            (
                "cut",
                "cut removes parts of lines.\ncut works on files as well.\ncut reads standard input then.\n",
                "",
            ),
            (
                "cut",
                "Usage: cut SOURCE\n   or: cut [-x] SOURCE DEST\n\ncut one [x]\ncut two [x]\ncut three [x]\n",
                "",
            ),
        ] {
            let names: Vec<String> = read(text, name).subcommands.into_iter().map(|one| one.name).collect();
            assert_eq!(names.join(" "), expected, "{text}");
        }
    }
}
