//! Matching of a simple subset of regular expressions against a text, and against each other.
//!
//! The subset consists of literals, `.`, `\d`, `\w`, escaped punctuation, classes in brackets, the
//! greedy repetitions `*`, `+`, `?` and `{m,n}`, and `^` at the start and `$` at the end, over
//! ASCII text without line breaks; for every other pattern or text the answer is "unknown".

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::ops::RangeInclusive;
use std::str::Chars;

/// Most steps of one search.
const MAX_STEPS: usize = 2_000;

/// Most characters that one atom adds to a generated text.
const MAX_MADE: u32 = 100;

enum Set {
    Any,
    /// Ranges of characters, and whether the ranges are excluded.
    Ranges(Vec<(char, char)>, bool),
}

struct Atom {
    set: Set,
    least: u32,
    most: u32,
}

struct Pattern {
    from_start: bool,
    to_end: bool,
    atoms: Vec<Atom>,
}

/// Returns whether the pattern matches anywhere in the text; `None` if that is unknown.
pub(crate) fn is_match(pattern: &str, text: &str) -> Option<bool> {
    let pattern = read(pattern)?;
    if !text.is_ascii() || text.contains(['\n', '\r']) {
        // Validators differ on the meaning of `.`, `\w` and `$` in such texts.
        return None;
    }
    let text: Vec<char> = text.chars().collect();
    let mut steps = 0;
    let last = if pattern.from_start { 0 } else { text.len() };
    for start in 0..=last {
        if matches(&pattern.atoms, &text, start, pattern.to_end, &mut steps)? {
            return Some(true);
        }
    }
    Some(false)
}

/// Returns whether every text that matches the first pattern certainly matches the second: both describe whole texts,
/// and each part of the first is within that of the second.
pub(crate) fn is_within(inner: &str, outer: &str) -> bool {
    let (Some(inner), Some(outer)) = (read(inner), read(outer)) else { return false };
    let whole = |pattern: &Pattern| pattern.from_start && pattern.to_end;
    let part = |(inner, outer): (&Atom, &Atom)| {
        inner.least >= outer.least && inner.most <= outer.most && inner.set.is_within(&outer.set)
    };
    let parts = || inner.atoms.iter().zip(&outer.atoms).all(part);
    whole(&inner) && whole(&outer) && inner.atoms.len() == outer.atoms.len() && parts()
}

/// Generates texts that the pattern matches, of different characters where it allows them.
pub(crate) fn matching_texts(pattern: &str) -> Vec<String> {
    let Some(read) = read(pattern) else { return Vec::new() };
    let text = |preferred: &RangeInclusive<char>| {
        let mut text = String::new();
        for atom in &read.atoms {
            let mut letters = preferred.clone().chain('a'..='z').chain(' '..='~');
            let letter = letters.find(|letter| atom.set.has(*letter))?;
            text.extend(std::iter::repeat_n(letter, atom.least.min(MAX_MADE) as usize));
        }
        Some(text).filter(|text| is_match(pattern, text) == Some(true))
    };
    let made: BTreeSet<String> =
        ['a'..='f', 'g'..='z', 'A'..='Z', '0'..='9', '-'..='-'].iter().filter_map(text).collect();
    made.into_iter().collect()
}

fn matches(atoms: &[Atom], text: &[char], at: usize, to_end: bool, steps: &mut usize) -> Option<bool> {
    *steps += 1;
    if *steps > MAX_STEPS {
        return None;
    }
    let Some((atom, rest)) = atoms.split_first() else { return Some(!to_end || at == text.len()) };
    let mut taken = 0;
    loop {
        if taken >= atom.least && matches(rest, text, at + taken as usize, to_end, steps)? {
            return Some(true);
        }
        match text.get(at + taken as usize) {
            Some(found) if taken < atom.most && atom.set.has(*found) => taken += 1,
            _ => return Some(false),
        }
    }
}

impl Set {
    /// Returns whether all its characters are certainly among those of another set.
    fn is_within(&self, outer: &Self) -> bool {
        // Validators differ on line breaks and beyond ASCII, where a set has characters that leaves some out.
        let listed = matches!(self, Self::Ranges(_, false)) && !self.has('\n') && !self.has('\r');
        listed && ('\0'..='\x7f').all(|letter| !self.has(letter) || outer.has(letter))
    }

    fn has(&self, wanted: char) -> bool {
        match self {
            Self::Any => true,
            Self::Ranges(ranges, left_out) => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&wanted)) != *left_out
            }
        }
    }
}

fn read(pattern: &str) -> Option<Pattern> {
    if pattern.len() > 200 || !pattern.is_ascii() {
        return None;
    }
    let from_start = pattern.starts_with('^');
    let mut rest = pattern.strip_prefix('^').unwrap_or(pattern).chars().peekable();
    let mut atoms = Vec::new();
    let mut to_end = false;
    while let Some(next) = rest.next() {
        let set = match next {
            '$' if rest.peek().is_none() => {
                to_end = true;
                break;
            }
            '.' => Set::Any,
            '[' => class(&mut rest)?,
            '\\' => Set::Ranges(escaped(rest.next()?)?, false),
            '(' | ')' | '|' | '^' | '$' | '*' | '+' | '?' | '{' | '}' | ']' => return None,
            literal => Set::Ranges(vec![(literal, literal)], false),
        };
        let (least, most) = repetition(&mut rest)?;
        atoms.push(Atom { set, least, most });
    }
    (atoms.len() <= 40).then_some(Pattern { from_start, to_end, atoms })
}

fn escaped(letter: char) -> Option<Vec<(char, char)>> {
    match letter {
        'd' => Some(vec![('0', '9')]),
        'w' => Some(vec![('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')]),
        _ if letter.is_ascii_punctuation() => Some(vec![(letter, letter)]),
        _ => None,
    }
}

fn class(rest: &mut Peekable<Chars<'_>>) -> Option<Set> {
    let left_out = rest.next_if_eq(&'^').is_some();
    let mut ranges = Vec::new();
    loop {
        let first = match rest.next()? {
            ']' if ranges.is_empty() => return None,
            ']' => return Some(Set::Ranges(ranges, left_out)),
            '[' | '&' | '~' => return None,
            '\\' => {
                ranges.extend(escaped(rest.next()?)?);
                continue;
            }
            first => first,
        };
        if rest.next_if_eq(&'-').is_none() {
            ranges.push((first, first));
            continue;
        }
        match rest.next()? {
            ']' => {
                ranges.extend([(first, first), ('-', '-')]);
                return Some(Set::Ranges(ranges, left_out));
            }
            last if last.is_ascii_alphanumeric() && first <= last => ranges.push((first, last)),
            _ => return None,
        }
    }
}

fn repetition(rest: &mut Peekable<Chars<'_>>) -> Option<(u32, u32)> {
    let range = match rest.peek() {
        Some('*') => (0, u32::MAX),
        Some('+') => (1, u32::MAX),
        Some('?') => (0, 1),
        Some('{') => {
            rest.next();
            let inside: String = std::iter::from_fn(|| rest.next_if(|next| *next != '}')).collect();
            let range = match inside.split_once(',') {
                None => inside.parse().ok().map(|exact| (exact, exact))?,
                Some((least, "")) => (least.parse().ok()?, u32::MAX),
                Some((least, most)) => (least.parse().ok()?, most.parse().ok()?),
            };
            if rest.peek() != Some(&'}') || range.0 > range.1 {
                return None;
            }
            range
        }
        _ => return Some((1, 1)),
    };
    rest.next();
    // Lazy and possessive repetitions are not part of the subset.
    (!matches!(rest.peek(), Some('?' | '+' | '*' | '{'))).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_is_within_another_only_if_each_part_is() {
        for (inner, outer) in [
            ("^[A-Z]{3}$", "^[A-Z]{3}$"),
            ("^[A-Z]{3}$", "^[0-9A-Za-z]+$"),
            ("^[0-9a-f]{6}$", "^[0-9a-z]{4,8}$"),
            (r"^x\d$", "^[a-z][0-9]$"),
            ("^[A-Z]{3}$", "^.*$"),
        ] {
            assert!(is_within(inner, outer), "{inner} {outer}");
        }
        for (inner, outer) in [
            ("^[0-9A-Z]{3}$", "^[A-Z]{3}$"),
            ("^[A-Z]{3}$", "^[A-Z]{4}$"),
            ("^[A-Z]+$", "^[A-Z]{1,9}$"),
            ("[A-Z]{3}", "^[A-Z]{3}$"),
            ("^[A-Z]{3}$", "[A-Z]{3}"),
            ("^[^a]$", "^[b-z]$"),
            ("^.$", "^[ -z]$"),
            ("^(A|B)$", "^[A-Z]$"),
            ("^ab$", "^[a-z]{2}$"),
        ] {
            assert!(!is_within(inner, outer), "{inner} {outer}");
        }
    }

    #[test]
    fn texts_made_for_a_pattern_match_it_and_differ() {
        assert_eq!(matching_texts("^[0-9A-F]{3}$"), ["000", "AAA"]);
        assert_eq!(matching_texts("^[0-9a-z_-]{2}$"), ["--", "00", "aa", "gg"]);
        assert_eq!(matching_texts("^(x)$"), [""; 0]);
        assert_eq!(matching_texts("^[A-Z]{500}$"), [""; 0], "too long");
    }
}
