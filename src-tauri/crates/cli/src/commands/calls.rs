//! `calls`.

mod one;

use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{Cell, Color};
use schemascope_api::{Filter, ListCalls, ListRunning, RunningCall};
use schemascope_engine::Front;
use schemascope_model::{CallId, CallRecord, Outcome, Timestamp};

use super::verb::{WithEngine, verbs};
use crate::args::{Args, time, time_since};
use crate::output;

verbs!(Learned: reader Calls);

/// Number of calls requested at a time.
const PAGE: usize = 500;
/// Number of calls in a table by default.
const TABLE: usize = 50;

/// List recorded calls, newest first, or show one
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Filters are those of the dashboard: a part of a tool id, tool:git*, server:shop, status:error, \
    duration:>500ms, client:claude*, fits:no, and text:paris or 'text:order 7' for what the arguments or the result \
    contain. A call must pass every filter. A filter that begins with - excludes; write it after --. Without filters, \
    the table begins with calls that are running.\n\nExamples:\n  \
    schemascope calls --failures --limit 10\n  \
    schemascope calls server:shop fits:no --since 2026-11-01\n  \
    schemascope calls server:shop text:A-1041\n  \
    schemascope calls --limit 20 -- 'client:claude*' -status:ok\n  \
    schemascope calls 01a229e88e942b743f2e    one call, with its result\n  \
    schemascope calls --tool git__git_log --json > calls.ndjson    for `check`"
)]
pub struct Calls {
    /// Filters, for example server:shop status:error; or the id of one call
    #[arg(value_name = "FILTER|ID")]
    filters: Vec<String>,
    /// Only calls of this tool
    #[arg(long, value_name = "TOOL_ID")]
    tool: Option<String>,
    /// Only failed calls
    #[arg(long)]
    failures: bool,
    /// Only calls from then on: 2026-11-21, or 2026-11-21T12:00:00Z
    #[arg(long, value_name = "DATE", value_parser = time_since)]
    since: Option<Timestamp>,
    /// Only calls until then: 2026-11-21 (the end of that day), or 2026-11-21T12:00:00Z
    #[arg(long, value_name = "DATE", value_parser = time)]
    until: Option<Timestamp>,
    /// At most this many [default: 50; with --json all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

impl WithEngine for Calls {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        if let Some(id) = self.filters.iter().find(|word| one::is_id(word)) {
            let is_alone = self.filters.len() == 1 && self.filter() == *id && self.tool.is_none();
            if is_alone && self.since.or(self.until).is_none() && self.limit.is_none() {
                return one::show(id, args, front).await;
            }
            output::error("the id of a call selects it alone; leave out filters and options");
            return Ok(ExitCode::from(2));
        }
        let mut left = self.limit.unwrap_or(if args.json { usize::MAX } else { TABLE });
        let mut before =
            self.until.map(|until| CallId::first_at(Timestamp::from_millis(until.as_millis() + 1)));
        let mut shown = Vec::new();
        while left > 0 {
            let page = ListCalls {
                tool_id: self.tool.clone(),
                filter: self.filter(),
                before,
                since: self.since.map(CallId::first_at),
                limit: left.min(PAGE),
            };
            let page = front.call(page).await?;
            left -= page.calls.len();
            before = page.next;
            if args.json {
                for call in &page.calls {
                    output::json_text(&serde_json::to_string(call)?)?;
                }
            } else {
                shown.extend(page.calls);
            }
            if before.is_none() {
                break;
            }
        }
        if !args.json {
            let running = self.running(front).await?;
            if running.is_empty() && shown.is_empty() {
                output::note("No calls.");
                self.suggest_text();
            } else {
                print(&running, &shown)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Calls {
    fn filter(&self) -> String {
        let failures = self.failures.then(|| "status:error".to_owned());
        let words = self.filters.iter().map(|word| Filter::with_blanks(word).into_owned());
        words.chain(failures).collect::<Vec<_>>().join(" ")
    }

    /// A word is a part of a tool id, and may be meant as what a call returned.
    fn suggest_text(&self) {
        if let [word] = self.filters.as_slice()
            && !word.contains([':', '"', '\''])
            && !word.starts_with('-')
        {
            output::note(&format!(
                "A bare word searches tool ids; to search arguments and results: schemascope calls 'text:{word}'"
            ));
        }
    }

    /// Calls without an answer, of which most filters do not know whether they will pass.
    async fn running(&self, front: &Front) -> Result<Vec<RunningCall>> {
        if !self.filters.is_empty() || self.failures || self.until.is_some() {
            return Ok(Vec::new());
        }
        let mut calls = front.call(ListRunning {}).await?.calls;
        calls.retain(|call| self.tool.as_ref().is_none_or(|tool| *tool == call.tool_id));
        Ok(calls)
    }
}

fn print(running: &[RunningCall], calls: &[CallRecord]) -> Result<()> {
    let header = ["time", "tool", "outcome", "fits", "duration", "size", "client", "id"];
    let mut table = output::table(&header, &[4, 5]);
    for call in running {
        let so_far = Timestamp::now().as_millis().saturating_sub(call.at.as_millis());
        table.add_row([
            Cell::new(output::time(call.at)),
            Cell::new(output::harmless(&call.tool_id)),
            Cell::new("running").fg(Color::Yellow),
            Cell::new(""),
            Cell::new(output::duration(so_far.saturating_mul(1_000))),
            Cell::new(""),
            Cell::new(output::harmless(call.client.as_deref().unwrap_or_default())),
            Cell::new(""),
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
            match &call.fit {
                None => Cell::new(""),
                Some(fit) if fit.fits => Cell::new("yes"),
                Some(_) => Cell::new("no").fg(Color::Yellow),
            },
            Cell::new(call.total_us.map_or_else(String::new, output::duration)),
            Cell::new(output::bytes(call.result_bytes)),
            Cell::new(call.client.as_ref().map_or_else(String::new, |client| output::harmless(&client.name))),
            Cell::new(output::short(call.id)),
        ]);
    }
    output::print_without(&table, &["client", "size", "fits"])?;
    Ok(())
}
