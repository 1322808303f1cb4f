//! Relay of a stdio client to the engine that runs.

use std::sync::Arc;

use schemascope_program::UPSTREAM_OF;
use schemascope_proxy::relay::{self, InstanceAddress, Instances};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::attach::link::Link;
use crate::instance::Instance;

/// The engine of a link, for relays.
pub(super) struct Running(pub(super) Arc<Link>);

impl Instances for Running {
    async fn find(&self) -> Result<InstanceAddress, String> {
        let reached = self.0.renew().await.map_err(|error| error.to_string())?;
        let Instance { address, token, pid, .. } = reached.instance.clone();
        if std::env::var(UPSTREAM_OF).is_ok_and(|upstream_of| upstream_of == pid.to_string()) {
            return Err("this Schemascope was started by itself: its own configuration names it among the \
                        servers; remove that entry"
                .into());
        }
        Ok(InstanceAddress { address, token, pid })
    }
}

/// Relays between a client's lines and the running engine, all upstreams or one of them, until the input ends or
/// `stop` is cancelled. When the engine ends, the client continues with the next one, which may be in this process.
/// Fails if no HTTP client can be made.
pub async fn relay(
    link: &Arc<Link>,
    server: Option<String>,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    stop: CancellationToken,
) -> Result<(), String> {
    relay::run(Running(Arc::clone(link)), server, input, output, stop).await
}
