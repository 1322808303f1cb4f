//! How a value stands behind its name: between quotes, up to a sign, to the end of the line.
//!
//! Owns: where a value begins and ends, whatever notation it is in. Refuses to know: whether it is a secret.

use super::likely::Kind;
use super::spans::Span;

/// The longest value looked at.
pub(super) const LONGEST_VALUE: usize = 8 << 10;

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) quoted: bool,
    /// Between name and value.
    pub(super) sign: Sign,
    pub(super) spaced: bool,
    /// A bracket or a comma follows, as in code.
    pub(super) in_list: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Equals,
    Colon,
    Tag,
    /// `--password x`.
    Flag,
    /// `password is x`, `password x`.
    Word,
}

/// A value and how it is written.
pub(super) struct Value {
    pub(super) span: Span,
    pub(super) written: Written,
}

/// The value behind a name.
pub(super) fn value(text: &[u8], start: usize, end: usize, kind: Kind, flag: bool) -> Option<Value> {
    let mut at = end;
    let named_in_quotes = start.checked_sub(1).is_some_and(|before| matches!(text[before], b'"' | b'\''));
    at += count(text, at, |byte| matches!(byte, b'"' | b'\'' | b'\\' | b'`' | b']' | b'*' | b')')).min(6);
    let spaces = count(text, at, |byte| byte == b' ' || byte == b'\t').min(32);
    at += spaces;
    let rest = &text[at..];
    let (sign, skip) = match rest {
        [b'=', b'=' | b'~', ..] | [b':', b':', ..] | [b'!', ..] => return None,
        [b'=', b'>', ..] | [b':', b'=', ..] => (Sign::Equals, 2),
        [b'=', ..] => (Sign::Equals, 1),
        [b':', ..] => (Sign::Colon, 1),
        [b'>', ..] if text[..start].ends_with(b"<") || text[..start].ends_with(b":") => (Sign::Tag, 1),
        [b'%', b'3', b'D' | b'd' | b'A' | b'a', ..] => (Sign::Equals, 3),
        // `key="Password" value="x"`.
        _ if named_in_quotes && rest.starts_with(b"value=") => (Sign::Equals, 6),
        _ if flag && spaces > 0 => (Sign::Flag, 0),
        _ if spaces > 0 && matches!(kind, Kind::Password) => {
            let words = [&b"is "[..], b"is: ", b"was ", b"to ", b"of ", b"= "];
            (Sign::Word, words.iter().find(|word| rest.starts_with(word)).map_or(0, |word| word.len()))
        }
        _ => return None,
    };
    at += skip;
    let more = count(text, at, |byte| byte == b' ' || byte == b'\t').min(32);
    at += more;
    // Bold names: `**Password:** x`.
    at += count(text, at, |byte| byte == b'*').min(2) * usize::from(text[at..].starts_with(b"** "));
    at += count(text, at, |byte| byte == b' ').min(1) * usize::from(at > 0 && text[at - 1] == b'*');
    let spaced = spaces + more > 0;
    let (open, escaped) = opening(&text[at..]);
    let quoted = open.is_some();
    let from = at + open.map_or(0, |_| if escaped == 0 { 1 } else { escaped + 1 });
    let limit = text.len().min(from + LONGEST_VALUE);
    let length = match open {
        Some(quote) => closing(&text[from..limit], quote, escaped > 0),
        None => bare(&text[from..limit], sign, kind),
    };
    let in_list = matches!(text.get(from + length), Some(b',' | b')' | b']'));
    (length > 0)
        .then_some(Value { span: from..from + length, written: Written { quoted, sign, spaced, in_list } })
}

pub(super) fn count(text: &[u8], at: usize, of: impl Fn(u8) -> bool) -> usize {
    text[at.min(text.len())..].iter().take_while(|&&byte| of(byte)).count()
}

/// The quote a value opens with, and how many backslashes are before it.
fn opening(rest: &[u8]) -> (Option<u8>, usize) {
    let escaped = count(rest, 0, |byte| byte == b'\\').min(8);
    match rest.get(escaped) {
        Some(&quote @ (b'"' | b'\'' | b'`')) => (Some(quote), escaped),
        _ => (None, 0),
    }
}

/// How long a quoted value is. One that is never closed goes to the end of its line.
pub(super) fn closing(rest: &[u8], quote: u8, escaped: bool) -> usize {
    let mut at = 0;
    while let Some(&byte) = rest.get(at) {
        if byte == quote {
            return at;
        }
        if byte == b'\\' {
            if escaped && rest.get(at + count(rest, at, |byte| byte == b'\\')) == Some(&quote) {
                return at;
            }
            at += 1;
        }
        at += 1;
    }
    memchr::memchr(b'\n', rest).unwrap_or(rest.len())
}

/// How long a value without quotes is.
pub(super) fn bare(rest: &[u8], sign: Sign, kind: Kind) -> usize {
    if matches!(kind, Kind::Header | Kind::Cookie | Kind::Phrase) {
        return line(rest);
    }
    let mut end = rest.len();
    for (at, &byte) in rest.iter().enumerate() {
        let next = rest.get(at + 1).copied().unwrap_or(b' ');
        let stop = match byte {
            b'"' | b'\'' | b'`' | b'<' | b'>' => true,
            _ if byte.is_ascii_whitespace() => true,
            b'&' | b';' => sign == Sign::Equals || next.is_ascii_whitespace(),
            b',' => sign == Sign::Equals || next.is_ascii_whitespace(),
            b'\\' => matches!(next, b'n' | b'r' | b'"' | b'\\' | b'\''),
            b'|' => next == b' ' || next == b'|',
            _ => rest[at..].starts_with("⟦".as_bytes()),
        };
        if stop {
            end = at;
            break;
        }
    }
    // What ends a sentence or a bracket is no part of it.
    while end > 0
        && matches!(rest[end - 1], b'.' | b',' | b';' | b':' | b')' | b']' | b'}')
        && !rest[..end].ends_with(b"==")
    {
        end -= 1;
    }
    end
}

/// To the end of the line or of the quotes around it.
fn line(rest: &[u8]) -> usize {
    let ends = |(at, byte): (usize, &u8)| match byte {
        b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'<' => true,
        b'\\' => matches!(rest.get(at + 1), Some(b'n' | b'r' | b'"')),
        _ => false,
    };
    rest.iter().enumerate().position(|(at, byte)| ends((at, byte))).unwrap_or(rest.len())
}
