//! Access of a front to an engine: the running one over loopback, else one in this process.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use schemascope_api::{API_VERSION, ApiError, Command, Cursor, ErrorKind};
use schemascope_json::sse::SseReader;

use crate::data::{DataDir, DataDirError};
use crate::engine::Engine;
use crate::instance::Instance;
use crate::options::{OpenError, Options};

/// Time to wait for an engine that is just starting, or a short command that is just ending.
const OWNER_TIMEOUT: Duration = Duration::from_secs(10);
const RETRY_INTERVAL: Duration = Duration::from_millis(50);
/// Time for a connection to a running engine.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Largest reply that is read.
const MAX_REPLY_BYTES: usize = 1 << 30;

/// An engine, wherever it runs. Copies are the same engine.
#[derive(Clone)]
pub enum Front {
    /// In another process.
    Attached(Box<Attached>),
    /// In this one.
    Own(Arc<Engine>),
}

/// A running engine. It is reached without a proxy, whatever the environment says: loopback is never behind one.
#[derive(Debug, Clone)]
pub struct Attached {
    http: Client<HttpConnector, Full<Bytes>>,
    instance: Instance,
    owner_token: String,
}

/// The event stream of a running engine.
#[derive(Debug)]
pub struct Events {
    engine: Attached,
    body: Incoming,
    reader: SseReader,
    /// Frames that have arrived.
    frames: VecDeque<Bytes>,
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
        Self::to_owner(&options.data_dir, pid)
    }

    /// Attaches to the running engine; none if none runs.
    pub fn attach(data_dir: &Path) -> Result<Option<Self>, FrontError> {
        match DataDir::own(data_dir) {
            Ok(_) => Ok(None),
            Err(DataDirError::Owned { pid, .. }) => Self::to_owner(data_dir, pid).map(Some),
            Err(error) => Err(OpenError::from(error).into()),
        }
    }

    /// Attaches to the process that owns the data.
    fn to_owner(data_dir: &Path, pid: String) -> Result<Self, FrontError> {
        // An instance file of another process than the lock's was left behind by a kill.
        let instance = Instance::read(data_dir).filter(|instance| instance.pid.to_string() == pid);
        match instance {
            Some(instance) => Attached::to(instance, data_dir).map(Box::new).map(Self::Attached),
            None => Err(FrontError::Silent { dir: data_dir.display().to_string(), pid }),
        }
    }

    /// Carries out a command. Needs a multi-threaded runtime.
    pub async fn call<C: Command>(&self, command: C) -> Result<C::Reply, FrontError>
    where
        Engine: crate::Handle<C>,
    {
        match self {
            Self::Own(engine) => Ok(crate::Handle::handle(engine.as_ref(), command).await?),
            Self::Attached(attached) => attached.call(&command).await,
        }
    }

    /// Carries out a command that came as bytes. Needs a multi-threaded runtime.
    pub async fn dispatch(&self, name: &str, body: Vec<u8>) -> Result<Vec<u8>, ApiError> {
        match self {
            Self::Own(engine) => engine.dispatch(name, &body).await,
            Self::Attached(attached) => attached.dispatch(name, body).await.map_err(|error| match error {
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
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
        connector.set_nodelay(true);
        let http = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self { http, instance, owner_token })
    }

    /// Where it listens.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Carries out a command.
    pub async fn call<C: Command>(&self, command: &C) -> Result<C::Reply, FrontError> {
        let body = serde_json::to_vec(command).map_err(|error| self.unreachable(error))?;
        let reply = self.dispatch(C::NAME, body).await?;
        serde_json::from_slice(&reply)
            .map_err(|error| self.unreachable(format!("its answer cannot be read: {error}")))
    }

    /// Carries out a command that came as bytes.
    pub async fn dispatch(&self, name: &str, body: Vec<u8>) -> Result<Vec<u8>, FrontError> {
        let response = self.send(Method::POST, name, body).await?;
        let status = response.status();
        let body = self.body(response).await?;
        if status.is_success() { Ok(body) } else { Err(self.error(status, &body)) }
    }

    /// Opens its event stream.
    pub async fn events(&self, since: Option<Cursor>) -> Result<Events, FrontError> {
        let since = since.map_or_else(String::new, |cursor| format!("?since={cursor}"));
        let response = self.send(Method::GET, &format!("events{since}"), Vec::new()).await?;
        let status = response.status();
        if !status.is_success() {
            let body = self.body(response).await?;
            return Err(self.error(status, &body));
        }
        Ok(Events {
            engine: self.clone(),
            body: response.into_body(),
            reader: SseReader::default(),
            frames: VecDeque::new(),
        })
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Vec<u8>,
    ) -> Result<Response<Incoming>, FrontError> {
        let request = Request::builder()
            .method(method)
            .uri(format!("http://{}/api/{path}", self.instance.address))
            .header(AUTHORIZATION, format!("Bearer {}", self.owner_token))
            .body(Full::from(body))
            .map_err(|error| self.unreachable(error))?;
        self.http.request(request).await.map_err(|error| self.unreachable(root_cause(&error)))
    }

    async fn body(&self, response: Response<Incoming>) -> Result<Vec<u8>, FrontError> {
        let body = Limited::new(response.into_body(), MAX_REPLY_BYTES).collect().await;
        Ok(body.map_err(|error| self.unreachable(root_cause(error.as_ref())))?.to_bytes().into())
    }

    /// The error in a reply that is no success.
    fn error(&self, status: StatusCode, body: &[u8]) -> FrontError {
        match serde_json::from_slice::<ApiError>(body) {
            Ok(error) => error.into(),
            Err(_) => self.unreachable(format!("{status} {}", String::from_utf8_lossy(body).trim())),
        }
    }

    fn unreachable(&self, reason: impl std::fmt::Display) -> FrontError {
        FrontError::Unreachable {
            pid: self.instance.pid,
            address: self.instance.address.clone(),
            reason: reason.to_string(),
        }
    }
}

impl Events {
    /// The next frame, as JSON; none when the stream has ended.
    pub async fn next(&mut self) -> Option<Result<String, FrontError>> {
        while self.frames.is_empty() {
            let piece = match self.body.frame().await? {
                Ok(frame) => frame.into_data().unwrap_or_default(),
                Err(error) => return Some(Err(self.engine.unreachable(root_cause(&error)))),
            };
            if self.reader.read(&piece, |event| self.frames.push_back(event.data)).is_err() {
                return Some(Err(self.engine.unreachable("an event is too large")));
            }
        }
        let frame = self.frames.pop_front()?;
        Some(String::from_utf8(frame.into()).map_err(|error| self.engine.unreachable(error)))
    }
}

/// The first cause in a chain of errors; the others only name the step that failed.
fn root_cause<'e>(mut error: &'e (dyn std::error::Error + 'static)) -> &'e dyn std::error::Error {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}
