//! Subcommands of a definition.

mod forms;

use std::collections::{HashMap, HashSet};

use crate::choices::{closed, is_kind};
use crate::definition::{Definition, Subcommand};
use crate::entries::{Entry, Section, What};
use crate::hints::bare;
use crate::usage::{Usage, is_placeholder};
use forms::{behind_labels, labelled, of_forms};

/// Most subcommands of a definition.
const MAX_SUBCOMMANDS: usize = 500;

/// Most arguments of a usage line that has no subcommands in it.
const MOST_ARGUMENTS: usize = 4;

/// Finds the subcommands in lists of entries, or in the usage lines.
pub fn subcommands(entries: &[Entry], usage: &Usage) -> Vec<Subcommand> {
    let mut found: Vec<Subcommand> = Vec::new();
    let listed =
        entries.iter().any(|entry| entry.section == Section::Commands && matches!(entry.what, What::Name(_)));
    let is_bare = usage.forms.is_empty() && entries.iter().all(|entry| matches!(entry.what, What::Name(_)));
    // click writes groups of commands under any headings, behind its options.
    let is_click = usage.forms.iter().any(|form| form.ends_with(" COMMAND [ARGS]..."));
    let behind_options =
        entries.iter().position(|entry| matches!(entry.what, What::Options(_))).unwrap_or(entries.len());
    // Groups under headings that do not say "commands" count only where the usage has a place for a command.
    let wanted = |at: usize, section: Section| match section {
        Section::Commands => true,
        Section::Actions | Section::Other if is_click && at > behind_options => true,
        // vt: `Useful tools:`, and nothing else.
        Section::Actions => usage.takes_action || !listed && (usage.takes_command || is_bare),
        Section::Other => !listed && usage.takes_command,
        _ => false,
    };
    // yargs: `c8 report  write a report`. With the last word of a command alone in front, in several lines: jigdo-file has short
    // names behind, `verify ver  …`.
    let program = usage.command.split(' ').next_back().unwrap_or_default();
    let script = script(entries);
    let program = script.unwrap_or(program);
    let after = |left: &str, name: &str| -> Option<usize> {
        // Of npm packages: `@puppeteer/browsers install`.
        let bare =
            left.strip_prefix('@').and_then(|scoped| scoped.split_once('/')).map_or(left, |(_, bare)| bare);
        let rest = bare.strip_prefix(name)?.strip_prefix(' ')?;
        (!name.is_empty()).then(|| left.len() - rest.len())
    };
    let wanted: Vec<&Entry> = entries
        .iter()
        .enumerate()
        .filter(|(at, entry)| wanted(*at, entry.section))
        .map(|(_, entry)| entry)
        .collect();
    let lefts = || {
        wanted.iter().filter_map(|entry| match &entry.what {
            What::Name(left) => Some(left),
            What::Options(_) => None,
        })
    };
    let with_program = lefts().filter(|left| after(left, program).is_some()).take(2).count();
    let has_program = with_program == 2 || with_program == lefts().take(2).count();
    let has_descriptions = wanted.iter().any(|entry| !entry.description.is_empty());
    for entry in &wanted {
        let What::Name(left) = &entry.what else { continue };
        let own = after(left, &usage.command).or_else(|| after(left, program).filter(|_| has_program));
        let own = own.and_then(|at| left.get(at..)).map(str::trim_start);
        // A page of the manual for each: `toolbox-create(1)`.
        let manual = || left.strip_suffix("(1)")?.strip_prefix(&usage.command)?.strip_prefix('-');
        let own = own.or_else(manual).filter(|rest| rest.starts_with(char::is_alphabetic));
        let left = own.unwrap_or(left);
        // ipsec: `up|down <name>`, without a description of what both do.
        let bare = left.split(' ').next().unwrap_or_default();
        if entry.description.is_empty()
            && bare.contains('|')
            && !has_descriptions
            && bare.split('|').all(is_name)
        {
            let alone = |name: &str| Subcommand { name: name.to_owned(), ..Subcommand::default() };
            let room = MAX_SUBCOMMANDS.saturating_sub(found.len());
            found.extend(bare.split('|').map(alone).take(room));
            continue;
        }
        let Some(command) = subcommand(left, &entry.description) else { continue };
        // `tsc` beneath "common commands" of tsc.
        if command.name == usage.command {
            continue;
        }
        // phc_ctl describes its arguments in the same way.
        let is_argument = entry.section == Section::Other
            && usage.positionals.len() <= MOST_ARGUMENTS
            && usage.positionals.iter().any(|positional| positional.name.eq_ignore_ascii_case(&command.name));
        // `commands:` above `command`, and nothing beneath.
        let is_place = is_placeholder(&command.name)
            && usage.positionals.iter().any(|positional| positional.name == command.name);
        if is_argument || is_place {
            continue;
        }
        let is_known = found.iter().any(|known| known.name == command.name);
        if !is_known && found.len() < MAX_SUBCOMMANDS {
            found.push(command);
        }
    }
    // `pre/post` are two.
    let group = |name: &str| name.split_once('/').map(|(group, _)| group.to_owned());
    let groups: Vec<String> = found.iter().filter_map(|one| group(&one.name)).collect();
    let is_shared = |own: &String| groups.iter().filter(|group| *group == own).nth(1).is_some();
    found.retain(|one| group(&one.name).is_none_or(|group| is_shared(&group)));
    if found.is_empty() {
        let named =
            usage.commands.iter().map(|name| Subcommand { name: name.clone(), ..Subcommand::default() });
        found.extend(named);
    }
    if found.is_empty() && usage.takes_command {
        found = in_capitals(entries);
    }
    if found.is_empty() {
        found.extend(only_one(entries, usage));
    }
    // argparse lists all in braces; git-imerge shows some of them in examples above.
    if usage.takes_command {
        let all = in_braces(entries, usage);
        if all.len() > found.len() && found.iter().all(|one| all.iter().any(|other| other.name == one.name)) {
            found = all;
        }
    }
    // Keys of an interactive program, and letters that are given together.
    if found.iter().all(|command| command.name.chars().count() == 1) {
        found.clear();
    }
    // A text that lists the command itself is that of the program: it has nothing below the command. `composer list` and the
    // like are asked for that text, and a usage line of the command itself is its own: `tool index {index,search} ...`.
    let own =
        usage.command.split(' ').skip(1).last().filter(|own| !["list", "commands", "usage"].contains(own));
    let is_own =
        |form: &String| form.strip_prefix(usage.command.as_str()).is_some_and(|rest| rest.starts_with(' '));
    if own.is_some_and(|own| found.iter().any(|command| command.name == own))
        && !usage.forms.iter().any(is_own)
    {
        found.clear();
    }
    found
}

/// wit: `ERROR | ERR : Translate it`, all of them in capitals, in a list of commands.
fn in_capitals(entries: &[Entry]) -> Vec<Subcommand> {
    const LEAST: usize = 3;
    let is_upper = |word: &str| {
        word.len() > 1
            && word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '_'))
    };
    let mut found: Vec<Subcommand> = Vec::new();
    for entry in entries.iter().filter(|entry| entry.section == Section::Commands) {
        let What::Name(left) = &entry.what else { continue };
        let head = left.split(['<', '[', '(', ':']).next().unwrap_or_default();
        let mut words = head.split(['|', ',']).map(str::trim).filter(|word| !word.is_empty());
        let Some(name) = words.next().filter(|name| is_upper(name)) else { continue };
        let is_known = found.iter().any(|known| known.name == *name);
        if entry.description.is_empty() || is_known || found.len() == MAX_SUBCOMMANDS {
            continue;
        }
        let aliases = words.filter(|word| is_upper(word) || word.len() == 1).map(str::to_owned).collect();
        found.push(Subcommand { name: name.to_owned(), aliases, description: entry.description.clone() });
    }
    if found.len() < LEAST { Vec::new() } else { found }
}

/// Subcommands that no list names, or those of a text that shows more of them than its list. `takes_command` says whether
/// the usage has a place for one; without a usage, names behind labels are subcommands as well.
pub fn elsewhere(
    lines: &[String],
    definition: &Definition,
    name: &str,
    takes_command: bool,
) -> Vec<Subcommand> {
    let known = &definition.subcommands;
    let forms = of_forms(lines, name);
    let shown: HashSet<&str> = forms.iter().map(|form| form.name.as_str()).collect();
    if forms.len() > known.len() && known.iter().all(|one| shown.contains(one.name.as_str())) {
        let known: HashMap<&str, &Subcommand> = known.iter().map(|one| (one.name.as_str(), one)).collect();
        let of = |form: Subcommand| match known.get(form.name.as_str()) {
            Some(one) => (*one).clone(),
            None => form,
        };
        return forms.into_iter().map(of).collect();
    }
    match definition.usage.is_empty() {
        _ if !known.is_empty() => Vec::new(),
        _ if takes_command => labelled(lines),
        true => behind_labels(lines),
        false => Vec::new(),
    }
}

/// The name of a script in front of all commands: yargs writes that of the file it was started from, `index.js build`.
fn script(entries: &[Entry]) -> Option<&str> {
    let mut lefts = entries.iter().filter(|entry| entry.section == Section::Commands).filter_map(|entry| {
        match &entry.what {
            What::Name(left) => Some(left.as_str()),
            What::Options(_) => None,
        }
    });
    let first = lefts.next()?.split_once(' ')?.0;
    let is_script = [".js", ".mjs", ".cjs", ".ts", ".py"].iter().any(|end| first.ends_with(end));
    let is_everywhere = lefts.all(|left| left.strip_prefix(first).is_some_and(|rest| rest.starts_with(' ')));
    (is_script && is_everywhere).then_some(first)
}

/// argparse: `{start} ...`, of a program that has one subcommand so far, with an entry written in the same way.
fn only_one(entries: &[Entry], usage: &Usage) -> Option<Subcommand> {
    entries.iter().find_map(|entry| {
        let What::Name(left) = &entry.what else { return None };
        let name = left
            .strip_prefix('{')?
            .strip_suffix('}')
            .filter(|name| is_name(name) && !is_placeholder(name))?;
        let is_shown = usage.positionals.iter().any(|one| one.repeated && one.name == name);
        is_shown.then(|| Subcommand { name: name.to_owned(), ..Subcommand::default() })
    })
}

/// The values of an argument that stands for a subcommand: `{start,stop} ...`, `<command>  One of these commands: a, b`.
fn in_braces(entries: &[Entry], usage: &Usage) -> Vec<Subcommand> {
    let braces = usage.positionals.iter().filter(|_| usage.lists_commands());
    let shown = braces.map(|positional| &positional.choices).find(|choices| choices.len() > 1);
    let described = || {
        let placeholder = |entry: &&Entry| match &entry.what {
            What::Name(left) => entry.section == Section::Arguments && is_placeholder(bare(left)),
            What::Options(_) => false,
        };
        let (_, list) = entries.iter().find(placeholder)?.description.split_once("commands: ")?;
        Some(closed(list, false))
    };
    let names = shown.cloned().or_else(described).unwrap_or_default();
    let described: Vec<Subcommand> = entries
        .iter()
        .filter_map(|entry| match &entry.what {
            What::Name(left) => subcommand(left, &entry.description),
            What::Options(_) => None,
        })
        .filter(|command| names.contains(&command.name))
        .collect();
    let is_alias = |name: &String| described.iter().any(|command| command.aliases.contains(name));
    let alone = |name: &String| Subcommand { name: name.clone(), ..Subcommand::default() };
    let known = |name: &String| described.iter().find(|command| command.name == *name).cloned();
    names
        .iter()
        .filter(|name| !is_alias(name))
        .map(|name| known(name).unwrap_or_else(|| alone(name)))
        .take(MAX_SUBCOMMANDS)
        .collect()
}

/// Whether a word is a name as one types it.
pub fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '+'))
        && word.chars().any(|c| c.is_alphabetic() && !c.is_uppercase())
        && !word.ends_with('.')
        // `tcp:HOST` is how an argument is written.
        && !(word.contains(':') && word.contains(char::is_uppercase))
}

/// ovn-appctl: `vlog/list`.
fn is_path(name: &str) -> bool {
    let is_part = |part: &str| {
        part.len() > 1 && is_name(part) && part.chars().all(|c| !c.is_uppercase() && !matches!(c, '.' | ':'))
    };
    name.split_once('/').is_some_and(|(group, name)| is_part(group) && is_part(name))
}

/// Whether a name that ends so is one of a file.
fn is_of_file(end: &str) -> bool {
    ["html", "json", "md", "txt", "xml", "yaml", "yml"].contains(&end)
}

fn subcommand(left: &str, description: &str) -> Option<Subcommand> {
    // `[--timer=ms] create-cluster DB`
    let left = match left.split_once("] ") {
        Some((option, rest)) if option.starts_with("[-") => rest,
        _ => left,
    };
    // shorewall: `[ check | ck ] [ -e ]`.
    let alternatives = left.strip_prefix("[ ").and_then(|left| left.split_once(" ]"));
    let left = match alternatives {
        Some((names, _)) if names.contains(" | ") && names.split(" | ").all(is_name) => names,
        _ => left,
    };
    // nmcli: `g[eneral]`.
    let bracket = left.split_once('[').filter(|(letter, rest)| letter.len() == 1 && rest.contains(']'));
    if let Some((letter, rest)) =
        bracket.map(|(letter, rest)| (letter, rest.split(']').next().unwrap_or_default()))
        && rest.len() > 2
        && rest.chars().all(|c| c.is_ascii_lowercase())
        && !is_kind(rest)
    {
        let (name, aliases) = (format!("{letter}{rest}"), vec![letter.to_owned()]);
        return Some(Subcommand { name, aliases, description: description.to_owned() });
    }
    // `remove, rm`, `remove|rm`, `get <key>`.
    let head = left.split(['<', '[', '(', '{', '"']).next().unwrap_or_default().trim();
    let mut words = head.split([',', '|']).map(str::trim).filter(|word| !word.is_empty());
    let name = words.next()?.split_whitespace().next()?.trim_end_matches('*');
    // `or: tool [OPTION]` is a further form of the usage line.
    // Nor is `Command   Alias   Description`, above columns.
    if !is_name(name) && !is_path(name)
        || name.trim_end_matches(':') == "or"
        || matches!(name, "Command" | "Name" | "Options" | "Examples")
        // The end of a wrapped line.
        || name.rsplit_once('.').is_some_and(|(_, end)| is_of_file(end))
    {
        return None;
    }
    // Words in a row are a sentence.
    let is_lower = |word: &&str| word.chars().any(|c| c.is_ascii_lowercase());
    // cliff: `deploy template create   Create a new deploy template`.
    let is_of_names = head.split(' ').all(|word| is_name(word) && !word.contains(char::is_uppercase));
    let most = if is_of_names && description.starts_with(char::is_uppercase) { 4 } else { 2 };
    let is_capitalized = name.starts_with(char::is_uppercase) && head.split(' ').count() > 1;
    if is_capitalized
        || head.split([',', '|']).any(|part| part.split_whitespace().filter(is_lower).count() > most)
    {
        return None;
    }
    // svn: `list (ls, dir)`.
    let behind = left.strip_prefix(head).and_then(|rest| rest.trim_start().strip_prefix('('));
    let behind = behind.and_then(|rest| rest.strip_suffix(')')).unwrap_or_default();
    let others = words.chain(behind.split(',').map(str::trim));
    let mut aliases: Vec<String> = others.filter(|word| is_name(word)).map(str::to_owned).collect();
    let mut name = name.to_owned();
    // alsaucm: `h,help`.
    if let Some(whole) = aliases.first_mut().filter(|whole| name.len() == 1 && whole.starts_with(&name)) {
        std::mem::swap(whole, &mut name);
    }
    Some(Subcommand { name, aliases, description: description.to_owned() })
}

#[cfg(test)]
mod tests;
