//! A server with all features of MCP, written for the official conformance suite. It passes there in both eras, so a
//! failure through a proxy is the proxy's. It serves stdio or Streamable HTTP (see [`server`]).
#![expect(deprecated, reason = "2026-07-28 deprecates sampling, roots and logging; clients have them still")]

mod ask;
mod changes;
mod content;
mod http;
mod inquiries;
mod prompts;
mod resources;
mod server;
mod sessions;
mod tasks;
mod tools;

use std::io::Write;

use clap::{Parser, ValueEnum};
use rmcp::model::ProtocolVersion;
use rmcp::service::ServiceExt;

use server::{Conformance, Shared};

/// What the conformance suite looks for, over stdio or Streamable HTTP.
#[derive(Debug, Parser)]
struct Args {
    /// Listen on this port of the loopback interface instead of stdio, 0 for any; stdout tells the URL
    #[arg(long)]
    port: Option<u16>,
    /// The protocol versions to speak
    #[arg(long, value_enum, default_value_t = Era::Both)]
    era: Era,
}

/// Which protocol versions the server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Era {
    /// Up to 2025-11-25: `initialize` and sessions
    Legacy,
    /// From 2026-07-28: `server/discover`, no sessions
    Modern,
    /// All of them
    Both,
}

impl Era {
    fn versions(self) -> &'static [ProtocolVersion] {
        match self {
            Self::Legacy => ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25),
            Self::Modern => &[ProtocolVersion::V_2026_07_28],
            Self::Both => ProtocolVersion::KNOWN_VERSIONS,
        }
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let shared = Shared::new(args.era.versions())?;
    match args.port {
        Some(port) => {
            http::serve(port, &shared, |url| writeln!(std::io::stdout(), "{url}")).await?;
        }
        None => {
            Conformance::new(&shared).serve(rmcp::transport::stdio()).await?.waiting().await?;
        }
    }
    Ok(())
}
