//! Reads the left side of an entry piece by piece.

use super::{Place, Spec};
use crate::definition::{Join, Value};
use crate::hints::bare;

/// What follows a flag.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) value: Value,
    pub(super) values: Vec<String>,
    pub(super) join: Join,
}

pub(super) struct Cursor<'a> {
    pub(super) chars: &'a [char],
    pub(super) at: usize,
    pub(super) place: Place,
}

impl Cursor<'_> {
    pub(super) fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn looking_at(&self, text: &str) -> bool {
        self.looks_ahead(0, text)
    }

    /// Whether a text stands so many characters ahead.
    pub(super) fn looks_ahead(&self, ahead: usize, text: &str) -> bool {
        text.chars().enumerate().all(|(at, c)| self.peek(ahead + at) == Some(c))
    }

    fn blanks(&self) -> usize {
        self.chars.iter().skip(self.at).take_while(|c| **c == ' ').count()
    }

    pub(super) fn rest(&self) -> String {
        let rest: String = self.chars.iter().skip(self.at).collect();
        rest.trim().trim_start_matches([':', '–']).trim().to_owned()
    }

    /// The values of the flag just read.
    pub(super) fn values(&mut self) -> Written {
        let mut values = Vec::new();
        let mut value = Value::None;
        let mut join = Join::Space;
        match (self.peek(0), self.peek(1)) {
            (Some('['), second) => {
                join = match second {
                    Some('=') => Join::Equals,
                    Some(':') => Join::Colon,
                    _ => Join::Glued,
                };
                let token = self.token();
                value = if is_bracketed(&token) { Value::Optional } else { Value::Required };
                values.push(token);
            }
            (Some('='), Some(c)) if c != ' ' => {
                join = Join::Equals;
                self.at += 1;
                let token = self.token();
                // `--volume=[]`: a list of values.
                value = if is_bracketed(&token) && !token.contains('|') && token != "[]" {
                    Value::Optional
                } else {
                    Value::Required
                };
                values.push(token);
            }
            (Some('<' | '{'), _) => {
                join = Join::Glued;
                value = Value::Required;
                values.push(self.token());
            }
            (Some(':'), Some(c)) if c != ' ' => {
                join = Join::Colon;
                self.at += 1;
                value = Value::Required;
                values.push(self.token());
            }
            // `-T#`: a number.
            (Some('#'), _) => {
                join = Join::Glued;
                self.at += 1;
                value = Value::Required;
                values.push("#".to_owned());
            }
            // `--key, <path>    its path`: a comma too many.
            (Some(','), Some(' ')) if self.looking_at(", <") => {
                self.at += 2;
                value = Value::Required;
                values.push(self.token());
            }
            (Some(','), Some('<' | '[')) => {
                join = Join::Glued;
                self.at += 1;
                value = Value::Required;
                values.push(self.token());
            }
            (Some(c), _) if c.is_alphanumeric() => {
                // The rest of `-xV`.
                join = Join::Glued;
                value = Value::Required;
                values.push(self.token());
            }
            (Some('='), _) => {
                // `--x= V`, or a value without a name.
                join = Join::Equals;
                self.at += 1;
                value = Value::Required;
            }
            _ => {}
        }
        // typer writes the type of switches, too.
        if values.is_empty()
            && let Some(token) = self.type_in_column().filter(|token| token != "<bool>")
        {
            values.push(token);
            value = Value::Required;
        }
        while values.len() < 4 && self.is_value_next(!values.is_empty()) {
            self.at += 1;
            let mut token = self.token();
            // click: `--count INTEGER RANGE`.
            if ["INTEGER", "FLOAT"].contains(&token.as_str()) && self.looking_at(" RANGE") {
                self.at += 6;
                token.push_str(" RANGE");
            }
            // pflag: `--pull string[="true"]`, `--rerun int[=2]`.
            let implicit = token.find("[=").filter(|at| {
                let is_quoted =
                    token.get(*at..).is_some_and(|rest| rest.starts_with("[=\"") && rest.ends_with("\"]"));
                is_quoted || token.ends_with(']') && token.get(..*at).is_some_and(is_go_type)
            });
            token.truncate(implicit.unwrap_or(token.len()));
            let optional = implicit.is_some()
                || is_bracketed(&token) && !token.contains('|') && !is_list_of_type(&token);
            if value == Value::None {
                value = if optional { Value::Optional } else { Value::Required };
            }
            if token == "..." || token == "…" {
                if let Some(last) = values.last_mut() {
                    last.push_str("...");
                }
            } else {
                values.push(token);
            }
            // `USER[:PASS] | TOKEN`: another form of the same value.
            while self.looking_at(" | ") && self.peek(3).is_some_and(|c| c.is_ascii_uppercase() || c == '<') {
                self.at += 3;
                let other = self.token();
                if let Some(last) = values.last_mut() {
                    last.push('|');
                    last.push_str(&other);
                }
            }
        }
        Written { value, values, join }
    }

    /// rich: moves behind a type in a column of its own, `--host    <str>   description`.
    fn type_in_column(&mut self) -> Option<String> {
        let blanks = self.blanks();
        if blanks < 2 {
            return None;
        }
        let mut ahead = Cursor { chars: self.chars, at: self.at + blanks, place: self.place };
        let token = ahead.token();
        let is_range = token.ends_with(" range>") && ahead.looking_at(" [");
        // `INTEGER RANGE`
        if ahead.looking_at(" RANGE ") {
            ahead.at += 6;
        }
        // karma: `--port    <integer> Port of the server`.
        let is_sentence = token.starts_with('<')
            && ahead.peek(0) == Some(' ')
            && ahead.peek(1).is_some_and(|c| c.is_ascii_uppercase());
        let is_end = ahead.blanks() >= 2 || ahead.at >= self.chars.len() || is_range || is_sentence;
        let is_upper = |c: char| c.is_ascii_uppercase() || matches!(c, '_' | '-');
        let is_type = token.starts_with('<') && token.ends_with('>')
            || token.starts_with('[') && token.ends_with(']') && token.contains('|')
            || token == "#"
            || token.starts_with("#[")
            || token.len() > 2
                && token.chars().all(is_upper)
                && token.starts_with(|c: char| c.is_ascii_uppercase());
        if !(is_type && is_end) {
            return None;
        }
        self.at = ahead.at;
        Some(token)
    }

    /// Whether a value stands behind one blank, and no description.
    fn is_value_next(&self, is_second: bool) -> bool {
        if self.peek(0) != Some(' ') || self.peek(1).is_none_or(|c| c == ' ') {
            return false;
        }
        let ahead = Cursor { chars: self.chars, at: self.at + 1, place: self.place };
        let c = ahead.peek(0).unwrap_or_default();
        let mut after = Cursor { chars: self.chars, at: ahead.at, place: self.place };
        let token = after.token();
        // git: `--empty (stop|drop|keep)`.
        let is_list = c == '(' && token.contains('|') && !token.contains(' ');
        // `--dns /etc/resolv.conf    servers`, but `-x / --y`.
        let is_path = c == '/' && token.len() > 2 && !token.starts_with("/-") && after.blanks() >= 2;
        if c == '-' || c == '|' || c == '/' && !is_path || c == '(' && self.place != Place::Usage && !is_list
        {
            return false;
        }
        if is_list {
            return true;
        }
        let is_signed = token.starts_with("[-") && token.chars().count() <= 5
            || token.starts_with("[-]")
            || token.starts_with("[-/");
        if matches!(c, '<' | '{')
            || (c == '[' && !says_default(&token) && (!token.starts_with("[-") || is_signed))
            || (token == "#" && after.peek(0) == Some(' '))
        {
            return true;
        }
        if token == "..." || token == "…" {
            return true;
        }
        let word = token.trim_end_matches([',', '.']);
        if word == "or" || word.is_empty() {
            return false;
        }
        if self.place == Place::Usage {
            return true;
        }
        let stem = word.split('[').next().filter(|stem| !stem.is_empty()).unwrap_or(word);
        let is_upper = stem.chars().next().is_some_and(|c| c.is_ascii_uppercase() || c == '\'')
            && stem.chars().all(|c| !c.is_ascii_lowercase());
        let follows = after.blanks();
        let is_at_end = after.at >= self.chars.len();
        if is_upper {
            // `-x A description`: a lone capital letter before a word in lower case.
            // argparse: `--pair A B   description` has two values.
            let is_pair =
                || after.peek(1).is_some_and(|c| c.is_ascii_uppercase()) && after.looks_ahead(2, "  ");
            let begins_sentence = matches!(word, "A" | "I" | "DO" | "NOT") && follows == 1 && !is_pair();
            return !begins_sentence;
        }
        if is_second {
            if after.looking_at(", -") {
                return word.chars().all(|c| c.is_ascii_lowercase());
            }
            return self.place != Place::Usage
                && word.len() <= 8
                && follows >= 2
                && word.chars().all(|c| c.is_ascii_lowercase());
        }
        // `--clear v1|v2 clear space`: no description begins so.
        let is_list = word.contains('|')
            && word.split('|').all(|part| {
                part.starts_with(|c: char| c.is_ascii_alphanumeric())
                    && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            });
        if is_list {
            return true;
        }
        // nginx: `-g directives : set them`.
        if after.looking_at(" : ") {
            return true;
        }
        // global: `-g, --grep pattern [files]`, with the description beneath.
        let tail = after.rest();
        let inner = tail.strip_prefix('[').and_then(|tail| tail.strip_suffix(']'));
        if self.place == Place::Line(true) && inner.is_some_and(|inner| !inner.contains(['[', ']'])) {
            return word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        }
        // A word in lower case: a value if a column of descriptions, another flag or the end of the line follows.
        if follows == 1 && word.len() <= 8 && word.chars().all(|c| c.is_ascii_lowercase()) {
            // `--arg a v   set $a to v`: two short names before the column of descriptions.
            let mut second = Cursor { chars: self.chars, at: after.at + 1, place: self.place };
            let next = second.token();
            let is_name = !next.is_empty() && next.len() <= 8 && next.chars().all(|c| c.is_ascii_lowercase());
            // argparse: `--range line line, --lines line line`, `--dir d [d ...]`.
            let is_repeated = next.strip_prefix('[').is_some_and(|next| next == format!("{word} ...]"));
            return is_name && (second.blanks() >= 2 || second.looking_at(", -")) || is_repeated;
        }
        match follows {
            0 if after.looking_at(", -") => true,
            0 if is_at_end => self.place == Place::Line(true) || is_type(word),
            0 => false,
            1 => after.peek(1) == Some('-') && token.ends_with(','),
            _ => word.len() <= 48,
        }
    }

    /// Text up to a blank or a comma that ends it, outside of brackets and quotes.
    fn token(&mut self) -> String {
        let start = self.at;
        let mut depth = 0_usize;
        let mut quote = None;
        while let Some(c) = self.peek(0) {
            match (c, quote) {
                (c, Some(open)) if c == open => quote = None,
                (_, Some(_)) => {}
                ('\'' | '"', None) if self.at == start => quote = Some(c),
                ('[' | '<' | '{' | '(', None) => depth += 1,
                (']' | '>' | '}' | ')', None) if depth == 0 => break,
                (']' | '>' | '}' | ')', None) => depth -= 1,
                (' ', None) if depth == 0 => break,
                (',', None) if depth == 0 && matches!(self.peek(1), Some(' ') | None) => break,
                (',', None) if depth == 0 && self.peek(1) == Some('-') => break,
                ('|' | '/', None) if depth == 0 && self.peek(1) == Some('-') => break,
                _ => {}
            }
            self.at += 1;
        }
        // pdftocairo: `<string>: what it is`.
        if self.at > start + 1 && self.chars.get(self.at - 2..self.at) == Some(&['>', ':']) {
            self.at -= 1;
        }
        self.chars.get(start..self.at).unwrap_or_default().iter().collect()
    }

    /// Whether the flag here is written like the only one of an option, with as many dashes, and switches nothing off.
    fn is_like(&self, last: &Spec) -> bool {
        let is_long = self.looking_at("--");
        let [flag] = last.flags.as_slice() else { return false };
        let is_no =
            self.looking_at("--no") || flag.starts_with("--no") || self.looking_at("-?") || flag == "-?";
        is_long == flag.starts_with("--") && !is_no
    }

    /// rich: `--reload  --no-reload`, `--entrypoint  -e  <str>  description`: further spellings in columns.
    fn is_in_column(&self, last: &Spec) -> bool {
        let mut ahead = Cursor { chars: self.chars, at: self.at, place: self.place };
        let Some(next) = ahead.flag() else { return false };
        // axel: `--max-speed=x    -s x    description`.
        let has_same = !last.values.is_empty() && {
            let values = ahead.values().values;
            let plain = |value: &String| bare(value).trim_start_matches('=').to_owned();
            values.iter().map(plain).eq(last.values.iter().map(plain))
        };
        let ends = ahead.blanks() >= 2 || ahead.at >= self.chars.len();
        let off = next.name.strip_prefix("--no-").map(|rest| format!("--{rest}"));
        let is_off = off.is_some_and(|off| last.flags.contains(&off));
        let is_letter = next.name.chars().count() == 2 || ends && next.name.chars().count() < 5;
        let is_short =
            is_letter && !next.name.starts_with("--") && last.flags.iter().all(|flag| flag.starts_with("--"));
        // patch: `-s  --quiet  --silent  description`.
        let is_third = next.name.starts_with("--") && last.flags.len() == 2;
        // iptables: `--append  -A chain    description`.
        let is_only = last.flags.len() == 1 && last.negated.is_empty();
        (has_same && ends && is_short)
            || last.values.is_empty() && (ends && (is_off || is_third) || is_short && (ends || is_only))
    }

    /// Moves to the next flag, if one follows: whether it is another spelling of the same option.
    pub(super) fn separator(&mut self, last: Option<&Spec>) -> Option<bool> {
        let before = self.at;
        let blanks = self.blanks();
        let is_flag_at = |cursor: &Self| {
            cursor.peek(0) == Some('-') && cursor.peek(1).is_some_and(|c| c != ' ' && c != '-')
                || cursor.looking_at("--") && cursor.peek(2).is_some_and(|c| c.is_alphanumeric() || c == '[')
        };
        for (mark, joins) in
            [(",", true), ("|", true), ("/", true), ("or ", true), ("and ", true), (";", false)]
        {
            let mut ahead = Cursor { chars: self.chars, at: self.at + blanks, place: self.place };
            if !ahead.looking_at(mark) || (blanks == 0 && mark.len() > 1) {
                continue;
            }
            ahead.at += mark.chars().count();
            ahead.at += ahead.blanks();
            if is_flag_at(&ahead) || mark == "," && ahead.is_letter() {
                self.at = ahead.at;
                // `-n/-R`: two options, but `-h/--help`, `--x/--no-x` and click's `--x / --y` are one.
                let is_other = mark == "/" && blanks == 0 && last.is_some_and(|last| ahead.is_like(last));
                return Some(joins && !is_other);
            }
        }
        let ahead = Cursor { chars: self.chars, at: self.at + blanks, place: self.place };
        if blanks > 0 && is_flag_at(&ahead) {
            let long = ahead.looking_at("--");
            // dcmtk: `-ll    --log-level`.
            let most = if blanks > 1 { 3 } else { 2 };
            let short = |flag: &String| !flag.starts_with("--") && (2..=most).contains(&flag.chars().count());
            let in_columns = (blanks > 1 || ahead.peek(1) != Some('-'))
                && self.place != Place::Usage
                && last.is_some_and(|last| ahead.is_in_column(last));
            let pairs = last.is_some_and(|last| last.flags.iter().all(short)) && long || in_columns;
            // In a column, only the long spelling of a short one; else several options in a line.
            if pairs || blanks == 1 || self.place == Place::Usage {
                self.at = ahead.at;
                return Some(pairs);
            }
        }
        self.at = before;
        None
    }
}

/// Whether one pair of brackets holds all of it: `[FILE]`, and not `[HOST:]PORT`.
fn is_bracketed(token: &str) -> bool {
    let mut depth = 0_usize;
    for (at, c) in token.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at > 0 && token.get(at + 1..).is_some_and(|rest| rest.trim_start_matches('.').is_empty());
        }
    }
    false
}

/// optionator: `[String]`, a list of one or more.
fn is_list_of_type(token: &str) -> bool {
    ["[String]", "[Int]", "[Number]", "[path::String]"].contains(&token)
}

/// Names of values in lower case that programs print by themselves.
fn is_type(word: &str) -> bool {
    const TYPES: &[&str] = &[
        "string", "int", "integer", "uint", "float", "number", "duration", "value", "file", "path", "dir",
        "name", "list", "strings", "key", "arg", "num", "size", "count", "port", "url", "regexp", "level",
        "filename",
    ];
    TYPES.contains(&word)
}

/// Whether pflag calls values so.
fn is_go_type(word: &str) -> bool {
    ["string", "strings", "stringArray", "int", "ints", "uint", "bool", "float", "duration", "count"]
        .contains(&word)
}

/// Whether brackets say the default: `[default: x]`, but not `[default|minimal]`.
fn says_default(token: &str) -> bool {
    let Some(rest) = token.strip_prefix("[default") else { return false };
    !token.contains('|') && rest.starts_with([':', '=', ']', ' ', '\''])
}
