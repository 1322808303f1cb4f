//! The two forms of a response: one JSON body, or an event stream. Reads the client's Accept header and writes
//! messages in either form.

use std::borrow::Cow;
use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body as HttpBody;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

/// Time without events after which a stream gets a comment, so that no proxy in between drops it.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The forms that the client's Accept header allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accepts {
    Json,
    Stream,
    Both,
}

impl Accepts {
    /// Returns `None` if it allows neither. The specification demands both; one is enough here.
    pub(crate) fn of(accept: Option<&str>) -> Option<Self> {
        let Some(accept) = accept else { return Some(Self::Both) };
        let accept = accept.to_ascii_lowercase();
        let allows = |kind: &str, group: &str| {
            accept.split(',').any(|part| {
                let name = part.split(';').next().unwrap_or_default().trim();
                name == kind || name == group || name == "*/*"
            })
        };
        match (allows("application/json", "application/*"), allows("text/event-stream", "text/*")) {
            // The client prefers the one it names first.
            (true, true) if accept.starts_with("text/event-stream") => Some(Self::Stream),
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::Json),
            (false, true) => Some(Self::Stream),
            (false, false) => None,
        }
    }
}

pub(crate) fn json(message: &Bytes) -> Response {
    json_with(StatusCode::OK, message)
}

pub(crate) fn json_with(status: StatusCode, message: &Bytes) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], message.clone()).into_response()
}

/// An event stream with the sender that feeds it. The stream ends when the sender is dropped.
pub(crate) fn stream(buffer: usize) -> (mpsc::Sender<Bytes>, Response) {
    let (sender, receiver) = mpsc::channel(buffer);
    let body = HttpBody::from_stream(ReceiverStream::new(receiver).map(Ok::<Bytes, Infallible>));
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache, no-transform"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (sender, (StatusCode::OK, headers, body).into_response())
}

/// Writes a message as an event.
pub(crate) fn event(message: &[u8]) -> Bytes {
    [b"event: message\ndata: ", &*data(message), b"\n\n"].concat().into()
}

/// Writes a message as the data of an event, line by line. Streams do not distinguish kinds of line breaks, so the
/// first byte of a two-byte line break becomes a space: JSON has line breaks only between tokens.
pub(crate) fn data(message: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr2(b'\n', b'\r', message).is_none() {
        return Cow::Borrowed(message);
    }
    let mut data = Vec::with_capacity(message.len() + 256);
    for byte in message {
        match byte {
            b'\r' => data.push(b' '),
            b'\n' => data.extend_from_slice(b"\ndata: "),
            byte => data.push(*byte),
        }
    }
    Cow::Owned(data)
}

pub(crate) fn keep_alive() -> Bytes {
    Bytes::from_static(b": keep-alive\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_has_one_data_line_for_each_line() {
        assert_eq!(event(b"{}"), "event: message\ndata: {}\n\n");
        assert_eq!(event(b"{\n 1\r\n}"), "event: message\ndata: {\ndata:  1 \ndata: }\n\n");
    }

    #[test]
    fn accepts_reads_accept_headers() {
        for (accept, expect) in [
            (None, Some(Accepts::Both)),
            (Some("application/json, text/event-stream"), Some(Accepts::Both)),
            (Some("*/*"), Some(Accepts::Both)),
            (Some("text/event-stream, application/json"), Some(Accepts::Stream)),
            (Some("Application/JSON;q=0.9"), Some(Accepts::Json)),
            (Some("text/event-stream"), Some(Accepts::Stream)),
            (Some("text/html"), None),
        ] {
            assert_eq!(Accepts::of(accept), expect, "{accept:?}");
        }
    }
}
