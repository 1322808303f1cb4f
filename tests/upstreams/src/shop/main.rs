//! The shop: an upstream like real ones. Most of its tools answer JSON in text and declare no schema.
//!
//! It holds together: an id from one result is taken by the other tools, and what they say of it is always the same.
//! The rest of the n-th answer of a tool depends on the seed, the tool and n only. See [`goods`] for the data.

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

use goods::Goods;
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

/// A tool that needs the id of something.
fn tool_of_id(name: &'static str, description: &'static str) -> Tool {
    let schema = json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]});
    Tool::new(Cow::Borrowed(name), Cow::Borrowed(description), object(schema))
}

fn tools() -> Vec<Tool> {
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
        tool_of_id("get_order", "One order with its payment"),
        tool("search_customers", "Customers by name", json!({"query": {"type": "string"}})),
        tool_of_id("get_customer", "One customer"),
        tool("check_stock", "Pieces in stock by article", json!({})),
        tool("list_invoices", "Invoices, open and paid", json!({})),
        tool("list_events", "What happened lately", json!({})),
        tool_of_id("order_total", "The total of an order, a number"),
        tool_of_id("shipping_label", "A label to print, as plain text"),
        store,
        rates,
        tool(
            "rebuild_catalog",
            "Takes a while and tells how far it is",
            json!({"steps": {"type": "integer"}}),
        ),
        tool_of_id("refund", "Refuses every refund"),
    ]
}

fn text(value: &Value) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(value.to_string())])
}

fn failed(reason: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(reason)])
}

fn structured(value: Value) -> CallToolResult {
    let mut result = text(&value);
    result.structured_content = Some(value);
    result
}

impl Shop {
    /// The random numbers of a tool's next answer, and the number of its previous answers.
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
            // The TypeScript SDK drops a request's progress handler with its answer, before it handles progress
            // that it read together with the answer, also without a proxy.
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
        let goods = Goods { seed: self.args.seed, drift: self.args.drift || before >= self.args.drift_after };
        let argument = |name: &str| arguments.get(name).and_then(Value::as_str);
        let id = argument("id").unwrap_or_default();
        let order = |answer: &dyn Fn(u64) -> CallToolResult| match goods::order_number(id) {
            Some(number) => answer(number),
            None => failed(format!("there is no order {id:?}")),
        };
        let result = match request.name.as_ref() {
            "list_orders" => {
                let limit = arguments.get("limit").and_then(Value::as_u64).unwrap_or(5).min(50);
                match goods.orders(&mut random, limit, argument("cursor")) {
                    Some(orders) => text(&orders),
                    None => failed("there is no such page".to_owned()),
                }
            }
            "get_order" => order(&|number| text(&goods.order(number))),
            "search_customers" => text(&goods.customers(&mut random, argument("query").unwrap_or_default())),
            "get_customer" => match goods::customer_number(id) {
                Some(number) => text(&goods.customer(number)),
                None => failed(format!("there is no customer {id:?}")),
            },
            "check_stock" => text(&goods::stock(&mut random)),
            "list_invoices" => text(&goods::invoices(&mut random, goods.drift)),
            "list_events" => text(&goods::events(&mut random)),
            "order_total" => order(&|number| text(&goods.total(number))),
            "shipping_label" => {
                order(&|number| CallToolResult::success(vec![ContentBlock::text(goods.label(number))]))
            }
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
