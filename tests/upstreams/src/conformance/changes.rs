//! Lists that change while clients look, and the notifications to sessions and subscriptions.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, RoleServer, SubscriptionContext, SubscriptionSendError};
use tokio::sync::broadcast::{Receiver, Sender, error::RecvError};

/// Changes that clients can be notified of.
#[derive(Debug, Clone)]
pub enum Change {
    /// `tools/list` answers something else than before.
    Tools,
    /// `prompts/list` answers something else than before.
    Prompts,
    /// `resources/list` answers something else than before.
    Resources,
    /// A resource has been updated, by URI.
    Resource(String),
}

/// The changes of a server, over all its sessions and requests.
#[derive(Debug)]
pub struct Changes {
    sender: Sender<Change>,
    more_tools: AtomicBool,
    more_prompts: AtomicBool,
    more_resources: AtomicBool,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            sender: Sender::new(64),
            more_tools: AtomicBool::new(false),
            more_prompts: AtomicBool::new(false),
            more_resources: AtomicBool::new(false),
        }
    }
}

impl Changes {
    /// Makes a change and tells everybody who listens.
    pub fn make(&self, change: Change) {
        match change {
            Change::Tools => _ = self.more_tools.fetch_xor(true, Ordering::Relaxed),
            Change::Prompts => _ = self.more_prompts.fetch_xor(true, Ordering::Relaxed),
            Change::Resources => _ = self.more_resources.fetch_xor(true, Ordering::Relaxed),
            Change::Resource(_) => {}
        }
        // Nobody listening is fine.
        let _ = self.sender.send(change);
    }

    /// Whether `tools/list` has one more tool at present.
    pub fn more_tools(&self) -> bool {
        self.more_tools.load(Ordering::Relaxed)
    }

    /// Whether `prompts/list` has one more prompt at present.
    pub fn more_prompts(&self) -> bool {
        self.more_prompts.load(Ordering::Relaxed)
    }

    /// Whether `resources/list` has one more resource at present.
    pub fn more_resources(&self) -> bool {
        self.more_resources.load(Ordering::Relaxed)
    }

    /// All changes from now on.
    pub fn listen(&self) -> Receiver<Change> {
        self.sender.subscribe()
    }
}

/// The resources a session has subscribed to, by URI.
pub type Subscriptions = Arc<Mutex<BTreeSet<String>>>;

/// Tells a session of changes, as long as it lasts.
pub async fn tell_session(
    peer: Peer<RoleServer>,
    subscriptions: Subscriptions,
    mut changes: Receiver<Change>,
) {
    while let Some(change) = next(&mut changes).await {
        let told = match change {
            Change::Tools => peer.notify_tool_list_changed().await,
            Change::Prompts => peer.notify_prompt_list_changed().await,
            Change::Resources => peer.notify_resource_list_changed().await,
            Change::Resource(uri) => {
                if !subscriptions.lock().unwrap_or_else(PoisonError::into_inner).contains(&uri) {
                    continue;
                }
                peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
            }
        };
        if told.is_err() {
            break;
        }
    }
}

/// Tells a subscription of the changes it asked for, until it is cancelled.
pub async fn tell_subscription(context: &SubscriptionContext, mut changes: Receiver<Change>) {
    loop {
        let change = tokio::select! {
            change = next(&mut changes) => change,
            () = context.cancelled() => None,
        };
        let sink = context.sink();
        let told = match change {
            None => break,
            Some(Change::Tools) => sink.notify_tool_list_changed().await,
            Some(Change::Prompts) => sink.notify_prompt_list_changed().await,
            Some(Change::Resources) => sink.notify_resource_list_changed().await,
            Some(Change::Resource(uri)) => sink.notify_resource_updated(uri).await,
        };
        if !matches!(told, Ok(()) | Err(SubscriptionSendError::NotificationNotAccepted(_))) {
            break;
        }
    }
}

/// The next change; none when the server is gone. Who is too slow misses some.
async fn next(changes: &mut Receiver<Change>) -> Option<Change> {
    loop {
        match changes.recv().await {
            Ok(change) => return Some(change),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return None,
        }
    }
}
