//! The scripted agent of the demo: what it asks, and what there is to see meanwhile.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use schemascope_test_support::{McpClient, Serve};
use serde_json::{Value, json};

/// Rounds of the first part. One tool is asked in every round, so that it reaches high quality.
const ROUNDS: u64 = 110;
/// Answers of a tool after which the shop answers otherwise.
pub const DRIFT_AFTER: u64 = 125;
/// Pauses between two calls: while something is learned, and later.
const LIVELY: Duration = Duration::from_millis(70);
const CALM: Duration = Duration::from_millis(400);

/// What there is to see from a round on.
const CHAPTERS: &[(u64, &str)] = &[
    (0, "An agent asks a shop, git, files, a memory, a clock. Hardly any tool says what it returns."),
    (1, "First answers: each observed tool has a schema at low quality. Overview shows them come in."),
    (10, "shop / list_invoices was seen ten times: medium. Open it under Tools: fields, intervals, samples."),
    (40, "shop / exchange_rates breaks the schema it declares: \"Needs you\" on the Overview says so."),
    (100, "shop / list_invoices was seen a hundred times and is consistent: high. It can be relied on."),
    (ROUNDS, "From here on the agent works at leisure."),
    (
        DRIFT_AFTER,
        "A careless release: list_invoices now gives amounts as text. Its field \"amount\" turns yellow, consistency falls.",
    ),
];

/// Everything as fast as it goes. Returns how many calls were sent.
pub fn all_at_once(serve: &Serve, folder: &Path) -> Result<u64> {
    let client = connect(serve)?;
    let calls: Vec<(String, Value)> = (0..ROUNDS).flat_map(|round| script(round, folder)).collect();
    let style = ProgressStyle::with_template("   {pos} of {len} calls {wide_bar:.cyan/black} {msg}");
    let progress = ProgressBar::new(calls.len() as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    for (tool, arguments) in &calls {
        progress.set_message(tool.clone());
        call(&client, tool, arguments)?;
        progress.inc(1);
    }
    progress.finish_and_clear();
    println!("   {} calls sent", calls.len());
    Ok(calls.len() as u64)
}

/// At a pace one can follow, until somebody ends it.
pub fn tell(serve: &mut Serve, folder: &Path) -> Result<()> {
    let client = connect(serve)?;
    let mut calls: u64 = 0;
    for round in 0.. {
        if let Some((_, text)) = CHAPTERS.iter().find(|(from, _)| *from == round) {
            println!("── {calls:>4} calls  {text}");
        }
        for (tool, arguments) in script(round, folder) {
            if let Err(error) = call(&client, &tool, &arguments) {
                // Between the last call and this one somebody closed the window, perhaps just now.
                std::thread::sleep(Duration::from_secs(1));
                return if serve.is_running() { Err(error) } else { Ok(()) };
            }
            calls += 1;
            std::thread::sleep(if round < ROUNDS { LIVELY } else { CALM });
        }
    }
    Ok(())
}

fn connect(serve: &Serve) -> Result<McpClient> {
    let client = serve.connect_as("demo-agent")?;
    let tools = client.request("tools/list", "{}")?.result()?;
    let count = tools["tools"].as_array().map_or(0, Vec::len);
    println!("   {count} tools of 6 servers on {}", serve.url(None));
    Ok(client)
}

/// Errors of tools are part of the story; an answer must come.
fn call(client: &McpClient, tool: &str, arguments: &Value) -> Result<()> {
    client.call(tool, arguments)?.answer().with_context(|| format!("calling {tool}")).map(drop)
}

/// What the agent does in one round: often the shop, now and then the others.
fn script(round: u64, folder: &Path) -> Vec<(String, Value)> {
    let note = folder.join(format!("notes/{}.md", round % 5 + 1));
    let id = json!({"id": format!("{round}")});
    let mut calls = vec![("shop__list_invoices", json!({}))];
    let now_and_then: [(u64, &str, Value); 23] = [
        (2, "shop__list_orders", json!({"limit": 2 + round % 7})),
        (2, "shop__get_order", id.clone()),
        (3, "shop__get_customer", id.clone()),
        (4, "shop__search_customers", json!({"query": "a"})),
        (4, "shop__check_stock", json!({})),
        (5, "shop__list_events", json!({})),
        (6, "shop__order_total", id.clone()),
        (6, "shop__shipping_label", id.clone()),
        (7, "shop__store_info", json!({})),
        (5, "shop__exchange_rates", json!({})),
        (40, "shop__rebuild_catalog", json!({"steps": 3})),
        (20, "shop__refund", id),
        (6, "files__read_text_file", json!({"path": note})),
        (9, "files__list_directory", json!({"path": folder})),
        (30, "files__read_text_file", json!({"path": "/etc/shadow"})),
        (9, "git__git_status", json!({"repo_path": folder})),
        (11, "git__git_log", json!({"repo_path": folder, "max_count": 1 + round % 4})),
        (8, "time__get_current_time", json!({"timezone": "Europe/Vienna"})),
        (
            13,
            "time__convert_time",
            json!({"source_timezone": "UTC", "time": "12:30", "target_timezone": "Asia/Tokyo"}),
        ),
        (
            10,
            "memory__create_entities",
            json!({"entities": [{"name": format!("order-{round}"), "entityType": "order", "observations": ["paid"]}]}),
        ),
        (12, "memory__read_graph", json!({})),
        (10, "everything__get-sum", json!({"a": round, "b": 2})),
        (15, "everything__get-env", json!({})),
    ];
    calls.extend(
        now_and_then
            .into_iter()
            .filter(|(every, ..)| round.is_multiple_of(*every))
            .map(|(_, tool, arguments)| (tool, arguments)),
    );
    calls.into_iter().map(|(tool, arguments)| (tool.to_owned(), arguments)).collect()
}
