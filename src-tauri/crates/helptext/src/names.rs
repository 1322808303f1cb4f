//! Names of properties.

use std::collections::HashSet;

/// The property of an option: its longest flag, of those as long the first.
pub fn of_flags(flags: &[String]) -> String {
    let name = |flag: &String| flag.trim_start_matches('-').to_owned();
    let longest = flags.iter().map(name).fold(String::new(), |best, name| {
        if name.chars().count() > best.chars().count() { name } else { best }
    });
    plain(&longest)
}

/// Letters, digits and `_`; never empty, and never with a digit first.
pub fn plain(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars().take(64) {
        match c {
            c if c.is_ascii_alphanumeric() => name.push(c),
            '-' | '_' | '.' | ':' | ' ' | '/' if !name.ends_with('_') => name.push('_'),
            '?' => name.push_str("question"),
            '#' => name.push_str("hash"),
            '@' => name.push_str("at"),
            _ => {}
        }
    }
    let name = name.trim_matches('_');
    match name.chars().next() {
        None => "value".to_owned(),
        Some(c) if c.is_ascii_digit() => format!("n{name}"),
        Some(_) => name.to_owned(),
    }
}

/// Gives names that differ: the second `x` becomes `x_2`.
#[derive(Debug, Default)]
pub struct Unique {
    taken: HashSet<String>,
}

impl Unique {
    pub fn name(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        let mut number = 2_u32;
        while !self.taken.insert(free.clone()) {
            free = format!("{name}_{number}");
            number += 1;
        }
        free
    }
}
