//! One usage line: brackets, alternatives, options and arguments.

use std::collections::{HashMap, HashSet};

use super::{UsageOption, UsagePositional, is_prose};
use crate::choices::of_name;
use crate::definition::Value;
use crate::hints::bare;
use crate::spec::{Place, Spec, is_literal, specs};

/// Deepest brackets that are followed.
const MAX_DEPTH: usize = 12;
/// Most values that forms begin with.
const MAX_MODES: usize = 200;

#[derive(Debug)]
pub(super) struct Form<'a> {
    /// Flags whose entries show no value, and arguments of the forms before. `--args <filter>` is a flag and an argument if
    /// both are known.
    without_value: &'a HashSet<&'a str>,
    known: &'a [String],
    pub(super) options: Vec<UsageOption>,
    pub(super) positionals: Vec<UsagePositional>,
    pub(super) takes_command: bool,
}

impl<'a> Form<'a> {
    pub(super) fn new(without_value: &'a HashSet<&'a str>, known: &'a [String]) -> Self {
        Self { without_value, known, options: Vec::new(), positionals: Vec::new(), takes_command: false }
    }

    /// Takes what a form shows. `required` says whether it stands outside of brackets.
    pub(super) fn scan(&mut self, text: &str, required: bool, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let tokens = tokens(text);
        // Of alternatives, none must be given.
        let is_choice = tokens.iter().any(|token| token == "|");
        let group = required;
        let required = required && !is_choice;
        if is_choice && depth > 0 && self.alternatives(&tokens, group) {
            return;
        }
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            let token = token.as_str();
            let repeats = tokens.get(at).is_some_and(|next| matches!(next.as_str(), "..." | "…" | ".."));
            match token.chars().next() {
                None | Some('|') => {}
                _ if is_part_of_another(token) => {}
                Some('[' | '(' | '<') if is_one_of_words(token) => {
                    self.positional(token, required && !token.starts_with('['));
                }
                _ if matches!(token, "..." | "…" | "..") => {
                    if let Some(last) = self.positionals.last_mut() {
                        last.repeated = true;
                    }
                }
                _ if matches!(token, "--" | "[--]" | "-" | "[-]" | "+" | "=") => {}
                // `<model> or just <flat>`: another form, in words.
                _ if token == "or" && depth == 0 && !self.positionals.is_empty() => break,
                // `[user@]hostname`: a beginning that can be left out.
                Some('[') if begins_optionally(token).is_some() => {
                    self.positional(begins_optionally(token).unwrap_or(token), required);
                }
                Some('-') => {
                    let mut text = token.to_owned();
                    let is_known = |next: &String| self.known.iter().any(|name| name == bare(next));
                    let has_none = depth == 0
                        && self.without_value.contains(token)
                        && tokens.get(at).is_some_and(is_known);
                    // Inside brackets, what follows an option is its value.
                    while let Some(next) = tokens.get(at)
                        && !has_none
                        && !next.starts_with('-')
                        && next != "|"
                        && !next.starts_with("[-")
                        && !next.starts_with("...")
                        && (depth > 0
                            || self.positionals.is_empty()
                            || next.starts_with('<')
                            || next.chars().all(|c| !c.is_lowercase()))
                        && (depth > 0 || !next.starts_with('['))
                        && !text.contains('=')
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
                        && text.contains(' ')
                        && let (Some("|"), Some(other)) =
                            (tokens.get(at).map(String::as_str), tokens.get(at + 1))
                        && other.starts_with(|c: char| c.is_ascii_alphanumeric())
                    {
                        text.push('|');
                        text.push_str(other);
                        at += 2;
                    }
                    // `-h | --help` are spellings, `-d | -D` are not.
                    if let (Some("|"), Some(other)) = (tokens.get(at).map(String::as_str), tokens.get(at + 1))
                        && !token.starts_with("--")
                        && token.chars().count() == 2
                        && other.starts_with("--")
                    {
                        text = format!("{text}, {other}");
                        at += 2;
                        while let Some(next) =
                            tokens.get(at).filter(|next| !next.starts_with(['-', '|', '.']))
                        {
                            text.push(' ');
                            text.push_str(next);
                            at += 1;
                        }
                    }
                    self.option(&text, required, repeats);
                }
                Some('[') if is_remark(token) => {}
                // `<-n num>` is written for `[-n num]`.
                Some('[' | '<') if token.starts_with('[') || token.starts_with("<-") => {
                    let (inner, more) = inside(token);
                    let before = self.positionals.len();
                    self.scan(inner, false, depth + 1);
                    if more || repeats {
                        self.repeat(before, inner);
                    }
                }
                Some('(') if is_remark(token) => {}
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
                Some('{') => {
                    let (inner, more) = inside(token);
                    let before = self.positionals.len();
                    self.scan(inner, required, depth + 1);
                    if more || repeats {
                        self.repeat(before, inner);
                    }
                }
                Some(_) => self.positional(token, required),
            }
        }
    }

    /// `[a | b | c]`: one argument. Returns whether the alternatives are arguments.
    fn alternatives(&mut self, tokens: &[String], required: bool) -> bool {
        let is_dots = |token: &&String| matches!(token.as_str(), "..." | "…" | "..");
        let each: Vec<Vec<&String>> = tokens
            .split(|token| token == "|")
            .map(|part| part.iter().filter(|token| !is_dots(token)).collect())
            .collect();
        let is_plain = |token: &&String| !token.starts_with(['-', '[', '(', '{']);
        if !each.iter().flatten().all(is_plain) || each.iter().any(Vec::is_empty) {
            return false;
        }
        let dots =
            if tokens.iter().any(|token| is_dots(&token) || token.ends_with("...")) { "..." } else { "" };
        if each.iter().all(|words| words.len() == 1) {
            // `<a> | <b>` are names of values, `a | b` may be values.
            let is_named = each.iter().flatten().any(|word| word.starts_with('<'));
            let words = each.iter().flatten().map(|word| if is_named { word.as_str() } else { bare(word) });
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
        let (found, _) = specs(text, Place::Usage);
        for spec in found {
            // `-46Aa`: several options of one letter.
            let letters = spec.flags.first().and_then(|flag| bundle(flag)).filter(|_| spec.flags.len() == 1);
            match letters {
                Some(letters) => {
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
            || may_be_several
            || is_plural(token);
        let choices = of_name(token);
        let several = may_be_several.then(|| token.trim_matches(['<', '>', '[', ']', '.']).to_owned());
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
                | "global flags"
        ) || lower.ends_with(" options");
        // `file[.zip]`, `MODE[,MODE]`: an ending that can be left out.
        let name = name.split_once('[').map_or(name, |(stem, _)| stem);
        // `<key>=<value>`, `<DEP>[@VERSION]`.
        let name = if name.contains('|') { name } else { name.split('>').next().unwrap_or(name) };
        let is_name =
            name.trim_start_matches(['+', '@', '%', '\'']).chars().next().is_some_and(char::is_alphanumeric);
        // `[SHORT-OPTION]...` before all arguments; `FILTER-OPTION` behind one belongs to it.
        let is_options = is_options || self.positionals.is_empty() && lower.ends_with(" option");
        let is_name = is_name && !name.contains(['"', ';']);
        if is_options || !is_name || token.ends_with(':') || name.chars().count() > 60 {
            return;
        }
        let is_command =
            matches!(lower.as_str(), "command" | "subcommand" | "cmd" | "commands" | "sub command");
        self.takes_command |= is_command;
        let name = match choices.is_empty() {
            true if name.contains('|') => name.split('|').map(bare).collect::<Vec<_>>().join("|"),
            true => name.to_owned(),
            false => choices.join("|"),
        };
        match self.positionals.iter_mut().find(|known| known.name == name) {
            // `file [file ...]`
            Some(known) => known.repeated = true,
            None => self.positionals.push(UsagePositional { name, required, repeated, choices }),
        }
    }
}

/// Whether brackets hold a part of the argument before them: `[OWNER][:[GROUP]]`, `[MMDDhhmm[.ss]]`.
fn is_part_of_another(token: &str) -> bool {
    let mut inside = token.strip_prefix('[').unwrap_or_default().chars();
    match inside.next() {
        Some(':' | ',' | '=' | '@') => true,
        Some('.') => inside.next().is_some_and(char::is_alphanumeric),
        _ => false,
    }
}

/// Whether a name says that there are several: `args`, `files`.
fn is_plural(token: &str) -> bool {
    const SINGULAR: &[&str] = &[
        "alias", "canvas", "class", "radius", "bus", "os", "dns", "https", "tls", "css", "js", "ps", "fs",
        "gas", "lens", "series", "bias",
    ];
    let lower = bare(token);
    // `PATTERNS` of grep is one argument: names in capitals say what it is about.
    if matches!(lower, "FILES" | "ARGS" | "ARGUMENTS" | "LIBRARIES" | "PACKAGES") {
        return true;
    }
    let last = lower.rsplit(['-', '_', ' ']).next().unwrap_or_default();
    last.len() > 2
        && last.ends_with('s')
        && last.chars().all(|c| c.is_ascii_lowercase())
        && !lower.chars().any(char::is_uppercase)
        && !["ss", "us", "is"].iter().any(|end| last.ends_with(end))
        && !SINGULAR.contains(&last)
}

/// Whether brackets hold the words of one name: `[input file...]`, `<jq filter>`.
fn is_one_of_words(token: &str) -> bool {
    const LAST: &[&str] = &["file", "files", "name", "names", "dir", "directory", "directories"];
    let words: Vec<&str> = bare(token).split_whitespace().collect();
    let is_plain = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'));
    let [first, last] = words[..] else { return false };
    let lower = |word: &str| word.trim_end_matches('.').to_lowercase();
    !first.starts_with('-')
        && words.iter().all(is_plain)
        && LAST.contains(&lower(last).as_str())
        && !LAST.contains(&lower(first).as_str())
        && lower(first) != "options"
}

/// Whether brackets hold words for people: `[more options; see below]`.
fn is_remark(token: &str) -> bool {
    let words: Vec<&str> = token.split_whitespace().collect();
    let lower = token.to_lowercase();
    words.len() > 1
        && !token.contains(['|', '<', '='])
        && !token.contains(" -")
        && !token.get(1..).unwrap_or_default().starts_with('-')
        && (lower.contains("options")
            || lower.contains("flags")
            || lower.trim_end_matches(['.', ']']).ends_with(" option")
            || is_prose(token.trim_matches(['[', ']'])))
}

/// Words outside of brackets; brackets with their content are one, `|` is one.
fn tokens(text: &str) -> Vec<String> {
    const MAX_TOKENS: usize = 4_000;
    let mut tokens: Vec<String> = Vec::new();
    let mut token = String::new();
    let mut depth = 0_usize;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '[' | '(' | '{' | '<' => depth += 1,
            ']' | ')' | '}' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        // `file|dir`: one argument, where no option is among them.
        let is_glued = c == '|'
            && !token.is_empty()
            && !token.starts_with('-')
            && rest.peek().is_some_and(|next| !matches!(next, ' ' | '-' | '|'));
        if depth == 0 && (c == ' ' || c == '|' && !is_glued) {
            if !token.is_empty() {
                tokens.push(std::mem::take(&mut token));
            }
            if c == '|' {
                tokens.push("|".to_owned());
            }
        } else {
            token.push(c);
        }
        if tokens.len() > MAX_TOKENS {
            break;
        }
    }
    if !token.is_empty() {
        tokens.push(token);
    }
    // `<a>...` and `[x]...` keep their dots; `[a][b]` are two.
    tokens.into_iter().flat_map(|token| apart(&token)).collect()
}

/// `[a][b]` as two tokens.
fn apart(token: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut depth = 0_usize;
    let is_option = token.starts_with('-');
    for c in token.chars() {
        if depth == 0 && c == '[' && !part.is_empty() && !is_option && part.ends_with(']') {
            parts.push(std::mem::take(&mut part));
        }
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        part.push(c);
    }
    parts.push(part);
    parts
}

/// What is inside the outer brackets, and whether dots follow them.
fn inside(token: &str) -> (&str, bool) {
    let is_repeated =
        token.ends_with("...") || token.ends_with('…') || token.ends_with("...,") || token.ends_with('*');
    let end = token.rfind([']', ')', '}', '>']).unwrap_or(token.len());
    (token.get(1..end).unwrap_or_default(), is_repeated)
}

/// What stands behind a beginning that can be left out: `hostname` of `[user@]hostname`.
fn begins_optionally(token: &str) -> Option<&str> {
    let (beginning, rest) = token.strip_prefix('[')?.split_once(']')?;
    let is_beginning = beginning.ends_with(['@', ':', '/']) && beginning.starts_with(char::is_alphanumeric);
    (is_beginning && rest.starts_with(char::is_alphanumeric)).then_some(rest)
}

/// The letters of `-46Aa`. A word such as `-name` is none.
fn bundle(flag: &str) -> Option<&str> {
    let letters = flag.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
    let count = letters.chars().count();
    if count < 2 || !letters.chars().all(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let is_mixed = letters.chars().any(|c| c.is_ascii_digit() || c.is_ascii_uppercase());
    let has_vowel = letters.chars().any(|c| "aeiouy".contains(c));
    let is_sorted = letters.chars().zip(letters.chars().skip(1)).all(|(one, next)| one < next);
    (is_mixed || !has_vowel || is_sorted || count == 2).then_some(letters)
}

/// What all forms say about the same flags.
#[derive(Debug)]
pub(super) struct Mention {
    /// Number of forms that have them outside of brackets, and the latest of these.
    pub(super) required: usize,
    latest: Option<usize>,
    /// Values that forms begin with, each with one as itself (`-Y sign`, `-Y verify`); none if a form has the flags otherwise.
    pub(super) values: Vec<String>,
    is_other: bool,
}

/// What the forms say about each option, by its flags.
pub(super) fn mentions<'f>(forms: &'f [Form<'_>]) -> HashMap<&'f [String], Mention> {
    let mut mentions: HashMap<&[String], Mention> = HashMap::new();
    for (number, form) in forms.iter().enumerate() {
        for (place, option) in form.options.iter().enumerate() {
            let new = Mention { required: 0, latest: None, values: Vec::new(), is_other: false };
            let mention = mentions.entry(&option.spec.flags).or_insert(new);
            if option.required && mention.latest != Some(number) {
                (mention.required, mention.latest) = (mention.required + 1, Some(number));
            }
            match option.spec.values.as_slice() {
                [value] if place == 0 && option.required && mention.takes(value) => {
                    mention.values.push(value.clone());
                }
                _ => (mention.is_other, mention.values) = (true, Vec::new()),
            }
        }
    }
    mentions
}

impl Mention {
    fn takes(&self, value: &String) -> bool {
        let is_new = self.values.len() < MAX_MODES && !self.values.contains(value);
        !self.is_other && is_new && is_literal(value) && !value.contains('|')
    }
}
