//! What commands about the file of overrides take.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The file says how tools are shown to agents at /mcp, whatever their servers say:\n  \
    {\"schemaVersion\": 2,\n   \
    \"servers\": {\"git\": {\"tools\": {\"git_status\": {\n     \
    \"enabled\": true, \"name\": \"status\", \"description\": \"…\", \"annotations\": {\"readOnlyHint\": true},\n     \
    \"inputSchema\": {…}, \"outputSchema\": {…}}}}},\n   \
    \"master\": {\"tools\": {\"*\": {\"annotations\": {\"openWorldHint\": false}}}}}\n\
    What is promoted, pinned or rolled back is written into it; what is edited by hand takes effect within a\n\
    second, as a decision by \"file\". Comments and what is not ours stay as they are. A file that cannot be\n\
    used is left alone, and what it said before stays in force. `*` stands for all tools of a server, or under\n\
    \"master\" of all servers."
)]
pub struct Overrides {
    #[command(subcommand)]
    pub what: Option<OverridesVerb>,
}

#[derive(Debug, Subcommand)]
pub enum OverridesVerb {
    /// List its entries, as they are in force [default]
    Show {
        /// Only of this tool, for example git__git_status
        tool_id: Option<String>,
    },
    /// Print where it is
    Path,
    /// Say what is wrong with it; exits with 1 when something is
    Check {
        /// Another file, which is only read
        file: Option<PathBuf>,
    },
    /// Fill its gaps with the schemas that servers declare; what is there stays
    Populate(Populate),
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "What is filled in is marked \"followsUpstream\": it overrides nothing, and follows what its server\n\
    declares until somebody edits it. Twice changes nothing the second time.\n\n\
    For example:  schemascope overrides populate --server git --dry-run"
)]
pub struct Populate {
    /// Only of these tools
    #[arg(value_name = "TOOL")]
    pub tools: Vec<String>,
    /// Only of this server; may be given more than once
    #[arg(long = "server", value_name = "NAME")]
    pub servers: Vec<String>,
    /// Say what would be filled, and write nothing
    #[arg(long)]
    pub dry_run: bool,
}
