//! The user's own rules: further telling keys, and patterns.
//!
//! Owns: reading them and saying what is wrong with them. Patterns run in linear time (no look-around, no back
//! references) and are bounded in number and size. Refuses to know: where they are kept.

use std::path::Path;

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::spans::Span;
use crate::files::read_text;

pub use schemascope_api::RedactionRules as Rules;

/// Where the user keeps rules, in the data directory.
pub(crate) const FILE: &str = "redaction.json";
/// Rules of one kind, at most.
pub const MAX_RULES: usize = 100;
/// Characters of a rule, at most.
pub const MAX_RULE: usize = 1_000;
/// Bytes a compiled pattern takes, at most.
const PATTERN_BYTES: usize = 1 << 20;

/// What is wrong with a rule, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Too many.
    #[error("there are {0} rules of one kind; at most {MAX_RULES} are possible")]
    TooMany(usize),
    /// Too long.
    #[error("the rule {0:?} is longer than {MAX_RULE} characters")]
    TooLong(String),
    /// A key without letters and digits.
    #[error("the key {0:?} has neither letters nor digits, so every key would end in it")]
    EmptyKey(String),
    /// A pattern that does not compile.
    #[error("the pattern {pattern:?} cannot be used: {reason}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// Why, in the words of the engine.
        reason: String,
    },
    /// A pattern that matches everywhere.
    #[error("the pattern {0:?} matches empty text, so it would match everywhere")]
    MatchesNothing(String),
    /// The file of rules is none.
    #[error("{path} holds no rules: {reason}; expected {{\"keys\": [texts], \"patterns\": [texts]}}")]
    File {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
}

/// Reads a file of rules. None is no rules; one that is wrong is an error, since going on without it would
/// store what was not to be stored.
pub fn read(path: &Path) -> Result<Rules, RuleError> {
    let wrong = |reason: String| RuleError::File { path: path.display().to_string(), reason };
    let text = read_text(path).map_err(|error| wrong(error.to_string()))?;
    let Some(text) = text else { return Ok(Rules::default()) };
    let rules = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| wrong(error.to_string()))?;
    Ready::new(&rules)?;
    Ok(rules)
}

/// Rules ready for use.
#[derive(Debug, Default)]
pub(super) struct Ready {
    keys: Vec<String>,
    any: Option<RegexSet>,
    patterns: Vec<Regex>,
}

impl Ready {
    pub(super) fn new(rules: &Rules) -> Result<Self, RuleError> {
        for kind in [&rules.keys, &rules.patterns] {
            if kind.len() > MAX_RULES {
                return Err(RuleError::TooMany(kind.len()));
            }
            if let Some(long) = kind.iter().find(|rule| rule.chars().count() > MAX_RULE) {
                return Err(RuleError::TooLong(long.chars().take(40).collect()));
            }
        }
        let keys: Vec<String> = rules.keys.iter().map(|key| plain(key)).collect();
        if let Some(empty) = keys.iter().position(String::is_empty) {
            return Err(RuleError::EmptyKey(rules.keys[empty].clone()));
        }
        let patterns =
            rules.patterns.iter().map(|pattern| compiled(pattern)).collect::<Result<Vec<_>, _>>()?;
        let any = match rules.patterns.as_slice() {
            [] => None,
            // Without it each pattern is tried.
            many => RegexSetBuilder::new(many).size_limit(PATTERN_BYTES * 8).build().ok(),
        };
        Ok(Self { keys, any, patterns })
    }

    /// Whether there is anything to look for in values.
    pub(super) fn has_patterns(&self) -> bool {
        !self.patterns.is_empty()
    }

    /// Whether a key is telling by the user's rules.
    pub(super) fn tells(&self, key: &str) -> bool {
        if self.keys.is_empty() || key.len() > 200 {
            return false;
        }
        let key = plain(key);
        self.keys.iter().any(|ending| key.ends_with(ending))
    }

    pub(super) fn find(&self, text: &str, spans: &mut Vec<Span>) {
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

fn plain(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, '_' | '-' | '.' | ' ')).flat_map(char::to_lowercase).collect()
}

fn compiled(pattern: &str) -> Result<Regex, RuleError> {
    let built = RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES).build();
    let regex = built.map_err(|error| {
        // The last line says what is wrong; those before it draw the place.
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        RuleError::Pattern { pattern: pattern.to_owned(), reason }
    })?;
    if regex.is_match("") {
        return Err(RuleError::MatchesNothing(pattern.to_owned()));
    }
    Ok(regex)
}
