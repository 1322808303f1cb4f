//! The proxy alone, in the process of the test, which chooses the effective schemas of tools.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use axum::Router;
use schemascope_model::{Rung, ToolId};
use schemascope_proxy::{
    AdapterStatus, Adapting, Config, Effective, Ended, FinishedCall, Hub, ListedTool, Observer, Schema,
    Schemas, SuspensionChange, endpoint,
};
use schemascope_test_support::stdio;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::places;

/// Effective schemas, chosen by a test.
#[derive(Default)]
struct ChosenSchemas(Mutex<BTreeMap<String, Effective>>);

impl Schemas for ChosenSchemas {
    fn effective(&self, tool: &ToolId) -> Effective {
        self.0.lock().unwrap().get(&tool.to_string()).cloned().unwrap_or_default()
    }
}

/// Finished calls and suspensions.
#[derive(Default)]
pub struct RecordedCalls {
    /// Tool, rung, and the upstream's result.
    pub calls: Mutex<Vec<(String, Option<Rung>, String)>>,
    pub turns: Mutex<Vec<SuspensionChange>>,
}

impl Observer for RecordedCalls {
    fn finished(&self, call: FinishedCall) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let Ended::Result(result) = &call.ended else { panic!("{call:?}") };
        let result = String::from_utf8(result.to_vec()).unwrap();
        self.calls.lock().unwrap().push((call.tool.to_string(), call.rung, result));
        Box::pin(async {})
    }

    fn listed(&self, _: &str, _: &[ListedTool]) {}

    fn changed(&self, _: &str) {}

    fn adapted(&self, _: &ToolId, status: AdapterStatus) {
        self.turns.lock().unwrap().extend(status.change);
    }
}

/// The proxy alone, in this process.
pub struct Proxy {
    pub url: String,
    pub seen: Arc<RecordedCalls>,
    hub: Arc<Hub>,
    pub shutdown: CancellationToken,
    runtime: tokio::runtime::Runtime,
}

impl Proxy {
    pub fn start(servers: &Map<String, Value>, decided: BTreeMap<String, Effective>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let config = Config::parse(&json!({"mcpServers": servers}).to_string(), &|_| None).unwrap();
        let (seen, decided) =
            (Arc::new(RecordedCalls::default()), Arc::new(ChosenSchemas(Mutex::new(decided))));
        let shutdown = CancellationToken::new();
        let (url, hub) = runtime.block_on(async {
            let hub = Hub::new(&config, None, Arc::clone(&seen) as _, decided, Adapting::default());
            let routes = endpoint::routes(Arc::clone(&hub), shutdown.clone(), shutdown.clone());
            let router =
                routes.into_iter().fold(Router::new(), |router, (path, methods)| router.route(path, methods));
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}/mcp", listener.local_addr().unwrap());
            tokio::spawn(async move { axum::serve(listener, router).await });
            (url, hub)
        });
        Self { url, seen, hub, shutdown, runtime }
    }
}

impl Proxy {
    /// What an SDK is to do.
    pub fn job(&self, calls: &[Value]) -> Value {
        json!({"url": self.url, "token": "none", "calls": calls})
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shutdown.cancel();
        self.runtime.block_on(self.hub.stop());
    }
}

/// A mirror of tools: name, declared schema, results.
pub fn mirror<'a>(
    scratch: &Path,
    tools: impl IntoIterator<Item = (&'a str, Option<&'a Value>, &'a [String])>,
) -> Value {
    let tools = tools.into_iter().map(|(name, declared, results)| {
        let mut definition = json!({"name": name, "inputSchema": {"type": "object"}});
        if let Some(declared) = declared {
            definition["outputSchema"] = declared.clone();
        }
        format!(r#"{{"definition":{definition},"results":[{}]}}"#, results.join(","))
    });
    let file = scratch.join("mirror.json");
    std::fs::write(&file, format!("[{}]", tools.collect::<Vec<_>>().join(","))).unwrap();
    stdio(places().fixture("mirror"), &[file.to_str().unwrap()])
}

pub fn schema(value: &Value) -> Schema {
    Schema { digest: value.to_string().into(), schema: Arc::new(value.clone()), inferred: false }
}
