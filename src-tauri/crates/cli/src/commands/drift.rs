//! `drift`.

use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{Cell, Color};
use schemascope_api::{AcknowledgeDrift, DriftRow, ListDrift, ListTools, Share};
use schemascope_engine::Front;
use schemascope_model::LostEdge;

use super::decide::Why;
use super::verb::{WithEngine, verbs};
use crate::args::{Args, person};
use crate::output::{self, count};

verbs!(Learned: engine Drift);

/// List drift: lasting changes in what tools return
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Drift is a change that lasts: a field that is removed, renamed, new, null or of another type, or a rule \
    of the effective schema that results used to keep and now break. Each drift is reported once. It \
    resolves itself when results return to the old shape, or when a version created after the change \
    becomes effective. `relearn` learns a schema from the results since the change alone.\n\n\
    Examples:\n  schemascope drift shop__get_order\n  \
    schemascope drift acknowledge shop__get_order 2 --reason \"Monday's release\""
)]
pub struct Drift {
    #[command(subcommand)]
    verb: Option<DriftVerb>,
    /// Only drift of this tool
    tool_id: Option<String>,
    /// Also resolved drift
    #[arg(long)]
    all: bool,
}

#[derive(Debug, clap::Subcommand)]
enum DriftVerb {
    /// Mark a drift as seen: it stays listed, and no longer needs attention
    #[command(
        after_help = "Example:\n  schemascope drift acknowledge shop__get_order 2 --reason \"Monday's release\""
    )]
    Acknowledge(Acknowledge),
}

#[derive(Debug, clap::Args)]
struct Acknowledge {
    /// Tool id, for example git__git_status
    tool_id: String,
    /// Number of the drift, as `drift` lists it
    drift: u64,
    #[command(flatten)]
    why: Why,
}

impl WithEngine for Drift {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        if let Some(DriftVerb::Acknowledge(verb)) = &self.verb {
            return acknowledge(args, verb, front).await;
        }
        let rows = front.call(ListDrift { tool_id: self.tool_id.clone(), all: self.all }).await?;
        if args.json {
            output::json(&rows)?;
        } else {
            print(&rows)?;
            note_hidden(self, front).await?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn acknowledge(args: &Args, verb: &Acknowledge, front: &Front) -> Result<ExitCode> {
    let Acknowledge { tool_id, drift, why: Why { reason, no_reason } } = verb;
    let command = AcknowledgeDrift {
        tool_id: tool_id.clone(),
        drift: *drift,
        reason: reason.clone(),
        no_reason: *no_reason,
        person: person(),
        undo: false,
    };
    let row = front.call(command).await?;
    if args.json {
        output::json(&row)?;
    } else {
        let text =
            format!("{}: drift {} acknowledged, still active: {}", row.tool_id, row.drift, row.sentence);
        output::line(&output::harmless(&text))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reports how many drifts are not in the list.
async fn note_hidden(verb: &Drift, front: &Front) -> Result<()> {
    let mut tools = front.call(ListTools {}).await?;
    tools.retain(|tool| verb.tool_id.as_ref().is_none_or(|wanted| *wanted == tool.tool_id));
    for tool in tools.iter().filter(|tool| tool.drift_untold > 0) {
        output::note(&output::harmless(&format!(
            "{}: {} more not shown yet (limit: 20 per hour)",
            tool.tool_id,
            count(tool.drift_untold)
        )));
    }
    Ok(())
}

fn print(rows: &[DriftRow]) -> Result<()> {
    if rows.is_empty() {
        output::note("No drift: tools return the same shapes as before.");
        return Ok(());
    }
    let header = ["tool", "drift", "what", "before", "since", "first seen", "state"];
    let mut table = output::table(&header, &[1, 3, 4]);
    for row in rows {
        table.add_row([
            Cell::new(output::harmless(&row.tool_id)),
            Cell::new(row.drift),
            Cell::new(output::harmless(&row.sentence)),
            Cell::new(share(row.before)),
            // Of one that is over, the number is that of the report.
            Cell::new(if row.resolved.is_none() { share(row.after) } else { String::new() }),
            Cell::new(output::time(row.since)),
            state(row),
        ]);
    }
    output::print_without(&table, &["first seen", "before"])?;
    for row in rows.iter().filter(|row| !row.breaks.is_empty()) {
        let text = format!("{}: drift {} {}", row.tool_id, row.drift, LostEdge::sentence(&row.breaks));
        output::note(&output::harmless(&text));
    }
    output::note("before, since: results with the old shape, before the change and since then");
    Ok(())
}

fn share(share: Share) -> String {
    if share.of == 0 {
        return String::new();
    }
    format!("{}/{}", count(u64::from(share.count)), count(u64::from(share.of)))
}

fn state(row: &DriftRow) -> Cell {
    match (&row.resolved, &row.acknowledged) {
        (Some(resolved), _) => Cell::new(format!("resolved: {}", resolved.sentence)).fg(Color::DarkGrey),
        (None, Some(seen)) => {
            let by = seen.name.clone().unwrap_or_else(|| seen.actor.to_string());
            Cell::new(output::harmless(&format!("acknowledged by {by}")))
        }
        (None, None) => Cell::new("needs attention").fg(Color::Yellow),
    }
}
