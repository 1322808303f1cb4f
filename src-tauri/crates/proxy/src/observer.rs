//! The events that the proxy reports: finished calls, listed tools and states of upstreams.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use schemascope_model::{Client, Origin, Rung, Timestamp, ToolId};

use crate::config::ServerEntry;
use crate::schemas::{AdapterStatus, Effective};
use crate::wire::params;

/// Receives the proxy's events. The recorder implements it.
pub trait Observer: Send + Sync + 'static {
    /// Called when a call has ended. The client gets the answer when the future is done. It takes time only when the
    /// recorder is behind and slows callers down, or when the record must be on disk first.
    fn finished(&self, call: FinishedCall) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// Called with all tools when an upstream has listed them.
    fn listed(&self, server: &str, tools: &[ListedTool]);

    /// Called when the introduction of an upstream with this entry differs from the last one.
    fn introduced(&self, server: &str, entry: &ServerEntry, introduction: &Introduction) {
        let _ = (server, entry, introduction);
    }

    /// Returns the last introduction of an upstream with this entry, perhaps from an earlier process. The same is
    /// expected while it starts.
    fn expected(&self, server: &str, entry: &ServerEntry) -> Option<Introduction> {
        let _ = (server, entry);
        None
    }

    /// Called when the state of an upstream changed, or the tools it lists.
    fn changed(&self, server: &str);

    /// A reason that an upstream gave, without secrets: it may quote its own configuration or environment.
    fn without_secrets(&self, reason: String) -> String {
        reason
    }

    /// Called when a result was adapted, or passed with its own structure.
    fn adapted(&self, tool: &ToolId, status: AdapterStatus) {
        let _ = (tool, status);
    }
}

/// Information that an upstream sends about itself when a session begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduction {
    /// The tools it lists.
    pub tools: Arc<[ListedTool]>,
    /// Its capabilities, an object as sent.
    pub capabilities: Bytes,
    /// Its instructions, a JSON string as sent.
    pub instructions: Option<Bytes>,
    /// Items of its other lists that clients requested, by method.
    pub items: BTreeMap<String, Arc<[Bytes]>>,
}

impl Introduction {
    /// Returns the items that a method lists, if they are known. Without the capability there are none.
    pub(crate) fn items(&self, method: &str, capability: &str) -> Option<Arc<[Bytes]>> {
        let has = params::field(&self.capabilities, capability).is_some_and(|found| found.raw != "null");
        if has { self.items.get(method).cloned() } else { Some(Arc::default()) }
    }
}

/// A tool in the list of its upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTool {
    /// Name at the upstream.
    pub name: String,
    /// The whole object, as sent.
    pub definition: Bytes,
}

/// A finished call with its bodies, byte for byte.
#[derive(Debug, Clone)]
pub struct FinishedCall {
    /// The tool.
    pub tool: ToolId,
    /// Time at which the request arrived.
    pub at: Timestamp,
    /// The way by which the call came.
    pub origin: Origin,
    /// The client's session.
    pub session: Option<Box<str>>,
    /// The client that called.
    pub client: Option<Client>,
    /// Protocol version spoken with the client.
    pub protocol_version: Option<Box<str>>,
    /// `params.arguments`.
    pub arguments: Option<Bytes>,
    /// How the call ended, in the upstream's own words.
    pub ended: Ended,
    /// How the result was adapted for the client; `None` if the client got the original.
    pub rung: Option<Rung>,
    /// The tool's effective schema at the time.
    pub effective: Effective,
    /// Microseconds that the upstream took.
    pub upstream_us: u64,
    /// Microseconds from request to answer.
    pub total_us: u64,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The upstream's `result`.
    Result(Bytes),
    /// The upstream's JSON-RPC `error`.
    Error(Bytes),
    /// The client cancelled it.
    Cancelled,
    /// The upstream could not be reached, or ended without an answer. Contains the reason.
    Lost(String),
}
