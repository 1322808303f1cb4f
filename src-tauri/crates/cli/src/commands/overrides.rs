//! `overrides`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use schemascope_api::{GetOverrides, OverrideRow, OverridesReply, PopulateOverrides};
use schemascope_engine::Front;
use serde_json::json;

use crate::args::{Args, Overrides, OverridesVerb, Populate};
use crate::output::{self, harmless};

/// Longest description in a table.
const SHOWN: usize = 40;

pub async fn run(args: &Args, verb: &Overrides, front: &Front) -> Result<ExitCode> {
    match &verb.what {
        None => show(args, None, front).await,
        Some(OverridesVerb::Show { tool_id }) => show(args, tool_id.as_deref(), front).await,
        Some(OverridesVerb::Path) => {
            let reply = front.call(GetOverrides {}).await?;
            match args.json {
                true => output::json(&reply.file)?,
                false => output::line(&reply.file)?,
            }
            Ok(ExitCode::SUCCESS)
        }
        Some(OverridesVerb::Check { file: Some(file) }) => check_other(args, file),
        Some(OverridesVerb::Check { file: None }) => {
            let reply = front.call(GetOverrides {}).await?;
            checked(args, &reply.file, reply.exists, &reply.problems)
        }
        Some(OverridesVerb::Populate(verb)) => populate(args, verb, front).await,
    }
}

/// `overrides check FILE`, which needs no engine.
pub fn check_other(args: &Args, file: &Path) -> Result<ExitCode> {
    let problems = schemascope_engine::check_overrides(file);
    checked(args, &file.display().to_string(), file.exists(), &problems)
}

fn checked(args: &Args, file: &str, exists: bool, problems: &[String]) -> Result<ExitCode> {
    if args.json {
        output::json(&json!({"file": file, "exists": exists, "problems": problems}))?;
    } else if problems.is_empty() {
        output::note(&format!("{file} {}", if exists { "can be used" } else { "does not exist yet" }));
    }
    for problem in problems.iter().filter(|_| !args.json) {
        output::line(&format!("{file}: {}", harmless(problem)))?;
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn show(args: &Args, tool: Option<&str>, front: &Front) -> Result<ExitCode> {
    let mut reply = front.call(GetOverrides {}).await?;
    if let Some(tool) = tool {
        let entries = std::mem::take(&mut reply.entries);
        let known: Vec<String> = entries.iter().map(|entry| entry.tool_id.clone()).collect();
        reply.entries = entries.into_iter().filter(|entry| entry.tool_id == tool).collect();
        if reply.entries.is_empty() && !known.is_empty() {
            bail!("{} has no entry for {tool:?}; it has: {}", reply.file, harmless(&known.join(", ")));
        }
        if reply.entries.is_empty() {
            bail!("{} has no entry for {tool:?}, and no others", reply.file);
        }
    }
    if args.json {
        output::json(&reply)?;
    } else {
        print(&reply)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(reply: &OverridesReply) -> Result<()> {
    for problem in &reply.problems {
        output::note(&format!("{}: {}", reply.file, harmless(problem)));
    }
    if !reply.exists {
        output::note(&format!("{} does not exist yet; it is written with the first decision", reply.file));
    } else if reply.entries.is_empty() {
        output::note(&format!("{} has no entries", reply.file));
    }
    if reply.entries.is_empty() {
        return Ok(());
    }
    let columns = ["tool", "shown", "name", "description", "annotations", "overrides", "follows", "version"];
    let mut table = output::table(&columns, &[7]);
    for entry in &reply.entries {
        table.add_row(cells(entry));
    }
    output::print(&table)?;
    Ok(())
}

fn cells(entry: &OverrideRow) -> [String; 8] {
    let text = |text: &Option<String>| text.as_deref().map(harmless).unwrap_or_default().to_string();
    let mut description = text(&entry.description);
    if description.chars().count() > SHOWN {
        description = description.chars().take(SHOWN - 1).chain(['…']).collect();
    }
    let annotations = entry.annotations.iter().map(|(key, value)| format!("{key}={value}"));
    [
        harmless(&entry.tool_id).to_string(),
        entry.enabled.map(|shown| if shown { "yes" } else { "no" }).unwrap_or_default().to_owned(),
        text(&entry.name),
        description,
        harmless(&annotations.collect::<Vec<_>>().join(", ")).to_string(),
        entry.schemas.join(", "),
        entry.follows_upstream.join(", "),
        entry.version.map(|version| version.to_string()).unwrap_or_default(),
    ]
}

async fn populate(args: &Args, verb: &Populate, front: &Front) -> Result<ExitCode> {
    let Populate { tools, servers, dry_run } = verb;
    let command = PopulateOverrides { servers: servers.clone(), tools: tools.clone(), dry_run: *dry_run };
    let reply = front.call(command).await?;
    for reason in &reply.unavailable {
        output::note(&format!("not asked: {}", harmless(reason)));
    }
    if args.json {
        output::json(&reply)?;
        return Ok(ExitCode::SUCCESS);
    }
    for row in &reply.filled {
        output::line(&format!("{}  {}", harmless(&row.tool_id), row.schemas.join(", ")))?;
    }
    let tools = reply.filled.len();
    output::note(&match (reply.written, tools) {
        (_, 0) => format!("{} has no gaps that servers could fill", reply.file),
        (true, _) => format!("{tools} entries of {} were filled", reply.file),
        (false, _) => format!("{tools} entries of {} would be filled", reply.file),
    });
    Ok(ExitCode::SUCCESS)
}
