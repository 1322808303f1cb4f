//! Which clients get the notifications of an upstream that belong to no request.
//!
//! Clients are served by different sessions with an upstream (see [`super::client_sessions`]). A notification is for the
//! clients of the session it came in.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::broadcast;

use super::link::Notification;
use super::session::Live;
use super::{Upstream, handshake, subscriptions};
use crate::wire::{Era, Who};

/// How long equal notifications of several sessions are collected.
const COLLECT_INTERVAL: Duration = Duration::from_millis(50);
/// Notifications collected at a time. Further ones are passed on at once.
const MAX_PENDING_CHANGES: usize = 1_000;

/// A notification in a session that several clients use.
#[derive(Debug, Clone)]
pub(crate) struct SharedNotification {
    pub(crate) notification: Notification,
    /// The clients of that session; none for the shared session.
    pub(crate) among: Option<ClientGroup>,
}

/// Clients that use a session together which is not the shared one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ClientGroup {
    /// Stateless clients with these capabilities, which use a pool of sessions.
    Pooled(Bytes),
    /// All stateless clients: the upstream speaks both eras.
    Stateless,
}

/// Notifications being collected, each with its clients.
pub(super) type PendingChanges = HashSet<(Option<ClientGroup>, Notification)>;

impl Upstream {
    /// Returns the session that serves a client now, if it is open and not the shared one.
    pub(crate) fn serving_now(&self, who: &Who) -> Option<Arc<Live>> {
        match &who.session {
            Some(session) => self.own_now(session),
            None if who.era == Era::Legacy => None,
            None => self.stateless_now().or_else(|| self.pooled_now(&who.capabilities).into_iter().next()),
        }
    }

    /// Whether a notification to these clients is for this one.
    pub(crate) fn concerns(&self, who: &Who, among: Option<&ClientGroup>) -> bool {
        match among {
            Some(ClientGroup::Pooled(capabilities)) => {
                who.era == Era::Modern && who.capabilities == *capabilities
            }
            Some(ClientGroup::Stateless) => who.era == Era::Modern,
            None => self.serving_now(who).is_none(),
        }
    }

    /// Subscribes to a resource while `watcher` watches it: in the shared session, and in those that serve this client.
    /// Waits for that up to a limit.
    pub(crate) async fn watch(self: &Arc<Self>, uri: &str, watcher: &str, who: &Who) {
        if !self.subscriptions.add(uri, watcher, Some(who.capabilities.clone())) {
            return;
        }
        let Ok(live) = self.live().await else { return };
        if live.hello.era == Era::Modern {
            return self.subscriptions.watch(&live, uri).await;
        }
        if let Some(stateless) = self.stateless_now() {
            self.subscriptions.watch(&stateless, uri).await;
        }
        let pooled = self.pooled_now(&who.capabilities);
        let subscribed = async {
            for live in std::iter::once(live).chain(pooled) {
                subscriptions::subscribe(&live, uri).await;
            }
        };
        let _ = tokio::time::timeout(handshake::HANDSHAKE_TIMEOUT, subscribed).await;
    }

    /// Subscribes to what the clients of a session watch, except for what is `watched` there already.
    pub(super) async fn take_over(
        &self,
        live: &Arc<Live>,
        among: &ClientGroup,
        watched: &mut HashSet<String>,
    ) {
        let subscribed = async {
            for uri in self.subscriptions.of(among) {
                if watched.contains(&uri) {
                    continue;
                }
                match among {
                    ClientGroup::Pooled(_) => subscriptions::subscribe(live, &uri).await,
                    ClientGroup::Stateless => self.subscriptions.watch(live, &uri).await,
                }
                watched.insert(uri);
            }
        };
        let _ = tokio::time::timeout(handshake::HANDSHAKE_TIMEOUT, subscribed).await;
    }

    /// Unsubscribes for a watcher that is gone, in every session that several clients use.
    pub(super) fn unwatch(self: &Arc<Self>, watcher: &str) {
        let unwatched = self.subscriptions.forget(watcher);
        let shared = self.live_now().filter(|live| live.hello.era == Era::Legacy);
        if unwatched.is_empty() || shared.is_none() {
            return;
        }
        let sessions: Vec<_> = shared.into_iter().chain(self.all_pooled_now()).collect();
        tokio::spawn(tokio::time::timeout(handshake::HANDSHAKE_TIMEOUT, async move {
            for live in sessions {
                for uri in &unwatched {
                    subscriptions::unsubscribe(&live, uri).await;
                }
            }
        }));
    }

    /// Passes the changes in a session on to its clients. Never ends.
    pub(super) async fn announce_changes(
        self: &Arc<Self>,
        mut notifications: broadcast::Receiver<Notification>,
        among: Option<ClientGroup>,
    ) {
        loop {
            match notifications.recv().await {
                Ok(change) if is_change(&change.method) => self.collect(change, among.clone()),
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    /// Publishes a change once after a short time, however many sessions announce it until then.
    fn collect(self: &Arc<Self>, notification: Notification, among: Option<ClientGroup>) {
        let about = (among, notification);
        {
            let mut pending = self.client_sessions.pending_changes();
            if pending.contains(&about) {
                return;
            }
            if pending.len() >= MAX_PENDING_CHANGES {
                drop(pending);
                return self.publish(about.1, about.0);
            }
            pending.insert(about.clone());
        }
        let upstream = Arc::clone(self);
        self.client_sessions.tasks.spawn(async move {
            tokio::time::sleep(COLLECT_INTERVAL).await;
            upstream.client_sessions.pending_changes().remove(&about);
            upstream.publish(about.1, about.0);
        });
    }

    /// Hands a notification to the clients that listen.
    pub(super) fn publish(&self, notification: Notification, among: Option<ClientGroup>) {
        // Fails where no client listens.
        let _ = self.notifications.send(SharedNotification { notification, among });
    }
}

impl super::client_sessions::ClientSessions {
    fn pending_changes(&self) -> std::sync::MutexGuard<'_, PendingChanges> {
        self.pending_changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a notification announces a change that all clients see.
fn is_change(method: &str) -> bool {
    method.ends_with("/list_changed") || method == "notifications/resources/updated"
}
