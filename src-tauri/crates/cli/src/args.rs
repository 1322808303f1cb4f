//! Options that every command has, and values that several commands read in the same way.

use std::path::PathBuf;

use anyhow::Context;
use clap::ArgAction;
use schemascope_api::SchemaChoice;
use schemascope_engine::{Durability, Options};
use schemascope_model::Timestamp;

/// Options that every command has.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Args {
    /// Where everything is kept [default: the user's data directory]
    #[arg(long, global = true, value_name = "DIR", env = "SCHEMASCOPE_DATA_DIR", hide_env_values = true)]
    pub data_dir: Option<PathBuf>,
    /// The servers, in the common "mcpServers" form [default: mcp.json in the data directory]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The overrides [default: tool_overrides.json in the data directory]
    #[arg(long, global = true, value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    /// The command-line tools [default: ai-tools.json in the data directory]
    #[arg(long, global = true, value_name = "FILE")]
    pub ai_tools: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long, global = true)]
    pub json: bool,
    /// Log errors only, and print fewer notes
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print more; twice for everything
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
}

impl Args {
    /// What is wrong with these options. A mistyped path should not look like a configuration without servers.
    pub fn problem(&self) -> Option<String> {
        let config = self.config.as_ref().filter(|config| !config.exists())?;
        Some(format!("--config {}: there is no such file", config.display()))
    }

    /// The options to open an engine with.
    pub fn options(&self, durability: Durability) -> anyhow::Result<Options> {
        let options = Options::resolve(self.data_dir.clone(), self.config.clone(), durability)
            .context("this user has no data directory; choose one with --data-dir DIR")?;
        Ok(Options { overrides: self.overrides.clone(), ai_tools: self.ai_tools.clone(), ..options })
    }
}

/// Reads which schema of a tool is meant: a version number, `effective`, `inferred` or `declared`.
pub fn schema_choice(word: &str) -> Result<SchemaChoice, String> {
    Ok(match word {
        "effective" => SchemaChoice::Effective,
        "inferred" => SchemaChoice::Inferred,
        "declared" => SchemaChoice::Declared,
        number => SchemaChoice::Version(number.parse().map_err(|_| {
            format!("{word:?} is not a schema; expected a version number, effective, inferred or declared")
        })?),
    })
}

/// Reads a time, or a date, which stands for the end of that day in the user's time zone.
pub fn time(text: &str) -> Result<Timestamp, String> {
    if let Ok(at) = text.parse() {
        return Ok(at);
    }
    let invalid = || format!("{text:?} is not a date or time; expected 2026-11-21 or 2026-11-21T12:00:00Z");
    let day: chrono::NaiveDate = text.parse().map_err(|_| invalid())?;
    let end = day.succ_opt().and_then(|next| next.and_hms_opt(0, 0, 0)).ok_or_else(invalid)?;
    let end = end.and_local_timezone(chrono::Local).earliest().ok_or_else(invalid)?;
    u64::try_from(end.timestamp_millis() - 1).map(Timestamp::from_millis).map_err(|_| invalid())
}

/// Reads a time, or a date, which stands for the beginning of that day in the user's time zone.
pub fn time_since(text: &str) -> Result<Timestamp, String> {
    let day: Result<chrono::NaiveDate, _> = text.parse();
    match day.ok().and_then(|day| day.pred_opt()) {
        Some(before) => time(&before.to_string()),
        None => time(text),
    }
}

/// Name of the user at the terminal.
pub fn person() -> Option<String> {
    ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok())
}
