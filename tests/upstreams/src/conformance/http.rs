//! The server over Streamable HTTP, on the loopback interface only.

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::Router;
use axum::serve::ListenerExt;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::server::{Conformance, Shared};
use crate::sessions::Sessions;

/// Serves until it is killed. `ready` gets the URL as soon as it answers.
///
/// # Errors
///
/// Where the port cannot be had, or `ready` fails.
pub async fn serve(
    port: u16,
    shared: &Arc<Shared>,
    ready: impl FnOnce(&str) -> io::Result<()>,
) -> io::Result<()> {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let address = listener.local_addr()?;
    let port = address.port();
    // Its own pages only: any other that a browser shows is not asked for.
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(["127.0.0.1", "localhost"].map(|host| format!("http://{host}:{port}")));
    let shared = shared.clone();
    let service = StreamableHttpService::new(
        move || Ok(Conformance::new(&shared)),
        Arc::new(Sessions::default()),
        config,
    );
    ready(&format!("http://{address}/mcp"))?;
    // Left to itself the kernel holds back the last piece of every answer for some 40 ms.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, Router::new().route_service("/mcp", service)).await
}
