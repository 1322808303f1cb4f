//! Making the calls of a discovery file: servers in parallel, one call at a time to each.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use comfy_table::{Cell, Color};
use schemascope_api::{
    DiscoveryCall, DiscoveryFile, DiscoveryState, ListTools, PlanDiscovery, RunDiscovery, ToolRow,
};
use schemascope_engine::Front;
use schemascope_model::Quality;
use serde::Serialize;
use tokio::task::JoinSet;

use crate::args::Args;
use crate::output::{self, counted, harmless};

/// What to call.
#[derive(Debug, Default)]
pub struct Request {
    /// The file; without one, the file beside the `mcp.json` in use.
    pub file: Option<DiscoveryFile>,
    /// Only the tools of this server.
    pub server: Option<String>,
    /// Whether the calls are only checked.
    pub dry_run: bool,
    /// Whether tools that may destroy something are left out, as their servers declare it.
    pub skip_destructive: bool,
    /// Tools that are called all the same, as `server__tool` or by their names.
    pub allowed: Vec<String>,
}

/// Calls that were made, or checked.
#[derive(Debug)]
pub struct Discovered {
    /// Path of the file.
    pub file: String,
    /// Whether the file exists.
    pub exists: bool,
    /// Whether the calls were only checked.
    pub dry_run: bool,
    /// The calls, in the order of the file.
    pub calls: Vec<DiscoveryCall>,
    /// Tools that results were learned from.
    pub learned: Vec<Learned>,
}

/// A tool with its quality before and after.
#[derive(Debug, Serialize)]
pub struct Learned {
    tool_id: String,
    before: Quality,
    after: Quality,
    /// Results that were learned from.
    observations: u64,
}

/// The form of `--json`.
#[derive(Serialize)]
struct Document<'a> {
    file: &'a str,
    dry_run: bool,
    calls: &'a [DiscoveryCall],
    summary: BTreeMap<DiscoveryState, u64>,
    learned: &'a [Learned],
}

impl Discovered {
    /// Whether a call failed, or could not be made.
    pub fn failed(&self) -> bool {
        self.calls.iter().any(|call| call.state.is_failure())
    }

    /// Numbers of calls by state.
    fn summary(&self) -> BTreeMap<DiscoveryState, u64> {
        let mut summary = BTreeMap::new();
        for call in &self.calls {
            *summary.entry(call.state).or_default() += 1;
        }
        summary
    }
}

/// Checks the calls of a file and makes those that can be made. Shows progress on a terminal.
pub async fn discover(front: &Front, request: Request) -> Result<Discovered> {
    let Request { file, server, dry_run, skip_destructive, allowed } = request;
    let spinner = output::spinner("starting the servers");
    let plan = front.call(PlanDiscovery { file, server_name: server }).await;
    spinner.finish_and_clear();
    let mut plan = plan?;
    if skip_destructive {
        let is_allowed = |call: &DiscoveryCall| {
            allowed.iter().any(|name| *name == call.tool_name || *name == call.tool_id)
        };
        for call in plan.calls.iter_mut().filter(|call| call.destructive && !is_allowed(call)) {
            call.state = DiscoveryState::Destructive;
        }
    }
    let mut learned = Vec::new();
    if !dry_run && plan.calls.iter().any(|call| call.state == DiscoveryState::Ready) {
        let before = front.call(ListTools {}).await?;
        plan.calls = make(front, plan.calls).await?;
        learned = compare(&before, &front.call(ListTools {}).await?);
    }
    Ok(Discovered { file: plan.file, exists: plan.exists, dry_run, calls: plan.calls, learned })
}

/// Makes the calls that are ready, and returns all in their order.
async fn make(front: &Front, calls: Vec<DiscoveryCall>) -> Result<Vec<DiscoveryCall>> {
    let ready = calls.iter().filter(|call| call.state == DiscoveryState::Ready).count();
    let progress = output::bar(ready as u64, "{pos} of {len} calls {wide_bar:.cyan/black} {msg}");
    let mut servers: BTreeMap<String, Vec<(usize, DiscoveryCall)>> = BTreeMap::new();
    let mut done: BTreeMap<usize, DiscoveryCall> = BTreeMap::new();
    for (at, call) in calls.into_iter().enumerate() {
        match call.state {
            DiscoveryState::Ready => servers.entry(call.server_name.clone()).or_default().push((at, call)),
            _ => drop(done.insert(at, call)),
        }
    }
    let mut running = JoinSet::new();
    for (_, calls) in servers {
        let (front, progress) = (front.clone(), progress.clone());
        running.spawn(async move {
            let mut made = Vec::new();
            for (at, call) in calls {
                progress.set_message(harmless(&call.tool_id));
                let DiscoveryCall { tool_id, arguments, .. } = call;
                made.push((at, front.call(RunDiscovery { tool_id, arguments }).await?));
                progress.inc(1);
            }
            Ok::<_, schemascope_engine::FrontError>(made)
        });
    }
    while let Some(ended) = running.join_next().await {
        done.extend(ended.map_err(|error| anyhow!(error))??);
    }
    progress.finish_and_clear();
    Ok(done.into_values().collect())
}

/// Tools with more observations than before.
fn compare(before: &[ToolRow], after: &[ToolRow]) -> Vec<Learned> {
    let before: BTreeMap<&str, &ToolRow> = before.iter().map(|row| (row.tool_id.as_str(), row)).collect();
    let rows = after.iter().filter_map(|row| {
        let earlier = before.get(row.tool_id.as_str());
        let observations =
            row.observation_count.saturating_sub(earlier.map_or(0, |row| row.observation_count));
        (observations > 0).then(|| Learned {
            tool_id: row.tool_id.clone(),
            before: earlier.map_or(Quality::None, |row| row.quality),
            after: row.quality,
            observations,
        })
    });
    rows.collect()
}

/// Prints the calls and a summary.
pub fn print(args: &Args, discovered: &Discovered) -> Result<()> {
    let Discovered { file, dry_run, calls, learned, .. } = discovered;
    if args.json {
        let summary = discovered.summary();
        return output::json(&Document { file, dry_run: *dry_run, calls, summary, learned });
    }
    if calls.is_empty() {
        output::note(&format!(
            "{} lists no tools; schemascope discover --suggest proposes some",
            harmless(file)
        ));
        return Ok(());
    }
    let mut table = output::table(&["tool", "arguments", "outcome", "time", "reason"], &[3]);
    for call in calls {
        let colour = match call.state {
            state if state.is_failure() => Color::Red,
            DiscoveryState::Ok => Color::Green,
            DiscoveryState::Ready => Color::Reset,
            _ => Color::DarkGrey,
        };
        let last = call.last.map(|last| format!("at {}", output::time(last)));
        let reason = call.reason.as_deref().map(harmless).or(last).unwrap_or_default();
        table.add_row([
            Cell::new(harmless(&call.tool_id)),
            Cell::new(shortened(&harmless(call.arguments.get()))),
            Cell::new(word(call.state)).fg(colour),
            Cell::new(call.total_us.map_or_else(String::new, output::duration)),
            Cell::new(reason),
        ]);
    }
    output::print_without(&table, &["arguments", "time"])?;
    let counts = discovered.summary();
    let counts = counts.iter().map(|(state, count)| format!("{} {}", output::count(*count), word(*state)));
    output::line(&counts.collect::<Vec<_>>().join(", "))?;
    for Learned { tool_id, before, after, observations } in learned {
        let observations = counted(*observations, "result");
        let quality = if before == after { after.to_string() } else { format!("{before} → {after}") };
        output::line(&format!("{}: {quality}, {observations}", harmless(tool_id)))?;
    }
    Ok(())
}

fn word(state: DiscoveryState) -> &'static str {
    match state {
        DiscoveryState::Ready => "can be called",
        DiscoveryState::Recent => "called within a day",
        DiscoveryState::Destructive => "skipped: may destroy something",
        DiscoveryState::Invalid => "invalid arguments",
        DiscoveryState::Unavailable => "unavailable",
        DiscoveryState::Ok => "ok",
        DiscoveryState::ToolError => "tool error",
        DiscoveryState::Error => "error",
        DiscoveryState::TimedOut => "timed out",
    }
}

/// Text for a cell.
pub fn shortened(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    if text.chars().count() <= MAX_CHARS {
        return text.to_owned();
    }
    text.chars().take(MAX_CHARS - 1).chain(['…']).collect()
}
