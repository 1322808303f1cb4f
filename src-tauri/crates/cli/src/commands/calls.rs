//! `calls`.

use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{Cell, Color};
use schemascope_api::{CallsPage, ListCalls, ListRunning, RunningCall};
use schemascope_engine::Front;
use schemascope_model::{CallRecord, Outcome, Timestamp};

use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output;

verbs!(Learned: reader Calls);

/// Number of calls requested at a time.
const PAGE: usize = 500;
/// Number of calls in a table by default.
const TABLE: usize = 50;

/// List recorded calls, newest first; the table begins with calls that are running
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope calls --failures --limit 10\n  \
    schemascope calls --tool git__git_log --json > calls.ndjson    for `check`")]
pub struct Calls {
    /// Only calls of this tool
    #[arg(long, value_name = "TOOL_ID")]
    tool: Option<String>,
    /// Only failed calls
    #[arg(long)]
    failures: bool,
    /// At most this many [default: 50; with --json all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

impl WithEngine for Calls {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let mut left = self.limit.unwrap_or(if args.json { usize::MAX } else { TABLE });
        let mut before = None;
        let mut shown = Vec::new();
        while left > 0 {
            let page = ListCalls {
                tool_id: self.tool.clone(),
                failures: self.failures,
                before,
                limit: left.min(PAGE),
            };
            let CallsPage { calls, next } = front.call(page).await?;
            left -= calls.len();
            before = next;
            if args.json {
                for call in &calls {
                    output::json_text(&serde_json::to_string(call)?)?;
                }
            } else {
                shown.extend(calls);
            }
            if before.is_none() {
                break;
            }
        }
        if !args.json {
            let mut running = front.call(ListRunning {}).await?.calls;
            running
                .retain(|call| !self.failures && self.tool.as_ref().is_none_or(|tool| *tool == call.tool_id));
            print(&running, &shown)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print(running: &[RunningCall], calls: &[CallRecord]) -> Result<()> {
    if running.is_empty() && calls.is_empty() {
        output::note("No calls.");
        return Ok(());
    }
    let header = ["time", "tool", "outcome", "duration", "size", "client"];
    let mut table = output::table(&header, &[3, 4]);
    for call in running {
        let so_far = Timestamp::now().as_millis().saturating_sub(call.at.as_millis());
        table.add_row([
            Cell::new(output::time(call.at)),
            Cell::new(output::harmless(&call.tool_id)),
            Cell::new("running").fg(Color::Yellow),
            Cell::new(output::duration(so_far.saturating_mul(1_000))),
            Cell::new(""),
            Cell::new(output::harmless(call.client.as_deref().unwrap_or_default())),
        ]);
    }
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
    output::print_without(&table, &["client", "size"])?;
    Ok(())
}
