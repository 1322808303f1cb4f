//! `stdio`: an MCP server for clients that start processes.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use schemascope_engine::{Durability, Link, relay};
use tokio_util::sync::CancellationToken;

use super::serve::stop_on_signal;
use crate::args::{Args, Stdio};
use crate::pages::Embedded;

pub async fn run(args: &Args, verb: &Stdio) -> Result<ExitCode> {
    let link = Link::new(args.options(Durability::default())?, None, Arc::new(Embedded));
    let stop = CancellationToken::new();
    tokio::spawn(stop_on_signal(stop.clone()));
    let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    let relayed = relay(&link, verb.server.clone(), input, output, stop).await;
    link.close().await;
    relayed.map_err(|reason| anyhow!(reason))?;
    // Reading standard input cannot be given up: returning would wait for one more line.
    std::process::exit(0)
}
