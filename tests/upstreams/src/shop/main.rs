//! The shop: an upstream as real ones are. Most of its tools answer JSON in text and declare nothing.
//!
//! Owns: the MCP side. Refuses to know: what the goods are (see [`goods`]). Deterministic: the n-th
//! answer of a tool depends on the seed, the tool and n only.

mod goods;
mod random;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Parser;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt};
use serde_json::{Value, json};

use random::Random;

/// A shop that sells nothing, over stdio.
#[derive(Debug, Clone, Parser)]
struct Args {
    /// Other seeds give other goods of the same shapes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Answer in changed shapes, as after a careless release
    #[arg(long)]
    drift: bool,
    /// Answer in changed shapes after so many answers of a tool
    #[arg(long, value_name = "N", default_value_t = u64::MAX)]
    drift_after: u64,
    /// Milliseconds between two steps of the slow tool
    #[arg(long, default_value_t = 20)]
    step_ms: u64,
}

struct Shop {
    args: Args,
    served: Mutex<HashMap<String, u64>>,
}

fn object(value: Value) -> Arc<serde_json::Map<String, Value>> {
    Arc::new(match value {
        Value::Object(object) => object,
        _ => serde_json::Map::new(),
    })
}

fn tool(name: &'static str, description: &'static str, properties: impl Into<Value>) -> Tool {
    Tool::new(
        Cow::Borrowed(name),
        Cow::Borrowed(description),
        object(json!({"type": "object", "properties": properties.into()})),
    )
}

fn tools() -> Vec<Tool> {
    let id = json!({"id": {"type": "string"}});
    let mut store = tool("store_info", "Where the shop is and when it is open", json!({}));
    store.output_schema = Some(object(goods::store_schema()));
    let mut rates = tool("exchange_rates", "Rates of today; declares a schema and breaks it", json!({}));
    rates.output_schema = Some(object(goods::rates_schema()));
    vec![
        tool(
            "list_orders",
            "Recent orders, a page at a time",
            json!({"limit": {"type": "integer"}, "cursor": {"type": "string"}}),
        ),
        tool("get_order", "One order with its payment", id.clone()),
        tool("search_customers", "Customers by name", json!({"query": {"type": "string"}})),
        tool("get_customer", "One customer", id.clone()),
        tool("check_stock", "Pieces in stock by article", json!({})),
        tool("list_invoices", "Invoices, open and paid", json!({})),
        tool("list_events", "What happened lately", json!({})),
        tool("order_total", "The total of an order, a number", id.clone()),
        tool("shipping_label", "A label to print, as plain text", id.clone()),
        store,
        rates,
        tool(
            "rebuild_catalog",
            "Takes a while and tells how far it is",
            json!({"steps": {"type": "integer"}}),
        ),
        tool("refund", "Refuses every refund", id),
    ]
}

fn text(value: &Value) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(value.to_string())])
}

fn structured(value: Value) -> CallToolResult {
    let mut result = text(&value);
    result.structured_content = Some(value);
    result
}

impl Shop {
    /// Randomness for the next answer of this tool.
    /// What the next answer of a tool is drawn from, and how many there were before.
    fn random(&self, tool: &str) -> (Random, u64) {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        let n = served.entry(tool.to_owned()).or_default();
        *n += 1;
        (Random::new(self.args.seed, tool, *n), *n - 1)
    }

    async fn rebuild(&self, steps: u64, context: &RequestContext<RoleServer>) -> CallToolResult {
        let token = context.meta.get_progress_token();
        for step in 1..=steps {
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(self.args.step_ms)) => {}
                () = context.ct.cancelled() => break,
            }
            if let Some(token) = &token {
                let progress = ProgressNotificationParam::new(token.clone(), step as f64)
                    .with_total(steps as f64)
                    .with_message(format!("shelf {step}"));
                // A client that has gone needs no progress.
                let _ = context.peer.notify_progress(progress).await;
            }
        }
        if token.is_some() {
            // The TypeScript SDK forgets a request's progress handler with its answer, before it looks at progress
            // it has read together with it, whoever it talks to.
            tokio::time::sleep(Duration::from_millis(self.args.step_ms)).await;
        }
        text(&json!({"rebuilt": steps, "warnings": []}))
    }
}

impl ServerHandler for Shop {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("shop", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let (mut random, before) = self.random(&request.name);
        let drift = self.args.drift || before >= self.args.drift_after;
        let result = match request.name.as_ref() {
            "list_orders" => {
                let limit = arguments.get("limit").and_then(Value::as_u64).unwrap_or(5).min(50);
                text(&goods::orders(&mut random, limit, drift))
            }
            "get_order" => text(&goods::order(&mut random, drift)),
            "search_customers" => text(&goods::customers(&mut random)),
            "get_customer" => text(&goods::customer(&mut random)),
            "check_stock" => text(&goods::stock(&mut random)),
            "list_invoices" => text(&goods::invoices(&mut random, drift)),
            "list_events" => text(&goods::events(&mut random)),
            "order_total" => text(&goods::total(&mut random)),
            "shipping_label" => CallToolResult::success(vec![ContentBlock::text(goods::label(&mut random))]),
            "store_info" => structured(goods::store()),
            "exchange_rates" => structured(goods::rates(&mut random)),
            "rebuild_catalog" => {
                let steps = arguments.get("steps").and_then(Value::as_u64).unwrap_or(5).min(1_000);
                self.rebuild(steps, &context).await
            }
            "refund" if arguments.contains_key("id") => CallToolResult::error(vec![ContentBlock::text(
                "{\"refused\": \"the shop keeps what it has\"}",
            )]),
            "refund" => {
                return Err(ErrorData::invalid_params(
                    "refund needs an id",
                    Some(json!({"missing": ["id"]})),
                ));
            }
            other => return Err(ErrorData::invalid_params(format!("there is no tool {other:?}"), None)),
        };
        Ok(result.into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let shop = Shop { args: Args::parse(), served: Mutex::default() };
    shop.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}
