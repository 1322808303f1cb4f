//! One pass over JSON that finds everything to be replaced, without recursion on depth.

use std::borrow::Cow;
use std::collections::HashMap;

use schemascope_model::{Marker, Redacted};

use super::blocks::{self, Blocks};
use super::columns::{Columns, Secrecy};
use super::command::{self, Command};
use super::container::Container;
use super::hints::Hints;
use super::kinds::{SecretKinds, is_secret_kind};
use super::role::{Role, role_of};
use super::schema_like;
use super::text::{Expected, edits_of_plain_text};
use crate::edits::{Edit, Span, apply, merged};
use crate::finders::{self, MIN_RUN, is_plausible_under_ambiguous_key};
use crate::key_cache::KeyCache;
use crate::keys::{is_ambiguous, names_secret};
use crate::{MAX_NESTING, Redactor, Trust, Unescaped};
use schemascope_json::{Quoted, is_json, number_end, quoted, quoted_end, unescaped};

/// Least length of a number that can be a secret of the configuration, in bytes.
const MIN_SECRET_NUMBER: usize = 5;

/// Edits of JSON, in order. `nesting` counts the strings that the JSON is inside of.
pub(crate) fn edits(redactor: &Redactor, json: &str, trust: Trust, nesting: usize) -> Vec<Edit> {
    Scan { nesting, ..Scan::new(redactor, json, trust) }.run()
}

/// Edits of JSON, one string of which is unescaped already.
pub(crate) fn edits_with_unescaped(
    redactor: &Redactor,
    json: &str,
    trust: Trust,
    unescaped: Unescaped<'_>,
) -> Vec<Edit> {
    let start = unescaped.written.as_ptr().addr().wrapping_sub(json.as_ptr().addr());
    let span = start..start.wrapping_add(unescaped.written.len());
    // A number or a string is searched as text.
    let holds_fields = unescaped.text.trim_start().starts_with(['{', '[']);
    match holds_fields && json.get(span.clone()) == Some(unescaped.written) {
        true => Scan {
            unescaped: Some((span.clone(), unescaped.text)),
            ..Scan::outside(redactor, json, span, trust)
        }
        .run(),
        false => edits(redactor, json, trust, 0),
    }
}

/// Edits of a schema, whose keys are names of fields and say nothing about the values under them, but for the defaults
/// and examples of a field.
pub(crate) fn edits_of_schema(redactor: &Redactor, json: &str, trust: Trust) -> Vec<Edit> {
    Scan { checks_keys: false, ..Scan::new(redactor, json, trust) }.run()
}

/// Edits of the text of a string: parts of it, or all of it if it is JSON that is nested too deeply.
pub(crate) fn edits_of_text(redactor: &Redactor, text: &str, trust: Trust, nesting: usize) -> Vec<Edit> {
    match memchr::memchr2(b'{', b'[', text.as_bytes()).is_some() && is_json(text) {
        true => edits_of_json(redactor, text, trust, nesting),
        false => edits_of_plain_text(redactor, text, trust, Expected::ANYTHING, nesting),
    }
}

fn edits_of_json(redactor: &Redactor, json: &str, trust: Trust, nesting: usize) -> Vec<Edit> {
    match nesting < MAX_NESTING {
        true => edits(redactor, json, trust, nesting + 1),
        false => vec![Edit::marker(json, 0..json.len())],
    }
}

struct Scan<'a> {
    redactor: &'a Redactor,
    json: &'a str,
    trust: Trust,
    nesting: usize,
    /// Whether the name of a key can mark the value under it as secret.
    checks_keys: bool,
    /// The string that is unescaped already, and the JSON in it.
    unescaped: Option<(Span, &'a str)>,
    hints: Hints,
    /// Whether the document contains anything like a marker.
    marked: bool,
    /// Whether every text must be searched, because it may contain a marker or match a pattern of the user.
    searches_all: bool,
    /// The kinds of secrets that it has.
    kinds: SecretKinds,
    /// Numbers of the keys that are secrets.
    secret_keys: HashMap<String, usize>,
    edits: Vec<Edit>,
}

impl<'a> Scan<'a> {
    fn new(redactor: &'a Redactor, json: &'a str, trust: Trust) -> Self {
        Self::outside(redactor, json, json.len()..json.len(), trust)
    }

    /// Starts a scan that expects no hints in `skipped`.
    fn outside(redactor: &'a Redactor, json: &'a str, skipped: Span, trust: Trust) -> Self {
        let hints = Hints::outside(redactor, json, skipped);
        let marked = redactor.marker.find(json.as_bytes()).is_some();
        Self {
            redactor,
            json,
            trust,
            nesting: 0,
            checks_keys: true,
            unescaped: None,
            hints,
            marked,
            searches_all: marked || redactor.rules.has_patterns(),
            kinds: SecretKinds::of(json),
            secret_keys: HashMap::new(),
            edits: Vec::new(),
        }
    }

    /// Walks over the document. Bytes that are not JSON are skipped.
    fn run(mut self) -> Vec<Edit> {
        let json: &'a str = self.json;
        let bytes = json.as_bytes();
        let mut cache = KeyCache::new();
        let mut open: Vec<Container> = Vec::new();
        let (mut at_key, mut secret, mut role) = (false, false, Role::Other);
        let (mut is_secret_field, mut lists_fields, mut is_value) = (false, false, false);
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => {
                    let found = self.quoted(at);
                    at = found.span.end;
                    if at_key {
                        let around = open.last();
                        let inherited = around.is_some_and(|around| around.secret);
                        let written = &json[found.span.clone()];
                        let key = if found.escaped { unescaped(written) } else { inner(written).into() };
                        let redactor = self.redactor;
                        let is_inside_value = around.is_some_and(|around| around.is_value);
                        let checks_keys = self.checks_keys || is_inside_value;
                        let (sensitive, key_role) = cache
                            .get_or_compute(written, || (redactor.is_sensitive_key(&key), role_of(&key)));
                        let lists_secrets = around.is_some_and(|around| around.is_secret_schema)
                            && match checks_keys {
                                true => schema_like::has_values(&key),
                                false => schema_like::has_examples(&key),
                            };
                        let names_field = around.is_some_and(|around| around.names_fields);
                        is_secret_field = names_field && sensitive;
                        lists_fields = !checks_keys && !names_field && key == "properties";
                        is_value = is_inside_value
                            || !checks_keys
                                && !names_field
                                && (schema_like::has_examples(&key) || key == "_meta");
                        let is_of_secret = self.kinds.is_part(&key, &json[found.span.end..]);
                        secret = inherited || checks_keys && (sensitive || is_of_secret) || lists_secrets;
                        role = key_role;
                        if found.escaped
                            || key.len() >= MIN_RUN
                            || self.searches_all
                            || self.hints.any_in(&found.span)
                        {
                            self.key(&found, &key);
                        }
                        at_key = false;
                        at += usize::from(bytes.get(at) == Some(&b':'));
                    } else {
                        let plain =
                            !secret && role == Role::Other && open.last().is_some_and(|open| open.is_object);
                        if !(plain && self.is_short_and_harmless(&found)) {
                            self.string_value(found, secret, role, &mut open);
                        }
                    }
                }
                b'{' | b'[' => {
                    let is_object = *byte == b'{';
                    let blocks = (!is_object && role == Role::Content && !secret).then(Blocks::default);
                    let secret = secret
                        || !is_object && open.last().is_some_and(|open| open.after_option && !open.is_object)
                        || open.last().is_some_and(|open| open.columns.secrecy() == Some(Secrecy::Certain));
                    let columns = match is_object {
                        true => Columns::default(),
                        false => Columns::of_array(
                            open.last_mut().map(Container::above).as_ref(),
                            matches!(role, Role::Columns | Role::Name),
                        ),
                    };
                    let is_inside = open.last().is_some_and(|open| open.secret);
                    let is_schema =
                        || secret && !is_inside && is_object && schema_like::is_schema(&json[at..]);
                    let is_secret_schema = is_secret_field && is_object || is_schema();
                    open.push(Container {
                        is_object,
                        secret: secret && !is_secret_schema,
                        is_secret_schema,
                        names_fields: lists_fields && is_object,
                        is_value: is_value || open.last().is_some_and(|open| open.is_value),
                        blocks,
                        after_option: false,
                        named: None,
                        value: None,
                        is_secret_field: false,
                        typed: None,
                        has_pairs: !is_object && role == Role::Pairs,
                        columns,
                        command: Command::of_array(!is_object && role == Role::Arguments),
                    });
                    at_key = is_object;
                    role = Role::Other;
                    (is_secret_field, lists_fields, is_value) = (false, false, false);
                    at += 1;
                }
                b'}' | b']' => {
                    if let Some(closed) = open.pop() {
                        self.close(closed, open.last_mut());
                    }
                    // In NDJSON, another document follows.
                    secret = open.last().is_some_and(|open| open.secret);
                    is_value = false;
                    at += 1;
                }
                b',' => {
                    if let Some(inside) = open.last_mut() {
                        inside.columns.next();
                    }
                    let inside = open.last();
                    at_key = inside.is_some_and(|open| open.is_object);
                    secret = inside.is_some_and(|open| open.secret);
                    role = Role::Other;
                    is_value = false;
                    at += 1;
                }
                b'-' | b'0'..=b'9' => {
                    let end = number_end(bytes, at);
                    let in_column =
                        open.last().is_some_and(|open| open.columns.secrecy() == Some(Secrecy::Certain));
                    self.number(at..end, secret || in_column);
                    if role == Role::Value
                        && let Some(inside) = open.last_mut()
                    {
                        inside.value = Some(at..end);
                    }
                    at = end;
                }
                b't' | b'f' | b'n' => {
                    if role == Role::Sensitive
                        && *byte == b't'
                        && let Some(inside) = open.last_mut()
                    {
                        inside.named = Some(Secrecy::Certain);
                    }
                    at += literal_length(&bytes[at..]);
                }
                _ => at += 1,
            }
        }
        merged(self.json, self.edits)
    }

    /// Handles a string that is a value, with regard to its key and its siblings.
    fn string_value(&mut self, found: Quoted, secret: bool, role: Role, open: &mut [Container]) {
        let above = open.len().checked_sub(2);
        let Some(inside) = open.last_mut() else { return self.string(&found, secret) };
        let quoted = &self.json[found.span.clone()];
        let after_option = std::mem::take(&mut inside.after_option);
        // A key whose lines are items: each alone looks like nothing.
        let begins_key = quoted.starts_with("\"-----BEGIN ")
            && ["PRIVATE", "Static key", "ENCRYPTED"].iter().any(|label| quoted.contains(label));
        if begins_key {
            let list =
                if inside.is_object { above.and_then(|above| open.get_mut(above)) } else { open.last_mut() };
            if let Some(list) = list.filter(|list| !list.is_object) {
                list.blocks.get_or_insert_default();
            }
        }
        let Some(inside) = open.last_mut() else { return };
        if let Some(blocks) = inside.blocks.as_mut().filter(|_| !inside.is_object && !secret) {
            blocks.push(found.clone());
        }
        let is_block = !inside.is_object && inside.blocks.is_some();
        if !inside.is_object {
            let is_option = quoted.starts_with("\"-") && !quoted.contains('=')
                || inside.has_pairs && inside.columns.is_even();
            let secrecy = inside.columns.secrecy();
            let is_sensitive = quoted.len() < 64
                && (is_option || inside.columns.may_be_name())
                && self.redactor.is_sensitive_key(quoted.trim_matches(['"', '-']));
            inside.after_option = is_option && is_sensitive;
            if is_sensitive {
                inside.columns.is_name();
            }
            inside.command.item(&found, quoted, inside.columns.at_first());
            let in_column = match secrecy {
                None => false,
                Some(Secrecy::Certain) => true,
                Some(Secrecy::Possible) => is_plausible_under_ambiguous_key(unescaped(quoted).as_bytes()),
            };
            let is_secret = secret || after_option || in_column;
            // Blocks are searched together when all are known.
            if is_secret || !is_block {
                self.string(&found, is_secret);
            }
            return;
        }
        match role {
            Role::Name if quoted.len() < 64 => {
                // `Password field`, as agents describe where they type.
                let name = quoted.trim_matches('"');
                let is_kind = |(_, kind): &(&str, &str)| matches!(*kind, "field" | "input" | "textbox");
                let name = name.rsplit_once(' ').filter(is_kind).map_or(name, |(name, _)| name);
                if self.redactor.is_sensitive_key(name) {
                    inside.named = Some(Secrecy::Certain);
                } else if inside.named.is_none() && is_ambiguous(name) {
                    inside.named = Some(Secrecy::Possible);
                }
            }
            Role::Field if names_secret(quoted) => {
                (inside.named, inside.is_secret_field) = (Some(Secrecy::Certain), true);
            }
            Role::Kind if is_secret_kind(quoted) => inside.named = Some(Secrecy::Certain),
            Role::Program => inside.command.named(&found, quoted),
            Role::Value => inside.value = Some(found.span.clone()),
            // A text of several words is prose about what is named.
            Role::Content if !quoted.contains([' ', '\\']) => inside.value = Some(found.span.clone()),
            Role::Ambiguous if !secret => {
                let text = unescaped(quoted);
                return self.string(&found, is_plausible_under_ambiguous_key(text.as_bytes()));
            }
            Role::Text if !secret => {
                inside.typed = Some(found.span.clone());
                if let Some(blocks) = above.and_then(|above| open[above].blocks.as_mut()) {
                    return blocks.push(found);
                }
            }
            _ => {}
        }
        self.string(&found, secret);
    }

    fn close(&mut self, mut closed: Container, mut around: Option<&mut Container>) {
        let named_values = closed.named_values();
        if let Some(around) = around.as_deref_mut() {
            // `"columns": [{"name": "password"}]`
            if closed.named == Some(Secrecy::Certain) && around.columns.may_be_name() {
                around.columns.is_name();
            }
            closed.columns.close(&mut around.above());
        }
        if let Some(words) = closed.command.close(self.json, around.map(|around| &mut around.command)) {
            self.command(&words);
        }
        for (secrecy, value) in named_values {
            let written = &self.json[value.clone()];
            match (written.starts_with('"'), secrecy) {
                (true, Secrecy::Certain) => self.string(&self.quoted(value.start), true),
                (true, Secrecy::Possible) => {
                    let secret = is_plausible_under_ambiguous_key(unescaped(written).as_bytes());
                    self.string(&self.quoted(value.start), secret);
                }
                (false, Secrecy::Certain) => self.number(value, true),
                (false, Secrecy::Possible) => {}
            }
        }
        match closed.blocks.map(Blocks::into_texts).unwrap_or_default().as_slice() {
            [] => {}
            [one] => self.string(one, false),
            texts => self.texts(texts),
        }
    }

    /// Handles the texts of one result: each alone, and all joined, because a secret may be split over them.
    fn texts(&mut self, blocks: &[Quoted]) {
        let spans = || blocks.iter().map(|block| block.span.clone());
        let texts: Vec<Cow<'_, str>> = spans().map(|span| unescaped(&self.json[span])).collect();
        let (redactor, trust, nesting) = (self.redactor, self.trust, self.nesting);
        let find = |text: &str| edits_of_text(redactor, text, trust, nesting);
        for ((span, text), edits) in spans().zip(&texts).zip(blocks::edits(&texts, find)) {
            self.replace(span, text, &edits);
        }
    }

    /// Handles the words of a command together, in addition to each alone.
    fn command(&mut self, words: &[Quoted]) {
        let line = command::line(words, self.json);
        // What lies deeper in a word was found in the word.
        let (all, nesting) = (line.concat(), MAX_NESTING);
        let found = edits_of_plain_text(self.redactor, &all, self.trust, Expected::ANYTHING, nesting);
        let parts = blocks::split(&line, &found);
        // Blanks between words are no words.
        for ((word, text), edits) in words.iter().zip(line.iter().step_by(2)).zip(parts.iter().step_by(2)) {
            self.replace(word.span.clone(), text, edits);
        }
    }

    fn key(&mut self, found: &Quoted, key: &str) {
        let span = found.span.clone();
        let hinted = self.hints.any_in(&span) || found.escaped;
        // A trigger word alone is no sign of a secret: names are made of such words.
        let hinted = hinted
            && (memchr::memchr3(b':', b'=', b'@', key.as_bytes()).is_some()
                || memchr::memchr2(b' ', b'>', key.as_bytes()).is_some()
                || self.redactor.configured.find(key).next().is_some());
        let ours = self.marked && key.starts_with("⟦redacted key ");
        let expected = Expected { hinted, marked: self.marked };
        let secret = match self.trust {
            _ if !ours => {
                !edits_of_plain_text(self.redactor, key, Trust::Own, expected, self.nesting).is_empty()
            }
            Trust::Foreign => true,
            Trust::Own => false,
        };
        if !secret {
            return;
        }
        let mut number = self.secret_keys.len() + 1;
        if let Some(&known) = self.secret_keys.get(key) {
            number = known;
        } else {
            // A number is taken if a marker in the document has it.
            while self.trust == Trust::Own && self.json.contains(&key_marker(number)) {
                number += 1;
            }
            self.secret_keys.insert(key.to_owned(), number);
        }
        self.edits.push(Edit { span, with: quoted(&key_marker(number)), values: 1 });
    }

    fn number(&mut self, span: Span, secret: bool) {
        let text = &self.json[span.clone()];
        let mut found = Vec::new();
        if self.redactor.rules.has_patterns() {
            self.redactor.rules.find(text, &mut found);
        }
        // A short number is no secret, and most are short.
        if text.len() >= MIN_SECRET_NUMBER && self.hints.any_in(&span) {
            found.extend(self.redactor.configured.find(text).filter(|span| *span == (0..text.len())));
        }
        if secret || !found.is_empty() {
            let integer = text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
            let kind = if integer { Redacted::Integer } else { Redacted::Number };
            self.edits.push(Edit { span, with: quoted(&Marker(kind).to_string()), values: 1 });
        }
    }

    fn string(&mut self, found: &Quoted, secret: bool) {
        let span = found.span.clone();
        let quoted = &self.json[span.clone()];
        // An empty default says that there is none.
        let secret = secret && (self.checks_keys || quoted != "\"\"");
        let hinted = self.hints.any_in(&span);
        // Cheap checks first: most strings are short and contain no secret, JSON or marker. Unless `hides` is set, no
        // escape stands for a part of a word, so a string can be searched as it is written.
        let maybe_json = quoted.len() > 4 && found.opens;
        let nothing = !secret && !maybe_json && !hinted && !found.hides && !self.searches_all;
        if nothing && !finders::has_run(quoted.as_bytes()) {
            return;
        }
        if let Some((_, json)) = self.unescaped.clone().filter(|(string, _)| *string == span && !secret) {
            let edits = edits_of_json(self.redactor, json, self.trust, self.nesting);
            return self.replace(span, json, &edits);
        }
        let text = if found.escaped { unescaped(quoted) } else { inner(quoted).into() };
        if secret {
            let own = self.trust == Trust::Own && text.parse::<Marker>().is_ok();
            if !own {
                let marker = Marker(Redacted::String(text.chars().count())).to_string();
                self.replace_all(span, &marker);
            }
            return;
        }
        let edits = match maybe_json && is_json(&text) {
            true => edits_of_json(self.redactor, &text, self.trust, self.nesting),
            false => {
                let expected = Expected { hinted: hinted || found.hides, marked: self.marked || found.hides };
                edits_of_plain_text(self.redactor, &text, self.trust, expected, self.nesting)
            }
        };
        self.replace(span, &text, &edits);
    }

    /// Whether [`Scan::string`] would find nothing in a string under a key without a role, as is the case for most.
    #[inline]
    fn is_short_and_harmless(&mut self, found: &Quoted) -> bool {
        let alone = !found.opens && !found.hides && !self.searches_all;
        alone && found.span.len() < MIN_RUN && !self.hints.any_in(&found.span)
    }

    /// The string that opens at `start`.
    fn quoted(&self, start: usize) -> Quoted {
        match &self.unescaped {
            Some((span, _)) if span.start == start => {
                Quoted { span: span.clone(), escaped: true, hides: true, opens: true }
            }
            _ => quoted_end(self.json.as_bytes(), start),
        }
    }

    /// Replaces a string by its text with edits applied.
    fn replace(&mut self, span: Span, text: &str, edits: &[Edit]) {
        if !edits.is_empty() {
            let with = quoted(&apply(text, edits));
            self.edits.push(Edit { span, with, values: edits.iter().map(|edit| edit.values).sum() });
        }
    }

    fn replace_all(&mut self, span: Span, text: &str) {
        self.edits.push(Edit { span, with: quoted(text), values: 1 });
    }
}

/// Length of the literal at the beginning of `rest`, or 1 if there is none.
fn literal_length(rest: &[u8]) -> usize {
    let known = [&b"true"[..], b"false", b"null"].into_iter().find(|word| rest.starts_with(word));
    known.map_or(1, <[u8]>::len)
}

/// A string without its quotes, if it has no escapes.
fn inner(quoted: &str) -> &str {
    quoted.strip_prefix('"').map_or(quoted, |rest| rest.strip_suffix('"').unwrap_or(rest))
}

fn key_marker(number: usize) -> String {
    format!("⟦redacted key {number}⟧")
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
