//! Secrets in HTTP headers that appear in text: `Authorization`, `Bearer`, `Basic` and cookies.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::keyword::SecretKind;
use super::plausible::{is_plausible, looks_random};
use super::value::{MAX_VALUE_BYTES, Separator, Value, count_while, unquoted_length};
use crate::chars::is_name;
use crate::edits::Span;

/// Whether a word is a scheme of the header `Authorization`.
pub(crate) fn is_auth_scheme(word: &[u8]) -> bool {
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

/// Finds the token after `Bearer`.
pub(crate) fn find_after_scheme(text: &[u8], end: usize, spans: &mut Vec<Span>) {
    let from =
        end + count_while(text, end, |byte| matches!(byte, b' ' | b':' | b'=' | b'\t' | b'"' | b'+')).min(4);
    let from = if text[end..].starts_with(b"%20") { end + 3 } else { from };
    let length = unquoted_length(
        &text[from..text.len().min(from + MAX_VALUE_BYTES)],
        Separator::Equals,
        SecretKind::Token,
    );
    let token = &text[from..from + length];
    if from > end && length >= 8 && token.iter().all(u8::is_ascii_graphic) && looks_random(token) {
        spans.push(from..from + length);
    }
}

/// Finds the base64 of user and password after `Basic`.
pub(crate) fn find_basic_credentials(text: &[u8], end: usize, spans: &mut Vec<Span>) {
    let from = end + count_while(text, end, |byte| byte == b' ').min(2);
    let length = count_while(text, from, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
    });
    let pads = count_while(text, from + length, |byte| byte == b'=').min(2);
    let decoded = STANDARD_NO_PAD.decode(&text[from..from + length]);
    if decoded.is_ok_and(|pair| pair.contains(&b':') && pair.iter().all(|byte| !byte.is_ascii_control())) {
        spans.push(from..from + length + pads);
    }
}

/// Finds the secret in an `Authorization` header: all after its scheme, or a plausible token without one.
pub(crate) fn find_in_authorization(text: &[u8], value: &Value, spans: &mut Vec<Span>) {
    let line = &text[value.span.clone()];
    let word = line.iter().position(|&byte| byte == b' ' || byte == b'+').unwrap_or(line.len());
    if is_auth_scheme(&line[..word]) && word < line.len() {
        let from = word + count_while(line, word, |byte| byte == b' ' || byte == b'+');
        let parameters = matches!(
            line[..word].to_ascii_lowercase().as_slice(),
            b"digest" | b"hawk" | b"oauth" | b"aws4-hmac-sha256" | b"hmac" | b"mac"
        );
        let length = if parameters {
            line.len() - from
        } else {
            unquoted_length(&line[from..], Separator::Flag, SecretKind::Token)
        };
        let token = &line[from..from + length];
        if length >= 6
            && !matches!(token[0], b'<' | b'$' | b'{' | b'*')
            && (parameters || looks_random(token))
        {
            spans.push(value.span.start + from..value.span.start + from + length);
        }
    } else {
        let length = unquoted_length(line, Separator::Flag, SecretKind::Token);
        if is_plausible(&line[..length], SecretKind::Token, &value.notation, b"authorization") {
            spans.push(value.span.start..value.span.start + length);
        }
    }
}

/// Finds the values of a cookie, from the first `=` on. Prose about cookies has no pairs.
pub(crate) fn find_in_cookie(text: &[u8], value: &Value, spans: &mut Vec<Span>) {
    let line = &text[value.span.clone()];
    let name = line.iter().position(|&byte| !is_name(byte)).unwrap_or(line.len());
    let pair = name > 0
        && line.get(name) == Some(&b'=')
        && line.get(name + 1).is_some_and(|byte| !byte.is_ascii_whitespace());
    if pair && !line[name + 1..].starts_with("⟦".as_bytes()) && line.len() >= name + 5 {
        let from = value.span.start + name + 1;
        let end =
            line.windows(2).rposition(|pair| !pair[1].is_ascii_whitespace()).map_or(line.len(), |at| at + 2);
        spans.push(from..value.span.start + end);
    }
}
