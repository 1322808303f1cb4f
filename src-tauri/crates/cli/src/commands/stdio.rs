//! `stdio`: an MCP server on standard input and output.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use schemascope_engine::{CliEntry, Durability, Link, relay};
use tokio_util::sync::CancellationToken;

use super::verb::{Alone, verbs};
use crate::args::Args;
use crate::pages::Embedded;

verbs!(Run: alone Stdio);

/// Serve MCP on standard input and output, for agents that start servers
#[derive(Debug, clap::Args)]
#[command(after_help = "For the agent's configuration:\n\n  \
    {\"mcpServers\": {\"schemascope\": {\"command\": \"schemascope\", \"args\": [\"stdio\"]}}}\n\n\
    Move the agent's other servers to Schemascope's mcp.json (--config). The command attaches to the \
    Schemascope that runs on the same data directory (the window, `serve`, another `stdio`). If none runs, \
    it runs the proxy and the dashboard itself; the address is in instance.json. When the process that runs \
    the proxy ends, another one takes over and agents continue. A call that was running then fails with an \
    error that says so. Standard output carries messages only; problems are reported on standard error.")]
pub struct Stdio {
    /// Serve one server, unchanged, instead of all with tools named server__tool
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// Offer this command-line program as the server ask-PROGRAM, if this process runs the proxy; can be repeated
    #[arg(long, value_name = "PROGRAM")]
    cli: Vec<String>,
}

impl Alone for Stdio {
    async fn run(&self, args: &Args) -> Result<ExitCode> {
        let mut options = args.options(Durability::default())?;
        options.cli = self.cli.iter().map(|program| CliEntry::of_command(program)).collect();
        let link = Link::new(options, None, Arc::new(Embedded));
        let stop = CancellationToken::new();
        tokio::spawn(stop_on_signal(stop.clone()));
        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
        let relayed = relay(&link, self.server.clone(), input, output, stop).await;
        link.close().await;
        relayed.map_err(|reason| anyhow!(reason))?;
        // A pending read of standard input cannot be cancelled: returning would wait for one more line.
        std::process::exit(0)
    }
}

/// Cancels at the first signal, so that everything stops in order; exits at the second.
pub async fn stop_on_signal(shutdown: CancellationToken) {
    schemascope_engine::asked_to_end().await;
    shutdown.cancel();
    schemascope_engine::asked_to_end().await;
    std::process::exit(130);
}
