//! `relearn`.

use std::process::ExitCode;

use anyhow::Result;
use schemascope_api::{GetTool, LearnFrom, Relearn as Command};
use schemascope_engine::Front;
use schemascope_model::Timestamp;

use super::decide::Why;
use super::verb::{WithEngine, verbs};
use crate::args::{Args, person, time_since};
use crate::output::{self, counted};

verbs!(Decide: engine Relearn);

/// Learn a tool's schema again, from its results since a change
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A schema describes all results that a tool ever returned. After a lasting change it allows the \
    shape before the change, too. Once the old shape is gone, this learns the schema again, from later \
    results only. Drift that began by then is resolved, but for rules of the effective schema that results \
    break. Calls, versions and the effective schema stay; \
    the new schema becomes a version like any other.\n\n\
    Examples:\n  schemascope relearn shop__get_order --drift 2 --reason \"API version 3\"\n  \
    schemascope relearn shop__get_order --since 2026-11-20T12:00:00Z --no-reason\n  \
    schemascope relearn shop__get_order --all --reason \"the old shape is back\"\n\n\
    `undo TOOL` takes the latest decision about a tool back."
)]
pub struct Relearn {
    /// Tool id, for example git__git_status
    tool_id: String,
    #[command(flatten)]
    from: From,
    #[command(flatten)]
    why: Why,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct From {
    /// Results since a drift began; its number, as `drift` lists it
    #[arg(long, value_name = "N")]
    drift: Option<u64>,
    /// Results since a day or time: 2026-11-20, or 2026-11-20T12:00:00Z
    #[arg(long, value_name = "DATE", value_parser = time_since)]
    since: Option<Timestamp>,
    /// Results that come from now on
    #[arg(long)]
    now: bool,
    /// All results
    #[arg(long)]
    all: bool,
}

impl From {
    fn results(&self) -> LearnFrom {
        match (self.drift, self.since) {
            (Some(drift), _) => LearnFrom::Drift(drift),
            (None, Some(since)) => LearnFrom::Time(since),
            (None, None) if self.now => LearnFrom::Now,
            (None, None) => LearnFrom::All,
        }
    }
}

impl WithEngine for Relearn {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let Self { tool_id, from, why: Why { reason, no_reason } } = self;
        let command = Command {
            tool_id: tool_id.clone(),
            from: from.results(),
            reason: reason.clone(),
            no_reason: *no_reason,
            person: person(),
        };
        let decided = front.call(command).await?;
        if args.json {
            output::json(&decided)?;
            return Ok(ExitCode::SUCCESS);
        }
        let tool_id = &decided.entry.tool_id;
        let tool = front.call(GetTool { tool_id: tool_id.clone() }).await?;
        let results = counted(tool.row.observation_count, "result");
        let learned = match decided.entry.learned_since {
            Some(since) => format!("learned from {results} since {}", output::time(since)),
            None => format!("learned from all results: {}", output::count(tool.row.observation_count)),
        };
        output::line(&output::harmless(&format!("{tool_id}: {learned}")))?;
        decided.warnings.iter().for_each(|warning| output::note(warning));
        Ok(ExitCode::SUCCESS)
    }
}
