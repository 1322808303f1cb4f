//! `GET`: what a client is told without having asked.

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
use crate::upstream::connection::Notification;
use crate::wire::message;

/// Notifications that may wait for a slow listener.
const BUFFER: usize = 64;

/// Where a listener's notifications come from.
enum Source {
    /// Changes of the list of all tools.
    All(watch::Receiver<u64>),
    /// Whatever one upstream says.
    One(broadcast::Receiver<Notification>),
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
    if !session.start_listening() {
        return (StatusCode::CONFLICT, "this session is listened to already\n").into_response();
    }
    let source = match target {
        Target::All => {
            let mut changes = endpoint.hub.changes();
            let listed = session.listed.load(Ordering::Relaxed);
            // What came since its last list is news for it.
            if listed != NEVER_LISTED && listed != endpoint.hub.version() {
                changes.mark_changed();
            }
            Source::All(changes)
        }
        Target::One(upstream) => Source::One(upstream.subscribe()),
    };
    let (sender, response) = reply::stream(BUFFER);
    tokio::spawn(feed(source, session, sender, endpoint.shutdown.clone()));
    response
}

async fn feed(
    mut source: Source,
    session: Arc<Session>,
    sender: mpsc::Sender<Bytes>,
    shutdown: CancellationToken,
) {
    // So that the response begins at once.
    let _ = sender.send(reply::keep_alive()).await;
    loop {
        let next = tokio::select! {
            message = source.next() => match message {
                Some(message) => reply::event(&message),
                None => break,
            },
            () = tokio::time::sleep(KEEP_ALIVE) => reply::keep_alive(),
            () = sender.closed() => break,
            () = session.ended.cancelled() => break,
            () = shutdown.cancelled() => break,
        };
        if sender.send(next).await.is_err() {
            break;
        }
    }
    session.listening.store(false, Ordering::Release);
}

impl Source {
    async fn next(&mut self) -> Option<Bytes> {
        match self {
            Self::All(changes) => {
                changes.changed().await.ok()?;
                Some(message::notification("notifications/tools/list_changed", None))
            }
            Self::One(notifications) => loop {
                match notifications.recv().await {
                    Ok(Notification { method, params }) => {
                        return Some(message::notification(&method, params.as_deref()));
                    }
                    Err(broadcast::error::RecvError::Lagged(missed)) => {
                        tracing::warn!(missed, "a slow listener missed notifications");
                    }
                    Err(broadcast::error::RecvError::Closed) => return None,
                }
            },
        }
    }
}
