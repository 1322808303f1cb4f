//! Secrets in a text.
//!
//! Owns: looking everywhere once: around words, around `@`, in runs of word characters, in what is encoded. Linear
//! in the text but for base64 in base64, which is looked into a few times. Refuses to know: JSON.

use super::Redactor;
use super::assigned::WORDS;
use super::forms::is_word;
use super::spans::Span;
use super::{address, armour, assigned, encoded, shapes};

/// A run of word characters worth a look.
pub(super) const RUN: usize = 16;
/// Signs of things other than a word and its value.
const SIGNS: &[&str] = &["BEGIN ", "Private-Lines:", "hooks.", "ebhook"];
/// A blob so long is mostly a picture.
const LONG_BLOB: usize = 256;
/// How far a secret key may be from the id beside it.
const BESIDE: usize = 300;

/// All that hints at a look around.
pub(super) fn hints() -> Vec<&'static str> {
    SIGNS.iter().chain(WORDS).copied().collect()
}

/// Places of secrets, in no order. Without a hint in the text only runs are looked at.
pub(super) fn find(redactor: &Redactor, text: &str, hinted: bool, nesting: usize) -> Vec<Span> {
    let mut spans = Vec::new();
    let bytes = text.as_bytes();
    if hinted {
        spans.extend(redactor.known.find(text));
        let mut until = 0;
        for found in redactor.words.find_iter(text) {
            // A word inside a secret tells nothing, and telling it over and over takes time.
            if found.start() >= until {
                let before = spans.len();
                around(text, found.start(), &mut spans);
                until = spans[before..].iter().map(|span| span.end).fold(until, usize::max);
            }
        }
        for at in memchr::memchr_iter(b'@', bytes) {
            address::before_at(bytes, at, &mut spans);
        }
    }
    runs(redactor, bytes, nesting, &mut spans);
    redactor.rules.find(text, &mut spans);
    // A place must begin and end where a character does.
    spans.retain(|span| span.start < span.end && text.get(span.clone()).is_some());
    spans
}

fn around(text: &str, at: usize, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    match bytes.get(at) {
        Some(b'B') if bytes[at..].starts_with(b"BEGIN ") => spans.extend(armour::begins(bytes, at + 6)),
        Some(b'P') if bytes[at..].starts_with(b"Private-Lines:") => spans.push(armour::putty(bytes, at)),
        _ if [&b"hooks."[..], b"ebhook"].iter().any(|sign| bytes[at..].starts_with(sign)) => {
            address::hook(bytes, at, spans);
        }
        _ => assigned::behind_word(text, at, spans),
    }
}

/// Whether there is a run of word characters worth a look.
pub(super) fn has_run(text: &[u8]) -> bool {
    next_run(text, 0).is_some()
}

/// The first run of word characters of some length that ends behind `from`. Texts of short words are passed by in
/// leaps.
fn next_run(text: &[u8], mut from: usize) -> Option<Span> {
    while let Some(&byte) = text.get(from + RUN - 1) {
        let leap = from + RUN - 1;
        if !is_word(byte) {
            from = leap + 1;
            continue;
        }
        let start =
            text[from..leap].iter().rposition(|&byte| !is_word(byte)).map_or(from, |end| from + end + 1);
        let end =
            text[leap..].iter().position(|&byte| !is_word(byte)).map_or(text.len(), |length| leap + length);
        if end - start >= RUN {
            return Some(start..end);
        }
        // Where it began was too late for this one, and the next begins behind it.
        from = end;
    }
    None
}

/// Looks at each run of word characters of some length.
fn runs(redactor: &Redactor, text: &[u8], nesting: usize, spans: &mut Vec<Span>) {
    // Everything before `from` was looked at, everything before `blob` as base64.
    let (mut from, mut blob) = (0, 0);
    while let Some(found) = next_run(text, from) {
        from = run(redactor, text, found, nesting, &mut blob, spans);
    }
}

/// Looks at one run and says where to go on.
fn run(
    redactor: &Redactor,
    text: &[u8],
    run: Span,
    nesting: usize,
    blob: &mut usize,
    spans: &mut Vec<Span>,
) -> usize {
    let known = spans.len();
    redactor.forms.find(text, &run, spans);
    if spans.len() > known {
        spans.extend(beside(text, &run));
        return run.end;
    }
    shapes::find(text, &run, spans);
    if spans.len() > known || run.start < *blob {
        return run.end;
    }
    let whole = encoded::blob(text, &run);
    *blob = whole.end;
    if whole.len() >= LONG_BLOB
        && !encoded::looks_readable(&text[whole.clone()])
        && text[whole.clone()].contains(&b'+')
    {
        // A picture: nothing in it is a token, and it may be long.
        return whole.end;
    }
    if nesting < super::MAX_NESTING {
        // Only the first beginning that gives text: each looked into would take time without end.
        let readable = |start| Some((start, encoded::readable(&text[start..whole.end])?));
        if let Some((start, inner)) = encoded::beginnings(text, &whole).find_map(readable)
            && redactor.holds_secret(&inner, nesting + 1)
        {
            spans.push(start..whole.end);
        }
    }
    run.end
}

/// The secret key beside the id of a key of AWS, the token beside an account of Twilio: they have no form
/// of their own.
fn beside(text: &[u8], id: &Span) -> Vec<Span> {
    let amazon = [&b"AKIA"[..], b"ASIA"].iter().any(|prefix| text[id.start..].starts_with(prefix));
    let twilio =
        [&b"AC"[..], b"SK"].iter().any(|prefix| text[id.start..].starts_with(prefix)) && id.len() == 34;
    if !amazon && !twilio {
        return Vec::new();
    }
    let from = id.start.saturating_sub(BESIDE);
    let to = text.len().min(id.end + BESIDE);
    let belongs = |byte: u8| byte.is_ascii_alphanumeric() || amazon && matches!(byte, b'/' | b'+');
    let mut found = Vec::new();
    let mut at = from;
    while at < to {
        let length = text[at..].iter().take(64).take_while(|&&byte| belongs(byte)).count();
        let run = &text[at..at + length];
        let secret = amazon && length == 40 && shapes::mixed_case(run)
            || twilio && length == 32 && run.iter().all(u8::is_ascii_hexdigit);
        if secret {
            found.push(at..at + length);
        }
        at += length.max(1);
    }
    found
}
