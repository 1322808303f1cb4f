//! What commands about versions take.

use schemascope_api::SchemaChoice;
use schemascope_model::Timestamp;

/// A schema by the word for it.
pub(super) fn which(word: &str) -> Result<SchemaChoice, String> {
    crate::commands::choice(word).map_err(|error| error.to_string())
}

/// A time, or the end of a day in the user's zone.
pub(super) fn moment(text: &str) -> Result<Timestamp, String> {
    if let Ok(at) = text.parse() {
        return Ok(at);
    }
    let wrong = || format!("{text:?} is no date such as 2026-11-21 and no time such as 2026-11-21T12:00:00Z");
    let day: chrono::NaiveDate = text.parse().map_err(|_| wrong())?;
    let end = day.succ_opt().and_then(|next| next.and_hms_opt(0, 0, 0)).ok_or_else(wrong)?;
    let end = end.and_local_timezone(chrono::Local).earliest().ok_or_else(wrong)?;
    u64::try_from(end.timestamp_millis() - 1).map(Timestamp::from_millis).map_err(|_| wrong())
}

#[derive(Debug, clap::Args)]
pub struct About {
    /// For example git__git_status
    pub tool_id: String,
    /// Why; kept in the audit log
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "`impact` says before what changes, `rollback` and `undo` take it back.\n\nExamples, for promote as for reject:\n  \
    schemascope promote git__git_log                               the candidate\n  \
    schemascope promote git__git_log 3 --reason \"seen with the team\""
)]
pub struct OneVersion {
    #[command(flatten)]
    pub tool: About,
    /// Its number [default: the candidate]
    pub version: Option<u32>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope pin git__git_log               what is in force, whatever comes\n  \
    schemascope pin git__git_log 3 --enforce   and results that break it become errors")]
pub struct Pin {
    #[command(flatten)]
    pub tool: About,
    /// Its number [default: the version in force]
    pub version: Option<u32>,
    /// Turn results that break it into errors that keep what came
    #[arg(long)]
    pub enforce: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope rollback git__git_log --reason \"clients of the old release break\"\n  \
    schemascope rollback git__git_log --to 2")]
pub struct Rollback {
    #[command(flatten)]
    pub tool: About,
    /// For this version, which was promoted before [default: the one promoted before, or none]
    #[arg(long, value_name = "N")]
    pub to: Option<u32>,
}

#[derive(Debug, clap::Args)]
pub struct Versions {
    /// For example git__git_status
    pub tool_id: String,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Redacted values count as fitting, as far as their type does.\n\nExample:\n  \
    schemascope impact git__git_log 3 --last 200")]
pub struct Impact {
    /// For example git__git_status
    pub tool_id: String,
    /// The version's number
    pub version: u32,
    /// Observations to look at [default: 1000]
    #[arg(long, value_name = "N")]
    pub last: Option<u32>,
}

#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Drift is a change that lasts: a field that is gone, has another name or type, is null or new, or a\n\
    rule of the effective schema that results break and kept before. It is told once, and over when results\n\
    are as they were, or when a version comes into force that was cut after the change.\n\n\
    Examples:\n  schemascope drift shop__get_order\n  \
    schemascope drift acknowledge shop__get_order 2 --reason \"the shop's release of Monday\""
)]
pub struct Drift {
    #[command(subcommand)]
    pub verb: Option<DriftVerb>,
    /// Only of this tool
    pub tool_id: Option<String>,
    /// Those that are over too
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, clap::Subcommand)]
pub enum DriftVerb {
    /// Say that you have seen a drift: it goes on, and no longer waits for anybody
    #[command(
        after_help = "Example:\n  schemascope drift acknowledge shop__get_order 2 --reason \"the shop's release of Monday\""
    )]
    Acknowledge(AcknowledgeDrift),
}

#[derive(Debug, clap::Args)]
pub struct AcknowledgeDrift {
    /// For example git__git_status
    pub tool_id: String,
    /// Its number, as `drift` lists it
    pub drift: u64,
    /// What you say of it; kept in the audit log
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct Audit {
    /// Only of this tool
    pub tool_id: Option<String>,
    /// Only what people decided, by hand or by file, not what policies did
    #[arg(long)]
    pub people: bool,
    /// At most this many [default: 50; with --json all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}
