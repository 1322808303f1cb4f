//! All upstreams together, and the names tools have on `/mcp`.
//!
//! Owns: aggregation and naming. Refuses to know: sessions, HTTP.

pub(crate) mod changes;
mod reconfigure;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use schemascope_model::{SEPARATOR, ToolId};
use sha2::{Digest, Sha256};
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::adapt;
use crate::adapter::Adapter;
use crate::call::{self, Answer, CallFailed, Caller, Outgoing, Recording};
use crate::config::{Config, ServerEntry};
use crate::exchange::{Active, Outbox};
use crate::observer::{ListedTool, Observer};
use crate::schemas::{Adapting, Schemas};
use crate::upstream::{Live, Status, Upstream, handshake};
use crate::wire::{Body, RpcError, Who, params};
use changes::{Lists, Told};
pub use reconfigure::Reconfigured;

/// How long a list of all tools waits for upstreams that are still starting. Those that come later
/// are announced with `list_changed`.
const LIST_PATIENCE: Duration = Duration::from_secs(10);
/// What upstreams told that may wait for a slow listener.
const TOLD: usize = 256;
/// How long it is remembered that nobody lists a resource.
const RELIST: Duration = Duration::from_secs(5);
/// How often it is looked whether requests are under way that are waited for.
const IDLE_LOOK: Duration = Duration::from_millis(10);
/// Longest name clients accept.
const MAX_NAME: usize = 128;

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

/// Where things of aggregated lists are: the server, and what it calls them.
#[derive(Debug, Default)]
struct Directory {
    prompts: HashMap<String, (String, String)>,
    resources: HashMap<String, String>,
    /// What stands before the first variable of each template.
    templates: Vec<(String, String)>,
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

    /// The tools of all upstreams that are ready in time, as `/mcp` lists them to a client. One that is served by
    /// another session than the shared one is told what there is in that.
    pub(crate) async fn tools(&self, who: &Who) -> Vec<Bytes> {
        let asked: Vec<_> = self
            .ready()
            .await
            .into_iter()
            .map(|(upstream, live)| {
                let own = upstream.serving_now(who);
                let listing = tokio::spawn(async move {
                    let own = own?;
                    let listed = handshake::list_tools(&own.link, own.hello.era);
                    tokio::time::timeout(LIST_PATIENCE, listed).await.ok()?.ok()
                });
                (upstream, live, listing)
            })
            .collect();
        let mut tools = Vec::new();
        for (upstream, live, listing) in asked {
            let own = listing.await.ok().flatten().map(Arc::<[ListedTool]>::from);
            let listed = own.unwrap_or_else(|| live.tools());
            tools.extend(listed.iter().filter_map(|tool| {
                let definition = renamed(upstream.name(), &tool.name, &tool.definition)?;
                let Ok(id) = ToolId::new(upstream.name(), &tool.name) else {
                    return Some((None, definition));
                };
                let presented = self.adapter.schemas().presented(&id);
                (!presented.hidden).then(|| (Some(id), adapt::present(definition, &presented)))
            }));
        }
        self.adapter.advertised(tools, who.era).await
    }

    /// The prompts of all upstreams, as `/mcp` lists them.
    pub(crate) async fn prompts(&self, who: &Who) -> Vec<Bytes> {
        let mut listed = Vec::new();
        let mut known = HashMap::new();
        for (server, prompt) in self.items("prompts/list", "prompts", "prompts", who).await {
            if let Some(name) = params::text(&prompt, "name")
                && let Some(definition) = renamed(&server, &name, &prompt)
            {
                known.insert(public_name(&server, &name), (server, name));
                listed.push(definition);
            }
        }
        self.directory().prompts = known;
        listed
    }

    /// The resources of all upstreams. Of two with one address the first is listed.
    pub(crate) async fn resources(&self, who: &Who) -> Vec<Bytes> {
        let mut listed = Vec::new();
        let mut known = HashMap::new();
        for (server, resource) in self.items("resources/list", "resources", "resources", who).await {
            if let Some(uri) = params::text(&resource, "uri")
                && let Entry::Vacant(vacant) = known.entry(uri)
            {
                vacant.insert(server);
                listed.push(resource);
            }
        }
        self.directory().resources = known;
        listed
    }

    /// The resource templates of all upstreams.
    pub(crate) async fn templates(&self, who: &Who) -> Vec<Bytes> {
        let found = self.items("resources/templates/list", "resourceTemplates", "resources", who).await;
        let prefixes = found.iter().filter_map(|(server, template)| {
            let template = params::text(template, "uriTemplate")?;
            Some((template.split('{').next().unwrap_or_default().to_owned(), server.clone()))
        });
        self.directory().templates = prefixes.collect();
        found.into_iter().map(|(_, template)| template).collect()
    }

    /// All items of a list of every upstream that has such a list, each with its server.
    pub(crate) async fn items(
        &self,
        method: &'static str,
        items: &'static str,
        capability: &str,
        who: &Who,
    ) -> Vec<(String, Bytes)> {
        let ready = self.ready().await;
        let having = ready.into_iter().filter(|(_, live)| live.hello.has(capability));
        let asked: Vec<_> = having
            .map(|(upstream, live)| {
                let live = upstream.serving_now(who).unwrap_or(live);
                tokio::spawn(async move {
                    let listed = handshake::list(&live.link, live.hello.era, method, items);
                    let listed = tokio::time::timeout(LIST_PATIENCE, listed).await;
                    let listed = listed.unwrap_or_else(|_| Err("it takes too long".into()));
                    let listed = listed.inspect_err(|reason| {
                        tracing::warn!(upstream = %upstream.name(), %reason, "not all could be listed");
                    });
                    (upstream.name().to_owned(), listed.unwrap_or_default())
                })
            })
            .collect();
        let mut found = Vec::new();
        for answer in asked {
            if let Ok((server, listed)) = answer.await {
                found.extend(listed.into_iter().map(|item| (server.clone(), item)));
            }
        }
        found
    }

    /// The upstream of a prompt as `/mcp` names it, and its name there.
    pub(crate) async fn prompt(&self, name: &str) -> Option<(Arc<Upstream>, String)> {
        let mut known = self.directory().prompts.get(name).cloned();
        // Whoever knows an alias may have been told it before we were started.
        if known.is_none() && may_be_alias(name) {
            self.prompts(&Who::nobody()).await;
            known = self.directory().prompts.get(name).cloned();
        }
        let (server, prompt) = known.or_else(|| {
            let (server, prompt) = name.split_once(SEPARATOR)?;
            Some((server.to_owned(), prompt.to_owned()))
        })?;
        Some((self.upstream(&server)?, prompt))
    }

    /// The upstream that has a resource: the one that lists it, else whose template begins like it, else
    /// that has others of its scheme.
    pub(crate) async fn resource(&self, uri: &str) -> Option<Arc<Upstream>> {
        // One at a time, and not for every address that is not there.
        let mut listed = self.listed.lock().await;
        let stale = listed.is_none_or(|at| at.elapsed() > RELIST);
        if stale && self.directory().server_of(uri).is_none() {
            *listed = Some(Instant::now());
            let nobody = Who::nobody();
            self.resources(&nobody).await;
            self.templates(&nobody).await;
        }
        drop(listed);
        let server = self.directory().server_of(uri)?;
        self.upstream(&server)
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

    fn directory(&self) -> MutexGuard<'_, Directory> {
        self.directory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tool that is called `name` on `/mcp`. One that has been given a name is still called by its own too.
    pub(crate) fn resolve(&self, name: &str) -> Result<ToolId, RpcError> {
        let unknown = || RpcError::invalid_params(format!("Unknown tool: {name}"));
        let schemas = self.adapter.schemas();
        let tool = match schemas.named(name) {
            Some(tool) => tool,
            None => self.own_name(name).ok_or_else(unknown)?,
        };
        if schemas.is_hidden(&tool) { Err(unknown()) } else { Ok(tool) }
    }

    /// A tool's definition as people want it shown.
    pub(crate) fn presented(&self, tool: &ToolId, definition: Bytes) -> Bytes {
        adapt::present(definition, &self.adapter.schemas().presented(tool))
    }

    /// The tool whose own name this is.
    fn own_name(&self, name: &str) -> Option<ToolId> {
        let (server, tool) = name.split_once(SEPARATOR)?;
        let upstream = self.upstream(server)?;
        let listed = upstream.listed();
        // Nearly all are called as they are; only the others' aliases have to be made to be compared.
        let as_it_is = is_public(server, tool) && listed.iter().any(|listed| listed.name == tool);
        let mut odd = listed.iter().filter(|listed| !as_it_is && !is_public(server, &listed.name));
        let aliased = odd.find(|listed| public_name(server, &listed.name) == name);
        ToolId::new(server, aliased.map_or(tool, |listed| &listed.name)).ok()
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

impl Directory {
    fn server_of(&self, uri: &str) -> Option<String> {
        if let Some(server) = self.resources.get(uri) {
            return Some(server.clone());
        }
        let begins = |(prefix, _): &&(String, String)| !prefix.is_empty() && uri.starts_with(prefix.as_str());
        let template = self.templates.iter().filter(begins).max_by_key(|(prefix, _)| prefix.len());
        let scheme = uri.split_once("://").map(|(scheme, _)| format!("{scheme}://"))?;
        let alike = || self.resources.iter().filter(|(known, _)| known.starts_with(&scheme)).min();
        template.map(|(_, server)| server.clone()).or_else(|| alike().map(|(_, server)| server.clone()))
    }
}

/// A definition with its name on `/mcp`.
fn renamed(server: &str, name: &str, definition: &Bytes) -> Option<Bytes> {
    let found = params::field(definition, "name")?;
    let public = serde_json::Value::from(public_name(server, name)).to_string();
    Some(params::splice(definition, vec![(found.range, public.into_bytes())]))
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// Whether clients take `server__tool` as it is.
fn is_public(server: &str, tool: &str) -> bool {
    server.len() + SEPARATOR.len() + tool.len() <= MAX_NAME
        && server.chars().chain(tool.chars()).all(is_allowed)
}

/// `server__tool`, or a stable alias where clients would refuse that: other characters become `_`, what
/// is too long is cut, and a hash of the whole name keeps aliases apart.
fn public_name(server: &str, tool: &str) -> String {
    let name = format!("{server}{SEPARATOR}{tool}");
    if is_public(server, tool) {
        return name;
    }
    let digest = Sha256::digest(&name);
    let suffix: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let plain: String =
        name.chars().map(|c| if is_allowed(c) { c } else { '_' }).take(MAX_NAME - 9).collect();
    format!("{plain}_{suffix}")
}

/// Whether a name ends as aliases do.
fn may_be_alias(name: &str) -> bool {
    let suffix = name.rsplit_once('_').map_or("", |(_, suffix)| suffix);
    suffix.len() == 8 && suffix.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_clients_refuse_get_a_stable_alias() {
        assert_eq!(public_name("git", "status"), "git__status");
        let odd = public_name("git", "what's new?");
        assert_eq!(odd, public_name("git", "what's new?"));
        assert_ne!(odd, public_name("git", "what's new!"));
        assert!(may_be_alias(&odd) && !may_be_alias("git__status") && !may_be_alias("git__log_all_of_it"));
        let long = public_name("git", &"x".repeat(500));
        for name in [odd, long] {
            assert!(name.len() <= MAX_NAME && name.starts_with("git__"), "{name}");
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
        }
    }

    #[test]
    fn renaming_changes_the_name_and_nothing_else() {
        let definition = Bytes::from_static(br#"{"x":1.10,"name" : "\u0061","inputSchema":{"name":"b"}}"#);
        let expect = br#"{"x":1.10,"name" : "s__a","inputSchema":{"name":"b"}}"#;
        assert_eq!(renamed("s", "a", &definition).unwrap().as_ref(), expect);
    }
}
