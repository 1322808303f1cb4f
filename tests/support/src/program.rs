//! The `schemascope` program, run as its users run it.

use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};

use crate::client::McpClient;
use crate::places::Places;
use crate::stdio::StdioClient;
use crate::wait::try_until;

/// The program with a data directory and a configuration.
#[derive(Debug, Clone)]
pub struct Program {
    places: Places,
    data_dir: PathBuf,
    config: PathBuf,
    env: Vec<(OsString, OsString)>,
}

/// Output and exit code of a command.
#[derive(Debug)]
pub struct Run {
    /// Its exit code.
    pub code: Option<i32>,
    /// Its stdout.
    pub out: String,
    /// Its stderr.
    pub err: String,
}

/// A running `serve`. Killed when dropped.
#[derive(Debug)]
pub struct Serve {
    child: Child,
    /// The content of `instance.json` when it was ready.
    pub instance: Value,
    log: PathBuf,
}

impl Program {
    /// Creates the data directory `data` and the configuration `mcp.json` with these servers in `scratch`.
    pub fn new(places: &Places, scratch: &Path, servers: &Map<String, Value>) -> Result<Self> {
        let config = scratch.join("mcp.json");
        fs::write(&config, json!({"mcpServers": servers}).to_string())?;
        Ok(Self { places: places.clone(), data_dir: scratch.join("data"), config, env: Vec::new() })
    }

    /// Adds an environment variable.
    pub fn with_env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The same program on another data directory.
    pub fn on(&self, data_dir: impl Into<PathBuf>) -> Self {
        Self { data_dir: data_dir.into(), ..self.clone() }
    }

    /// The data directory.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// The configuration file.
    pub fn config(&self) -> &Path {
        &self.config
    }

    /// The program with arguments, ready to be started.
    pub fn command(&self, args: &[&str]) -> Command {
        self.of(self.places.schemascope(), args)
    }

    fn of(&self, binary: PathBuf, args: &[&str]) -> Command {
        let mut command = Command::new(binary);
        command.args(args).arg("--data-dir").arg(&self.data_dir).arg("--config").arg(&self.config);
        // What the machine's own user has set must not matter.
        command.env_remove("SCHEMASCOPE_DATA_DIR").env_remove("SCHEMASCOPE_LOG");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, args: &[&str]) -> Result<Run> {
        self.run_with_input(args, "")
    }

    /// Runs a command to its end with this input on stdin.
    pub fn run_with_input(&self, args: &[&str], input: &str) -> Result<Run> {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("schemascope does not start; was it built?")?;
        let mut stdin = child.stdin.take().context("stdin was asked for")?;
        // A command that reads nothing may have ended already.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output()?;
        Ok(Run {
            code: output.status.code(),
            out: String::from_utf8(output.stdout)?,
            err: String::from_utf8(output.stderr)?,
        })
    }

    /// Runs a command with `--json` and parses its output.
    pub fn json(&self, args: &[&str]) -> Result<Value> {
        let run = self.run(&[args, &["--json"]].concat())?;
        serde_json::from_str(&run.out).with_context(|| format!("{args:?}: {run:?}"))
    }

    /// Runs a command that writes one JSON value in each line, and parses them.
    pub fn json_lines(&self, args: &[&str]) -> Result<Vec<Value>> {
        let run = self.run(&[args, &["--json"]].concat())?;
        run.out
            .lines()
            .map(|line| serde_json::from_str(line).with_context(|| format!("{args:?}: {line}")))
            .collect()
    }

    /// Starts `serve` on a free port and waits until it is ready.
    pub fn serve(&self, args: &[&str]) -> Result<Serve> {
        self.serve_on("127.0.0.1:0", args)
    }

    /// Starts `serve` on an address and waits until it is ready.
    pub fn serve_on(&self, address: &str, args: &[&str]) -> Result<Serve> {
        self.start(self.command(&[&["serve", "--listen", address], args].concat()))
    }

    /// Starts `stdio`, as a client that starts its servers does.
    pub fn stdio(&self, args: &[&str]) -> Result<StdioClient> {
        StdioClient::start(self.command(&[&["stdio"], args].concat()), &self.data_dir)
    }

    /// Waits for `instance.json` of a running instance and returns its content.
    pub fn instance(&self) -> Result<Value> {
        try_until("an instance runs", || {
            let read = fs::read(self.data_dir.join("instance.json"));
            Ok(read.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()))
        })
    }

    /// The window with arguments, ready to be started.
    pub fn desktop_command(&self, args: &[&str]) -> Command {
        self.of(self.places.fixture("schemascope-desktop"), args)
    }

    /// Opens the window and waits until its engine is ready.
    pub fn desktop(&self, args: &[&str]) -> Result<Serve> {
        self.start(self.desktop_command(args))
    }

    /// Starts `serve` so that no file grows more than `kilobytes` above the largest in the data directory.
    pub fn serve_with_small_files(&self, kilobytes: u64, args: &[&str]) -> Result<Serve> {
        let blocks = largest(&self.data_dir)? / 1024 + kilobytes;
        let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let served = self.command(&[&["serve", "--listen", "127.0.0.1:0"], args].concat());
        let mut shell = Command::new("bash");
        shell.arg("-c").arg(limited).arg(served.get_program()).args(served.get_args());
        for (name, value) in served.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        self.start(shell)
    }

    /// Starts `serve` by a command made with [`Program::command`], and waits until it is ready.
    pub fn start(&self, mut command: Command) -> Result<Serve> {
        fs::create_dir_all(&self.data_dir)?;
        let log = self.data_dir.with_extension("serve.log");
        let instance_path = self.data_dir.join("instance.json");
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::OpenOptions::new().create(true).append(true).open(&log)?)
            .spawn()
            .context("schemascope does not start; was it built?")?;
        let mut serve = Serve { child, instance: Value::Null, log };
        let pid = serve.child.id();
        let ready = try_until("serve is ready", || {
            let instance =
                fs::read(&instance_path).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
            // A killed instance leaves its file behind.
            if let Some(instance) = instance.filter(|instance| instance["pid"] == pid) {
                return Ok(Some(instance));
            }
            if let Some(status) = serve.child.try_wait()? {
                bail!("serve ended with {status}");
            }
            Ok(None)
        });
        serve.instance = ready.with_context(|| serve.log().unwrap_or_default())?;
        Ok(serve)
    }
}

fn largest(folder: &Path) -> Result<u64> {
    let mut largest = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let length = if path.is_dir() { self::largest(&path)? } else { path.metadata()?.len() };
        // The ballast is made at open, or not.
        if !path.ends_with("ballast") {
            largest = largest.max(length);
        }
    }
    Ok(largest)
}

impl Serve {
    /// The URL of `/mcp` or, with a name, of `/mcp/NAME`.
    pub fn url(&self, upstream: Option<&str>) -> String {
        let url = self.instance["mcp_url"].as_str().unwrap_or_default();
        upstream.map_or_else(|| url.to_owned(), |name| format!("{url}/{name}"))
    }

    /// The agent token, for `/mcp`.
    pub fn token(&self) -> &str {
        self.instance["token"].as_str().unwrap_or_default()
    }

    /// The owner token, for everything.
    pub fn owner_token(&self) -> &str {
        self.dashboard().split_once("#token=").map_or("", |(_, token)| token)
    }

    /// Opens a session on `/mcp` or `/mcp/NAME`.
    pub fn connect(&self, upstream: Option<&str>) -> Result<McpClient> {
        McpClient::connect(&self.url(upstream), self.token())
    }

    /// Opens a session as a client with these capabilities.
    pub fn connect_with(&self, upstream: Option<&str>, capabilities: &Value) -> Result<McpClient> {
        McpClient::connect_with(capabilities, &self.url(upstream), self.token())
    }

    /// Number of processes that it has started and that run.
    pub fn children(&self) -> usize {
        let is_child = |pid: &str| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let parent = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1).map(str::to_owned));
            parent.is_some_and(|parent| parent == self.pid().to_string())
        };
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        processes.filter(|entry| entry.file_name().to_str().is_some_and(is_child)).count()
    }

    /// Opens a session on `/mcp` under a name.
    pub fn connect_as(&self, name: &str) -> Result<McpClient> {
        McpClient::connect_as(name, &self.url(None), self.token())
    }

    /// Sends a raw HTTP request, which may be one that no client library sends. Returns what comes back until the
    /// connection is closed, or for ten seconds.
    pub fn raw(&self, request: impl AsRef<[u8]>) -> Result<String> {
        let mut stream = TcpStream::connect(self.instance["address"].as_str().context("it listens")?)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        stream.write_all(request.as_ref())?;
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        Ok(answer)
    }

    /// The dashboard's address for a browser.
    pub fn dashboard(&self) -> &str {
        self.instance["dashboard_url"].as_str().unwrap_or_default()
    }

    /// Whether it still runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its stderr.
    pub fn log(&self) -> Result<String> {
        Ok(fs::read_to_string(&self.log)?)
    }

    /// Waits until it ends by itself.
    pub fn wait(mut self) -> Result<()> {
        self.child.wait()?;
        Ok(())
    }

    /// Ends it with kill -9.
    pub fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Sends it a signal, such as `STOP`.
    pub fn signal(&self, name: &str) -> Result<()> {
        let asked = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status()?;
        if !asked.success() {
            bail!("cannot signal serve");
        }
        Ok(())
    }

    /// Stops it as a service manager does, and waits. Returns its exit code.
    pub fn stop(mut self) -> Result<Option<i32>> {
        self.signal("TERM")?;
        let status = try_until("serve stops", || Ok(self.child.try_wait()?))
            .with_context(|| self.log().unwrap_or_default())?;
        Ok(status.code())
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        // Gone already is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
