//! The command line. Its help texts are how a user learns the program.

mod exchange;
mod overrides;
mod versions;

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use anyhow::Context;
use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use schemascope_api::SchemaChoice;
use schemascope_engine::Options;
use schemascope_model::Timestamp;

pub use exchange::{Check, CheckFormat, Export, FailOn, FileForm, Import};
pub use overrides::{Overrides, OverridesVerb, Populate};
pub use versions::{
    About, AcknowledgeDrift, Audit, Drift, DriftVerb, Impact, OneVersion, Pin, Rollback, Versions,
};
use versions::{moment, which};

/// Stands between agents and their MCP servers, records every call, and learns the output schema of
/// each tool from what it really returns.
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    after_help = "Begin with:\n  \
        schemascope                             open the window, where it is installed\n  \
        schemascope serve --config mcp.json     run the proxy; point your agent at the URL it prints\n  \
        schemascope stdio                       the same for agents that start their servers themselves\n  \
        schemascope tools                       see what was learned\n  \
        schemascope schema SERVER__TOOL         print one schema\n  \
        schemascope versions SERVER__TOOL       see what can be promoted; then impact, promote, rollback\n\n\
        Commands talk to what runs on the same data directory, or open it themselves.\n\
        Exit codes: 0 done, 1 failed, 2 bad usage."
)]
pub struct Args {
    /// Where everything is kept [default: the user's data folder]
    #[arg(long, global = true, value_name = "DIR", env = "SCHEMASCOPE_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// The upstreams, in the common "mcpServers" form [default: mcp.json in the data directory]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The file of overrides [default: tool_overrides.json in the data directory]
    #[arg(long, global = true, value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long, global = true)]
    pub json: bool,
    /// Say only what is wrong
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say more; twice for everything
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

impl Args {
    /// What an engine of this command line opens with.
    pub fn options(&self, durability: schemascope_engine::Durability) -> anyhow::Result<Options> {
        let options = Options::resolve(self.data_dir.clone(), self.config.clone(), durability)
            .context("no data folder is known for this user; name one with --data-dir DIR")?;
        Ok(Options { overrides: self.overrides.clone(), ..options })
    }
}

/// Options that come before what is set for good.
const FOR_THIS_RUN: &str = "For this run, whatever is set (see: schemascope settings)";

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Run the proxy, and the dashboard for a browser
    Serve(Serve),
    /// Be an MCP server on standard input and output, for agents that start their servers
    Stdio(Stdio),
    /// List the upstreams with their states and reasons
    Servers(Servers),
    /// List the tools: where each schema comes from and how far it can be trusted
    Tools(Tools),
    /// Print a tool's schema
    Schema(Schema),
    /// List recorded calls, newest first
    Calls(Calls),
    /// Call a tool, as an agent would; the call is recorded, unless the `serve` that runs does not record
    Call(Call),
    /// Infer a schema from JSON documents, without recording anything
    Infer(Infer),
    /// Compare two schemas: what changed, and for whom it breaks
    Diff(Diff),
    /// List the versions of a tool's schema
    #[command(after_help = "Examples:\n  \
    schemascope versions git__git_log")]
    Versions(Versions),
    /// Look at what a version would have made of the latest observations, and what changes for clients
    Impact(Impact),
    /// Promote a version: from now on it is what Schemascope holds true of the tool, and clients are told
    Promote(OneVersion),
    /// Keep a version in force whatever comes later
    Pin(Pin),
    /// Take the pin away
    #[command(after_help = "Examples:\n  \
    schemascope unpin git__git_log --reason \"the new release is fine\"")]
    Unpin(About),
    /// Reject a version: it is not offered again
    Reject(OneVersion),
    /// Take back what is in force, its pin included, for the version promoted before
    Rollback(Rollback),
    /// Undo the latest decision about a tool; again for the one before
    #[command(after_help = "Examples:\n  \
    schemascope undo git__git_log")]
    Undo(About),
    /// List drift: what tools return that is not what it was
    Drift(Drift),
    /// List what was decided, by whom and why, newest first
    #[command(after_help = "Examples:\n  \
    schemascope audit                  of all tools\n  \
    schemascope audit git__git_log     of one\n  \
    schemascope audit --people         without what policies did")]
    Audit(Audit),
    /// Look at the file that says how tools are shown to agents, or fill its gaps
    Overrides(Overrides),
    /// Learn from traces of earlier calls
    Backfill(Backfill),
    /// Write what is known for others: type_registry.json, tool_overrides.json, schemas, a team's bundle
    Export(Export),
    /// Take what others know and decided
    Import(Import),
    /// Check that tools still return what a baseline says, for CI: text, JSON, SARIF, JUnit, GitHub
    Check(Check),
    /// Print totals, quality and how the recorder is doing
    #[command(after_help = "Examples:\n  \
    schemascope report\n  \
    schemascope --json report")]
    Report,
    /// List settings, or set one: policies, retention, how results are adapted
    Settings(Settings),
    /// Compare journal, index and what was learned, read the audit log, and say what differs; nothing is
    /// mended. Exits with 1 when something does. Schemascope must not run on the data
    #[command(after_help = "Examples:\n  \
    schemascope verify && schemascope compact")]
    Verify,
    /// Build the index anew from the journal. Schemascope must not run on the data
    Rebuild,
    /// Give back the room that removed calls took in the index, by building it anew. Schemascope must not
    /// run on the data
    Compact,
    /// Apply today's rules of redaction to all that is stored already: calls, what was learned, versions and
    /// decisions. Schemascope must not run on the data
    Redact(Redact),
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Agents connect to http://ADDRESS/mcp for all upstreams (tools named server__tool) or to\n\
    http://ADDRESS/mcp/NAME for one upstream as it is, with the header\n\
    \"Authorization: Bearer TOKEN\". Address and token stand in instance.json in the data directory,\n\
    with dashboard_url, which opens the dashboard; the token stays the same over restarts."
)]
pub struct Serve {
    /// Where to listen; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:7347", value_name = "HOST:PORT", value_parser = address)]
    pub listen: SocketAddr,
    /// Let everybody on this machine in, without a token
    #[arg(long)]
    pub no_auth: bool,
    /// relaxed: answer at once, a kill costs at most the last 50 ms of calls; strict: answer when the
    /// call is on disk
    #[arg(long, value_enum, default_value_t = Durability::Relaxed)]
    pub durability: Durability,
    /// off: calls pass, but nothing of them is stored or learned from, and tools that upstreams list
    /// are not noted; what is stored already is still shown
    #[arg(long, value_enum, default_value_t = Record::On)]
    pub record: Record,
    /// Give agents at /mcp the structure their SDKs expect: on: from text that is JSON or fits the schema;
    /// all: plain text of tools without a schema too; advertised: only where a schema is advertised; off
    #[arg(long, value_enum, value_name = "MODE", help_heading = FOR_THIS_RUN)]
    pub adapt: Option<Adapt>,
    /// Promote candidates without a person: never, or when their quality is high, nothing is pinned and nobody
    /// took them back
    #[arg(long, value_enum, value_name = "WHEN", help_heading = FOR_THIS_RUN)]
    pub auto_promote: Option<AutoPromote>,
    /// Observations an inferred schema must have been the same for before it becomes a version
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000), help_heading = FOR_THIS_RUN)]
    pub cut_after: Option<u64>,
    /// Remove calls that are older; what was learned from them stays
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u64).range(1..=36_500), help_heading = FOR_THIS_RUN)]
    pub keep_days: Option<u64>,
    /// Keep only the newest so many calls
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = FOR_THIS_RUN)]
    pub keep_calls: Option<u64>,
    /// Remove the oldest calls while journal and index use more
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(16..=1_000_000_000), help_heading = FOR_THIS_RUN)]
    pub keep_mb: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "For the agent's configuration:\n\n  \
    {\"mcpServers\": {\"schemascope\": {\"command\": \"schemascope\", \"args\": [\"stdio\"]}}}\n\n\
    Its own servers move to Schemascope's mcp.json (--config). It attaches to what runs on the same data\n\
    directory (the window, `serve`, another `stdio`), or runs the proxy itself, dashboard included: its\n\
    address stands in instance.json there. When the one that runs the proxy ends, another takes over and\n\
    agents go on; a call that was under way then is answered with an error that says so.\n\
    Standard output carries messages only, standard error what is wrong.")]
pub struct Stdio {
    /// One upstream as it is, instead of all with tools named server__tool
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "schemascope settings                       list them\n\
    schemascope settings keep_days 30          remove calls older than a month; what was learned stays\n\
    schemascope settings auto_promote at_high  promote by policy what has high quality\n\
    schemascope settings keep_days default     as it was\n\n\
    They are kept in settings.json in the data directory and take effect at once; options of serve come\n\
    before them, for that run.")]
pub struct Settings {
    /// Print or set this one
    pub name: Option<String>,
    /// What it is to be; default takes back what was set
    pub value: Option<String>,
}

/// An address, or the first one a name stands for.
fn address(text: &str) -> Result<SocketAddr, String> {
    let mut addresses = text
        .to_socket_addrs()
        .map_err(|error| format!("{error}; expected HOST:PORT such as 127.0.0.1:7347"))?;
    addresses.next().ok_or_else(|| "the name stands for no address".to_owned())
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum AutoPromote {
    Never,
    AtHigh,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Adapt {
    On,
    All,
    Advertised,
    Off,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Durability {
    Relaxed,
    Strict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Record {
    On,
    Off,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "What is recorded is redacted before it is stored. Use this when a rule comes later: add it to\n\
    redaction.json in the data directory, for example {\"keys\": [\"employee_no\"], \"patterns\": [\"INT-(\\\\d{6})\"]},\n\
    or name a server's new password in mcp.json (--config), stop Schemascope, and\n\n  \
        schemascope redact --dry-run    tells how much would change\n  \
        schemascope redact              changes it, for good\n\n\
    Counts, types and lengths stay. Schemas of versions that listed a secret value allow any value there\n\
    afterwards. Interrupted, it can be run again."
)]
pub struct Redact {
    /// Only tell what would change
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope servers        all of them\n  \
    schemascope servers git    one, with the last lines of its log")]
pub struct Servers {
    /// Show this one with the last lines of its log
    pub name: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope tools git__    those whose id has this in it\n  \
    schemascope --json tools   all that is known of them, for a program")]
pub struct Tools {
    /// Only tools whose id contains this
    pub filter: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope schema git__git_log                       what holds true of it now\n  \
    schemascope schema git__git_log --version inferred    what its results look like\n  \
    schemascope schema git__git_log --at 2026-11-01       what held true that day\n  \
    schemascope schema git__git_log --where format=json   of calls with this argument")]
pub struct Schema {
    /// For example git__git_status
    pub tool_id: String,
    /// Which schema: the number of a version, effective, inferred or declared [default: the effective one,
    /// else the inferred one]
    #[arg(long, value_name = "N|WHICH", value_parser = which)]
    pub version: Option<SchemaChoice>,
    /// The schema that held true then, else the newest version there was: 2026-11-21, its end, or
    /// 2026-11-21T12:00:00Z
    #[arg(long, value_name = "DATE", value_parser = moment, conflicts_with = "version")]
    pub at: Option<Timestamp>,
    /// Infer one from the stored calls in which an argument has this value: format=json; without
    /// a value, from those that leave it out
    #[arg(long = "where", value_name = "ARGUMENT[=VALUE]", conflicts_with_all = ["version", "at"])]
    pub argument: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope calls --failures --limit 10\n  \
    schemascope calls --tool git__git_log --json > calls.ndjson    for `backfill` and `check` elsewhere")]
pub struct Calls {
    /// Only of this tool
    #[arg(long, value_name = "TOOL_ID")]
    pub tool: Option<String>,
    /// Only those that failed
    #[arg(long)]
    pub failures: bool,
    /// At most this many [default: 50; with --json all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Exits with 1 when the tool answers with an error.\n\nExample:\n  \
    schemascope call git__git_log '{\"repo_path\": \".\", \"max_count\": 3}'")]
pub struct Call {
    /// For example git__git_status
    pub tool_id: String,
    /// The arguments, a JSON object; - reads them from standard input
    #[arg(default_value = "{}", value_name = "JSON")]
    pub arguments: String,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Documents may stand one per line or in any other way one after the other. What is no JSON is\n\
    reported with its line and left out; the exit code is then 1."
)]
pub struct Infer {
    /// The documents; without it, standard input
    pub file: Option<PathBuf>,
    /// Objects an always present field must have been seen in before it is required [default: 8, and 3
    /// where hardly any field is optional]
    #[arg(long, value_name = "N")]
    pub required_after: Option<u64>,
    /// Instead of the schema, print each of its decisions with the numbers behind it
    #[arg(long)]
    pub explain: bool,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "For who reads what a schema describes (a tool's output) a change is safe when every value the new\n\
    schema allows was allowed before; for who sends it (a tool's input), when every value that was allowed\n\
    still is. Safe is said only where that is proven."
)]
pub struct Diff {
    /// Two files with a JSON Schema (- reads one from standard input), or a tool and two of its schemas: the
    /// number of a version, effective, inferred or declared
    #[arg(num_args = 2..=3, required = true, value_names = ["OLD|TOOL", "NEW|A", "B"])]
    pub of: Vec<String>,
    /// Compare their text instead, line by line
    #[arg(long)]
    pub raw: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Each line is one call: our own export (schemascope calls --json), or\n  \
    {\"tool_id\": \"git__git_log\", \"output\": …}   and if known\n  \
    \"is_error\": bool, \"at\": \"2026-11-20T12:00:00Z\", \"arguments\": {…}, \"session\": \"…\"\n\
    An output is a value, a text, or a whole MCP result with \"content\". A malformed line is reported\n\
    with its number and left out; the exit code is then 1. Calls of an export that are recorded already\n\
    are left out.")]
pub struct Backfill {
    /// The trace, one JSON object per line; - reads standard input
    pub file: PathBuf,
    /// Only check the lines
    #[arg(long)]
    pub dry_run: bool,
}
