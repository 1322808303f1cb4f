//! JSON-RPC envelopes: reads the kind of a message and its parts as slices, and writes messages.

use bytes::{BufMut, Bytes, BytesMut};
use serde::Deserialize;
use serde_json::value::RawValue;

/// A received message. Its parts are slices of the received bytes.
#[derive(Debug, Clone)]
pub(crate) enum Message {
    Request { id: Bytes, method: String, params: Option<Bytes> },
    Notification { method: String, params: Option<Bytes> },
    Response { id: Bytes, body: Body },
}

/// The result or the error of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    Result(Bytes),
    Error(Bytes),
}

#[derive(Deserialize)]
struct Envelope<'a> {
    // For `id` and `result`, null differs from absent: `"result":null` is an answer.
    #[serde(borrow)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// The reason why bytes are not a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MessageError {
    /// The bytes are not JSON.
    Json(String),
    /// The JSON is not a JSON-RPC 2.0 message.
    Envelope(&'static str),
    /// The batch is empty or too long.
    Batch(&'static str),
}

impl std::fmt::Display for MessageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Json(reason) => f.write_str(reason),
            Self::Envelope(reason) | Self::Batch(reason) => f.write_str(reason),
        }
    }
}

impl Message {
    pub(crate) fn parse(bytes: &Bytes) -> Result<Self, MessageError> {
        let envelope: Envelope<'_> =
            serde_json::from_slice(bytes).map_err(|error| match error.classify() {
                serde_json::error::Category::Data => {
                    MessageError::Envelope("not a JSON-RPC 2.0 message object")
                }
                _ => MessageError::Json(error.to_string()),
            })?;
        if envelope.jsonrpc.is_none_or(|version| version.get() != "\"2.0\"") {
            return Err(MessageError::Envelope("\"jsonrpc\" must be \"2.0\""));
        }
        let slice = |raw: &RawValue| bytes.slice_ref(raw.get().as_bytes());
        let id = envelope.id.map(slice);
        if id.as_ref().is_some_and(|id| !matches!(id.first(), Some(b'"' | b'-' | b'0'..=b'9' | b'n'))) {
            return Err(MessageError::Envelope("\"id\" must be a string or a number"));
        }
        let null = id.as_ref().is_some_and(|id| id.as_ref() == b"null");
        if null && envelope.method.is_some() {
            return Err(MessageError::Envelope("\"id\" of a request must not be null"));
        }
        let id = id.filter(|_| !null);
        let params = envelope.params.map(slice);
        match (envelope.method, id, envelope.result, envelope.error) {
            (Some(method), Some(id), None, None) => Ok(Self::Request { id, method, params }),
            (Some(method), None, None, None) => Ok(Self::Notification { method, params }),
            (None, Some(id), Some(result), None) => {
                Ok(Self::Response { id, body: Body::Result(slice(result)) })
            }
            (None, Some(id), None, Some(error)) => Ok(Self::Response { id, body: Body::Error(slice(error)) }),
            _ => Err(MessageError::Envelope(
                "the message is neither a request, nor a notification, nor a response",
            )),
        }
    }
}

/// Limit of messages in one batch.
const MAX_BATCH: usize = 100;

/// The messages of a batch, not parsed; `None` if this is not an array.
pub(crate) fn batch(bytes: &Bytes) -> Option<Result<Vec<Bytes>, MessageError>> {
    if !bytes.trim_ascii_start().starts_with(b"[") {
        return None;
    }
    let items: Vec<&RawValue> = match serde_json::from_slice(bytes) {
        Ok(items) => items,
        Err(error) => return Some(Err(MessageError::Json(error.to_string()))),
    };
    Some(match items.len() {
        0 => Err(MessageError::Batch("a batch needs at least one message")),
        1..=MAX_BATCH => Ok(items.iter().map(|item| bytes.slice_ref(item.get().as_bytes())).collect()),
        _ => {
            Err(MessageError::Batch("a batch may have at most 100 messages; send the others in a second one"))
        }
    })
}

/// Whether two ids are equal, independent of notation: `"a"` and `"\u0061"`, `1` and `1.0`.
pub(crate) fn same_id(one: &[u8], other: &[u8]) -> bool {
    use serde_json::Value;
    let read = |id: &[u8]| serde_json::from_slice::<Value>(id).ok();
    one == other
        || match (read(one), read(other)) {
            (Some(Value::String(one)), Some(Value::String(other))) => one == other,
            // Integers that floats cannot distinguish are equal only if they are written alike.
            (Some(Value::Number(one)), Some(Value::Number(other))) => {
                (one.is_f64() || other.is_f64()) && one.as_f64() == other.as_f64()
            }
            _ => false,
        }
}

/// Reads an id that we assigned. Some servers return it with a fraction; a string is another id.
pub(crate) fn number(id: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(id).ok()?;
    text.strip_suffix(".0").unwrap_or(text).parse().ok()
}

/// The probable `id` of a line that is not a message, read from its first and last bytes. It is used to end the
/// request that the line seems to answer, instead of leaving it without an answer.
pub(crate) fn probable_id(head: &[u8], tail: &[u8]) -> Option<u64> {
    let number = |text: &[u8], at: usize| {
        let rest = text[at + 4..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()
    };
    // Content has ids of its own.
    let content = [&b"\"result\""[..], b"\"params\"", b"\"error\""];
    let ends = content.iter().filter_map(|key| memchr::memmem::find(head, key)).min();
    let envelope = head.get(..ends.unwrap_or(head.len())).unwrap_or(head);
    let first = memchr::memmem::find(envelope, b"\"id\"").and_then(|at| number(envelope, at));
    first.or_else(|| memchr::memmem::rfind(tail, b"\"id\"").and_then(|at| number(tail, at)))
}

/// Writes a request. `params` keep their line breaks; see [`one_line`].
pub(crate) fn request(id: u64, method: &str, params: Option<&[u8]>) -> Bytes {
    write(Some(id.to_string().as_bytes()), Some(method), params.map(|params| ("params", params)))
}

/// Writes a notification.
pub(crate) fn notification(method: &str, params: Option<&[u8]>) -> Bytes {
    write(None, Some(method), params.map(|params| ("params", params)))
}

/// Writes a response.
pub(crate) fn response(id: &[u8], body: &Body) -> Bytes {
    match body {
        Body::Result(result) => write(Some(id), None, Some(("result", result))),
        Body::Error(error) => write(Some(id), None, Some(("error", error))),
    }
}

/// Writes a response to a request whose id may be unknown. It then has no id, because MCP does not allow null.
pub(crate) fn error_response(id: Option<&[u8]>, body: &Body) -> Bytes {
    match (id, body) {
        (Some(id), body) => response(id, body),
        (None, Body::Result(result)) => write(None, None, Some(("result", result))),
        (None, Body::Error(error)) => write(None, None, Some(("error", error))),
    }
}

/// Returns a message on one line.
pub(crate) fn one_line(message: Bytes) -> Bytes {
    if memchr::memchr2(b'\n', b'\r', &message).is_none() {
        return message;
    }
    let mut line = message.to_vec();
    flatten(&mut line);
    line.into()
}

/// Replaces line breaks by spaces. JSON has them only between tokens; in strings they are escaped.
fn flatten(json: &mut [u8]) {
    for byte in json {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

fn write(id: Option<&[u8]>, method: Option<&str>, part: Option<(&str, &[u8])>) -> Bytes {
    let mut message = BytesMut::with_capacity(96 + part.map_or(0, |(_, bytes)| bytes.len()));
    message.put_slice(b"{\"jsonrpc\":\"2.0\"");
    if let Some(id) = id {
        message.put_slice(b",\"id\":");
        message.put_slice(id);
    }
    if let Some(method) = method {
        message.put_slice(b",\"method\":");
        message.put_slice(serde_json::Value::from(method).to_string().as_bytes());
    }
    if let Some((name, bytes)) = part {
        message.put_slice(b",\"");
        message.put_slice(name.as_bytes());
        message.put_slice(b"\":");
        message.put_slice(bytes);
    }
    message.put_u8(b'}');
    message.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Message, MessageError> {
        Message::parse(&Bytes::copy_from_slice(text.as_bytes()))
    }

    #[test]
    fn parse_keeps_bytes_of_bodies() {
        let odd = r#"{"z":1.10,"a":1E5,"a":2,"n":12345678901234567890,"s":"\u00e9\/"}"#;
        let Ok(Message::Response { id, body: Body::Result(result) }) =
            parse(&format!("{{\"extra\":1,\"result\" : {odd} ,\"jsonrpc\":\"2.0\",\"id\":\"a\\u0031\"}}"))
        else {
            panic!("not a response")
        };
        assert_eq!(result.as_ref(), odd.as_bytes());
        assert_eq!(id.as_ref(), b"\"a\\u0031\"");
    }

    #[test]
    fn parse_accepts_null_as_a_result() {
        let parsed = parse(r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
        assert!(
            matches!(parsed, Ok(Message::Response { body: Body::Result(result), .. }) if result.as_ref() == b"null")
        );
    }

    #[test]
    fn same_id_ignores_notation() {
        for (one, other, same) in [
            ("1", "1.0", true),
            ("1", "1e0", true),
            ("\"a\"", "\"\\u0061\"", true),
            ("1", "\"1\"", false),
            ("9007199254740993", "9007199254740992", false),
            ("1", "2.0", false),
        ] {
            assert_eq!(same_id(one.as_bytes(), other.as_bytes()), same, "{one} {other}");
        }
        assert_eq!((number(b"7"), number(b"7.0"), number(b"7.5")), (Some(7), Some(7), None));
        assert_eq!((number(b"\"7\""), number(b"\"7"), number(b"null")), (None, None, None));
    }

    #[test]
    fn probable_id_reads_broken_lines() {
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":17,"result":{bro"#, Some(17)),
            (r#"{"result":{"s":"broken},"jsonrpc":"2.0","id" : 4}"#, Some(4)),
            (r#"{"result":{"structuredContent":{"id":3,"x":bro}},"jsonrpc":"2.0","id":7}"#, Some(7)),
            ("DEBUG hello", None),
            (r#""id""#, None),
        ] {
            assert_eq!(probable_id(line.as_bytes(), line.as_bytes()), id, "{line}");
        }
    }

    #[test]
    fn parse_rejects_what_is_not_a_message() {
        assert!(matches!(parse("hello"), Err(MessageError::Json(_))));
        for text in [
            "[]",
            "{}",
            "1",
            r#"{"jsonrpc":"1.0","method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}"#,
        ] {
            assert!(matches!(parse(text), Err(MessageError::Envelope(_))), "{text}");
        }
    }

    #[test]
    fn one_line_replaces_line_breaks_between_tokens() {
        let written = request(7, "a\"b", Some(b"{\n  \"x\": \"a\\nb\"\r\n}"));
        assert!(memchr::memmem::find(&written, b"{\n  \"x\": \"a\\nb\"\r\n}").is_some());
        let written = one_line(written);
        assert!(!written.contains(&b'\n'));
        let Ok(Message::Request { id, method, params }) = Message::parse(&written) else {
            panic!("not a request")
        };
        assert_eq!((id.as_ref(), method.as_str()), (&b"7"[..], "a\"b"));
        assert_eq!(params.unwrap().as_ref(), b"{   \"x\": \"a\\nb\"  }");
    }
}
