//! Failures that a tool returns as ordinary results.
//!
//! Such a text begins alike each time, and what follows differs. An object says by a member that something failed, such
//! as `"ok": false`; this member is taken for its beginning. The beginnings that recur are counted, so that a person
//! can say which of them are failures. Results that begin with one of those count as failed calls and teach nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;

use memchr::memmem;
use schemascope_model::CallId;
use schemascope_shape::Secrets;
use schemascope_textform::wrapped;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::observation::{Observation, observe};

/// Results that begin alike from which on they are proposed.
const RECURRING: u64 = 3;
/// Most beginnings that are counted of a tool.
const MAX_BEGINNINGS: usize = 16;
/// Longest beginning that is found, in bytes.
const MAX_FOUND: usize = 80;
/// Longest beginning that counts as a failure, in bytes.
pub const MAX_BEGINNING: usize = 200;
/// Most beginnings of one tool that count as failures.
pub const MAX_RULES: usize = 32;
/// Bytes of a text, as it is written, that are looked at.
const LOOKED_AT: usize = 1_024;
/// Longest object, in bytes, that may be a failure.
const MAX_OBJECT: usize = 16 << 10;
/// Words of a beginning that no colon ends, and the one of them by which it must say that something failed.
const MAX_WORDS: usize = 4;
const FIRST_WORDS: usize = 2;

/// Members by which an object says that something failed.
const MEMBERS: [&str; 6] = [
    "{\"ok\":false",
    "{\"success\":false",
    "{\"error\":",
    "{\"errors\":",
    "{\"status\":\"error\"",
    "{\"detail\":",
];

/// Values of a member `error` that say that nothing failed.
const NOTHING: &[&str] = &["null", "false", "\"\"", "[]", "{}", "0"];

/// Words that say that something failed, lower case.
const FAILURE_WORDS: &[&str] = &[
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "denied",
    "error",
    "errors",
    "exception",
    "failed",
    "failure",
    "fatal",
    "forbidden",
    "invalid",
    "no such",
    "not found",
    "timed out",
    "timeout",
    "too many requests",
    "traceback",
    "unable",
    "unauthorized",
    "unavailable",
];

/// How texts of a tool begin that may be failures, and which are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailingTexts {
    /// Results by the beginning that makes them failures.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    rules: BTreeMap<Box<str>, u64>,
    /// Results that no one decided about, by beginning.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    found: BTreeMap<Box<str>, Found>,
}

/// Results that begin alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Number of results.
    pub results: u64,
    /// The call of the latest.
    pub latest: CallId,
}

impl FailingTexts {
    /// Nothing counted, and failures by the same beginnings.
    pub(crate) fn emptied(&self) -> Self {
        Self { rules: self.rules.keys().map(|rule| (rule.clone(), 0)).collect(), found: BTreeMap::new() }
    }

    /// Forgets beginnings that hold secrets. Whether there were any.
    pub(crate) fn forget(&mut self, secrets: &dyn Secrets) -> bool {
        let before = (self.rules.len(), self.found.len());
        self.rules.retain(|text, _| secrets.text(text).is_none());
        self.found.retain(|text, _| secrets.text(text).is_none());
        before != (self.rules.len(), self.found.len())
    }

    /// Whether nothing is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.found.is_empty()
    }

    /// Results by the beginning that makes them failures.
    pub fn rules(&self) -> &BTreeMap<Box<str>, u64> {
        &self.rules
    }

    /// The beginnings that make a text a failure.
    pub fn beginnings(&self) -> Box<[Box<str>]> {
        self.rules.keys().cloned().collect()
    }

    /// Beginnings that recur and look like failures.
    pub fn recurring(&self) -> impl Iterator<Item = (&str, &Found)> {
        self.found
            .iter()
            .filter(|(_, found)| found.results >= RECURRING)
            .map(|(text, found)| (&**text, found))
    }

    /// Makes exactly these beginnings failures. Counts of those that were are kept.
    pub(crate) fn set_rules(&mut self, rules: &[Box<str>]) {
        let old = std::mem::take(&mut self.rules);
        self.rules = rules.iter().map(|rule| (rule.clone(), old.get(rule).copied().unwrap_or(0))).collect();
        let rules = &self.rules;
        self.found.retain(|text, _| !rules.keys().any(|rule| text.starts_with(&**rule)));
    }

    /// Counts the observation of a call that says it succeeded. Returns whether it counts as a failure.
    pub(crate) fn count(&mut self, call: CallId, observation: &Observation<'_>) -> bool {
        let Some(text) = beginning_of(observation) else { return false };
        let text = text.trim_start();
        let failing = failing_beginning(text);
        let begins = |rule: &str| begins_so(text, failing, rule);
        if let Some((_, count)) = self.rules.iter_mut().find(|(rule, _)| begins(rule)) {
            *count += 1;
            return true;
        }
        if let Some(beginning) = failing
            && (self.found.len() < MAX_BEGINNINGS || self.found.contains_key(beginning))
        {
            let found = self.found.entry(beginning.into()).or_insert(Found { results: 0, latest: call });
            found.results += 1;
            found.latest = found.latest.max(call);
        }
        false
    }
}

/// Whether a result is a text that begins in one of these ways.
pub fn begins_with(result: &RawValue, beginnings: &[Box<str>]) -> bool {
    observe(result).is_some_and(|observation| begins(&observation, beginnings))
}

/// Whether an observation is of a text that begins in one of these ways.
pub(crate) fn begins(observation: &Observation<'_>, beginnings: &[Box<str>]) -> bool {
    let begins = |text: Cow<'_, str>| {
        let text = text.trim_start();
        let member = failing_member(text);
        beginnings.iter().any(|beginning| begins_so(text, member, beginning))
    };
    !beginnings.is_empty() && beginning_of(observation).is_some_and(begins)
}

/// How the text of a result begins, if it is a text, or is the text in `{"result": text}`. A small object is taken
/// whole.
fn beginning_of<'o>(observation: &'o Observation<'_>) -> Option<Cow<'o, str>> {
    let learned = observation.json.trim();
    let sent = observation.sent.as_deref().filter(|_| !learned.starts_with('"')).unwrap_or(learned).trim();
    if let Some(written) = sent.strip_prefix('"') {
        return unescaped(written.strip_suffix('"')?);
    }
    let is_object = learned.starts_with('{') && learned.len() <= MAX_OBJECT;
    wrapped(sent).map(Cow::Owned).or_else(|| is_object.then_some(Cow::Borrowed(learned)))
}

/// Whether a text begins so. For an object, the beginnings that are members stand for what they say.
fn begins_so(text: &str, failing: Option<&str>, beginning: &str) -> bool {
    let is_member = text.starts_with('{') && MEMBERS.iter().any(|member| member.starts_with(beginning));
    if is_member { failing.is_some_and(|it| it.starts_with(beginning)) } else { text.starts_with(beginning) }
}

/// The member by which an object says that something failed, as the beginning of an object. Where there is a result
/// beside an error, not all failed.
fn failing_member(object: &str) -> Option<&'static str> {
    let mentions = |key: &str| memmem::find(object.as_bytes(), key.as_bytes()).is_some();
    let keys = ["\"error", "\"ok\"", "\"success\"", "\"status\"", "\"detail\""];
    if !object.starts_with('{') || !keys.into_iter().any(mentions) {
        return None;
    }
    let members: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(object).ok()?;
    let member = |key: &str| members.get(key).map(|value| value.get());
    let says = |key: &str| member(key).is_some_and(|value| !NOTHING.contains(&value));
    let is = |key: &str, values: &[&str]| {
        let value = member(key).map(str::to_ascii_lowercase);
        value.is_some_and(|value| values.contains(&value.as_str()))
    };
    let failed = ["\"error\"", "\"failed\"", "\"failure\"", "\"fail\""];
    if is("ok", &["false"]) {
        Some(MEMBERS[0])
    } else if is("success", &["false"]) {
        Some(MEMBERS[1])
    } else if ["data", "result", "results", "items"].into_iter().any(says) {
        None
    } else if says("error") {
        Some(MEMBERS[2])
    } else if says("errors") {
        Some(MEMBERS[3])
    } else if is("status", &failed) {
        Some(MEMBERS[4])
    } else if members.len() == 1 && member("detail").is_some_and(|detail| detail.starts_with('"')) {
        Some(MEMBERS[5])
    } else {
        None
    }
}

/// The first part of a string, given as it is written between its quotes.
fn unescaped(written: &str) -> Option<Cow<'_, str>> {
    if written.len() <= LOOKED_AT {
        return unescape(written);
    }
    // No escape and no character contains a blank.
    let first = &written.as_bytes()[..LOOKED_AT];
    unescape(written.get(..first.iter().rposition(|byte| *byte == b' ')?)?)
}

fn unescape(written: &str) -> Option<Cow<'_, str>> {
    if !written.contains('\\') {
        return Some(Cow::Borrowed(written));
    }
    serde_json::from_str(&format!("\"{written}\"")).ok().map(Cow::Owned)
}

/// The part of a text by which other failures of the same kind are recognised: up to the first colon of its first line,
/// or some words, without numbers and names of things. None if it does not say that something failed.
fn failing_beginning(text: &str) -> Option<&str> {
    if text.starts_with('{') {
        return failing_member(text);
    }
    let line = text.lines().next()?;
    let start = line.find(char::is_alphanumeric)?;
    let said = &line[start..];
    let fixed =
        said.find(|c: char| c.is_ascii_digit() || "\"'`/\\{}[]()<>⟦=@".contains(c)).unwrap_or(said.len());
    // Not that of an address.
    let is_end = |(at, _): &(usize, &str)| !said[at + 1..].starts_with('/');
    let colon = said[..fixed].match_indices(':').find(is_end).map(|(colon, _)| colon + 1);
    let end = colon.unwrap_or_else(|| {
        let is_whole = fixed == said.len();
        let mut ends = said[..fixed].match_indices(' ').map(|(at, _)| at);
        match ends.nth(MAX_WORDS - 1) {
            Some(at) => at,
            // The last word goes on with something that may differ.
            None if !is_whole => said[..fixed].rfind(' ').unwrap_or(0),
            None => fixed,
        }
    });
    let beginning = line[..start + end].trim_end_matches([' ', '.', ',', '!']);
    let says_so = says_failure(&said[..end], if colon.is_some() { usize::MAX } else { FIRST_WORDS });
    (beginning.len() <= MAX_FOUND && says_so).then_some(beginning)
}

/// Whether one of the first words says that something failed, alone or with those after it. Names of exceptions, such as
/// `ValueError`, do.
fn says_failure(words: &str, first: usize) -> bool {
    let lower = words.to_lowercase();
    let end = lower.match_indices(' ').nth(first.saturating_sub(1)).map_or(lower.len(), |(at, _)| at);
    let is_word = |at: usize, word: &str| {
        let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !letter(lower[..at].chars().next_back()) && !letter(lower[at + word.len()..].chars().next())
    };
    let says = |word: &&str| lower.match_indices(*word).any(|(at, _)| at < end && is_word(at, word));
    let names_exception =
        |word: &str| ["Error", "Exception"].iter().any(|end| word.trim_end_matches(':').ends_with(end));
    FAILURE_WORDS.iter().any(says) || words.split(' ').take(first).any(names_exception)
}

#[cfg(test)]
mod tests {
    use schemascope_model::Carrier;

    use super::*;

    fn beginning(text: &str) -> Option<&str> {
        failing_beginning(text)
    }

    #[test]
    fn beginning_is_what_failures_of_one_kind_share() {
        let cases = [
            ("Error searching libraries: timeout", Some("Error searching libraries:")),
            ("Error: no such user bob", Some("Error:")),
            ("❌ Failed to fetch https://example.org", Some("❌ Failed to fetch")),
            ("**Error:** the disk is full", Some("**Error:")),
            ("ValueError: invalid literal for int()", Some("ValueError:")),
            ("Failed to fetch 12 items", Some("Failed to fetch")),
            ("Unable to find the requested library today", Some("Unable to find the")),
            ("GitHub API error: 403", Some("GitHub API error:")),
            ("Could not read \"a.txt\"", Some("Could not read")),
            ("Request timed out.", Some("Request timed out")),
            ("Traceback (most recent call last):\n  File", Some("Traceback")),
            ("Errors", Some("Errors")),
            ("Found 3 errors", None),
            ("On branch main", None),
            ("The terror of the sea: a novel", None),
            ("Results for error handling in Rust", None),
            ("Status: failed", None),
            ("", None),
            ("\n\n", None),
            ("42 errors", None),
        ];
        for (text, expect) in cases {
            assert_eq!(beginning(text), expect, "{text}");
        }
        assert_eq!(beginning(&format!("Error{}: x", " of a thing".repeat(20))), None);
    }

    fn call(n: u64) -> CallId {
        format!("{n:032x}").parse().unwrap()
    }

    fn text(json: &str) -> Observation<'_> {
        Observation::new(Carrier::Text, json)
    }

    #[test]
    fn count_proposes_what_recurs_and_counts_what_was_decided() {
        let mut texts = FailingTexts::default();
        assert!(!texts.count(call(1), &text(r#""Error: a""#)));
        assert!(!texts.count(call(2), &text(r#""Error: \"b\"""#)));
        assert_eq!(texts.recurring().count(), 0);
        assert!(!texts.count(call(3), &Observation::new(Carrier::Structured, r#"{"result": "Error: c"}"#)));
        let recurring: Vec<_> = texts.recurring().map(|(text, found)| (text, found.results)).collect();
        assert_eq!(recurring, [("Error:", 3)]);
        texts.set_rules(&["Error".into()]);
        assert_eq!(texts.recurring().count(), 0);
        assert!(texts.count(call(4), &text(r#""\n Error: d""#)));
        assert!(!texts.count(call(5), &text(r#""No error""#)));
        assert_eq!(texts.rules().get("Error"), Some(&1));
        assert_eq!(texts.emptied().rules().get("Error"), Some(&0));
        assert!(!texts.count(call(6), &Observation::new(Carrier::JsonInText, r#"{"Error": 1}"#)));
    }

    /// Regression: results that said `"ok": false` were learned, judged reliable and promoted.
    #[test]
    fn objects_that_say_that_something_failed_are_proposed() {
        let cases = [
            (r#"{"error": "not found"}"#, Some("{\"error\":")),
            (r#"{"error": {"code": 404}, "request_id": "a"}"#, Some("{\"error\":")),
            (r#"{"request_id": "a", "ok": false, "reason": "x"}"#, Some("{\"ok\":false")),
            (r#"{"success":false}"#, Some("{\"success\":false")),
            (r#"{"data": null, "errors": [{"message": "x"}]}"#, Some("{\"errors\":")),
            (r#"{"kind": "Status", "status": "Failure", "code": 404}"#, Some("{\"status\":\"error\"")),
            (r#"{"detail": "Not Found"}"#, Some("{\"detail\":")),
            (r#"{"error": null, "id": 1}"#, None),
            (r#"{"data": {"id": 1}, "errors": [{"message": "x"}]}"#, None),
            (r#"{"detail": "long", "id": 1}"#, None),
            (r#"{"ok": true, "status": "error budget"}"#, None),
            (r#"{"errors_found": 3}"#, None),
            (r#"{"error": "#, None),
        ];
        for (object, expect) in cases {
            assert_eq!(beginning(object), expect, "{object}");
        }
        let mut texts = FailingTexts::default();
        let failed = |n: u64| format!(r#"{{"time": {n}, "error": "no such thing"}}"#);
        for n in 1..4 {
            let json = failed(n);
            assert!(!texts.count(call(n), &Observation::new(Carrier::Structured, &json)));
        }
        let recurring: Vec<_> = texts.recurring().map(|(text, found)| (text, found.results)).collect();
        assert_eq!(recurring, [("{\"error\":", 3)]);
        texts.set_rules(&["{\"error\"".into()]);
        assert_eq!(texts.recurring().count(), 0);
        assert!(texts.count(call(4), &Observation::new(Carrier::JsonInText, failed(4))));
        assert!(!texts.count(call(5), &Observation::new(Carrier::JsonInText, r#"{"error": null}"#)));
        let stored = format!(r#"{{"content":[],"structuredContent":{}}}"#, failed(6));
        assert!(begins_with(&RawValue::from_string(stored).unwrap(), &["{\"error\"".into()]));
    }

    #[test]
    fn begins_with_reads_the_text_of_a_result() {
        let begins = |result: &str| {
            let result = RawValue::from_string(result.to_owned()).unwrap();
            begins_with(&result, &["Error:".into()])
        };
        assert!(begins(r#"{"content":[{"type":"text","text":"Error: a"}]}"#));
        assert!(begins(r#"{"content":[],"structuredContent":{"result":" Error: a"}}"#));
        assert!(!begins(r#"{"content":[{"type":"text","text":"No Error: a"}]}"#));
        assert!(!begins(r#"{"content":[],"structuredContent":{"Error:":1}}"#));
    }

    #[test]
    fn count_looks_at_the_first_part_of_long_texts_and_keeps_a_bounded_number_of_beginnings() {
        let mut texts = FailingTexts::default();
        for n in 0..1_000_u64 {
            let word: String = n.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect();
            let written = format!("\"Failed {word}: {}\"", "\\u00e9\\n é".repeat(10_000));
            texts.count(call(n), &text(&written));
        }
        assert_eq!(texts.found.len(), MAX_BEGINNINGS);
        // Cut within an escape, there would be no text at all.
        assert!(!texts.count(call(1), &text(&format!("\"{}\"", "\\u00e9".repeat(1_000)))));
    }
}
