//! All upstreams together.
//!
//! Owns: which there are, what is under way at them, and, below, what they list together, under which names, and whose
//! a name is. Refuses to know: sessions, HTTP.

pub(crate) mod changes;
mod directory;
mod lists;
mod names;
mod reconfigure;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use schemascope_model::ToolId;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::adapter::Adapter;
use crate::call::{self, Answer, CallFailed, Caller, Outgoing, Recording};
use crate::config::{Config, ServerEntry};
use crate::exchange::{Active, Outbox};
use crate::observer::Observer;
use crate::schemas::{Adapting, Schemas};
use crate::upstream::{Live, Status, Upstream};
use crate::wire::{Body, RpcError, Who};
use changes::{Lists, Told};
use directory::Directory;
pub use reconfigure::Reconfigured;

/// How long a list of all tools waits for upstreams that are still starting. Those that come later
/// are announced with `list_changed`.
const LIST_PATIENCE: Duration = Duration::from_secs(10);
/// What upstreams told that may wait for a slow listener.
const TOLD: usize = 256;
/// How often it is looked whether requests are under way that are waited for.
const IDLE_LOOK: Duration = Duration::from_millis(10);

/// Who a request is from.
pub(crate) struct From {
    pub(crate) who: Who,
    /// Where goes what belongs to none of its requests.
    pub(crate) owner: Option<Outbox>,
}

type Upstreams = BTreeMap<String, Arc<Upstream>>;

/// All upstreams of a configuration.
pub struct Hub {
    /// Another map with every change of the configuration.
    upstreams: RwLock<Arc<Upstreams>>,
    observer: Arc<dyn Observer>,
    adapter: Arc<Adapter>,
    changed: Arc<watch::Sender<Lists>>,
    /// What upstreams tell everybody besides: changes of other lists and of resources.
    told: broadcast::Sender<Told>,
    requests: TaskTracker,
    /// Ends requests that nothing else ends, once all upstreams have ended.
    ending: CancellationToken,
    /// Where resources and prompts are, as they were listed last.
    directory: Mutex<Directory>,
    /// Streams of which something went that no client had taken.
    lost_streams: Arc<AtomicU64>,
    /// When resources were listed last to find one.
    listed: tokio::sync::Mutex<Option<Instant>>,
}

impl Hub {
    /// Takes the upstreams of `config`. Nothing is started yet. Needs a tokio runtime. Results of tools of
    /// which `schemas` knows something are adapted on `/mcp`, as far as `adapting` says.
    pub fn new(
        config: &Config,
        observer: Arc<dyn Observer>,
        schemas: Arc<dyn Schemas>,
        adapting: Adapting,
    ) -> Arc<Self> {
        let changed = Arc::new(watch::Sender::new(Lists::default()));
        let told = broadcast::Sender::new(TOLD);
        let (requests, ending, directory) = (TaskTracker::new(), CancellationToken::new(), Mutex::default());
        let adapter = Adapter::new(adapting, schemas, Arc::clone(&observer), Arc::clone(&changed));
        let hub = Self {
            upstreams: RwLock::default(),
            observer,
            adapter: Arc::new(adapter),
            changed,
            told,
            requests,
            ending,
            directory,
            lost_streams: Arc::default(),
            listed: tokio::sync::Mutex::default(),
        };
        let added = config.servers.iter().map(|(name, entry)| (name.clone(), hub.add(name, entry)));
        let added = Arc::new(added.collect());
        *hub.upstreams.write().unwrap_or_else(PoisonError::into_inner) = added;
        Arc::new(hub)
    }

    fn add(&self, name: &str, entry: &ServerEntry) -> Arc<Upstream> {
        let upstream = Upstream::new(name, entry.clone(), Arc::clone(&self.observer));
        let (changed, observer) = (Arc::clone(&self.changed), Arc::clone(&self.observer));
        let ended = upstream.ended();
        let (told, announced) = (self.told.clone(), Arc::clone(&upstream));
        tokio::spawn(async move {
            tokio::select! {
                () = changes::announce_tools(Arc::clone(&announced), changed, observer) => {}
                () = changes::announce_others(Arc::clone(&announced), told) => {}
                () = ended.cancelled() => {}
            }
        });
        upstream
    }

    fn upstreams(&self) -> Arc<Upstreams> {
        Arc::clone(&self.upstreams.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adapts so much from now on. Clients are told where that changes their lists.
    pub fn set_adapting(&self, adapting: Adapting) {
        self.adapter.set(adapting);
    }

    /// Every upstream's state, by name.
    pub fn status(&self) -> Vec<Status> {
        self.upstreams().values().map(|upstream| upstream.status()).collect()
    }

    /// The last lines an upstream wrote to stderr, and to stdout where they were no messages.
    pub fn log(&self, name: &str) -> Vec<String> {
        self.upstream(name).map(|upstream| upstream.log()).unwrap_or_default()
    }

    /// Ends an upstream's process, if there is one, and begins to start it anew. False when there is no
    /// such upstream, or nothing to start.
    pub fn restart(&self, name: &str) -> bool {
        let upstream = self.upstream(name).filter(|upstream| upstream.can_start());
        upstream.inspect(|upstream| upstream.restart()).is_some()
    }

    /// Calls a tool for ourselves, by its upstream name. Recorded as any call; cancelled when the
    /// returned future is dropped.
    pub async fn call(&self, tool: &ToolId, arguments: Bytes, caller: Caller) -> Result<Answer, CallFailed> {
        let name = serde_json::Value::from(tool.tool()).to_string();
        let params = [b"{\"name\":", name.as_bytes(), b",\"arguments\":", &arguments, b"}"].concat();
        let recording = Recording { tool: tool.clone(), arguments: Some(arguments), caller, task: None };
        let cancel = CancellationToken::new();
        let _cancelled_when_dropped = cancel.clone().drop_guard();
        let from = From { who: Who::nobody(), owner: None };
        let call = self.start_call(params.into(), &from, recording, false, cancel, ());
        match call.map_err(|error| error.body()) {
            Ok(active) => match active.answer.await {
                Ok(Body::Result(result)) => Ok(Answer { result }),
                Ok(Body::Error(error)) => Err(CallFailed::Error(error)),
                Err(_) => Err(CallFailed::BrokenOff),
            },
            Err(Body::Error(error) | Body::Result(error)) => Err(CallFailed::Error(error)),
        }
    }

    /// Streams of answers of which something was dropped that no client had taken, for lack of room.
    pub fn lost_streams(&self) -> u64 {
        self.lost_streams.load(Ordering::Relaxed)
    }

    /// What counts them.
    pub(crate) fn lost_streams_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.lost_streams)
    }

    /// Waits until no request is under way.
    pub async fn idle(&self) {
        while !self.requests.is_empty() {
            tokio::time::sleep(IDLE_LOOK).await;
        }
    }

    /// Ends every upstream, and waits for them and for the requests that end with them.
    pub async fn stop(&self) {
        let stopping: Vec<_> = self
            .upstreams()
            .values()
            .cloned()
            .map(|upstream| tokio::spawn(async move { upstream.stop().await }))
            .collect();
        for stop in stopping {
            let _ = stop.await;
        }
        self.requests.close();
        self.ending.cancel();
        self.requests.wait().await;
    }

    pub(crate) fn upstream(&self, name: &str) -> Option<Arc<Upstream>> {
        self.upstreams().get(name).cloned()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.upstreams().keys().cloned().collect()
    }

    /// Tells clients of `/mcp` to list the tools again: what [`Schemas`] says of one is another now.
    pub fn announce_tools(&self) {
        self.changed.send_modify(Lists::change);
    }

    /// Starts the wanted upstreams that can be, and waits until they have told their tools, or are not in time.
    pub async fn list(&self, wanted: impl Fn(&str) -> bool) {
        Self::ready_of(self.startable().filter(|upstream| wanted(upstream.name())).collect()).await;
    }

    /// Begins to start every upstream, without waiting.
    pub(crate) fn begin_start(&self) {
        for upstream in self.startable() {
            tokio::spawn(async move { drop(upstream.live().await) });
        }
    }

    /// What upstreams tell everybody, but for changes of their tools.
    pub(crate) fn told(&self) -> broadcast::Receiver<Told> {
        self.told.subscribe()
    }

    /// The upstreams that are ready in time.
    pub(crate) async fn ready(&self) -> Vec<(Arc<Upstream>, Arc<Live>)> {
        Self::ready_of(self.startable().collect()).await
    }

    async fn ready_of(upstreams: Vec<Arc<Upstream>>) -> Vec<(Arc<Upstream>, Arc<Live>)> {
        let starting: Vec<_> = upstreams
            .into_iter()
            .map(|upstream| {
                let deadline = upstream.worth_waiting_until(LIST_PATIENCE);
                tokio::spawn(async move {
                    let live = tokio::time::timeout_at(deadline.into(), upstream.live()).await.ok()?.ok()?;
                    Some((upstream, live))
                })
            })
            .collect();
        let mut ready = Vec::new();
        for start in starting {
            ready.extend(start.await.ok().flatten());
        }
        ready
    }

    /// The sessions that are open for a client session alone.
    pub(crate) fn own_sessions(&self, session: &str) -> Vec<Arc<Live>> {
        self.upstreams().values().filter_map(|upstream| upstream.own_now(session)).collect()
    }

    /// Ends the sessions upstreams have open for a client session alone, until it needs them again.
    pub(crate) fn rest(&self, session: &str) {
        self.upstreams().values().for_each(|upstream| upstream.rest(session));
    }

    /// Ends what upstreams have for a client session alone.
    pub(crate) fn forget_session(&self, session: &str) {
        self.upstreams().values().for_each(|upstream| upstream.forget_session(session));
    }

    /// Starts a `tools/call` whose `params` name the tool as its upstream does. `adapt` is for those who know
    /// the tool from the list of all.
    pub(crate) fn start_call(
        &self,
        params: Bytes,
        from: &From,
        recording: Recording,
        adapt: bool,
        cancel: CancellationToken,
        guard: impl Send + 'static,
    ) -> Result<Active, RpcError> {
        let server = recording.tool.server();
        let Some(upstream) = self.upstream(server) else {
            return Err(RpcError::invalid_params(format!("Unknown server: {server}")));
        };
        let outgoing = Outgoing {
            upstream,
            method: "tools/call".into(),
            params: Some(params),
            who: from.who.clone(),
            owner: from.owner.clone(),
            subscription: None,
            recording: Some(recording),
            adapt,
            cancel,
        };
        Ok(self.start(outgoing, guard))
    }

    /// Starts any request. `guard` is held until it has ended.
    pub(crate) fn start(&self, outgoing: Outgoing, guard: impl Send + 'static) -> Active {
        let (observer, adapter) = (Arc::clone(&self.observer), Arc::clone(&self.adapter));
        call::start(outgoing, observer, adapter, &self.requests, self.ending.clone(), guard)
    }

    /// Which list of all tools this is; another with every change.
    pub(crate) fn lists(&self) -> Lists {
        self.changed.borrow().clone()
    }

    fn startable(&self) -> impl Iterator<Item = Arc<Upstream>> + use<> {
        let all: Vec<_> =
            self.upstreams().values().filter(|upstream| upstream.can_start()).cloned().collect();
        all.into_iter()
    }
}
