//! Subscriptions to resources and lists of an upstream.
//!
//! Keeps which client session watches which resource, so that one that unsubscribes does not affect the others. In the
//! stateless era a subscription is a request of ours that stays open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde_json::json;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::audience::ClientGroup;
use super::handshake;
use super::link::NewRequest;
use super::session::Live;
use crate::exchange::Event;
use crate::wire::{Era, Who, params};

/// Resources watched over all sessions.
const MAX_WATCHED: usize = 10_000;
/// Longest address of a watched resource.
const MAX_URI_BYTES: usize = 8 << 10;
/// Pause before a subscription that the upstream ended is opened again, and limit for opening one.
const RETRY_PAUSE: Duration = Duration::from_secs(5);

/// Watched resources, by address.
#[derive(Default)]
pub(crate) struct Subscriptions(Mutex<HashMap<String, WatchedResource>>);

#[derive(Default)]
struct WatchedResource {
    /// Watchers; those of stateless clients with their capabilities.
    sessions: HashMap<Box<str>, Option<Bytes>>,
    /// Keeps the subscription open in the stateless era.
    listener: Option<JoinHandle<()>>,
}

impl Drop for WatchedResource {
    fn drop(&mut self) {
        if let Some(listener) = &self.listener {
            listener.abort();
        }
    }
}

impl Subscriptions {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, WatchedResource>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a watcher. Returns false where too many resources are watched or the address is too long.
    pub(crate) fn add(&self, uri: &str, session: &str, stateless: Option<Bytes>) -> bool {
        let mut watched = self.lock();
        if uri.len() > MAX_URI_BYTES || (watched.len() >= MAX_WATCHED && !watched.contains_key(uri)) {
            return false;
        }
        watched.entry(uri.to_owned()).or_default().sessions.insert(session.into(), stateless);
        true
    }

    /// Subscribes to a resource in the stateless era while it is watched. Waits for that up to a limit.
    pub(crate) async fn watch(&self, live: &Arc<Live>, uri: &str) {
        let begun = self.begin_watch(live, uri);
        let _ = tokio::time::timeout(RETRY_PAUSE, begun.notified()).await;
    }

    fn begin_watch(&self, live: &Arc<Live>, uri: &str) -> Arc<Notify> {
        let (live, filter) = (Arc::clone(live), json!({"resourceSubscriptions": [uri]}));
        let begun = Arc::new(Notify::new());
        let mut watched = self.lock();
        match watched.get_mut(uri) {
            Some(known) if known.listener.as_ref().is_none_or(JoinHandle::is_finished) => {
                let acknowledged = Arc::clone(&begun);
                known.listener = Some(tokio::spawn(async move {
                    while !live.link.is_closed() && listen(&live, &filter, &acknowledged).await {
                        tokio::time::sleep(RETRY_PAUSE).await;
                    }
                }));
            }
            // Subscribed already, or no longer watched.
            _ => begun.notify_one(),
        }
        begun
    }

    /// Subscribes to everything that is watched in a new session.
    pub(crate) fn renew(&self, live: &Arc<Live>) {
        // The listener of the previous session may not have noticed its end yet.
        let is_modern = live.hello.era == Era::Modern;
        let forget = |(uri, known): (&String, &mut WatchedResource)| {
            known.listener.take_if(|_| is_modern).inspect(JoinHandle::abort);
            uri.clone()
        };
        let watched: Vec<String> = self.lock().iter_mut().map(forget).collect();
        match live.hello.era {
            Era::Modern => watched.iter().for_each(|uri| drop(self.begin_watch(live, uri))),
            Era::Legacy if watched.is_empty() => {}
            Era::Legacy => {
                let live = Arc::clone(live);
                tokio::spawn(tokio::time::timeout(handshake::HANDSHAKE_TIMEOUT, async move {
                    for uri in watched {
                        subscribe(&live, &uri).await;
                    }
                }));
            }
        }
    }

    /// Returns the resources that these clients watch.
    pub(crate) fn of(&self, among: &ClientGroup) -> Vec<String> {
        let theirs = |known: &WatchedResource| {
            known.sessions.values().flatten().any(|capabilities| match among {
                ClientGroup::Pooled(theirs) => capabilities == theirs,
                ClientGroup::Stateless => true,
            })
        };
        self.lock().iter().filter(|(_, known)| theirs(known)).map(|(uri, _)| uri.clone()).collect()
    }

    /// Forgets a watcher. Returns whether it was the last one.
    pub(crate) fn remove(&self, uri: &str, session: &str) -> bool {
        let mut watched = self.lock();
        let Some(known) = watched.get_mut(uri) else { return true };
        known.sessions.remove(session);
        let last = known.sessions.is_empty();
        if last {
            watched.remove(uri);
        }
        last
    }

    /// Forgets a session. Returns the resources that are no longer watched.
    pub(crate) fn forget(&self, session: &str) -> Vec<String> {
        let mut gone = Vec::new();
        self.lock().retain(|uri, known| {
            if known.sessions.remove(session).is_some() && known.sessions.is_empty() {
                gone.push(uri.clone());
            }
            !known.sessions.is_empty()
        });
        gone
    }

    /// Whether a session watches a resource, or one that contains it.
    pub(crate) fn concerns(&self, uri: &str, session: &str) -> bool {
        let watched = self.lock();
        let watches = |uri: &str| watched.get(uri).is_some_and(|known| known.sessions.contains_key(session));
        watches(uri)
            || watched
                .iter()
                .any(|(above, known)| lies_in(uri, above) && known.sessions.contains_key(session))
    }
}

/// Whether a resource is another one, or lies in it like a file in a folder.
pub(crate) fn lies_in(uri: &str, above: &str) -> bool {
    uri.strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || above.ends_with('/') || rest.starts_with('/'))
}

/// Subscribes to a resource in the session era.
pub(super) async fn subscribe(live: &Live, uri: &str) {
    ask_about(live, "resources/subscribe", uri).await;
}

/// Unsubscribes from a resource in the session era.
pub(super) async fn unsubscribe(live: &Live, uri: &str) {
    ask_about(live, "resources/unsubscribe", uri).await;
}

async fn ask_about(live: &Live, method: &str, uri: &str) {
    let uri = serde_json::Value::from(uri).to_string();
    let params = params::with(None, &[("uri", uri.as_bytes())]);
    let _ = handshake::ask(&live.link, method, Some(&params)).await;
}

/// Keeps a subscription to changes of the lists open in the stateless era. In the session era the upstream announces
/// them anyway. Never ends.
pub(crate) async fn keep_listening(live: &Arc<Live>) {
    if live.hello.era == Era::Modern {
        loop {
            let lists =
                json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true});
            if !listen(live, &lists, &Notify::new()).await {
                break;
            }
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }
    std::future::pending::<()>().await;
}

/// Holds one subscription open until the upstream ends it. Returns whether the upstream acknowledged it.
async fn listen(live: &Arc<Live>, filter: &serde_json::Value, begun: &Notify) -> bool {
    let params = params::with(None, &[("notifications", filter.to_string().as_bytes())]);
    let params = Who::unknown().introduced(Some(&params));
    let head = super::link::Head { method: "subscriptions/listen".into(), name: None, arguments: Vec::new() };
    let asked = NewRequest {
        method: "subscriptions/listen",
        params: Some(&params),
        head: Some(Box::new(head)),
        own: true,
        subscription: Some(Bytes::from_static(b"0")),
    };
    let Ok(mut request) = live.link.request(asked).await else { return false };
    let mut acknowledged = false;
    loop {
        tokio::select! {
            biased;
            event = request.events.recv() => match event {
                Some(Event::Notification { method, .. }) if method.ends_with("/acknowledged") => {
                    acknowledged = true;
                    begun.notify_one();
                }
                Some(Event::Notification { method, params }) => live.link.notify_all(method, params),
                Some(Event::Ask(_) | Event::Pause { .. }) => {}
                None => return acknowledged,
            },
            _ = &mut request.answer => return acknowledged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remove_keeps_other_watchers_of_a_resource() {
        let watched = Subscriptions::default();
        assert!(watched.add("file:///a/", "s1", None) && watched.add("file:///a/", "s2", Some("{}".into())));
        assert!(!watched.add(&"x".repeat(MAX_URI_BYTES + 1), "s1", None));
        assert_eq!(watched.of(&ClientGroup::Pooled("{}".into())), ["file:///a/"]);
        assert!(watched.of(&ClientGroup::Pooled("[]".into())).is_empty());
        assert_eq!(watched.of(&ClientGroup::Stateless), ["file:///a/"]);
        assert!(watched.concerns("file:///a/b", "s1") && !watched.concerns("file:///ab", "s1"));
        assert!(!watched.remove("file:///a/", "s1"));
        assert!(!watched.concerns("file:///a/", "s1") && watched.concerns("file:///a/", "s2"));
        assert_eq!(watched.forget("s2"), ["file:///a/"]);
        assert!(watched.remove("file:///a/", "s2"));
    }
}
