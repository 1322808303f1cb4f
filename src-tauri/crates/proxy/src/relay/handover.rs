//! Moving a stdio client from one instance to the next: finds one instance at a time, introduces the client there, and
//! withdraws the open questions of the previous one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::attachment::{AttachError, Attachment};
use super::{Instances, Introduction, Relay, SHUTDOWN_STEP_TIMEOUT, lock};
use crate::upstream::transport::http::plain;
use crate::wire::message::{self, Body, Message};
use crate::wire::{RpcError, params};
use schemascope_json::sse::SseReader;

/// How long connecting to an unreachable instance is repeated.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Interval of those attempts.
const CONNECT_INTERVAL: Duration = Duration::from_millis(100);
/// Pause after a failed search for an instance, unless a request needs one.
const IDLE_PAUSE: Duration = Duration::from_secs(5);
/// Pause before a broken stream is opened again.
const LISTEN_PAUSE: Duration = Duration::from_secs(1);
/// Limit for delivering a message that has no answer.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(30);

/// The current attachment of the client.
#[derive(Default)]
pub(crate) struct AttachmentState {
    current: Option<Arc<Attachment>>,
    number: u64,
    /// Time and reason of the last failed search for an instance.
    failed: Option<(Instant, String)>,
}

impl<I: Instances> Relay<I> {
    /// Returns an attachment with a higher number than `after`, and opens one if necessary.
    pub(crate) async fn attached(self: &Arc<Self>, after: u64) -> Result<Arc<Attachment>, String> {
        let asked = Instant::now();
        let mut state = self.state.lock().await;
        if let Some(current) = state.current.as_ref().filter(|current| current.number > after) {
            return Ok(Arc::clone(current));
        }
        // Another task has just failed at the same.
        if let Some((_, reason)) = state.failed.as_ref().filter(|(at, _)| *at > asked) {
            return Err(reason.clone());
        }
        let introduction = self.introduction().clone();
        match self.attach(&mut state, &introduction).await {
            Ok((attachment, _)) => Ok(attachment),
            Err(error) => Err(params::text(&error, "message").unwrap_or_default()),
        }
    }

    /// Handles the client's `initialize`.
    pub(crate) async fn initialize(self: &Arc<Self>, id: &Bytes, line: Bytes) {
        let mut state = self.state.lock().await;
        let introduction = Introduction::of(line);
        let answer = self.attach(&mut state, &introduction).await;
        if answer.is_ok() {
            *self.introduction() = introduction;
        }
        drop(state);
        match answer {
            Ok((_, Some(answer))) => self.send_to_client(answer).await,
            Ok((_, None)) => {}
            Err(error) => self.send_to_client(message::response(id, &Body::Error(error))).await,
        }
    }

    /// Finds an instance and introduces the client there. Returns the answer to `initialize`, or an error object.
    async fn attach(
        self: &Arc<Self>,
        state: &mut AttachmentState,
        introduction: &Introduction,
    ) -> Result<(Arc<Attachment>, Option<Bytes>), Bytes> {
        let began = Instant::now();
        let found = loop {
            let instance = match self.instances.find().await {
                Ok(instance) => instance,
                Err(reason) => break Err(RpcError::internal(reason).object()),
            };
            let address = instance.address.clone();
            let (server, http) = (self.server.as_deref(), self.http.clone());
            match Attachment::open(state.number + 1, instance, server, http, introduction).await {
                Ok(found) => break Ok(found),
                Err(AttachError::Rejected(error)) => break Err(error),
                // The instance may be starting, or have just ended.
                Err(AttachError::Unreachable(_)) if began.elapsed() < CONNECT_TIMEOUT => {
                    tokio::time::sleep(CONNECT_INTERVAL).await;
                }
                Err(AttachError::Unreachable(reason)) => {
                    let reason = format!(
                        "cannot reach the running Schemascope on {address}: {reason}; start it again if it has ended"
                    );
                    break Err(RpcError::internal(reason).object());
                }
            }
        };
        let (attachment, answer) = match found {
            Ok((attachment, answer)) => (Arc::new(attachment), answer),
            Err(error) => {
                let reason = params::text(&error, "message").unwrap_or_default();
                if state.failed.as_ref().is_none_or(|(_, before)| *before != reason) {
                    tracing::warn!("{reason}");
                }
                state.failed = Some((Instant::now(), reason));
                return Err(error);
            }
        };
        state.number = attachment.number;
        state.failed = None;
        if let Some(before) = state.current.replace(Arc::clone(&attachment)) {
            before.replaced.cancel();
            if before.instance != attachment.instance {
                let (before, now) = (before.instance.pid, attachment.instance.pid);
                tracing::warn!("Schemascope (pid {before}) ended; this client continues with pid {now}");
            }
            self.withdraw_questions().await;
        }
        if introduction.is_complete() {
            self.listen(Arc::clone(&attachment));
        }
        Ok((attachment, answer))
    }

    /// Withdraws the open questions of the previous instance.
    async fn withdraw_questions(&self) {
        let questions = std::mem::take(&mut *lock(&self.questions));
        for id in questions {
            let reason: &[u8] = b"\"the Schemascope process that asked has ended\"";
            let params = params::with(None, &[("requestId", &id), ("reason", reason)]);
            self.send_to_client(message::notification("notifications/cancelled", Some(&params))).await;
        }
    }

    /// Keeps the client attached even while it sends no requests, because other clients may need the instance that it
    /// starts.
    pub(crate) async fn keep_attached(self: Arc<Self>) {
        let mut after = 0;
        loop {
            match self.attached(after).await {
                Ok(attachment) => {
                    attachment.ended().await;
                    after = attachment.number;
                }
                Err(_) => tokio::time::sleep(IDLE_PAUSE).await,
            }
        }
    }

    /// Delivers a message that has no answer. Returns the attachment that accepted it; `None` without a session, which
    /// the message would need.
    pub(crate) async fn deliver(self: &Arc<Self>, message: Bytes) -> Option<Arc<Attachment>> {
        let mut after = 0;
        loop {
            let attachment = self.attached(after).await.ok().filter(|attachment| attachment.has_session())?;
            let sent = tokio::time::timeout(DELIVERY_TIMEOUT, attachment.post(message.clone()).send()).await;
            match sent {
                Ok(Err(error)) if error.is_connect() => after = attachment.number,
                Ok(Err(error)) => {
                    tracing::warn!(reason = %plain(&error), "a notification or answer of the client may have been lost");
                    return None;
                }
                Ok(Ok(_)) => return Some(attachment),
                Err(_) => return None,
            }
        }
    }

    /// Reads the stream of messages that belong to no request, until the attachment is replaced.
    pub(crate) fn listen(self: &Arc<Self>, attachment: Arc<Attachment>) {
        let relay = Arc::clone(self);
        let replaced = attachment.replaced.clone();
        let ended = self.ended.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = relay.read_stream(&attachment) => {}
                () = replaced.cancelled() => {}
                () = ended.cancelled() => {}
            }
        });
    }

    async fn read_stream(self: &Arc<Self>, attachment: &Arc<Attachment>) {
        let Some(ask) = attachment.listen() else { return };
        loop {
            match ask().send().await {
                Ok(mut response) if response.status().is_success() => {
                    let mut reader = SseReader::default();
                    let mut messages = Vec::new();
                    while let Ok(Some(piece)) = response.chunk().await {
                        if reader.read(&piece, |event| messages.push(event.data)).is_err() {
                            break;
                        }
                        for event in messages.drain(..) {
                            if let Ok(message) = Message::parse(&event) {
                                self.pass_on(attachment, &message, event).await;
                            }
                        }
                    }
                }
                // The session was forgotten. A new one has a stream of its own.
                Ok(response) if response.status() == reqwest::StatusCode::NOT_FOUND => {
                    let relay = Arc::clone(self);
                    let number = attachment.number;
                    // On a task of its own, because the new attachment ends this one.
                    tokio::spawn(async move { drop(relay.attached(number).await) });
                    return;
                }
                // `keep_attached` notices when the instance is gone.
                Ok(_) | Err(_) => {}
            }
            tokio::time::sleep(LISTEN_PAUSE).await;
        }
    }

    /// Ends requests in progress and the session.
    pub(crate) async fn end(&self) {
        self.ended.cancel();
        let _ = tokio::time::timeout(SHUTDOWN_STEP_TIMEOUT, self.tasks.wait()).await;
        // The task that holds the lock searches for an instance that is no longer needed.
        let Ok(state) = self.state.try_lock() else { return };
        if let Some(current) = &state.current {
            let _ = tokio::time::timeout(SHUTDOWN_STEP_TIMEOUT, current.end()).await;
        }
    }
}
