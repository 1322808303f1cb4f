//! Tools that Schemascope itself serves, as the proxy sees them.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use schemascope_model::Client;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use crate::asker::Asker;

/// Tools served in this process. The proxy makes an upstream of them.
pub trait BuiltInTools: Send + Sync + 'static {
    /// What the tools are for, in a few sentences for the model that uses them.
    fn instructions(&self) -> String;

    /// The definitions of all tools, in the form `tools/list` sends them.
    fn definitions(&self) -> Vec<Value>;

    /// Calls one of these tools. An error becomes a result with `isError`.
    fn call(&self, name: &str, arguments: Map<String, Value>, context: CallContext) -> Calling<'_>;

    /// Whether its only tool can be called on `/mcp` by the name of the server alone.
    fn answers_to_its_name(&self) -> bool {
        false
    }

    /// The definitions of all prompts, in the form `prompts/list` sends them.
    fn prompts(&self) -> Vec<Value> {
        Vec::new()
    }

    /// The text of a prompt.
    fn prompt(&self, name: &str, arguments: &Map<String, Value>) -> Option<String> {
        let _ = (name, arguments);
        None
    }
}

/// What a call of a built-in tool is given besides its arguments.
#[derive(Debug, Clone, Default)]
pub struct CallContext {
    /// Whose call it is.
    pub caller: CallerSession,
    /// Where progress is reported.
    pub progress: Progress,
    /// Asks the client.
    pub asker: Asker,
}

/// Progress of a call. Nothing is sent for a client that does not ask for it.
#[derive(Debug, Clone, Default)]
pub struct Progress(pub(crate) Option<mpsc::Sender<String>>);

impl Progress {
    /// Reports progress, unless the client is slower than the reports.
    pub fn report(&self, message: String) {
        if let Some(sender) = &self.0 {
            let _ = sender.try_send(message);
        }
    }
}

/// What a call of a built-in tool returns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolOutput {
    /// Blocks of text.
    pub content: Vec<String>,
    /// Structured content.
    pub structured: Option<Value>,
    /// Whether the call failed.
    pub is_error: bool,
    /// Fields of `_meta`.
    pub meta: Map<String, Value>,
}

impl From<Value> for ToolOutput {
    /// Structured content, and the same as text for clients that do not read it.
    fn from(value: Value) -> Self {
        Self { content: vec![value.to_string()], structured: Some(value), ..Self::default() }
    }
}

/// The session that a call of a built-in tool belongs to, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallerSession {
    /// Session of the client; `None` for a client without sessions.
    pub session: Option<Box<str>>,
    /// Name and version of the client.
    pub client: Option<Client>,
}

/// A call that has begun.
pub type Calling<'a> = Pin<Box<dyn Future<Output = Result<ToolOutput, String>> + Send + 'a>>;

/// Shared built-in tools. Two are equal when they are the same object.
#[derive(Clone)]
pub struct BuiltIn(Arc<dyn BuiltInTools>);

impl BuiltIn {
    /// Shares tools.
    pub fn new(tools: Arc<dyn BuiltInTools>) -> Self {
        Self(tools)
    }

    pub(crate) fn tools(&self) -> &Arc<dyn BuiltInTools> {
        &self.0
    }
}

impl PartialEq for BuiltIn {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for BuiltIn {}

impl fmt::Debug for BuiltIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BuiltIn")
    }
}
