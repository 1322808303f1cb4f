//! What an upstream is to tell about, and for whom.
//!
//! Owns: which client session watches which resource, so that one that stops watching does not stop the
//! others; and how an upstream of the stateless era is asked to tell. Refuses to know: how clients are told.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde_json::json;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::audience::Among;
use super::handshake;
use super::link::Asked;
use super::session::Live;
use crate::exchange::Event;
use crate::wire::{Era, Who, params};

/// Resources watched at most, over all sessions.
const MAX_WATCHED: usize = 10_000;
/// Longest address of one.
const LONGEST: usize = 8 << 10;
/// Pause before an upstream that ended a subscription is asked again.
const PAUSE: Duration = Duration::from_secs(5);

/// What is watched, by resource.
#[derive(Default)]
pub(crate) struct Subscriptions(Mutex<HashMap<String, Watched>>);

#[derive(Default)]
struct Watched {
    /// By session; of stateless clients with their capabilities.
    sessions: HashMap<Box<str>, Option<Bytes>>,
    /// What has an upstream of the stateless era tell.
    telling: Option<JoinHandle<()>>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(telling) = &self.telling {
            telling.abort();
        }
    }
}

impl Subscriptions {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Watched>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a watcher; false where there are too many, or the address is too long to be kept.
    pub(crate) fn add(&self, uri: &str, session: &str, stateless: Option<Bytes>) -> bool {
        let mut watched = self.lock();
        if uri.len() > LONGEST || (watched.len() >= MAX_WATCHED && !watched.contains_key(uri)) {
            return false;
        }
        watched.entry(uri.to_owned()).or_default().sessions.insert(session.into(), stateless);
        true
    }

    /// Has an upstream of the stateless era tell of a resource as long as somebody watches it; it has begun to
    /// when this is done, unless it takes too long.
    pub(crate) async fn watch(&self, live: &Arc<Live>, uri: &str) {
        let begun = self.begin_watch(live, uri);
        let _ = tokio::time::timeout(PAUSE, begun.notified()).await;
    }

    fn begin_watch(&self, live: &Arc<Live>, uri: &str) -> Arc<Notify> {
        let (live, filter) = (Arc::clone(live), json!({"resourceSubscriptions": [uri]}));
        let begun = Arc::new(Notify::new());
        let mut watched = self.lock();
        match watched.get_mut(uri) {
            Some(known) if known.telling.as_ref().is_none_or(JoinHandle::is_finished) => {
                let told = Arc::clone(&begun);
                known.telling = Some(tokio::spawn(async move {
                    while !live.link.is_closed() && listen(&live, &filter, &told).await {
                        tokio::time::sleep(PAUSE).await;
                    }
                }));
            }
            // It tells already, or nobody watches any more.
            _ => begun.notify_one(),
        }
        begun
    }

    /// Has an upstream that began anew tell of everything that is watched.
    pub(crate) fn renew(&self, live: &Arc<Live>) {
        // What had the one before tell may not have noticed yet that it is gone.
        let is_modern = live.hello.era == Era::Modern;
        let forget = |(uri, known): (&String, &mut Watched)| {
            known.telling.take_if(|_| is_modern).inspect(JoinHandle::abort);
            uri.clone()
        };
        let watched: Vec<String> = self.lock().iter_mut().map(forget).collect();
        match live.hello.era {
            Era::Modern => watched.iter().for_each(|uri| drop(self.begin_watch(live, uri))),
            Era::Legacy if watched.is_empty() => {}
            Era::Legacy => {
                let live = Arc::clone(live);
                tokio::spawn(tokio::time::timeout(handshake::LIMIT, async move {
                    for uri in watched {
                        subscribe(&live, &uri).await;
                    }
                }));
            }
        }
    }

    /// What is watched by these clients.
    pub(crate) fn of(&self, among: &Among) -> Vec<String> {
        let theirs = |known: &Watched| {
            known.sessions.values().flatten().any(|capabilities| match among {
                Among::InTurn(theirs) => capabilities == theirs,
                Among::Stateless => true,
            })
        };
        self.lock().iter().filter(|(_, known)| theirs(known)).map(|(uri, _)| uri.clone()).collect()
    }

    /// Forgets a watcher; whether it was the last one.
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

    /// Forgets a session; the resources nobody watches any more.
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

    /// Whether a session is to be told of this resource, or of what lies in it.
    pub(crate) fn concerns(&self, uri: &str, session: &str) -> bool {
        let watched = self.lock();
        let watches = |uri: &str| watched.get(uri).is_some_and(|known| known.sessions.contains_key(session));
        watches(uri)
            || watched
                .iter()
                .any(|(above, known)| lies_in(uri, above) && known.sessions.contains_key(session))
    }
}

/// Whether a resource is another one, or lies in it as files do in a folder.
pub(crate) fn lies_in(uri: &str, above: &str) -> bool {
    uri.strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || above.ends_with('/') || rest.starts_with('/'))
}

/// Has an upstream with a handshake tell of a resource, if it does.
pub(super) async fn subscribe(live: &Live, uri: &str) {
    say_of(live, "resources/subscribe", uri).await;
}

/// Has it no longer tell.
pub(super) async fn unsubscribe(live: &Live, uri: &str) {
    say_of(live, "resources/unsubscribe", uri).await;
}

async fn say_of(live: &Live, method: &str, uri: &str) {
    let uri = serde_json::Value::from(uri).to_string();
    let params = params::with(None, &[("uri", uri.as_bytes())]);
    let _ = handshake::ask(&live.link, method, Some(&params)).await;
}

/// Keeps an upstream of the stateless era telling of changes of its lists; one with a handshake tells by
/// itself. Never ends.
pub(crate) async fn keep_told(live: &Arc<Live>) {
    if live.hello.era == Era::Modern {
        loop {
            let lists =
                json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true});
            if !listen(live, &lists, &Notify::new()).await {
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
    std::future::pending::<()>().await;
}

/// One subscription from start to end; false where the upstream has none.
async fn listen(live: &Arc<Live>, filter: &serde_json::Value, begun: &Notify) -> bool {
    let params = params::with(None, &[("notifications", filter.to_string().as_bytes())]);
    let params = Who::nobody().introduced(Some(&params));
    let head = super::link::Head { method: "subscriptions/listen".into(), name: None, arguments: Vec::new() };
    let asked = Asked {
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
                Some(Event::Notification { method, params }) => live.link.tell_all(method, params),
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
    fn one_that_stops_watching_does_not_stop_the_others() {
        let watched = Subscriptions::default();
        assert!(watched.add("file:///a/", "s1", None) && watched.add("file:///a/", "s2", Some("{}".into())));
        assert!(!watched.add(&"x".repeat(LONGEST + 1), "s1", None));
        assert_eq!(watched.of(&Among::InTurn("{}".into())), ["file:///a/"]);
        assert!(watched.of(&Among::InTurn("[]".into())).is_empty());
        assert_eq!(watched.of(&Among::Stateless), ["file:///a/"]);
        assert!(watched.concerns("file:///a/b", "s1") && !watched.concerns("file:///ab", "s1"));
        assert!(!watched.remove("file:///a/", "s1"));
        assert!(!watched.concerns("file:///a/", "s1") && watched.concerns("file:///a/", "s2"));
        assert_eq!(watched.forget("s2"), ["file:///a/"]);
        assert!(watched.remove("file:///a/", "s2"));
    }
}
