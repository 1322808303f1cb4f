//! Subcommands in usage lines.

use std::collections::HashSet;

use super::lines::{base_name, first_word, is_prose};
use super::tokens::words;
use crate::choices::is_kind;
use crate::hints::bare;

/// Whether an argument stands for a subcommand under another name.
pub fn is_action(name: &str) -> bool {
    ["action", "operation", "verb", "task"].contains(&name.to_lowercase().as_str())
}

/// Whether an argument stands for a subcommand if it is the only one: ipp-usb, `mode [options]`.
pub fn is_mode(name: &str) -> bool {
    // gt: `[tool | script]`.
    let name = name.strip_suffix("|script").unwrap_or(name);
    ["mode", "component", "utility", "task-name", "target", "frontend", "tool", "module", "applet"]
        .contains(&name.to_lowercase().as_str())
}

/// Names of the place for a subcommand.
const COMMANDS: &[&str] = &["command", "subcommand", "subsubcommand", "cmd", "commands"];

/// Whether an argument is the place for a subcommand: `<command>`, `SUB_COMMAND`, `COMMAND | help`, gcloud's `GROUP | COMMAND`.
pub fn is_command(name: &str) -> bool {
    let lower = name.to_lowercase();
    let lower = lower.strip_suffix("|help").or_else(|| lower.strip_prefix("group|")).unwrap_or(&lower);
    // click, for commands one after the other: `COMMAND1 [ARGS]...`.
    let lower = lower.strip_suffix('1').unwrap_or(lower);
    COMMANDS.contains(&lower) || matches!(lower, "sub command" | "sub_command" | "sub-command")
}

/// Whether an argument stands for a subcommand, or for what follows one: `<command>`, `[command-arguments]`, `<action>`, `[args]`,
/// but not `<command-file>`.
pub fn is_placeholder(name: &str) -> bool {
    const RESTS: &[&str] =
        &["", "command", "arguments", "args", "arg", "options", "opts", "specific", "string", "parameters"];
    let lower = name.to_lowercase();
    let lower = lower.trim_matches(['{', '}']);
    let lower = lower.strip_suffix("|help").unwrap_or(lower);
    let (word, rest) = lower.split_once([' ', '-', '_']).unwrap_or((lower, ""));
    let is_head = COMMANDS.contains(&word) || word == "object" || is_action(word);
    matches!(lower, "args" | "arg" | "argument" | "arguments" | "parameters")
        || is_command(lower)
        || is_mode(lower)
        || is_head && RESTS.contains(&rest)
}

/// Whether a word of a form can be a subcommand: `remote`, `add-port`.
pub(super) fn is_plain(word: &str) -> bool {
    word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'))
}

/// Whether a line begins with the program and has what only forms have.
pub(super) fn begins_form(text: &str, name: &str) -> bool {
    let is_capital = |word: &str| word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase());
    let has_argument = text.contains(['[', '{', '<']) || text.split(' ').any(is_capital);
    first_word(text) == name && has_argument && !is_prose(text) && !text.contains("  ")
}

/// Whether a line is a form of a subcommand in words alone, and no sentence about it: npm, `npm org rm orgname username`.
pub(super) fn is_of_words(text: &str, name: &str) -> bool {
    const OF_SENTENCES: &[&str] =
        &["the", "a", "an", "and", "of", "to", "into", "for", "is", "are", "with", "from", "in"];
    let rest = text.strip_prefix(name).and_then(|rest| rest.strip_prefix(' ')).unwrap_or_default();
    name.contains(' ')
        && !rest.is_empty()
        && !rest.split(' ').any(|word| OF_SENTENCES.contains(&word))
        && !rest.ends_with('.')
}

/// Whether a form is for a subcommand: `xdg-mime query [-x]`.
pub(super) fn has_word_second(text: &str) -> bool {
    text.split_whitespace().nth(1).is_some_and(is_plain)
}

/// The plain words that a form begins with, behind what is in brackets: `link install` of `[options] link install [<app>]`.
fn leading_command(form: &str) -> String {
    let all = words(form);
    let behind = all.iter().skip_while(|word| word.starts_with('[') || word.eq_ignore_ascii_case("options"));
    behind.take_while(|word| is_plain(word)).take(3).map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// A form without the plain words that it begins with, if these are `command` or more words.
pub(super) fn behind_command(form: &str, command: &str) -> Option<String> {
    let own = leading_command(form);
    // `{ lock | unlock } DEVICE`, for one of them.
    if own.is_empty()
        && let all = words(form)
        && let Some((at, names)) = group(&all)
        && names.iter().any(|name| name == command)
    {
        let others = all.iter().take(at).chain(all.iter().skip(at + 1));
        return Some(others.map(String::as_str).collect::<Vec<_>>().join(" "));
    }
    own.strip_prefix(command).filter(|rest| rest.is_empty() || rest.starts_with(' '))?;
    let count = command.split_whitespace().count();
    if count == 0 {
        return None;
    }
    let all = words(form);
    let first = all.iter().position(|word| own.split(' ').next() == Some(word))?;
    let others = all.iter().take(first).chain(all.iter().skip(first + count));
    Some(others.map(String::as_str).collect::<Vec<_>>().join(" "))
}

/// The subcommands of forms that each begin with other words. `is_below` says whether they are of a subcommand. Few such forms, or names of files and the like, are
/// arguments.
pub(super) fn commands(forms: &[&str], is_below: bool) -> Vec<String> {
    // git: two forms of a subcommand.
    // systemd-cryptsetup: two forms with arguments that are written as such.
    let few = if is_below || forms.iter().all(|form| has_argument_second(form)) { 2 } else { 3 };
    const MOST: usize = 100;
    const MANY: usize = 5;
    let mut found: Vec<String> = Vec::new();
    let mut firsts: HashSet<String> = HashSet::new();
    let (mut count, mut others) = (0, 0);
    // `[ add | del ]` are values, unless another form begins with a word, or with a group of them.
    let is_word = |form: &&str| !leading_command(form).is_empty() || form.trim_start().starts_with("{ ");
    let has_words = forms.iter().any(is_word);
    for form in forms {
        let is_value = !has_words && form.trim_start().starts_with("[ ") && form.contains('|');
        // git-flow: `[list]`, beside `start`.
        let only = form.strip_prefix('[').and_then(|form| form.strip_suffix(']')).filter(|_| has_words);
        let first = match only.filter(|only| is_plain(only) && !is_kind(only) && !is_placeholder(only)) {
            Some(only) => vec![only.to_owned()],
            None if is_value => Vec::new(),
            None => first_words(form),
        };
        let is_help = form.trim_start_matches(['(', '[']).starts_with("-h")
            || ["--help", "--version", "-V", "-?"].iter().any(|flag| form.contains(flag))
                && !form.contains(['<', '{']);
        if first.is_empty() {
            others += usize::from(!is_help);
            continue;
        }
        count += 1;
        for word in first.into_iter().filter(|word| !["command", "subcommand"].contains(&word.as_str())) {
            if firsts.insert(word.clone()) && found.len() < MOST {
                found.push(word);
            }
        }
    }
    let is_file = |word: &String| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        is_kind(word) || ["source", "dest", "input", "output", "target"].contains(&word)
    };
    let is_capital = |word: &str| word.len() > 2 && word.chars().all(char::is_uppercase);
    let writes_arguments_otherwise =
        forms.iter().any(|form| form.contains(['<', '[']) || form.split(' ').any(is_capital));
    let fits = firsts.len() >= few
        && (count > 1 || forms.iter().any(|form| has_open_end(form)))
        && others * 2 <= count
        && firsts.iter().filter(|word| is_file(word)).count() * 2 < firsts.len();
    // cddb-tool: many forms are clear without.
    if fits && (writes_arguments_otherwise || count >= MANY && firsts.len() >= MANY) {
        found
    } else {
        Vec::new()
    }
}

/// `attach VOLUME`, `detach <volume>`: beside an argument that is written as such, a word stands for itself.
fn has_argument_second(form: &str) -> bool {
    let mut words = form.split_whitespace();
    let is_argument = |word: &str| {
        word.starts_with('<') || word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
    };
    // xdg-desktop-icon: `install [--novendor] FILE`
    let begins = words.next().is_some_and(is_plain);
    begins && words.find(|word| !word.starts_with("[-")).is_some_and(is_argument)
}

/// Whether only a placeholder for the rest follows a group of words: `(init | list | set) [<options>]`. Otherwise the
/// words of the only form are values of an argument. Dots can also repeat the value: `{dir|jar|class} ...`.
fn has_open_end(form: &str) -> bool {
    const MANY: usize = 4;
    let all = words(form);
    let behind = all.iter().rev().take_while(|word| !word.contains('|'));
    let behind: Vec<String> = behind.map(|word| bare(word).to_lowercase()).collect();
    let is_rest =
        |word: &String| ["", "options", "option", "args", "arguments", "arg"].contains(&word.as_str());
    let has_words = behind.iter().any(|word| !word.is_empty());
    !behind.is_empty()
        && behind.len() < all.len()
        && behind.iter().all(is_rest)
        && (has_words || first_words(form).len() >= MANY)
}

/// The subcommands that a form is for: `link` of `[options] link <app>`, both of `{ add | del } NAME`.
pub(super) fn first_words(form: &str) -> Vec<String> {
    // compel: `[--compat] includes | cflags`
    let parts: Vec<&str> = form.split(" | ").collect();
    if let [first, rest @ ..] = parts.as_slice()
        && rest.len() > 1
        && rest.iter().all(|part| is_plain(part))
        && let Some(last) = first.rsplit(' ').next().filter(|last| leading_command(first) == **last)
    {
        return std::iter::once(last).chain(rest.iter().copied()).map(str::to_owned).collect();
    }
    // apktool: `d[ecode] [options]`.
    let word = form.split(' ').next().unwrap_or_default();
    if let Some((letters, rest)) = word.strip_suffix(']').and_then(|word| word.split_once('['))
        && !letters.is_empty()
        && is_plain(&format!("{letters}{rest}"))
    {
        return vec![format!("{letters}{rest}")];
    }
    let first = |form: &str| -> Vec<String> {
        let leading = leading_command(form);
        leading.split(' ').next().filter(|first| !first.is_empty()).map(str::to_owned).into_iter().collect()
    };
    let plain = first(form);
    if !plain.is_empty() {
        return plain;
    }
    let all = words(form);
    // `ip rule [ list [ SELECTOR ]]`
    if let [only] = all.as_slice()
        && let Some(inner) = only.strip_prefix("[ ").and_then(|only| only.strip_suffix(']'))
    {
        let parts: Vec<&str> = inner.split(" | ").map(str::trim).collect();
        // ip addrlabel: `[ list | flush | help ]`
        return match parts.iter().all(|part| leading_command(part) == *part) {
            true => parts.iter().map(|part| (*part).to_owned()).collect(),
            false => first(inner),
        };
    }
    // rc-update: `[options] [show [<runlevel>...]]`
    if let [options, only] = all.as_slice()
        && options.starts_with('[')
        && let Some(inner) = only.strip_prefix('[').and_then(|only| only.strip_suffix(']'))
        && inner.contains(" [")
    {
        return first(inner);
    }
    group(&all).map(|(_, names)| names).unwrap_or_default()
}

/// The alternatives of plain words that a form begins with, behind its options, and their place.
fn group(all: &[String]) -> Option<(usize, Vec<String>)> {
    let names = |group: &str| -> Vec<String> {
        let bare = group.trim_matches(['{', '}', '(', ')', '[', ']', ' ']);
        let names: Vec<String> = bare.split('|').map(|name| name.trim().to_owned()).collect();
        let are_plain = names.iter().all(|name| leading_command(name) == *name && !name.contains(' '));
        if are_plain { names } else { Vec::new() }
    };
    let is_before = |word: &str| {
        word.eq_ignore_ascii_case("options")
            || word.starts_with('[') && (!word.contains('|') || names(word).is_empty())
    };
    let at = all.iter().position(|word| !is_before(word))?;
    let word = all.get(at)?;
    let is_group = word.contains(['|', '{']) && !word.starts_with(['<', '-']);
    Some((at, names(word))).filter(|(_, names)| is_group && !names.is_empty())
}

/// `ip [-all] netns delete` as `ip netns [-all] delete`, for the command `ip netns`.
pub(super) fn with_command_first(form: &str, command: &[&str]) -> Option<String> {
    let all = words(form);
    let (program, below) = command.split_first()?;
    let first = all.first().filter(|first| base_name(first) == base_name(program))?;
    let options = all.iter().skip(1).take_while(|word| word.starts_with('[')).count();
    let behind = all.get(1 + options..)?;
    let is_command = options > 0
        && behind.len() >= below.len()
        && behind.iter().zip(below).all(|(one, other)| one == other);
    let between = all.get(1..=options)?;
    let ordered = std::iter::once(first).chain(behind.iter().take(below.len())).chain(between);
    let ordered: Vec<&str> = ordered.chain(behind.iter().skip(below.len())).map(String::as_str).collect();
    is_command.then(|| ordered.join(" "))
}
