//! Passwords in commands and statements that have no name before them: `curl -u`, `sshpass -p`, `docker login -p`,
//! `mysql -px`, `IDENTIFIED BY`.

use super::keyword::SecretKind;
use super::value::{Separator, count_while, quoted_length, unquoted_length};
use crate::edits::Span;

/// Longest password in an SQL statement, in bytes.
const MAX_SQL_PASSWORD_BYTES: usize = 400;

/// Finds the password in `curl -u user:password` and `--user user:password`.
pub(crate) fn find_user_option(text: &[u8], end: usize, spans: &mut Vec<Span>) {
    let command = &text[end..text.len().min(end + 512)];
    let command = &command[..memchr::memchr(b'\n', command).unwrap_or(command.len())];
    for flag in [&b" -u"[..], b" --user ", b" --user=", b" -U ", b" --proxy-user "] {
        for at in memchr::memmem::find_iter(command, flag) {
            let from = end + at + flag.len();
            let from = from + count_while(text, from, |byte| matches!(byte, b' ' | b'"' | b'\'')).min(3);
            let length = unquoted_length(&text[from..], Separator::Flag, SecretKind::Token);
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

/// Finds the password after a flag, with or without a space: `sshpass -p x`.
pub(crate) fn find_after_flag(text: &[u8], end: usize, flag: &[u8], spans: &mut Vec<Span>) {
    let near = &text[end..text.len().min(end + 64)];
    let Some(at) = memchr::memmem::find(near, flag) else { return };
    let from = end + at + flag.len();
    let from = from + count_while(text, from, |byte| matches!(byte, b' ' | b'"' | b'\'')).min(3);
    let length = unquoted_length(&text[from..], Separator::Flag, SecretKind::Password);
    if length >= 3 && !matches!(text[from], b'$' | b'<') {
        spans.push(from..from + length);
    }
}

/// Finds the secret after a flag in the rest of a line: `redis-cli -h x -a y`.
pub(crate) fn find_flag_in_line(text: &[u8], end: usize, flag: &[u8], spans: &mut Vec<Span>) {
    let line = &text[end..text.len().min(end + 256)];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    let Some(at) = memchr::memmem::find(line, flag) else { return };
    find_after_flag(text, end + at, flag, spans);
}

/// Finds the password in `docker login -u me -p x`.
pub(crate) fn find_login(text: &[u8], end: usize, spans: &mut Vec<Span>) {
    let line = &text[end..text.len().min(end + 256)];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    let Some(login) = memchr::memmem::find(line, b" login ").filter(|at| *at < 32) else { return };
    let Some(at) = memchr::memmem::find(&line[login..], b" -p ") else { return };
    find_after_flag(text, end + login + at, b" -p ", spans);
}

/// Finds the password attached to a flag: `mysql -px`. With a space, the program asks for the password.
pub(crate) fn find_attached_value(text: &[u8], end: usize, flag: &[u8], spans: &mut Vec<Span>) {
    let line = &text[end..text.len().min(end + 256)];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    let Some(at) = memchr::memmem::find(line, flag) else { return };
    let from = end + at + flag.len();
    let from =
        from + count_while(&text[..text.len().min(from + 1)], from, |byte| matches!(byte, b'"' | b'\''));
    let length = unquoted_length(&text[from..], Separator::Flag, SecretKind::Password);
    let is_word = text[from..from + length].iter().all(u8::is_ascii_lowercase);
    if length >= 4 && !is_word && !matches!(text[from], b'$' | b'<' | b'{') {
        spans.push(from..from + length);
    }
}

/// Finds the password in the SQL statement `IDENTIFIED BY 'x'`.
pub(crate) fn find_identified_by(text: &[u8], end: usize, spans: &mut Vec<Span>) {
    let rest = &text[end..];
    let Some(quote) = rest.iter().take(24).position(|byte| matches!(byte, b'\'' | b'"')) else { return };
    let length = quoted_length(
        &rest[quote + 1..rest.len().min(quote + 1 + MAX_SQL_PASSWORD_BYTES)],
        rest[quote],
        false,
    );
    if length > 0 {
        spans.push(end + quote + 1..end + quote + 1 + length);
    }
}
