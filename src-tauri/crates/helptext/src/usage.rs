//! Usage lines: the options and positional arguments that they show.

mod commands;
mod form;
mod lines;
mod mentions;
mod merge;
mod tokens;
mod unnamed;

use std::collections::HashSet;

use crate::definition::{Join, Value};
use crate::spec::Spec;
use crate::subcommands::is_name;
use commands::{behind_command, commands, first_words, is_action, is_mode, with_command_first};
pub use commands::{is_command, is_placeholder};
use form::Form;
pub use lines::is_prose;
use lines::{alternatives, base_name, forms, leading_words, without_command};
use mentions::mentions;
use merge::merge;
use tokens::Dash;
use unnamed::unnamed_forms;

/// Most forms.
const MAX_FORMS: usize = 64;
/// Most positional arguments.
const MAX_POSITIONALS: usize = 64;

/// What the usage lines show together.
#[derive(Debug, Default)]
pub struct Usage {
    /// Lines without the word "usage", each with its continuation.
    pub forms: Vec<String>,
    /// The command that the lines begin with.
    pub command: String,
    pub options: Vec<UsageOption>,
    pub positionals: Vec<UsagePositional>,
    /// Whether a line has a place for a subcommand: `<command>`, `{add,remove} ...`.
    pub takes_command: bool,
    /// Whether a line has a place for an action: `<action>`.
    pub takes_action: bool,
    /// Subcommands that the lines begin with, if each line is for another one.
    pub commands: Vec<String>,
}

impl Usage {
    /// Whether words in braces are subcommands: the only place for one, `{add,remove} ...`.
    pub fn lists_commands(&self) -> bool {
        let has_place = self.positionals.iter().any(|one| one.choices.is_empty() && is_command(&one.name));
        self.takes_command && !has_place
    }
}

/// An option in a usage line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageOption {
    pub spec: Spec,
    /// Whether every form has it outside of brackets.
    pub required: bool,
    pub repeated: bool,
}

/// A positional argument in a usage line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsagePositional {
    pub name: String,
    pub required: bool,
    pub repeated: bool,
    pub choices: Vec<String>,
}

/// What the entries say.
#[derive(Debug, Default)]
pub struct Flags<'a> {
    /// All.
    pub described: HashSet<&'a str>,
    /// Those whose entries show no value, if those of others do.
    pub without_value: HashSet<&'a str>,
    /// Subcommands that are listed.
    pub commands: HashSet<&'a str>,
}

/// Finds the usage lines. `name` is the command, if it is known.
pub fn read(lines: &[String], name: &str, flags: &Flags<'_>) -> Usage {
    let mut usage = Usage { command: name.to_owned(), ..Usage::default() };
    usage.forms = forms(lines, name).iter().flat_map(|form| alternatives(form)).take(MAX_FORMS).collect();
    if usage.forms.is_empty() {
        usage.forms = unnamed_forms(lines, name);
    }
    // GLib: `[OPTION?] [REF?]`, where the terminal has no dots of one character.
    for form in usage.forms.iter_mut().filter(|form| form.contains("[OPTION?]")) {
        *form = form.replace("?]", "…]");
    }
    if usage.command.is_empty() {
        usage.command = usage.forms.first().map(|form| leading_words(form)).unwrap_or_default();
    }
    // `git remote add` is not described by the forms of `git remote rename`.
    let words: Vec<&str> = usage.command.split_whitespace().collect();
    // commander: `cspell suggestions|sug [options]`.
    if let Some(own) = words.get(1..).and_then(|words| words.last()) {
        for form in usage.forms.iter_mut() {
            let alias =
                form.split(' ').find(|word| word.split_once('|').is_some_and(|(name, _)| name == *own));
            if let Some(alias) = alias.filter(|alias| alias.split('|').all(is_name)).map(str::to_owned) {
                *form = form.replacen(&alias, own, 1);
            }
        }
    }
    let begins = |form: &String| {
        let mut own = form.split_whitespace();
        words.iter().all(|word| own.next().is_some_and(|own| base_name(own) == base_name(word)))
    };
    for form in usage.forms.iter_mut().filter(|form| words.len() > 1 && !begins(form)) {
        if let Some(other) = with_command_first(form, &words) {
            *form = other;
        }
    }
    if words.len() > 1 && usage.forms.iter().any(begins) {
        usage.forms.retain(begins);
    }
    // `unlink OPTION` beside `unlink FILE` is a form for help or the version, and so is `timeout [OPTION]`.
    let is_one = |form: &&str| !matches!(*form, "OPTION" | "[OPTION]") || usage.forms.len() == 1;
    let forms: Vec<&str> =
        usage.forms.iter().map(|form| without_command(form, &usage.command)).filter(is_one).collect();
    // docopt prints the text of the program for its subcommands, too: only their own forms are about them.
    let below = words.get(1..).unwrap_or_default().join(" ");
    let own: Vec<String> = forms.iter().filter_map(|form| behind_command(form, &below)).collect();
    let found = commands(&forms, words.len() > 1);
    let is_of_program = !own.is_empty() && !found.is_empty();
    usage.commands = if is_of_program { Vec::new() } else { found };
    let forms: Vec<&str> = if is_of_program { own.iter().map(String::as_str).collect() } else { forms };
    // `mocha init <path>` is about a subcommand, where there is a form without one.
    let is_of_command = |form: &str| {
        let is_command =
            |first: &String| flags.commands.contains(first.as_str()) || usage.commands.contains(first);
        // git-flow: `[list]`
        let only = form.trim_matches(['[', ']']).to_owned();
        first_words(form).iter().any(is_command) || usage.commands.contains(&only)
    };
    let are_all =
        words.len() > 1 && usage.commands.is_empty() && forms.iter().all(|form| is_of_command(form));
    // `gm help command` says nothing about a call.
    let is_help = |form: &str| first_words(form) == ["help"];
    let shows_arguments: Vec<bool> =
        forms.iter().map(|form| (are_all || !is_of_command(form)) && !is_help(form)).collect();
    let dash = Dash::of(&usage.forms);
    let parsed = |form: &str, known| {
        let mut found = Form::new(flags, known, dash);
        found.scan(form, true, 0);
        found
    };
    let mut forms = forms.iter();
    let first = forms.next().map(|form| parsed(form, &[]));
    let names = first.iter().flat_map(|form| &form.positionals).map(|positional| positional.name.clone());
    let known: Vec<String> = names.collect();
    let parsed: Vec<Form<'_>> = first.into_iter().chain(forms.map(|form| parsed(form, &known))).collect();
    usage.positionals =
        merge(parsed.iter().zip(&shows_arguments).filter(|(_, shows)| **shows).map(|(form, _)| form));
    // `run <cmd>` has a place for another program.
    let mut shown =
        parsed.iter().zip(&shows_arguments).filter(|(_, shows)| **shows || shows_arguments.len() == 1);
    usage.takes_command = shown.clone().any(|(form, _)| form.takes_command);
    usage.takes_action = shown.any(|(form, _)| {
        // knotc: `[parameters] <action>`.
        let mut own = form.positionals.iter().filter(|one| one.name != "parameters");
        let Some(first) = own.next() else { return false };
        // `dither MODE FILE` has three arguments, `ipp-usb mode [options]` one.
        let is_alone = own.all(|one| is_placeholder(&one.name)) && !first.repeated;
        // buildozer: `[target] <command>` has another place for commands.
        let has_place = form.positionals.iter().any(|one| is_command(&one.name));
        is_action(&first.name) || is_mode(&first.name) && is_alone && !has_place
    });
    let mentions = mentions(&parsed);
    let mut known: HashSet<&String> = HashSet::new();
    for option in parsed.iter().flat_map(|form| &form.options) {
        let is_known = option.spec.flags.iter().any(|flag| known.contains(flag));
        // `[--keep | --keep=<msg>]`
        let earlier = usage.options.iter_mut().find(|earlier| earlier.spec.flags == option.spec.flags);
        if let Some(earlier) = earlier.filter(|one| one.spec.value == Value::None)
            && (option.spec.value, option.spec.join) == (Value::Required, Join::Equals)
        {
            earlier.spec = Spec { value: Value::Optional, ..option.spec.clone() };
        }
        known.extend(if is_known { &[] } else { option.spec.flags.as_slice() });
        let Some(mention) = mentions.get(option.spec.flags.as_slice()).filter(|_| !is_known) else {
            continue;
        };
        let mut option = UsageOption { required: mention.required == parsed.len(), ..option.clone() };
        if mention.values.len() > 1 {
            option.spec.values = vec![mention.values.join("|")];
        }
        usage.options.push(option);
    }
    usage
}

#[cfg(test)]
mod tests;
