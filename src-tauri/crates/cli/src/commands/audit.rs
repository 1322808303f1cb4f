//! `audit`.

use std::process::ExitCode;

use anyhow::Result;
use comfy_table::Cell;
use schemascope_api::{AuditPage, AuditRow, ListAudit};
use schemascope_engine::Front;

use crate::args::{Args, Audit};
use crate::output;

/// Entries asked for at a time.
const PAGE: usize = 500;
/// Entries in a table unless said otherwise.
const TABLE: usize = 50;

pub async fn run(args: &Args, verb: &Audit, front: &Front) -> Result<ExitCode> {
    let mut left = verb.limit.unwrap_or(if args.json { usize::MAX } else { TABLE });
    let (mut before, mut rows, mut unnoted) = (None, Vec::new(), 0);
    while left > 0 {
        let page =
            ListAudit { tool_id: verb.tool_id.clone(), people: verb.people, before, limit: left.min(PAGE) };
        let AuditPage { entries, next, not_noted } = front.call(page).await?;
        left -= entries.len();
        (before, unnoted) = (next, not_noted);
        rows.extend(entries);
        if before.is_none() {
            break;
        }
    }
    if args.json {
        for row in &rows {
            output::line(&serde_json::to_string(row)?)?;
        }
    } else {
        print(&rows)?;
    }
    if unnoted > 0 {
        output::note(&format!(
            "{} suspensions and restorations since the start were too many to be noted",
            output::count(unnoted)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn print(rows: &[AuditRow]) -> Result<()> {
    if rows.is_empty() {
        output::note("Nothing was decided.");
        return Ok(());
    }
    let header = ["time", "tool", "event", "version", "by", "reason"];
    let mut table = output::table(&header, &[3]);
    for row in rows {
        let more = match row {
            AuditRow { undone: true, .. } => " (undone)",
            AuditRow { enforced: true, .. } => " (enforced)",
            _ => "",
        };
        let event = match row.drift {
            Some(drift) => format!("{} {drift}", row.event),
            None => format!("{}{more}", row.event),
        };
        let by = row.name.clone().unwrap_or_else(|| row.actor.to_string());
        table.add_row([
            Cell::new(output::time(row.at)),
            Cell::new(output::harmless(&row.tool_id)),
            Cell::new(event),
            Cell::new(row.version.map_or_else(String::new, |version| version.to_string())),
            Cell::new(output::harmless(&by)),
            Cell::new(output::harmless(row.reason.as_deref().unwrap_or_default())),
        ]);
    }
    output::print(&table)?;
    Ok(())
}
