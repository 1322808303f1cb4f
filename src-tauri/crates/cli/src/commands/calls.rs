//! `calls`.

use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{Cell, Color};
use schemascope_api::{CallsPage, ListCalls};
use schemascope_engine::Front;
use schemascope_model::{CallRecord, Outcome};

use crate::args::{Args, Calls};
use crate::output;

/// Calls asked for at a time.
const PAGE: usize = 500;
/// Calls in a table unless said otherwise.
const TABLE: usize = 50;

pub async fn run(args: &Args, verb: &Calls, front: &Front) -> Result<ExitCode> {
    let mut left = verb.limit.unwrap_or(if args.json { usize::MAX } else { TABLE });
    let mut before = None;
    let mut shown = Vec::new();
    while left > 0 {
        let page =
            ListCalls { tool_id: verb.tool.clone(), failures: verb.failures, before, limit: left.min(PAGE) };
        let CallsPage { calls, next } = front.call(page).await?;
        left -= calls.len();
        before = next;
        if args.json {
            for call in &calls {
                output::line(&serde_json::to_string(call)?)?;
            }
        } else {
            shown.extend(calls);
        }
        if before.is_none() {
            break;
        }
    }
    if !args.json {
        print(&shown)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(calls: &[CallRecord]) -> Result<()> {
    if calls.is_empty() {
        output::note("No calls.");
        return Ok(());
    }
    let header = ["time", "tool", "outcome", "took", "size", "client"];
    let mut table = output::table(&header, &[3, 4]);
    for call in calls {
        let outcome = Cell::new(call.outcome);
        table.add_row([
            Cell::new(output::time(call.at)),
            Cell::new(output::harmless(&call.tool_id.to_string())),
            match call.outcome {
                Outcome::Ok => outcome,
                Outcome::Cancelled => outcome.fg(Color::DarkGrey),
                _ => outcome.fg(Color::Red),
            },
            Cell::new(call.total_us.map_or_else(String::new, output::duration)),
            Cell::new(output::bytes(call.result_bytes)),
            Cell::new(call.client.as_ref().map_or_else(String::new, |client| output::harmless(&client.name))),
        ]);
    }
    output::print(&table)?;
    Ok(())
}
