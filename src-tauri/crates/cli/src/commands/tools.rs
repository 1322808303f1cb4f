//! `tools`.

use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{Cell, Color};
use schemascope_api::ListTools;
use schemascope_engine::Front;

use crate::args::{Args, Tools};
use crate::output::{self, count};

pub async fn run(args: &Args, verb: &Tools, front: &Front) -> Result<ExitCode> {
    let mut rows = front.call(ListTools {}).await?;
    if let Some(filter) = &verb.filter {
        rows.retain(|row| row.tool_id.contains(filter.as_str()));
    }
    if args.json {
        output::json(&rows)?;
        return Ok(ExitCode::SUCCESS);
    }
    if rows.is_empty() {
        output::note(match &verb.filter {
            Some(_) => "No tool id contains that.",
            None => {
                "No tools yet. Start `schemascope serve` and connect an agent, call one with `schemascope call`, or read traces with `schemascope backfill`."
            }
        });
        return Ok(ExitCode::SUCCESS);
    }
    let header = ["tool", "source", "quality", "observed", "calls", "failed", "consistency", "last observed"];
    let mut table = output::table(&header, &[3, 4, 5, 6]);
    for row in rows {
        let mut quality = output::quality(row.quality);
        if row.violated {
            quality = Cell::new(format!("{} (violated)", row.quality)).fg(Color::Yellow);
        }
        let consistency = row.mean_consistency.map_or_else(String::new, |mean| format!("{mean:.2}"));
        let failed = if row.failure_count == 0 { String::new() } else { count(row.failure_count) };
        table.add_row([
            Cell::new(output::harmless(&row.tool_id)),
            Cell::new(row.source),
            quality,
            Cell::new(count(row.observation_count)),
            Cell::new(count(row.call_count)),
            Cell::new(failed),
            Cell::new(consistency),
            Cell::new(row.last_observed.map_or_else(String::new, output::time)),
        ]);
    }
    output::print(&table)?;
    Ok(ExitCode::SUCCESS)
}
