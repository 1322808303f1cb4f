//! `serve`: the proxy and the dashboard, until it is stopped.

use std::io::IsTerminal;
use std::net::{SocketAddr, ToSocketAddrs};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::ValueEnum;
use schemascope_engine::{
    CliEntry, DataDirError, Engine, Instance, OpenError, Options, Recording, ServerEntry, Serving, serve,
};
use tokio_util::sync::CancellationToken;

use super::settings::SettingOptions;
use super::stdio::stop_on_signal;
use super::verb::{Alone, created, verbs};
use crate::args::Args;
use crate::output;
use crate::pages::Embedded;

verbs!(Run: alone Serve);

/// How long to wait for a terminal command that has the data open.
const OWNER_TIMEOUT: Duration = Duration::from_secs(10);
/// Time between two attempts to open the data.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// Run the proxy, and the dashboard for a browser
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Agents connect to http://ADDRESS/mcp for all servers (tools are named server__tool) or to \
    http://ADDRESS/mcp/NAME for one server, unchanged, with the header \"Authorization: Bearer TOKEN\". \
    The address and this agent token are in instance.json in the data directory. Its dashboard_url opens \
    the dashboard with the owner token, which agents do not need. Both stay the same after a restart."
)]
pub struct Serve {
    /// Address to listen on; port 0 chooses a free port
    #[arg(long, default_value = "127.0.0.1:7347", value_name = "HOST:PORT", value_parser = address)]
    listen: SocketAddr,
    /// Let every program on this machine call tools without a token; the dashboard and its commands still need one
    #[arg(long)]
    no_auth: bool,
    /// When a call is answered: relaxed answers at once, and a kill loses at most the last 50 ms of calls; strict
    /// answers when the call is on disk
    #[arg(long, value_enum, default_value_t = Durability::Relaxed)]
    durability: Durability,
    /// With off, calls are forwarded, but nothing is stored or learned from them, and the tools that servers list are
    /// not noted
    #[arg(long, value_enum, default_value_t = Record::On)]
    record: Record,
    /// Offer this command-line program as the server ask-PROGRAM in this run; can be repeated
    #[arg(long, value_name = "PROGRAM")]
    cli: Vec<String>,
    #[command(flatten)]
    settings: SettingOptions,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Durability {
    Relaxed,
    Strict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Record {
    On,
    Off,
}

/// Reads an address; a host name stands for its first address.
fn address(text: &str) -> Result<SocketAddr, String> {
    let mut addresses = text
        .to_socket_addrs()
        .map_err(|error| format!("{error}; expected HOST:PORT, for example 127.0.0.1:7347"))?;
    addresses.next().ok_or_else(|| "the host name did not resolve".to_owned())
}

impl Alone for Serve {
    async fn run(&self, args: &Args) -> Result<ExitCode> {
        let durability = match self.durability {
            Durability::Relaxed => schemascope_engine::Durability::Relaxed,
            Durability::Strict => schemascope_engine::Durability::Strict,
        };
        let mut options = Options { fixed: self.settings.values().clone(), ..args.options(durability)? };
        options.cli = self.cli.iter().map(|program| CliEntry::of_command(program)).collect();
        if self.record == Record::Off {
            options.recording = Recording::Off;
        }
        let is_new = !options.data_dir.exists();
        let engine = Arc::new(open(&options).await?);
        if is_new {
            created(args, &options);
        }
        let mut tokens = engine.data().tokens()?;
        if self.no_auth {
            tokens.agent = None;
        }
        let shutdown = CancellationToken::new();
        tokio::spawn(stop_on_signal(shutdown.clone()));
        let serving = Serving { address: self.listen, tokens, pages: Arc::new(Embedded) };
        let served = serve(Arc::clone(&engine), serving, shutdown, |instance| {
            greet(&options, &engine, instance, self);
        });
        let served = served.await;
        tracing::info!("stopping");
        engine.close().await;
        served?;
        Ok(ExitCode::SUCCESS)
    }
}

async fn open(options: &Options) -> Result<Engine> {
    let began = Instant::now();
    loop {
        let pid = match Engine::open(options) {
            Ok(engine) => return Ok(engine),
            Err(OpenError::DataDir(DataDirError::Owned { pid, .. })) => pid,
            Err(error) => return Err(error.into()),
        };
        let dir = options.data_dir.display();
        let owner = Instance::read(&options.data_dir).filter(|instance| instance.pid.to_string() == pid);
        if let Some(owner) = owner {
            bail!(
                "Schemascope already runs on {dir}: pid {pid}, listening on {}\n\
                 Connect to it there, stop it, or choose another --data-dir",
                owner.address
            );
        }
        if began.elapsed() > OWNER_TIMEOUT {
            bail!("{dir} is in use by process {pid}; stop it or choose another --data-dir");
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}

fn greet(options: &Options, engine: &Engine, instance: &Instance, verb: &Serve) {
    let config = engine.config();
    let names: Vec<&str> = config.config.usable().collect();
    let upstreams = match &config.problem {
        Some(problem) => {
            format!("none: {} {}", config.path.display(), schemascope_engine::without_secrets(problem))
        }
        None if names.is_empty() => format!("none in {}", config.path.display()),
        None => format!("{} (each starts when it is first needed)", output::harmless(&names.join(", "))),
    };
    let token = match verb.no_auth {
        true => "not required (--no-auth)".to_owned(),
        false => format!("in {}", Instance::path(&options.data_dir).display()),
    };
    let url = &instance.mcp_url;
    output::note(&format!("Schemascope {} is ready", instance.version));
    output::note(&format!("  dashboard    {}", dashboard(instance)));
    output::note(&format!("  all servers  {url}"));
    output::note(&format!("  one server   {url}/NAME"));
    output::note(&format!("  agent token  {token}"));
    output::note(&format!("  servers      {upstreams}"));
    if options.recording == Recording::Off {
        output::note("  recording    OFF: calls are forwarded, but nothing is stored or learned from them");
    }
    if !verb.listen.ip().is_loopback() {
        output::note("  WARNING: other machines can reach this address");
    }
    if let Some(problem) = &config.problem {
        tracing::warn!(file = %config.path.display(), %problem, "the configuration cannot be used");
    }
    for (name, entry) in &config.config.servers {
        if let ServerEntry::Invalid(reason) = entry {
            tracing::warn!(upstream = %output::harmless(name), reason = %output::harmless(reason), "its entry in the configuration cannot be used");
        }
    }
}

/// The address of the dashboard. It contains the token on a terminal only: logs are kept and passed on.
fn dashboard(instance: &Instance) -> String {
    if !Embedded::is_built_in() {
        return "none: this program was built without it; `cargo xtask install` builds it".to_owned();
    }
    if std::io::stderr().is_terminal() {
        return instance.dashboard_url.clone();
    }
    let plain = instance.dashboard_url.split('#').next().unwrap_or_default();
    format!("{plain} (with its token: dashboard_url in instance.json)")
}
