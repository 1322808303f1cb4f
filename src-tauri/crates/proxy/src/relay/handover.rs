//! From one instance to the next.
//!
//! Owns: which instance is the client's now, that one at a time is sought, and that what the client heard
//! from the last one is put right. Refuses to know: requests.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::attachment::{Attachment, Failure};
use super::{Instances, Introduction, LAST_STEPS, Relay, lock};
use crate::upstream::http::plain;
use crate::upstream::sse::SseReader;
use crate::wire::message::{self, Body, Message};
use crate::wire::{RpcError, params};

/// How long an instance that does not answer yet is gone back to.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often.
const PAUSE: Duration = Duration::from_millis(100);
/// Pause before an instance is sought that could not be had, unless a request asks for it.
const IDLE_PAUSE: Duration = Duration::from_secs(5);
/// Pause before a stream that broke off is opened again.
const LISTEN_PAUSE: Duration = Duration::from_secs(1);
/// How long a message without an answer may take.
const DELIVERY: Duration = Duration::from_secs(30);

/// Where the client is.
#[derive(Default)]
pub(crate) struct State {
    current: Option<Arc<Attachment>>,
    number: u64,
    /// When it was last found that there is no instance, and why.
    failed: Option<(Instant, String)>,
}

impl<I: Instances> Relay<I> {
    /// The client's session with an instance, one with a higher number than `after`; or why there is none.
    pub(crate) async fn attached(self: &Arc<Self>, after: u64) -> Result<Arc<Attachment>, String> {
        let asked = Instant::now();
        let mut state = self.state.lock().await;
        if let Some(current) = state.current.as_ref().filter(|current| current.number > after) {
            return Ok(Arc::clone(current));
        }
        // Somebody else waited for the same in vain.
        if let Some((_, reason)) = state.failed.as_ref().filter(|(at, _)| *at > asked) {
            return Err(reason.clone());
        }
        let introduction = self.introduction().clone();
        match self.attach(&mut state, &introduction).await {
            Ok((attachment, _)) => Ok(attachment),
            Err(error) => Err(params::text(&error, "message").unwrap_or_default()),
        }
    }

    /// Takes the client's `initialize` and answers it.
    pub(crate) async fn initialize(self: &Arc<Self>, id: &Bytes, line: Bytes) {
        let mut state = self.state.lock().await;
        let introduction = Introduction::of(line);
        let answer = self.attach(&mut state, &introduction).await;
        if answer.is_ok() {
            *self.introduction() = introduction;
        }
        drop(state);
        match answer {
            Ok((_, Some(answer))) => self.tell(answer).await,
            Ok((_, None)) => {}
            Err(error) => self.tell(message::response(id, &Body::Error(error))).await,
        }
    }

    /// Finds an instance and introduces the client there; with the answer to its `initialize`, or the error.
    async fn attach(
        self: &Arc<Self>,
        state: &mut State,
        introduction: &Introduction,
    ) -> Result<(Arc<Attachment>, Option<Bytes>), Bytes> {
        let began = Instant::now();
        let found = loop {
            let place = match self.instances.find().await {
                Ok(place) => place,
                Err(reason) => break Err(RpcError::internal(reason).object()),
            };
            let address = place.address.clone();
            let (server, http) = (self.server.as_deref(), self.http.clone());
            match Attachment::open(state.number + 1, place, server, http, introduction).await {
                Ok(found) => break Ok(found),
                Err(Failure::Refused(error)) => break Err(error),
                // It may be about to begin, or just have ended.
                Err(Failure::Unreachable(_)) if began.elapsed() < PATIENCE => {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(Failure::Unreachable(reason)) => {
                    let reason = format!("Schemascope does not answer on {address}: {reason}");
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
            before.over.cancel();
            if before.place != attachment.place {
                let (before, now) = (before.place.pid, attachment.place.pid);
                tracing::warn!("Schemascope (pid {before}) went away; pid {now} goes on");
            }
            self.withdraw_questions().await;
        }
        if introduction.is_complete() {
            self.listen(Arc::clone(&attachment));
        }
        Ok((attachment, answer))
    }

    /// Takes back what nobody waits for any more.
    async fn withdraw_questions(&self) {
        let asked = std::mem::take(&mut *lock(&self.asked));
        for id in asked {
            let reason: &[u8] = b"\"whoever asked went away\"";
            let params = params::with(None, &[("requestId", &id), ("reason", reason)]);
            self.tell(message::notification("notifications/cancelled", Some(&params))).await;
        }
    }

    /// Sees to it that there is an instance, also while the client asks for nothing: others depend on it.
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

    /// Brings a message that has no answer to the instance there is; the session that took it. Without a
    /// session nobody is interested.
    pub(crate) async fn deliver(self: &Arc<Self>, message: Bytes) -> Option<Arc<Attachment>> {
        let mut after = 0;
        loop {
            let attachment = self.attached(after).await.ok().filter(|attachment| attachment.has_session())?;
            let sent = tokio::time::timeout(DELIVERY, attachment.post(message.clone()).send()).await;
            match sent {
                Ok(Err(error)) if error.is_connect() => after = attachment.number,
                Ok(Err(error)) => {
                    tracing::warn!(reason = %plain(&error), "a notification or answer may be lost");
                    return None;
                }
                Ok(Ok(_)) => return Some(attachment),
                Err(_) => return None,
            }
        }
    }

    /// Listens to what belongs to no request, as long as this is the client's session.
    pub(crate) fn listen(self: &Arc<Self>, attachment: Arc<Attachment>) {
        let relay = Arc::clone(self);
        let over = attachment.over.clone();
        let ended = self.ended.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = relay.hear(&attachment) => {}
                () = over.cancelled() => {}
                () = ended.cancelled() => {}
            }
        });
    }

    async fn hear(self: &Arc<Self>, attachment: &Arc<Attachment>) {
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
                // The session was forgotten: there is a new one with a stream of its own.
                Ok(response) if response.status() == reqwest::StatusCode::NOT_FOUND => {
                    let relay = Arc::clone(self);
                    let number = attachment.number;
                    // As a task of its own: the new one ends this one.
                    tokio::spawn(async move { drop(relay.attached(number).await) });
                    return;
                }
                // If it is gone, that is noticed elsewhere.
                Ok(_) | Err(_) => {}
            }
            tokio::time::sleep(LISTEN_PAUSE).await;
        }
    }

    /// Ends what is under way, and the session.
    pub(crate) async fn end(&self) {
        self.ended.cancel();
        let _ = tokio::time::timeout(LAST_STEPS, self.tasks.wait()).await;
        // Whoever holds it seeks an instance nobody needs any more.
        let Ok(state) = self.state.try_lock() else { return };
        if let Some(current) = &state.current {
            let _ = tokio::time::timeout(LAST_STEPS, current.end()).await;
        }
    }
}
