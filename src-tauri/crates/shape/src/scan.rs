//! Bytes to tokens: reading JSON without building anything.
//!
//! Owns: what is JSON (RFC 8259) and what is odd about it. Depth costs one bit a level, nothing recurses, and
//! nothing is copied. What other readers accept counts as JSON here too: lone surrogates, numbers beyond
//! every float, repeated keys. Refuses to know: what is counted.

mod bytes;
mod odd;
#[cfg(test)]
mod tests;
mod text;

use std::fmt;

pub(crate) use odd::Oddities;
use odd::{FLOAT_DIGITS, LONG_STRING};
pub(crate) use text::Text;
use text::Writing;

/// A part of a document. Texts are as written, between the quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'d> {
    Null,
    Boolean(bool),
    /// Written without fraction or exponent.
    Integer(&'d str),
    Number(&'d str),
    String(Text<'d>),
    Key(Text<'d>),
    BeginObject,
    EndObject,
    BeginArray,
    EndArray,
}

/// Takes a document's tokens in order.
pub(crate) trait Sink<'d> {
    fn token(&mut self, token: &Token<'d>);

    /// Takes a key, its closing quote and the colon, if the bytes behind an opening quote begin with those and the
    /// key is the one that is expected; the bytes of the key.
    #[inline(always)]
    fn expected(&mut self, _: &[u8]) -> Option<usize> {
        None
    }

    /// Whether keys need not be handed to it now.
    #[inline(always)]
    fn passes_over_keys(&self) -> bool {
        false
    }
}

/// Only reads.
impl Sink<'_> for () {
    #[inline(always)]
    fn token(&mut self, _: &Token<'_>) {}

    #[inline(always)]
    fn passes_over_keys(&self) -> bool {
        true
    }
}

/// Two that read together. Only the first may know keys beforehand.
impl<'d, A: Sink<'d>, B: Sink<'d>> Sink<'d> for (&mut A, &mut B) {
    #[inline(always)]
    fn token(&mut self, token: &Token<'d>) {
        self.1.token(token);
        self.0.token(token);
    }

    #[inline(always)]
    fn expected(&mut self, written: &[u8]) -> Option<usize> {
        if self.1.passes_over_keys() { self.0.expected(written) } else { None }
    }
}

impl<'d> Sink<'d> for Vec<Token<'d>> {
    #[inline(always)]
    fn token(&mut self, token: &Token<'d>) {
        self.push(*token);
    }
}

/// Why a text is not JSON, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable {
    /// Bytes before it.
    pub at: usize,
    reason: &'static str,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a JSON document: {} at byte {}", self.reason, self.at)
    }
}

impl std::error::Error for Unreadable {}

/// Hands a document's tokens to `sink`; what is odd about it. On an error the sink has had the tokens before.
pub(crate) fn scan<'d>(document: &'d [u8], sink: &mut impl Sink<'d>) -> Result<Oddities, Unreadable> {
    let text = std::str::from_utf8(document)
        .map_err(|error| Unreadable { at: error.valid_up_to(), reason: "bytes that are not UTF-8" })?;
    let mut scanner = Scanner { text, bytes: text.as_bytes(), at: 0, oddities: Oddities::default() };
    match scanner.document(sink) {
        Ok(()) => Ok(scanner.oddities),
        Err(reason) => Err(Unreadable { at: scanner.at, reason }),
    }
}

/// Where in a document the reader stands. On an error that is where it is no JSON.
struct Scanner<'d> {
    text: &'d str,
    bytes: &'d [u8],
    at: usize,
    oddities: Oddities,
}

/// What is wrong.
type Reason = &'static str;

/// What is open, one bit a level.
#[derive(Default)]
struct Levels {
    /// The innermost levels.
    low: u64,
    depth: usize,
    /// Levels further out, by 64.
    rest: Vec<u64>,
}

impl Levels {
    #[inline]
    fn push(&mut self, object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.rest.push(self.low);
            self.low = 0;
        }
        self.low = self.low << 1 | u64::from(object);
        self.depth += 1;
    }

    #[inline]
    fn pop(&mut self) {
        self.depth -= 1;
        self.low >>= 1;
        if self.depth.is_multiple_of(64)
            && let Some(low) = self.rest.pop()
        {
            self.low = low;
        }
    }

    fn is_object(&self) -> bool {
        self.low & 1 == 1
    }
}

// Inlined into one loop, so that where it stands stays in a register.
impl<'d> Scanner<'d> {
    #[inline(always)]
    fn document(&mut self, sink: &mut impl Sink<'d>) -> Result<(), Reason> {
        let mut open = Levels::default();
        loop {
            // A value stands here.
            match self.next_byte() {
                Some(b'"') => sink.token(&Token::String(self.string()?)),
                Some(b'{') => {
                    self.at += 1;
                    open.push(true);
                    sink.token(&Token::BeginObject);
                    if self.next_byte() != Some(b'}') {
                        self.key(sink)?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    open.push(false);
                    sink.token(&Token::BeginArray);
                    if self.next_byte() != Some(b']') {
                        continue;
                    }
                }
                Some(b'-' | b'0'..=b'9') => sink.token(&self.number()?),
                Some(b't') => sink.token(&self.word(b"true", Token::Boolean(true))?),
                Some(b'f') => sink.token(&self.word(b"false", Token::Boolean(false))?),
                Some(b'n') => sink.token(&self.word(b"null", Token::Null)?),
                Some(_) => return Err("a value expected"),
                None => return Err("it ends too early"),
            }
            // A value has ended.
            loop {
                if open.depth == 0 {
                    return match self.next_byte() {
                        None => Ok(()),
                        Some(_) => Err("something behind the end"),
                    };
                }
                let object = open.is_object();
                match self.next_byte() {
                    Some(b',') => {
                        self.at += 1;
                        if object {
                            self.key(sink)?;
                        }
                        break;
                    }
                    Some(b'}') if object => sink.token(&Token::EndObject),
                    Some(b']') if !object => sink.token(&Token::EndArray),
                    Some(_) => return Err("a comma or the end expected"),
                    None => return Err("it ends too early"),
                }
                self.at += 1;
                open.pop();
            }
        }
    }

    /// The next byte that is no white space.
    #[inline(always)]
    fn next_byte(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            if byte > b' ' || !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// A key with its colon.
    #[inline(always)]
    fn key(&mut self, sink: &mut impl Sink<'d>) -> Result<(), Reason> {
        if self.next_byte() != Some(b'"') {
            return Err("a key expected");
        }
        if let Some(length) = sink.expected(&self.bytes[self.at + 1..]) {
            self.at += length + 3;
            return Ok(());
        }
        sink.token(&Token::Key(self.string()?));
        if self.next_byte() != Some(b':') {
            return Err("a colon expected");
        }
        self.at += 1;
        Ok(())
    }

    #[inline(always)]
    fn word<const N: usize>(&mut self, word: &[u8; N], token: Token<'d>) -> Result<Token<'d>, Reason> {
        if self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) != Some(word) {
            return Err("a value expected");
        }
        self.at += N;
        Ok(token)
    }

    /// The string whose opening quote stands here.
    #[inline(always)]
    fn string(&mut self) -> Result<Text<'d>, Reason> {
        let start = self.at + 1;
        let (end, wide) = bytes::plain(self.bytes, start);
        let mut writing = if wide { Writing::Plain } else { Writing::Ascii };
        self.at = end;
        if self.bytes.get(end) != Some(&b'"') {
            (self.at, writing) = escaped(self.bytes, end).map_err(|(at, reason)| {
                self.at = at;
                reason
            })?;
            self.oddities.surrogates += u64::from(writing == Writing::Broken);
        }
        let raw = &self.text[start..self.at];
        self.at += 1;
        self.oddities.long_strings += u64::from(raw.len() >= LONG_STRING);
        Ok(Text { raw, writing })
    }

    #[inline(always)]
    fn number(&mut self) -> Result<Token<'d>, Reason> {
        let start = self.at;
        self.at += usize::from(self.bytes.get(start) == Some(&b'-'));
        if self.bytes.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        let integer = !matches!(self.bytes.get(self.at), Some(b'.' | b'e' | b'E'));
        let exponent = !integer && self.fraction()?;
        let text = &self.text[start..self.at];
        // Only an exponent or hundreds of digits lead beyond every float.
        if exponent || text.len() > FLOAT_DIGITS {
            self.oddities.note_number(text);
        }
        Ok(if integer { Token::Integer(text) } else { Token::Number(text) })
    }

    /// What follows the digits of a number that is written as no integer; whether it has an exponent.
    #[inline(always)]
    fn fraction(&mut self) -> Result<bool, Reason> {
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            self.at += usize::from(matches!(self.bytes.get(self.at), Some(b'+' | b'-')));
            self.digits()?;
            return Ok(true);
        }
        Ok(false)
    }

    /// One digit or more.
    #[inline(always)]
    fn digits(&mut self) -> Result<(), Reason> {
        let end = bytes::digits(self.bytes, self.at);
        if end == self.at {
            return Err("a digit expected");
        }
        self.at = end;
        Ok(())
    }
}

/// The end of a string, from where it is not plain any more; or where it is no string and why.
fn escaped(bytes: &[u8], mut at: usize) -> Result<(usize, Writing), (usize, Reason)> {
    let mut writing = Writing::Escaped;
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok((at, writing)),
            Some(b'\\') => {
                let (length, broken) =
                    text::escape(bytes, at).ok_or((at, "an unknown escape in a string"))?;
                at += length;
                if broken {
                    writing = Writing::Broken;
                }
            }
            Some(0..0x20) => return Err((at, "a control character in a string")),
            Some(_) => (at, _) = bytes::plain(bytes, at),
            None => return Err((at, "it ends within a string")),
        }
    }
}
