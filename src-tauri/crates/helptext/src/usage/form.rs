//! One usage line: brackets, alternatives, options and arguments.

use super::commands::is_command;
use super::tokens::{
    Dash, are_spellings, begins_optionally, bracketed, bundle, closely, glued, inside, is_one_of_words,
    is_part_of_another, is_plural, is_remark, spellings, words,
};
use super::{Flags, UsageOption, UsagePositional};
use crate::choices::of_name;
use crate::definition::{Join, Value};
use crate::hints::bare;
use crate::spec::{Place, Spec, specs};
use crate::subcommands::is_name;

/// Deepest brackets that are followed.
const MAX_DEPTH: usize = 12;
/// Most letters in `-[abc]`.
const MAX_LETTERS: usize = 64;

#[derive(Debug)]
pub(super) struct Form<'a> {
    /// Flags of entries, and arguments of the first form. `--args <filter>` is a flag and an argument if both are known.
    flags: &'a Flags<'a>,
    known: &'a [String],
    dash: Dash,
    pub(super) options: Vec<UsageOption>,
    pub(super) positionals: Vec<UsagePositional>,
    pub(super) takes_command: bool,
}

/// Whether braces have a list of names with blanks behind its commas.
fn is_spaced_list(token: &str) -> bool {
    let inner = token.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    inner.is_some_and(|inner| inner.contains(", ") && inner.split(", ").all(is_name))
}

/// A name without brackets; `file(s)` keeps its own.
fn one_name(word: &str) -> &str {
    if word.ends_with("(s)") { word } else { bare(word) }
}

/// Whether a word says that the one before it can be repeated.
fn is_dots(token: &str) -> bool {
    matches!(token, "..." | "…" | "..")
}

impl<'a> Form<'a> {
    pub(super) fn new(flags: &'a Flags<'a>, known: &'a [String], dash: Dash) -> Self {
        Self { flags, known, dash, options: Vec::new(), positionals: Vec::new(), takes_command: false }
    }

    /// Takes what a form shows. `required` says whether it stands outside of brackets.
    pub(super) fn scan(&mut self, text: &str, required: bool, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let tokens = words(text);
        // Of alternatives, none must be given.
        let bars = tokens.iter().filter(|token| *token == "|").count();
        let is_choice = bars > 0;
        let group = required;
        let required = required && !is_choice;
        if is_choice && depth > 0 && self.alternatives(&tokens, group) {
            return;
        }
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            let token = token.as_str();
            let repeats = tokens.get(at).is_some_and(|next| is_dots(next));
            match token.chars().next() {
                None | Some('|') => {}
                _ if is_part_of_another(token) => {}
                Some('[' | '(' | '<') if is_one_of_words(token) => {
                    self.positional(token, required && !token.starts_with('['));
                }
                _ if is_dots(token) => {
                    if let Some(last) = self.positionals.last_mut() {
                        last.repeated = true;
                    }
                }
                // `[+D dir]`: an option that begins with a plus sign.
                Some('+') if depth > 0 && token.chars().count() == 2 => {
                    at += tokens.get(at..).unwrap_or_default().iter().take_while(|next| *next != "|").count();
                }
                // `file1 [file2 ... fileN]`
                Some(_) if at > 1 && is_dots(&tokens[at - 2]) && self.is_last_of_many(token) => {}
                _ if matches!(token, "--" | "[--]" | "-" | "[-]" | "+" | "=") => {}
                // `<model> or just <flat>`: another form, in words.
                _ if token == "or" && depth == 0 && (!self.positionals.is_empty() || at == tokens.len()) => {
                    break;
                }
                // `[ ...ifN]`
                Some('.')
                    if token.starts_with("...") && self.is_last_of_many(token.trim_start_matches('.')) =>
                {
                    if let Some(last) = self.positionals.last_mut() {
                        last.repeated = true;
                    }
                }
                // `[user@]hostname`: a beginning that can be left out.
                Some('[') if begins_optionally(token).is_some() => {
                    self.positional(begins_optionally(token).unwrap_or(token), required);
                }
                Some('-') => {
                    let mut text = token.to_owned();
                    let is_known = |next: &String| self.known.iter().any(|name| name == bare(next));
                    let has_none = depth == 0
                        && self.flags.without_value.contains(token)
                        && tokens.get(at).is_some_and(is_known);
                    // `[ -h, -?, --help ]`: spellings.
                    while text.ends_with(',')
                        && let Some(next) = tokens.get(at).filter(|next| next.starts_with('-'))
                    {
                        text = format!("{text} {next}");
                        at += 1;
                    }
                    // Inside brackets, what follows an option is its value.
                    while let Some(next) = tokens.get(at)
                        && !has_none
                        && !next.starts_with('-')
                        && next != "|"
                        && !next.starts_with("[-")
                        && !next.starts_with("[ -")
                        && !next.starts_with("...")
                        && (depth > 0
                            || self.positionals.is_empty()
                            || next.starts_with('<')
                            || next.chars().all(|c| !c.is_lowercase()))
                        && (depth > 0 || !next.starts_with('['))
                        && !text.split(' ').any(|part| part.starts_with('-') && part.contains('='))
                    {
                        text.push(' ');
                        text.push_str(next);
                        at += 1;
                        if depth == 0 {
                            break;
                        }
                    }
                    // `[-t dsa | rsa]`: further values, not arguments.
                    while depth > 0
                        && text.contains([' ', '='])
                        && let (Some("|"), Some(other)) =
                            (tokens.get(at).map(String::as_str), tokens.get(at + 1))
                        && other.starts_with(|c: char| c.is_ascii_alphanumeric())
                    {
                        text.push('|');
                        text.push_str(other);
                        at += 2;
                    }
                    // `-h | --help` are spellings, `-d | -D` are not; of more flags, those that begin alike are.
                    if let (Some("|"), Some(other)) = (tokens.get(at).map(String::as_str), tokens.get(at + 1))
                        && are_spellings(token, other, bars == 1)
                    {
                        text = format!("{text}, {other}");
                        at += 2;
                        while let Some(next) = tokens
                            .get(at)
                            .filter(|next| !next.starts_with(['-', '|', '.']) && !next.starts_with("[-"))
                            .filter(|next| depth > 0 || !next.starts_with('['))
                        {
                            text.push(' ');
                            text.push_str(next);
                            at += 1;
                            // Outside of brackets, arguments follow.
                            if depth == 0 {
                                break;
                            }
                        }
                    }
                    self.option(&text, required, repeats);
                }
                Some('[') if is_remark(token) => {}
                Some('[') if closely(token).is_some() => {
                    let (option, argument) = closely(token).unwrap_or_default();
                    self.option(option, false, false);
                    self.positional(argument, required);
                }
                // `<-n num>` is written for `[-n num]`.
                Some('[' | '<') if token.starts_with('[') || token.starts_with("<-") => {
                    let (inner, more) = inside(token);
                    let before = self.positionals.len();
                    // ifconfig: `[netmask <address>]`, a word and its value.
                    let mut words = inner.split_whitespace();
                    let is_word = |word: &str| {
                        word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
                    };
                    if words.next().is_some_and(is_word)
                        && words.next().is_some_and(|next| next.starts_with('<'))
                    {
                        continue;
                    }
                    self.scan(inner, false, depth + 1);
                    if more || repeats {
                        self.repeat(before, inner);
                    }
                }
                Some('(') if is_remark(token) => {}
                // git: `[(-o | --output) <path>]`.
                Some('(') if spellings(token).is_some() => {
                    let spellings = spellings(token).unwrap_or_default();
                    let is_upper = |next: &str| {
                        next.len() > 1 && !next.contains(|c: char| c.is_lowercase() || matches!(c, '|' | '['))
                    };
                    // `(-q | --quiet) <file>` outside of brackets has an argument behind it.
                    let value =
                        tokens.get(at).filter(|next| depth > 0 && (next.starts_with('<') || is_upper(next)));
                    at += usize::from(value.is_some());
                    let value = value.map_or(String::new(), |value| format!(" {value}"));
                    self.option(&(spellings + &value), required, repeats);
                }
                Some('(') => {
                    let (inner, more) = inside(token);
                    let before = self.positionals.len();
                    self.scan(inner, required, depth + 1);
                    if more || repeats {
                        self.repeat(before, inner);
                    }
                }
                Some('{') if !token.contains(' ') && !token.contains("|-") && !token.starts_with("{-") => {
                    self.takes_command |= repeats && token.contains(',');
                    self.positional(token, required);
                }
                // hic2cool: `{convert, update} ...`.
                Some('{') if is_spaced_list(token) => {
                    self.takes_command |= repeats;
                    self.positional(&token.replace(", ", ","), required);
                }
                // nmap: `{target specification}`.
                Some('{') if token.contains(' ') && !token.contains(['|', ',', '[', '<', '-']) => {
                    self.positional(token, required);
                }
                Some('{') => {
                    let (inner, more) = inside(token);
                    let before = self.positionals.len();
                    self.scan(inner, required, depth + 1);
                    if more || repeats {
                        self.repeat(before, inner);
                    }
                }
                Some(_) => {
                    // docker: `PATH | URL`, one argument.
                    let is_name = |token: &str| {
                        !token.is_empty() && token.chars().all(|c| c.is_ascii_uppercase() || c == '_')
                    };
                    let mut names = token.to_owned();
                    while depth == 0
                        && is_name(token)
                        && let (Some("|"), Some(other)) =
                            (tokens.get(at).map(String::as_str), tokens.get(at + 1))
                        && is_name(other)
                    {
                        names = format!("{names}|{other}");
                        at += 2;
                    }
                    self.positional(&names, if names == token { required } else { group });
                }
            }
        }
    }

    /// Whether a name is that of the argument before it, with another number: `fileN`.
    fn is_last_of_many(&self, token: &str) -> bool {
        let stem = |name: &str| {
            name.chars().filter(|c| !c.is_ascii_digit() && !matches!(c, 'N' | 'n')).collect::<String>()
        };
        self.positionals.last().is_some_and(|last| stem(&last.name) == stem(bare(token)))
    }

    /// `[a | b | c]`: one argument. Returns whether the alternatives are arguments.
    fn alternatives(&mut self, tokens: &[String], required: bool) -> bool {
        let each: Vec<Vec<&String>> = tokens
            .split(|token| token == "|")
            .map(|part| part.iter().filter(|token| !is_dots(token.as_str())).collect())
            .collect();
        let is_plain = |token: &&String| !token.starts_with(['-', '[', '(', '{']);
        if !each.iter().flatten().all(is_plain) || each.iter().any(Vec::is_empty) {
            return false;
        }
        let dots =
            if tokens.iter().any(|token| is_dots(token) || token.ends_with("...")) { "..." } else { "" };
        if each.iter().all(|words| words.len() == 1) {
            // `<a> | <b>` are names of values, `a | b` may be values.
            let is_named = each.iter().flatten().any(|word| word.starts_with('<'));
            let words =
                each.iter().flatten().map(|word| if is_named { word.as_str() } else { one_name(word) });
            let words = words.collect::<Vec<_>>().join("|");
            let token = if is_named { words } else { format!("{{{words}}}") };
            self.positional(&(token + dots), required);
        } else if let Some(first) = each.first() {
            // `[FILE | ARG1 ARG2]`: the others cannot be said beside it.
            first.iter().for_each(|word| self.positional(word, false));
        }
        true
    }

    fn option(&mut self, text: &str, required: bool, repeated: bool) {
        // `[-OPTIONS]` stands for them.
        let is_all = text.contains("OPTION") && text.chars().all(|c| !c.is_lowercase());
        if is_all
            || matches!(text, "-options" | "-flags" | "-switches" | "-opts")
            || text.starts_with("-opts[")
        {
            return;
        }
        // `-[abc]`: one of these letters, each with what follows.
        if let Some((flags, rest)) = bracketed(text) {
            flags
                .iter()
                .take(MAX_LETTERS)
                .for_each(|flag| self.option(&format!("{flag}{rest}"), false, repeated));
            return;
        }
        // `--(enable|disable)=<service>`
        let is_name = |name: &str| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        if let Some((names, rest)) = text.strip_prefix("--(").and_then(|text| text.split_once(')'))
            && names.contains('|')
            && names.split('|').all(is_name)
        {
            names
                .split('|')
                .take(MAX_LETTERS)
                .for_each(|name| self.option(&format!("--{name}{rest}"), false, repeated));
            return;
        }
        // `-?abc`: letters of which the first is a question mark.
        if let Some(letters) = text.strip_prefix("-?").filter(|rest| rest.len() > 1)
            && letters.chars().all(|c| c.is_ascii_alphanumeric())
        {
            self.option("-?", required, repeated);
            self.option(&format!("-{letters}"), required, repeated);
            return;
        }
        let (found, _) = specs(text, Place::Usage);
        for mut spec in found {
            if let [flag] = spec.flags.as_slice()
                && spec.value == Value::None
                && self.dash != Dash::Words
                && !self.flags.described.contains(flag.as_str())
                && let Some((flag, name)) = glued(flag)
            {
                (spec.values, spec.flags) = (vec![name.to_owned()], vec![flag.to_owned()]);
                (spec.value, spec.join) = (Value::Required, Join::Glued);
            }
            // `-46Aa`: several options of one letter.
            let is_bundle =
                |flag: &&String| spec.flags.len() == 1 && !self.flags.described.contains(flag.as_str());
            // `-of format` among words behind one dash, `-dLanguageLevel=1`.
            let is_word = |flag: &&String| match self.dash {
                Dash::Words => true,
                Dash::Pairs if flag.len() == 3 && spec.value != Value::None => true,
                _ => spec.join == Join::Equals && flag.len() > 3,
            };
            let letters = spec.flags.first().filter(is_bundle).filter(|flag| !is_word(flag));
            let is_known = |letter: char| self.flags.described.contains(format!("-{letter}").as_str());
            let are_known = |flag: &&String| {
                !flag.starts_with("--") && flag.len() > 2 && flag.chars().skip(1).all(is_known)
            };
            let known = letters.filter(are_known).and_then(|flag| flag.strip_prefix('-'));
            // `-cf config-file`: a word of the first letters of its value.
            let is_short_for = |flag: &&String| {
                let initials = spec.values.first().map(|value| {
                    value.split(['-', '_']).filter_map(|part| part.chars().next()).collect::<String>()
                });
                initials.as_deref() == flag.strip_prefix('-')
            };
            let letters = letters.filter(|flag| !is_short_for(flag));
            let letters = known.or_else(|| letters.and_then(|flag| bundle(flag)));
            match letters {
                Some(letters) => {
                    // `-vxX#`: one more letter, which is no property's name.
                    if letters.chars().count() > 2 && spec.values.iter().all(|value| value == "#") {
                        (spec.value, spec.values) = (Value::None, Vec::new());
                    }
                    let last = letters.chars().count() - 1;
                    for (at, letter) in letters.chars().enumerate() {
                        let (value, values) = match at == last {
                            true => (spec.value, spec.values.clone()),
                            false => (Value::None, Vec::new()),
                        };
                        let flags = vec![format!("-{letter}")];
                        self.options.push(UsageOption {
                            spec: Spec { flags, negated: Vec::new(), value, values, join: spec.join },
                            required: false,
                            repeated: false,
                        });
                    }
                }
                None => self.options.push(UsageOption { spec, required, repeated }),
            }
        }
    }

    fn repeat(&mut self, before: usize, inner: &str) {
        if inner.trim_start().starts_with('-') {
            if let Some(option) = self.options.last_mut() {
                option.repeated = true;
            }
        } else {
            self.positionals.iter_mut().skip(before).for_each(|positional| positional.repeated = true);
        }
    }

    fn positional(&mut self, token: &str, required: bool) {
        let may_be_several = token.contains("(s)") || token.contains("(S)");
        let repeated = (token.ends_with("..") || token.ends_with('…')) && !token.contains("[,")
            || token.contains("...]")
            || token.contains(" ..")
            || token.contains("...>")
            || token.starts_with("[list of ")
            || may_be_several
            || is_plural(token)
            || !required
                && token.starts_with(|c: char| c.is_ascii_uppercase())
                && is_plural(&token.to_lowercase())
            || token.contains(" OR ") && is_plural(&token.to_lowercase());
        let mut choices = of_name(token);
        // `[files|directories|globs...]` are kinds of what is repeated.
        if repeated && choices.iter().all(|choice| is_plural(choice)) {
            choices.clear();
        }
        let several =
            may_be_several.then(|| token.trim_matches(['<', '>', '[', ']', '{', '}', '.']).to_owned());
        let name = several.as_deref().unwrap_or_else(|| bare(token));
        // `<PACKAGE|--requirements <FILE>>`: other ways to say it are options.
        let name = name.split_once("|-").map_or(name, |(name, _)| name);
        let required = required && !token.contains("|-");
        let lower = name.to_ascii_lowercase().replace("(s)", "s").replace(['-', '_'], " ");
        let lower = lower.trim_end_matches('?').to_owned();
        let is_options = matches!(
            lower.as_str(),
            "options"
                | "option"
                | "flags"
                | "flag"
                | "opts"
                | "opt"
                | "options..."
                | "switches"
                | "globalflags"
                | "globaloptions"
                | "gopts"
                | "fopts"
        ) || [" options", " opts", " opt", " flags"].iter().any(|end| lower.ends_with(end));
        // `file[.zip]`, `MODE[,MODE]`: an ending that can be left out. `source.{pyx,py}`, `<file (one)>`: what it is.
        let name = name.split_once('[').map_or(name, |(stem, _)| stem);
        let name = [".{", " ("].iter().find_map(|end| name.split_once(end)).map_or(name, |(stem, _)| stem);
        // `<key>=<value>`, `<DEP>[@VERSION]`.
        let name = if name.contains('|') { name } else { name.split('>').next().unwrap_or(name) };
        let is_name = name
            .trim_start_matches(['+', '@', '%', '\'', '/', '#', '&', '\\'])
            .chars()
            .next()
            .is_some_and(char::is_alphanumeric);
        // `[SHORT-OPTION]...` before all arguments; `FILTER-OPTION` behind one belongs to it.
        let is_options = is_options || self.positionals.is_empty() && lower.ends_with(" option");
        let is_name = is_name && !name.contains(['"', ';']);
        if is_options || !is_name || token.ends_with(':') || choices.is_empty() && name.chars().count() > 60 {
            return;
        }
        self.takes_command |= is_command(&lower);
        let name = match choices.is_empty() {
            true if name.contains('|') => name.split('|').map(one_name).collect::<Vec<_>>().join("|"),
            true => name.to_owned(),
            false => choices.join("|"),
        };
        match self.positionals.iter_mut().find(|known| known.name == name) {
            // `file [file ...]`, but `<address> <address>` are two.
            Some(known)
                if !(required
                    && known.required
                    && !known.repeated
                    && !repeated
                    && token.starts_with('<')) =>
            {
                known.repeated = true;
            }
            Some(_) => self.positionals.push(UsagePositional { name, required, repeated, choices }),
            None => self.positionals.push(UsagePositional { name, required, repeated, choices }),
        }
    }
}
