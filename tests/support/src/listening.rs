//! A fixture upstream that listens on a port and tells where.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::places::{Places, stdio};
use crate::running::KilledOnDrop;

/// A running fixture server. Killed when dropped.
#[derive(Debug)]
pub struct Listening {
    _server: KilledOnDrop,
    url: String,
}

impl Listening {
    /// Starts a server that writes its URL as the first line to stdout.
    pub fn start(mut command: Command) -> Result<Self> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut server =
            KilledOnDrop(child.with_context(|| format!("{command:?} does not start; was it built?"))?);
        let stdout = server.0.stdout.take().context("stdout was asked for")?;
        let mut url = String::new();
        BufReader::new(stdout).read_line(&mut url)?;
        ensure!(url.starts_with("http://"), "{command:?} tells no URL but {url:?}");
        Ok(Self { _server: server, url: url.trim_end().to_owned() })
    }

    /// Starts the conformance fixture, which speaks this era: `legacy`, `modern` or `both`.
    pub fn conformance(places: &Places, era: &str) -> Result<Self> {
        let mut command = Command::new(places.fixture("conformance"));
        command.args(["--port", "0", "--era", era]);
        Self::start(command)
    }

    /// Its URL.
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// An entry of `mcpServers` for the conformance fixture of this era, and the fixture where it has to listen.
pub fn conformance(places: &Places, era: &str, over_http: bool) -> Result<(Value, Option<Listening>)> {
    if !over_http {
        return Ok((stdio(places.fixture("conformance"), &["--era", era]), None));
    }
    let fixture = Listening::conformance(places, era)?;
    Ok((json!({"url": fixture.url()}), Some(fixture)))
}
