//! Lasting access to the engine of a data directory, whichever process runs it.
//!
//! When a running engine ends, the next one is reached: one that another process started, or one of this process, which
//! is served on the same address.

use parking_lot::RwLock;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::attach::front::{Front, FrontError};
use crate::http::{Pages, ServedEngine, StartError, addresses};
use crate::instance::{Instance, is_same_file};
use crate::options::Options;

/// Time to wait for an engine that is just starting or ending.
const OWNER_TIMEOUT: Duration = Duration::from_secs(30);
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// Access to an engine.
pub struct Link {
    options: Options,
    listen: Option<SocketAddr>,
    pages: Arc<dyn Pages>,
    last: RwLock<Option<Arc<Reached>>>,
    /// Held while an engine is searched for, so that only one search runs.
    state: Mutex<State>,
    closing: CancellationToken,
}

/// An engine, and where it is served.
pub struct Reached {
    /// The engine.
    pub front: Front,
    /// Where it is served.
    pub instance: Instance,
}

enum State {
    Attached,
    Own(ServedEngine),
    Closed,
}

/// Why no engine is reached.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// No engine runs, and none opens in this process.
    #[error(transparent)]
    Front(#[from] FrontError),
    /// The engine of this process cannot be served.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Access was closed.
    #[error("Schemascope is ending")]
    Closed,
    /// The search itself failed.
    #[error("the search for a running engine failed: {0}")]
    Task(#[from] tokio::task::JoinError),
}

impl Link {
    /// Access to the engine of this data. Nothing is reached yet. An engine of this process listens on `listen`, else on
    /// the address of the previous engine or the usual one.
    pub fn new(options: Options, listen: Option<SocketAddr>, pages: Arc<dyn Pages>) -> Arc<Self> {
        let (last, state) = (RwLock::default(), Mutex::new(State::Attached));
        Arc::new(Self { options, listen, pages, last, state, closing: CancellationToken::new() })
    }

    /// The engine as it was last reached; if none was, one is reached now.
    pub async fn last(self: &Arc<Self>) -> Result<Arc<Reached>, LinkError> {
        match self.known() {
            Some(reached) => Ok(reached),
            None => self.renew().await,
        }
    }

    fn known(&self) -> Option<Arc<Reached>> {
        self.last.read().clone()
    }

    /// An engine that answers now: the last one if it still does, else another.
    pub async fn renew(self: &Arc<Self>) -> Result<Arc<Reached>, LinkError> {
        let link = Arc::clone(self);
        // Runs as a task of its own, because the caller may be cancelled while an engine is open.
        tokio::spawn(async move {
            let mut state = link.state.lock().await;
            match (&*state, link.known()) {
                (State::Own(_), Some(reached)) => return Ok(reached),
                (State::Closed, _) => return Err(LinkError::Closed),
                _ => {}
            }
            let (reached, new) = link.reach().await?;
            let reached = Arc::new(reached);
            *link.last.write() = Some(Arc::clone(&reached));
            *state = new;
            Ok(reached)
        })
        .await?
    }

    /// Closes the engine of this process, if there is one: first the listener, then the engine.
    pub async fn close(&self) {
        self.closing.cancel();
        let mut state = self.state.lock().await;
        if let State::Own(served) = std::mem::replace(&mut *state, State::Closed) {
            tracing::info!("stopping");
            served.stop().await;
            if let Some(reached) = self.known() {
                reached.front.close().await;
            }
        }
    }

    async fn reach(&self) -> Result<(Reached, State), LinkError> {
        let before = self.known();
        let before = before.as_ref().map(|reached| &reached.instance);
        match self.open().await? {
            Front::Attached(attached) => {
                let instance = attached.instance().clone();
                if before != Some(&instance) {
                    let address = &instance.address;
                    tracing::info!(pid = instance.pid, %address, "attached to a running engine");
                    self.compare_files(&instance);
                }
                Ok((Reached { front: Front::Attached(attached), instance }, State::Attached))
            }
            Front::Own(engine) => {
                let served = ServedEngine::start(&engine, &self.pages, &addresses(self.listen, before)).await;
                let front = Front::Own(engine);
                match served {
                    Ok(served) => {
                        let instance = served.instance().clone();
                        Ok((Reached { front, instance }, State::Own(served)))
                    }
                    Err(error) => {
                        front.close().await;
                        Err(error.into())
                    }
                }
            }
        }
    }

    /// Warns if the running engine serves the servers of another file.
    fn compare_files(&self, instance: &Instance) {
        let Some(used) = &instance.files else { return };
        let named = self.options.files().config;
        if !is_same_file(&named, &used.config) {
            tracing::warn!(
                "the Schemascope that runs on this data directory (pid {}) uses {}, so its servers are served instead \
                 of those in {}; another --data-dir keeps two configurations apart",
                instance.pid,
                used.config.display(),
                named.display()
            );
        }
    }

    async fn open(&self) -> Result<Front, LinkError> {
        let began = Instant::now();
        loop {
            let options = self.options.clone();
            // Opening a store blocks.
            match tokio::task::spawn_blocking(move || Front::try_open(&options)).await? {
                Err(FrontError::Silent { .. }) if began.elapsed() < OWNER_TIMEOUT => {}
                opened => return Ok(opened?),
            }
            tokio::select! {
                () = tokio::time::sleep(RETRY_INTERVAL) => {}
                () = self.closing.cancelled() => return Err(LinkError::Closed),
            }
        }
    }
}
