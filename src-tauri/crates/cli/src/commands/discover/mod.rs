//! `discover`.

mod calls;
mod suggest;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use schemascope_api::DiscoveryFile;
use schemascope_engine::Front;

use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output;

pub use calls::{Request, discover};

verbs!(Files: engine Discover);

/// Call the tools you list as safe, to learn what they return
#[derive(Debug, clap::Args)]
#[command(after_help = "discovery_config.json beside mcp.json lists the tools with their arguments:\n\n  \
    {\"servers\": {\"git\": {\"safeTools\": {\"git_log\": {\"repo_path\": \".\"}}}}}\n\n\
    Only these tools are called, with these arguments, which are checked against the input schema first. A \
    call may take 30 seconds; servers are called in parallel. A call that succeeded is not repeated within a \
    day. The exit code is 1 if a call failed or could not be made.\n\nExamples:\n  \
    schemascope discover --dry-run    print the calls without making them\n  \
    schemascope discover --suggest    read-only tools, with arguments that worked\n  \
    schemascope discover --suggest --out discovery_config.json    ask about each")]
pub struct Discover {
    /// The list of tools [default: discovery_config.json beside the mcp.json in use]
    #[arg(long, value_name = "FILE", conflicts_with = "suggest")]
    discovery: Option<PathBuf>,
    /// Only the tools of this server
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// Check the list and print the calls without making them
    #[arg(long, conflicts_with = "suggest")]
    dry_run: bool,
    /// Propose tools that their servers declare to be read-only, and call nothing
    #[arg(long)]
    suggest: bool,
    /// Add proposals to this file; on a terminal, you are asked about each
    #[arg(long, value_name = "FILE", requires = "suggest")]
    out: Option<PathBuf>,
}

impl WithEngine for Discover {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        if self.suggest {
            return suggest::suggest(args, front, self.server.clone(), self.out.as_deref()).await;
        }
        let file = match &self.discovery {
            Some(path) => Some(read(path)?),
            None => None,
        };
        let request =
            Request { file, server: self.server.clone(), dry_run: self.dry_run, ..Request::default() };
        let discovered = discover(front, request).await?;
        if !discovered.exists {
            let file = output::harmless(&discovered.file);
            bail!("{file} does not exist; schemascope discover --suggest proposes tools for it");
        }
        calls::print(args, &discovered)?;
        Ok(ExitCode::from(u8::from(discovered.failed())))
    }
}

/// Reads a file that was named.
pub fn read(path: &std::path::Path) -> Result<DiscoveryFile> {
    let text = output::read_file(path).context("nothing was called")?;
    Ok(DiscoveryFile { path: path.display().to_string(), text })
}
