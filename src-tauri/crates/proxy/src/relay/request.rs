//! Requests of a stdio client: sending, answering, cancelling, and sending again when an instance ends and repeating is
//! harmless.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Response, StatusCode};
use tokio::sync::oneshot;

use super::attachment::{Attachment, error_of, read_body};
use super::{Instances, Relay};
use crate::upstream::transport::http::plain;
use crate::wire::message::{self, Body, Message};
use crate::wire::{Era, RpcError};
use schemascope_json::sse::SseReader;

/// Limit of attempts to send a request.
const MAX_ATTEMPTS: usize = 8;
/// Pause before a request is sent again.
const RETRY_PAUSE: Duration = Duration::from_millis(100);
/// How often a cancellation is sent, because the first one may arrive before the request.
const MAX_CANCELLATIONS: usize = 10;

/// Method that opens a long-lived stream.
const LISTEN_METHOD: &str = "subscriptions/listen";
/// Methods that may be sent twice without harm.
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
    LISTEN_METHOD,
];

/// Whether requests with this method may be sent twice without harm.
pub(super) fn is_repeatable(method: &str) -> bool {
    REPEATABLE.contains(&method)
}

/// A request of the client.
pub(crate) struct RelayedRequest {
    pub(crate) id: Bytes,
    pub(crate) method: String,
    pub(crate) era: Era,
    pub(crate) line: Bytes,
    /// Whether the client has received an event of it.
    has_events: AtomicBool,
    cancelled: AtomicBool,
}

/// The outcome of sending a request to one instance.
enum AttemptOutcome {
    /// The request is answered or cancelled.
    Done,
    /// The instance has not begun with the request, for this reason.
    NotSent(String),
    /// The instance may have carried out the request.
    Lost,
}

impl RelayedRequest {
    pub(crate) fn new(id: Bytes, method: String, era: Era, line: Bytes) -> Self {
        Self { id, method, era, line, has_events: AtomicBool::new(false), cancelled: AtomicBool::new(false) }
    }

    /// Whether the request opens a long-lived stream.
    pub(crate) fn lasts(&self) -> bool {
        self.method == LISTEN_METHOD
    }

    fn may_be_repeated(&self) -> bool {
        let received = self.has_events.load(Ordering::Relaxed) && !self.lasts();
        !received && is_repeatable(&self.method)
    }
}

impl<I: Instances> Relay<I> {
    /// Runs a request to its end. `cancel` receives the client's own cancellation.
    pub(crate) async fn run_request(
        self: &Arc<Self>,
        request: RelayedRequest,
        cancel: oneshot::Receiver<Bytes>,
    ) {
        let answered = self.answer(&request);
        tokio::pin!(answered);
        let cancellation = tokio::select! {
            () = &mut answered => return,
            Ok(cancellation) = cancel => cancellation,
        };
        // In the stateless era, closing the stream cancels the request.
        if request.era == Era::Modern {
            return;
        }
        request.cancelled.store(true, Ordering::Relaxed);
        for _ in 0..MAX_CANCELLATIONS {
            tokio::select! {
                () = &mut answered => return,
                () = async {
                    self.deliver(cancellation.clone()).await;
                    tokio::time::sleep(RETRY_PAUSE).await;
                } => {}
            }
        }
    }

    async fn answer(self: &Arc<Self>, request: &RelayedRequest) {
        // The connections of an instance and of this process are limited.
        let Ok(_connection) = self.connections.acquire().await else { return };
        let mut after = 0;
        let mut reason = String::new();
        for attempt in 0..MAX_ATTEMPTS {
            if attempt > 0 {
                tokio::time::sleep(RETRY_PAUSE).await;
            }
            let attachment = match self.attached(after).await {
                Ok(attachment) => attachment,
                Err(reason) => return self.reject(request, &RpcError::internal(reason)).await,
            };
            match self.attempt(&attachment, request).await {
                AttemptOutcome::Done => return,
                AttemptOutcome::NotSent(why) => reason = why,
                AttemptOutcome::Lost if request.may_be_repeated() => {}
                AttemptOutcome::Lost => {
                    // Reported once the next instance is ready, because clients try again at once.
                    if !attachment.is_reachable().await {
                        drop(self.attached(attachment.number).await);
                    }
                    let lost = "Schemascope ended before it answered this request, which may or may not have been \
                                carried out; further requests are served";
                    return self.reject(request, &RpcError::internal(lost)).await;
                }
            }
            after = attachment.number;
        }
        let reason = format!("cannot reach Schemascope: {reason}; the request was not carried out");
        self.reject(request, &RpcError::internal(reason)).await;
    }

    async fn reject(&self, request: &RelayedRequest, error: &RpcError) {
        // A cancelled request has no answer.
        if !request.cancelled.load(Ordering::Relaxed) {
            self.fail(request, &error.object()).await;
        }
    }

    async fn fail(&self, request: &RelayedRequest, error: &Bytes) {
        self.introduction().forget(&request.line);
        self.send_to_client(message::response(&request.id, &Body::Error(error.clone()))).await;
    }

    async fn attempt(
        self: &Arc<Self>,
        attachment: &Arc<Attachment>,
        request: &RelayedRequest,
    ) -> AttemptOutcome {
        let response = match attachment.post(request.line.clone()).send().await {
            Ok(response) => response,
            Err(error) if error.is_connect() => return AttemptOutcome::NotSent(plain(&error)),
            Err(_) => return AttemptOutcome::Lost,
        };
        let status = response.status();
        let media_type = response.headers().get(CONTENT_TYPE).map(|value| value.as_bytes());
        if status.is_success() && media_type.is_some_and(|kind| kind.starts_with(b"text/event-stream")) {
            return self.stream(attachment, request, response).await;
        }
        let Ok(body) = read_body(response).await else { return AttemptOutcome::Lost };
        match (status, Message::parse(&body)) {
            (_, Ok(Message::Response { body: Body::Result(_), id })) if id == request.id => {
                self.send_to_client(body).await;
            }
            // The instance has ended the unused session.
            (StatusCode::NOT_FOUND, Ok(_)) if request.era == Era::Legacy && attachment.has_session() => {
                return AttemptOutcome::NotSent("the session has ended".into());
            }
            // The instance is shutting down. With an error as the body, the request was not carried out.
            (StatusCode::SERVICE_UNAVAILABLE, Ok(_)) => {
                return AttemptOutcome::NotSent("it is shutting down".into());
            }
            (StatusCode::SERVICE_UNAVAILABLE, Err(_)) => return AttemptOutcome::Lost,
            (_, Ok(Message::Response { body: Body::Error(error), .. })) => self.fail(request, &error).await,
            // The response to a cancelled request.
            (StatusCode::ACCEPTED, _) if request.cancelled.load(Ordering::Relaxed) => {}
            (StatusCode::ACCEPTED, _) => return AttemptOutcome::Lost,
            _ => {
                let error = error_of(status, &body);
                tracing::warn!(%status, answer = %String::from_utf8_lossy(&error), "the running Schemascope rejected a request");
                self.fail(request, &error).await;
            }
        }
        AttemptOutcome::Done
    }

    /// Passes on a stream up to the answer.
    async fn stream(
        self: &Arc<Self>,
        attachment: &Arc<Attachment>,
        request: &RelayedRequest,
        mut response: Response,
    ) -> AttemptOutcome {
        let mut reader = SseReader::default();
        let mut messages = Vec::new();
        while let Ok(Some(piece)) = response.chunk().await {
            if reader.read(&piece, |event| messages.push(event.data)).is_err() {
                return AttemptOutcome::Lost;
            }
            for event in messages.drain(..).filter(|event| !event.is_empty()) {
                match Message::parse(&event) {
                    // Messages after the answer belong to no request.
                    Ok(Message::Response { id, .. }) if id == request.id => {
                        self.send_to_client(event).await;
                        return AttemptOutcome::Done;
                    }
                    // The client got the first acknowledgement.
                    Ok(Message::Notification { method, .. })
                        if method == "notifications/subscriptions/acknowledged"
                            && request.has_events.load(Ordering::Relaxed) => {}
                    Ok(message) => {
                        request.has_events.store(true, Ordering::Relaxed);
                        self.pass_on(attachment, &message, event).await;
                    }
                    Err(_) => {
                        tracing::warn!(
                            "an event of the running Schemascope is not a message; it was skipped"
                        );
                    }
                }
            }
        }
        if request.cancelled.load(Ordering::Relaxed) { AttemptOutcome::Done } else { AttemptOutcome::Lost }
    }
}
