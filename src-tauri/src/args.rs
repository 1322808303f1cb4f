//! The command line.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Parser;
use schemascope_engine::{Durability, Options};

/// Opens the Schemascope window: the proxy between agents and their MCP servers, and what it learned from results.
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    after_help = "The window runs the proxy itself, or attaches to the Schemascope that runs on the same data directory\n\
        (`schemascope serve`). Agents connect to http://ADDRESS/mcp with the token. The address, the token and\n\
        a link to the dashboard for a browser are in instance.json in the data directory. There is one window\n\
        per data directory: starting it again brings the open window to the front.\n\n\
        Exit codes: 0 success, 1 failure, 2 bad usage."
)]
pub struct Args {
    /// Where everything is kept [default: the user's data directory]
    #[arg(long, value_name = "DIR", env = "SCHEMASCOPE_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// The servers, in the common "mcpServers" form [default: mcp.json in the data directory]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The overrides [default: tool_overrides.json in the data directory]
    #[arg(long, value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    /// The command-line tools [default: ai-tools.json in the data directory]
    #[arg(long, value_name = "FILE")]
    pub ai_tools: Option<PathBuf>,
    /// Address to listen on; port 0 chooses a free port [default: 127.0.0.1:7347, or a free port if that is taken]
    #[arg(long, value_name = "HOST:PORT", value_parser = address)]
    pub listen: Option<SocketAddr>,
}

impl Args {
    /// The options to open an engine with.
    pub fn options(&self) -> Result<Options> {
        let mut options = Options::resolve(self.data_dir.clone(), self.config.clone(), Durability::Relaxed)
            .context("this user has no data directory; choose one with --data-dir DIR")?;
        // WebKit's processes use the path as well, and may have another working directory.
        options.data_dir = std::path::absolute(&options.data_dir)
            .with_context(|| format!("cannot use {}", options.data_dir.display()))?;
        options.overrides.clone_from(&self.overrides);
        options.ai_tools.clone_from(&self.ai_tools);
        Ok(options)
    }
}

/// Reads an address; a host name stands for its first address.
fn address(text: &str) -> Result<SocketAddr, String> {
    let mut addresses = text
        .to_socket_addrs()
        .map_err(|error| format!("{error}; expected HOST:PORT, for example 127.0.0.1:7347"))?;
    addresses.next().ok_or_else(|| "the host name did not resolve".to_owned())
}
