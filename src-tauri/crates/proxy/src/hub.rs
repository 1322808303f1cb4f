//! All upstreams together: the requests in progress, the aggregated lists, and the names on `/mcp`.

pub(crate) mod changes;
mod directory;
mod instructions;
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
use crate::built_in::BuiltIn;
use crate::call::{self, Answer, CallFailed, Caller, Outgoing, Recording};
use crate::cancel::Cancel;
use crate::config::{Config, OWN_SERVER, ServerEntry};
use crate::exchange::{ActiveRequest, Outbox};
use crate::listed::ListedSchemas;
use crate::observer::{Introduction, ListedTool, Observer};
use crate::running::{RunningCall, RunningCalls};
use crate::schemas::{Adapting, Schemas};
use crate::upstream::{Live, Status, Upstream};
use crate::wire::{Body, RpcError, Who};
use changes::{ListVersion, UpstreamNotification};
use directory::Directory;
pub use names::public_name;
pub use reconfigure::Reconfigured;

/// How long an aggregated list waits for the answer of an upstream that is ready.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an aggregated list waits for upstreams that are still starting. Those that become ready later are
/// announced with `list_changed`.
const LIST_TIMEOUT: Duration = Duration::from_secs(7);
/// How long Schemascope itself waits for the tools of upstreams.
const OWN_LIST_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an aggregated list waits for an upstream whose items are expected. Agents that start up give a server a few
/// seconds for all its lists.
const EXPECTED_TIMEOUT: Duration = Duration::from_secs(1);
/// Notifications of upstreams that wait for a slow listener.
const NOTIFICATION_BUFFER: usize = 256;
/// Interval at which [`Hub::idle`] checks for requests in progress.
const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The client that sent a request.
pub(crate) struct Requester {
    pub(crate) who: Who,
    /// The client's queue for events that belong to none of its requests.
    pub(crate) owner: Option<Outbox>,
}

type Upstreams = BTreeMap<String, Arc<Upstream>>;

/// Where a list of an upstream comes from.
enum Source<T> {
    Live(Arc<Live>),
    /// The expected items, while it starts.
    Expected(T),
}

/// All upstreams of a configuration.
pub struct Hub {
    /// Upstreams by name. A change of the configuration replaces the map.
    upstreams: RwLock<Arc<Upstreams>>,
    /// Schemascope's own tools, an upstream whatever the configuration says.
    own: Option<BuiltIn>,
    observer: Arc<dyn Observer>,
    adapter: Arc<Adapter>,
    changed: Arc<watch::Sender<ListVersion>>,
    /// Notifications of upstreams for all clients: changes of resources and of lists other than tools.
    notifications: broadcast::Sender<UpstreamNotification>,
    requests: TaskTracker,
    running: Arc<RunningCalls>,
    /// Ends the remaining requests once all upstreams have ended.
    ending: CancellationToken,
    /// Owners of resources and prompts, by the latest lists.
    directory: Mutex<Directory>,
    /// Number of response streams that lost events before a client read them.
    lost_streams: Arc<AtomicU64>,
    /// Time at which resources were last listed to find one.
    listed: tokio::sync::Mutex<Option<Instant>>,
}

impl Hub {
    /// Creates the upstreams of `config`, and one of the tools `own` with the name [`OWN_SERVER`], without starting them.
    /// Results on `/mcp` are adapted to the effective schemas in `schemas`, as `adapting` says. Needs a tokio runtime.
    pub fn new(
        config: &Config,
        own: Option<BuiltIn>,
        observer: Arc<dyn Observer>,
        schemas: Arc<dyn Schemas>,
        adapting: Adapting,
    ) -> Arc<Self> {
        let changed = Arc::new(watch::Sender::new(ListVersion::default()));
        let notifications = broadcast::Sender::new(NOTIFICATION_BUFFER);
        let (requests, ending, directory) = (TaskTracker::new(), CancellationToken::new(), Mutex::default());
        let adapter = Adapter::new(adapting, schemas, Arc::clone(&observer), Arc::clone(&changed));
        let hub = Self {
            upstreams: RwLock::default(),
            own,
            observer,
            adapter: Arc::new(adapter),
            changed,
            notifications,
            requests,
            running: Arc::default(),
            ending,
            directory,
            lost_streams: Arc::default(),
            listed: tokio::sync::Mutex::default(),
        };
        let added = hub.entries(config).map(|(name, entry)| (name.to_owned(), hub.add(name, &entry)));
        let added = Arc::new(added.collect());
        *hub.upstreams.write().unwrap_or_else(PoisonError::into_inner) = added;
        Arc::new(hub)
    }

    /// The entries of a configuration, and that of Schemascope's own tools in place of one of the same name.
    fn entries<'a>(&self, config: &'a Config) -> impl Iterator<Item = (&'a str, ServerEntry)> {
        let configured = config.servers.iter().filter(|(name, _)| *name != OWN_SERVER);
        let configured = configured.map(|(name, entry)| (name.as_str(), entry.clone()));
        configured.chain(self.own.clone().map(|own| (OWN_SERVER, ServerEntry::BuiltIn(own))))
    }

    fn add(&self, name: &str, entry: &ServerEntry) -> Arc<Upstream> {
        let upstream = Upstream::new(name, entry.clone(), Arc::clone(&self.observer));
        let (changed, observer) = (Arc::clone(&self.changed), Arc::clone(&self.observer));
        let (ended, adapter) = (upstream.ended(), Arc::clone(&self.adapter));
        let (notifications, announced) = (self.notifications.clone(), Arc::clone(&upstream));
        tokio::spawn(async move {
            tokio::select! {
                () = changes::announce_tools(Arc::clone(&announced), changed, observer, &adapter, &notifications) => {}
                () = changes::announce_others(Arc::clone(&announced), notifications.clone()) => {}
                () = ended.cancelled() => {}
            }
        });
        upstream
    }

    fn upstreams(&self) -> Arc<Upstreams> {
        Arc::clone(&self.upstreams.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// All upstreams by name, Schemascope's own tools last.
    fn in_order(&self) -> Vec<Arc<Upstream>> {
        let mut all: Vec<_> = self.upstreams().values().cloned().collect();
        all.sort_by_key(|upstream| upstream.name() == OWN_SERVER);
        all
    }

    /// Changes the settings of the adapter. Clients list the tools again if they differ.
    pub fn set_adapting(&self, adapting: Adapting) {
        self.adapter.set(adapting);
    }

    /// Every upstream's state, by name; that of Schemascope's own tools last.
    pub fn status(&self) -> Vec<Status> {
        self.in_order().iter().map(|upstream| upstream.status()).collect()
    }

    /// The last log lines of an upstream: from stderr, and lines from stdout that are not messages.
    pub fn log(&self, name: &str) -> Vec<String> {
        self.upstream(name).map(|upstream| upstream.log()).unwrap_or_default()
    }

    /// Ends an upstream's session and begins to start it again. Returns false if there is no such upstream, or if it
    /// cannot be started.
    pub fn restart(&self, name: &str) -> bool {
        let upstream = self.upstream(name).filter(|upstream| upstream.can_start());
        upstream.inspect(|upstream| upstream.restart()).is_some()
    }

    /// Calls a tool for Schemascope itself, by its name at the upstream. The call is recorded like any other, and
    /// cancelled when the returned future is dropped.
    pub async fn call(&self, tool: &ToolId, arguments: Bytes, caller: Caller) -> Result<Answer, CallFailed> {
        let name = serde_json::Value::from(tool.tool()).to_string();
        let params = [b"{\"name\":", name.as_bytes(), b",\"arguments\":", &arguments, b"}"].concat();
        let recording = Recording { tool: tool.clone(), arguments: Some(arguments), caller, task: None };
        let cancel = Cancel::default();
        let _cancelled_when_dropped = cancel.drop_guard();
        let from = Requester { who: Who::unknown(), owner: None };
        let call = self.start_call(params.into(), &from, recording, None, cancel, ());
        match call.map_err(|error| error.body()) {
            Ok(active) => match active.answer.await {
                Ok(Body::Result(result)) => Ok(Answer { result }),
                Ok(Body::Error(error)) => Err(CallFailed::Error(error)),
                Err(_) => Err(CallFailed::BrokenOff),
            },
            Err(Body::Error(error) | Body::Result(error)) => Err(CallFailed::Error(error)),
        }
    }

    /// The first `limit` tool calls that take at least `age` so far, longest first, and how many such calls there are.
    pub fn running(&self, age: Duration, limit: usize) -> (Vec<RunningCall>, usize) {
        self.running.older_than(age, limit)
    }

    /// Number of response streams that lost events before a client read them, because the replay buffer was full.
    pub fn lost_streams(&self) -> u64 {
        self.lost_streams.load(Ordering::Relaxed)
    }

    /// The counter behind [`Hub::lost_streams`].
    pub(crate) fn lost_streams_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.lost_streams)
    }

    /// Waits until no request is in progress.
    pub async fn idle(&self) {
        while !self.requests.is_empty() {
            tokio::time::sleep(IDLE_POLL_INTERVAL).await;
        }
    }

    /// Stops all upstreams. Waits for them and for the requests in progress.
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

    /// Whether the configuration names this server, or none at all: then tools are known from elsewhere.
    pub fn may_serve(&self, name: &str) -> bool {
        let upstreams = self.upstreams();
        upstreams.contains_key(name) || upstreams.values().all(|upstream| upstream.is_own())
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.in_order().iter().map(|upstream| upstream.name().to_owned()).collect()
    }

    /// Has clients of `/mcp` list the tools again, because an answer of [`Schemas`] changed.
    pub fn announce_tools(&self) {
        self.changed.send_modify(ListVersion::change);
    }

    /// The tools that an upstream listed last; none if there is no such upstream.
    pub fn listed(&self, name: &str) -> Arc<[ListedTool]> {
        self.upstream(name).map_or_else(|| [].into(), |upstream| upstream.listed())
    }

    /// Starts the wanted upstreams, and waits until they have listed their tools or the time is over.
    pub async fn list(&self, wanted: impl Fn(&str) -> bool) {
        let wanted = self.startable().filter(|upstream| wanted(upstream.name()));
        Self::ready_of(wanted.map(|upstream| (upstream, OWN_LIST_TIMEOUT))).await;
    }

    /// Begins to start all upstreams of `/mcp`, without waiting.
    pub(crate) fn begin_start(&self) {
        for upstream in self.offered() {
            tokio::spawn(async move { drop(upstream.live().await) });
        }
    }

    /// Notifications of upstreams for all clients, except changes of tools.
    pub(crate) fn notifications(&self) -> broadcast::Receiver<UpstreamNotification> {
        self.notifications.subscribe()
    }

    /// Starts the upstreams of `/mcp`. Returns those that are ready in time. Of one that is still starting, it returns
    /// the `part` of the expected introduction, if there is one.
    async fn ready_or_expected<T>(
        &self,
        part: impl Fn(&Introduction) -> Option<T>,
    ) -> Vec<(Arc<Upstream>, Source<T>)> {
        let expected = |upstream: &Upstream| part(&upstream.expected()?);
        let patience = |upstream: &Upstream| match expected(upstream) {
            Some(_) => EXPECTED_TIMEOUT,
            None => LIST_TIMEOUT,
        };
        let offered = self.offered().map(|upstream| {
            let limit = patience(&upstream);
            (upstream, limit)
        });
        let mut found = Vec::new();
        for (upstream, live) in Self::ready_of(offered).await {
            match live {
                Some(live) => found.push((upstream, Source::Live(live))),
                None => match expected(&upstream) {
                    Some(part) => {
                        upstream.start_again_in_background();
                        found.push((upstream, Source::Expected(part)));
                    }
                    None => upstream.note_missed(),
                },
            }
        }
        found
    }

    /// Starts upstreams, and waits for each until its limit. Returns all, in the same order.
    async fn ready_of(
        upstreams: impl Iterator<Item = (Arc<Upstream>, Duration)>,
    ) -> Vec<(Arc<Upstream>, Option<Arc<Live>>)> {
        let starting: Vec<_> = upstreams
            .map(|(upstream, limit)| {
                let start = Arc::clone(&upstream);
                (upstream, tokio::spawn(async move { start.live_for_list(limit).await }))
            })
            .collect();
        let mut ready = Vec::new();
        for (upstream, start) in starting {
            ready.push((upstream, start.await.ok().flatten()));
        }
        ready
    }

    /// The upstream sessions that serve this client session alone.
    pub(crate) fn own_sessions(&self, session: &str) -> Vec<Arc<Live>> {
        self.upstreams().values().filter_map(|upstream| upstream.own_now(session)).collect()
    }

    /// Ends the upstream sessions that serve this client session alone, until it needs them again.
    pub(crate) fn end_idle_sessions(&self, session: &str) {
        self.upstreams().values().for_each(|upstream| upstream.rest(session));
    }

    /// Replaces the shared sessions whose clients have left, unless others use them.
    pub(crate) fn replace_left_sessions(&self) {
        self.upstreams().values().for_each(|upstream| upstream.replace_left());
    }

    /// Ends everything that upstreams keep for this client session.
    pub(crate) fn forget_session(&self, session: &str) {
        self.upstreams().values().for_each(|upstream| upstream.forget_session(session));
    }

    /// Starts a `tools/call` whose `params` contain the upstream's name of the tool. `adapt` is set for clients of
    /// `/mcp`, which know the advertised schema.
    pub(crate) fn start_call(
        &self,
        params: Bytes,
        from: &Requester,
        recording: Recording,
        adapt: Option<ListedSchemas>,
        cancel: Cancel,
        guard: impl Send + 'static,
    ) -> Result<ActiveRequest, RpcError> {
        let server = recording.tool.server();
        let Some(upstream) = self.upstream(server) else {
            return Err(RpcError::invalid_params(format!(
                "Unknown server: {server}; tools/list shows the current tools"
            )));
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

    /// Starts a request. `guard` is held until it has ended.
    pub(crate) fn start(&self, outgoing: Outgoing, guard: impl Send + 'static) -> ActiveRequest {
        let (observer, adapter) = (Arc::clone(&self.observer), Arc::clone(&self.adapter));
        let ending = self.ending.clone();
        call::start(outgoing, observer, adapter, &self.requests, &self.running, ending, guard)
    }

    /// The current version of the list of all tools.
    pub(crate) fn lists(&self) -> ListVersion {
        self.changed.borrow().clone()
    }

    fn startable(&self) -> impl Iterator<Item = Arc<Upstream>> + use<> {
        self.in_order().into_iter().filter(|upstream| upstream.can_start())
    }

    /// Those that can be started and are part of `/mcp`.
    pub(crate) fn offered(&self) -> impl Iterator<Item = Arc<Upstream>> {
        self.startable().filter(|upstream| self.adapter.schemas().is_offered(upstream.name()))
    }
}
