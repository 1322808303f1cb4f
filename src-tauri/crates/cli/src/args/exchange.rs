//! What commands about files for others take.

use std::path::PathBuf;

use clap::ValueEnum;
use schemascope_model::Timestamp;

use super::versions::moment;

/// A form of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FileForm {
    /// type_registry.json: a row a tool, in the form other programs know
    Registry,
    /// tool_overrides.json: the schemas in force
    Overrides,
    /// One JSON Schema file a tool
    Schemas,
    /// What a team merges: counts and structure, schemas in force; no observed value
    Bundle,
    /// The key that a team's hashes are made with
    Key,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "  schemascope export bundle --out bundle.json         for the team, or as a baseline of `check`\n  \
    schemascope export schemas --out schemas --tool 'git__*'\n\n\
    Bundles hold no observed value: keyed hashes stand for values and for keys that are data, which tells\n\
    that two are the same and nothing else. Names of fields, counts, formats and lengths are told, and what\n\
    upstreams declare. Who has the team's key as well can test guesses of values: keep the key apart."
)]
pub struct Export {
    /// What to write
    #[arg(value_enum)]
    pub form: FileForm,
    /// The file; of schemas, the folder [default: standard output]
    #[arg(long, value_name = "FILE|DIR")]
    pub out: Option<PathBuf>,
    /// Only tools with this id; * and ? stand for anything; may be given again
    #[arg(long = "tool", value_name = "GLOB")]
    pub tools: Vec<String>,
    /// Of a bundle: with the observed values that shapes and schemas keep, redacted as they are stored
    #[arg(long)]
    pub with_values: bool,
    /// Add what the other machines counted whose bundles were imported; a bundle always has it
    #[arg(long)]
    pub team: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "  schemascope import bundle theirs.json --dry-run     see what it would change\n  \
    schemascope import key team-key.json                before anything is recorded\n\n\
    A schema that is not known here becomes a version with origin `import`. overrides and bundles put it in\n\
    force, unless something is in force here; registry and schemas leave that to you (`promote`). `undo`\n\
    takes it back, `audit` tells of it. What other machines counted is kept apart from what was counted here,\n\
    and a later bundle of a machine takes the place of its earlier one. A file that is wrong changes nothing.")]
pub struct Import {
    /// What it is
    #[arg(value_enum)]
    pub form: FileForm,
    /// The file; of schemas, a file named after its tool (git__git_log.json), or a folder of them
    pub file: PathBuf,
    /// Only say what would change
    #[arg(long)]
    pub dry_run: bool,
    /// Why; kept in the audit log
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

/// How bad a finding must be to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// An observation that the baseline does not allow, or a declared schema that breaks readers
    Breaking,
    /// The same, and what may be: a format gone, a usual field missing, something nobody can judge
    Risky,
    /// Whatever differs, new tools and new fields too
    Any,
}

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    Text,
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// JUnit XML: a test case a tool
    Junit,
    /// Workflow commands of GitHub Actions
    Github,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "  schemascope check --baseline bundle.json --traces calls.ndjson --fail-on breaking\n  \
    schemascope check --baseline bundle.json --format sarif > findings.sarif\n\n\
    The baseline is a bundle (`export bundle`); of each tool the schema in force counts, else the declared,\n\
    else the inferred one. What breaks must be shown by an observation, so a few calls are enough and\n\
    harmless ones raise nothing. With --traces no store is opened.\n\
    Exit codes: 0 nothing found, 1 found, 2 bad usage, something cannot be read, or no call of --live\n\
    got a result."
)]
pub struct Check {
    /// The bundle that says how it should be
    #[arg(long, value_name = "BUNDLE")]
    pub baseline: PathBuf,
    /// Calls to look at, one a line as for `backfill`; - reads standard input [default: the calls recorded
    /// since the baseline was made]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["live", "since"])]
    pub traces: Option<PathBuf>,
    /// Make these calls now and look at their results: lines {"tool_id": "git__git_log", "arguments": {…}}.
    /// Name only what is safe to call
    #[arg(long, value_name = "FILE", conflicts_with = "since")]
    pub live: Option<PathBuf>,
    /// Look at the calls recorded since then: 2026-11-21T12:00:00Z, or 2026-11-21, from its end on
    #[arg(long, value_name = "DATE", value_parser = moment)]
    pub since: Option<Timestamp>,
    /// What makes it fail
    #[arg(long, value_enum, default_value_t = FailOn::Breaking, value_name = "CLASS")]
    pub fail_on: FailOn,
    /// How findings are written [default: text, or json with --json]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<CheckFormat>,
}
