//! Changes of the list of all tools, and notifications of upstreams for all clients.
//!
//! Changes are counted by cause. A client with an own session at an upstream is notified by that session, and must
//! not be notified twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::{broadcast, watch};
use tokio::time::{Duration, Instant};

use super::Hub;
use crate::adapter::Adapter;
use crate::observer::Observer;
use crate::upstream::Upstream;
use crate::upstream::audience::ClientGroup;
use crate::upstream::link::Notification;
use crate::wire::Who;

/// The version of the list of all tools: its number of changes by cause.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ListVersion {
    /// Changes by Schemascope: names, schemas, servers.
    ours: u64,
    /// Changes by upstreams, by name.
    theirs: BTreeMap<String, u64>,
}

impl ListVersion {
    /// Counts a change by Schemascope.
    pub(crate) fn change(&mut self) {
        self.ours += 1;
    }

    fn change_of(&mut self, server: &str) {
        *self.theirs.entry(server.to_owned()).or_default() += 1;
    }

    /// Whether a client that knows `before` must be notified. Changes by upstreams count only where `counts` says so.
    fn is_news_after(&self, before: &Self, counts: impl Fn(&str) -> bool) -> bool {
        self.ours != before.ours
            || self
                .theirs
                .iter()
                .any(|(server, times)| before.theirs.get(server) != Some(times) && counts(server))
    }
}

/// A notification of an upstream for all clients, or for a group of them.
#[derive(Clone)]
pub(crate) struct UpstreamNotification {
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) notification: Notification,
    /// The group of clients it is for; `None` if it came on the shared session.
    pub(crate) among: Option<ClientGroup>,
}

/// Changes of the list of all tools, for one client.
pub(crate) struct ListChanges {
    hub: Arc<Hub>,
    lists: watch::Receiver<ListVersion>,
    known: ListVersion,
    /// When the client is notified of what has changed.
    due: Option<Instant>,
}

/// Changes within this time are one for a client: a decision changes schemas and overrides, and many servers start at once.
const TOGETHER: Duration = Duration::from_millis(100);

impl ListChanges {
    /// Starts from the version that the client knows, or from the current one.
    pub(crate) fn after(hub: &Arc<Hub>, known: Option<ListVersion>) -> Self {
        let mut lists = hub.changed.subscribe();
        let now = lists.borrow_and_update().clone();
        let known = match known {
            // Changes since then must be reported.
            Some(known) => {
                lists.mark_changed();
                known
            }
            None => now,
        };
        Self { hub: Arc::clone(hub), lists, known, due: None }
    }

    /// Waits for the next change; `None` once there are no more.
    pub(crate) async fn next(&mut self, who: impl Fn() -> Who) -> Option<()> {
        loop {
            // What is awaited may be given up and asked for again.
            if self.due.is_none() {
                self.lists.changed().await.ok()?;
                self.due = Some(Instant::now() + TOGETHER);
            }
            if let Some(due) = self.due {
                tokio::time::sleep_until(due).await;
            }
            self.due = None;
            let now = self.lists.borrow_and_update().clone();
            let who = who();
            // A client with an own session at the upstream is notified by that session.
            let counts = |server: &str| {
                self.hub.upstream(server).is_none_or(|upstream| upstream.serving_now(&who).is_none())
            };
            let is_news = now.is_news_after(&self.known, counts);
            self.known = now;
            if is_news {
                return Some(());
            }
        }
    }
}

/// Counts changes of an upstream's tools: when it becomes ready, and when it lists different tools. Notifies
/// clients that got expected prompts and resources.
pub(super) async fn announce_tools(
    upstream: Arc<Upstream>,
    changed: Arc<watch::Sender<ListVersion>>,
    observer: Arc<dyn Observer>,
    adapter: &Adapter,
    notifications: &broadcast::Sender<UpstreamNotification>,
) {
    let mut changes = upstream.changes();
    // Clients got the tools of its last introduction.
    let mut before = Some(upstream.introduced_tools()).filter(|known| !known.is_empty());
    while changes.changed().await.is_ok() {
        observer.changed(upstream.name());
        let now = upstream.live_now().map(|live| live.tools());
        // A restart is not a change: the tools are expected back. But a client may have listed them meanwhile.
        if now.is_some() && (upstream.was_missed() || now != before) {
            before = now;
            // What is not part of `/mcp` changes nothing there.
            if adapter.schemas().is_offered(upstream.name()) {
                changed.send_modify(|lists| lists.change_of(upstream.name()));
            }
        }
        if let Some(live) = upstream.live_now()
            && upstream.had_sent_expected()
        {
            for list in ["prompts", "resources"].into_iter().filter(|list| live.hello.has(list)) {
                let method = format!("notifications/{list}/list_changed");
                // Fails if no client listens.
                let _ = notifications.send(UpstreamNotification {
                    upstream: Arc::clone(&upstream),
                    notification: Notification { method, params: None },
                    among: None,
                });
            }
        }
    }
}

/// Passes on an upstream's notifications for all clients, except changes of the tools of the shared session.
pub(super) async fn announce_others(
    upstream: Arc<Upstream>,
    notifications: broadcast::Sender<UpstreamNotification>,
) {
    let mut received = upstream.subscribe();
    loop {
        match received.recv().await {
            Ok(received) => {
                let method = received.notification.method.as_str();
                let tools = method == "notifications/tools/list_changed" && received.among.is_none();
                // Which clients each of the others concerns is known where they listen.
                if !tools {
                    let (notification, among) = (received.notification, received.among);
                    // Fails if no client listens.
                    let _ = notifications.send(UpstreamNotification {
                        upstream: Arc::clone(&upstream),
                        notification,
                        among,
                    });
                }
            }
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_news_after_ignores_upstreams_that_notify_the_client_themselves() {
        let mut lists = ListVersion::default();
        let before = lists.clone();
        assert!(!lists.is_news_after(&before, |_| true));
        lists.change_of("a");
        assert!(lists.is_news_after(&before, |_| true) && !lists.is_news_after(&before, |name| name != "a"));
        lists.change_of("b");
        assert!(lists.is_news_after(&before, |name| name != "a"));
        let before = lists.clone();
        lists.change();
        assert!(lists.is_news_after(&before, |_| false));
    }
}
