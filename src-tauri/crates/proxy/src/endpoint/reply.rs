//! The answer to a request: plain JSON when it is there soon, else a stream with what comes before it.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::sync::oneshot::error::RecvError;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::form::{Accepts, KEEP_ALIVE, event, json, json_with, keep_alive, stream};
use super::held::{About, Held};
use super::replay::Replay;
use super::session::Session;
use crate::exchange::{Active, Ask, Event};
use crate::wire::{Body, RpcError, error, message};

/// A request without answer or event for so long becomes a stream, so that the client sees a
/// response begin and does not take us for dead.
const QUIET: Duration = Duration::from_secs(5);
/// Events that may wait for a slow client before the others wait too.
const BUFFER: usize = 16;

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
