//! Redaction: before anything is stored, secrets are replaced by markers.
//!
//! A secret is what stands under a telling key, what has the form of one, what is known from the upstreams'
//! configuration, and what the user's rules say. Values that are secrets become markers; in a text only the
//! secret does, so that the text stays readable: `Bearer ⟦redacted string 40⟧`. A marker tells how many characters
//! were there, so lengths stay exact. Keys that are secrets become `⟦redacted key 1⟧`, counted within the document.
//!
//! Works on bytes, so what is not redacted stays as it was sent; without recursion on depth; into JSON
//! inside strings too, since that is how most tools answer. Owns: what is replaced and how. Refuses to
//! know: what the JSON is about, where rules and values are kept.

mod address;
mod armour;
mod assigned;
mod blocks;
mod commands;
mod encoded;
mod forms;
mod headers;
mod hints;
mod json;
mod keys;
mod known;
mod likely;
mod live;
mod names;
mod plain;
pub(crate) mod rules;
mod scan;
mod shapes;
mod spans;
mod stored;
mod text;
mod written;

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem::Finder;

use forms::Forms;
pub(crate) use keys::is_telling;
use known::Known;
pub(crate) use live::Redaction;
pub use rules::{RuleError, Rules};
pub(crate) use stored::Stored;
pub use stored::{Counted, Found};

/// How often a string may hold JSON or base64 that holds a string that does. Deeper JSON is replaced as a
/// whole: nobody can say what is in it.
const MAX_NESTING: usize = 6;
/// What every marker begins with.
const MARKER: &str = "⟦redacted ";

/// Whether markers in the input are ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Somebody else's text: what looks like a marker is a string and becomes the marker of one, or an
    /// upstream could pass a string off as a number.
    Foreign,
    /// Our own export, redacted before.
    Own,
}

/// A string of a document that was unescaped already, so that it need not be again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unescaped<'a> {
    /// The string, a part of the document.
    pub(crate) written: &'a str,
    /// The JSON that it says.
    pub(crate) text: &'a str,
}

/// Knows secrets. Built once, used by reference.
#[derive(Debug)]
pub(crate) struct Redactor {
    known: Known,
    rules: rules::Ready,
    forms: Forms,
    words: AhoCorasick,
    marker: Finder<'static>,
}

impl Redactor {
    /// From the user's rules, and the names and values of what upstreams are configured with (`env`, headers);
    /// which of these values are secrets is found out.
    pub(crate) fn new<'v>(
        rules: &Rules,
        values: impl IntoIterator<Item = (&'v str, &'v str)>,
    ) -> Result<Self, RuleError> {
        let words = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(text::hints())
            .map_err(|error| RuleError::Pattern {
                pattern: "the words built in".into(),
                reason: error.to_string(),
            })?;
        let (known, rules) = (Known::new(values), rules::Ready::new(rules)?);
        Ok(Self { known, rules, forms: Forms::new(), words, marker: Finder::new(MARKER) })
    }

    /// A redacted document and how many values were replaced; none when nothing had to be. What is no JSON is
    /// looked at as far as it is.
    pub(crate) fn redact(&self, json: &str, trust: Trust) -> Option<(String, u64)> {
        self.redact_knowing(json, trust, None)
    }

    /// The same, with what is known of one of its strings.
    pub(crate) fn redact_knowing(
        &self,
        json: &str,
        trust: Trust,
        known: Option<Unescaped<'_>>,
    ) -> Option<(String, u64)> {
        let edits = match known {
            Some(known) => scan::edits_knowing(self, json, trust, known),
            None => scan::edits(self, json, trust, 0),
        };
        let replaced = edits.iter().map(|edit| edit.values).sum();
        (!edits.is_empty()).then(|| (spans::apply(json, &edits).into_owned(), replaced))
    }

    /// A tool's definition: without secrets, though not by its keys, which name what arguments are called.
    pub(crate) fn definition<'t>(&self, json: &'t str) -> Cow<'t, str> {
        spans::apply(json, &scan::edits_of_schema(self, json, Trust::Foreign))
    }

    /// A text for people, an error or a line of a log, without its secrets.
    pub(crate) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        spans::apply(text, &scan::edits_of_text(self, text, Trust::Own, 0))
    }

    /// Lines that a server wrote, which may have broken what was too long for one and drawn a frame around it.
    pub(crate) fn lines(&self, lines: &[String]) -> Vec<String> {
        let frame = |c: char| c.is_whitespace() || ('\u{2500}'..='\u{257F}').contains(&c);
        let inside: Vec<Cow<'_, str>> = lines.iter().map(|line| line.trim_matches(frame).into()).collect();
        let edits = blocks::edits(&inside, |text| scan::edits_of_text(self, text, Trust::Own, 0));
        let edited = inside.iter().zip(&edits).map(|(text, edits)| spans::apply(text, edits));
        // Where the text stood in its line.
        let framed = |(line, (was, is)): (&String, (&Cow<'_, str>, Cow<'_, str>))| {
            let start = was.as_ptr().addr() - line.as_ptr().addr();
            [&line[..start], &is, &line[start + was.len()..]].concat()
        };
        lines.iter().zip(inside.iter().zip(edited)).map(framed).collect()
    }

    /// Whether a file of schemas holds secrets; its keys name what results are called.
    pub(crate) fn finds_in_schemas(&self, json: &str) -> bool {
        !scan::edits_of_schema(self, json, Trust::Own).is_empty()
    }

    fn is_telling(&self, key: &str) -> bool {
        is_telling(key) || self.rules.tells(key)
    }

    /// Whether something in a text would be replaced.
    fn holds_secret(&self, text: &str, nesting: usize) -> bool {
        !scan::edits_of_text(self, text, Trust::Own, nesting).is_empty()
    }
}

#[cfg(test)]
mod tests;
