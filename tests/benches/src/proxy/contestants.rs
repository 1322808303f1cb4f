//! The proxies that are measured, and how each is started in front of the same upstream.

use std::ffi::OsStr;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use schemascope_benches::places;
use schemascope_test_support::{Places, Program, Serve, stdio};
use serde_json::Map;
use tempfile::TempDir;

use crate::expected::Expected;
use crate::process::Process;
use crate::session::{Session, Target};

/// How long one may take to start.
const PATIENCE: Duration = Duration::from_secs(60);
/// What Schemascope's configuration calls the upstream.
const UPSTREAM: &str = "payload";
/// What its tools' names begin with where all servers are together.
const PREFIX: &str = "payload__";
/// Callers there are at most.
pub const CALLERS: usize = 16;

/// What one is to the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// No proxy: the upstream itself, over HTTP.
    Direct,
    /// Schemascope without recording.
    Off,
    /// Schemascope as it is used, in front of one server.
    On,
    /// The same in front of all servers together, where results are adapted.
    Adapt,
    /// A forwarder as thin as rmcp makes it.
    Bare,
    Supergateway,
    PypiProxy,
    NpmProxy,
}

/// In the order of the table.
pub const ROLES: [Role; 8] = [
    Role::Direct,
    Role::Off,
    Role::On,
    Role::Adapt,
    Role::Bare,
    Role::Supergateway,
    Role::PypiProxy,
    Role::NpmProxy,
];

impl Role {
    /// What the table calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct, no proxy",
            Self::Off => "Schemascope, recording off",
            Self::On => "Schemascope, recording on",
            Self::Adapt => "Schemascope, recording on, with adapter",
            Self::Bare => "bare rmcp forwarder",
            Self::Supergateway => "npm supergateway 4.0.0",
            Self::PypiProxy => "PyPI mcp-proxy 0.13.0",
            Self::NpmProxy => "npm mcp-proxy 6.7.19",
        }
    }

    /// Whether calls are recorded.
    pub fn records(self) -> bool {
        matches!(self, Self::On | Self::Adapt)
    }

    /// Whether it is a proxy that others made and published.
    pub fn is_peer(self) -> bool {
        matches!(self, Self::Supergateway | Self::PypiProxy | Self::NpmProxy)
    }
}

/// One that runs, with callers who know what its answers must be.
pub struct Contestant {
    pub role: Role,
    pub callers: Vec<Session>,
    pub expected: Arc<Expected>,
    target: Arc<Target>,
    running: Running,
}

/// Ended when dropped.
enum Running {
    Process(Process),
    Serve { serve: Serve, _scratch: TempDir },
}

impl Contestant {
    /// Starts one, and compares all its answers with the truth unless it is the truth. None when it is not
    /// installed.
    pub fn start(role: Role, truth: Option<&Expected>) -> Result<Option<Self>> {
        let bin = places::target()?.join("release");
        let upstream = bin.join("payload");
        let (running, target) = match role {
            Role::Direct => announced(&upstream, &[OsStr::new("--http")])?,
            Role::Bare => announced(&bin.join("bare"), &[upstream.as_os_str()])?,
            Role::Off => schemascope(&bin, &upstream, Some(UPSTREAM), &["--record", "off"])?,
            Role::On => schemascope(&bin, &upstream, Some(UPSTREAM), &[])?,
            Role::Adapt => schemascope(&bin, &upstream, None, &[])?,
            Role::Supergateway | Role::PypiProxy | Role::NpmProxy => match peer(role, &upstream)? {
                Some(started) => started,
                None => return Ok(None),
            },
        };
        let target = Arc::new(target);
        let mut callers = vec![Session::open(&target)?];
        let expected = Expected::learn(&mut callers[0], truth, role == Role::Adapt)?;
        for _ in 1..CALLERS {
            callers.push(Session::open(&target)?);
        }
        Ok(Some(Self { role, callers, expected: Arc::new(expected), target, running }))
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        match &self.running {
            Running::Process(process) => process.pid(),
            Running::Serve { serve, .. } => serve.pid(),
        }
    }

    /// Where it is reached.
    pub fn target(&self) -> &Target {
        &self.target
    }
}

fn announced(program: &Path, args: &[&OsStr]) -> Result<(Running, Target)> {
    let (process, url) = Process::announced(Command::new(program).args(args))?;
    Ok((Running::Process(process), Target::of(&url, None, "")?))
}

/// Schemascope on data of its own, in front of one server or of all together. On the disk the build is on: folders
/// for temporary files may be in memory.
fn schemascope(
    bin: &Path,
    upstream: &Path,
    server: Option<&str>,
    args: &[&str],
) -> Result<(Running, Target)> {
    let places = Places::beside(bin.join("schemascope"))?;
    let scratch = tempfile::tempdir_in(places::target()?)?;
    let servers = Map::from_iter([(UPSTREAM.to_owned(), stdio(upstream, &[]))]);
    let serve = Program::new(&places, scratch.path(), &servers)?.serve(args)?;
    let prefix = if server.is_none() { PREFIX } else { "" };
    // The owner token, because the report is read as well.
    let target = Target::of(&serve.url(server), Some(serve.owner_token()), prefix)?;
    Ok((Running::Serve { serve, _scratch: scratch }, target))
}

/// One of the proxies that others made. What they log is kept short: it would count for their time.
fn peer(role: Role, upstream: &Path) -> Result<Option<(Running, Target)>> {
    let tools = places::tools()?;
    let npm = |file: &str| tools.join("proxies-npm/node_modules").join(file);
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port().to_string();
    let (program, script): (PathBuf, Option<PathBuf>) = match role {
        Role::Supergateway => ("node".into(), Some(npm("supergateway/dist/index.js"))),
        Role::NpmProxy => ("node".into(), Some(npm("mcp-proxy/dist/bin/mcp-proxy.mjs"))),
        _ => (tools.join("proxies-python/bin/mcp-proxy"), None),
    };
    if !script.as_ref().unwrap_or(&program).is_file() {
        println!("Not installed, left out: {}", role.name());
        return Ok(None);
    }
    let mut command = Command::new(program);
    command.args(script);
    match role {
        Role::Supergateway => command
            .args(["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"])
            .args(["--port", &port, "--stdio"])
            .arg(upstream),
        Role::NpmProxy => command
            .args(["--host", "127.0.0.1", "--server", "stream", "--no-eventStore"])
            .args(["--port", &port, "--"])
            .arg(upstream),
        _ => {
            command.args(["--host", "127.0.0.1", "--log-level", "ERROR", "--port", &port, "--"]).arg(upstream)
        }
    };
    let log = tools.join("proxies.log");
    let mut process = Process::start(&mut command, &log)?;
    let target = Arc::new(Target::of(&format!("http://127.0.0.1:{port}/mcp"), None, "")?);
    let began = Instant::now();
    while let Err(error) = Session::open(&target) {
        if !process.is_running() || began.elapsed() > PATIENCE {
            bail!("{} is not ready: {error:#}; see {}", role.name(), log.display());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(Some((Running::Process(process), Target::clone(&target))))
}
