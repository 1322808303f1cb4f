//! The way to the engine of a data directory, whoever runs it.
//!
//! Owns: which engine it is now, and reaching one again when a running one is gone: the one that came
//! after it, or one of our own, which is served as the one before was. Refuses to know: commands, and what
//! comes of them.

use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::engine::Options;
use crate::front::{Front, FrontError};
use crate::instance::Instance;
use crate::server::{Pages, Served, StartError, addresses};

/// How long to wait for an owner that is just starting or just ending.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(50);

/// The way to an engine.
pub struct Link {
    options: Options,
    listen: Option<SocketAddr>,
    pages: Arc<dyn Pages>,
    last: RwLock<Option<Arc<Reached>>>,
    /// Held while an engine is sought, so that one at a time does.
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
    Own(Served),
    Closed,
}

/// Why no engine is reached.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// There is none, and none of our own opens.
    #[error(transparent)]
    Front(#[from] FrontError),
    /// One of our own cannot be served.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Nobody wants one any more.
    #[error("Schemascope is ending")]
    Closed,
    /// The search itself failed.
    #[error("an engine could not be sought: {0}")]
    Task(#[from] tokio::task::JoinError),
}

impl Link {
    /// The way to the engine of this data. Nothing is reached yet. One of our own listens on `listen`, else
    /// where the one before did or clients expect it.
    pub fn new(options: Options, listen: Option<SocketAddr>, pages: Arc<dyn Pages>) -> Arc<Self> {
        let (last, state) = (RwLock::default(), Mutex::new(State::Attached));
        Arc::new(Self { options, listen, pages, last, state, closing: CancellationToken::new() })
    }

    /// The engine as it was last reached; if none was, it is now.
    pub async fn last(self: &Arc<Self>) -> Result<Arc<Reached>, LinkError> {
        match self.known() {
            Some(reached) => Ok(reached),
            None => self.renew().await,
        }
    }

    fn known(&self) -> Option<Arc<Reached>> {
        self.last.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// An engine that is reached now: the one that was, if it still is, else another.
    pub async fn renew(self: &Arc<Self>) -> Result<Arc<Reached>, LinkError> {
        let link = Arc::clone(self);
        // As a task of its own: whoever waits may lose interest half way, with an engine open.
        tokio::spawn(async move {
            let mut state = link.state.lock().await;
            match (&*state, link.known()) {
                (State::Own(_), Some(reached)) => return Ok(reached),
                (State::Closed, _) => return Err(LinkError::Closed),
                _ => {}
            }
            let (reached, new) = link.reach().await?;
            let reached = Arc::new(reached);
            *link.last.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&reached));
            *state = new;
            Ok(reached)
        })
        .await?
    }

    /// Ends what was started here: first nobody comes any more, then the engine closes.
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
        match self.look().await? {
            Front::Attached(attached) => {
                let instance = attached.instance().clone();
                if before != Some(&instance) {
                    let address = &instance.address;
                    tracing::info!(pid = instance.pid, %address, "attached to a running engine");
                }
                Ok((Reached { front: Front::Attached(attached), instance }, State::Attached))
            }
            Front::Own(engine) => {
                let served = Served::start(&engine, &self.pages, &addresses(self.listen, before)).await;
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

    async fn look(&self) -> Result<Front, LinkError> {
        let began = Instant::now();
        loop {
            let options = self.options.clone();
            // Opening a store blocks.
            match tokio::task::spawn_blocking(move || Front::look(&options)).await? {
                Err(FrontError::Silent { .. }) if began.elapsed() < PATIENCE => {}
                looked => return Ok(looked?),
            }
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = self.closing.cancelled() => return Err(LinkError::Closed),
            }
        }
    }
}
