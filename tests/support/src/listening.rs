//! A fixture upstream that listens on a port and tells where.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::running::Running;

/// A running server of ours. Killed when dropped.
#[derive(Debug)]
pub struct Listening {
    _server: Running,
    url: String,
}

impl Listening {
    /// Starts a server that writes its URL as the first line to stdout.
    pub fn start(mut command: Command) -> Result<Self> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut server =
            Running(child.with_context(|| format!("{command:?} does not start; was it built?"))?);
        let stdout = server.0.stdout.take().context("stdout was asked for")?;
        let mut url = String::new();
        BufReader::new(stdout).read_line(&mut url)?;
        ensure!(url.starts_with("http://"), "{command:?} tells no URL but {url:?}");
        Ok(Self { _server: server, url: url.trim_end().to_owned() })
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }
}
