//! `impact`.

use std::process::ExitCode;

use anyhow::{Result, anyhow};
use comfy_table::Cell;
use schemascope_api::{
    AttributeDiff, EdgeDiff, GetImpact, ImpactReply, ListVersions, RawSchema, RuleCount, VersionState,
    Violation,
};
use schemascope_engine::Front;
use serde_json::Value;

use super::decide::effective;
use super::diff;
use super::edges::changes;
use super::readiness;
use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output::{self, count};

verbs!(Decide: reader Impact);

/// Largest number of calls that are listed.
const CALLS: usize = 5;

/// List recent results that a version rejects, and what changes for clients
#[derive(Debug, clap::Args)]
#[command(after_help = "Redacted values count as fitting if their type fits.\n\nExamples:\n  \
    schemascope impact git__git_log             the candidate\n  \
    schemascope impact git__git_log 3 --last 200")]
pub struct Impact {
    /// Tool id, for example git__git_status
    tool_id: String,
    /// Version number [default: the candidate]
    version: Option<u32>,
    /// Number of recent results to check [default: 1000]
    #[arg(long, value_name = "N")]
    last: Option<u32>,
}

impl WithEngine for Impact {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let (tool_id, last) = (self.tool_id.clone(), self.last);
        let version = match self.version {
            Some(version) => version,
            None => candidate(front, &tool_id).await?,
        };
        let reply = front.call(GetImpact { tool_id, version, last }).await?;
        if args.json {
            output::json(&reply)?;
        } else {
            print(&reply)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The version that waits for a decision.
async fn candidate(front: &Front, tool_id: &str) -> Result<u32> {
    let versions = front.call(ListVersions { tool_id: tool_id.to_owned() }).await?.versions;
    let candidate = versions.iter().rev().find(|row| row.state == VersionState::Candidate);
    let none = || match versions.last() {
        Some(newest) => {
            format!("no candidate waits for a decision; the newest version is {}", newest.version)
        }
        None => "it has no version yet".to_owned(),
    };
    candidate
        .map(|row| row.version)
        .ok_or_else(|| anyhow!(output::harmless(&format!("{tool_id}: {}", none()))))
}

fn print(reply: &ImpactReply) -> Result<()> {
    output::line(&format!(
        "{} of the last {} results do not fit version {}",
        count(reply.violating),
        count(reply.observation_count),
        reply.version
    ))?;
    if !reply.rules.is_empty() {
        let mut table = output::table(&["path", "rule", "results", "example"], &[2]);
        for RuleCount { violation: Violation { path, rule }, count: times, calls } in &reply.rules {
            let path = if path.is_empty() { "(root)" } else { path };
            let example = calls.first().map_or_else(String::new, |id| output::short(*id));
            table.add_row([
                Cell::new(output::harmless(path)),
                Cell::new(output::harmless(rule)),
                Cell::new(count(*times)),
                Cell::new(example),
            ]);
        }
        output::print_without(&table, &["example"])?;
        output::line("latest calls that do not fit, each shown by `schemascope calls ID`:")?;
        for call in reply.calls.iter().take(CALLS) {
            output::line(&format!("  {}  {}", output::short(call.id), output::time(call.at)))?;
        }
    }
    if reply.not_judged > 0 {
        let others = count(reply.not_judged);
        output::note(&format!(
            "{others} more could not be checked: their bodies are not stored, or are too large"
        ));
    }
    for line in readiness::lines(reply.version, &reply.readiness) {
        output::line(&output::harmless(&line))?;
    }
    output::line(&format!("effective now: {}", effective(reply.in_force.as_ref())))?;
    let change = match (&reply.advertised, &reply.advertised_then) {
        (None, Some(_)) => "promoting it starts advertising an output schema to clients of /mcp",
        (Some(now), Some(then)) if now != then => {
            "promoting it changes the output schema that clients of /mcp receive"
        }
        _ => "promoting it changes nothing for clients of /mcp",
    };
    let again = if reply.list_changed { "; clients are notified" } else { "" };
    output::line(&format!("{change}{again}"))?;
    let wraps = |schema: &Option<RawSchema>| schema.as_ref().is_some_and(wraps);
    if wraps(&reply.advertised_then) && !wraps(&reply.advertised) {
        output::line("clients of /mcp get `{\"result\": VALUE}`, because not every result is an object")?;
    }
    let edges = &reply.edges;
    if !(edges.broken.is_empty() && edges.weakened.is_empty()) {
        output::line("")?;
        changes::print(&EdgeDiff { new: Vec::new(), ..edges.clone() })?;
    }
    print_attributes(&reply.attributes)?;
    if let Some(comparison) = &reply.comparison {
        output::line("")?;
        diff::print(comparison)?;
    }
    Ok(())
}

/// Whether clients get values inside a field `result`: the schema of that field then has the alternatives.
fn wraps(schema: &RawSchema) -> bool {
    let schema: Value = serde_json::from_str(schema.0.get()).unwrap_or_default();
    schema.get("anyOf").is_none() && schema.pointer("/properties/result/anyOf").is_some()
}

/// Attributes that are listed of each kind.
const ATTRIBUTES: usize = 20;

fn print_attributes(attributes: &AttributeDiff) -> Result<()> {
    let AttributeDiff { added, removed, retyped } = attributes;
    if added.is_empty() && removed.is_empty() && retyped.is_empty() {
        return Ok(());
    }
    output::line("")?;
    output::line("attributes of the Python wrapper:")?;
    let removed = removed.iter().map(|(name, kind)| format!("  - {name}: {kind}"));
    let retyped = retyped.iter().map(|(name, now, then)| format!("  ~ {name}: {now} becomes {then}"));
    let added = added.iter().map(|(name, kind)| format!("  + {name}: {kind}"));
    let lines: Vec<String> =
        removed.take(ATTRIBUTES).chain(retyped.take(ATTRIBUTES)).chain(added.take(ATTRIBUTES)).collect();
    for line in &lines {
        output::line(&output::hanging(&output::harmless(line), 6))?;
    }
    let all = attributes.added.len() + attributes.removed.len() + attributes.retyped.len();
    if all > lines.len() {
        output::line(&format!("  and {} more; --json lists them", all - lines.len()))?;
    }
    Ok(())
}
