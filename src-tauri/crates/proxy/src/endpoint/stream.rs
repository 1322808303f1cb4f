//! `GET`: the stream for notifications and questions that belong to none of a session's requests.

use std::sync::{Arc, PoisonError};

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use super::form::{self, Accepts, KEEP_ALIVE};
use super::rejection::{Rejection, check_version};
use super::session::Session;
use super::{Endpoint, Target};
use crate::exchange::{Event, Inbox};
use crate::hub::changes::{ListChanges, UpstreamNotification};
use crate::upstream::Upstream;
use crate::upstream::audience::{ClientGroup, SharedNotification};
use crate::upstream::link::Notification;
use crate::wire::{message, params};

/// Notifications that wait for a slow listener.
const STREAM_BUFFER: usize = 64;

/// The source of a listener's notifications, besides its outbox.
enum Source {
    /// Changes of the aggregated lists.
    All(ListChanges, broadcast::Receiver<UpstreamNotification>),
    /// Notifications of one upstream for all clients.
    Shared(Arc<Upstream>, broadcast::Receiver<SharedNotification>),
}

pub(crate) fn listen(endpoint: &Endpoint, target: &Target, headers: &HeaderMap) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    if matches!(Accepts::of(accept), None | Some(Accepts::Json)) {
        return Rejection::NotAcceptable.into_response();
    }
    let session = check_version(headers).and_then(|()| endpoint.sessions.of(headers, target));
    let session = match session {
        Ok(session) => session,
        Err(rejection) => return rejection.into_response(),
    };
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    if let Some(id) = last {
        return match session.replays.resume(id) {
            Some(resumed) => resumed.response(endpoint.shutdown.clone()),
            // Not 404, which says that the session is over.
            None => (
                StatusCode::BAD_REQUEST,
                "the stream of this event is no longer kept; send the request again\n",
            )
                .into_response(),
        };
    }
    let Some(outbox) = session.start_listening() else {
        return (StatusCode::CONFLICT, "another GET stream of this session is open; close it first\n")
            .into_response();
    };
    let source = match target {
        Target::All => {
            let listed = session.listed.lock().unwrap_or_else(PoisonError::into_inner).clone();
            Source::All(ListChanges::after(&endpoint.hub, listed), endpoint.hub.notifications())
        }
        Target::One(upstream) => Source::Shared(Arc::clone(upstream), upstream.subscribe()),
    };
    let (sender, response) = form::stream(STREAM_BUFFER);
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
    // Sent so that the response begins at once.
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
            incoming = source.next(&session) => match incoming {
                Some(incoming) => concerns(&session, &incoming).then(|| {
                    let Notification { method, params } = &incoming.notification;
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

/// Whether a notification for all clients concerns this session.
fn concerns(session: &Session, incoming: &Incoming) -> bool {
    let Some(upstream) = &incoming.upstream else { return true };
    let (who, params) = (session.who(), incoming.notification.params.as_ref());
    if !upstream.concerns(&who, incoming.among.as_ref()) {
        return false;
    }
    let method = incoming.notification.method.as_str();
    match method {
        // Once it has a session of its own, it gets all other notifications there.
        _ if upstream.serves_alone(&who) => method.ends_with("/list_changed"),
        "notifications/resources/updated" => {
            // Some servers tell everyone, and have no subscriptions.
            if upstream.live_now().is_some_and(|live| !live.hello.offers("resources", "subscribe")) {
                return true;
            }
            let uri = params.and_then(|params| params::text(params, "uri"));
            uri.is_some_and(|uri| upstream.subscriptions.concerns(&uri, &session.id))
        }
        "notifications/message" => upstream.log_levels.concerns(&who, params),
        "notifications/tasks/status" => {
            let task = params.and_then(|params| params::text(params, "taskId"));
            task.is_some_and(|task| upstream.tasks.is_of(&task, &session.id))
        }
        _ => true,
    }
}

/// A notification and where it came from.
struct Incoming {
    /// The upstream that sent it; `None` for our own.
    upstream: Option<Arc<Upstream>>,
    notification: Notification,
    among: Option<ClientGroup>,
}

impl Source {
    /// The next notification.
    async fn next(&mut self, session: &Session) -> Option<Incoming> {
        match self {
            Self::All(changes, others) => tokio::select! {
                changed = changes.next(|| session.who()) => {
                    changed?;
                    let method = "notifications/tools/list_changed".into();
                    let notification = Notification { method, params: None };
                    Some(Incoming { upstream: None, notification, among: None })
                }
                incoming = next_notification(others) => incoming.map(|incoming| {
                    let UpstreamNotification { upstream, notification, among } = incoming;
                    Incoming { upstream: Some(upstream), notification, among }
                }),
            },
            Self::Shared(upstream, notifications) => {
                let SharedNotification { notification, among } = next_notification(notifications).await?;
                Some(Incoming { upstream: Some(Arc::clone(upstream)), notification, among })
            }
        }
    }
}

async fn next_notification<T: Clone>(notifications: &mut broadcast::Receiver<T>) -> Option<T> {
    loop {
        match notifications.recv().await {
            Ok(notification) => return Some(notification),
            Err(broadcast::error::RecvError::Lagged(missed)) => {
                tracing::warn!(missed, "a client reads its stream too slowly and missed notifications");
            }
            Err(broadcast::error::RecvError::Closed) => return None,
        }
    }
}
