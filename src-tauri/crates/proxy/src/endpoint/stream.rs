//! `GET`: what a client with a session is told, or asked, on account of none of its requests.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use tokio::sync::{broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::reply::{self, Accepts, KEEP_ALIVE};
use super::session::{NEVER_LISTED, Refusal, Session, check_version};
use super::{Endpoint, Target};
use crate::exchange::{Event, Inbox};
use crate::hub::Told;
use crate::upstream::Upstream;
use crate::upstream::link::Notification;
use crate::wire::{message, params};

/// Notifications that may wait for a slow listener.
const BUFFER: usize = 64;

/// Where a listener's notifications come from, besides its own outbox.
enum Source {
    /// Changes of the aggregated lists.
    All(watch::Receiver<u64>, broadcast::Receiver<Told>),
    /// Whatever one upstream says to everybody.
    Shared(Arc<Upstream>, broadcast::Receiver<Notification>),
    /// The client has a session of its own there, which tells by the outbox.
    Own,
}

pub(crate) fn listen(endpoint: &Endpoint, target: &Target, headers: &HeaderMap) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    if matches!(Accepts::of(accept), None | Some(Accepts::Json)) {
        return Refusal::NotAcceptable.into_response();
    }
    let session = check_version(headers).and_then(|()| endpoint.sessions.of(headers, target));
    let session = match session {
        Ok(session) => session,
        Err(refusal) => return refusal.into_response(),
    };
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    if let Some(id) = last {
        return match session.replays.resume(id) {
            Some(resumed) => resumed.response(endpoint.shutdown.clone()),
            None => (StatusCode::NOT_FOUND, "the stream of this event is no longer kept\n").into_response(),
        };
    }
    let Some(outbox) = session.start_listening() else {
        return (StatusCode::CONFLICT, "this session is listened to already\n").into_response();
    };
    let source = match target {
        Target::All => {
            let mut changes = endpoint.hub.changes();
            let listed = session.listed.load(Ordering::Relaxed);
            // What came since its last list is news for it.
            if listed != NEVER_LISTED && listed != endpoint.hub.version() {
                changes.mark_changed();
            }
            Source::All(changes, endpoint.hub.told())
        }
        Target::One(upstream) if upstream.serves_alone(&session.who()) => Source::Own,
        Target::One(upstream) => Source::Shared(Arc::clone(upstream), upstream.subscribe()),
    };
    let (sender, response) = reply::stream(BUFFER);
    tokio::spawn(feed(source, session, outbox, sender, endpoint.shutdown.clone()));
    response
}

async fn feed(
    mut source: Source,
    session: Arc<Session>,
    mut outbox: Inbox,
    sender: mpsc::Sender<Bytes>,
    shutdown: CancellationToken,
) {
    // So that the response begins at once.
    let _ = sender.send(reply::keep_alive()).await;
    loop {
        let message = tokio::select! {
            event = outbox.recv() => match event {
                Some(Event::Notification { method, params }) => {
                    Some(message::notification(&method, params.as_deref()))
                }
                Some(Event::Ask(ask)) => session.ask(ask),
                Some(Event::Pause { .. }) => continue,
                None => break,
            },
            told = source.next() => match told {
                Some((upstream, told)) => concerns(upstream.as_ref(), &session, &told)
                    .then(|| message::notification(&told.method, told.params.as_deref())),
                None => break,
            },
            () = tokio::time::sleep(KEEP_ALIVE) => None,
            () = sender.closed() => break,
            () = session.ended.cancelled() => break,
            () = shutdown.cancelled() => break,
        };
        let event = message.map_or_else(reply::keep_alive, |message| reply::event(&message));
        if sender.send(event).await.is_err() {
            break;
        }
    }
    session.stop_listening(outbox);
}

/// Whether a session is to be told what an upstream tells everybody.
fn concerns(upstream: Option<&Arc<Upstream>>, session: &Session, told: &Notification) -> bool {
    let Some(upstream) = upstream else { return true };
    // It is told by its own session there, where that is open.
    if upstream.serves_alone(&session.who()) {
        return told.method.ends_with("/list_changed") && upstream.own_now(&session.id).is_none();
    }
    match told.method.as_str() {
        "notifications/resources/updated" => {
            let uri = told.params.as_ref().and_then(|params| params::text(params, "uri"));
            uri.is_some_and(|uri| upstream.subscriptions.concerns(&uri, &session.id))
        }
        "notifications/message" => upstream.levels.concerns(&session.who(), told.params.as_ref()),
        "notifications/tasks/status" => {
            let task = told.params.as_ref().and_then(|params| params::text(params, "taskId"));
            task.is_some_and(|task| upstream.tasks.is_of(&task, &session.id))
        }
        _ => true,
    }
}

impl Source {
    /// What comes next, with the upstream that says it where there is one.
    async fn next(&mut self) -> Option<(Option<Arc<Upstream>>, Notification)> {
        match self {
            Self::All(changes, others) => tokio::select! {
                changed = changes.changed() => {
                    changed.ok()?;
                    let method = "notifications/tools/list_changed".into();
                    Some((None, Notification { method, params: None }))
                }
                told = heard(others) => told.map(|told| (Some(told.upstream), told.notification)),
            },
            Self::Shared(upstream, notifications) => {
                let told = heard(notifications).await?;
                Some((Some(Arc::clone(upstream)), told))
            }
            Self::Own => std::future::pending().await,
        }
    }
}

async fn heard<T: Clone>(notifications: &mut broadcast::Receiver<T>) -> Option<T> {
    loop {
        match notifications.recv().await {
            Ok(notification) => return Some(notification),
            Err(broadcast::error::RecvError::Lagged(missed)) => {
                tracing::warn!(missed, "a slow listener missed notifications");
            }
            Err(broadcast::error::RecvError::Closed) => return None,
        }
    }
}
