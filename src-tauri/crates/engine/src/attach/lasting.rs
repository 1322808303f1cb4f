//! An engine for the life of a command: reached under one address, whichever process runs it.

use std::net::SocketAddr;
use std::sync::Arc;

use schemascope_api::{EvolveWrappers, ListTools};
use schemascope_proxy::relay::HttpRelay;

use crate::attach::front::FrontError;
use crate::attach::link::{Link, LinkError};
use crate::attach::stdio::Running;
use crate::data::{DataDir, DataDirError};
use crate::http::Pages;
use crate::options::Options;

/// An engine that clients reach until [`LastingEngine::end`].
pub struct LastingEngine {
    link: Arc<Link>,
    relay: HttpRelay,
    token: String,
    observations: u64,
}

/// What passed through, and what was learned meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passed {
    /// Tool calls.
    pub calls: u64,
    /// Results that were learned from; none if the engine no longer says.
    pub observations: Option<u64>,
}

/// Why no engine is reached.
#[derive(Debug, thiserror::Error)]
pub enum LastingError {
    /// No engine runs, and none opens.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The engine does not answer.
    #[error(transparent)]
    Front(#[from] FrontError),
    /// The token for clients cannot be read.
    #[error("cannot read the agent token: {0}")]
    Token(#[source] DataDirError),
    /// The relay cannot listen.
    #[error("{0}")]
    Relay(String),
}

impl LastingEngine {
    /// Attaches to the running engine, or opens one, and listens for clients. Needs a multi-threaded runtime.
    pub async fn start(options: Options, pages: Arc<dyn Pages>) -> Result<Self, LastingError> {
        let data_dir = options.data_dir.clone();
        let link = Link::new(options, None, pages);
        let started = async {
            let reached = link.renew().await?;
            let observations = observations(&link).await?;
            // An engine started with --no-auth needs no token; the next one does.
            let token = match &reached.instance.token {
                Some(token) => token.clone(),
                None => DataDir::agent_token_in(&data_dir).map_err(LastingError::Token)?,
            };
            let relay = HttpRelay::start(Running(Arc::clone(&link))).await.map_err(LastingError::Relay)?;
            Ok((relay, token, observations))
        };
        match started.await {
            Ok((relay, token, observations)) => Ok(Self { link, relay, token, observations }),
            Err(error) => {
                link.close().await;
                Err(error)
            }
        }
    }

    /// Where clients reach it.
    pub fn address(&self) -> SocketAddr {
        self.relay.address()
    }

    /// The agent token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Ends serving once every call is in the journal.
    pub async fn end(self) -> Passed {
        let calls = self.relay.calls();
        self.relay.stop().await;
        // The engine counts what is in the journal. Other clients may have called tools meanwhile.
        let after = observations(&self.link).await;
        let after =
            after.inspect_err(|error| tracing::warn!(%error, "the engine does not say what it learned"));
        if let Err(error) = evolve(&self.link).await {
            tracing::warn!(%error, "the engine does not say whether wrappers are current");
        }
        self.link.close().await;
        let observations = after.ok().map(|after| after.saturating_sub(self.observations).min(calls));
        Passed { calls, observations }
    }
}

/// Observations of all tools.
async fn observations(link: &Arc<Link>) -> Result<u64, LastingError> {
    let reached = link.renew().await?;
    let tools = reached.front.call(ListTools {}).await?;
    Ok(tools.iter().map(|tool| tool.observation_count).sum())
}

/// Brings wrappers up to date with the last calls.
async fn evolve(link: &Arc<Link>) -> Result<(), LastingError> {
    let reached = link.renew().await?;
    reached.front.call(EvolveWrappers { due: true, ..EvolveWrappers::default() }).await?;
    Ok(())
}
