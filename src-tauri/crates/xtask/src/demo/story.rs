//! The scripted agent of the demo: what it asks, and what there is to see meanwhile.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use schemascope_test_support::{McpClient, Program, Serve};
use serde_json::{Value, json};

use super::decisions::{self, Table};

/// Rounds of the first part. Two tools are asked in every round, so that they reach high quality.
const ROUNDS: u64 = 110;
/// Answers of a tool after which the shop answers otherwise.
pub const DRIFT_AFTER: u64 = 125;
/// Pauses between two calls: while something is learned, and later.
const LIVELY: Duration = Duration::from_millis(70);
const CALM: Duration = Duration::from_millis(400);

/// Rounds when nobody looks on: behind the last chapter.
const ALL: u64 = DRIFT_AFTER + 51;

/// What there is to see, and what is done, from a round on.
struct Chapter {
    round: u64,
    text: &'static str,
    done: Option<fn(&Table<'_>) -> Result<()>>,
}

const fn seen(round: u64, text: &'static str) -> Chapter {
    Chapter { round, text, done: None }
}

const fn done(round: u64, text: &'static str, done: fn(&Table<'_>) -> Result<()>) -> Chapter {
    Chapter { round, text, done: Some(done) }
}

const CHAPTERS: &[Chapter] = &[
    seen(0, "An agent asks a shop, git, files, a memory, a clock. Hardly any tool says what it returns."),
    seen(1, "First answers: each observed tool has a schema at low quality. Overview shows them come in."),
    seen(
        10,
        "shop / list_invoices was seen ten times: medium. Open it under Tools: fields, intervals, samples.",
    ),
    seen(40, "shop / exchange_rates breaks the schema it declares: \"Needs you\" on the Overview says so."),
    seen(100, "shop / list_invoices was seen a hundred times and is consistent: high. It can be relied on."),
    done(
        105,
        "The schema of shop / get_order waits under Review, with what it would have made of the latest results:",
        decisions::impact,
    ),
    done(
        107,
        "It fits them all. Promoted: clients are told, and results come with structure.",
        decisions::promote,
    ),
    seen(ROUNDS, "From here on the agent works at leisure."),
    seen(
        DRIFT_AFTER,
        "A careless release: get_order now gives its customer as an object. The field turns yellow, consistency falls.",
    ),
    done(
        DRIFT_AFTER + 40,
        "What it returns breaks what clients are told, and that is no accident any more:",
        decisions::drift,
    ),
    done(ALL - 1, "Until the shop mends it, the promise is taken back.", decisions::roll_back),
];

/// Everything as fast as it goes. Returns how many calls were sent.
pub fn all_at_once(program: &Program, serve: &Serve, folder: &Path) -> Result<u64> {
    let client = connect(serve)?;
    let table = Table { program, client: &client, calls: Cell::new(0) };
    let total: usize = (0..ALL).map(|round| script(round, folder).len()).sum();
    let style = ProgressStyle::with_template("   {pos} of {len} calls {wide_bar:.cyan/black} {msg}");
    let progress =
        ProgressBar::new(total as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    for round in 0..ALL {
        let calls = progress.position();
        progress.suspend(|| open(round, calls, &table))?;
        for (tool, arguments) in script(round, folder) {
            progress.set_message(tool.clone());
            call(&client, &tool, &arguments)?;
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    let sent = total as u64 + table.calls.get();
    println!("   {sent} calls sent");
    Ok(sent)
}

/// At a pace one can follow, until somebody ends it.
pub fn tell(program: &Program, serve: &mut Serve, folder: &Path) -> Result<()> {
    let client = connect(serve)?;
    let table = Table { program, client: &client, calls: Cell::new(0) };
    let mut calls: u64 = 0;
    for round in 0.. {
        if let Err(error) = open(round, calls, &table) {
            // With the data of another time it may have been decided already.
            println!("   left out: {error:#}\n");
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

/// Begins the chapter of this round, if there is one.
fn open(round: u64, calls: u64, table: &Table<'_>) -> Result<()> {
    for chapter in CHAPTERS.iter().filter(|chapter| chapter.round == round) {
        println!("── {calls:>4} calls  {}", chapter.text);
        if let Some(done) = chapter.done {
            done(table)?;
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
        (1, "shop__get_order", id.clone()),
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
