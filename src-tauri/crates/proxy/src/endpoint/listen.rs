//! `subscriptions/listen` as Schemascope answers it itself: on `/mcp`, and for upstreams of the session era.

use std::sync::Arc;

use axum::response::Response;
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::{broadcast, mpsc};

use super::form::{self, KEEP_ALIVE};
use super::{Endpoint, Target};
use crate::hub::changes::{ListChanges, UpstreamNotification};
use crate::upstream::Upstream;
use crate::upstream::audience::SharedNotification;
use crate::upstream::link::Notification;
use crate::upstream::subscriptions::lies_in;
use crate::wire::message;
use crate::wire::{Era, Who, meta, params};

/// Notifications that wait for a slow listener.
const STREAM_BUFFER: usize = 64;
/// Limit of resources that one stream watches.
const MAX_WATCHED: usize = 1_000;

/// The notifications that a client wants on a stream.
#[derive(Debug, Default)]
struct Filter {
    tools: bool,
    prompts: bool,
    resources: bool,
    watched: Vec<String>,
}

impl Filter {
    fn of(params: Option<&Bytes>) -> Self {
        let wanted: Value = params
            .and_then(|params| serde_json::from_slice(&params::field(params, "notifications")?.raw).ok())
            .unwrap_or_default();
        let is = |key: &str| wanted[key].as_bool() == Some(true);
        let watched = wanted["resourceSubscriptions"].as_array().into_iter().flatten();
        Self {
            tools: is("toolsListChanged"),
            prompts: is("promptsListChanged"),
            resources: is("resourcesListChanged"),
            watched: watched.filter_map(Value::as_str).map(str::to_owned).take(MAX_WATCHED).collect(),
        }
    }

    fn honoured(&self) -> Value {
        let mut honoured = json!({});
        for (key, wanted) in [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ] {
            if wanted {
                honoured[key] = true.into();
            }
        }
        if !self.watched.is_empty() {
            honoured["resourceSubscriptions"] = json!(self.watched);
        }
        honoured
    }

    fn wants(&self, notification: &Notification) -> bool {
        match notification.method.as_str() {
            "notifications/tools/list_changed" => self.tools,
            "notifications/prompts/list_changed" => self.prompts,
            "notifications/resources/list_changed" => self.resources,
            "notifications/resources/updated" => {
                let uri = notification.params.as_ref().and_then(|params| params::text(params, "uri"));
                uri.is_some_and(|uri| self.watched.iter().any(|watched| lies_in(&uri, watched)))
            }
            _ => false,
        }
    }
}

/// The source of a stream's notifications.
enum Source {
    One(Arc<Upstream>, broadcast::Receiver<SharedNotification>),
    All(broadcast::Receiver<UpstreamNotification>, ListChanges),
}

impl Source {
    /// The next notification for this client; `None` at the end.
    async fn next(&mut self, who: &Who) -> Option<Notification> {
        loop {
            let received = match self {
                Self::One(upstream, notifications) => notifications.recv().await.map(|received| {
                    upstream.concerns(who, received.among.as_ref()).then_some(received.notification)
                }),
                Self::All(notifications, changes) => tokio::select! {
                    received = notifications.recv() => received.map(|received| {
                        received.upstream.concerns(who, received.among.as_ref()).then_some(received.notification)
                    }),
                    changed = changes.next(|| who.clone()) => {
                        changed?;
                        let method = "notifications/tools/list_changed".into();
                        Ok(Some(Notification { method, params: None }))
                    }
                },
            };
            match received {
                Ok(Some(notification)) => return Some(notification),
                Ok(None) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}

/// The watched resources of one stream; dropping it ends the watches.
struct Watches {
    name: String,
    upstreams: Vec<Arc<Upstream>>,
}

impl Drop for Watches {
    fn drop(&mut self) {
        self.upstreams.iter().for_each(|upstream| upstream.forget_session(&self.name));
    }
}

/// Opens the stream; `None` if the upstream is stateless and answers itself.
pub(crate) async fn own(
    endpoint: &Arc<Endpoint>,
    target: &Target,
    id: &Bytes,
    params: Option<&Bytes>,
    who: &Who,
) -> Option<Response> {
    let filter = Filter::of(params);
    let source = match target {
        Target::One(upstream) => {
            let shared = upstream.live().await.ok()?;
            if shared.hello.era == Era::Modern || upstream.speaks_modern(&shared).await {
                return None;
            }
            Source::One(Arc::clone(upstream), upstream.subscribe())
        }
        Target::All => Source::All(endpoint.hub.notifications(), ListChanges::after(&endpoint.hub, None)),
    };
    let mut random = [0; 8];
    let _ = getrandom::fill(&mut random);
    let name = format!("listen-{:016x}", u64::from_ne_bytes(random));
    let mut watches = Watches { name, upstreams: Vec::new() };
    for uri in &filter.watched {
        let upstream = match target {
            Target::One(upstream) => Some(Arc::clone(upstream)),
            Target::All => endpoint.hub.resource(uri).await,
        };
        let Some(upstream) = upstream else { continue };
        if !watches.upstreams.iter().any(|known| Arc::ptr_eq(known, &upstream)) {
            watches.upstreams.push(Arc::clone(&upstream));
        }
        upstream.watch(uri, &watches.name, who).await;
    }
    let (sender, response) = form::stream(STREAM_BUFFER);
    let (id, who) = (id.clone(), who.clone());
    let shutdown = endpoint.shutdown.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = feed(filter, id, source, &who, &sender) => {}
            () = sender.closed() => {}
            () = shutdown.cancelled() => {}
        }
        drop(watches);
    });
    Some(response)
}

async fn feed(filter: Filter, id: Bytes, mut source: Source, who: &Who, sender: &mpsc::Sender<Bytes>) {
    let tagged = |method: &str, params: Option<&Bytes>| {
        let meta = params.and_then(|params| params::field(params, "_meta")).map(|found| found.raw);
        let meta = params::with(meta.as_ref(), &[(meta::SUBSCRIPTION, &id)]);
        let params = params::with(params, &[("_meta", &meta)]);
        form::event(&message::notification(method, Some(&params)))
    };
    let honoured = filter.honoured().to_string();
    let acknowledged = params::with(None, &[("notifications", honoured.as_bytes())]);
    let _ = sender.send(tagged("notifications/subscriptions/acknowledged", Some(&acknowledged))).await;
    loop {
        let notification = tokio::select! {
            notification = source.next(who) => match notification {
                Some(notification) => notification,
                None => return,
            },
            () = tokio::time::sleep(KEEP_ALIVE) => {
                let _ = sender.send(form::keep_alive()).await;
                continue;
            }
        };
        if filter.wants(&notification) {
            let event = tagged(&notification.method, notification.params.as_ref());
            if sender.send(event).await.is_err() {
                return;
            }
        }
    }
}
