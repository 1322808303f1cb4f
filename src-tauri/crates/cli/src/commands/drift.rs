//! `drift`.

use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{Cell, Color};
use schemascope_api::{DriftRow, ListDrift, ListTools, Share};
use schemascope_engine::Front;

use super::decide::person;
use crate::args::{AcknowledgeDrift, Args, Drift, DriftVerb};
use crate::output::{self, count};

pub async fn run(args: &Args, verb: &Drift, front: &Front) -> Result<ExitCode> {
    if let Some(DriftVerb::Acknowledge(verb)) = &verb.verb {
        return acknowledge(args, verb, front).await;
    }
    let rows = front.call(ListDrift { tool_id: verb.tool_id.clone(), all: verb.all }).await?;
    if args.json {
        output::json(&rows)?;
    } else {
        print(&rows)?;
        untold(verb, front).await?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn acknowledge(args: &Args, verb: &AcknowledgeDrift, front: &Front) -> Result<ExitCode> {
    let AcknowledgeDrift { tool_id, drift, reason } = verb;
    let command = schemascope_api::AcknowledgeDrift {
        tool_id: tool_id.clone(),
        drift: *drift,
        reason: reason.clone(),
        person: person(),
    };
    let row = front.call(command).await?;
    if args.json {
        output::json(&row)?;
    } else {
        let said =
            format!("{}: drift {} is acknowledged; it goes on: {}", row.tool_id, row.drift, row.sentence);
        output::line(&output::harmless(&said))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Says how much is not in the list.
async fn untold(verb: &Drift, front: &Front) -> Result<()> {
    let mut tools = front.call(ListTools {}).await?;
    tools.retain(|tool| verb.tool_id.as_ref().is_none_or(|wanted| *wanted == tool.tool_id));
    for tool in tools.iter().filter(|tool| tool.drift_untold > 0) {
        output::note(&output::harmless(&format!(
            "{}: {} more found and not told yet; 20 are told in an hour",
            tool.tool_id,
            count(tool.drift_untold)
        )));
    }
    Ok(())
}

fn print(rows: &[DriftRow]) -> Result<()> {
    if rows.is_empty() {
        output::note("No drift: tools return what they used to, as far as was seen.");
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
            Cell::new(share(row.after)),
            Cell::new(output::time(row.since)),
            state(row),
        ]);
    }
    output::print(&table)?;
    output::note("before, since: observations that were, and still are, as they used to be");
    Ok(())
}

fn share(share: Share) -> String {
    format!("{}/{}", count(u64::from(share.count)), count(u64::from(share.of)))
}

fn state(row: &DriftRow) -> Cell {
    match (&row.resolved, &row.acknowledged) {
        (Some(resolved), _) => Cell::new(format!("over: {}", resolved.sentence)).fg(Color::DarkGrey),
        (None, Some(seen)) => {
            let by = seen.name.clone().unwrap_or_else(|| seen.actor.to_string());
            Cell::new(output::harmless(&format!("acknowledged by {by}")))
        }
        (None, None) => Cell::new("waits").fg(Color::Yellow),
    }
}
