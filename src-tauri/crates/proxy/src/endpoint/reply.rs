//! The answer to a request: plain JSON when it is there soon, else a stream with its progress.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body as HttpBody;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;

use crate::call::Active;
use crate::wire::message;

/// A request without answer or progress for so long becomes a stream, so that the client sees a
/// response begin and does not take us for dead.
const QUIET: Duration = Duration::from_secs(5);
/// A stream without events for so long gets a comment, so that nobody in between drops it.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Events that may wait for a slow client before progress waits too.
const BUFFER: usize = 16;

/// What the client's Accept header allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accepts {
    Json,
    Stream,
    Both,
}

impl Accepts {
    /// None when it allows neither. The specification wants both named; one is enough for us.
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
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::Json),
            (false, true) => Some(Self::Stream),
            (false, false) => None,
        }
    }
}

pub(crate) fn json(message: &Bytes) -> Response {
    (StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], message.clone()).into_response()
}

/// An event stream fed by the returned sender; it ends when the sender is dropped.
pub(crate) fn stream(buffer: usize) -> (mpsc::Sender<Bytes>, Response) {
    let (sender, receiver) = mpsc::channel(buffer);
    let body = HttpBody::from_stream(ReceiverStream::new(receiver).map(Ok::<Bytes, Infallible>));
    let headers =
        [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache, no-transform")];
    (sender, (StatusCode::OK, headers, body).into_response())
}

/// A message as an event. Messages are one line each.
pub(crate) fn event(message: &[u8]) -> Bytes {
    [b"event: message\ndata: ", message, b"\n\n"].concat().into()
}

pub(crate) fn keep_alive() -> Bytes {
    Bytes::from_static(b": keep-alive\n\n")
}

/// Waits for the first thing to tell the client and chooses the form of the response by it.
pub(crate) async fn when_done(
    mut active: Active,
    id: Bytes,
    accepts: Accepts,
    shutdown: CancellationToken,
) -> Response {
    let quiet = if accepts == Accepts::Stream { Duration::ZERO } else { QUIET };
    let first = tokio::select! {
        biased;
        Some(params) = active.progress.recv(), if accepts != Accepts::Json => Some(progress(&params)),
        answer = &mut active.answer => {
            // Progress may have come between the two looks above.
            match (active.progress.try_recv(), answer) {
                (Ok(params), Ok(body)) if accepts != Accepts::Json => {
                    let mut events = vec![progress(&params)];
                    while let Ok(params) = active.progress.try_recv() {
                        events.push(progress(&params));
                    }
                    events.push(event(&message::response(&id, &body)));
                    let (sender, response) = stream(1);
                    let _ = sender.send(events.concat().into()).await;
                    return response;
                }
                (_, Ok(body)) => return json(&message::response(&id, &body)),
                // Cancelled by the client itself, which wants no answer.
                (_, Err(_)) => return StatusCode::ACCEPTED.into_response(),
            }
        }
        () = tokio::time::sleep(quiet), if accepts != Accepts::Json => None,
        () = shutdown.cancelled() => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
    };
    let (sender, response) = stream(BUFFER);
    if let Some(first) = first {
        let _ = sender.send(first).await;
    }
    tokio::spawn(feed(active, id, sender, shutdown));
    response
}

async fn feed(mut active: Active, id: Bytes, sender: mpsc::Sender<Bytes>, shutdown: CancellationToken) {
    loop {
        let next = tokio::select! {
            biased;
            Some(params) = active.progress.recv() => progress(&params),
            answer = &mut active.answer => {
                while let Ok(params) = active.progress.try_recv() {
                    let _ = sender.send(progress(&params)).await;
                }
                if let Ok(body) = answer {
                    let _ = sender.send(event(&message::response(&id, &body))).await;
                }
                return;
            }
            () = tokio::time::sleep(KEEP_ALIVE) => keep_alive(),
            // The call goes on and is recorded; there is only nobody left to tell.
            () = sender.closed() => return,
            () = shutdown.cancelled() => return,
        };
        if sender.send(next).await.is_err() {
            return;
        }
    }
}

fn progress(params: &[u8]) -> Bytes {
    event(&message::notification("notifications/progress", Some(params)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accept_headers() {
        for (accept, expect) in [
            (None, Some(Accepts::Both)),
            (Some("application/json, text/event-stream"), Some(Accepts::Both)),
            (Some("*/*"), Some(Accepts::Both)),
            (Some("Application/JSON;q=0.9"), Some(Accepts::Json)),
            (Some("text/event-stream"), Some(Accepts::Stream)),
            (Some("text/html"), None),
        ] {
            assert_eq!(Accepts::of(accept), expect, "{accept:?}");
        }
    }
}
