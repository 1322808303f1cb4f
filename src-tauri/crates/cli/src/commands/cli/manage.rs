//! Listing, adding and removing command-line tools, and deciding about requests.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use comfy_table::{Cell, Color};
use schemascope_api::{
    AddCliTool, ApproveCliTool, CliState, CliToolRow, CliTools, GetCliTool, ListCliTools, RefreshCliTool,
    RejectCliTool, RemoveCliTool,
};
use serde_json::{Map, Value, json};

use super::definition;
use crate::args::{Args, person};
use crate::commands::verb::with_engine;
use crate::output::{self, harmless};

/// Time after which waiting is explained.
const SOON: Duration = Duration::from_secs(3);

/// Options of `cli add`.
#[derive(Debug, clap::Args)]
pub struct Add {
    /// Name of the program in PATH, or its path
    command: String,
    /// Name of the server [default: ask-COMMAND]
    #[arg(long, value_name = "NAME")]
    alias: Option<String>,
    /// What the tool is for [default: what its help says]
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Instructions for a program that takes a prompt
    #[arg(long, value_name = "TEXT")]
    system_prompt: Option<String>,
    /// Offer only this subcommand, such as "remote add"; can be repeated
    #[arg(long, value_name = "WORDS")]
    subcommand: Vec<String>,
    /// Word in front of every other argument; can be repeated
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    arg: Vec<String>,
    /// Offer this option although it runs programs; can be repeated
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    allow: Vec<String>,
    /// Use a program that runs whatever it is given, such as a shell
    #[arg(long)]
    interpreter: bool,
    /// Folder in which paths must lie; can be repeated
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
    /// Working directory of calls
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Have the kernel limit calls to the system's folders, the working directory and the roots, where it can
    #[arg(long)]
    confine: bool,
    /// Let no confined call use TCP; needs --confine or --root
    #[arg(long)]
    no_network: bool,
    /// Time limit of a call
    #[arg(long, value_name = "N")]
    timeout_seconds: Option<u64>,
    /// Bytes of output that a result holds
    #[arg(long, value_name = "N")]
    max_output_bytes: Option<u64>,
    /// Bytes of memory of each process of a call [default: 4 GB if confined]
    #[arg(long, value_name = "N")]
    max_memory_bytes: Option<u64>,
    /// Bytes of each file that a call writes [default: 4 GB if confined]
    #[arg(long, value_name = "N")]
    max_file_bytes: Option<u64>,
    /// Exit code that is no error; can be repeated [default: 0]
    #[arg(long, value_name = "CODE")]
    ok_exit_code: Vec<i32>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// A request and the reason for a decision about it.
#[derive(Debug, clap::Args)]
pub struct Decision {
    /// The alias of the request
    pub alias: String,
    /// Why
    #[arg(long, value_name = "TEXT", required_unless_present = "no_reason", conflicts_with = "no_reason")]
    pub reason: Option<String>,
    /// Decide without a reason
    #[arg(long)]
    pub no_reason: bool,
}

impl Add {
    fn entry(&self) -> Map<String, Value> {
        let mut entry = Map::new();
        let mut set = |key: &str, value: Value| {
            let is_empty = match &value {
                Value::Null | Value::Bool(false) => true,
                Value::Array(items) => items.is_empty(),
                _ => false,
            };
            if !is_empty {
                entry.insert(key.to_owned(), value);
            }
        };
        // Paths are meant from here, not from where Schemascope runs.
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let command = match self.command.contains(['/', '\\']) {
            true => absolute(Path::new(&self.command)).display().to_string(),
            false => self.command.clone(),
        };
        set("command", json!(command));
        set("alias", json!(self.alias));
        set("description", json!(self.description));
        set("systemPrompt", json!(self.system_prompt));
        set("subcommands", json!(self.subcommand));
        set("args", json!(self.arg));
        set("allow", json!(self.allow));
        set("interpreter", json!(self.interpreter));
        set("roots", json!(self.root.iter().map(|root| absolute(root)).collect::<Vec<_>>()));
        set("cwd", json!(self.cwd.as_deref().map(absolute)));
        set("confine", json!(self.confine));
        if self.no_network {
            entry.insert("network".to_owned(), false.into());
        }
        let mut set = |key: &str, value: Value| {
            if !value.is_null() && value.as_array().is_none_or(|items| !items.is_empty()) {
                entry.insert(key.to_owned(), value);
            }
        };
        set("timeoutSeconds", json!(self.timeout_seconds));
        set("maxOutputBytes", json!(self.max_output_bytes));
        set("maxMemoryBytes", json!(self.max_memory_bytes));
        set("maxFileBytes", json!(self.max_file_bytes));
        set("okExitCodes", json!(self.ok_exit_code));
        entry
    }
}

pub async fn list(args: &Args) -> Result<ExitCode> {
    with_engine(args, async |front| {
        let reply = front.call(ListCliTools {}).await?;
        match args.json {
            true => output::json(&reply)?,
            false => print(&reply)?,
        }
        Ok(ExitCode::SUCCESS)
    })
    .await
}

fn print(reply: &CliTools) -> Result<()> {
    if let Some(problem) = &reply.problem {
        output::note(&format!("{} {}", reply.file, harmless(problem)));
    }
    if reply.tools.is_empty() {
        output::note("No command-line tools yet. `schemascope cli add COMMAND` adds one.");
    } else {
        let header = ["alias", "command", "state", "tools", "options", "withheld", "reason"];
        let mut table = output::table(&header, &[3, 4, 5]);
        for row in &reply.tools {
            let (state, colour) = state(row.state);
            table.add_row([
                Cell::new(harmless(&row.alias)),
                Cell::new(harmless(&row.command)),
                Cell::new(state).fg(colour),
                Cell::new(row.tools.len()),
                Cell::new(row.offered),
                Cell::new(row.withheld),
                Cell::new(harmless(row.reason.as_deref().unwrap_or_default())),
            ]);
        }
        output::print_without(&table, &["options", "tools", "withheld"])?;
    }
    for request in &reply.requests {
        let client = request.client.as_deref().unwrap_or("an agent");
        output::note(&format!(
            "{} asks for {} ({}) as {}, {}",
            harmless(client),
            harmless(&request.command),
            harmless(&request.program),
            harmless(&request.alias),
            if request.persist { "to be kept" } else { "until Schemascope ends" }
        ));
        let texts = [("description", &request.description), ("system prompt", &request.system_prompt)];
        for (name, text) in texts.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?))) {
            output::note(&format!("  {name}, written by the agent: {}", harmless(text)));
        }
        let alias = harmless(&request.alias);
        output::note(&format!(
            "  decide with `schemascope cli approve {alias} --reason TEXT` or `schemascope cli reject {alias} --reason TEXT`"
        ));
    }
    Ok(())
}

fn state(state: CliState) -> (&'static str, Color) {
    match state {
        CliState::Ready => ("ready", Color::Green),
        CliState::Reading => ("reading", Color::Yellow),
        CliState::Disabled => ("disabled", Color::DarkGrey),
        CliState::Failed => ("failed", Color::Red),
    }
}

pub async fn show(args: &Args, alias: &str) -> Result<ExitCode> {
    with_engine(args, async |front| {
        let detail = front.call(GetCliTool { alias: alias.to_owned() }).await?;
        if args.json {
            // The definition of the first tool at the top, as `cli read` prints it.
            let mut all = serde_json::to_value(&detail)?;
            let first = detail.definitions.first().map(|first| first.definition.clone());
            if let (Value::Object(all), Some(Value::Object(first))) = (&mut all, first) {
                for (key, value) in first {
                    all.entry(key).or_insert(value);
                }
            }
            output::json(&all)?;
            return Ok(ExitCode::SUCCESS);
        }
        summary(&detail.row)?;
        for tool in &detail.definitions {
            output::line("")?;
            definition::print_tool(tool)?;
        }
        Ok(ExitCode::SUCCESS)
    })
    .await
}

fn summary(row: &CliToolRow) -> Result<()> {
    let program = row.program.as_deref().unwrap_or(&row.command);
    output::line(&format!("{}  {}  {}", harmless(&row.alias), state(row.state).0, harmless(program)))?;
    if let Some(reason) = &row.reason {
        output::line(&format!("  {}", harmless(reason)))?;
    }
    let limits = &row.limits;
    let more = |bytes: Option<u64>, of: &str| {
        bytes.map(|bytes| format!(", {} of {of}", output::bytes(bytes))).unwrap_or_default()
    };
    output::line(&format!(
        "  limits: {} s, {} of output{}{}, {} calls at once",
        limits.timeout_seconds,
        output::bytes(limits.max_output_bytes as u64),
        more(limits.max_memory_bytes, "memory for each process"),
        more(limits.max_file_bytes, "each file written"),
        limits.concurrency
    ))?;
    for sentence in &row.confinement {
        output::line(&format!("  {}", harmless(sentence)))?;
    }
    for note in &row.notes {
        output::note(&harmless(note));
    }
    Ok(())
}

pub async fn add(args: &Args, add: &Add) -> Result<ExitCode> {
    if add.no_network && !add.confine && add.root.is_empty() {
        bail!("--no-network limits calls that are confined; add --confine or --root DIR");
    }
    let command =
        AddCliTool { entry: add.entry(), reason: add.reason.clone(), person: person(), only_new: false };
    with_engine(args, async |front| done(args, &told(front.call(command.clone())).await?)).await
}

pub async fn refresh(args: &Args, alias: &str) -> Result<ExitCode> {
    let command = RefreshCliTool { alias: alias.to_owned() };
    with_engine(args, async |front| done(args, &told(front.call(command.clone())).await?)).await
}

/// Waits, and says for what if it takes long.
async fn told<T>(work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    match tokio::time::timeout(SOON, &mut work).await {
        Ok(done) => done,
        Err(_) => {
            output::note(
                "asking the program and its subcommands for their help; this takes a minute at most",
            );
            work.await
        }
    }
}

pub async fn approve(args: &Args, decision: &Decision, allow: &[String]) -> Result<ExitCode> {
    let command = ApproveCliTool {
        alias: decision.alias.clone(),
        allow: allow.to_vec(),
        reason: decision.reason.clone(),
        no_reason: decision.no_reason,
        person: person(),
    };
    with_engine(args, async |front| done(args, &front.call(command.clone()).await?)).await
}

pub async fn reject(args: &Args, decision: &Decision) -> Result<ExitCode> {
    let command = RejectCliTool {
        alias: decision.alias.clone(),
        reason: decision.reason.clone(),
        no_reason: decision.no_reason,
        person: person(),
    };
    with_engine(args, async |front| {
        front.call(command.clone()).await?;
        output::note(&format!("{} rejected", decision.alias));
        Ok(ExitCode::SUCCESS)
    })
    .await
}

pub async fn remove(args: &Args, alias: &str, reason: Option<String>) -> Result<ExitCode> {
    let command = RemoveCliTool { alias: alias.to_owned(), reason, person: person() };
    with_engine(args, async |front| {
        front.call(command.clone()).await?;
        output::note(&format!("{alias} removed"));
        Ok(ExitCode::SUCCESS)
    })
    .await
}

/// Prints what came of an entry. One that cannot be used is an error.
fn done(args: &Args, row: &CliToolRow) -> Result<ExitCode> {
    if args.json {
        output::json(row)?;
    } else if row.state == CliState::Ready {
        output::line(&format!(
            "{}: {}, {} offered, {} withheld because they run programs",
            harmless(&row.alias),
            output::counted(row.tools.len() as u64, "tool"),
            output::counted(row.offered as u64, "option"),
            row.withheld
        ))?;
        for note in &row.notes {
            output::note(&harmless(note));
        }
    }
    match (&row.state, &row.reason) {
        (CliState::Failed, Some(reason)) => {
            bail!("{} cannot be used: {}", harmless(&row.alias), harmless(reason))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
