//! Private keys in armour: PEM, OpenSSH, PGP, PuTTY.
//!
//! Owns: where such a key begins and ends, whatever its line breaks look like, and when its end is missing.
//! Refuses to know: public keys and certificates, which are nobody's secret.

use memchr::memmem;

use super::spans::Span;

/// The longest label between `BEGIN` and the dashes.
const LABEL: usize = 64;
/// The longest key.
const LONGEST: usize = 32 << 10;

/// The key whose armour has its `BEGIN ` at `at`.
pub(super) fn begins(text: &[u8], at: usize) -> Option<Span> {
    let dashes = text[..at].iter().rev().take(8).take_while(|byte| matches!(byte, b'-' | b' ')).count();
    let label_end = at + memmem::find(&text[at..text.len().min(at + LABEL)], b"---")?;
    let label = &text[at..label_end];
    let private =
        memmem::find(label, b"PRIVATE").is_some() || memmem::find(label, b"SSH2 ENCRYPTED").is_some();
    if dashes == 0 || !private {
        return None;
    }
    let body = label_end + text[label_end..].iter().take_while(|byte| matches!(byte, b'-' | b' ')).count();
    let near = &text[body..text.len().min(body + LONGEST)];
    let end = match memmem::find(near, b"-END ").or_else(|| memmem::find(near, b"--END")) {
        Some(end) => {
            let end = body + end + 5;
            let line = &text[end..text.len().min(end + LABEL)];
            let close = memmem::find(line, b"---").unwrap_or(0);
            end + close + line[close..].iter().take_while(|byte| **byte == b'-').count()
        }
        None => cut_off(text, body),
    };
    // Prose that names the armour holds no key.
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let key = text[body..end].split(|byte| !is_base64(byte)).any(|line| line.len() >= 16);
    key.then_some(at - dashes..end)
}

/// The end of a key that has none: behind its last long line.
fn cut_off(text: &[u8], body: usize) -> usize {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let (mut at, mut end) = (body, body);
    while at < text.len() {
        let gap = text[at..]
            .iter()
            .take_while(|&&byte| !is_base64(byte) || byte == b'n' && at_escape(text, at))
            .count();
        let line = at + gap;
        // An escape written out leaves its letter.
        let length = text[line..].iter().take_while(|&&byte| is_base64(byte)).count();
        if length < 16 && !(end > body && text[..line + length].ends_with(b"=")) {
            break;
        }
        (at, end) = (line + length, line + length);
    }
    end
}

fn at_escape(text: &[u8], at: usize) -> bool {
    text.get(at) == Some(&b'\\')
}

/// The lines of a PuTTY key behind `Private-Lines: N`.
pub(super) fn putty(text: &[u8], at: usize) -> Span {
    let body = at + 14;
    let limit = text.len().min(body + LONGEST);
    let end = memmem::find(&text[body.min(limit)..limit], b"Private-M").map_or(limit, |length| body + length);
    let end = end + text[end..].iter().take_while(|&&byte| byte != b'\n').count();
    body..end
}
