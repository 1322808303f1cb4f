//! Reads one flag.

use super::Place;
use super::cursor::Cursor;

/// A spelling of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Flag {
    pub(super) name: String,
    pub(super) negated: Option<String>,
}

impl Cursor<'_> {
    /// A flag: one or two dashes and a name; `--[no-]name` has two spellings. In an entry also a letter without a dash.
    pub(super) fn flag(&mut self) -> Option<Flag> {
        if self.is_letter() {
            let name = self.peek(0)?.to_string();
            self.at += 1;
            return Some(Flag { name, negated: None });
        }
        if self.looking_at("-/+") || self.peek(0) == Some('+') {
            return self.plus();
        }
        let dashes = self.chars.iter().skip(self.at).take_while(|c| **c == '-').count();
        if !(1..=2).contains(&dashes) {
            return None;
        }
        let mut ahead = dashes;
        let bracketed = ["[no-]", "[no]", "(no-)", "{no-}"]
            .into_iter()
            .find(|no| no.chars().enumerate().all(|(n, c)| self.peek(dashes + n) == Some(c)));
        ahead += bracketed.map_or(0, |no| no.chars().count());
        let start = ahead;
        while let Some(c) = self.peek(ahead) {
            let is_first = ahead == start;
            let next = self.peek(ahead + 1);
            let belongs = c.is_alphanumeric()
                || (is_first
                    && dashes == 1
                    && matches!(c, '?' | '#' | '@' | '!' | '%' | '$' | '+' | '*' | '_' | ':' | '.'))
                || (!is_first && matches!(c, '-' | '_' | '+'))
                || (!is_first && c == '.' && next.is_some_and(char::is_alphanumeric))
                || (!is_first
                    && c == ':'
                    && next.is_some_and(|next| next.is_lowercase())
                    && (dashes == 2 || self.has_value_behind(ahead + 1)));
            if !belongs {
                break;
            }
            ahead += 1;
            // `-###`.
            while is_first && c == '#' && self.peek(ahead) == Some('#') {
                ahead += 1;
            }
            // `-xV`: an upper-case name behind one letter is the value.
            if is_first && dashes == 1 && matches!(c, '?' | '#' | '@' | '!' | '%' | '$' | '*' | ':' | '.') {
                break;
            }
        }
        if ahead == start {
            return None;
        }
        let name: String = self.chars.get(self.at + start..self.at + ahead)?.iter().collect();
        // `--force-<thing>`, `--env.*`, `--create-self-sig…` stand for other names.
        let is_pattern = dashes == 2 && name.ends_with('-') && matches!(self.peek(ahead), Some('<' | '['));
        if is_pattern
            || self.peek(ahead) == Some('…')
            || self.peek(ahead) == Some('.') && self.peek(ahead + 1) == Some('*')
        {
            return None;
        }
        let name = if name == "." { name.as_str() } else { name.trim_end_matches(['-', '.']) };
        if name.is_empty() {
            return None;
        }
        // `-W<n>` is written `-Wn` where the value is upper-case: `-jN`, `-DNAME`.
        let mut letters = name.chars();
        let (first, rest) = (letters.next().unwrap_or_default(), letters.as_str());
        let is_value =
            |rest: &str| rest.len() > 1 && rest.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        if dashes == 1 && is_value(rest) && (first.is_lowercase() || rest.len() > 2) {
            self.at += start + first.len_utf8();
            return Some(Flag { name: format!("-{first}"), negated: None });
        }
        self.at += start + name.chars().count();
        let dash = if dashes == 1 { "-" } else { "--" };
        let negated = bracketed.map(|no| {
            let no: String = no.chars().filter(|c| c.is_alphabetic() || *c == '-').collect();
            format!("{dash}{no}{name}")
        });
        Some(Flag { name: format!("{dash}{name}"), negated })
    }

    /// ps: `a`, `O <format>`, and `p` of `-p, p, --pid`: a letter without a dash.
    pub(super) fn is_letter(&self) -> bool {
        let ends = self.peek(1).is_none() || [",", "  ", " <"].iter().any(|end| self.looks_ahead(1, end));
        self.place != Place::Usage && ends && self.peek(0).is_some_and(|c| c.is_ascii_alphabetic())
    }

    /// Whether a word ends before an upper-case name: `b` of `-pr:b PROFILE`.
    fn has_value_behind(&self, start: usize) -> bool {
        let mut rest = self.chars.iter().skip(self.at + start).skip_while(|c| c.is_ascii_lowercase());
        rest.next() == Some(&' ') && rest.take(2).filter(|c| c.is_ascii_uppercase()).count() == 2
    }

    /// X: `-/+ls`, of which the plus sign switches off. dig: `+[no]recurse`, `+timeout=T`.
    fn plus(&mut self) -> Option<Flag> {
        let is_pair = self.looking_at("-/+");
        let mut ahead = if is_pair { 3 } else { 1 };
        let is_negated = !is_pair && "[no]".chars().enumerate().all(|(n, c)| self.peek(ahead + n) == Some(c));
        ahead += if is_negated { 4 } else { 0 };
        let rest = self.chars.get(self.at + ahead..)?;
        let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let name: String = rest.iter().copied().take_while(is_part).collect();
        // `+LINE` is an argument.
        let is_argument = name.chars().count() > 1 && name.chars().all(|c| c.is_ascii_uppercase());
        if !name.starts_with(char::is_alphanumeric) || is_argument {
            return None;
        }
        self.at += ahead + name.chars().count();
        Some(match is_pair {
            true => Flag { name: format!("-{name}"), negated: Some(format!("+{name}")) },
            false => Flag { name: format!("+{name}"), negated: is_negated.then(|| format!("+no{name}")) },
        })
    }
}
