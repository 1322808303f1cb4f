//! Who is to hear what an upstream tells of its own accord.
//!
//! Clients are served by different sessions with an upstream (see [`super::sides`]), and what one of those tells is
//! for the clients it serves. Owns: which session serves a client at present, what sessions that are used in turn
//! watch and tell. Refuses to know: how clients are told.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::broadcast;

use super::link::Notification;
use super::session::Live;
use super::{Upstream, handshake, subscriptions};
use crate::wire::{Era, Who};

/// How long what several sessions tell alike is gathered.
const GATHER: Duration = Duration::from_millis(50);
/// Different things gathered at a time; what is more is told at once.
const MAX_GATHERED: usize = 1_000;

/// Something an upstream told in a session that several clients use.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) notification: Notification,
    /// Whom it is for; none where that is the session all share.
    pub(crate) among: Option<Among>,
}

/// Clients that are served by another session than the one all share, and have none of their own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Among {
    /// Stateless ones with these capabilities, which use sessions in turn.
    InTurn(Bytes),
    /// All stateless ones: the upstream speaks both eras.
    Stateless,
}

/// What is gathered: whom it is for, and what it says.
pub(super) type Gathered = HashSet<(Option<Among>, Notification)>;

impl Upstream {
    /// The session that serves this client at present, if that is open and not the one all share.
    pub(crate) fn serving_now(&self, who: &Who) -> Option<Arc<Live>> {
        match &who.session {
            Some(session) => self.own_now(session),
            None if who.era == Era::Legacy => None,
            None => self.stateless_now().or_else(|| self.in_turn_now(&who.capabilities).into_iter().next()),
        }
    }

    /// Whether what was told there is for this client.
    pub(crate) fn concerns(&self, who: &Who, among: Option<&Among>) -> bool {
        match among {
            Some(Among::InTurn(capabilities)) => who.era == Era::Modern && who.capabilities == *capabilities,
            Some(Among::Stateless) => who.era == Era::Modern,
            None => self.serving_now(who).is_none(),
        }
    }

    /// Has the upstream tell of a resource as long as `watcher` watches it: in the session all share, and in those
    /// that serve this client. It does when this is done, unless it takes too long.
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
        let in_turn = self.in_turn_now(&who.capabilities);
        let asked = async {
            for live in std::iter::once(live).chain(in_turn) {
                subscriptions::subscribe(&live, uri).await;
            }
        };
        let _ = tokio::time::timeout(handshake::LIMIT, asked).await;
    }

    /// Has a session tell of what its clients watch, but for what is `watched` there already.
    pub(super) async fn take_over(&self, live: &Arc<Live>, among: &Among, watched: &mut HashSet<String>) {
        let asked = async {
            for uri in self.subscriptions.of(among) {
                if watched.contains(&uri) {
                    continue;
                }
                match among {
                    Among::InTurn(_) => subscriptions::subscribe(live, &uri).await,
                    Among::Stateless => self.subscriptions.watch(live, &uri).await,
                }
                watched.insert(uri);
            }
        };
        let _ = tokio::time::timeout(handshake::LIMIT, asked).await;
    }

    /// Ends the watching of somebody who is gone, in every session that several use.
    pub(super) fn unwatch(self: &Arc<Self>, watcher: &str) {
        let unwatched = self.subscriptions.forget(watcher);
        let shared = self.live_now().filter(|live| live.hello.era == Era::Legacy);
        if unwatched.is_empty() || shared.is_none() {
            return;
        }
        let sessions: Vec<_> = shared.into_iter().chain(self.all_in_turn_now()).collect();
        tokio::spawn(tokio::time::timeout(handshake::LIMIT, async move {
            for live in sessions {
                for uri in &unwatched {
                    subscriptions::unsubscribe(&live, uri).await;
                }
            }
        }));
    }

    /// Tells the clients of a session what changes there. Never ends.
    pub(super) async fn tell_changes(
        self: &Arc<Self>,
        mut told: broadcast::Receiver<Notification>,
        among: Option<Among>,
    ) {
        loop {
            match told.recv().await {
                Ok(told) if is_change(&told.method) => self.gather(told, among.clone()),
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    /// Tells something in a moment, once, however many sessions say it until then.
    fn gather(self: &Arc<Self>, notification: Notification, among: Option<Among>) {
        let about = (among, notification);
        {
            let mut gathered = self.sides.gathered();
            if gathered.contains(&about) {
                return;
            }
            if gathered.len() >= MAX_GATHERED {
                drop(gathered);
                return self.say(about.1, about.0);
            }
            gathered.insert(about.clone());
        }
        let upstream = Arc::clone(self);
        self.sides.tasks.spawn(async move {
            tokio::time::sleep(GATHER).await;
            upstream.sides.gathered().remove(&about);
            upstream.say(about.1, about.0);
        });
    }

    pub(super) fn say(&self, notification: Notification, among: Option<Among>) {
        // Nobody listening is fine.
        let _ = self.notifications.send(Said { notification, among });
    }
}

impl super::sides::Sides {
    fn gathered(&self) -> std::sync::MutexGuard<'_, Gathered> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a notification tells of a change of what everybody sees.
fn is_change(method: &str) -> bool {
    method.ends_with("/list_changed") || method == "notifications/resources/updated"
}
