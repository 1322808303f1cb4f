//! `audit`.

use std::collections::HashMap;
use std::process::ExitCode;

use anyhow::Result;
use comfy_table::Cell;
use schemascope_api::{AuditPage, AuditRow, ListAudit};
use schemascope_engine::Front;
use schemascope_model::CallId;

use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output;

verbs!(Decide: reader Audit);

/// Number of entries requested at a time.
const PAGE: usize = 500;
/// Number of entries in a table by default.
const TABLE: usize = 50;

/// List decisions, newest first: what, by whom, when and why
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope audit                  decisions about every tool\n  \
    schemascope audit git__git_log     decisions about one tool\n  \
    schemascope audit --people         without decisions of policies")]
pub struct Audit {
    /// Only decisions about this tool
    tool_id: Option<String>,
    /// Only decisions of people, made by command or by file; none of policies
    #[arg(long)]
    people: bool,
    /// At most this many [default: 50; with --json all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

impl WithEngine for Audit {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let mut left = self.limit.unwrap_or(if args.json { usize::MAX } else { TABLE });
        let (mut before, mut rows, mut not_logged) = (None, Vec::new(), 0);
        while left > 0 {
            let page = ListAudit {
                tool_id: self.tool_id.clone(),
                people: self.people,
                before,
                limit: left.min(PAGE),
            };
            let AuditPage { entries, next, not_noted } = front.call(page).await?;
            left -= entries.len();
            (before, not_logged) = (next, not_noted);
            rows.extend(entries);
            if before.is_none() {
                break;
            }
        }
        if args.json {
            for row in &rows {
                output::json_text(&serde_json::to_string(row)?)?;
            }
        } else {
            print(&rows)?;
        }
        if not_logged > 0 {
            output::note(&format!(
                "{} pauses and restorations since the start were not logged: there were too many",
                output::count(not_logged)
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The reason, and which texts a decision is about.
fn about(row: &AuditRow) -> String {
    let starts = row.starts.as_ref().map(|starts| format!("{starts:?}"));
    let parts: Vec<&str> = starts.as_deref().into_iter().chain(row.reason.as_deref()).collect();
    parts.join(": ")
}

fn print(rows: &[AuditRow]) -> Result<()> {
    if rows.is_empty() {
        output::note("No decisions yet.");
        return Ok(());
    }
    let mut table = output::table(&["time", "tool", "event", "by", "reason"], &[]);
    // What an undo took back, where that is listed.
    let decided: HashMap<CallId, String> = rows.iter().map(|row| (row.id, row.sentence())).collect();
    for row in rows {
        let of = row.undoes.and_then(|of| decided.get(&of));
        let event = of.map_or_else(|| row.sentence(), |of| format!("undone: {of}"));
        let undone = if row.undone { " (undone)" } else { "" };
        let by = row.name.clone().unwrap_or_else(|| row.actor.to_string());
        table.add_row([
            Cell::new(output::time(row.at)),
            Cell::new(output::harmless(&row.tool_id)),
            Cell::new(format!("{event}{undone}")),
            Cell::new(output::harmless(&by)),
            Cell::new(output::harmless(&about(row))),
        ]);
    }
    output::print_without(&table, &["by"])?;
    Ok(())
}
