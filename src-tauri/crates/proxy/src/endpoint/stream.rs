//! `GET`: what a client with a session is told, or asked, on account of none of its requests.

use std::sync::{Arc, PoisonError};

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use super::form::{self, Accepts, KEEP_ALIVE};
use super::refusal::{Refusal, check_version};
use super::session::Session;
use super::{Endpoint, Target};
use crate::exchange::{Event, Inbox};
use crate::hub::changes::{Changes, Told};
use crate::upstream::Upstream;
use crate::upstream::audience::{Among, Said};
use crate::upstream::link::Notification;
use crate::wire::{message, params};

/// Notifications that may wait for a slow listener.
const BUFFER: usize = 64;

/// Where a listener's notifications come from, besides its own outbox.
enum Source {
    /// Changes of the aggregated lists.
    All(Changes, broadcast::Receiver<Told>),
    /// Whatever one upstream says to everybody.
    Shared(Arc<Upstream>, broadcast::Receiver<Said>),
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
            let listed = session.listed.lock().unwrap_or_else(PoisonError::into_inner).clone();
            Source::All(Changes::after(&endpoint.hub, listed), endpoint.hub.told())
        }
        Target::One(upstream) if upstream.serves_alone(&session.who()) => Source::Own,
        Target::One(upstream) => Source::Shared(Arc::clone(upstream), upstream.subscribe()),
    };
    let (sender, response) = form::stream(BUFFER);
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
    let _ = sender.send(form::keep_alive()).await;
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
            told = source.next(&session) => match told {
                Some(told) => concerns(&session, &told).then(|| {
                    let Notification { method, params } = &told.notification;
                    message::notification(method, params.as_deref())
                }),
                None => break,
            },
            () = tokio::time::sleep(KEEP_ALIVE) => None,
            () = sender.closed() => break,
            () = session.ended.cancelled() => break,
            () = shutdown.cancelled() => break,
        };
        let event = message.map_or_else(form::keep_alive, |message| form::event(&message));
        if sender.send(event).await.is_err() {
            break;
        }
    }
    session.stop_listening(outbox);
}

/// Whether a session is to be told what an upstream tells everybody.
fn concerns(session: &Session, told: &Heard) -> bool {
    let Some(upstream) = &told.upstream else { return true };
    let (who, params) = (session.who(), told.notification.params.as_ref());
    if !upstream.concerns(&who, told.among.as_ref()) {
        return false;
    }
    let method = told.notification.method.as_str();
    match method {
        // It has said there what else it wants to hear, as soon as it has a session there.
        _ if upstream.serves_alone(&who) => method.ends_with("/list_changed"),
        "notifications/resources/updated" => {
            let uri = params.and_then(|params| params::text(params, "uri"));
            uri.is_some_and(|uri| upstream.subscriptions.concerns(&uri, &session.id))
        }
        "notifications/message" => upstream.levels.concerns(&who, params),
        "notifications/tasks/status" => {
            let task = params.and_then(|params| params::text(params, "taskId"));
            task.is_some_and(|task| upstream.tasks.is_of(&task, &session.id))
        }
        _ => true,
    }
}

/// Something to be told.
struct Heard {
    /// Who says it; none where we do.
    upstream: Option<Arc<Upstream>>,
    notification: Notification,
    among: Option<Among>,
}

impl Source {
    /// What comes next.
    async fn next(&mut self, session: &Session) -> Option<Heard> {
        match self {
            Self::All(changes, others) => tokio::select! {
                changed = changes.next(|| session.who()) => {
                    changed?;
                    let method = "notifications/tools/list_changed".into();
                    let notification = Notification { method, params: None };
                    Some(Heard { upstream: None, notification, among: None })
                }
                told = heard(others) => told.map(|told| {
                    let Told { upstream, notification, among } = told;
                    Heard { upstream: Some(upstream), notification, among }
                }),
            },
            Self::Shared(upstream, said) => {
                let Said { notification, among } = heard(said).await?;
                Some(Heard { upstream: Some(Arc::clone(upstream)), notification, among })
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
