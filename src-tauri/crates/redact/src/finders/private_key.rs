//! Private keys between `BEGIN` and `END` lines (PEM, OpenSSH, PGP), and PuTTY's.
//!
//! A key is found whatever its line breaks look like, and also when its end is missing. Public keys and certificates
//! are not secrets and stay.

use memchr::memmem;

use crate::edits::Span;

/// Longest label between `BEGIN` and the dashes, in bytes.
const MAX_LABEL_BYTES: usize = 64;
/// Longest key, in bytes.
const MAX_KEY_BYTES: usize = 32 << 10;

/// Finds the key whose label begins at `at`, just after `BEGIN `.
pub(crate) fn find_armored(text: &[u8], at: usize) -> Option<Span> {
    let dashes = text[..at].iter().rev().take(8).take_while(|byte| matches!(byte, b'-' | b' ')).count();
    let label_end = at + memmem::find(&text[at..text.len().min(at + MAX_LABEL_BYTES)], b"---")?;
    let label = &text[at..label_end];
    let private = memmem::find(label, b"PRIVATE").is_some()
        || memmem::find(label, b"SSH2 ENCRYPTED").is_some()
        || memmem::find(label, b"Static key").is_some();
    if dashes == 0 || !private {
        return None;
    }
    let body = label_end + text[label_end..].iter().take_while(|byte| matches!(byte, b'-' | b' ')).count();
    let near = &text[body..text.len().min(body + MAX_KEY_BYTES)];
    let end = match memmem::find(near, b"-END ").or_else(|| memmem::find(near, b"--END")) {
        Some(end) => {
            let end = body + end + 5;
            let line = &text[end..text.len().min(end + MAX_LABEL_BYTES)];
            let close = memmem::find(line, b"---").unwrap_or(0);
            end + close + line[close..].iter().take_while(|byte| **byte == b'-').count()
        }
        None => end_of_truncated(text, body),
    };
    // Prose may mention the first line without a key.
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let key = text[body..end].split(|byte| !is_base64(byte)).any(|line| line.len() >= 16);
    key.then_some(at - dashes..end)
}

/// End of a key without an `END` line: after its last long line.
fn end_of_truncated(text: &[u8], body: usize) -> usize {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let (mut at, mut end) = (body, body);
    while at < text.len() {
        let gap = text[at..]
            .iter()
            .take_while(|&&byte| !is_base64(byte) || byte == b'n' && is_backslash(text, at))
            .count();
        let line = at + gap;
        // A literal escape leaves its letter.
        let length = text[line..].iter().take_while(|&&byte| is_base64(byte)).count();
        if length < 16 && !(end > body && text[..line + length].ends_with(b"=")) {
            break;
        }
        (at, end) = (line + length, line + length);
    }
    end
}

fn is_backslash(text: &[u8], at: usize) -> bool {
    text.get(at) == Some(&b'\\')
}

/// Finds the lines of a PuTTY key after `Private-Lines: N`.
pub(crate) fn find_putty(text: &[u8], at: usize) -> Span {
    let body = at + 14;
    let limit = text.len().min(body + MAX_KEY_BYTES);
    let end = memmem::find(&text[body.min(limit)..limit], b"Private-M").map_or(limit, |length| body + length);
    let end = end + text[end..].iter().take_while(|&&byte| byte != b'\n').count();
    body..end
}
