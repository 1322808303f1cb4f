//! Which list of all tools this is, and what upstreams tell everybody.
//!
//! Owns: on whose account the list changed, so that a client that an upstream tells by a session of its own is not
//! told twice; passing on what upstreams tell. Refuses to know: who listens, and how.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::{broadcast, watch};

use super::Hub;
use crate::observer::{ListedTool, Observer};
use crate::upstream::Upstream;
use crate::upstream::audience::Among;
use crate::upstream::link::Notification;
use crate::wire::Who;

/// How often the list of all tools has changed, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lists {
    /// Because of us: other names, schemas, servers.
    ours: u64,
    /// Because an upstream lists others than before, by its name.
    theirs: BTreeMap<String, u64>,
}

impl Lists {
    /// Notes a change of our own.
    pub(crate) fn change(&mut self) {
        self.ours += 1;
    }

    fn change_of(&mut self, server: &str) {
        *self.theirs.entry(server.to_owned()).or_default() += 1;
    }

    /// Whether somebody who knows `before` is to be told. Changes of upstreams that are not `heard` are none.
    fn is_news_after(&self, before: &Self, heard: impl Fn(&str) -> bool) -> bool {
        self.ours != before.ours
            || self
                .theirs
                .iter()
                .any(|(server, times)| before.theirs.get(server) != Some(times) && heard(server))
    }
}

/// Something an upstream tells everybody.
#[derive(Clone)]
pub(crate) struct Told {
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) notification: Notification,
    /// Whom it is for; none where that is the session all share.
    pub(crate) among: Option<Among>,
}

/// The changes of the list of all tools that concern one client.
pub(crate) struct Changes {
    hub: Arc<Hub>,
    lists: watch::Receiver<Lists>,
    known: Lists,
}

impl Changes {
    /// From what the client knows already; from now on where it knows nothing.
    pub(crate) fn after(hub: &Arc<Hub>, known: Option<Lists>) -> Self {
        let mut lists = hub.changed.subscribe();
        let now = lists.borrow_and_update().clone();
        let known = match known {
            // What came since is news for it.
            Some(known) => {
                lists.mark_changed();
                known
            }
            None => now,
        };
        Self { hub: Arc::clone(hub), lists, known }
    }

    /// Waits for the next one; none once there are no more.
    pub(crate) async fn next(&mut self, who: impl Fn() -> Who) -> Option<()> {
        loop {
            self.lists.changed().await.ok()?;
            let now = self.lists.borrow_and_update().clone();
            let who = who();
            // One that has a session of its own there is told by that.
            let heard = |server: &str| {
                self.hub.upstream(server).is_none_or(|upstream| upstream.serving_now(&who).is_none())
            };
            let is_news = now.is_news_after(&self.known, heard);
            self.known = now;
            if is_news {
                return Some(());
            }
        }
    }
}

/// Passes on an upstream's changes of tools: it became ready, or listed others than before.
pub(super) async fn announce_tools(
    upstream: Arc<Upstream>,
    changed: Arc<watch::Sender<Lists>>,
    observer: Arc<dyn Observer>,
) {
    let mut changes = upstream.changes();
    let mut before: Option<Arc<[ListedTool]>> = None;
    while changes.changed().await.is_ok() {
        observer.changed(upstream.name());
        let now = upstream.live_now().map(|live| live.tools());
        // A pause between two processes is no change: the tools are expected back.
        if now.is_some() && now != before {
            before = now;
            changed.send_modify(|lists| lists.change_of(upstream.name()));
        }
    }
}

/// Passes on what an upstream tells everybody, but for changes of the tools that all are shown.
pub(super) async fn announce_others(upstream: Arc<Upstream>, told: broadcast::Sender<Told>) {
    let mut said = upstream.subscribe();
    loop {
        match said.recv().await {
            Ok(said) => {
                let method = said.notification.method.as_str();
                let tools = method == "notifications/tools/list_changed" && said.among.is_none();
                let list = method.ends_with("/list_changed") && !tools;
                if list || method == "notifications/resources/updated" {
                    let (notification, among) = (said.notification, said.among);
                    // Nobody listening is fine.
                    let _ = told.send(Told { upstream: Arc::clone(&upstream), notification, among });
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
    fn what_an_upstream_tells_itself_is_no_news() {
        let mut lists = Lists::default();
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
