//! A client's request: sent, answered, cancelled, and sent again where that can do no harm.
//!
//! Owns: what becomes of a request whatever happens to the instance it was sent to. Refuses to know: how
//! instances are found.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Response, StatusCode};
use tokio::sync::oneshot;

use super::attachment::{Attachment, refusal, whole};
use super::{Instances, Relay};
use crate::upstream::http::plain;
use crate::upstream::sse::SseReader;
use crate::wire::message::{self, Body, Message};
use crate::wire::{Era, RpcError};

/// How often a request is sent at most.
const ATTEMPTS: usize = 8;
/// Pause before a request is sent again.
const PAUSE: Duration = Duration::from_millis(100);
/// How often an instance is told that a request is cancelled: the first time may come before the request.
const CANCELLATIONS: usize = 10;

/// Opens a stream that lasts.
const LISTEN: &str = "subscriptions/listen";
/// What only asks, or says what holds anyway: sent twice it is as if it was sent once.
const REPEATABLE: &[&str] = &[
    "server/discover",
    "tools/list",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "logging/setLevel",
    "completion/complete",
    LISTEN,
];

/// A request as it came.
pub(crate) struct Request {
    pub(crate) id: Bytes,
    pub(crate) method: String,
    pub(crate) era: Era,
    pub(crate) line: Bytes,
    /// Whether the client heard of it.
    told: AtomicBool,
    cancelled: AtomicBool,
}

/// What became of a request at one instance.
enum Outcome {
    /// There is nothing more to do.
    Done,
    /// It did not get there.
    NotSent(String),
    /// It may have got there.
    Lost,
}

impl Request {
    pub(crate) fn new(id: Bytes, method: String, era: Era, line: Bytes) -> Self {
        Self { id, method, era, line, told: AtomicBool::new(false), cancelled: AtomicBool::new(false) }
    }

    /// Whether it has no answer for as long as the client wants it.
    pub(crate) fn lasts(&self) -> bool {
        self.method == LISTEN
    }

    fn may_be_repeated(&self) -> bool {
        let heard = self.told.load(Ordering::Relaxed) && !self.lasts();
        !heard && REPEATABLE.contains(&self.method.as_str())
    }
}

impl<I: Instances> Relay<I> {
    /// Carries a request to its end, which `cancel` with the client's own words may bring.
    pub(crate) async fn carry(self: &Arc<Self>, request: Request, cancel: oneshot::Receiver<Bytes>) {
        let answered = self.answer(&request);
        tokio::pin!(answered);
        let words = tokio::select! {
            () = &mut answered => return,
            Ok(words) = cancel => words,
        };
        // There closing the stream is what cancels.
        if request.era == Era::Modern {
            return;
        }
        request.cancelled.store(true, Ordering::Relaxed);
        for _ in 0..CANCELLATIONS {
            tokio::select! {
                () = &mut answered => return,
                () = async {
                    self.deliver(words.clone()).await;
                    tokio::time::sleep(PAUSE).await;
                } => {}
            }
        }
    }

    async fn answer(self: &Arc<Self>, request: &Request) {
        // An instance, and this process, have so many connections only.
        let Ok(_connection) = self.connections.acquire().await else { return };
        let mut after = 0;
        let mut reason = String::new();
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                tokio::time::sleep(PAUSE).await;
            }
            let attachment = match self.attached(after).await {
                Ok(attachment) => attachment,
                Err(reason) => return self.refuse(request, &RpcError::internal(reason)).await,
            };
            match self.attempt(&attachment, request).await {
                Outcome::Done => return,
                Outcome::NotSent(why) => reason = why,
                Outcome::Lost if request.may_be_repeated() => {}
                Outcome::Lost => {
                    // Told when the next one is there: clients try again at once.
                    if !attachment.is_reachable().await {
                        drop(self.attached(attachment.number).await);
                    }
                    let lost = "Schemascope went away before this was answered: the call may or may not have \
                                been carried out; further requests are served";
                    return self.refuse(request, &RpcError::internal(lost)).await;
                }
            }
            after = attachment.number;
        }
        let reason = format!("Schemascope is not reached, the request was not sent: {reason}");
        self.refuse(request, &RpcError::internal(reason)).await;
    }

    async fn refuse(&self, request: &Request, error: &RpcError) {
        // One that is cancelled has no answer.
        if !request.cancelled.load(Ordering::Relaxed) {
            self.fail(request, &error.object()).await;
        }
    }

    async fn fail(&self, request: &Request, error: &Bytes) {
        self.introduction().forget(&request.line);
        self.tell(message::response(&request.id, &Body::Error(error.clone()))).await;
    }

    async fn attempt(self: &Arc<Self>, attachment: &Arc<Attachment>, request: &Request) -> Outcome {
        let response = match attachment.post(request.line.clone()).send().await {
            Ok(response) => response,
            Err(error) if error.is_connect() => return Outcome::NotSent(plain(&error)),
            Err(_) => return Outcome::Lost,
        };
        let status = response.status();
        let media_type = response.headers().get(CONTENT_TYPE).map(|value| value.as_bytes());
        if status.is_success() && media_type.is_some_and(|kind| kind.starts_with(b"text/event-stream")) {
            return self.stream(attachment, request, response).await;
        }
        let Ok(body) = whole(response).await else { return Outcome::Lost };
        match (status, Message::parse(&body)) {
            (_, Ok(Message::Response { body: Body::Result(_), id })) if id == request.id => {
                self.tell(body).await;
            }
            // Sessions are forgotten that are not used for long.
            (StatusCode::NOT_FOUND, Ok(_)) if request.era == Era::Legacy && attachment.has_session() => {
                return Outcome::NotSent("the session has ended".into());
            }
            // It is ending: what says so in words was not carried out.
            (StatusCode::SERVICE_UNAVAILABLE, Ok(_)) => return Outcome::NotSent("it is ending".into()),
            (StatusCode::SERVICE_UNAVAILABLE, Err(_)) => return Outcome::Lost,
            (_, Ok(Message::Response { body: Body::Error(error), .. })) => self.fail(request, &error).await,
            // How a cancelled request ends.
            (StatusCode::ACCEPTED, _) if request.cancelled.load(Ordering::Relaxed) => {}
            (StatusCode::ACCEPTED, _) => return Outcome::Lost,
            _ => {
                let error = refusal(status, &body);
                tracing::warn!(%status, answer = %String::from_utf8_lossy(&error), "a request is refused");
                self.fail(request, &error).await;
            }
        }
        Outcome::Done
    }

    /// Passes on a stream up to the answer.
    async fn stream(
        self: &Arc<Self>,
        attachment: &Arc<Attachment>,
        request: &Request,
        mut response: Response,
    ) -> Outcome {
        let mut reader = SseReader::default();
        let mut messages = Vec::new();
        while let Ok(Some(piece)) = response.chunk().await {
            if reader.read(&piece, |event| messages.push(event.data)).is_err() {
                return Outcome::Lost;
            }
            for event in messages.drain(..).filter(|event| !event.is_empty()) {
                match Message::parse(&event) {
                    // What may follow the answer is nobody's business.
                    Ok(Message::Response { id, .. }) if id == request.id => {
                        self.tell(event).await;
                        return Outcome::Done;
                    }
                    // The client was told the first time.
                    Ok(Message::Notification { method, .. })
                        if method == "notifications/subscriptions/acknowledged"
                            && request.told.load(Ordering::Relaxed) => {}
                    Ok(message) => {
                        request.told.store(true, Ordering::Relaxed);
                        self.pass_on(attachment, &message, event).await;
                    }
                    Err(_) => tracing::warn!("an event is no message"),
                }
            }
        }
        if request.cancelled.load(Ordering::Relaxed) { Outcome::Done } else { Outcome::Lost }
    }
}
