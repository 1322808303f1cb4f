//! `subscriptions/listen` where no upstream of the stateless era can be asked: on `/mcp`, and of an upstream
//! with a handshake.
//!
//! Owns: what such a stream tells of, in the form of the stateless era. Refuses to know: who sent it.

use std::sync::Arc;

use axum::response::Response;
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::{broadcast, mpsc};

use super::form::{self, KEEP_ALIVE};
use super::{Endpoint, Target, aggregate};
use crate::hub::changes::{Changes, Told};
use crate::upstream::Upstream;
use crate::upstream::audience::Said;
use crate::upstream::link::Notification;
use crate::upstream::subscriptions::lies_in;
use crate::wire::message;
use crate::wire::{Era, Who, meta, params};

/// Notifications that may wait for a slow listener.
const BUFFER: usize = 64;
/// Resources one stream may watch.
const MAX_WATCHED: usize = 1_000;

/// What a stream is to tell of.
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

/// Where a stream's notifications come from.
enum Source {
    One(Arc<Upstream>, broadcast::Receiver<Said>),
    All(broadcast::Receiver<Told>, Changes),
}

impl Source {
    /// What comes next for this client; none at the end.
    async fn next(&mut self, who: &Who) -> Option<Notification> {
        loop {
            let told = match self {
                Self::One(upstream, said) => said
                    .recv()
                    .await
                    .map(|said| upstream.concerns(who, said.among.as_ref()).then_some(said.notification)),
                Self::All(told, changes) => tokio::select! {
                    told = told.recv() => told.map(|told| {
                        told.upstream.concerns(who, told.among.as_ref()).then_some(told.notification)
                    }),
                    changed = changes.next(|| who.clone()) => {
                        changed?;
                        let method = "notifications/tools/list_changed".into();
                        Ok(Some(Notification { method, params: None }))
                    }
                },
            };
            match told {
                Ok(Some(notification)) => return Some(notification),
                Ok(None) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}

/// Watchers of one stream, ended with it.
struct Watching {
    name: String,
    upstreams: Vec<Arc<Upstream>>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.upstreams.iter().for_each(|upstream| upstream.forget_session(&self.name));
    }
}

/// The stream, unless the upstream can be asked for it in its own era.
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
        Target::All => Source::All(endpoint.hub.told(), Changes::after(&endpoint.hub, None)),
    };
    let mut random = [0; 8];
    let _ = getrandom::fill(&mut random);
    let name = format!("listen-{:016x}", u64::from_ne_bytes(random));
    let mut watching = Watching { name, upstreams: Vec::new() };
    for uri in &filter.watched {
        let upstream = match target {
            Target::One(upstream) => Some(Arc::clone(upstream)),
            Target::All => aggregate::resource(endpoint, uri).await.ok(),
        };
        let Some(upstream) = upstream else { continue };
        if !watching.upstreams.iter().any(|known| Arc::ptr_eq(known, &upstream)) {
            watching.upstreams.push(Arc::clone(&upstream));
        }
        upstream.watch(uri, &watching.name, who).await;
    }
    let (sender, response) = form::stream(BUFFER);
    let (id, who) = (id.clone(), who.clone());
    let shutdown = endpoint.shutdown.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = feed(filter, id, source, &who, &sender) => {}
            () = sender.closed() => {}
            () = shutdown.cancelled() => {}
        }
        drop(watching);
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
