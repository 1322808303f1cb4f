//! Regular expressions of ECMA-262, translated for the libraries of other languages.
//!
//! Character classes are written out as ranges, because languages disagree about what `\d`, `\w`, `\s` and `.` contain.
//! What cannot be translated exactly is not translated, nor what may take exponential time.

use std::fmt::Write;

use crate::ambiguous::is_ambiguous;
use crate::ranges::{DIGIT, LINE_ENDS, Ranges, SPACE, WORD, complement, normal};

/// Longest expression in characters.
const MAX_LENGTH: usize = 4_000;
/// Longest translation in bytes; a property of Unicode becomes several thousand.
const MAX_BYTES: usize = 64 << 10;
/// Most ranges in a class as it is written.
const MAX_RANGES: usize = 20_000;
/// Deepest nesting of groups.
const MAX_DEPTH: usize = 40;
/// Largest number of repetitions.
const MAX_REPEAT: u32 = 10_000;
/// The library an expression is translated for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Python,
    JavaScript,
}

/// Translates for Python's `re`.
pub fn python(pattern: &str) -> Option<String> {
    translate(pattern, Target::Python)
}

/// Translates for `RegExp` with the flag `u`.
pub fn javascript(pattern: &str) -> Option<String> {
    translate(pattern, Target::JavaScript)
}

fn translate(pattern: &str, target: Target) -> Option<String> {
    let chars: Vec<char> = pattern.chars().collect();
    if chars.len() > MAX_LENGTH || is_ambiguous(pattern) {
        return None;
    }
    let mut reader = Reader { chars, at: 0, out: String::new(), target, depth: 0 };
    reader.alternatives()?;
    (reader.at == reader.chars.len()).then_some(reader.out)
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    out: String,
    target: Target,
    depth: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    fn take(&mut self, text: &str) -> bool {
        let found =
            text.chars().enumerate().all(|(ahead, letter)| self.chars.get(self.at + ahead) == Some(&letter));
        if found {
            self.at += text.chars().count();
        }
        found
    }

    fn alternatives(&mut self) -> Option<()> {
        loop {
            while self.peek().is_some_and(|letter| letter != '|' && letter != ')') {
                self.term()?;
                if self.out.len() > MAX_BYTES {
                    return None;
                }
            }
            if !self.take("|") {
                return Some(());
            }
            self.out.push('|');
        }
    }

    fn term(&mut self) -> Option<()> {
        let repeats = match self.next()? {
            '^' => {
                self.out.push('^');
                false
            }
            '$' => {
                self.out.push_str(if self.target == Target::Python { "\\Z" } else { "$" });
                false
            }
            '(' => self.group()?,
            '[' => {
                let ranges = self.class()?;
                self.ranges(&ranges);
                true
            }
            '.' => {
                self.ranges(&complement(LINE_ENDS));
                true
            }
            '\\' => self.escape()?,
            '*' | '+' | '?' => return None,
            '{' => {
                // A brace that starts no quantifier is itself.
                self.at -= 1;
                if self.quantifier()?.is_some() {
                    return None;
                }
                self.at += 1;
                self.literal('{' as u32);
                true
            }
            letter => {
                self.literal(letter as u32);
                true
            }
        };
        match self.quantifier()? {
            Some(_) if !repeats => None,
            Some(text) => {
                self.out.push_str(&text);
                Some(())
            }
            None => Some(()),
        }
    }

    /// The quantifier that follows, if any; no result if it is wrong.
    fn quantifier(&mut self) -> Option<Option<String>> {
        let mut text = match self.peek() {
            Some(sign @ ('*' | '+' | '?')) => {
                self.at += 1;
                sign.to_string()
            }
            Some('{') => {
                let start = self.at;
                self.at += 1;
                let low = self.digits();
                let (comma, high) = if self.take(",") { (true, self.digits()) } else { (false, None) };
                let (Some(low), true) = (low, self.take("}")) else {
                    self.at = start;
                    return Some(None);
                };
                let high = if comma { high } else { Some(low) };
                if low > MAX_REPEAT || high.is_some_and(|high| high > MAX_REPEAT || high < low) {
                    return None;
                }
                match high {
                    Some(high) if high == low => format!("{{{low}}}"),
                    Some(high) => format!("{{{low},{high}}}"),
                    None => format!("{{{low},}}"),
                }
            }
            _ => return Some(None),
        };
        if self.take("?") {
            text.push('?');
        }
        Some(Some(text))
    }

    fn digits(&mut self) -> Option<u32> {
        let start = self.at;
        while self.peek().is_some_and(|letter| letter.is_ascii_digit()) {
            self.at += 1;
        }
        let text: String = self.chars[start..self.at].iter().collect();
        (!text.is_empty()).then(|| text.parse().unwrap_or(u32::MAX))
    }

    /// A group after its parenthesis. Whether it can be repeated.
    fn group(&mut self) -> Option<bool> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let repeats = if self.take("?:") {
            self.out.push_str("(?:");
            true
        } else if self.take("?=") {
            self.out.push_str("(?=");
            false
        } else if self.take("?!") {
            self.out.push_str("(?!");
            false
        } else if self.peek() == Some('?') {
            // Groups with names and what looks behind: libraries disagree.
            return None;
        } else {
            self.out.push_str("(?:");
            true
        };
        self.alternatives()?;
        self.depth -= 1;
        if !self.take(")") {
            return None;
        }
        self.out.push(')');
        Some(repeats)
    }

    /// An escape outside a class. Whether it can be repeated.
    fn escape(&mut self) -> Option<bool> {
        match self.peek()? {
            sign @ ('b' | 'B') => {
                self.at += 1;
                match self.target {
                    Target::Python => write!(self.out, "(?a:\\{sign})").ok()?,
                    Target::JavaScript => write!(self.out, "\\{sign}").ok()?,
                }
                Some(false)
            }
            // References to groups match differently where the group is not set.
            '1'..='9' | 'k' => None,
            _ => {
                let ranges = self.escaped()?;
                match ranges.as_slice() {
                    [(first, last)] if first == last => self.literal(*first),
                    ranges => self.ranges(ranges),
                }
                Some(true)
            }
        }
    }

    /// What an escape stands for, after its backslash.
    fn escaped(&mut self) -> Option<Ranges> {
        let one = |code: u32| vec![(code, code)];
        Some(match self.next()? {
            'd' => DIGIT.to_vec(),
            'D' => complement(DIGIT),
            'w' => WORD.to_vec(),
            'W' => complement(WORD),
            's' => SPACE.to_vec(),
            'S' => complement(SPACE),
            't' => one(9),
            'n' => one(10),
            'v' => one(11),
            'f' => one(12),
            'r' => one(13),
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => one(0),
            'c' => one(u32::from(self.next().filter(char::is_ascii_alphabetic)?) % 32),
            'x' => one(self.hex(2)?),
            'u' => one(self.unicode()?),
            sign @ ('p' | 'P') => {
                let ranges = self.property()?;
                if sign == 'p' { ranges } else { complement(&ranges) }
            }
            letter if letter.is_ascii_alphanumeric() => return None,
            letter => one(letter as u32),
        })
    }

    fn hex(&mut self, length: usize) -> Option<u32> {
        let text: String = self.chars.get(self.at..self.at + length)?.iter().collect();
        self.at += length;
        text.chars().all(|letter| letter.is_ascii_hexdigit()).then(|| u32::from_str_radix(&text, 16).ok())?
    }

    /// A code point after `\u`: four digits, two halves of four digits, or any number in braces.
    fn unicode(&mut self) -> Option<u32> {
        if self.take("{") {
            let end = self.chars[self.at..].iter().position(|letter| *letter == '}')?;
            let code = (end > 0 && end <= 6).then(|| self.hex(end))??;
            self.at += 1;
            return char::from_u32(code).map(u32::from);
        }
        let high = self.hex(4)?;
        if (0xd800..0xdc00).contains(&high) && self.take("\\u") {
            let low = self.hex(4)?;
            let low = (0xdc00..0xe000).contains(&low).then_some(low)?;
            return Some(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00));
        }
        char::from_u32(high).map(u32::from)
    }

    /// Characters with a property of Unicode.
    fn property(&mut self) -> Option<Ranges> {
        if !self.take("{") {
            return None;
        }
        let end = self.chars[self.at..].iter().position(|letter| *letter == '}')?;
        let name: String = self.chars[self.at..self.at + end].iter().collect();
        self.at += end + 1;
        let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_=".contains(letter));
        let hir =
            regex_syntax::parse(&format!("\\p{{{name}}}")).ok().filter(|_| is_name && !name.is_empty())?;
        let regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) = hir.kind() else {
            return None;
        };
        Some(class.ranges().iter().map(|range| (u32::from(range.start()), u32::from(range.end()))).collect())
    }

    /// A class after its bracket.
    fn class(&mut self) -> Option<Ranges> {
        let negated = self.take("^");
        let mut ranges = Vec::new();
        loop {
            if self.take("]") {
                break;
            }
            if ranges.len() > MAX_RANGES {
                return None;
            }
            let first = self.class_atom()?;
            let dash =
                self.peek() == Some('-') && self.chars.get(self.at + 1).is_some_and(|next| *next != ']');
            if !dash {
                ranges.extend(first);
                continue;
            }
            self.at += 1;
            let last = self.class_atom()?;
            match (first.as_slice(), last.as_slice()) {
                ([(low, end)], [(start, high)]) if low == end && start == high => {
                    ranges.push((low <= high).then_some((*low, *high))?);
                }
                // A dash beside a class is itself.
                _ => {
                    ranges.extend(first);
                    ranges.push((0x2d, 0x2d));
                    ranges.extend(last);
                }
            }
        }
        let ranges = normal(ranges);
        Some(if negated { complement(&ranges) } else { ranges })
    }

    fn class_atom(&mut self) -> Option<Ranges> {
        match self.next()? {
            '\\' if self.take("b") => Some(vec![(8, 8)]),
            '\\' if self.take("-") => Some(vec![(0x2d, 0x2d)]),
            '\\' => self.escaped(),
            letter => Some(vec![(letter as u32, letter as u32)]),
        }
    }

    fn ranges(&mut self, ranges: &[(u32, u32)]) {
        if ranges.is_empty() {
            self.out.push_str("(?!)");
            return;
        }
        self.out.push('[');
        for (first, last) in ranges {
            self.code(*first);
            if first != last {
                self.out.push('-');
                self.code(*last);
            }
        }
        self.out.push(']');
    }

    fn literal(&mut self, code: u32) {
        self.code(code);
    }

    /// A character that stands for itself inside and outside of classes.
    fn code(&mut self, code: u32) {
        let plain = char::from_u32(code)
            .filter(|letter| letter.is_ascii_alphanumeric() || "_ ,:;@%'\"<>=!~`#&".contains(*letter));
        // Writing into a string cannot fail.
        let _ = match (plain, self.target) {
            (Some(' ' | '#' | '&' | '~'), Target::Python) => write!(self.out, "\\x{code:02x}"),
            (Some(letter), _) => write!(self.out, "{letter}"),
            (None, Target::JavaScript) => write!(self.out, "\\u{{{code:x}}}"),
            (None, Target::Python) if code < 0x100 => write!(self.out, "\\x{code:02x}"),
            (None, Target::Python) if code < 0x1_0000 => write!(self.out, "\\u{code:04x}"),
            (None, Target::Python) => write!(self.out, "\\U{code:08x}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_written_for_python() {
        for (pattern, expected) in [
            ("^a*$", Some("^a*\\Z")),
            ("\\d{2,}?", Some("[0-9]{2,}?")),
            ("[^\\W_]", Some("[0-9A-Za-z]")),
            ("(a|b)+", Some("(?:a|b)+")),
            ("^{x}$", Some("^\\x7bx\\x7d\\Z")),
            ("\\ud83d\\udc32", Some("\\U0001f432")),
            ("[a-c-]", Some("[\\x2da-c]")),
            ("[]", Some("(?!)")),
            ("\\bx", Some("(?a:\\b)x")),
            ("a**", None),
            ("(", None),
            ("a)", None),
            ("(a)\\1", None),
            ("(?<=a)b", None),
            ("\\ud800", None),
            ("[z-a]", None),
            ("\\p{Nonsense}", None),
            ("\\q", None),
        ] {
            assert_eq!(python(pattern).as_deref(), expected, "{pattern}");
        }
        assert!(python("\\p{L}").is_some_and(|ranges| ranges.starts_with("[A-Za-z")));
    }

    #[test]
    fn translations_are_bounded() {
        assert!(python(&"\\p{L}".repeat(5)).is_some_and(|text| text.len() < MAX_BYTES));
        for pattern in ["\\p{L}".repeat(790), format!("({})", "\\p{L}|".repeat(500))] {
            assert_eq!((python(&pattern), javascript(&pattern)), (None, None));
        }
        assert_eq!(python(&format!("[{}]", "\\p{L}".repeat(790))), None);
    }
}
