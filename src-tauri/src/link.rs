//! The engine behind the window.
//!
//! Owns: which engine it is now, and reaching one again when a running one is gone: the one that came
//! after it, or one of our own. Refuses to know: commands, and what comes of them.

use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};

use anyhow::{Result, bail};
use schemascope_engine::{Front, FrontError, Instance, Options, Pages};
use tokio::runtime::Handle;
use tokio::sync::Mutex;

use crate::serving::{self, Served};

/// The way to an engine.
pub struct Link {
    options: Options,
    listen: Option<SocketAddr>,
    pages: Arc<dyn Pages>,
    front: RwLock<Arc<Front>>,
    /// Held while an engine is sought, so that one at a time does.
    state: Mutex<State>,
}

enum State {
    Attached,
    Own(Served),
    Closed,
}

impl Link {
    /// Attaches to the running engine, or opens one and serves it.
    pub async fn open(options: Options, listen: Option<SocketAddr>, pages: Arc<dyn Pages>) -> Result<Self> {
        let (front, state) = reach(&options, listen, None, &pages).await?;
        let (front, state) = (RwLock::new(Arc::new(front)), Mutex::new(state));
        Ok(Self { options, listen, pages, front, state })
    }

    /// The engine as it was last reached.
    pub fn front(&self) -> Arc<Front> {
        Arc::clone(&self.front.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// An engine that is reached now: the one that was, if it still is, else another.
    pub async fn renew(self: Arc<Self>) -> Result<Arc<Front>> {
        // As a task of its own: whoever waits may lose interest half way, with an engine open.
        tokio::spawn(async move {
            let mut state = self.state.lock().await;
            match *state {
                State::Own(_) => return Ok(self.front()),
                State::Closed => bail!("Schemascope is ending"),
                State::Attached => {}
            }
            let old = self.front();
            let before = match &*old {
                Front::Attached(attached) => Some(attached.instance()),
                Front::Own(_) => None,
            };
            let (front, reached) = reach(&self.options, self.listen, before, &self.pages).await?;
            let front = Arc::new(front);
            *self.front.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&front);
            *state = reached;
            Ok(front)
        })
        .await?
    }

    /// Ends what was started here: first nobody comes any more, then the engine closes.
    pub async fn close(&self) {
        let mut state = self.state.lock().await;
        if let State::Own(served) = std::mem::replace(&mut *state, State::Closed) {
            tracing::info!("stopping");
            served.stop().await;
            self.front().close().await;
        }
    }
}

async fn reach(
    options: &Options,
    listen: Option<SocketAddr>,
    before: Option<&Instance>,
    pages: &Arc<dyn Pages>,
) -> Result<(Front, State)> {
    let (handle, asked) = (Handle::current(), options.clone());
    // Opening a store blocks.
    let opened: Result<Front, FrontError> =
        tokio::task::spawn_blocking(move || handle.block_on(Front::open(&asked))).await?;
    let front = opened?;
    match &front {
        Front::Attached(attached) => {
            let instance = attached.instance();
            if before != Some(instance) {
                let address = &instance.address;
                tracing::info!(pid = instance.pid, %address, "attached to a running engine");
            }
            Ok((front, State::Attached))
        }
        Front::Own(engine) => {
            let served = Served::start(engine, pages, &serving::addresses(listen, before)).await;
            match served {
                Ok(served) => Ok((front, State::Own(served))),
                Err(error) => {
                    front.close().await;
                    Err(error)
                }
            }
        }
    }
}
