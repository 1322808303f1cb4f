//! What the proxy hands out: which tools were listed, which calls ended.
//!
//! Owns: the trait the rest of the app implements. Refuses to know: who implements it.

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use schemascope_model::{Client, Origin, Rung, Timestamp, ToolId};

use crate::schemas::{AdapterStatus, Effective};

/// Sees everything that passes, and changes nothing.
pub trait Observer: Send + Sync + 'static {
    /// A call ended. The answer goes to the client when the future is done; it takes time only when
    /// the observer is behind and slows callers down, or when it must be on disk first.
    fn finished(&self, call: FinishedCall) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// An upstream listed its tools, all of them.
    fn listed(&self, server: &str, tools: &[ListedTool]);

    /// An upstream's state changed, or the tools it lists.
    fn changed(&self, server: &str);

    /// A result was adapted, or passed with the structure it had.
    fn adapted(&self, tool: &ToolId, status: AdapterStatus) {
        let _ = (tool, status);
    }
}

/// A tool as its upstream lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTool {
    /// Its name there.
    pub name: String,
    /// Its whole object, as sent.
    pub definition: Bytes,
}

/// A call that ended, with its bodies as they passed.
#[derive(Debug, Clone)]
pub struct FinishedCall {
    /// The tool.
    pub tool: ToolId,
    /// When the request reached us.
    pub at: Timestamp,
    /// By which way it came.
    pub origin: Origin,
    /// The client's session.
    pub session: Option<Box<str>>,
    /// Who called.
    pub client: Option<Client>,
    /// Protocol version spoken with the client.
    pub protocol_version: Option<Box<str>>,
    /// `params.arguments`.
    pub arguments: Option<Bytes>,
    /// How it ended, as the upstream said it.
    pub ended: Ended,
    /// How the client's result was made of it; none where it got it as it is.
    pub rung: Option<Rung>,
    /// What was held true of the tool's output then.
    pub effective: Effective,
    /// Microseconds the upstream took.
    pub upstream_us: u64,
    /// Microseconds from request to answer.
    pub total_us: u64,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// With the upstream's `result`.
    Result(Bytes),
    /// With the upstream's JSON-RPC `error`.
    Error(Bytes),
    /// The client cancelled it.
    Cancelled,
    /// The upstream could not be reached, went away, or broke off; says why.
    Lost(String),
}
