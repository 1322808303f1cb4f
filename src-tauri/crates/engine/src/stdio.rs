//! A stdio client on whatever engine there is.
//!
//! Owns: where the relay finds an instance, and that none is its own client. Refuses to know: messages.

use std::sync::Arc;

use schemascope_proxy::UPSTREAM_OF;
use schemascope_proxy::relay::{self, Instances, Place};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::instance::Instance;
use crate::link::Link;

struct Running(Arc<Link>);

impl Instances for Running {
    async fn find(&self) -> Result<Place, String> {
        let reached = self.0.renew().await.map_err(|error| error.to_string())?;
        let Instance { address, token, pid, .. } = reached.instance.clone();
        if std::env::var(UPSTREAM_OF).is_ok_and(|upstream_of| upstream_of == pid.to_string()) {
            return Err("this Schemascope was started by itself: its own configuration names it among the \
                        servers; remove that entry"
                .into());
        }
        Ok(Place { address, token, pid })
    }
}

/// Relays between a client's lines and the engine there is, all upstreams or one of them, until its input
/// ends or `stop` is cancelled. When the engine goes away the client goes on with the next one, which may be
/// one of our own. Fails where no HTTP client is to be had.
pub async fn relay(
    link: &Arc<Link>,
    server: Option<String>,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    stop: CancellationToken,
) -> Result<(), String> {
    relay::run(Running(Arc::clone(link)), server, input, output, stop).await
}
