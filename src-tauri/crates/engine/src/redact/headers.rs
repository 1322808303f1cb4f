//! Headers in text: `Authorization`, `Bearer`, `Basic`, cookies.
//!
//! Owns: which part of them is the secret. Refuses to know: other names and their values.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::assigned::is_name;
use super::likely::{Kind, is_secret, is_strange};
use super::spans::Span;
use super::written::{LONGEST_VALUE, Sign, Value, bare, count};

/// Schemes of the header `Authorization`.
pub(super) fn schemes(word: &[u8]) -> bool {
    const SCHEMES: &[&str] = &[
        "bearer",
        "basic",
        "digest",
        "token",
        "apikey",
        "api-key",
        "negotiate",
        "ntlm",
        "hmac",
        "hawk",
        "sharedkey",
        "sharedkeylite",
        "sharedaccesssignature",
        "ssws",
        "splunk",
        "key",
        "bot",
        "googlelogin",
        "aws4-hmac-sha256",
        "aws",
        "oauth",
        "genie",
        "genieKey",
        "snowflake",
        "mac",
        "dpop",
        "secret",
        "jwt",
    ];
    SCHEMES.iter().any(|scheme| scheme.as_bytes().eq_ignore_ascii_case(word))
}

/// What follows `Bearer`.
pub(super) fn scheme(text: &[u8], end: usize, spans: &mut Vec<Span>) {
    let from = end + count(text, end, |byte| matches!(byte, b' ' | b':' | b'=' | b'\t' | b'"' | b'+')).min(4);
    let from = if text[end..].starts_with(b"%20") { end + 3 } else { from };
    let length = bare(&text[from..text.len().min(from + LONGEST_VALUE)], Sign::Equals, Kind::Token);
    let token = &text[from..from + length];
    if from > end && length >= 8 && token.iter().all(u8::is_ascii_graphic) && is_strange(token) {
        spans.push(from..from + length);
    }
}

/// `Basic` and the base64 of a user and a password.
pub(super) fn basic(text: &[u8], end: usize, spans: &mut Vec<Span>) {
    let from = end + count(text, end, |byte| byte == b' ').min(2);
    let length =
        count(text, from, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_'));
    let pads = count(text, from + length, |byte| byte == b'=').min(2);
    let decoded = STANDARD_NO_PAD.decode(&text[from..from + length]);
    if decoded.is_ok_and(|pair| pair.contains(&b':') && pair.iter().all(|byte| !byte.is_ascii_control())) {
        spans.push(from..from + length + pads);
    }
}

/// A scheme stays, the rest goes; without a scheme what looks like a token goes.
pub(super) fn header(text: &[u8], value: &Value, spans: &mut Vec<Span>) {
    let line = &text[value.span.clone()];
    let word = line.iter().position(|&byte| byte == b' ' || byte == b'+').unwrap_or(line.len());
    if schemes(&line[..word]) && word < line.len() {
        let from = word + count(line, word, |byte| byte == b' ' || byte == b'+');
        let parameters = matches!(
            line[..word].to_ascii_lowercase().as_slice(),
            b"digest" | b"hawk" | b"oauth" | b"aws4-hmac-sha256" | b"hmac" | b"mac"
        );
        let length =
            if parameters { line.len() - from } else { bare(&line[from..], Sign::Flag, Kind::Token) };
        let token = &line[from..from + length];
        if length >= 6 && !matches!(token[0], b'<' | b'$' | b'{' | b'*') && (parameters || is_strange(token))
        {
            spans.push(value.span.start + from..value.span.start + from + length);
        }
    } else {
        let length = bare(line, Sign::Flag, Kind::Token);
        if is_secret(&line[..length], Kind::Token, &value.written, b"authorization") {
            spans.push(value.span.start..value.span.start + length);
        }
    }
}

/// All pairs of a cookie. Prose about cookies has none.
pub(super) fn cookie(text: &[u8], value: &Value, spans: &mut Vec<Span>) {
    let line = &text[value.span.clone()];
    let name = line.iter().position(|&byte| !is_name(byte)).unwrap_or(line.len());
    let pair = name > 0
        && line.get(name) == Some(&b'=')
        && line.get(name + 1).is_some_and(|byte| !byte.is_ascii_whitespace());
    if pair && !line[name + 1..].starts_with("⟦".as_bytes()) && line.len() >= name + 5 {
        let from = value.span.start + name + 1;
        let stays =
            line.windows(2).rposition(|pair| !pair[1].is_ascii_whitespace()).map_or(line.len(), |at| at + 2);
        spans.push(from..value.span.start + stays);
    }
}
