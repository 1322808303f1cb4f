//! `overrides`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Subcommand;
use schemascope_api::{GetOverrides, OverrideRow, OverridesReply, PopulateOverrides};
use schemascope_engine::Front;
use serde_json::json;

use super::verb::{Alone, verbs, with_engine};
use crate::args::Args;
use crate::output::{self, harmless};

verbs!(Share: alone Overrides);

/// Longest description in a table, in characters.
const DESCRIPTION_WIDTH: usize = 40;

/// List, check or fill the file that changes how tools are shown to agents
#[derive(Debug, clap::Args)]
#[command(after_help = "The file says how agents see tools at /mcp, whatever their servers say:\n  \
    {\"schemaVersion\": 2,\n   \
    \"servers\": {\"git\": {\"tools\": {\"git_status\": {\n     \
    \"enabled\": true, \"name\": \"status\", \"description\": \"…\",\n     \
    \"annotations\": {\"readOnlyHint\": true},\n     \
    \"inputSchema\": {…}, \"outputSchema\": {…}}}}},\n   \
    \"master\": {\"tools\": {\"*\": {\"annotations\": {\"openWorldHint\": false}}}}}\n\n\
    Promotions, pins and rollbacks are written into it. Your edits take effect within a second, as a decision \
    by \"file\". Comments and unknown fields are kept. A file that cannot be used is left unchanged, and its \
    previous content stays in effect. `*` stands for every tool of a server, or of every server under \
    \"master\".")]
pub struct Overrides {
    #[command(subcommand)]
    verb: Option<OverridesVerb>,
}

#[derive(Debug, Subcommand)]
enum OverridesVerb {
    /// List the entries that are in effect [default]
    Show {
        /// Only entries of this tool, for example git__git_status
        tool_id: Option<String>,
    },
    /// Print the path of the file
    Path,
    /// List problems in the file; exits with 1 if there are any
    Check {
        /// Check another file, without using it
        file: Option<PathBuf>,
    },
    /// Fill gaps with the schemas that servers declare; existing entries stay
    Populate(Populate),
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Filled entries are marked \"followsUpstream\": they override nothing, and follow what the server \
    declares until you edit them. A second run changes nothing.\n\n\
    Example:\n  schemascope overrides populate --server git --dry-run"
)]
struct Populate {
    /// Only these tools
    #[arg(value_name = "TOOL")]
    tools: Vec<String>,
    /// Only this server; can be repeated
    #[arg(long = "server", value_name = "NAME")]
    servers: Vec<String>,
    /// Print what would be filled, without writing the file
    #[arg(long)]
    dry_run: bool,
}

impl Alone for Overrides {
    async fn run(&self, args: &Args) -> Result<ExitCode> {
        match &self.verb {
            None => with_engine(args, async |front| show(args, None, front).await).await,
            Some(OverridesVerb::Show { tool_id }) => {
                with_engine(args, async |front| show(args, tool_id.as_deref(), front).await).await
            }
            Some(OverridesVerb::Path) => with_engine(args, async |front| path(args, front).await).await,
            Some(OverridesVerb::Check { file: Some(file) }) => {
                let problems = schemascope_engine::check_overrides(file);
                checked(args, &file.display().to_string(), file.exists(), &problems)
            }
            Some(OverridesVerb::Check { file: None }) => {
                with_engine(args, async |front| check(args, front).await).await
            }
            Some(OverridesVerb::Populate(verb)) => {
                with_engine(args, async |front| populate(args, verb, front).await).await
            }
        }
    }
}

async fn path(args: &Args, front: &Front) -> Result<ExitCode> {
    let reply = front.call(GetOverrides {}).await?;
    match args.json {
        true => output::json(&reply.file)?,
        false => output::line(&reply.file)?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn check(args: &Args, front: &Front) -> Result<ExitCode> {
    let reply = front.call(GetOverrides {}).await?;
    checked(args, &reply.file, reply.exists, &reply.problems)
}

fn checked(args: &Args, file: &str, exists: bool, problems: &[String]) -> Result<ExitCode> {
    if args.json {
        output::json(&json!({"file": file, "exists": exists, "problems": problems}))?;
    } else if problems.is_empty() {
        output::note(&format!("{file} {}", if exists { "has no problems" } else { "does not exist yet" }));
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
            bail!("{} has no entry for {tool:?}; it has no entries", reply.file);
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
        output::note(&format!("{} does not exist yet; the first decision creates it", reply.file));
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
    if description.chars().count() > DESCRIPTION_WIDTH {
        description = description.chars().take(DESCRIPTION_WIDTH - 1).chain(['…']).collect();
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
        output::note(&format!("not filled: {}", harmless(reason)));
    }
    // What was asked for may be done only if its servers could be asked.
    let code = match reply.filled.is_empty() && !reply.unavailable.is_empty() {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    };
    if args.json {
        output::json(&reply)?;
        return Ok(code);
    }
    for row in &reply.filled {
        output::line(&format!("{}  {}", harmless(&row.tool_id), row.schemas.join(", ")))?;
    }
    let tools = reply.filled.len();
    output::note(&match (reply.written, tools) {
        (_, 0) if !reply.unavailable.is_empty() => "nothing was filled".to_owned(),
        (_, 0) => format!("{} has no gaps that servers can fill", reply.file),
        (true, _) => format!("{tools} entries of {} filled", reply.file),
        (false, _) => format!("{tools} entries of {} would be filled", reply.file),
    });
    Ok(code)
}
