//! `serve`: the engine, until it is told to stop.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::ValueEnum;
use schemascope_engine::{
    DataDirError, Durability, Engine, Instance, OpenError, Options, Recording, Serving, serve,
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::args::{self, Args, Serve};
use crate::output;
use crate::pages::Embedded;

/// How long to wait for a terminal command that has the data open.
const PATIENCE: Duration = Duration::from_secs(10);

pub async fn run(args: &Args, verb: &Serve) -> Result<ExitCode> {
    let durability = match verb.durability {
        args::Durability::Relaxed => Durability::Relaxed,
        args::Durability::Strict => Durability::Strict,
    };
    let mut options = Options { fixed: fixed(verb), ..args.options(durability)? };
    if verb.record == args::Record::Off {
        options.recording = Recording::Off;
    }
    let engine = Arc::new(open(&options).await?);
    let token = if verb.no_auth { None } else { Some(engine.data().token()?) };
    let shutdown = CancellationToken::new();
    tokio::spawn(stop_on_signal(shutdown.clone()));
    let serving = Serving { address: verb.listen, token, pages: Arc::new(Embedded) };
    let served = serve(Arc::clone(&engine), serving, shutdown, |instance| {
        greet(&options, &engine, instance, verb);
    });
    let served = served.await;
    tracing::info!("stopping");
    engine.close().await;
    served?;
    Ok(ExitCode::SUCCESS)
}

/// Settings that the command line holds for this run.
fn fixed(verb: &Serve) -> Map<String, Value> {
    let word = |value: clap::builder::PossibleValue| Value::from(value.get_name());
    let given = [
        ("adapt", verb.adapt.and_then(|mode| mode.to_possible_value()).map(word)),
        ("auto_promote", verb.auto_promote.and_then(|when| when.to_possible_value()).map(word)),
        ("cut_after", verb.cut_after.map(Value::from)),
        ("keep_days", verb.keep_days.map(Value::from)),
        ("keep_calls", verb.keep_calls.map(Value::from)),
        ("keep_mb", verb.keep_mb.map(Value::from)),
    ];
    given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
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
                "Schemascope runs on {dir} already: pid {pid}, listening on {}\n\
                 Connect to it there, stop it, or name another --data-dir",
                owner.address
            );
        }
        if began.elapsed() > PATIENCE {
            bail!("{dir} is in use by process {pid}; stop it or name another --data-dir");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
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
        None => format!("{} (each starts when first needed)", output::harmless(&names.join(", "))),
    };
    let token = match verb.no_auth {
        true => "none needed (--no-auth)".to_owned(),
        false => format!("in {}", Instance::path(&options.data_dir).display()),
    };
    let url = &instance.mcp_url;
    output::note(&format!("Schemascope {} is ready", instance.version));
    output::note(&format!("  dashboard      {}", dashboard(instance)));
    output::note(&format!("  all upstreams  {url}"));
    output::note(&format!("  one upstream   {url}/NAME"));
    output::note(&format!("  token          {token}"));
    output::note(&format!("  upstreams      {upstreams}"));
    if options.recording == Recording::Off {
        output::note("  recording      OFF: calls pass, nothing of them is stored or learned from");
    }
    if !verb.listen.ip().is_loopback() {
        output::note("  WARNING: this address can be reached from other machines");
    }
    if let Some(problem) = &config.problem {
        tracing::warn!(file = %config.path.display(), %problem, "the configuration cannot be used");
    }
    for (name, entry) in &config.config.servers {
        if let schemascope_engine::ServerEntry::Invalid(reason) = entry {
            tracing::warn!(upstream = %output::harmless(name), reason = %output::harmless(reason), "its entry in the configuration cannot be used");
        }
    }
}

/// The token is shown to a person only; logs are kept and passed around.
fn dashboard(instance: &Instance) -> String {
    if std::io::stderr().is_terminal() || instance.token.is_none() {
        return instance.dashboard_url.clone();
    }
    let plain = instance.dashboard_url.split('#').next().unwrap_or_default();
    format!("{plain} (with its token: dashboard_url in instance.json)")
}

/// Once to stop in order, twice to stop at once.
pub async fn stop_on_signal(shutdown: CancellationToken) {
    schemascope_engine::asked_to_end().await;
    shutdown.cancel();
    schemascope_engine::asked_to_end().await;
    std::process::exit(130);
}
