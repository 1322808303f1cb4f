//! Bytes to tokens: reading JSON without building anything.
//!
//! Owns: what is JSON (RFC 8259) and what is odd about it. Depth costs one bit a level, nothing recurses, and
//! nothing is copied. What other readers accept counts as JSON here too: lone surrogates, numbers beyond
//! every float, repeated keys. Refuses to know: what is counted.

use std::borrow::Cow;
use std::fmt;

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

/// A string as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Text<'d> {
    raw: &'d str,
    escapes: Escapes,
}

/// What escapes a string has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escapes {
    None,
    Some,
    /// Of code units that only mean something in pairs.
    Surrogates,
}

impl<'d> Text<'d> {
    /// The string it stands for. Half of a surrogate pair becomes the replacement character.
    pub(crate) fn decoded(self) -> Cow<'d, str> {
        match self.plain() {
            Some(raw) => Cow::Borrowed(raw),
            None => Cow::Owned(decode(self.raw)),
        }
    }

    /// Bytes as written.
    pub(crate) fn written_length(self) -> usize {
        self.raw.len()
    }

    /// The string, where it is written as it is.
    pub(crate) fn plain(self) -> Option<&'d str> {
        (self.escapes == Escapes::None).then_some(self.raw)
    }
}

/// Takes a document's tokens in order.
pub(crate) trait Sink<'d> {
    fn token(&mut self, token: Token<'d>);
}

/// Only reads.
impl Sink<'_> for () {
    fn token(&mut self, _: Token<'_>) {}
}

impl<'d> Sink<'d> for Vec<Token<'d>> {
    #[inline(always)]
    fn token(&mut self, token: Token<'d>) {
        self.push(token);
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

/// Hands a document's tokens to `sink`; on an error it has had those before.
pub(crate) fn scan<'d>(document: &'d [u8], sink: &mut impl Sink<'d>) -> Result<(), Unreadable> {
    let text = std::str::from_utf8(document)
        .map_err(|error| Unreadable { at: error.valid_up_to(), reason: "bytes that are not UTF-8" })?;
    let mut scanner = Scanner { text, bytes: text.as_bytes(), at: 0, open: Levels::default() };
    scanner.document(sink)
}

struct Scanner<'d> {
    text: &'d str,
    bytes: &'d [u8],
    at: usize,
    open: Levels,
}

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
    fn push(&mut self, object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.rest.push(self.low);
            self.low = 0;
        }
        self.low = self.low << 1 | u64::from(object);
        self.depth += 1;
    }

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

impl<'d> Scanner<'d> {
    fn document(&mut self, sink: &mut impl Sink<'d>) -> Result<(), Unreadable> {
        loop {
            // A value stands here.
            match self.next_byte() {
                Some(b'{') => {
                    self.at += 1;
                    self.open.push(true);
                    sink.token(Token::BeginObject);
                    if self.next_byte() != Some(b'}') {
                        self.key(sink)?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    self.open.push(false);
                    sink.token(Token::BeginArray);
                    if self.next_byte() != Some(b']') {
                        continue;
                    }
                }
                Some(b'"') => {
                    let text = self.string()?;
                    sink.token(Token::String(text));
                }
                Some(b'-' | b'0'..=b'9') => {
                    let number = self.number()?;
                    sink.token(number);
                }
                Some(b't') => self.literal("true", Token::Boolean(true), sink)?,
                Some(b'f') => self.literal("false", Token::Boolean(false), sink)?,
                Some(b'n') => self.literal("null", Token::Null, sink)?,
                Some(_) => return Err(self.unreadable("a value expected")),
                None => return Err(self.unreadable("it ends too early")),
            }
            // A value has ended.
            loop {
                if self.open.depth == 0 {
                    return match self.next_byte() {
                        None => Ok(()),
                        Some(_) => Err(self.unreadable("something behind the end")),
                    };
                }
                let object = self.open.is_object();
                match self.next_byte() {
                    Some(b',') => {
                        self.at += 1;
                        if object {
                            self.key(sink)?;
                        }
                        break;
                    }
                    Some(b'}') if object => sink.token(Token::EndObject),
                    Some(b']') if !object => sink.token(Token::EndArray),
                    Some(_) => return Err(self.unreadable("a comma or the end expected")),
                    None => return Err(self.unreadable("it ends too early")),
                }
                self.at += 1;
                self.open.pop();
            }
        }
    }

    /// The next byte that is no white space.
    #[inline]
    fn next_byte(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// A key with its colon.
    #[inline]
    fn key(&mut self, sink: &mut impl Sink<'d>) -> Result<(), Unreadable> {
        if self.next_byte() != Some(b'"') {
            return Err(self.unreadable("a key expected"));
        }
        let key = self.string()?;
        sink.token(Token::Key(key));
        if self.next_byte() != Some(b':') {
            return Err(self.unreadable("a colon expected"));
        }
        self.at += 1;
        Ok(())
    }

    fn literal(&mut self, word: &str, token: Token<'d>, sink: &mut impl Sink<'d>) -> Result<(), Unreadable> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(self.unreadable("a value expected"));
        }
        self.at += word.len();
        sink.token(token);
        Ok(())
    }

    /// The string whose opening quote stands here.
    #[inline]
    fn string(&mut self) -> Result<Text<'d>, Unreadable> {
        self.at += 1;
        let start = self.at;
        let mut escapes = Escapes::None;
        loop {
            self.at += plain(&self.bytes[self.at..]);
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    let raw = &self.text[start..self.at];
                    self.at += 1;
                    return Ok(Text { raw, escapes });
                }
                Some(b'\\') => {
                    escapes = self.escape(escapes)?;
                }
                Some(_) => return Err(self.unreadable("a control character in a string")),
                None => return Err(self.unreadable("it ends within a string")),
            }
        }
    }

    fn escape(&mut self, before: Escapes) -> Result<Escapes, Unreadable> {
        let after = if before == Escapes::None { Escapes::Some } else { before };
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => match unit(self.bytes, self.at) {
                Some(unit) => {
                    self.at += 6;
                    return Ok(if matches!(unit, 0xD800..=0xDFFF) { Escapes::Surrogates } else { after });
                }
                None => return Err(self.unreadable("an unknown escape in a string")),
            },
            _ => return Err(self.unreadable("an unknown escape in a string")),
        }
        Ok(after)
    }

    fn number(&mut self) -> Result<Token<'d>, Unreadable> {
        let start = self.at;
        self.at += usize::from(self.bytes[self.at] == b'-');
        match self.bytes.get(self.at) {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        let mut integer = true;
        if self.bytes.get(self.at) == Some(&b'.') {
            integer = false;
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            integer = false;
            self.at += 1;
            self.at += usize::from(matches!(self.bytes.get(self.at), Some(b'+' | b'-')));
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        Ok(if integer { Token::Integer(text) } else { Token::Number(text) })
    }

    /// One digit or more.
    fn digits(&mut self) -> Result<(), Unreadable> {
        let rest = &self.bytes[self.at..];
        let count = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        self.at += count;
        if count == 0 { Err(self.unreadable("a digit expected")) } else { Ok(()) }
    }

    fn unreadable(&self, reason: &'static str) -> Unreadable {
        Unreadable { at: self.at, reason }
    }
}

/// Bytes before the first quote, backslash or control character; eight at a time, by the usual trick of
/// finding zero bytes in a word (Mycroft).
#[inline]
fn plain(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut at = 0;
    while let Some(word) = bytes[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*word);
        let zero_in = |word: u64| word.wrapping_sub(ONES) & !word;
        let special = (zero_in(word ^ (ONES * u64::from(b'"')))
            | zero_in(word ^ (ONES * u64::from(b'\\')))
            | (word.wrapping_sub(ONES * 0x20) & !word))
            & HIGH;
        if special != 0 {
            // The lowest mark is right; higher ones may come from a borrow.
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = &bytes[at..];
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    at + rest.iter().position(special).unwrap_or(rest.len())
}

/// The code unit of the escape `\uXXXX` at `at`, if there is one.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let hex = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    hex.iter().try_fold(0, |unit, byte| Some(unit << 4 | char::from(*byte).to_digit(16)? as u16))
}

fn decode(raw: &str) -> String {
    let bytes = raw.as_bytes();
    let mut text = String::with_capacity(raw.len());
    let mut at = 0;
    while let Some(skip) = memchr::memchr(b'\\', &bytes[at..]) {
        text.push_str(&raw[at..at + skip]);
        at += skip;
        at += match bytes.get(at + 1) {
            Some(b'u') => {
                let units = [unit(bytes, at), unit(bytes, at + 6)];
                let pair = match units {
                    [Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)] => {
                        char::decode_utf16([high, low]).next().and_then(Result::ok)
                    }
                    _ => None,
                };
                let single = units[0].and_then(|unit| char::from_u32(u32::from(unit)));
                text.push(pair.or(single).unwrap_or(char::REPLACEMENT_CHARACTER));
                if pair.is_some() { 12 } else { 6 }
            }
            Some(escape) => {
                text.push(match escape {
                    b'b' => '\u{8}',
                    b'f' => '\u{c}',
                    b'n' => '\n',
                    b'r' => '\r',
                    b't' => '\t',
                    other => char::from(*other),
                });
                2
            }
            None => 1,
        };
    }
    text.push_str(&raw[at..]);
    text
}

/// Whether a string as written holds half of a surrogate pair.
pub(crate) fn has_lone_surrogate(text: Text<'_>) -> bool {
    text.escapes == Escapes::Surrogates && {
        let bytes = text.raw.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            at += match (bytes[at], unit(bytes, at)) {
                (b'\\', Some(0xD800..=0xDBFF)) => match unit(bytes, at + 6) {
                    Some(0xDC00..=0xDFFF) => 12,
                    _ => return true,
                },
                (b'\\', Some(0xDC00..=0xDFFF)) => return true,
                (b'\\', Some(_)) => 6,
                (b'\\', None) => 2,
                _ => 1,
            };
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    /// Rebuilds the document.
    fn parse(document: &[u8]) -> Result<Value, Unreadable> {
        let mut tokens = Vec::new();
        scan(document, &mut tokens)?;
        let (mut stack, mut keys) = (vec![Value::Array(Vec::new())], Vec::new());
        let put = |stack: &mut Vec<Value>, keys: &mut Vec<String>, value| match stack.last_mut() {
            Some(Value::Array(items)) => items.push(value),
            Some(Value::Object(fields)) => drop(fields.insert(keys.pop().unwrap(), value)),
            _ => unreachable!(),
        };
        for token in tokens {
            let value = match token {
                Token::Null => Value::Null,
                Token::Boolean(value) => value.into(),
                // serde_json refuses those beyond every float.
                Token::Integer(text) | Token::Number(text) => serde_json::from_str(text).unwrap_or_default(),
                Token::String(text) => text.decoded().into_owned().into(),
                Token::Key(text) => {
                    keys.push(text.decoded().into_owned());
                    continue;
                }
                Token::BeginObject => {
                    stack.push(Value::Object(serde_json::Map::new()));
                    continue;
                }
                Token::BeginArray => {
                    stack.push(Value::Array(Vec::new()));
                    continue;
                }
                Token::EndObject | Token::EndArray => stack.pop().unwrap(),
            };
            put(&mut stack, &mut keys, value);
        }
        Ok(stack.pop().unwrap()[0].take())
    }

    #[test]
    fn strings_are_decoded() {
        let text = r#"["\ud83d\ude00é\n\/\"\\\u0000","\\ud83d",{"\u0061":1}]"#;
        assert_eq!(parse(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(parse(br#""\ud83dx\ude00""#).unwrap(), "\u{fffd}x\u{fffd}");
    }

    #[test]
    fn lone_surrogates_are_told_from_pairs_and_escaped_backslashes() {
        let lone = |json: &str| {
            let mut tokens = Vec::new();
            scan(json.as_bytes(), &mut tokens).unwrap();
            matches!(tokens[0], Token::String(text) if has_lone_surrogate(text))
        };
        assert!(lone(r#""\ud83d""#) && lone(r#""\ude00\ud83d""#) && lone(r#""é\ud83d\n""#));
        assert!(!lone(r#""\ud83d\ude00""#) && !lone(r#""\\ud83d""#) && !lone(r#""ud83d""#));
    }

    #[test]
    fn depth_is_no_matter() {
        let levels = 1_000_000;
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let deep = open.repeat(levels) + "1" + &close.repeat(levels);
            assert!(scan(deep.as_bytes(), &mut ()).is_ok());
            assert!(scan(&deep.as_bytes()[..deep.len() - 1], &mut ()).is_err());
        }
        let mixed = "[{\"a\":".repeat(levels) + "1" + &"}]".repeat(levels);
        assert!(scan(mixed.as_bytes(), &mut ()).is_ok());
        assert!(scan(mixed.replace("1}]}", "1}}]").as_bytes(), &mut ()).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        /// What serde_json reads is read alike; what it refuses is refused, but for surrogates and ranges.
        #[test]
        fn agrees_with_serde_json(text in "[\\[\\]{}\",:0-9a-z\\\\ .eE+\u{e9}\u{1}tfn-]{0,40}|[\\[{]?(\"a\":|\"[\u{e9}a-c\\\\\"u0-9]{0,9}\"|-?[0-9]{1,3}(\\.[0-9]{1,2})?([eE][+-]?[0-9])?|true|false|null|[,:\\[\\]{} ]){1,9}[\\]}]?") {
            let ours = parse(text.as_bytes());
            match serde_json::from_str::<Value>(&text) {
                Ok(theirs) => prop_assert_eq!(ours.unwrap(), theirs),
                Err(error) => {
                    let known = error.to_string();
                    let lenient = ["surrogate", "unexpected end of hex escape", "out of range"].iter().any(|word| known.contains(word));
                    prop_assert!(ours.is_err() || lenient, "{} is no JSON: {}", text, known);
                }
            }
        }

        #[test]
        fn documents_are_read_whole(values in prop::collection::vec("[a-z\"\\\\\n\u{1F600}\u{e9}]{0,20}", 0..20)) {
            let text = serde_json::to_string(&values).unwrap();
            prop_assert_eq!(parse(text.as_bytes()).unwrap(), serde_json::to_value(&values).unwrap());
        }
    }
}
