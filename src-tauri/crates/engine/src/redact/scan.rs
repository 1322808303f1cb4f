//! One pass over JSON that finds what may not stay.

use std::borrow::Cow;
use std::collections::HashMap;

use schemascope_model::{Marker, Redacted};

use super::blocks::{self, Blocks};
use super::json::{is_json, number_end, quoted, string_end, unescaped};
use super::keys::Known;
use super::spans::{Edit, Span, markers, merged};
use super::{MAX_NESTING, Redactor, Trust, text};

/// What every marker begins with.
const MARKER: &str = "⟦redacted ";

/// What is to be replaced in JSON, in order. `nesting` counts the strings it was taken out of.
pub(super) fn edits(redactor: &Redactor, json: &str, trust: Trust, nesting: usize) -> Vec<Edit> {
    Scan { nesting, ..Scan::new(redactor, json, trust) }.run()
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

/// What is known of a text before it is looked at.
#[derive(Debug, Clone, Copy)]
struct Look {
    /// Something may be there beside tokens.
    hinted: bool,
    /// Something may be there that looks like a marker.
    marked: bool,
}

impl Look {
    const WHOLE: Self = Self { hinted: true, marked: true };
}

/// The secrets of a text that is no JSON, and what looks like a marker of ours.
fn plain(redactor: &Redactor, text: &str, trust: Trust, look: Look, nesting: usize) -> Vec<Edit> {
    let mut found = text::find(redactor, text, look.hinted, nesting);
    let marked = if look.marked { marked(text) } else { Vec::new() };
    match trust {
        Trust::Foreign => found.extend(marked),
        Trust::Own => {
            found.retain(|span| !marked.iter().any(|mark| mark.start < span.end && span.start < mark.end));
        }
    }
    if found.is_empty() { Vec::new() } else { markers(text, found) }
}

/// What looks like a marker.
fn marked(text: &str) -> Vec<Span> {
    let starts = memchr::memmem::find_iter(text.as_bytes(), MARKER.as_bytes());
    let marker = |start: usize| {
        let near = &text.as_bytes()[start..text.len().min(start + 64)];
        let end = start + memchr::memmem::find(near, "⟧".as_bytes())? + '⟧'.len_utf8();
        text.get(start..end)?.parse::<Marker>().is_ok().then_some(start..end)
    };
    starts.filter_map(marker).collect()
}

struct Scan<'a> {
    redactor: &'a Redactor,
    json: &'a str,
    trust: Trust,
    nesting: usize,
    keys_tell: bool,
    /// Where something hints at a secret, and the first of these not passed yet.
    hints: Vec<usize>,
    hint: usize,
    /// Whether there is anything like a marker.
    marked: bool,
    /// Keys that were secrets, by what they were, numbered.
    keys: HashMap<String, usize>,
    edits: Vec<Edit>,
}

/// What the key of a value means to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Content,
    Text,
    /// Its value is the name of what stands in its sibling `value`.
    Name,
    Value,
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
        let mut hints: Vec<usize> = redactor.words.find_iter(json).map(|found| found.start()).collect();
        hints.extend(memchr::memchr_iter(b'@', json.as_bytes()));
        hints.extend(redactor.known.find(json).map(|span| span.start));
        hints.sort_unstable();
        let marked = memchr::memmem::find(json.as_bytes(), MARKER.as_bytes()).is_some();
        let (keys, edits) = (HashMap::new(), Vec::new());
        Self { redactor, json, trust, nesting: 0, keys_tell: true, hints, hint: 0, marked, keys, edits }
    }

    /// The input is JSON; what is not is passed over.
    fn run(mut self) -> Vec<Edit> {
        let json: &'a str = self.json;
        let bytes = json.as_bytes();
        let mut known = Known::new();
        let mut open: Vec<Open> = Vec::new();
        let (mut at_key, mut secret, mut role) = (false, false, Role::Other);
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => {
                    let end = string_end(bytes, at);
                    if at_key {
                        let inherited = open.last().is_some_and(|open| open.secret);
                        let key = unescaped(&self.json[at..end]);
                        let redactor = self.redactor;
                        let tells =
                            self.keys_tell && known.answer(&json[at..end], || redactor.is_telling(&key));
                        secret = inherited || tells;
                        role = role_of(&key);
                        self.key(at..end, &key);
                        at_key = false;
                    } else {
                        self.item(at..end, secret, role, &mut open);
                    }
                    at = end;
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
                _ => at += 1,
            }
        }
        merged(self.json, self.edits)
    }

    /// A string that is a value, with what its place says of it.
    fn item(&mut self, span: Span, secret: bool, role: Role, open: &mut [Open]) {
        let above = open.len().checked_sub(2);
        let Some(inside) = open.last_mut() else { return self.string(span, secret) };
        let quoted = &self.json[span.clone()];
        let flagged = std::mem::take(&mut inside.flag);
        if !inside.object {
            inside.flag = quoted.starts_with("\"-")
                && quoted.len() < 64
                && !quoted.contains('=')
                && self.redactor.is_telling(quoted.trim_matches(['"', '-']));
            return self.string(span, secret || flagged);
        }
        match role {
            Role::Name if quoted.len() < 64 => {
                inside.named |= self.redactor.is_telling(quoted.trim_matches('"'));
            }
            Role::Value => inside.value = Some(span.clone()),
            Role::Text if !secret => {
                if let Some(blocks) = above.and_then(|above| open[above].blocks.as_mut()) {
                    return blocks.push(span);
                }
            }
            _ => {}
        }
        self.string(span, secret);
    }

    fn close(&mut self, closed: Open) {
        if let (true, Some(value)) = (closed.named, closed.value) {
            match self.json[value.clone()].starts_with('"') {
                true => self.string(value, true),
                false => self.number(value, true),
            }
        }
        match closed.blocks.map(Blocks::into_texts).unwrap_or_default().as_slice() {
            [] => {}
            [one] => self.string(one.clone(), false),
            texts => self.texts(texts),
        }
    }

    /// Texts of one result: each for itself, and all together, since what is split over them is read together.
    fn texts(&mut self, spans: &[Span]) {
        let texts: Vec<Cow<'_, str>> = spans.iter().map(|span| unescaped(&self.json[span.clone()])).collect();
        let (redactor, trust, nesting) = (self.redactor, self.trust, self.nesting);
        let find = |text: &str| edits_of_text(redactor, text, trust, nesting);
        for (span, edits) in spans.iter().zip(blocks::edits(&texts, find)) {
            let text = unescaped(&self.json[span.clone()]);
            self.replace(span.clone(), &text, &edits);
        }
    }

    fn key(&mut self, span: Span, key: &str) {
        let escaped = key.len() + 2 != span.len();
        let hinted = self.hinted(&span) || escaped;
        if !hinted && key.len() < 16 && !self.marked && !self.redactor.rules.has_patterns() {
            return;
        }
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

    fn string(&mut self, span: Span, secret: bool) {
        let quoted = &self.json[span.clone()];
        let hinted = self.hinted(&span);
        let body = quoted.as_bytes();
        // Cheap looks first: most strings are short, and neither secret nor JSON nor markers.
        let short = quoted.len() < 18 && !hinted && !self.marked && !self.redactor.rules.has_patterns();
        let escaped = memchr::memchr(b'\\', body).is_some();
        let maybe_json = quoted.len() > 4 && memchr::memchr2(b'{', b'[', body).is_some();
        if !secret && !maybe_json && short && !escaped {
            return;
        }
        let text = unescaped(quoted);
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
                let look = Look { hinted: hinted || escaped, marked: self.marked || escaped };
                plain(self.redactor, &text, self.trust, look, self.nesting)
            }
        };
        self.replace(span, &text, &edits);
    }

    /// Whether a place has a hint. Places are asked for in order, but for some that come late.
    fn hinted(&mut self, span: &Span) -> bool {
        if self.hint.checked_sub(1).is_some_and(|before| self.hints[before] >= span.start) {
            self.hint = self.hints.partition_point(|&hint| hint < span.start);
        }
        while self.hints.get(self.hint).is_some_and(|&hint| hint < span.start) {
            self.hint += 1;
        }
        self.hints.get(self.hint).is_some_and(|&hint| hint < span.end)
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

fn role_of(key: &str) -> Role {
    match key {
        "content" => Role::Content,
        "text" => Role::Text,
        "name" | "key" | "header" | "Name" | "Key" => Role::Name,
        "value" | "Value" => Role::Value,
        _ => Role::Other,
    }
}

fn key_marker(number: usize) -> String {
    format!("⟦redacted key {number}⟧")
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
