//! Secrets in addresses: `scheme://user:password@host`, a token in place of the user, and webhooks with a secret path.
//!
//! Secrets in queries (`?sig=x`) are found by the name before them, see `named`.

use crate::chars::has_random_piece;
use crate::edits::Span;

/// Longest part of an address before the `@`, in bytes.
const MAX_BEFORE_AT: usize = 512;
/// Longest secret path, in bytes.
const MAX_PATH: usize = 2_048;
/// Paths after which everything up to the end of the address is a secret.
const WEBHOOKS: &[&[u8]] = &[
    b"hooks.slack.com/services/",
    b"hooks.slack.com/workflows/",
    b"hooks.slack.com/triggers/",
    b"/api/webhooks/",
    b"webhook.office.com/webhookb2/",
    b"hooks.zapier.com/hooks/catch/",
];

/// Finds secrets before an `@`.
pub(crate) fn find_before_at(text: &[u8], at: usize, spans: &mut Vec<Span>) {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>');
    let from = text[at.saturating_sub(MAX_BEFORE_AT)..at]
        .iter()
        .rposition(ends)
        .map_or(at.saturating_sub(MAX_BEFORE_AT), |end| at.saturating_sub(MAX_BEFORE_AT) + end + 1);
    let known = &text[from..at];
    let scheme = memchr::memmem::rfind(known, b"://").map(|sign| from + sign + 3);
    // Database drivers for Go omit the scheme: `user:password@tcp(host)/name`.
    let driver = [b"@tcp(".as_slice(), b"@unix(", b"@udp("].iter().any(|sign| text[at..].starts_with(sign));
    let Some(start) = scheme.or(driver.then_some(from)) else { return };
    let user_info = &text[start..at];
    let Some(colon) = memchr::memchr(b':', user_info) else {
        let named = user_info.len() >= 16 && has_random_piece(user_info) && !user_info.contains(&b'/');
        spans.extend(named.then_some(start..at));
        return;
    };
    let (user, password) = (&user_info[..colon], &user_info[colon + 1..]);
    // `https://host:8080/@name` and `https://host/a:b@c` have no user.
    let port = password.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_path = user.iter().any(|byte| matches!(byte, b'/' | b'?' | b'#'))
        || port > 0 && password.get(port) == Some(&b'/');
    let placeholder = password.is_empty()
        || password.iter().all(|byte| *byte == b'*')
        || is_placeholder(password)
        || password.starts_with("⟦".as_bytes());
    if is_path {
        return;
    }
    if !placeholder {
        spans.push(start + colon + 1..at);
    }
    if user.len() >= 16 && has_random_piece(user) {
        spans.push(start..start + colon);
    }
}

/// Whether a password is a variable or a place for one: `$PASSWORD`, `${PASSWORD}`, `<password>`.
fn is_placeholder(password: &[u8]) -> bool {
    match password {
        [b'<', .., b'>'] | [b'{', .., b'}'] | [b'[', .., b']'] | [b'$', b'{' | b'(', ..] => true,
        [b'$', name @ ..] => name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'),
        _ => false,
    }
}

/// Finds the secret path of a webhook around `at`.
pub(crate) fn find_webhook(text: &[u8], at: usize, spans: &mut Vec<Span>) {
    let near = at.saturating_sub(12)..text.len().min(at + 48);
    for hook in WEBHOOKS {
        let Some(found) = memchr::memmem::find(&text[near.clone()], hook) else { continue };
        let start = near.start + found + hook.len();
        let ends = |byte: &u8| {
            byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
        };
        // What follows a longer path is found at its own words.
        let near = &text[start..text.len().min(start + MAX_PATH)];
        let end = start + near.iter().position(ends).unwrap_or(near.len());
        if end - start >= 16 && text[start..end].iter().any(u8::is_ascii_digit) {
            spans.push(start..end);
        }
    }
}
