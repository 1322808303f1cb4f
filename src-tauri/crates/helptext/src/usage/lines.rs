//! Finds usage lines in a text.

use super::MAX_FORMS;
use super::commands::{begins_form, has_word_second, is_of_words};
use crate::clean::indent;
use crate::spec::{Place, specs};

/// What stands behind the word "usage" at the start of a line, or at the end of one.
fn behind_usage(line: &str) -> Option<&str> {
    let trimmed = line.trim_start();
    // `This is the debugger.  Usage:`.
    if trimmed.trim_end().strip_suffix("Usage:").is_some_and(|before| before.trim_end().ends_with('.')) {
        return Some("");
    }
    // `zdump: usage: zdump …`, `postqueue: fatal: usage: postqueue …`.
    let is_named =
        |before: &str| before.len() < 60 && before.split(' ').next().is_some_and(|name| name.ends_with(':'));
    let before = [": usage", ": Usage"].iter().find_map(|word| trimmed.find(word));
    let trimmed = match before {
        Some(at) if trimmed.get(..=at).is_some_and(is_named) => trimmed.get(at + 2..).unwrap_or_default(),
        _ => trimmed,
    };
    let trimmed = trimmed.strip_prefix("general ").unwrap_or(trimmed);
    if let Some(form) = trimmed.strip_prefix("Use: ") {
        return Some(form.trim());
    }
    for word in ["usage is", "usages", "usage", "synopsis", "syntax", "format"] {
        if let Some(head) = trimmed.get(..word.len())
            && head.eq_ignore_ascii_case(word)
        {
            let rest = trimmed.get(word.len()..)?;
            if let Some(rest) = rest.trim_start().strip_prefix(':') {
                // `Format: how it is written` is an entry.
                return (word != "format" || rest.trim().is_empty()).then(|| rest.trim());
            }
            if word == "format" {
                return None;
            }
            if rest.trim().is_empty() {
                return Some("");
            }
            // Go: `Usage of tool:`.
            if rest.strip_prefix(" of ").is_some_and(|rest| rest.ends_with(':') && !rest.contains(' ')) {
                return Some("");
            }
            // Go: `Usage of tool <mode>:`.
            if let Some(form) = rest.strip_prefix(" of ").filter(|form| form.contains(['[', '<'])) {
                return Some(form.trim_end_matches(':').trim());
            }
            // `Usage tool [options]`, but not a sentence about usage.
            if rest.starts_with(' ') && rest.contains(['[', '<']) {
                return Some(rest.trim());
            }
        }
    }
    None
}

pub(super) fn forms(lines: &[String], name: &str) -> Vec<String> {
    let mut forms: Vec<String> = Vec::new();
    let mut at = 0;
    while at < lines.len() && forms.len() < MAX_FORMS {
        let line = lines.get(at).map(String::as_str).unwrap_or_default();
        at += 1;
        let Some(first) = behind_usage(line) else { continue };
        // keyctl: `Format:` above forms, not above a table.
        let is_form = |next: &&String| !name.is_empty() && Some(first_word(next)) == name.split(' ').next();
        let is_table = line.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("format"));
        if is_table && lines.get(at).filter(is_form).is_none() {
            continue;
        }
        // `Usage : for the simple case :`, and the form beneath.
        // cddb-tool: `usage: one of:`.
        let is_about = first.ends_with(':') && (is_prose(first) || first == "one of:");
        let first = if is_about { "" } else { first };
        let had = forms.len();
        let column = if first.is_empty() { 0 } else { line.len() - first.len() };
        if !first.is_empty() {
            forms.push(trimmed(first).to_owned());
        }
        if let Some(skipped) =
            sentences(lines.get(at..).unwrap_or_default(), name).filter(|_| first.is_empty())
        {
            at += skipped;
        }
        // npm: each form begins with the program and the subcommand.
        let has_argument =
            |text: &str| text.split(' ').any(|word| word.len() > 1 && word.chars().all(char::is_uppercase));
        let is_of_command = |text: &str| {
            let is_short = || text.split(' ').count() <= name.split(' ').count() + 2;
            name.contains(' ')
                && text.starts_with(name)
                && (!is_prose(text) || has_argument(text) || is_short())
        };
        let mut base = None;
        while let Some(line) = lines.get(at) {
            let text = without_label(line.trim(), name);
            if text.is_empty() || text.len() > 2 && text.chars().all(|c| matches!(c, '-' | '=')) {
                // One blank line between the heading and the first form, or a line beneath the heading.
                if forms.len() == had && base.is_none() {
                    base = Some(0);
                    at += 1;
                    continue;
                }
                // util-linux: a blank line between forms.
                let is_between = |next: &String| {
                    let word = first_word(next);
                    base == Some(indent(next))
                        && forms.get(had).is_some_and(|form| first_word(form) == word)
                        && !is_prose(next.trim())
                };
                // ip, and xdg-mime: another form of the command, which is no sentence about it.
                let is_another = |next: &String| {
                    let next = next.trim();
                    let is_short = next.split(' ').count() <= name.split(' ').count() + 1;
                    is_of_command(next) && (is_short || next.contains(['[', '{', '<']) || has_argument(next))
                        || base == Some(0) && begins_form(next, name)
                };
                let next = lines
                    .iter()
                    .skip(at + 1)
                    .take(2)
                    .find(|line| !line.trim().is_empty())
                    .filter(|_| text.is_empty());
                if next.is_some_and(|next| {
                    base != Some(0) && is_between(next) || forms.len() > had && is_another(next)
                }) {
                    at += 1;
                    continue;
                }
                break;
            }
            let indented = indent(line);
            let is_first = forms.len() == had;
            // xdg-desktop-menu: arguments that are wrapped by the width of the terminal.
            if let Some(last) = forms.last_mut().filter(|last| {
                !is_first
                    && indented == 0
                    && base == Some(0)
                    && text.ends_with("(s)")
                    && text.split(' ').count() < 4
                    && first_word(text) != first_word(last)
            }) {
                if !text.starts_with('(') {
                    last.push(' ');
                }
                last.push_str(text);
                at += 1;
                continue;
            }
            // A bracket that is wrapped by the width of the terminal.
            let is_wrapped = |last: &String| {
                let is_flush = indented == 0 && base == Some(0) && first_word(text) != first_word(last);
                !is_first && (text.starts_with(']') || is_flush) && is_open(last)
            };
            if let Some(last) = forms.last_mut().filter(|last| is_wrapped(last)) {
                if !text.starts_with(']') {
                    last.push(' ');
                }
                last.push_str(text);
                at += 1;
                continue;
            }
            if is_first {
                let is_named = !name.is_empty() && name.split(' ').next() == Some(first_word(text));
                if indented == 0 && base != Some(0) && !is_named || text.starts_with('-') {
                    break;
                }
                forms.push(trimmed(text).to_owned());
                base = Some(indented);
                at += 1;
                continue;
            }
            let begins = |text: &str| {
                let first = first_word(forms.get(had).map(String::as_str).unwrap_or_default());
                let word = first_word(text);
                !word.is_empty() && (word == first || Some(word) == name.split(' ').next())
            };
            if let Some(other) = behind_or(text) {
                forms.push(trimmed(other).to_owned());
            } else if begins(text)
                && (indented > 0
                    || column == 0
                        && base == Some(0)
                        && (is_of_command(text)
                            || is_of_words(text, name)
                            || begins_form(text, name) && (has_word_second(text) || text.contains(" { --"))))
            {
                forms.push(trimmed(text).to_owned());
            } else if let Some(skipped) = described(lines.get(at..).unwrap_or_default(), base, begins) {
                at += skipped;
                continue;
            } else if let Some(options) = labelled_options(text) {
                if let Some(last) = forms.last_mut() {
                    last.push(' ');
                    last.push_str(trimmed(options));
                }
            } else if column > 0 && indented == column && is_of_another(text, name) {
                forms.push(trimmed(text).to_owned());
            } else if is_heading_of_brackets(text, lines.get(at + 1)) {
                at += 1;
                continue;
            } else if is_explained(text) || text.ends_with(':') && !text.contains(['[', '<', '{', '|']) {
                break;
            } else if (indented > 0
                || (text.starts_with("[ ") || text.starts_with("[-")) && text.ends_with(']'))
                && (text.starts_with(['[', '<', '{', '(', '|', '.'])
                    || (text.starts_with('-') && indented >= column.max(3) && !is_described(text)))
                || (column > 0 && indented + 2 >= column && !text.starts_with('-') && !is_prose(text))
                || base.is_some_and(|base| {
                    indented > base && column == 0 && !text.starts_with('-') && !is_prose(text)
                })
            {
                if let Some(last) = forms.last_mut() {
                    last.push(' ');
                    last.push_str(text);
                }
            } else {
                break;
            }
            at += 1;
        }
        if forms.len() > had && !is_followed_by_another(lines.get(at..).unwrap_or_default(), &forms) {
            break;
        }
    }
    forms
}

/// What stands behind `or`, `or:` or `Or   :`.
fn behind_or(text: &str) -> Option<&str> {
    let (word, rest) = text.split_at_checked(2)?;
    let behind = rest.trim_start().strip_prefix(':').filter(|_| word.eq_ignore_ascii_case("or"));
    behind.or_else(|| rest.strip_prefix(' ').filter(|_| word == "or")).map(str::trim)
}

/// `tool -v | tool [file ...]` as two forms.
pub(super) fn alternatives(form: &str) -> Vec<String> {
    let program = form.split_whitespace().next().unwrap_or_default();
    let is_name = program.len() > 1 && program.starts_with(char::is_alphanumeric);
    let separator = format!(" | {program} ");
    let parts = form.split(&separator).enumerate();
    match is_name {
        true => parts
            .map(|(at, part)| if at == 0 { part.to_owned() } else { format!("{program} {part}") })
            .collect(),
        false => vec![form.to_owned()],
    }
}

/// Number of lines that describe the form above them, if another form follows.
fn described(lines: &[String], base: Option<usize>, begins: impl Fn(&str) -> bool) -> Option<usize> {
    const MOST: usize = 6;
    let base = base.filter(|base| *base > 0)?;
    let first = lines.first()?.trim();
    if first.starts_with(['[', '<', '{', '(', '|', '-', '.']) {
        return None;
    }
    let count = lines.iter().take(MOST).take_while(|line| indent(line) > base).count();
    let next = lines.get(count).filter(|next| indent(next) == base && begins(next.trim()))?;
    (!is_prose(next.trim())).then_some(count)
}

/// Options behind words for them: cal, `General options: [-31] [-A months]`; `local args: [-d dbname]`.
fn labelled_options(text: &str) -> Option<&str> {
    let labelled = [" options: ", " args: "].iter().find_map(|label| text.split_once(label));
    let (label, options) = labelled?;
    (label.chars().all(char::is_alphabetic) && options.starts_with('[') && options.contains('-'))
        .then_some(options)
}

/// Whether a form is that of a program whose name has this one in it, in one text with it: `ncal [-b]` for `cal`.
fn is_of_another(text: &str, name: &str) -> bool {
    let first = first_word(text);
    let rest = text.get(first.len()..).unwrap_or_default().trim_start();
    let is_longer = first.len() > name.len() && (first.starts_with(name) || first.ends_with(name));
    name.len() > 1 && is_longer && rest.starts_with(['[', '-']) && first.chars().all(char::is_alphanumeric)
}

/// Whether a line is `Options are:` above options in brackets, as in a form.
fn is_heading_of_brackets(text: &str, next: Option<&String>) -> bool {
    let is_heading = ["options:", "options are:"].contains(&text.to_lowercase().as_str());
    is_heading
        && next.is_some_and(|next| {
            let next = next.trim();
            next.starts_with("[ ") && next.ends_with(']')
        })
}

/// Whether a further form with the word "usage" follows, at most one blank line below.
fn is_followed_by_another(lines: &[String], forms: &[String]) -> bool {
    let next = lines.iter().take(2).find(|line| !line.trim().is_empty());
    let own = forms.first().map(|form| first_word(form));
    next.and_then(|line| behind_usage(line)).is_some_and(|form| Some(first_word(form)) == own)
}

/// A form without what is said about it: `tool [file]    edit files`, `tool x > file`, `tool (without -G)`.
pub(super) fn trimmed(form: &str) -> &str {
    let mut depth = 0_usize;
    let mut end = form.len();
    for (at, c) in form.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth = depth.saturating_sub(1),
            // `sponge <file>: soak up what comes`.
            ':' if depth == 0
                && form.get(at + 1..).is_some_and(|rest| rest.starts_with(' ') && is_prose(rest)) =>
            {
                end = at;
                break;
            }
            ' ' if depth == 0 => {
                let rest = form.get(at..).unwrap_or_default();
                // `NAMESPACE - Inspect a library`.
                let is_title = rest
                    .strip_prefix(" - ")
                    .is_some_and(|text| text.starts_with(|c: char| c.is_alphabetic()) && text.contains(' '));
                let is_redirect = is_title
                    || rest.strip_prefix(" >").is_some_and(|rest| rest.starts_with(char::is_alphabetic))
                    || [" > ", " < ", " [< ", " [> ", " # ", " where "]
                        .iter()
                        .any(|word| rest.starts_with(word))
                    || words_behind(rest).starts_with("<-");
                let words = rest.trim_start();
                let gap = rest.len() - words.len();
                // yargs: `tool [file...]    Run it       [default]`.
                let words = words.strip_suffix("[default]").unwrap_or(words).trim_end();
                let is_remark = (gap >= 3 || gap == 2 && is_prose(words))
                    && (words.starts_with(|c: char| c.is_ascii_lowercase() || c == '(')
                        || is_prose(words)
                        || begins_sentence(words))
                    && words.contains(' ')
                    && !words.contains(['[', '<', '{', '|'])
                    && !words.contains("...");
                if is_redirect || is_remark {
                    end = at;
                    break;
                }
            }
            _ => {}
        }
    }
    let form = form.get(..end).unwrap_or(form).trim_end();
    // `tool [a] or`, and another form beneath.
    let form = form.strip_suffix(" or").unwrap_or(form);
    // A last remark in parentheses.
    match form.rsplit_once(" (") {
        Some((before, remark))
            if remark.ends_with(')')
                && remark.starts_with(|c: char| c.is_ascii_lowercase())
                && remark.contains(' ')
                && !remark.contains(['|', '[', '<', '.']) =>
        {
            before.trim_end()
        }
        _ => form,
    }
}

/// What stands behind two or more blanks.
fn words_behind(rest: &str) -> &str {
    if rest.starts_with("  ") { rest.trim_start() } else { "" }
}

/// Whether a text begins with a capitalized word, and goes on in small letters: `Run tests`.
fn begins_sentence(text: &str) -> bool {
    let mut words = text.split(' ');
    let is_lower = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
    let is_capitalized = words.next().is_some_and(|first| {
        first.starts_with(|c: char| c.is_ascii_uppercase()) && first.get(1..).is_some_and(is_lower)
    });
    is_capitalized && words.next().is_some_and(is_lower)
}

/// A line without what names the form: `Encoding: tool [file]`.
pub(super) fn without_label<'t>(text: &'t str, name: &str) -> &'t str {
    let program = name.split(' ').next().unwrap_or_default();
    let form = text.split_once(": ").filter(|(label, _)| label.chars().all(char::is_alphabetic));
    form.map(|(_, form)| form.trim_start())
        .filter(|form| !program.is_empty() && first_word(form) == program)
        .unwrap_or(text)
}

/// Number of lines of sentences between the word "usage" and the first form; none if a form follows at once.
fn sentences(lines: &[String], name: &str) -> Option<usize> {
    const MOST: usize = 12;
    let first = lines.iter().position(|line| !line.is_empty())?;
    let text = lines.get(first)?.trim();
    if !text.ends_with('.') || text.ends_with("..") || text.contains(['[', '<', '{']) {
        return None;
    }
    let mut words = name.split_whitespace();
    let (program, command) = (words.next()?, words.next_back());
    let begins = |line: &String| {
        let word = first_word(line.trim());
        word == program || command == Some(word)
    };
    lines.iter().take(MOST).position(begins)
}

/// Whether a line that begins with an option describes it.
pub(super) fn is_described(text: &str) -> bool {
    let (_, description) = specs(text, Place::Line(false));
    description.split_whitespace().count() > 1
}

/// Whether a line says what an argument is: `[reference number] selects a tune`.
fn is_explained(text: &str) -> bool {
    // kdb5_util: `where,`. jo: `word is key=value`.
    text.trim_end_matches([',', ':']).eq_ignore_ascii_case("where")
        || text.split(' ').nth(1) == Some("is")
        || text.split_once([']', '>']).is_some_and(|(_, rest)| {
            let rest = rest.trim_start_matches('*');
            rest.starts_with(' ') && is_prose(rest.trim_start_matches(" -"))
        })
}

/// Whether a line beneath a usage line is a remark: `(to execute a class)`, or a sentence.
pub fn is_prose(text: &str) -> bool {
    let is_plain =
        |word: &str| word.chars().all(|c| c.is_alphabetic() || matches!(c, ',' | '.' | '\'' | '"' | '-'));
    let words: Vec<&str> = text.trim_matches(['(', ')']).split_whitespace().collect();
    let plain: Vec<&&str> = words.iter().filter(|word| is_plain(word)).collect();
    let is_lower = plain.iter().filter(|word| word.chars().any(char::is_lowercase)).count() >= 3;
    let is_wrapped = text.starts_with('(') && text.ends_with(')') && !text.contains('|');
    is_lower && plain.len() * 4 >= words.len() * 3 && (is_wrapped || !text.contains(['[', '<', '|']))
}

/// Whether the last bracket of a text is not closed.
fn is_open(text: &str) -> bool {
    /// Bytes in which it must begin.
    const NEAR: usize = 2_000;
    text.bytes().rev().take(NEAR).find(|byte| matches!(byte, b'[' | b']')) == Some(b'[')
}

pub(super) fn first_word(text: &str) -> &str {
    base_name(text.split_whitespace().next().unwrap_or_default())
}

pub(super) fn base_name(word: &str) -> &str {
    let word = word.rsplit(['/', '\\']).next().unwrap_or(word);
    word.strip_suffix(".py").or_else(|| word.strip_suffix(".exe")).unwrap_or(word)
}

/// The words before anything that is not a plain word.
pub(super) fn leading_words(form: &str) -> String {
    let is_plain = |word: &str| {
        word.chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.' | '+'))
            && !word.starts_with(['-', '.'])
    };
    let mut words: Vec<&str> = Vec::new();
    let all: Vec<&str> = form.split_whitespace().collect();
    for (at, word) in all.iter().enumerate().take(4) {
        let word = if at == 0 { base_name(word) } else { word };
        // Without options behind them, words in lower case are arguments.
        if at > 0 && (!is_plain(word) || all.get(at + 1).is_none()) {
            break;
        }
        words.push(word);
    }
    words.join(" ")
}

pub(super) fn without_command<'a>(form: &'a str, command: &str) -> &'a str {
    let mut rest = form.trim().trim_start_matches("$ ").trim_start_matches("▸ ");
    // What runs the program.
    let runner = ["npx ", "python -m ", "python3 -m ", "sudo ", "node "]
        .iter()
        .find_map(|runner| rest.strip_prefix(runner));
    if let Some(program) = runner.filter(|program| Some(first_word(program)) == command.split(' ').next()) {
        rest = program;
    }
    let program = first_word(rest);
    for (at, expected) in command.split_whitespace().enumerate() {
        let word = rest.split_whitespace().next().unwrap_or_default();
        let is_same = base_name(word).eq_ignore_ascii_case(base_name(expected));
        if !(is_same || at == 0 && !word.starts_with(['[', '<', '-', '{', '('])) {
            break;
        }
        rest = rest.get(word.len()..).unwrap_or_default().trim_start();
    }
    // `btrfsck` is `btrfs check [options] <device>`.
    let is_other = command.split_whitespace().next().is_some_and(|own| base_name(own) != program);
    match rest.split_once(' ') {
        Some((word, arguments))
            if is_other
                && word.bytes().all(|byte| byte.is_ascii_lowercase())
                && arguments.trim_start().to_lowercase().starts_with("[option") =>
        {
            arguments.trim_start()
        }
        _ => rest,
    }
}
