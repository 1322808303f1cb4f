//! The search for secrets in a plain text, one file for each kind of secret.
//!
//! A text is searched once: around trigger words, around `@`, in runs of word characters and in base64. The time is
//! linear in the length of the text, except for base64 inside base64, which is searched a few times.

mod base64_text;
mod configured;
mod kubernetes;
mod named;
mod prefixed;
mod private_key;
mod sql;
mod tables;
mod unprefixed;
mod url;

pub(crate) use configured::ConfiguredValues;
pub use configured::secrets as configured_secrets;
pub(crate) use named::headers::is_auth_scheme;
pub(crate) use named::plausible::is_plausible_under_ambiguous_key;
pub(crate) use prefixed::Prefixes;

use crate::Redactor;
use crate::chars::is_word;
use crate::edits::Span;
use named::Effort;
use named::keyword::KEYWORDS;

/// Least length of a run of word characters that can be a token.
pub(crate) const MIN_RUN: usize = 16;
/// Beginnings of secrets that are not a keyword with a value.
const SIGNS: &[&str] = &["BEGIN ", "Private-Lines:", "hooks.", "ebhook"];
/// Length from which a base64 blob is usually a picture.
const LONG_BLOB: usize = 256;
/// Greatest distance between a secret key and the key id that it belongs to, in bytes.
const MAX_PAIR_DISTANCE: usize = 300;

/// All words that make a place worth a closer look.
pub(crate) fn trigger_words() -> Vec<&'static str> {
    SIGNS.iter().chain(KEYWORDS).copied().collect()
}

/// Finds secrets, in no order. If `hinted` is false, only runs of word characters are searched.
pub(crate) fn find(redactor: &Redactor, text: &str, hinted: bool, nesting: usize) -> Vec<Span> {
    let mut spans = Vec::new();
    let bytes = text.as_bytes();
    if hinted {
        spans.extend(redactor.configured.find(text));
        let mut until = 0;
        let (mut is_named, mut effort) = (false, Effort::of_text(bytes.len()));
        for found in redactor.trigger_words.find_iter(text) {
            is_named = true;
            // A trigger word inside a secret is skipped: looking around each would take quadratic time.
            if found.start() >= until {
                let before = spans.len();
                find_around_trigger(text, found.start(), &mut effort, &mut spans);
                until = spans[before..].iter().map(|span| span.end).fold(until, usize::max);
            }
        }
        if is_named {
            tables::find(text, &mut spans);
            sql::find(text, &mut spans);
            kubernetes::find(text, &mut spans);
        }
        for at in memchr::memchr_iter(b'@', bytes) {
            url::find_before_at(bytes, at, &mut spans);
        }
    }
    find_in_runs(redactor, bytes, nesting, &mut spans);
    redactor.rules.find(text, &mut spans);
    // A span must begin and end at character boundaries.
    spans.retain(|span| span.start < span.end && text.get(span.clone()).is_some());
    spans
}

fn find_around_trigger(text: &str, at: usize, effort: &mut Effort, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    match bytes.get(at) {
        Some(b'B') if bytes[at..].starts_with(b"BEGIN ") => {
            spans.extend(private_key::find_armored(bytes, at + 6));
        }
        Some(b'P') if bytes[at..].starts_with(b"Private-Lines:") => {
            spans.push(private_key::find_putty(bytes, at));
        }
        _ if [&b"hooks."[..], b"ebhook"].iter().any(|sign| bytes[at..].starts_with(sign)) => {
            url::find_webhook(bytes, at, spans);
        }
        _ => named::find_after_keyword(text, at, effort, spans),
    }
}

/// Whether a text contains a run of word characters long enough for a token.
pub(crate) fn has_run(text: &[u8]) -> bool {
    next_run(text, 0).is_some()
}

/// First run of at least [`MIN_RUN`] word characters that ends after `from`. Short words are skipped in leaps.
fn next_run(text: &[u8], mut from: usize) -> Option<Span> {
    while let Some(&byte) = text.get(from + MIN_RUN - 1) {
        let leap = from + MIN_RUN - 1;
        if !is_word(byte) {
            from = leap + 1;
            continue;
        }
        let start =
            text[from..leap].iter().rposition(|&byte| !is_word(byte)).map_or(from, |end| from + end + 1);
        let end =
            text[leap..].iter().position(|&byte| !is_word(byte)).map_or(text.len(), |length| leap + length);
        if end - start >= MIN_RUN {
            return Some(start..end);
        }
        // This run is too short, and the next begins after it.
        from = end;
    }
    None
}

/// Finds tokens in all runs of word characters.
fn find_in_runs(redactor: &Redactor, text: &[u8], nesting: usize, spans: &mut Vec<Span>) {
    // Everything before `from` was searched, everything before `blob_end` as base64 too.
    let (mut from, mut blob_end) = (0, 0);
    while let Some(found) = next_run(text, from) {
        from = find_in_run(redactor, text, found, nesting, &mut blob_end, spans);
    }
}

/// Finds tokens in one run, and returns where to continue.
fn find_in_run(
    redactor: &Redactor,
    text: &[u8],
    run: Span,
    nesting: usize,
    blob_end: &mut usize,
    spans: &mut Vec<Span>,
) -> usize {
    let known = spans.len();
    redactor.prefixes.find(text, &run, spans);
    if spans.len() > known {
        spans.extend(find_paired_secrets(text, &run));
        return run.end;
    }
    unprefixed::find(text, &run, spans);
    if spans.len() > known || run.start < *blob_end {
        return run.end;
    }
    let whole = base64_text::blob(text, &run);
    *blob_end = whole.end;
    if whole.len() >= LONG_BLOB
        && !base64_text::starts_with_text(&text[whole.clone()])
        && text[whole.clone()].contains(&b'+')
    {
        // A picture contains no tokens and may be long.
        return whole.end;
    }
    if nesting < crate::MAX_NESTING {
        // Only the first start that decodes to text is searched, so that the time stays bounded.
        let readable = |start| Some((start, base64_text::decoded_text(&text[start..whole.end])?));
        if let Some((start, inner)) = base64_text::possible_starts(text, &whole).find_map(readable)
            && redactor.has_secret(&inner, nesting + 1)
        {
            spans.push(start..whole.end);
        }
    }
    run.end
}

/// Finds the secret keys near an AWS key id and the tokens near a Twilio account. They have no form of their own.
fn find_paired_secrets(text: &[u8], id: &Span) -> Vec<Span> {
    let amazon = [&b"AKIA"[..], b"ASIA"].iter().any(|prefix| text[id.start..].starts_with(prefix));
    let twilio =
        [&b"AC"[..], b"SK"].iter().any(|prefix| text[id.start..].starts_with(prefix)) && id.len() == 34;
    if !amazon && !twilio {
        return Vec::new();
    }
    let from = id.start.saturating_sub(MAX_PAIR_DISTANCE);
    let to = text.len().min(id.end + MAX_PAIR_DISTANCE);
    let belongs = |byte: u8| byte.is_ascii_alphanumeric() || amazon && matches!(byte, b'/' | b'+');
    let mut found = Vec::new();
    let mut at = from;
    while at < to {
        let length = text[at..].iter().take(64).take_while(|&&byte| belongs(byte)).count();
        let run = &text[at..at + length];
        let secret = amazon && length == 40 && unprefixed::mixed_case(run)
            || twilio && length == 32 && run.iter().all(u8::is_ascii_hexdigit);
        if secret {
            found.push(at..at + length);
        }
        at += length.max(1);
    }
    found
}

/// The texts that a finder finds.
#[cfg(test)]
fn found_by(find: fn(&str, &mut Vec<Span>), text: &str) -> Vec<&str> {
    let mut spans = Vec::new();
    find(text, &mut spans);
    spans.into_iter().map(|span| &text[span]).collect()
}
