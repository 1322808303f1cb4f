//! The user's own rules: further sensitive keys, and patterns.
//!
//! Patterns run in linear time (no look-around, no back references) and are bounded in number and size.

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use crate::edits::Span;

pub use schemascope_api::RedactionRules as Rules;

/// Greatest number of keys, and of patterns.
pub const MAX_RULES: usize = 100;
/// Longest rule, in characters.
pub const MAX_RULE: usize = 1_000;
/// Greatest size of a compiled pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// Greatest number of characters of a pattern that an error shows.
const SHOWN_CHARS: usize = 200;

/// Why rules are rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Too many keys or too many patterns.
    #[error("{0} rules in one list are too many; at most {MAX_RULES} are possible")]
    TooMany(usize),
    /// A rule that is too long, cut to its beginning.
    #[error("the rule that begins with {0:?} is longer than {MAX_RULE} characters")]
    TooLong(String),
    /// A key without letters and digits.
    #[error("the key {0:?} has neither letters nor digits, so it would match every key")]
    EmptyKey(String),
    /// A pattern that does not compile.
    #[error("the pattern `{}` cannot be used: {reason}", shown(pattern))]
    Pattern {
        /// The pattern.
        pattern: String,
        /// Message of the regular expression engine.
        reason: String,
    },
    /// A pattern that matches everywhere.
    #[error("the pattern `{}` matches empty text, so it would match everywhere", shown(.0))]
    MatchesEmptyText(String),
    /// A file that cannot be read as rules.
    #[error(
        "cannot read redaction rules from {path}: {reason}; expected {{\"keys\": [texts], \"patterns\": [texts]}}"
    )]
    File {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Parses the text of a rules file. An invalid rule is an error, because without it, values would be stored that the
/// user wants hidden.
pub fn parse(text: &str) -> Result<Rules, String> {
    let rules =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| error.to_string())?;
    CompiledRules::new(&rules).map_err(|error| error.to_string())?;
    Ok(rules)
}

/// Rules in the form in which they are applied.
#[derive(Debug, Default)]
pub(crate) struct CompiledRules {
    keys: Vec<String>,
    /// All patterns in one, to skip most texts quickly. `None` if they are too large together.
    any: Option<RegexSet>,
    patterns: Vec<Regex>,
}

impl CompiledRules {
    pub(crate) fn new(rules: &Rules) -> Result<Self, RuleError> {
        for kind in [&rules.keys, &rules.patterns] {
            if kind.len() > MAX_RULES {
                return Err(RuleError::TooMany(kind.len()));
            }
            if let Some(long) = kind.iter().find(|rule| rule.chars().count() > MAX_RULE) {
                return Err(RuleError::TooLong(long.chars().take(40).collect()));
            }
        }
        let keys: Vec<String> = rules.keys.iter().map(|key| normalized(key)).collect();
        if let Some(empty) = keys.iter().position(String::is_empty) {
            return Err(RuleError::EmptyKey(rules.keys[empty].clone()));
        }
        let patterns =
            rules.patterns.iter().map(|pattern| compile(pattern)).collect::<Result<Vec<_>, _>>()?;
        let any = match rules.patterns.as_slice() {
            [] => None,
            // Without the set, each pattern is tried.
            many => RegexSetBuilder::new(many).size_limit(MAX_PATTERN_BYTES * 8).build().ok(),
        };
        Ok(Self { keys, any, patterns })
    }

    /// Whether there are patterns, which apply to all values.
    pub(crate) fn has_patterns(&self) -> bool {
        !self.patterns.is_empty()
    }

    /// Whether a key is sensitive by the user's rules.
    pub(crate) fn is_sensitive_key(&self, key: &str) -> bool {
        if self.keys.is_empty() || key.len() > 200 {
            return false;
        }
        let key = normalized(key);
        self.keys.iter().any(|ending| key.ends_with(ending))
    }

    /// Finds what the patterns match; the first group of a pattern that has one.
    pub(crate) fn find(&self, text: &str, spans: &mut Vec<Span>) {
        if self.patterns.is_empty() || self.any.as_ref().is_some_and(|any| !any.is_match(text)) {
            return;
        }
        for pattern in &self.patterns {
            let groups =
                pattern.captures_iter(text).filter_map(|found| found.get(1).or_else(|| found.get(0)));
            spans.extend(groups.map(|found| found.range()));
        }
    }
}

/// A key without separators, in lower case.
fn normalized(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, '_' | '-' | '.' | ' ')).flat_map(char::to_lowercase).collect()
}

fn compile(pattern: &str) -> Result<Regex, RuleError> {
    let built =
        RegexBuilder::new(pattern).size_limit(MAX_PATTERN_BYTES).dfa_size_limit(MAX_PATTERN_BYTES).build();
    let regex = built.map_err(|error| RuleError::Pattern {
        pattern: pattern.to_owned(),
        reason: reason(&error, pattern),
    })?;
    if regex.is_match("") {
        return Err(RuleError::MatchesEmptyText(pattern.to_owned()));
    }
    Ok(regex)
}

/// Says what is wrong with a pattern, and at which character.
fn reason(error: &regex::Error, pattern: &str) -> String {
    let regex::Error::Syntax(report) = error else {
        return format!(
            "its compiled form is larger than {} MB; make repetitions smaller",
            MAX_PATTERN_BYTES >> 20
        );
    };
    // The last line is the message; a line before it marks the place in the pattern, which is indented by four.
    let message = report.lines().last().unwrap_or_default().trim_start_matches("error: ");
    let mark =
        report.lines().find(|line| line.contains('^') && line.trim_start_matches(' ').starts_with('^'));
    let column = mark.and_then(|mark| mark.find('^')).filter(|_| !pattern.contains(['\n', '\r']));
    match column.and_then(|column| column.checked_sub(4)) {
        Some(at) if at >= pattern.chars().count() => format!("{message} (at its end)"),
        Some(at) => format!("{message} (at character {})", at + 1),
        None => message.to_owned(),
    }
}

/// A pattern on one line, as the user wrote it: backslashes are not doubled. A long one is cut.
fn shown(pattern: &str) -> String {
    let mut text: String = pattern
        .chars()
        .take(SHOWN_CHARS)
        .flat_map(|c| if c.is_control() { c.escape_default().collect::<Vec<_>>() } else { vec![c] })
        .collect();
    if pattern.chars().count() > SHOWN_CHARS {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_errors_show_the_pattern_and_the_place() {
        for (pattern, expected) in [
            (r"\d+(", r"the pattern `\d+(` cannot be used: unclosed group (at character 4)"),
            ("[a-", "the pattern `[a-` cannot be used: unclosed character class (at character 1)"),
            ("(?<n", "the pattern `(?<n` cannot be used: unclosed capture group name (at its end)"),
            (
                "(?<=a)b",
                "the pattern `(?<=a)b` cannot be used: look-around, including look-ahead and look-behind, is not \
                 supported (at character 1)",
            ),
            (
                r"(a)\1",
                r"the pattern `(a)\1` cannot be used: backreferences are not supported (at character 4)",
            ),
            ("a\n(b", r"the pattern `a\n(b` cannot be used: unclosed group"),
            ("é(", "the pattern `é(` cannot be used: unclosed group (at character 2)"),
            (
                "\u{1b}[31m(",
                r"the pattern `\u{1b}[31m(` cannot be used: unclosed character class (at character 2)",
            ),
            (
                "(a{1000}){1000}",
                "the pattern `(a{1000}){1000}` cannot be used: its compiled form is larger than 1 MB; make \
                 repetitions smaller",
            ),
            (r"\w*", r"the pattern `\w*` matches empty text, so it would match everywhere"),
        ] {
            let rules = Rules { patterns: vec![pattern.to_owned()], ..Rules::default() };
            assert_eq!(CompiledRules::new(&rules).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn long_pattern_is_cut_in_its_error() {
        let rules = Rules { patterns: vec!["a".repeat(500) + "("], ..Rules::default() };
        let error = CompiledRules::new(&rules).unwrap_err().to_string();
        assert!(error.contains("a…` cannot be used") && error.len() < 300, "{error}");
    }
}
