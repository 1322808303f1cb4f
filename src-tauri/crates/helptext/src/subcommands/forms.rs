//! Subcommands of forms that stand apart: `irsend [options] LIST remote`, each below a sentence about it.

use std::collections::HashMap;

use super::Subcommand;
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
                if *count == 1 {
                    found.push(Subcommand { name: form.word.to_owned(), ..Subcommand::default() });
                }
            }
            None => others += usize::from(is_other(behind)),
        }
    }
    let is_clear = found.len() >= LEAST && others <= 1 && with_argument * 2 >= found.len();
    if is_clear { found } else { Vec::new() }
}

/// What stands behind the name of a program at the start of a line, also behind `or:` and the like.
fn behind_name<'l>(text: &'l str, name: &str) -> Option<&'l str> {
    let text = ["Usage:", "usage:", "Syntax:", "or:", "- ", "* "]
        .iter()
        .find_map(|word| text.strip_prefix(word))
        .unwrap_or(text)
        .trim_start();
    // tend of teem: `tend about ... Information about it`.
    let short = || name.rsplit_once('-').map(|(_, short)| short).filter(|short| !short.contains(' '));
    let rest = text.strip_prefix(name).or_else(|| text.strip_prefix(short()?))?;
    rest.strip_prefix(' ').map(str::trim_start)
}

/// A form of a subcommand: a word behind what is in brackets.
fn form(behind: &str) -> Option<Form<'_>> {
    // What is said about it stands behind a gap.
    let shown = ["   ", " ... "].iter().filter_map(|gap| behind.split_once(gap)).map(|(shown, _)| shown);
    let shown = shown.min_by_key(|shown| shown.len()).unwrap_or(behind);
    if is_prose(shown) || shown.ends_with('.') && !shown.ends_with("..") {
        return None;
    }
    let mut words = shown.split_whitespace().take(MOST_WORDS).skip_while(|word| is_options(word));
    let word = words.next()?;
    let rest: Vec<&str> = words.collect();
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
    word.starts_with(['<', '[', '{', '-'])
        || word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '_' | '.'))
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
