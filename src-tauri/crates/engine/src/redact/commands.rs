//! Passwords in commands and statements, which no name tells: `curl -u`, `sshpass -p`, `mysql -px`, `IDENTIFIED BY`.
//!
//! Owns: where these stand behind the command. Refuses to know: options that tell by their names.

use super::likely::Kind;
use super::spans::Span;
use super::written::{Sign, bare, closing, count};

/// The longest password of a statement.
const LONGEST: usize = 400;

/// `curl -u user:password`, `--user user:password`.
pub(super) fn user(text: &[u8], end: usize, spans: &mut Vec<Span>) {
    let command = &text[end..text.len().min(end + 512)];
    let command = &command[..memchr::memchr(b'\n', command).unwrap_or(command.len())];
    for flag in [&b" -u"[..], b" --user ", b" --user=", b" -U ", b" --proxy-user "] {
        for at in memchr::memmem::find_iter(command, flag) {
            let from = end + at + flag.len();
            let from = from + count(text, from, |byte| matches!(byte, b' ' | b'"' | b'\'')).min(3);
            let length = bare(&text[from..], Sign::Flag, Kind::Token);
            let pair = &text[from..from + length];
            if let Some(colon) = memchr::memchr(b':', pair).filter(|colon| colon + 3 < length) {
                let password = &pair[colon + 1..];
                if !password.iter().all(u8::is_ascii_digit)
                    && !matches!(password[0], b'$' | b'<' | b'{' | b'/')
                {
                    spans.push(from + colon + 1..from + length);
                }
            }
        }
    }
}

pub(super) fn after_flag(text: &[u8], end: usize, flag: &[u8], spans: &mut Vec<Span>) {
    let near = &text[end..text.len().min(end + 64)];
    let Some(at) = memchr::memmem::find(near, flag) else { return };
    let from = end + at + flag.len();
    let from = from + count(text, from, |byte| matches!(byte, b' ' | b'"' | b'\'')).min(3);
    let length = bare(&text[from..], Sign::Flag, Kind::Password);
    if length >= 3 && !matches!(text[from], b'$' | b'<') {
        spans.push(from..from + length);
    }
}

/// A flag whose value stands right behind it; with a space it asks for one.
pub(super) fn attached(text: &[u8], end: usize, flag: &[u8], spans: &mut Vec<Span>) {
    let line = &text[end..text.len().min(end + 256)];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    let Some(at) = memchr::memmem::find(line, flag) else { return };
    let from = end + at + flag.len();
    let length = bare(&text[from..], Sign::Flag, Kind::Password);
    let is_word = text[from..from + length].iter().all(u8::is_ascii_lowercase);
    if length >= 4 && !is_word && !matches!(text[from], b'$' | b'<' | b'{') {
        spans.push(from..from + length);
    }
}

/// SQL: `IDENTIFIED BY 'x'`.
pub(super) fn identified(text: &[u8], end: usize, spans: &mut Vec<Span>) {
    let rest = &text[end..];
    let Some(quote) = rest.iter().take(24).position(|byte| matches!(byte, b'\'' | b'"')) else { return };
    let length = closing(&rest[quote + 1..rest.len().min(quote + 1 + LONGEST)], rest[quote], false);
    if length > 0 {
        spans.push(end + quote + 1..end + quote + 1 + length);
    }
}
