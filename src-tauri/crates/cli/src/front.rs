//! How a terminal command reaches an engine: the running one over loopback, else one of its own.
//!
//! Owns: finding out which. Refuses to know: commands.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use etcetera::BaseStrategy;
use schemascope_api::{API_VERSION, ApiError, Command};
use schemascope_engine::{DataDirError, Durability, Engine, Handle, Instance, OpenError, Options};

use crate::args::Args;

/// How long to wait for an owner that is just starting, or a short command that is just ending.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);
/// Replies beyond this are refused.
const MAX_REPLY: u64 = 1 << 30;

pub enum Front {
    Attached(Attached),
    Own(Box<Engine>),
}

/// A running engine.
pub struct Attached {
    agent: ureq::Agent,
    instance: Instance,
}

/// The options every engine of this command line opens with.
pub fn options(args: &Args, durability: Durability) -> Result<Options> {
    let data_dir = match &args.data_dir {
        Some(dir) => dir.clone(),
        None => default_data_dir()
            .context("no data folder is known for this user; name one with --data-dir DIR")?,
    };
    let config = args.config.clone().unwrap_or_else(|| data_dir.join("mcp.json"));
    Ok(Options { data_dir, config, durability })
}

fn default_data_dir() -> Option<PathBuf> {
    etcetera::base_strategy::choose_native_strategy().ok().map(|base| base.data_dir().join("schemascope"))
}

impl Front {
    pub async fn open(args: &Args) -> Result<Self> {
        let options = options(args, Durability::default())?;
        let began = Instant::now();
        loop {
            let pid = match Engine::open(&options) {
                Ok(engine) => return Ok(Self::Own(Box::new(engine))),
                Err(OpenError::DataDir(DataDirError::Owned { pid, .. })) => pid,
                Err(error) => return Err(error.into()),
            };
            // An instance file of another process than the lock's is what a killed one left behind.
            let instance =
                Instance::read(&options.data_dir).filter(|instance| instance.pid.to_string() == pid);
            if let Some(instance) = instance {
                return Attached::to(instance).map(Self::Attached);
            }
            if began.elapsed() > PATIENCE {
                bail!(
                    "{} is in use by process {pid}, which does not say where it listens",
                    options.data_dir.display()
                );
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    pub async fn call<C: Command>(&self, command: C) -> Result<C::Reply>
    where
        Engine: Handle<C>,
    {
        match self {
            Self::Own(engine) => Ok(engine.handle(command).await?),
            Self::Attached(attached) => tokio::task::block_in_place(|| attached.call(&command)),
        }
    }

    /// Whether a running engine answers.
    pub fn is_attached(&self) -> bool {
        matches!(self, Self::Attached(_))
    }

    /// Ends what was started for this command. May be called twice.
    pub async fn close(&self) {
        if let Self::Own(engine) = self {
            engine.close().await;
        }
    }
}

impl Attached {
    fn to(instance: Instance) -> Result<Self> {
        if instance.api_version != API_VERSION {
            bail!(
                "Schemascope {} runs on this data (pid {}, {}) and this is {}; stop it, or use the same version",
                instance.version,
                instance.pid,
                instance.address,
                env!("CARGO_PKG_VERSION")
            );
        }
        let config = ureq::Agent::config_builder()
            // Loopback is never behind a proxy, whatever the environment says.
            .proxy(None)
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_secs(5)))
            .build();
        Ok(Self { agent: config.into(), instance })
    }

    fn call<C: Command>(&self, command: &C) -> Result<C::Reply> {
        let Instance { address, pid, token, .. } = &self.instance;
        let mut request = self.agent.post(format!("http://{address}/api/{}", C::NAME));
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let mut response = request
            .send(serde_json::to_vec(command)?)
            .with_context(|| format!("Schemascope (pid {pid}) does not answer on {address}"))?;
        let status = response.status();
        let body = response.body_mut().with_config().limit(MAX_REPLY).read_to_vec()?;
        if status.is_success() {
            return serde_json::from_slice(&body)
                .context("the running Schemascope answered in a form unknown here");
        }
        match serde_json::from_slice::<ApiError>(&body) {
            Ok(error) => Err(error.into()),
            Err(_) => {
                bail!("Schemascope on {address} answered {status}: {}", String::from_utf8_lossy(&body).trim())
            }
        }
    }
}
