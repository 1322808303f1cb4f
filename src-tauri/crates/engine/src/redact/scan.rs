//! One pass over JSON that finds what may not stay.

use std::borrow::Cow;
use std::collections::HashMap;

use schemascope_model::{Marker, Redacted};

use super::blocks::{self, Blocks};
use super::hints::Hints;
use super::json::{self, Quoted, is_json, number_end, quoted, unescaped};
use super::keys::{Lately, is_ambiguous};
use super::likely;
use super::plain::{Look, plain};
use super::spans::{Edit, Span, merged};
use super::text::RUN;
use super::{MAX_NESTING, Redactor, Trust, Unescaped, text};

/// What is to be replaced in JSON, in order. `nesting` counts the strings it was taken out of.
pub(super) fn edits(redactor: &Redactor, json: &str, trust: Trust, nesting: usize) -> Vec<Edit> {
    Scan { nesting, ..Scan::new(redactor, json, trust) }.run()
}

/// The same, where one of its strings was unescaped already.
pub(super) fn edits_knowing(
    redactor: &Redactor,
    json: &str,
    trust: Trust,
    unescaped: Unescaped<'_>,
) -> Vec<Edit> {
    let start = unescaped.written.as_ptr().addr().wrapping_sub(json.as_ptr().addr());
    let span = start..start.wrapping_add(unescaped.written.len());
    // Numbers and strings are looked at as texts are.
    let holds_fields = unescaped.text.trim_start().starts_with(['{', '[']);
    match holds_fields && json.get(span.clone()) == Some(unescaped.written) {
        true => {
            Scan { known: Some((span.clone(), unescaped.text)), ..Scan::around(redactor, json, span, trust) }
                .run()
        }
        false => edits(redactor, json, trust, 0),
    }
}

/// The same for a schema, whose keys name what they describe.
pub(super) fn edits_of_schema(redactor: &Redactor, json: &str, trust: Trust) -> Vec<Edit> {
    Scan { keys_tell: false, ..Scan::new(redactor, json, trust) }.run()
}

/// What is to be replaced in the text of a string: parts, or all of it where it is JSON nested too deep.
pub(super) fn edits_of_text(redactor: &Redactor, text: &str, trust: Trust, nesting: usize) -> Vec<Edit> {
    match memchr::memchr2(b'{', b'[', text.as_bytes()).is_some() && is_json(text) {
        true => edits_of_json(redactor, text, trust, nesting),
        false => plain(redactor, text, trust, Look::WHOLE, nesting),
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
    keys_tell: bool,
    /// Where a string is that holds JSON, and which.
    known: Option<(Span, &'a str)>,
    hints: Hints,
    /// Whether there is anything like a marker.
    marked: bool,
    /// Something may be in a text that nothing in it hints at: a marker, what the user's patterns match.
    looks_at_all: bool,
    /// Keys that were secrets, by what they were, numbered.
    keys: HashMap<String, usize>,
    edits: Vec<Edit>,
}

/// What the key of a value means to us.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Role {
    Content,
    Text,
    /// Its value is the name of what stands in its sibling `value`.
    Name,
    Value,
    /// Its value is a secret if it looks like one.
    Ambiguous,
    #[default]
    Other,
}

/// An open object or array.
struct Open {
    object: bool,
    /// Everything inside is secret.
    secret: bool,
    /// The texts of the blocks in this array, if it is one of content.
    blocks: Option<Blocks>,
    /// In an array: the last item was `--password`.
    flag: bool,
    /// In an object: its `name` is telling, and where its `value` is.
    named: bool,
    value: Option<Span>,
}

impl<'a> Scan<'a> {
    fn new(redactor: &'a Redactor, json: &'a str, trust: Trust) -> Self {
        Self::around(redactor, json, json.len()..json.len(), trust)
    }

    /// Without looking for hints in `skipped`.
    fn around(redactor: &'a Redactor, json: &'a str, skipped: Span, trust: Trust) -> Self {
        let hints = Hints::around(redactor, json, skipped);
        let marked = redactor.marker.find(json.as_bytes()).is_some();
        Self {
            redactor,
            json,
            trust,
            nesting: 0,
            keys_tell: true,
            known: None,
            hints,
            marked,
            looks_at_all: marked || redactor.rules.has_patterns(),
            keys: HashMap::new(),
            edits: Vec::new(),
        }
    }

    /// The input is JSON; what is not is passed over.
    fn run(mut self) -> Vec<Edit> {
        let json: &'a str = self.json;
        let bytes = json.as_bytes();
        let mut lately = Lately::new();
        let mut open: Vec<Open> = Vec::new();
        let (mut at_key, mut secret, mut role) = (false, false, Role::Other);
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => {
                    let found = self.quoted(at);
                    at = found.span.end;
                    if at_key {
                        let inherited = open.last().is_some_and(|open| open.secret);
                        let written = &json[found.span.clone()];
                        let key = if found.escaped { unescaped(written) } else { inner(written).into() };
                        let (redactor, keys_tell) = (self.redactor, self.keys_tell);
                        let (tells, means) =
                            lately.known(written, || (keys_tell && redactor.is_telling(&key), role_of(&key)));
                        secret = inherited || tells;
                        role = means;
                        if found.escaped
                            || key.len() >= RUN
                            || self.looks_at_all
                            || self.hints.are_in(&found.span)
                        {
                            self.key(&found, &key);
                        }
                        at_key = false;
                        at += usize::from(bytes.get(at) == Some(&b':'));
                    } else {
                        let plain =
                            !secret && role == Role::Other && open.last().is_some_and(|open| open.object);
                        if !(plain && self.is_short_and_harmless(&found)) {
                            self.item(found, secret, role, &mut open);
                        }
                    }
                }
                b'{' | b'[' => {
                    let object = *byte == b'{';
                    let blocks = (!object && role == Role::Content && !secret).then(Blocks::default);
                    let secret =
                        secret || !object && open.last().is_some_and(|open| open.flag && !open.object);
                    open.push(Open { object, secret, blocks, flag: false, named: false, value: None });
                    at_key = object;
                    role = Role::Other;
                    at += 1;
                }
                b'}' | b']' => {
                    if let Some(closed) = open.pop() {
                        self.close(closed);
                    }
                    // What comes next, in NDJSON, is another document.
                    secret = open.last().is_some_and(|open| open.secret);
                    at += 1;
                }
                b',' => {
                    let inside = open.last();
                    at_key = inside.is_some_and(|open| open.object);
                    secret = inside.is_some_and(|open| open.secret);
                    role = Role::Other;
                    at += 1;
                }
                b'-' | b'0'..=b'9' => {
                    let end = number_end(bytes, at);
                    self.number(at..end, secret);
                    if role == Role::Value
                        && let Some(inside) = open.last_mut()
                    {
                        inside.value = Some(at..end);
                    }
                    at = end;
                }
                b't' | b'f' | b'n' => at += word(&bytes[at..]),
                _ => at += 1,
            }
        }
        merged(self.json, self.edits)
    }

    /// A string that is a value, with what its place says of it.
    fn item(&mut self, found: Quoted, secret: bool, role: Role, open: &mut [Open]) {
        let above = open.len().checked_sub(2);
        let Some(inside) = open.last_mut() else { return self.string(&found, secret) };
        let quoted = &self.json[found.span.clone()];
        let flagged = std::mem::take(&mut inside.flag);
        if !inside.object {
            inside.flag = quoted.starts_with("\"-")
                && quoted.len() < 64
                && !quoted.contains('=')
                && self.redactor.is_telling(quoted.trim_matches(['"', '-']));
            return self.string(&found, secret || flagged);
        }
        match role {
            Role::Name if quoted.len() < 64 => {
                inside.named |= self.redactor.is_telling(quoted.trim_matches('"'));
            }
            Role::Value => inside.value = Some(found.span.clone()),
            Role::Ambiguous if !secret => {
                let text = unescaped(quoted);
                return self.string(&found, likely::is_made_up(text.as_bytes()));
            }
            Role::Text if !secret => {
                if let Some(blocks) = above.and_then(|above| open[above].blocks.as_mut()) {
                    return blocks.push(found);
                }
            }
            _ => {}
        }
        self.string(&found, secret);
    }

    fn close(&mut self, closed: Open) {
        if let (true, Some(value)) = (closed.named, closed.value) {
            match self.json[value.clone()].starts_with('"') {
                true => self.string(&self.quoted(value.start), true),
                false => self.number(value, true),
            }
        }
        match closed.blocks.map(Blocks::into_texts).unwrap_or_default().as_slice() {
            [] => {}
            [one] => self.string(one, false),
            texts => self.texts(texts),
        }
    }

    /// Texts of one result: each for itself, and all together, since what is split over them is read together.
    fn texts(&mut self, blocks: &[Quoted]) {
        let spans = || blocks.iter().map(|block| block.span.clone());
        let texts: Vec<Cow<'_, str>> = spans().map(|span| unescaped(&self.json[span])).collect();
        let (redactor, trust, nesting) = (self.redactor, self.trust, self.nesting);
        let find = |text: &str| edits_of_text(redactor, text, trust, nesting);
        for ((span, text), edits) in spans().zip(&texts).zip(blocks::edits(&texts, find)) {
            self.replace(span, text, &edits);
        }
    }

    fn key(&mut self, found: &Quoted, key: &str) {
        let span = found.span.clone();
        let hinted = self.hints.are_in(&span) || found.escaped;
        // Words alone tell nothing: names are made of them.
        let hinted = hinted
            && (memchr::memchr3(b':', b'=', b'@', key.as_bytes()).is_some()
                || memchr::memchr2(b' ', b'>', key.as_bytes()).is_some()
                || self.redactor.known.find(key).next().is_some());
        let ours = self.marked && key.starts_with("⟦redacted key ");
        let look = Look { hinted, marked: self.marked };
        let secret = match self.trust {
            _ if !ours => !plain(self.redactor, key, Trust::Own, look, self.nesting).is_empty(),
            Trust::Foreign => true,
            Trust::Own => false,
        };
        if !secret {
            return;
        }
        let mut number = self.keys.len() + 1;
        if let Some(&known) = self.keys.get(key) {
            number = known;
        } else {
            // Numbers of markers that are there already are taken.
            while self.trust == Trust::Own && self.json.contains(&key_marker(number)) {
                number += 1;
            }
            self.keys.insert(key.to_owned(), number);
        }
        self.edits.push(Edit { span, with: quoted(&key_marker(number)), values: 1 });
    }

    fn number(&mut self, span: Span, secret: bool) {
        let text = &self.json[span.clone()];
        let mut found = Vec::new();
        if self.redactor.rules.has_patterns() {
            self.redactor.rules.find(text, &mut found);
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
        let hinted = self.hints.are_in(&span);
        // Cheap looks first: most strings are short, and neither secret nor JSON nor markers. Of what escapes
        // stand for nothing is part of a word, so that there are no other words than those that are written.
        let maybe_json = quoted.len() > 4 && found.opens;
        let nothing = !secret && !maybe_json && !hinted && !found.hides && !self.looks_at_all;
        if nothing && !text::has_run(quoted.as_bytes()) {
            return;
        }
        if let Some((_, json)) = self.known.clone().filter(|(known, _)| *known == span && !secret) {
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
                let look = Look { hinted: hinted || found.hides, marked: self.marked || found.hides };
                plain(self.redactor, &text, self.trust, look, self.nesting)
            }
        };
        self.replace(span, &text, &edits);
    }

    /// What most values are, under keys that mean nothing: [`Scan::string`] would find nothing in it either.
    #[inline]
    fn is_short_and_harmless(&mut self, found: &Quoted) -> bool {
        let alone = !found.opens && !found.hides && !self.looks_at_all;
        alone && found.span.len() < RUN && !self.hints.are_in(&found.span)
    }

    /// The string that opens at `start`.
    fn quoted(&self, start: usize) -> Quoted {
        match &self.known {
            Some((span, _)) if span.start == start => {
                Quoted { span: span.clone(), escaped: true, hides: true, opens: true }
            }
            _ => json::string(self.json.as_bytes(), start),
        }
    }

    /// Puts an edited text in the place of a string.
    fn replace(&mut self, span: Span, text: &str, edits: &[Edit]) {
        if !edits.is_empty() {
            let with = quoted(&super::spans::apply(text, edits));
            self.edits.push(Edit { span, with, values: edits.iter().map(|edit| edit.values).sum() });
        }
    }

    fn replace_all(&mut self, span: Span, text: &str) {
        self.edits.push(Edit { span, with: quoted(text), values: 1 });
    }
}

/// Bytes of the literal that stands here, or one.
fn word(rest: &[u8]) -> usize {
    let known = [&b"true"[..], b"false", b"null"].into_iter().find(|word| rest.starts_with(word));
    known.map_or(1, <[u8]>::len)
}

fn role_of(key: &str) -> Role {
    match key {
        "content" => Role::Content,
        "text" => Role::Text,
        "name" | "key" | "header" | "Name" | "Key" => Role::Name,
        "value" | "Value" => Role::Value,
        _ if is_ambiguous(key) => Role::Ambiguous,
        _ => Role::Other,
    }
}

/// A string without escapes, without its quotes.
fn inner(quoted: &str) -> &str {
    quoted.strip_prefix('"').map_or(quoted, |rest| rest.strip_suffix('"').unwrap_or(rest))
}

fn key_marker(number: usize) -> String {
    format!("⟦redacted key {number}⟧")
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
