//! Tools that Schemascope itself serves, as the proxy sees them.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use schemascope_model::Client;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Tools served in this process. The proxy makes an upstream of them.
pub trait BuiltInTools: Send + Sync + 'static {
    /// What the tools are for, in a few sentences for the model that uses them.
    fn instructions(&self) -> String;

    /// The definitions of all tools, in the form `tools/list` sends them.
    fn definitions(&self) -> Vec<Value>;

    /// Calls one of these tools. The result becomes `structuredContent`; an error becomes a result with `isError`.
    fn call(&self, name: &str, arguments: Map<String, Value>, caller: CallerSession) -> Calling<'_>;
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
pub type Calling<'a> = Pin<Box<dyn Future<Output = Result<Value, String>> + Send + 'a>>;

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
