//! The value after a name: where it begins and ends, in any notation.

use super::keyword::SecretKind;
use crate::chars::is_name;
use crate::edits::Span;

/// Longest value, in bytes.
pub(crate) const MAX_VALUE_BYTES: usize = 8 << 10;

/// Longest word that is a value by itself, in bytes.
const MAX_WORD: usize = 128;

/// Notation of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Notation {
    /// The value is between quotes.
    pub(crate) quoted: bool,
    pub(crate) separator: Separator,
    /// There is a space around the separator.
    pub(crate) spaced: bool,
    /// A bracket or a comma follows, as in code.
    pub(crate) in_list: bool,
}

impl Notation {
    /// That of a value between quotes behind a colon.
    pub(crate) const QUOTED: Self =
        Self { quoted: true, separator: Separator::Colon, spaced: true, in_list: false };
}

/// What separates a name from its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    Equals,
    Colon,
    /// `<password>x`.
    Tag,
    /// `--password x`.
    Flag,
    /// `password is x`, `password x`.
    Prose,
}

/// A value and its notation.
pub(crate) struct Value {
    pub(crate) span: Span,
    pub(crate) notation: Notation,
}

/// Finds the value after the name at `start..end`, of at most `most` bytes. `flag` says that the name is an option.
pub(crate) fn value_after(
    text: &[u8],
    start: usize,
    end: usize,
    kind: SecretKind,
    flag: bool,
    most: usize,
) -> Option<Value> {
    let mut at = end;
    let named_in_quotes = start.checked_sub(1).is_some_and(|before| matches!(text[before], b'"' | b'\''));
    at += encoded_quote(&text[at..]).map_or(0, <[u8]>::len);
    at +=
        count_while(text, at, |byte| matches!(byte, b'"' | b'\'' | b'\\' | b'`' | b']' | b'*' | b')')).min(6);
    at += colours(&text[at..]);
    let spaces = count_while(text, at, |byte| byte == b' ' || byte == b'\t').min(32);
    at += spaces;
    at += colours(&text[at..]);
    let rest = &text[at..];
    let (separator, skip) = match rest {
        [b'=', b'=' | b'~', ..] | [b':', b':', ..] | [b'!', ..] => return None,
        [b'=', b'>', ..] | [b':', b'=', ..] => (Separator::Equals, 2),
        [b'=', ..] => (Separator::Equals, 1),
        [b':', ..] => (Separator::Colon, 1),
        [b'>', ..] if text[..start].ends_with(b"<") || text[..start].ends_with(b":") => (Separator::Tag, 1),
        // `<password type="x">`
        [b' ' | b'\t', ..] | [_, ..] if text[..start].ends_with(b"<") && tag_end(&text[end..]).is_some() => {
            (Separator::Tag, (end + tag_end(&text[end..])?).checked_sub(at)?)
        }
        // `('password', 'x')`, but no list of names.
        [b',', ..] if named_in_quotes && text[..start - 1].trim_ascii_end().ends_with(b"(") => {
            (Separator::Equals, 1)
        }
        [b'%', b'3', b'D' | b'd' | b'A' | b'a', ..] => (Separator::Equals, 3),
        // `key="Password" value="x"`.
        _ if named_in_quotes && rest.starts_with(b"value=") => (Separator::Equals, 6),
        _ if flag && spaces > 0 => (Separator::Flag, 0),
        _ if spaces > 0 && matches!(kind, SecretKind::Password) => {
            let words = [&b"is "[..], b"is: ", b"was ", b"to ", b"of ", b"= "];
            (Separator::Prose, words.iter().find(|word| rest.starts_with(word)).map_or(0, |word| word.len()))
        }
        _ => return None,
    };
    at += skip;
    if separator == Separator::Colon
        && let Some(span) = block_scalar(text, start, at)
    {
        return Some(Value {
            span,
            notation: Notation { quoted: true, separator, spaced: true, in_list: false },
        });
    }
    at += colours(&text[at..]);
    let more = count_while(text, at, |byte| byte == b' ' || byte == b'\t').min(32);
    at += more;
    at += colours(&text[at..]);
    if separator == Separator::Colon
        && matches!(kind, SecretKind::Password | SecretKind::Token)
        && let Some(span) = word_below(text, at)
    {
        let notation = Notation { quoted: false, separator: Separator::Prose, spaced: true, in_list: false };
        return Some(Value { span, notation });
    }
    // Bold names: `**Password:** x`.
    at += count_while(text, at, |byte| byte == b'*').min(2) * usize::from(text[at..].starts_with(b"** "));
    at += count_while(text, at, |byte| byte == b' ').min(1) * usize::from(at > 0 && text[at - 1] == b'*');
    let spaced = spaces + more > 0;
    if let Some(quote) = encoded_quote(&text[at..]) {
        let from = at + quote.len();
        let inside = &text[from..text.len().min(from + most)];
        let length = memchr::memmem::find(inside, quote)?;
        let notation = Notation { quoted: true, separator, spaced, in_list: false };
        return (length > 0).then(|| Value { span: from..from + length, notation });
    }
    at += markup(&text[at..]);
    // `N'x'` of SQL.
    at += usize::from(matches!(text.get(at..at + 2), Some([b'N' | b'E', b'\''])));
    let (open, escaped) = opening_quote(&text[at..]);
    let quoted = open.is_some();
    let from = at + open.map_or(0, |_| if escaped == 0 { 1 } else { escaped + 1 });
    let limit = text.len().min(from + most);
    let length = match open {
        Some(quote) => quoted_length(&text[from..limit], quote, escaped > 0),
        None => unquoted_length(&text[from..limit], separator, kind),
    };
    let in_list = matches!(text.get(from + length), Some(b',' | b')' | b']'));
    (length > 0).then_some(Value {
        span: from..from + length,
        notation: Notation { quoted, separator, spaced, in_list },
    })
}

/// The lines of a block of YAML, `password: |` and deeper lines below it, whose header begins at `at`. The name begins
/// at `start`.
fn block_scalar(text: &[u8], start: usize, at: usize) -> Option<Span> {
    let at = at + count_while(text, at, |byte| byte == b' ').min(32);
    let header = text.get(at..).filter(|header| header.starts_with(b"|") || header.starts_with(b">"))?;
    let marks =
        count_while(header, 1, |byte| matches!(byte, b'-' | b'+' | b'1'..=b'9' | b' ' | b'\r')).min(8);
    let mut line = at + 1 + marks;
    if text.get(line) != Some(&b'\n') {
        return None;
    }
    line += 1;
    let margin = memchr::memrchr(b'\n', &text[..start]).map_or(0, |end| end + 1);
    let margin = count_while(text, margin, |byte| byte == b' ');
    let limit = text.len().min(line + MAX_VALUE_BYTES);
    let (first, mut end) = (line + count_while(text, line, |byte| byte.is_ascii_whitespace()), line);
    while line < limit {
        let next = memchr::memchr(b'\n', &text[line..limit]).map_or(limit, |length| line + length + 1);
        let is_blank = text[line..next].trim_ascii().is_empty();
        if !is_blank && count_while(text, line, |byte| byte == b' ') <= margin {
            break;
        }
        if !is_blank {
            end = line + text[line..next].trim_ascii_end().len();
        }
        line = next;
    }
    (first < end).then_some(first..end)
}

/// A quote as HTML or an address writes it, at the beginning of a text.
fn encoded_quote(rest: &[u8]) -> Option<&'static [u8]> {
    const QUOTES: [&[u8]; 6] = [b"&quot;", b"&#34;", b"&#39;", b"&#x27;", b"%22", b"%27"];
    QUOTES.into_iter().find(|quote| rest.starts_with(quote))
}

/// End of the opening tag of an element that has attributes.
fn tag_end(rest: &[u8]) -> Option<usize> {
    const MAX_TAG: usize = 200;
    let near = &rest[..rest.len().min(MAX_TAG)];
    let end = memchr::memchr2(b'>', b'<', near).filter(|end| near[*end] == b'>')?;
    (near.first() == Some(&b' ') && near[..end].contains(&b'=') && !near[..end].ends_with(b"/"))
        .then_some(end + 1)
}

/// Length of what stands around a value in markup and code, at the beginning of a text: `</b> <code>`, `<![CDATA[`,
/// `Some(`.
fn markup(rest: &[u8]) -> usize {
    const TAGS: [&[u8]; 12] = [
        b"</b>",
        b"</strong>",
        b"</td>",
        b"</th>",
        b"</span>",
        b"<b>",
        b"<code>",
        b"<td>",
        b"<span>",
        b"<strong>",
        b"<![CDATA[",
        b"Some(",
    ];
    let mut length = 0;
    for _ in 0..4 {
        let blanks = count_while(rest, length, |byte| byte == b' ').min(2);
        let Some(tag) = TAGS.iter().find(|tag| rest[length + blanks..].starts_with(tag)) else { break };
        length += blanks + tag.len();
    }
    length
}

/// Length of the colours of a terminal at the beginning of a text: `ESC [ 1 ; 34 m`.
fn colours(rest: &[u8]) -> usize {
    let mut length = 0;
    while let Some(inside) = rest.get(length..).and_then(|rest| rest.strip_prefix(b"\x1b[")) {
        let end = inside.iter().take(24).position(|byte| !byte.is_ascii_digit() && *byte != b';');
        let Some(end) = end.filter(|end| matches!(inside[*end], b'm' | b'K')) else { break };
        length += 2 + end + 1;
    }
    length
}

/// The only word of the next line with text, where the line of the name ends at `at`, in mails:
/// `Your password:\n\nS3cretPw9`. The line may be indented, or an item of a list.
fn word_below(text: &[u8], at: usize) -> Option<Span> {
    let is_break = |byte: u8| matches!(byte, b'\r' | b'\n');
    let breaks = count_while(text, at, is_break).min(4);
    let margin = count_while(text, at + breaks, |byte| byte == b' ' || byte == b'\t').min(32);
    let mut start = at + breaks + margin;
    start += 2 * usize::from(text.get(start..).is_some_and(|rest| rest.starts_with(b"- ")));
    // A word is read no further than it can be one: names can follow each other without an end.
    let near = &text[start.min(text.len())..text.len().min(start + MAX_WORD)];
    let length = count_while(near, 0, |byte| !byte.is_ascii_whitespace());
    let end = start + length;
    let is_alone = text.get(end).is_none_or(|byte| matches!(byte, b'\r' | b'\n'));
    // Neither an address, nor a path, nor the next key.
    let word = text.get(start..end)?;
    let is_other = word.iter().any(|byte| matches!(byte, b'/' | b'\\'))
        || word.ends_with(b":")
        || word.starts_with(b"`")
        || word.starts_with(b"-");
    (breaks > 0 && is_alone && !is_other && (8..MAX_WORD).contains(&length)).then_some(start..end)
}

/// Number of bytes from `at` on that fulfil a condition.
pub(crate) fn count_while(text: &[u8], at: usize, holds: impl Fn(u8) -> bool) -> usize {
    text[at.min(text.len())..].iter().take_while(|&&byte| holds(byte)).count()
}

/// The quote that opens a value, and the number of backslashes before it.
fn opening_quote(rest: &[u8]) -> (Option<u8>, usize) {
    let escaped = count_while(rest, 0, |byte| byte == b'\\').min(8);
    match rest.get(escaped) {
        Some(&quote @ (b'"' | b'\'' | b'`')) => (Some(quote), escaped),
        _ => (None, 0),
    }
}

/// Length of a quoted value. One that is never closed ends with its line.
pub(crate) fn quoted_length(rest: &[u8], quote: u8, escaped: bool) -> usize {
    let mut at = 0;
    while let Some(&byte) = rest.get(at) {
        if byte == quote {
            return at;
        }
        if byte == b'\\' {
            if escaped && rest.get(at + count_while(rest, at, |byte| byte == b'\\')) == Some(&quote) {
                return at;
            }
            at += 1;
        }
        at += 1;
    }
    memchr::memchr(b'\n', rest).unwrap_or(rest.len())
}

/// Length of a value without quotes.
pub(crate) fn unquoted_length(rest: &[u8], separator: Separator, kind: SecretKind) -> usize {
    if matches!(kind, SecretKind::Header | SecretKind::Cookie | SecretKind::Phrase) {
        return line_length(rest);
    }
    let mut end = rest.len();
    for (at, &byte) in rest.iter().enumerate() {
        let next = rest.get(at + 1).copied().unwrap_or(b' ');
        let stop = match byte {
            b'"' | b'\'' | b'`' | b'<' | b'>' | b'\x1b' => true,
            _ if byte.is_ascii_whitespace() => true,
            b'&' => next.is_ascii_whitespace() || separator == Separator::Equals && is_pair(&rest[at + 1..]),
            b';' => separator == Separator::Equals || next.is_ascii_whitespace(),
            b',' => separator == Separator::Equals || next.is_ascii_whitespace(),
            b'\\' => matches!(next, b'n' | b'r' | b'"' | b'\\' | b'\''),
            b'|' => next == b' ' || next == b'|',
            _ => rest[at..].starts_with("⟦".as_bytes()),
        };
        if stop {
            end = at;
            break;
        }
    }
    // Punctuation after the value belongs to the sentence or bracket around it.
    while end > 0
        && matches!(rest[end - 1], b'.' | b',' | b';' | b':' | b')' | b']' | b'}')
        && !rest[..end].ends_with(b"==")
    {
        end -= 1;
    }
    end
}

/// Whether a text begins with a further parameter of an address: `name=`, or a name and nothing else.
fn is_pair(rest: &[u8]) -> bool {
    let name = count_while(rest, 0, |byte| is_name(byte) || matches!(byte, b'[' | b']' | b'%')).min(100);
    match rest.get(name) {
        None => true,
        Some(byte) => {
            matches!(byte, b'=' | b'&' | b';' | b'#' | b'"' | b'\'' | b'`' | b'<' | b')')
                || byte.is_ascii_whitespace()
        }
    }
}

/// Length up to the end of the line or of the quotes around it.
fn line_length(rest: &[u8]) -> usize {
    let ends = |(at, byte): (usize, &u8)| match byte {
        b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'<' => true,
        b'\\' => matches!(rest.get(at + 1), Some(b'n' | b'r' | b'"')),
        _ => false,
    };
    rest.iter().enumerate().position(|(at, byte)| ends((at, byte))).unwrap_or(rest.len())
}
