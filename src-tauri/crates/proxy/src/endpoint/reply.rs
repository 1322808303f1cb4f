//! The response to a request: plain JSON if the answer comes soon, else a stream with the events before it.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use tokio::sync::oneshot::error::RecvError;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::form::{Accepts, KEEP_ALIVE, event, json, json_with, keep_alive, stream};
use super::parked::{ParkedRequests, RequestIdentity};
use super::replay::ReplayBuffer;
use super::session::Session;
use crate::call::SHUTTING_DOWN;
use crate::exchange::{ActiveRequest, Ask, Event};
use crate::wire::{Body, RpcError, error, message};

/// Time without an answer or event after which the response begins as a stream, so that the client does not give
/// up.
const STREAM_AFTER: Duration = Duration::from_secs(5);
/// Events that wait for a slow client.
const STREAM_BUFFER: usize = 16;

/// Error for a request whose task ended without an answer.
const NO_ANSWER: &str = "the request ended without an answer; it may or may not have been carried out";

/// The way in which a client gets questions, by its era.
pub(crate) enum ClientChannel {
    /// As requests, which the client answers with a POST.
    Legacy(Arc<Session>),
    /// As a result that requires input, after which the client sends the request again.
    Modern {
        parked: Arc<ParkedRequests>,
        /// Identity of the request, for the one that continues it.
        identity: RequestIdentity,
        /// Cancels the request when the client goes away.
        gone: DropGuard,
    },
}

/// A request in progress and the client that waits for its answer.
pub(crate) struct PendingReply {
    pub(crate) active: ActiveRequest,
    pub(crate) id: Bytes,
    pub(crate) channel: ClientChannel,
    /// The answer, while there are events that came before it.
    answered: Option<Body>,
}

/// The next step of a response.
enum ReplyStep {
    /// Sends a message that comes before the answer.
    Message(Bytes),
    /// Sends the answer.
    Answer(Body),
    /// Asks the client a question of the upstream.
    Ask(Ask),
    /// Pauses the stream, for so many milliseconds if the upstream said so, or until the client resumes it.
    Pause(Option<u64>, Arc<Notify>),
    /// Ends without an answer: the request was cancelled.
    NoAnswer,
}

impl PendingReply {
    pub(crate) fn new(active: ActiveRequest, id: Bytes, channel: ClientChannel) -> Self {
        Self { active, id, channel, answered: None }
    }

    async fn next(&mut self) -> ReplyStep {
        loop {
            return match self.next_event().await {
                // The upstream withdrew the question.
                Ok(Some(Event::Ask(ask))) if ask.withdrawn.is_cancelled() => continue,
                Ok(Some(Event::Notification { method, params })) => {
                    ReplyStep::Message(message::notification(&method, params.as_deref()))
                }
                Ok(Some(Event::Ask(ask))) => ReplyStep::Ask(ask),
                Ok(Some(Event::Pause { retry, resumed })) => ReplyStep::Pause(retry, resumed),
                Ok(None) => self.answered.take().map_or(ReplyStep::NoAnswer, ReplyStep::Answer),
                Err(_) if self.active.cancel.is_cancelled() => ReplyStep::NoAnswer,
                Err(_) => ReplyStep::Answer(RpcError::internal(NO_ANSWER).body()),
            };
        }
    }

    /// The next event before the answer; `None` when the answer is next.
    async fn next_event(&mut self) -> Result<Option<Event>, RecvError> {
        if self.answered.is_some() {
            return Ok(self.active.events.try_recv().ok());
        }
        tokio::select! {
            biased;
            Some(event) = self.active.events.recv() => Ok(Some(event)),
            // An event may have come after the queue was polled.
            answer = &mut self.active.answer => {
                self.answered = Some(answer?);
                Ok(self.active.events.try_recv().ok())
            }
        }
    }

    /// Parks the request of a stateless client. Returns the result that asks the question.
    fn park(self, ask: Ask) -> Body {
        match self.channel {
            ClientChannel::Modern { parked, identity, gone } => parked.ask(&identity, self.active, ask, gone),
            ClientChannel::Legacy(_) => Body::Result(Bytes::from_static(b"{}")),
        }
    }

    fn status(&self, body: &Body) -> StatusCode {
        match (&self.channel, body) {
            (ClientChannel::Modern { .. }, Body::Error(error)) => status(error),
            _ => StatusCode::OK,
        }
    }

    /// Notes that the client has the answer: closing the connection no longer cancels the request.
    fn done(self) {
        if let ClientChannel::Modern { gone, .. } = self.channel {
            gone.disarm();
        }
    }
}

/// The HTTP status of an error in the stateless era.
pub(crate) fn status(error: &Bytes) -> StatusCode {
    match error::code(error) {
        Some(-32601) => StatusCode::NOT_FOUND,
        Some(-32022..=-32020) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

/// The response to a request that the end of Schemascope cuts off. Its text is no message: one with this status means that
/// the request was not carried out.
pub(crate) fn cut_off() -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, SHUTTING_DOWN).into_response()
}

/// Waits for the first event or the answer, and chooses the form of the response.
pub(crate) async fn when_done(
    mut reply: PendingReply,
    accepts: Accepts,
    shutdown: CancellationToken,
) -> Response {
    // In the stateless era an error has a status of its own, so a stream must not begin before the first event.
    let at_once = accepts == Accepts::Stream && matches!(reply.channel, ClientChannel::Legacy(_));
    let quiet = if at_once { Duration::ZERO } else { STREAM_AFTER };
    let first = loop {
        let next = tokio::select! {
            biased;
            next = reply.next() => next,
            () = tokio::time::sleep(quiet), if accepts != Accepts::Json => break None,
            () = shutdown.cancelled() => return cut_off(),
        };
        match next {
            ReplyStep::Answer(body)
                if accepts != Accepts::Stream || reply.status(&body) != StatusCode::OK =>
            {
                let response = json_with(reply.status(&body), &message::response(&reply.id, &body));
                reply.done();
                return response;
            }
            ReplyStep::Ask(ask) if matches!(reply.channel, ClientChannel::Modern { .. }) => {
                let id = reply.id.clone();
                return json(&message::response(&id, &reply.park(ask)));
            }
            // The client itself cancelled the request.
            ReplyStep::NoAnswer => return StatusCode::ACCEPTED.into_response(),
            // Only the answer can be sent as JSON; questions are dropped.
            ReplyStep::Message(_) | ReplyStep::Ask(_) | ReplyStep::Pause(..) if accepts == Accepts::Json => {}
            first => break Some(first),
        }
    };
    if let ClientChannel::Legacy(session) = &reply.channel
        && session.can_resume_streams()
    {
        let replay = session.replays.open();
        let response = replay.read_all().response(shutdown);
        tokio::spawn(fill_replay(reply, first, replay));
        return response;
    }
    let (sender, response) = stream(STREAM_BUFFER);
    tokio::spawn(feed(reply, first, sender, shutdown));
    response
}

/// Waits for the answer and drops all events, for clients that accept only JSON; `None` if there is no answer.
pub(crate) async fn answer(mut reply: PendingReply) -> Option<Bytes> {
    loop {
        match reply.next().await {
            ReplyStep::Answer(body) => return Some(message::response(&reply.id, &body)),
            ReplyStep::NoAnswer => return None,
            ReplyStep::Message(_) | ReplyStep::Ask(_) | ReplyStep::Pause(..) => {}
        }
    }
}

/// One stream for several requests: the answers so far, then events and answers of the others.
pub(crate) fn together(
    replies: Vec<PendingReply>,
    answered: Vec<Bytes>,
    shutdown: &CancellationToken,
) -> Response {
    let (sender, response) = stream(STREAM_BUFFER);
    for reply in replies {
        tokio::spawn(feed(reply, None, sender.clone(), shutdown.clone()));
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
    mut reply: PendingReply,
    mut first: Option<ReplyStep>,
    sender: mpsc::Sender<Bytes>,
    shutdown: CancellationToken,
) {
    loop {
        let next = match first.take() {
            Some(next) => next,
            None => tokio::select! {
                biased;
                next = reply.next() => next,
                () = tokio::time::sleep(KEEP_ALIVE) => {
                    if sender.send(keep_alive()).await.is_err() {
                        return;
                    }
                    continue;
                }
                // In the session era the request continues and is recorded without its client.
                () = sender.closed() => return,
                () = shutdown.cancelled() => return,
            },
        };
        let message = match next {
            ReplyStep::Message(message) => message,
            ReplyStep::Ask(ask) => match &reply.channel {
                ClientChannel::Legacy(session) => match session.ask(ask) {
                    Some(message) => message,
                    None => continue,
                },
                ClientChannel::Modern { .. } => {
                    let id = reply.id.clone();
                    let _ = sender.send(event(&message::response(&id, &reply.park(ask)))).await;
                    return;
                }
            },
            ReplyStep::Answer(body) => {
                let _ = sender.send(event(&message::response(&reply.id, &body))).await;
                return reply.done();
            }
            ReplyStep::Pause(..) => continue,
            ReplyStep::NoAnswer => return,
        };
        if sender.send(event(&message)).await.is_err() {
            return;
        }
    }
}

/// Writes all events and the answer to a replay buffer, whether or not the client is connected.
async fn fill_replay(mut reply: PendingReply, mut first: Option<ReplyStep>, replay: Arc<ReplayBuffer>) {
    loop {
        let next = match first.take() {
            Some(next) => next,
            None => reply.next().await,
        };
        match (next, &reply.channel) {
            (ReplyStep::Message(message), _) => replay.push_message(&message),
            (ReplyStep::Ask(ask), ClientChannel::Legacy(session)) => {
                if let Some(message) = session.ask(ask) {
                    replay.push_message(&message);
                }
            }
            (ReplyStep::Pause(retry, resumed), _) => replay.pause(retry, resumed),
            (ReplyStep::Answer(body), _) => {
                replay.push_message(&message::response(&reply.id, &body));
                replay.end();
                if let ClientChannel::Legacy(session) = &reply.channel {
                    session.replays.drop_expired();
                }
                return;
            }
            (ReplyStep::NoAnswer | ReplyStep::Ask(_), _) => return replay.end(),
        }
    }
}
