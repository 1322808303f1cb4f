//! The scripted agent of the demo. It works as agents do: what one result gives, a later call takes.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use schemascope_test_support::McpClient;
use serde_json::{Value, json};

/// How often each tool is called: in every so many rounds, in this order.
const SCRIPT: &[(u64, &str)] = &[
    (1, "shop__list_invoices"),
    (1, "shop__list_events"),
    (1, "shop__get_order"),
    (3, "shop__get_customer"),
    (2, "shop__list_orders"),
    (6, "shop__order_total"),
    (6, "shop__shipping_label"),
    (4, "shop__search_customers"),
    (4, "shop__check_stock"),
    (7, "shop__store_info"),
    (5, "shop__exchange_rates"),
    (40, "shop__rebuild_catalog"),
    (20, "shop__refund"),
    (9, "files__list_directory"),
    (6, "files__read_text_file"),
    (9, "git__git_status"),
    (11, "git__git_log"),
    (11, "git__git_show"),
    (8, "time__get_current_time"),
    (13, "time__convert_time"),
    (10, "memory__create_entities"),
    (12, "memory__read_graph"),
    (10, "everything__get-sum"),
    (15, "everything__get-env"),
];

/// The agent with its memory of past results.
pub struct Agent {
    folder: PathBuf,
    /// Order that it read of in the latest events.
    event_order: String,
    /// Order that it read of in the latest list.
    listed_order: String,
    /// Customer of the order that it looked at last.
    customer: String,
    /// Commit in the latest log.
    commit: String,
}

/// The tools that the agent calls in a round.
pub fn calls(round: u64) -> Vec<&'static str> {
    let now = SCRIPT.iter().filter(|(every, _)| round.is_multiple_of(*every));
    now.map(|(_, tool)| *tool).collect()
}

impl Agent {
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            event_order: "1".to_owned(),
            listed_order: "2".to_owned(),
            customer: "3".to_owned(),
            commit: "HEAD".to_owned(),
        }
    }

    /// Calls a tool and remembers what the result tells. Errors of tools are part of the story; an answer must come.
    pub fn call(&mut self, client: &McpClient, tool: &str, round: u64) -> Result<()> {
        let answer = client
            .call(tool, &self.arguments(tool, round))?
            .answer()
            .with_context(|| format!("calling {tool}"))?;
        let text = answer.pointer("/result/content/0/text").and_then(Value::as_str).unwrap_or_default();
        self.remember(tool, text);
        Ok(())
    }

    fn arguments(&self, tool: &str, round: u64) -> Value {
        let folder = &self.folder;
        match tool {
            "shop__get_order" => json!({"id": self.event_order}),
            "shop__order_total" | "shop__shipping_label" | "shop__refund" => json!({"id": self.listed_order}),
            "shop__get_customer" => json!({"id": self.customer}),
            "shop__list_orders" => json!({"limit": 2 + round % 7}),
            "shop__search_customers" => json!({"query": "a"}),
            "shop__rebuild_catalog" => json!({"steps": 3}),
            "files__list_directory" => json!({"path": folder.join("notes")}),
            // Now and then a file that it must not read.
            "files__read_text_file" if round.is_multiple_of(30) => json!({"path": "/etc/shadow"}),
            "files__read_text_file" => json!({"path": folder.join(format!("notes/{}.md", round % 5 + 1))}),
            "git__git_status" => json!({"repo_path": folder}),
            "git__git_log" => json!({"repo_path": folder, "max_count": 1 + round % 4}),
            "git__git_show" => json!({"repo_path": folder, "revision": self.commit}),
            "time__get_current_time" => json!({"timezone": "Europe/Vienna"}),
            "time__convert_time" => {
                json!({"source_timezone": "UTC", "time": "12:30", "target_timezone": "Asia/Tokyo"})
            }
            "memory__create_entities" => json!({"entities": [
                {"name": self.listed_order, "entityType": "order", "observations": ["paid"]}
            ]}),
            "everything__get-sum" => json!({"a": round, "b": 2}),
            _ => json!({}),
        }
    }

    fn remember(&mut self, tool: &str, text: &str) {
        let result: Value = serde_json::from_str(text).unwrap_or_default();
        let known = |value: &Value| value.as_str().map(str::to_owned);
        match tool {
            "shop__list_events" => {
                let events = result["events"].as_array().into_iter().flatten();
                let order = events.filter_map(|event| known(&event["order"])).next_back();
                self.event_order = order.unwrap_or_else(|| self.event_order.clone());
            }
            "shop__list_orders" => {
                let order = known(&result["orders"][0]["id"]);
                self.listed_order = order.unwrap_or_else(|| self.listed_order.clone());
            }
            "shop__get_order" => {
                let customer = known(&result["customer"]).or_else(|| known(&result["customer"]["id"]));
                self.customer = customer.unwrap_or_else(|| self.customer.clone());
            }
            "git__git_log" => {
                let commit = text.lines().filter_map(|line| line.strip_prefix("Commit: ")).next_back();
                self.commit =
                    commit.map_or_else(|| self.commit.clone(), |commit| commit.trim_matches('\'').to_owned());
            }
            _ => {}
        }
    }
}
