//! Redaction: replaces secrets by markers before anything is stored.
//!
//! A value that is a secret becomes a marker. In a text only the secret does, so that the text stays readable:
//! `Bearer ⟦redacted string 40⟧`. A marker states the number of characters, so lengths stay exact. Keys that are
//! secrets become `⟦redacted key 1⟧`, numbered within the document.
//!
//! Redaction works on bytes, so everything else stays as it was sent. It needs no recursion on depth, and searches
//! JSON inside strings as well, because most tools answer that way.
//!
//! Each kind of secret has one file:
//!
//! | secret | example | file |
//! |---|---|---|
//! | value of a sensitive key | `{"password": "x"}` | `keys.rs` |
//! | token with a known prefix | `ghp_…`, `sk-ant-…` | `finders/prefixed.rs` |
//! | token recognised by its structure | JSON web token, Telegram bot | `finders/unprefixed.rs` |
//! | private key | `-----BEGIN PRIVATE KEY-----` | `finders/private_key.rs` |
//! | password or token in an address | `https://user:x@host`, Slack webhook | `finders/url.rs` |
//! | value with a name before it in text | `password: x`, `?sig=x` | `finders/named/` |
//! | HTTP header in text | `Authorization: Bearer x`, `Cookie: a=x` | `finders/named/headers.rs` |
//! | text of a field | `textbox "Password": x`, `<input type="password" value="x">` | `finders/named/forms.rs` |
//! | password in a command | `curl -u me:x`, `mysql -px` | `finders/named/commands.rs` |
//! | any of these in base64 | `cGFzc3dvcmQ6IHg=` | `finders/base64_text.rs` |
//! | secret of another part of the same call | error that repeats the password | `echoed.rs` |
//! | answer to a call that names a secret | `get {"key": "db_password"}` | `asked.rs` |
//! | value from an upstream's configuration | `env` in `mcp.json` | `finders/configured.rs` |
//! | match of the user's own rules | `redaction.json` | `rules.rs` |
//!
//! `document/` walks over a document and asks `finders/` about each text. To support another token, add its prefix to
//! the table in `finders/prefixed.rs`, one example to `tests/secrets.rs`, and look-alikes to `tests/benign.rs`.

mod asked;
mod call_record;
mod chars;
mod document;
mod echoed;
mod edits;
mod finders;
mod forget;
mod key_cache;
mod keys;
mod live;
pub mod rules;

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem::Finder;

pub use asked::{asks_for_secret, without_answer};
use document::{blocks, json};
pub use echoed::Removed;
use edits::apply;
pub use finders::configured_secrets;
use finders::{ConfiguredValues, Prefixes};
pub use keys::is_sensitive_key;
pub use live::Redaction;
pub use rules::{RuleError, Rules};

/// Greatest depth of JSON or base64 inside strings that is searched. Deeper JSON is replaced as a whole.
const MAX_NESTING: usize = 6;
/// Beginning of every marker.
const MARKER: &str = "⟦redacted ";

/// Origin of the input, which decides whether markers in it are believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Input from an upstream or a client. Anything in it that looks like a marker is replaced as a string, because
    /// an upstream could otherwise pass off a string as a number.
    Foreign,
    /// Data of our own that was redacted before.
    Own,
}

/// A string of a document that is unescaped already, so that it is not unescaped twice.
#[derive(Debug, Clone, Copy)]
pub struct Unescaped<'a> {
    /// The string as it is written, a slice of the document.
    pub written: &'a str,
    /// The JSON in it.
    pub text: &'a str,
}

/// Finds and replaces secrets. Built once from rules and configuration, then used by reference.
#[derive(Debug)]
pub struct Redactor {
    configured: ConfiguredValues,
    rules: rules::CompiledRules,
    prefixes: Prefixes,
    trigger_words: AhoCorasick,
    marker: Finder<'static>,
}

impl Redactor {
    /// Builds a redactor from the user's rules, and from the names and values in the configuration of upstreams (`env`,
    /// headers). It decides itself which of these values are secrets.
    pub fn new<'v>(
        rules: &Rules,
        values: impl IntoIterator<Item = (&'v str, &'v str)>,
    ) -> Result<Self, RuleError> {
        let trigger_words = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(finders::trigger_words())
            .map_err(|error| RuleError::Pattern {
                pattern: "the built-in words".into(),
                reason: error.to_string(),
            })?;
        Ok(Self {
            configured: ConfiguredValues::new(values),
            rules: rules::CompiledRules::new(rules)?,
            prefixes: Prefixes::new(),
            trigger_words,
            marker: Finder::new(MARKER),
        })
    }

    /// Redacts a document. Returns the new text and the number of values replaced, or `None` if nothing was replaced.
    /// Input that is not JSON is searched as far as it is.
    pub fn redact(&self, json: &str, trust: Trust) -> Option<(String, u64)> {
        self.redact_with_unescaped(json, trust, None)
    }

    /// Redacts a document like [`Redactor::redact`], given one of its strings unescaped.
    pub fn redact_with_unescaped(
        &self,
        json: &str,
        trust: Trust,
        unescaped: Option<Unescaped<'_>>,
    ) -> Option<(String, u64)> {
        let edits = match unescaped {
            Some(unescaped) => json::edits_with_unescaped(self, json, trust, unescaped),
            None => json::edits(self, json, trust, 0),
        };
        let replaced = edits.iter().map(|edit| edit.values).sum();
        (!edits.is_empty()).then(|| (apply(json, &edits).into_owned(), replaced))
    }

    /// Redacts a tool's definition as an upstream sent it. Its keys are names of arguments, so they do not count.
    pub fn definition<'t>(&self, json: &'t str) -> Cow<'t, str> {
        apply(json, &json::edits_of_schema(self, json, Trust::Foreign))
    }

    /// Redacts a text for people, such as an error or a line of a log.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        apply(text, &json::edits_of_text(self, text, Trust::Own, 0))
    }

    /// Redacts the lines that a server wrote. Its terminal library may have wrapped long text and drawn a frame around
    /// it, so the lines are searched joined as well.
    pub fn lines(&self, lines: &[String]) -> Vec<String> {
        let frame = |c: char| c.is_whitespace() || ('\u{2500}'..='\u{257F}').contains(&c);
        let inside: Vec<Cow<'_, str>> = lines.iter().map(|line| line.trim_matches(frame).into()).collect();
        let edits = blocks::edits(&inside, |text| json::edits_of_text(self, text, Trust::Own, 0));
        let edited = inside.iter().zip(&edits).map(|(text, edits)| apply(text, edits));
        // Put the text back into its line.
        let framed = |(line, (was, is)): (&String, (&Cow<'_, str>, Cow<'_, str>))| {
            let start = was.as_ptr().addr() - line.as_ptr().addr();
            [&line[..start], &is, &line[start + was.len()..]].concat()
        };
        lines.iter().zip(inside.iter().zip(edited)).map(framed).collect()
    }

    /// Whether a file of schemas contains secrets. Its keys are names of fields, so they do not count.
    pub fn finds_in_schemas(&self, json: &str) -> bool {
        !json::edits_of_schema(self, json, Trust::Own).is_empty()
    }

    fn is_sensitive_key(&self, key: &str) -> bool {
        is_sensitive_key(key) || self.rules.is_sensitive_key(key)
    }

    /// Whether a text contains a secret.
    fn has_secret(&self, text: &str, nesting: usize) -> bool {
        !json::edits_of_text(self, text, Trust::Own, nesting).is_empty()
    }
}

#[cfg(test)]
mod tests;
