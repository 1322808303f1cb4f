//! The left side of an option's entry: flags, what separates them, and values.

mod cursor;
mod flag;

use crate::definition::{Join, Value};
use cursor::{Cursor, Written};
use flag::Flag;

/// Flags that belong together, and their value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spec {
    pub flags: Vec<String>,
    pub negated: Vec<String>,
    pub value: Value,
    /// Names of the values as written, with brackets.
    pub values: Vec<String>,
    /// How the longest flag with a value is joined to it.
    pub join: Join,
}

/// What is around an entry, which decides whether a word is a value or the description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A line of its own; `true` if the next line is indented more, so that it can be the description.
    Line(bool),
    /// An element of a usage line: everything is part of the option.
    Usage,
}

/// Most options in one line.
const MAX_SPECS: usize = 64;

/// Parses a line that begins with `-`: its options, and the description behind them. Nothing if it is no option.
pub fn specs(line: &str, place: Place) -> (Vec<Spec>, String) {
    let chars: Vec<char> = line.trim().chars().collect();
    let mut cursor = Cursor { chars: &chars, at: 0, place };
    let mut specs: Vec<Spec> = Vec::new();
    let mut joins = false;
    // click: `--clean / --dirty`.
    let mut is_pair = false;
    // `-oN/-oX <file>`: where options follow each other with a slash, the value of the last is that of all.
    let mut shares = 0;
    while specs.len() < MAX_SPECS {
        let Some(flag) = cursor.flag() else { break };
        let mut written = cursor.values();
        // argparse: `--set name=value, -S name=value`, at the end of a line.
        if joins
            && written.values.is_empty()
            && let Some([value]) = specs.last().map(|last| last.values.as_slice())
            && cursor.rest() == *value
        {
            cursor.at = chars.len();
            written.values.push(value.clone());
            written.value = Value::Required;
        }
        for earlier in specs.iter_mut().rev().take(shares).filter(|_| !joins && written.value != Value::None)
        {
            (earlier.value, earlier.values, earlier.join) =
                (written.value, written.values.clone(), written.join);
        }
        match specs.last_mut() {
            Some(last) if joins && is_pair && written.value == Value::None && last.switches_off(&flag) => {
                last.negated.push(flag.name);
            }
            Some(last) if joins => last.join(flag, written),
            _ => specs.push(Spec::of(flag, written)),
        }
        let is_slash = cursor.looking_at("/");
        is_pair = cursor.looking_at(" / --");
        match cursor.separator(specs.last()) {
            Some(next_joins) => joins = next_joins,
            None => break,
        }
        let last_has_value = specs.last().is_some_and(|last| last.value != Value::None);
        shares = if is_slash && !joins && !last_has_value { shares + 1 } else { 0 };
    }
    (specs, cursor.rest())
}

impl Spec {
    fn of(flag: Flag, written: Written) -> Self {
        let Written { value, values, join } = written;
        let mut spec = Self { value, values, join, ..Self::default() };
        spec.add(flag);
        spec
    }

    fn add(&mut self, flag: Flag) {
        let Flag { name, negated } = flag;
        // `--x / --no-x`: the second switches the first off.
        let switched_off = name.strip_prefix("--no-").map(|rest| format!("--{rest}"));
        if switched_off.is_some_and(|off| self.flags.contains(&off)) {
            self.negated.push(name);
        } else if !self.flags.contains(&name) {
            self.flags.push(name);
        }
        self.negated.extend(negated);
    }

    /// Whether a flag behind ` / ` is for the opposite: neither the long spelling of a letter nor another way to write it
    /// (`--colour / --color`, `--out / --output`).
    fn switches_off(&self, flag: &Flag) -> bool {
        let plain = |name: &str| name.replace('u', "").replace('s', "z");
        let other = plain(&flag.name);
        let is_alike = |known: &&String| plain(known).starts_with(&other) || other.starts_with(&plain(known));
        let mut long = self.flags.iter().filter(|known| known.starts_with("--")).peekable();
        let is_help = ["--help", "--usage", "--version"].contains(&flag.name.as_str());
        self.value == Value::None && !is_help && long.peek().is_some() && !long.any(|known| is_alike(&known))
    }

    fn join(&mut self, flag: Flag, written: Written) {
        let Written { value, values, join } = written;
        // `--check, --check=quiet`: alone or with a value.
        if self.flags.contains(&flag.name) && self.values.is_empty() != values.is_empty() {
            self.value = Value::Optional;
            self.join = if values.is_empty() { self.join } else { join };
            self.values.extend(values);
            return;
        }
        // `--check=quiet, --check=silent`: two values of one option.
        if self.flags.contains(&flag.name)
            && let ([own], [other]) = (self.values.as_mut_slice(), values.as_slice())
            && [own.as_str(), other].iter().all(|value| is_literal(value))
        {
            own.push('|');
            own.push_str(other);
            return;
        }
        let is_longest = self.flags.iter().all(|known| known.chars().count() <= flag.name.chars().count());
        if is_longest && !values.is_empty() || self.values.is_empty() {
            self.join = join;
        }
        self.add(flag);
        // `-x, --x[=V]`: the spelling that says more about the value decides.
        let says = |value: Value| !matches!(value, Value::None | Value::Unknown);
        if says(value) && (!says(self.value) || value == Value::Optional) {
            self.value = value;
        }
        if self.values.is_empty() {
            self.values = values;
        }
    }
}

/// Whether a value is written as itself, not as a name for others: `off`. Several are separated by bars.
pub fn is_literal(value: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '|');
    !value.is_empty() && value.chars().all(is_part)
}

#[cfg(test)]
mod tests;
