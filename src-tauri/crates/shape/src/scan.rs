//! Scanning: bytes to tokens, without building anything.
//!
//! It defines what is JSON (RFC 8259) and what is peculiar about it. Each level of depth costs one
//! bit, nothing recurses, and nothing is copied. Input that some readers accept counts as JSON:
//! lone surrogates, numbers too large for a float, duplicate keys.

mod odd;
#[cfg(test)]
mod tests;
mod text;

use std::fmt;

use schemascope_json::{digits_end, plain_end};

pub(crate) use odd::Oddities;
use odd::{FLOAT_DIGITS, LONG_STRING};
use text::Notation;
pub(crate) use text::Text;

/// A part of a document. Texts are as written, without the quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'d> {
    Null,
    Boolean(bool),
    /// A number without fraction or exponent.
    Integer(&'d str),
    Number(&'d str),
    String(Text<'d>),
    Key(Text<'d>),
    BeginObject,
    EndObject,
    BeginArray,
    EndArray,
}

/// Receiver of a document's tokens in order.
pub(crate) trait Sink<'d> {
    fn token(&mut self, token: &Token<'d>);

    /// Accepts a key, its closing quote and the colon, if the bytes after an opening quote begin
    /// with them and the key is the expected one. Returns the length of the key.
    #[inline(always)]
    fn expected(&mut self, _: &[u8]) -> Option<usize> {
        None
    }

    /// Returns whether keys can currently be left out.
    #[inline(always)]
    fn passes_over_keys(&self) -> bool {
        false
    }
}

/// Ignores all tokens.
impl Sink<'_> for () {
    #[inline(always)]
    fn token(&mut self, _: &Token<'_>) {}

    #[inline(always)]
    fn passes_over_keys(&self) -> bool {
        true
    }
}

/// Two receivers in one pass. Only the first may accept expected keys.
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

/// Reason why a text is not JSON, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable {
    /// Number of bytes before the error.
    pub at: usize,
    reason: &'static str,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a JSON document: {} at byte {}", self.reason, self.at)
    }
}

impl std::error::Error for Unreadable {}

/// Passes a document's tokens to `sink` and returns its peculiarities. After an error the sink has
/// received the tokens before it.
pub(crate) fn scan<'d>(document: &'d [u8], sink: &mut impl Sink<'d>) -> Result<Oddities, Unreadable> {
    let text = std::str::from_utf8(document)
        .map_err(|error| Unreadable { at: error.valid_up_to(), reason: "invalid UTF-8" })?;
    let mut scanner = Scanner { text, bytes: text.as_bytes(), at: 0, oddities: Oddities::default() };
    match scanner.document(sink) {
        Ok(()) => Ok(scanner.oddities),
        Err(reason) => Err(Unreadable { at: scanner.at, reason }),
    }
}

/// Position of the reader in a document; after an error, the position of the error.
struct Scanner<'d> {
    text: &'d str,
    bytes: &'d [u8],
    at: usize,
    oddities: Oddities,
}

/// Description of an error.
type Reason = &'static str;

/// Open containers, one bit for each level.
#[derive(Default)]
struct Levels {
    /// Innermost levels.
    low: u64,
    depth: usize,
    /// Outer levels, in groups of 64.
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

// Inlined into one loop, so that the position stays in a register.
impl<'d> Scanner<'d> {
    #[inline(always)]
    fn document(&mut self, sink: &mut impl Sink<'d>) -> Result<(), Reason> {
        let mut open = Levels::default();
        loop {
            // A value starts here.
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
                Some(_) => return Err("expected a value"),
                None => return Err("unexpected end of the document"),
            }
            // A value has ended.
            loop {
                if open.depth == 0 {
                    return match self.next_byte() {
                        None => Ok(()),
                        Some(_) => Err("unexpected text after the document"),
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
                    Some(_) => return Err("expected a comma or a closing bracket"),
                    None => return Err("unexpected end of the document"),
                }
                self.at += 1;
                open.pop();
            }
        }
    }

    /// Returns the next byte that is not white space.
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

    /// Reads a key and its colon.
    #[inline(always)]
    fn key(&mut self, sink: &mut impl Sink<'d>) -> Result<(), Reason> {
        if self.next_byte() != Some(b'"') {
            return Err("expected a key");
        }
        if let Some(length) = sink.expected(&self.bytes[self.at + 1..]) {
            self.at += length + 3;
            return Ok(());
        }
        sink.token(&Token::Key(self.string()?));
        if self.next_byte() != Some(b':') {
            return Err("expected a colon");
        }
        self.at += 1;
        Ok(())
    }

    #[inline(always)]
    fn word<const N: usize>(&mut self, word: &[u8; N], token: Token<'d>) -> Result<Token<'d>, Reason> {
        if self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) != Some(word) {
            return Err("expected a value");
        }
        self.at += N;
        Ok(token)
    }

    /// Reads the string whose opening quote is here.
    #[inline(always)]
    fn string(&mut self) -> Result<Text<'d>, Reason> {
        let start = self.at + 1;
        let (end, wide) = plain_end(self.bytes, start);
        let mut writing = if wide { Notation::Plain } else { Notation::Ascii };
        self.at = end;
        if self.bytes.get(end) != Some(&b'"') {
            (self.at, writing) = escaped(self.bytes, end).map_err(|(at, reason)| {
                self.at = at;
                reason
            })?;
            self.oddities.surrogates += u64::from(writing == Notation::Broken);
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
        // Only an exponent or hundreds of digits can exceed the range of floats.
        if exponent || text.len() > FLOAT_DIGITS {
            self.oddities.note_number(text);
        }
        Ok(if integer { Token::Integer(text) } else { Token::Number(text) })
    }

    /// Reads the rest of a number after its integer part. Returns whether it has an exponent.
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

    /// Reads one digit or more.
    #[inline(always)]
    fn digits(&mut self) -> Result<(), Reason> {
        let end = digits_end(self.bytes, self.at);
        if end == self.at {
            return Err("expected a digit");
        }
        self.at = end;
        Ok(())
    }
}

/// Finds the end of a string from the first character that is not plain, or the error in it.
fn escaped(bytes: &[u8], mut at: usize) -> Result<(usize, Notation), (usize, Reason)> {
    let mut writing = Notation::Escaped;
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok((at, writing)),
            Some(b'\\') => {
                let (length, broken) =
                    text::escape(bytes, at).ok_or((at, "an unknown escape in a string"))?;
                at += length;
                if broken {
                    writing = Notation::Broken;
                }
            }
            Some(0..0x20) => return Err((at, "a control character in a string")),
            Some(_) => (at, _) = plain_end(bytes, at),
            None => return Err((at, "unterminated string")),
        }
    }
}
