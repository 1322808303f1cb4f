//! All upstreams together, and the names tools have on `/mcp`.
//!
//! Owns: aggregation and naming. Refuses to know: sessions, HTTP.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use schemascope_model::{SEPARATOR, ToolId};
use sha2::{Digest, Sha256};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::call::{self, Active, Answer, CallFailed, Caller, Outgoing, Recording};
use crate::config::Config;
use crate::observer::{ListedTool, Observer};
use crate::upstream::{Status, Upstream};
use crate::wire::{Body, RpcError, params};

/// How long a list of all tools waits for upstreams that are still starting. Those that come later
/// are announced with `list_changed`.
const LIST_PATIENCE: Duration = Duration::from_secs(10);
/// Longest name clients accept.
const MAX_NAME: usize = 128;

/// All upstreams of a configuration.
pub struct Hub {
    upstreams: BTreeMap<String, Arc<Upstream>>,
    observer: Arc<dyn Observer>,
    changed: Arc<watch::Sender<u64>>,
    requests: TaskTracker,
}

impl Hub {
    /// Takes the upstreams of `config`. Nothing is started yet. Needs a tokio runtime.
    pub fn new(config: &Config, observer: Arc<dyn Observer>) -> Arc<Self> {
        let upstreams: BTreeMap<_, _> = config
            .servers
            .iter()
            .map(|(name, entry)| (name.clone(), Upstream::new(name, entry.clone(), Arc::clone(&observer))))
            .collect();
        let changed = Arc::new(watch::Sender::new(0));
        for upstream in upstreams.values() {
            tokio::spawn(announce_changes(Arc::clone(upstream), Arc::clone(&changed), Arc::clone(&observer)));
        }
        Arc::new(Self { upstreams, observer, changed, requests: TaskTracker::new() })
    }

    /// Every upstream's state, by name.
    pub fn status(&self) -> Vec<Status> {
        self.upstreams.values().map(|upstream| upstream.status()).collect()
    }

    /// The last lines an upstream wrote to stderr, and to stdout where they were no messages.
    pub fn log(&self, name: &str) -> Vec<String> {
        self.upstreams.get(name).map(|upstream| upstream.log()).unwrap_or_default()
    }

    /// Ends an upstream's process, if there is one, and begins to start it anew. False when there is no
    /// such upstream, or nothing to start.
    pub fn restart(&self, name: &str) -> bool {
        let upstream = self.upstreams.get(name).filter(|upstream| upstream.can_start());
        upstream.inspect(|upstream| upstream.restart()).is_some()
    }

    /// Calls a tool for ourselves, by its upstream name. Recorded as any call; cancelled when the
    /// returned future is dropped.
    pub async fn call(&self, tool: &ToolId, arguments: Bytes, caller: Caller) -> Result<Answer, CallFailed> {
        let name = serde_json::Value::from(tool.tool()).to_string();
        let params = [b"{\"name\":", name.as_bytes(), b",\"arguments\":", &arguments, b"}"].concat();
        let recording = Recording { tool: tool.clone(), arguments: Some(arguments), caller };
        let cancel = CancellationToken::new();
        let _cancelled_when_dropped = cancel.clone().drop_guard();
        let call = self.start_call(params.into(), recording, cancel, ());
        match call.map_err(|error| error.body()) {
            Ok(active) => match active.answer.await {
                Ok(Body::Result(result)) => Ok(Answer { result }),
                Ok(Body::Error(error)) => Err(CallFailed::Error(error)),
                Err(_) => Err(CallFailed::BrokenOff),
            },
            Err(Body::Error(error) | Body::Result(error)) => Err(CallFailed::Error(error)),
        }
    }

    /// Ends every upstream, and waits for them and for the requests that end with them.
    pub async fn stop(&self) {
        let stopping: Vec<_> = self
            .upstreams
            .values()
            .cloned()
            .map(|upstream| tokio::spawn(async move { upstream.stop().await }))
            .collect();
        for stop in stopping {
            let _ = stop.await;
        }
        self.requests.close();
        self.requests.wait().await;
    }

    pub(crate) fn upstream(&self, name: &str) -> Option<&Arc<Upstream>> {
        self.upstreams.get(name)
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.upstreams.keys().map(String::as_str).collect()
    }

    /// Told whenever the list of all tools may have changed.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Begins to start every upstream, without waiting.
    pub(crate) fn begin_start(&self) {
        for upstream in self.startable() {
            tokio::spawn(async move { drop(upstream.live().await) });
        }
    }

    /// The tools of all upstreams that are ready in time, as `/mcp` lists them.
    pub(crate) async fn tools(&self) -> Vec<Bytes> {
        let starting: Vec<_> = self
            .startable()
            .map(|upstream| {
                let deadline = upstream.worth_waiting_until(LIST_PATIENCE);
                tokio::spawn(async move {
                    let live = tokio::time::timeout_at(deadline.into(), upstream.live()).await.ok()?.ok()?;
                    Some((upstream, live))
                })
            })
            .collect();
        let mut tools = Vec::new();
        for start in starting {
            if let Ok(Some((upstream, live))) = start.await {
                tools.extend(live.tools().iter().filter_map(|tool| renamed(upstream.name(), tool)));
            }
        }
        tools
    }

    /// The tool that is called `name` on `/mcp`.
    pub(crate) fn resolve(&self, name: &str) -> Result<ToolId, RpcError> {
        let unknown = || RpcError::invalid_params(format!("Unknown tool: {name}"));
        let (server, tool) = name.split_once(SEPARATOR).ok_or_else(unknown)?;
        let upstream = self.upstreams.get(server).ok_or_else(unknown)?;
        let listed = upstream.listed();
        let aliased = listed.iter().find(|tool| public_name(server, &tool.name) == name);
        let aliased = aliased.map(|tool| tool.name.as_str());
        ToolId::new(server, aliased.unwrap_or(tool)).map_err(|_| unknown())
    }

    /// Starts a `tools/call` whose `params` name the tool as its upstream does.
    pub(crate) fn start_call(
        &self,
        params: Bytes,
        recording: Recording,
        cancel: CancellationToken,
        guard: impl Send + 'static,
    ) -> Result<Active, RpcError> {
        let server = recording.tool.server();
        let Some(upstream) = self.upstreams.get(server) else {
            return Err(RpcError::invalid_params(format!("Unknown server: {server}")));
        };
        let outgoing = Outgoing {
            upstream: Arc::clone(upstream),
            method: "tools/call".into(),
            params: Some(params),
            recording: Some(recording),
            cancel,
        };
        Ok(self.start(outgoing, guard))
    }

    /// Starts any request. `guard` is held until it has ended.
    pub(crate) fn start(&self, outgoing: Outgoing, guard: impl Send + 'static) -> Active {
        call::start(outgoing, Arc::clone(&self.observer), &self.requests, guard)
    }

    /// Which list of all tools this is; changes with every change.
    pub(crate) fn version(&self) -> u64 {
        *self.changed.borrow()
    }

    fn startable(&self) -> impl Iterator<Item = Arc<Upstream>> {
        self.upstreams.values().filter(|upstream| upstream.can_start()).cloned()
    }
}

/// Passes on an upstream's changes of tools: it became ready, or listed others than before.
async fn announce_changes(
    upstream: Arc<Upstream>,
    changed: Arc<watch::Sender<u64>>,
    observer: Arc<dyn Observer>,
) {
    let mut changes = upstream.changes();
    let mut before: Option<Arc<[ListedTool]>> = None;
    while changes.changed().await.is_ok() {
        observer.changed(upstream.name());
        let now = upstream.tools_now();
        // A pause between two processes is no change: the tools are expected back.
        if now.is_some() && now != before {
            before = now;
            changed.send_modify(|version| *version += 1);
        }
    }
}

/// The tool's definition with its name on `/mcp`.
fn renamed(server: &str, tool: &ListedTool) -> Option<Bytes> {
    let name = params::field(&tool.definition, "name")?;
    let public = serde_json::Value::from(public_name(server, &tool.name)).to_string();
    Some(params::splice(&tool.definition, vec![(name.range, public.into_bytes())]))
}

/// `server__tool`, or a stable alias where clients would refuse that: other characters become `_`, what
/// is too long is cut, and a hash of the whole name keeps aliases apart.
fn public_name(server: &str, tool: &str) -> String {
    let name = format!("{server}{SEPARATOR}{tool}");
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if name.len() <= MAX_NAME && name.chars().all(allowed) {
        return name;
    }
    let digest = Sha256::digest(&name);
    let suffix: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let plain: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).take(MAX_NAME - 9).collect();
    format!("{plain}_{suffix}")
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
        let long = public_name("git", &"x".repeat(500));
        for name in [odd, long] {
            assert!(name.len() <= MAX_NAME && name.starts_with("git__"), "{name}");
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
        }
    }

    #[test]
    fn renaming_changes_the_name_and_nothing_else() {
        let definition = Bytes::from_static(br#"{"x":1.10,"name" : "\u0061","inputSchema":{"name":"b"}}"#);
        let tool = ListedTool { name: "a".into(), definition };
        let expect = br#"{"x":1.10,"name" : "s__a","inputSchema":{"name":"b"}}"#;
        assert_eq!(renamed("s", &tool).unwrap().as_ref(), expect);
    }
}
