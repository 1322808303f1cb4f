//! `failures`.

use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{Cell, Color};
use schemascope_api::{Decided, FailingTextRow, JudgeText, ListFailingTexts};
use schemascope_engine::Front;

use super::decide::Why;
use super::verb::{WithEngine, verbs};
use crate::args::{Args, person};
use crate::output::{self, count};

verbs!(Learned: engine Failures);

/// List results that say they succeeded and begin like errors
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Some tools report errors as ordinary text, such as \"Error searching: timeout\". Texts \
    that begin alike three times are listed. Once you say that they are failures, results that begin \
    so count as failed calls and teach no schema. Stored calls are counted again; what agents get stays \
    the same.\n\n\
    Examples:\n  schemascope failures\n  \
    schemascope failures count docs__search \"Error searching:\" --no-reason\n  \
    schemascope failures keep docs__search \"Error codes:\" --no-reason\n\n\
    `undo TOOL` takes the latest decision about a tool back."
)]
pub struct Failures {
    #[command(subcommand)]
    verb: Option<FailuresVerb>,
    /// Only results of this tool
    tool_id: Option<String>,
}

#[derive(Debug, clap::Subcommand)]
enum FailuresVerb {
    /// Count results whose text begins so as failed calls
    #[command(
        after_help = "Example:\n  schemascope failures count docs__search \"Error searching:\" --no-reason"
    )]
    Count(Judge),
    /// Count results whose text begins so as results, and do not list them again
    #[command(after_help = "Example:\n  schemascope failures keep docs__search \"Error codes:\" --no-reason")]
    Keep(Judge),
}

#[derive(Debug, clap::Args)]
struct Judge {
    /// Tool id, for example docs__search
    tool_id: String,
    /// How the text begins, exactly; blanks before it do not matter
    starts: String,
    #[command(flatten)]
    why: Why,
}

impl WithEngine for Failures {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        match &self.verb {
            Some(FailuresVerb::Count(judge)) => decide(args, judge, true, front).await,
            Some(FailuresVerb::Keep(judge)) => decide(args, judge, false, front).await,
            None => {
                let rows = front.call(ListFailingTexts { tool_id: self.tool_id.clone() }).await?;
                if args.json {
                    output::json(&rows)?;
                } else {
                    print(&rows)?;
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

async fn decide(args: &Args, judge: &Judge, fails: bool, front: &Front) -> Result<ExitCode> {
    let Judge { tool_id, starts, why: Why { reason, no_reason } } = judge;
    let command = JudgeText {
        tool_id: tool_id.clone(),
        starts: starts.clone(),
        fails,
        reason: reason.clone(),
        no_reason: *no_reason,
        person: person(),
    };
    let decided = front.call(command).await?;
    if args.json {
        output::json(&decided)?;
        return Ok(ExitCode::SUCCESS);
    }
    let counted = match fails {
        true => failures(&decided, front).await?,
        false => "results".to_owned(),
    };
    let starts = decided.entry.starts.as_deref().unwrap_or(starts);
    let tool_id = &decided.entry.tool_id;
    output::line(&output::harmless(&format!(
        "{tool_id}: texts that begin with {starts:?} count as {counted}"
    )))?;
    decided.warnings.iter().for_each(|warning| output::note(warning));
    Ok(ExitCode::SUCCESS)
}

/// How many failures the decision makes.
async fn failures(decided: &Decided, front: &Front) -> Result<String> {
    let rows = front.call(ListFailingTexts { tool_id: Some(decided.entry.tool_id.clone()) }).await?;
    let row = rows.into_iter().find(|row| row.fails && Some(&row.starts) == decided.entry.starts.as_ref());
    Ok(match row.map_or(0, |row| row.results) {
        0 => "failures from now on; no stored result begins so".to_owned(),
        results => format!("failures; {} so far", count(results)),
    })
}

fn print(rows: &[FailingTextRow]) -> Result<()> {
    if rows.is_empty() {
        output::note("No result begins like an error three times, and no text counts as a failure.");
        return Ok(());
    }
    let mut table = output::table(&["tool", "text begins with", "results", "counts as"], &[2]);
    for row in rows {
        table.add_row([
            Cell::new(output::harmless(&row.tool_id)),
            Cell::new(output::harmless(&row.starts)),
            Cell::new(count(row.results)),
            match row.fails {
                true => Cell::new("failure"),
                false => Cell::new("result: decide").fg(Color::Yellow),
            },
        ]);
    }
    output::print(&table)?;
    if rows.iter().any(|row| !row.fails) {
        output::note(
            "failures count TOOL TEXT: they are failures; failures keep TOOL TEXT: they are results",
        );
    }
    Ok(())
}
