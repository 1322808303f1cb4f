//! The answer to a request: plain JSON when it is there soon, else a stream with what comes before it.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body as HttpBody;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::sync::oneshot::error::RecvError;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::held::{About, Held};
use super::replay::Replay;
use super::session::Session;
use crate::exchange::{Active, Ask, Event};
use crate::wire::{Body, RpcError, error, message};

/// A request without answer or event for so long becomes a stream, so that the client sees a
/// response begin and does not take us for dead.
const QUIET: Duration = Duration::from_secs(5);
/// A stream without events for so long gets a comment, so that nobody in between drops it.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Events that may wait for a slow client before the others wait too.
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
            // What is named first is preferred.
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

/// An event stream fed by the returned sender; it ends when the sender is dropped.
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

/// A message as an event.
pub(crate) fn event(message: &[u8]) -> Bytes {
    [b"event: message\ndata: ", &*data(message), b"\n\n"].concat().into()
}

/// A message as the data of an event: each of its lines is one there. Of line breaks of two bytes, which streams
/// cannot tell from others, the first becomes a blank: JSON has them only between tokens.
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

/// How a client is asked and told, by its era.
pub(crate) enum Voice {
    /// With requests of ours, which it answers with a POST of its own.
    Legacy(Arc<Session>),
    /// With results that require input, after which it asks again.
    Modern {
        held: Arc<Held>,
        /// What the request is for: who goes on with it must want the same.
        about: About,
        /// Cancels the request when the client goes away.
        gone: DropGuard,
    },
}

/// A request under way and the client that waits for it.
pub(crate) struct Exchange {
    pub(crate) active: Active,
    pub(crate) id: Bytes,
    pub(crate) voice: Voice,
    /// The answer, while there are events that came before it.
    answered: Option<Body>,
}

/// What comes next for the client.
enum Next {
    /// A message before the answer.
    Tell(Bytes),
    /// The answer.
    Answer(Body),
    /// The upstream asks.
    Ask(Ask),
    /// Nothing comes for a while.
    Pause(Option<u64>),
    /// It was cancelled: there is no answer.
    Nothing,
}

impl Exchange {
    pub(crate) fn new(active: Active, id: Bytes, voice: Voice) -> Self {
        Self { active, id, voice, answered: None }
    }

    async fn next(&mut self) -> Next {
        loop {
            return match self.next_event().await {
                // The upstream went on without an answer.
                Ok(Some(Event::Ask(ask))) if ask.withdrawn.is_cancelled() => continue,
                Ok(Some(Event::Notification { method, params })) => {
                    Next::Tell(message::notification(&method, params.as_deref()))
                }
                Ok(Some(Event::Ask(ask))) => Next::Ask(ask),
                Ok(Some(Event::Pause { retry })) => Next::Pause(retry),
                Ok(None) => self.answered.take().map_or(Next::Nothing, Next::Answer),
                Err(_) if self.active.cancel.is_cancelled() => Next::Nothing,
                Err(_) => Next::Answer(RpcError::internal("the request broke off").body()),
            };
        }
    }

    /// What came before the answer, while there is any.
    async fn next_event(&mut self) -> Result<Option<Event>, RecvError> {
        if self.answered.is_some() {
            return Ok(self.active.events.try_recv().ok());
        }
        tokio::select! {
            biased;
            Some(event) = self.active.events.recv() => Ok(Some(event)),
            // Events may have come between the two looks above.
            answer = &mut self.active.answer => {
                self.answered = Some(answer?);
                Ok(self.active.events.try_recv().ok())
            }
        }
    }

    /// Ends a request of a client that may be asked by results only: with its answer or with what it is asked.
    fn hold(self, ask: Ask) -> Body {
        match self.voice {
            Voice::Modern { held, about, gone } => held.ask(&about, self.active, ask, gone),
            Voice::Legacy(_) => Body::Result(Bytes::from_static(b"{}")),
        }
    }

    fn status(&self, body: &Body) -> StatusCode {
        match (&self.voice, body) {
            (Voice::Modern { .. }, Body::Error(error)) => status(error),
            _ => StatusCode::OK,
        }
    }

    /// The client has its answer; going away cancels nothing any more.
    fn done(self) {
        if let Voice::Modern { gone, .. } = self.voice {
            gone.disarm();
        }
    }
}

/// The status the stateless era gives an error.
pub(crate) fn status(error: &Bytes) -> StatusCode {
    match error::code(error) {
        Some(-32601) => StatusCode::NOT_FOUND,
        Some(-32022..=-32020) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

/// Waits for the first thing to tell the client and chooses the form of the response by it.
pub(crate) async fn when_done(
    mut exchange: Exchange,
    accepts: Accepts,
    shutdown: CancellationToken,
) -> Response {
    // In the stateless era an error has a status, so a stream does not begin before there is something in it.
    let at_once = accepts == Accepts::Stream && matches!(exchange.voice, Voice::Legacy(_));
    let quiet = if at_once { Duration::ZERO } else { QUIET };
    let first = loop {
        let next = tokio::select! {
            biased;
            next = exchange.next() => next,
            () = tokio::time::sleep(quiet), if accepts != Accepts::Json => break None,
            () = shutdown.cancelled() => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
        };
        match next {
            Next::Answer(body) if accepts != Accepts::Stream || exchange.status(&body) != StatusCode::OK => {
                let response = json_with(exchange.status(&body), &message::response(&exchange.id, &body));
                exchange.done();
                return response;
            }
            Next::Ask(ask) if matches!(exchange.voice, Voice::Modern { .. }) => {
                let id = exchange.id.clone();
                return json(&message::response(&id, &exchange.hold(ask)));
            }
            // Cancelled by the client itself, which wants no answer.
            Next::Nothing => return StatusCode::ACCEPTED.into_response(),
            // It can only be given the answer; nobody is asked.
            Next::Tell(_) | Next::Ask(_) | Next::Pause(_) if accepts == Accepts::Json => {}
            first => break Some(first),
        }
    };
    if let Voice::Legacy(session) = &exchange.voice
        && session.may_come_back()
    {
        let replay = session.replays.open();
        let response = replay.whole().response(shutdown);
        tokio::spawn(keep(exchange, first, replay));
        return response;
    }
    let (sender, response) = stream(BUFFER);
    tokio::spawn(feed(exchange, first, sender, shutdown));
    response
}

/// The answer alone, where the client can be told nothing before it and asked nothing; none if there is none.
pub(crate) async fn answer(mut exchange: Exchange) -> Option<Bytes> {
    loop {
        match exchange.next().await {
            Next::Answer(body) => return Some(message::response(&exchange.id, &body)),
            Next::Nothing => return None,
            Next::Tell(_) | Next::Ask(_) | Next::Pause(_) => {}
        }
    }
}

/// One stream of several requests: what is answered already, and the others until they are.
pub(crate) fn together(
    exchanges: Vec<Exchange>,
    answered: Vec<Bytes>,
    shutdown: &CancellationToken,
) -> Response {
    let (sender, response) = stream(BUFFER);
    for exchange in exchanges {
        tokio::spawn(feed(exchange, None, sender.clone(), shutdown.clone()));
    }
    tokio::spawn(async move {
        for message in answered {
            if sender.send(event(&message)).await.is_err() {
                return;
            }
        }
    });
    response
}

async fn feed(
    mut exchange: Exchange,
    mut first: Option<Next>,
    sender: mpsc::Sender<Bytes>,
    shutdown: CancellationToken,
) {
    loop {
        let next = match first.take() {
            Some(next) => next,
            None => tokio::select! {
                biased;
                next = exchange.next() => next,
                () = tokio::time::sleep(KEEP_ALIVE) => {
                    if sender.send(keep_alive()).await.is_err() {
                        return;
                    }
                    continue;
                }
                // With a handshake the call goes on and is recorded; there is only nobody left to tell.
                () = sender.closed() => return,
                () = shutdown.cancelled() => return,
            },
        };
        let message = match next {
            Next::Tell(message) => message,
            Next::Ask(ask) => match &exchange.voice {
                Voice::Legacy(session) => match session.ask(ask) {
                    Some(message) => message,
                    None => continue,
                },
                Voice::Modern { .. } => {
                    let id = exchange.id.clone();
                    let _ = sender.send(event(&message::response(&id, &exchange.hold(ask)))).await;
                    return;
                }
            },
            Next::Answer(body) => {
                let _ = sender.send(event(&message::response(&exchange.id, &body))).await;
                return exchange.done();
            }
            Next::Pause(_) => continue,
            Next::Nothing => return,
        };
        if sender.send(event(&message)).await.is_err() {
            return;
        }
    }
}

/// Keeps what there is to tell, whoever is connected, to the end of the request.
async fn keep(mut exchange: Exchange, mut first: Option<Next>, replay: Arc<Replay>) {
    loop {
        let next = match first.take() {
            Some(next) => next,
            None => exchange.next().await,
        };
        match (next, &exchange.voice) {
            (Next::Tell(message), _) => replay.tell(&message),
            (Next::Ask(ask), Voice::Legacy(session)) => {
                if let Some(message) = session.ask(ask) {
                    replay.tell(&message);
                }
            }
            (Next::Pause(retry), _) => replay.pause(retry),
            (Next::Answer(body), _) => {
                replay.tell(&message::response(&exchange.id, &body));
                replay.end();
                if let Voice::Legacy(session) = &exchange.voice {
                    session.replays.forget_old();
                }
                return;
            }
            (Next::Nothing | Next::Ask(_), _) => return replay.end(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_have_the_lines_of_their_messages() {
        assert_eq!(event(b"{}"), "event: message\ndata: {}\n\n");
        assert_eq!(event(b"{\n 1\r\n}"), "event: message\ndata: {\ndata:  1 \ndata: }\n\n");
    }

    #[test]
    fn accept_headers() {
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
