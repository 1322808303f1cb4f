//! Serving an engine of this process to clients and browsers, on the first address that is free.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{Pages, ServeError, Serving, serve};
use crate::data::DataDirError;
use crate::engine::Engine;
use crate::instance::Instance;

/// Address that clients expect.
const USUAL: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7347);
const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// An engine that is served.
pub(crate) struct ServedEngine {
    instance: Instance,
    stop: CancellationToken,
    task: JoinHandle<Result<(), ServeError>>,
}

/// Why an engine is not served.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The tokens cannot be made.
    #[error("cannot make a token: {0}")]
    Token(#[from] DataDirError),
    /// The engine cannot listen on any address.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// The listener's task failed.
    #[error("the listener ended before it accepted connections")]
    Ended,
}

/// Addresses to try, in this order.
pub(crate) fn addresses(asked: Option<SocketAddr>, before: Option<&Instance>) -> Vec<SocketAddr> {
    if let Some(asked) = asked {
        return vec![asked];
    }
    // An engine that takes over another's data takes over its clients, but only on this machine: listening on other
    // interfaces is a decision of the user.
    let before = before.and_then(|instance| instance.address.parse().ok());
    let before = before.filter(|address: &SocketAddr| address.ip().is_loopback());
    before.into_iter().chain([USUAL, ANY]).collect()
}

impl ServedEngine {
    /// Serves on the first address that is free.
    pub(crate) async fn start(
        engine: &Arc<Engine>,
        pages: &Arc<dyn Pages>,
        addresses: &[SocketAddr],
    ) -> Result<Self, StartError> {
        let tokens = engine.data().tokens()?;
        let mut failed = StartError::Ended;
        for &address in addresses {
            let serving = Serving { address, tokens: tokens.clone(), pages: Arc::clone(pages) };
            let stop = CancellationToken::new();
            let (ready, is_ready) = oneshot::channel();
            let task = tokio::spawn(serve(Arc::clone(engine), serving, stop.clone(), |instance| {
                let _ = ready.send(instance.clone());
            }));
            if let Ok(instance) = is_ready.await {
                tracing::info!(mcp_url = %instance.mcp_url, "clients are served");
                if let Some(wanted) = addresses.first().filter(|wanted| **wanted != address) {
                    tracing::warn!(
                        "{wanted} is taken by another program; the address is {}",
                        instance.address
                    );
                }
                return Ok(Self { instance, stop, task });
            }
            failed = match task.await {
                Ok(Err(error @ ServeError::InUse(_))) => {
                    tracing::info!(%address, "the address is in use by another program");
                    error.into()
                }
                Ok(Err(error)) => return Err(error.into()),
                Ok(Ok(())) | Err(_) => return Err(StartError::Ended),
            };
        }
        Err(failed)
    }

    /// Where the engine is served.
    pub(crate) fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Ends serving. Open connections may finish.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        match self.task.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "serving ended with an error"),
            Err(error) => tracing::error!(%error, "serving failed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(address: &str) -> Instance {
        let text = format!(
            r#"{{"pid":1,"address":"{address}","mcp_url":"","dashboard_url":"","token":null,
                "started":"2026-11-20T12:00:00Z","version":"","api_version":1}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn requested_address_is_the_only_one() {
        let asked = "127.0.0.1:9".parse().unwrap();
        assert_eq!(addresses(Some(asked), Some(&instance("127.0.0.1:8"))), [asked]);
    }

    #[test]
    fn previous_address_is_reused_on_loopback_only() {
        let before: SocketAddr = "127.0.0.1:8".parse().unwrap();
        assert_eq!(addresses(None, Some(&instance("127.0.0.1:8"))), [before, USUAL, ANY]);
        assert_eq!(addresses(None, Some(&instance("0.0.0.0:8"))), [USUAL, ANY]);
        assert_eq!(addresses(None, None), [USUAL, ANY]);
    }
}
