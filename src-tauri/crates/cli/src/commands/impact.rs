//! `impact`.

use std::process::ExitCode;

use anyhow::Result;
use comfy_table::Cell;
use schemascope_api::{GetImpact, ImpactReply, RuleCount, Violation};
use schemascope_engine::Front;

use super::decide::in_force;
use super::diff;
use crate::args::{Args, Impact};
use crate::output::{self, count};

/// Calls named in a table.
const CALLS: usize = 10;

pub async fn run(args: &Args, verb: &Impact, front: &Front) -> Result<ExitCode> {
    let (tool_id, version, last) = (verb.tool_id.clone(), verb.version, verb.last);
    let reply = front.call(GetImpact { tool_id, version, last }).await?;
    if args.json {
        output::json(&reply)?;
    } else {
        print(&reply)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(reply: &ImpactReply) -> Result<()> {
    output::line(&format!(
        "{} of the last {} observations do not fit version {}",
        count(reply.violating),
        count(reply.observation_count),
        reply.version
    ))?;
    if !reply.rules.is_empty() {
        let mut table = output::table(&["path", "rule", "observations", "for example"], &[2]);
        for RuleCount { violation: Violation { path, rule }, count: times, calls } in &reply.rules {
            let path = if path.is_empty() { "(root)" } else { path };
            let example = calls.first().map_or_else(String::new, ToString::to_string);
            table.add_row([
                Cell::new(output::harmless(path)),
                Cell::new(output::harmless(rule)),
                Cell::new(count(*times)),
                Cell::new(example),
            ]);
        }
        output::print(&table)?;
        let calls: Vec<String> = reply.calls.iter().take(CALLS).map(|call| call.id.to_string()).collect();
        output::line(&format!("latest calls that do not fit: {}", calls.join(", ")))?;
    }
    if reply.not_judged > 0 {
        let others = count(reply.not_judged);
        output::note(&format!("{others} more were not judged: their bodies are not stored, or too much"));
    }
    output::line(&format!("in force now: {}", in_force(reply.in_force.as_ref())))?;
    let told = match (&reply.advertised, &reply.advertised_then) {
        (None, Some(_)) => "promoting it tells clients of /mcp an output schema, which they are not told now",
        (Some(now), Some(then)) if now != then => "promoting it tells clients of /mcp another output schema",
        _ => "promoting it changes nothing clients of /mcp are told",
    };
    let again = if reply.list_changed { "; they are told to list the tools again" } else { "" };
    output::line(&format!("{told}{again}"))?;
    if let Some(comparison) = &reply.comparison {
        output::line("")?;
        diff::print(comparison)?;
    }
    Ok(())
}
