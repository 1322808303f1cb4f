//! The story of the demo: what there is to see while the agent works.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use schemascope_test_support::{McpClient, Program, Serve};

use super::agent::{self, Agent};
use super::decisions::{self, Stage};

/// Rounds of the first part. Two tools are asked in every round, so that they reach high quality.
const ROUNDS: u64 = 110;
/// Answers of a tool after which the shop changes its results.
pub const DRIFT_AFTER: u64 = 125;
/// Pauses between two calls: while something is learned, and later.
const LIVELY: Duration = Duration::from_millis(70);
const CALM: Duration = Duration::from_millis(400);

/// Rounds of a run that ends by itself: behind the last chapter.
const ALL: u64 = DRIFT_AFTER + 51;

/// Text and action that begin at a round.
struct Chapter {
    round: u64,
    text: &'static str,
    done: Option<fn(&Stage<'_>) -> Result<()>>,
}

const fn seen(round: u64, text: &'static str) -> Chapter {
    Chapter { round, text, done: None }
}

const fn done(round: u64, text: &'static str, done: fn(&Stage<'_>) -> Result<()>) -> Chapter {
    Chapter { round, text, done: Some(done) }
}

const CHAPTERS: &[Chapter] = &[
    seen(0, "An agent asks a shop, git, files, a memory, a clock. Hardly any tool says what it returns."),
    seen(1, "First answers: each observed tool has a schema at low quality. Overview shows them come in."),
    seen(
        10,
        "shop / list_invoices was seen ten times: medium. Open it under Tools: fields, intervals, samples.",
    ),
    seen(
        40,
        "shop / exchange_rates breaks the schema it declares: \"Needs attention\" on the Overview says so.",
    ),
    done(
        45,
        "From what is known of each tool, typed code is written for scripts and agents:",
        decisions::generate,
    ),
    done(
        50,
        "A program becomes a tool: its help is read, and each call is an argument vector. No shell is involved.",
        decisions::program,
    ),
    done(
        60,
        "The agent takes ids from one result to the next call. Graph shows which tool feeds which:",
        decisions::edges,
    ),
    done(62, "From that follows how to get somewhere, here to a customer. The plan is run:", decisions::plan),
    seen(100, "shop / list_invoices was seen a hundred times and is consistent: high. It can be relied on."),
    done(102, "Its wrapper follows: fields that the schema requires are required now.", decisions::evolved),
    done(
        105,
        "The schema of shop / get_order waits under Review, with what it would have made of the latest results:",
        decisions::impact,
    ),
    done(
        107,
        "All of them conform. Promoted: clients get the schema, and results contain structured content.",
        decisions::promote,
    ),
    done(
        108,
        "What people know of a tool's fields is asked for, and becomes descriptions in its schema and its wrapper:",
        decisions::describe,
    ),
    seen(ROUNDS, "From here on the agent works more slowly."),
    seen(
        DRIFT_AFTER,
        "A careless release: get_order now gives its customer as an object. The field turns yellow, consistency falls.",
    ),
    done(DRIFT_AFTER + 40, "Results break the promoted schema often enough to be sure:", decisions::drift),
    done(
        DRIFT_AFTER + 42,
        "No id of a customer comes from get_order any more: an edge is broken.",
        decisions::broken_edge,
    ),
    done(ALL - 2, "The schema is rolled back until the shop is fixed.", decisions::roll_back),
    done(ALL - 1, "For people who never saw a terminal, a report in one file:", decisions::report),
];

/// Runs the story without pauses. Returns the number of calls sent.
pub fn all_at_once(program: &Program, serve: &Serve, folder: &Path) -> Result<u64> {
    let client = connect(serve)?;
    let table = Stage { program, client: &client, calls: Cell::new(0) };
    let mut agent = Agent::new(folder);
    let total: usize = (0..ALL).map(|round| agent::calls(round).len()).sum();
    let style = ProgressStyle::with_template("   {pos} of {len} calls {wide_bar:.cyan/black} {msg}");
    let progress =
        ProgressBar::new(total as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    for round in 0..ALL {
        let calls = progress.position();
        progress.suspend(|| open(round, calls, &table))?;
        for tool in agent::calls(round) {
            progress.set_message(tool);
            agent.call(&client, tool, round)?;
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    let sent = total as u64 + table.calls.get();
    println!("   {sent} calls sent");
    Ok(sent)
}

/// Runs the story at a pace that can be followed, until the user ends it.
pub fn tell(program: &Program, serve: &mut Serve, folder: &Path) -> Result<()> {
    let client = connect(serve)?;
    let table = Stage { program, client: &client, calls: Cell::new(0) };
    let mut agent = Agent::new(folder);
    let mut calls: u64 = 0;
    for round in 0.. {
        if let Err(error) = open(round, calls, &table) {
            // With the data of another time it may have been decided already.
            println!("   left out: {error:#}\n");
        }
        for tool in agent::calls(round) {
            if let Err(error) = agent.call(&client, tool, round) {
                // The user may have closed the window since the last call, perhaps just now.
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
fn open(round: u64, calls: u64, table: &Stage<'_>) -> Result<()> {
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
