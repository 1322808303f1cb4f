//! The command line. Its help text is how a user learns the program.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Parser;
use schemascope_engine::{Durability, Options};

/// Opens the Schemascope window: the proxy between agents and their MCP servers, and what it learned of
/// the tools' output.
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    after_help = "The window runs the engine itself, or attaches to one that runs on the same data directory\n\
        (`schemascope serve`). Agents connect to http://ADDRESS/mcp with the token; address, token and a\n\
        link to the same dashboard for a browser stand in instance.json in the data directory.\n\
        There is one window per data directory: starting it again brings the open one to the front.\n\n\
        Exit codes: 0 done, 1 failed, 2 bad usage."
)]
pub struct Args {
    /// Where everything is kept [default: the user's data folder]
    #[arg(long, value_name = "DIR", env = "SCHEMASCOPE_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// The upstreams, in the common "mcpServers" form [default: mcp.json in the data directory]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Where to listen; port 0 takes a free one [default: 127.0.0.1:7347, a free port if that is taken]
    #[arg(long, value_name = "HOST:PORT", value_parser = address)]
    pub listen: Option<SocketAddr>,
}

impl Args {
    /// What an engine of this command line opens with.
    pub fn options(&self) -> Result<Options> {
        let mut options = Options::resolve(self.data_dir.clone(), self.config.clone(), Durability::Relaxed)
            .context("no data folder is known for this user; name one with --data-dir DIR")?;
        // WebKit's processes, which use it too, may work elsewhere.
        options.data_dir = std::path::absolute(&options.data_dir)
            .with_context(|| format!("cannot use {}", options.data_dir.display()))?;
        Ok(options)
    }
}

/// An address, or the first one a name stands for.
fn address(text: &str) -> Result<SocketAddr, String> {
    let mut addresses = text
        .to_socket_addrs()
        .map_err(|error| format!("{error}; expected HOST:PORT such as 127.0.0.1:7347"))?;
    addresses.next().ok_or_else(|| "the name stands for no address".to_owned())
}
