//! Access of a front to an engine: the running one over loopback, else one in this process.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use schemascope_api::{API_VERSION, ApiError, Command, Cursor, ErrorKind};

use crate::data::{DataDir, DataDirError};
use crate::engine::Engine;
use crate::instance::Instance;
use crate::options::{OpenError, Options};

/// Time to wait for an engine that is just starting, or a short command that is just ending.
const OWNER_TIMEOUT: Duration = Duration::from_secs(10);
const RETRY_INTERVAL: Duration = Duration::from_millis(50);
/// Largest reply that is read.
const MAX_REPLY_BYTES: u64 = 1 << 30;

/// An engine, wherever it runs. Copies are the same engine.
#[derive(Clone)]
pub enum Front {
    /// In another process.
    Attached(Attached),
    /// In this one.
    Own(Arc<Engine>),
}

/// A running engine. Its calls block.
#[derive(Debug, Clone)]
pub struct Attached {
    agent: ureq::Agent,
    instance: Instance,
    owner_token: String,
}

/// Why no engine is reached, or the error it returned.
#[derive(Debug, thiserror::Error)]
pub enum FrontError {
    /// An engine in this process does not open.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Another process owns the data and has not published its address.
    #[error("{dir} is in use by process {pid}, which does not say where it listens")]
    Silent {
        /// The data directory.
        dir: String,
        /// The owner.
        pid: String,
    },
    /// The running engine has another version.
    #[error(
        "Schemascope {running} runs on this data (pid {pid}, {address}) and this is {own}; stop it, or use the same version"
    )]
    Version {
        /// Version of the running engine.
        running: String,
        /// Version of this program.
        own: &'static str,
        /// Process of the running engine.
        pid: u32,
        /// Address of the running engine.
        address: String,
    },
    /// The token for commands cannot be read.
    #[error("cannot read the owner token: {0}")]
    Token(#[source] DataDirError),
    /// The running engine does not answer.
    #[error("Schemascope (pid {pid}) does not answer on {address}: {reason}")]
    Unreachable {
        /// Process of the running engine.
        pid: u32,
        /// Its address.
        address: String,
        /// What failed.
        reason: String,
    },
    /// The engine returned an error.
    #[error(transparent)]
    Api(#[from] ApiError),
}

impl Front {
    /// Attaches to the running engine, or opens one.
    pub async fn open(options: &Options) -> Result<Self, FrontError> {
        let began = Instant::now();
        loop {
            match Self::try_open(options) {
                Err(FrontError::Silent { .. }) if began.elapsed() < OWNER_TIMEOUT => {}
                opened => return opened,
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }

    /// Tries once to attach or open. An engine that is just starting or ending is [`FrontError::Silent`]. Needs a tokio
    /// runtime; blocks while a store is opened or rebuilt.
    pub(crate) fn try_open(options: &Options) -> Result<Self, FrontError> {
        let pid = match Engine::open(options) {
            Ok(engine) => return Ok(Self::Own(Arc::new(engine))),
            Err(OpenError::DataDir(DataDirError::Owned { pid, .. })) => pid,
            Err(error) => return Err(error.into()),
        };
        // An instance file of another process than the lock's was left behind by a kill.
        let instance = Instance::read(&options.data_dir).filter(|instance| instance.pid.to_string() == pid);
        match instance {
            Some(instance) => Attached::to(instance, &options.data_dir).map(Self::Attached),
            None => Err(FrontError::Silent { dir: options.data_dir.display().to_string(), pid }),
        }
    }

    /// Carries out a command. Needs a multi-threaded runtime.
    pub async fn call<C: Command>(&self, command: C) -> Result<C::Reply, FrontError>
    where
        Engine: crate::Handle<C>,
    {
        match self {
            Self::Own(engine) => Ok(crate::Handle::handle(engine.as_ref(), command).await?),
            Self::Attached(attached) => tokio::task::block_in_place(|| attached.call(&command)),
        }
    }

    /// Carries out a command that came as bytes. Needs a multi-threaded runtime.
    pub async fn dispatch(&self, name: &str, body: Vec<u8>) -> Result<Vec<u8>, ApiError> {
        match self {
            Self::Own(engine) => engine.dispatch(name, &body).await,
            Self::Attached(attached) => tokio::task::block_in_place(|| attached.dispatch(name, body))
                .map_err(|error| match error {
                    FrontError::Api(error) => error,
                    other => ApiError::new(ErrorKind::Unavailable, other.to_string()),
                }),
        }
    }

    /// Whether a running engine answers.
    pub fn is_attached(&self) -> bool {
        matches!(self, Self::Attached(_))
    }

    /// Closes the engine of this process, if there is one. May be called twice.
    pub async fn close(&self) {
        if let Self::Own(engine) = self {
            engine.close().await;
        }
    }
}

impl Attached {
    /// Attaches to the running engine of a data directory.
    pub fn to(instance: Instance, data_dir: &Path) -> Result<Self, FrontError> {
        if instance.api_version != API_VERSION {
            return Err(FrontError::Version {
                running: instance.version,
                own: env!("CARGO_PKG_VERSION"),
                pid: instance.pid,
                address: instance.address,
            });
        }
        let owner_token = DataDir::owner_token_in(data_dir).map_err(FrontError::Token)?;
        let config = ureq::Agent::config_builder()
            // Loopback is never behind a proxy, whatever the environment says.
            .proxy(None)
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_secs(5)))
            .build();
        Ok(Self { agent: config.into(), instance, owner_token })
    }

    /// Where it listens.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Carries out a command.
    pub fn call<C: Command>(&self, command: &C) -> Result<C::Reply, FrontError> {
        let body = serde_json::to_vec(command).map_err(|error| self.unreachable(error))?;
        let reply = self.dispatch(C::NAME, body)?;
        serde_json::from_slice(&reply)
            .map_err(|error| self.unreachable(format!("its answer cannot be read: {error}")))
    }

    /// Carries out a command that came as bytes.
    pub fn dispatch(&self, name: &str, body: Vec<u8>) -> Result<Vec<u8>, FrontError> {
        let request = self.agent.post(self.url(name));
        let response = self.authorized(request).send(body).map_err(|error| self.unreachable(error))?;
        self.reply(response)
    }

    /// Frames of its event stream, as JSON, until it ends. Reading blocks.
    pub fn events(
        &self,
        since: Option<Cursor>,
    ) -> Result<impl Iterator<Item = Result<String, FrontError>> + use<>, FrontError> {
        let since = since.map_or_else(String::new, |cursor| format!("?since={cursor}"));
        let request = self.agent.get(self.url(&format!("events{since}")));
        let response = self.authorized(request).call().map_err(|error| self.unreachable(error))?;
        if !response.status().is_success() {
            let refused = self.reply(response);
            return Err(refused.err().unwrap_or_else(|| self.unreachable("it sends no events")));
        }
        let attached = self.clone();
        let lines = BufReader::new(response.into_body().into_reader()).lines();
        Ok(lines.filter_map(move |line| match line {
            Ok(line) => line.strip_prefix("data: ").map(|frame| Ok(frame.to_owned())),
            Err(error) => Some(Err(attached.unreachable(error))),
        }))
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}/api/{path}", self.instance.address)
    }

    fn authorized<B>(&self, request: ureq::RequestBuilder<B>) -> ureq::RequestBuilder<B> {
        request.header("authorization", format!("Bearer {}", self.owner_token))
    }

    fn reply(&self, mut response: ureq::http::Response<ureq::Body>) -> Result<Vec<u8>, FrontError> {
        let status = response.status();
        let body = response.body_mut().with_config().limit(MAX_REPLY_BYTES).read_to_vec();
        let body = body.map_err(|error| self.unreachable(error))?;
        if status.is_success() {
            return Ok(body);
        }
        Err(match serde_json::from_slice::<ApiError>(&body) {
            Ok(error) => error.into(),
            Err(_) => self.unreachable(format!("{status} {}", String::from_utf8_lossy(&body).trim())),
        })
    }

    fn unreachable(&self, reason: impl std::fmt::Display) -> FrontError {
        FrontError::Unreachable {
            pid: self.instance.pid,
            address: self.instance.address.clone(),
            reason: reason.to_string(),
        }
    }
}
