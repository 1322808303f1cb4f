//! Secrets in text that a word before them tells: `password: x`, `--token x`, `?sig=x`, `Authorization: Bearer x`,
//! `Cookie: a=b`, `<secret>x</secret>`, in prose, settings, commands, queries, headers and JSON cut to pieces.
//!
//! Owns: the way from a word to its value. Refuses to know: which keys are telling (`keys`), which values are
//! no secrets though a telling word is before them (`likely`).

use super::commands::{after_flag, attached, identified, user};
use super::forms::is_word;
use super::headers::{basic, cookie, header, scheme};
use super::keys::is_telling;
use super::likely::{Kind, is_secret};
use super::spans::Span;
use super::written::value;

/// The longest name looked at.
const LONGEST_NAME: usize = 100;

/// Parts of words that make a place worth a look, as they are written in all cases of letters.
pub(super) const WORDS: &[&str] = &[
    "oken",
    "OKEN",
    "ecret",
    "ECRET",
    "assw",
    "ASSW",
    "assp",
    "ASSP",
    "asscode",
    "ASSCODE",
    "pwd",
    "PWD",
    "Pwd",
    "key",
    "Key",
    "KEY",
    "uthoriz",
    "UTHORIZ",
    "ookie",
    "OOKIE",
    "redential",
    "REDENTIAL",
    "earer",
    "EARER",
    "asic ",
    "sig=",
    "SIG=",
    "Sig=",
    "ignature=",
    "IGNATURE=",
    "sid=",
    "SID=",
    "essionid",
    "ESSIONID",
    "auth=",
    "entified by",
    "ENTIFIED BY",
    "nemonic",
    "_auth",
    "sshpass",
    "mysql",
    "mariadb ",
    "curl ",
    "pass:",
    "pass=",
    "PASS=",
    "PASS:",
    "Pass=",
    "Pass:",
    "--pass",
    "eed phrase",
    "jwt",
    "JWT",
    "asswd",
];

/// Secrets that the word at `at` tells.
pub(super) fn behind_word(text: &str, at: usize, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let start = bytes[at.saturating_sub(LONGEST_NAME)..at].iter().rposition(|&byte| !is_name(byte));
    let start =
        start.map_or(at.saturating_sub(LONGEST_NAME), |end| at.saturating_sub(LONGEST_NAME) + end + 1);
    let limit = bytes.len().min(at + LONGEST_NAME);
    let end = bytes[at..limit].iter().position(|&byte| !is_name(byte)).map_or(limit, |length| at + length);
    // A name may be two words, and may be cut: places are not.
    let Some(name) = text.get(start..end).map(|name| name.trim_start_matches(['-', '.'])) else { return };
    let start = end - name.len();
    let flag = bytes[..start].ends_with(b"--") || bytes[..start].ends_with(b" -");
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "bearer" => return scheme(bytes, end, spans),
        "basic" => return basic(bytes, end, spans),
        "curl" => return user(bytes, end, spans),
        "sshpass" => return after_flag(bytes, end, b"-p", spans),
        "mysql" | "mysqldump" | "mysqladmin" | "mariadb" => return attached(bytes, end, b" -p", spans),
        "identified" => return identified(bytes, end, spans),
        _ => {}
    }
    let Some(kind) = kind(bytes, start, name, &lower) else { return };
    let Some(value) = value(bytes, start, end, kind, flag) else { return };
    match kind {
        Kind::Header => header(bytes, &value, spans),
        Kind::Cookie => cookie(bytes, &value, spans),
        _ if is_secret(&bytes[value.span.clone()], kind, &value.written, name.as_bytes()) => {
            spans.push(value.span);
        }
        _ => {}
    }
}

pub(super) fn is_name(byte: u8) -> bool {
    is_word(byte) || byte == b'.'
}

/// What kind of secret a name tells, if any.
fn kind(text: &[u8], start: usize, name: &str, lower: &str) -> Option<Kind> {
    let queried = matches!(start.checked_sub(1).map(|before| text[before]), Some(b'?' | b'&' | b';'));
    let plain = || lower.replace(['_', '-', '.'], "");
    match lower {
        "sig" | "signature" | "x-amz-signature" | "x-goog-signature" | "auth" | "sid" | "hmac" | "key"
            if queried =>
        {
            return Some(Kind::Random);
        }
        "_auth" | "phpsessid" | "jsessionid" | "sessionid" | "connect.sid" | "session_id" => {
            return Some(Kind::Random);
        }
        "mnemonic" | "phrase" => return Some(Kind::Phrase),
        _ => {}
    }
    if lower.ends_with("authorization") {
        return Some(Kind::Header);
    }
    if lower.ends_with("cookie") {
        return Some(Kind::Cookie);
    }
    let passes = ["password", "passwd", "passphrase", "passcode", "pwd", "pass"];
    if passes.iter().any(|word| plain().ends_with(word)) || lower.starts_with("password") && lower.len() == 9
    {
        // The directory a shell is in.
        let directory = lower == "pwd" && name == "PWD" || lower == "oldpwd";
        return Some(if directory { Kind::Random } else { Kind::Password });
    }
    if is_telling(name) || plain().ends_with("jwt") {
        return Some(Kind::Token);
    }
    // `API key`, `Secret access key`, `private key`.
    if lower == "key" {
        let before = text[..start]
            .iter()
            .rev()
            .take(24)
            .take_while(|byte| byte.is_ascii_alphabetic() || **byte == b' ');
        let mut words: Vec<u8> = before.map(u8::to_ascii_lowercase).collect();
        words.reverse();
        let told = [
            &b"api "[..],
            b"access ",
            b"secret ",
            b"private ",
            b"account ",
            b"license ",
            b"signing ",
            b"master ",
        ];
        if told.iter().any(|word| words.ends_with(word)) {
            return Some(Kind::Token);
        }
    }
    None
}
