//! The HTTP listener: the proxy's endpoints, the commands under `/api` and the dashboard's files, behind one guard.

mod connections;
mod pages;
mod served;
mod stream;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{StatusCode, Uri, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use schemascope_api::{API_VERSION, ApiError, ErrorKind};
use schemascope_model::Timestamp;
use schemascope_proxy::endpoint::guard::{Access, Tokens};
use schemascope_proxy::endpoint::{self, RequestBody, guard};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::engine::Engine;
use crate::instance::Instance;

use connections::Limits;
pub use pages::{Page, Pages};
pub use served::StartError;
pub(crate) use served::{ServedEngine, addresses};

/// Size of the largest command, a batch of trace lines.
const MAX_COMMAND_BYTES: usize = 256 << 20;
/// Longest time that open requests may take at shutdown. A client that started this process may kill it after two
/// seconds, while other clients are served here too.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);
/// Time for which further requests get an error before connections close. On a connection that closes, a client cannot
/// tell whether its request was read.
const REJECT_TIME: Duration = Duration::from_millis(100);
/// Longest time that open connections may take to end. All of the end takes two seconds at most.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(300);

/// Why the engine cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another program listens there.
    #[error(
        "{0} is in use by another program; choose another with --listen HOST:PORT (port 0 takes a free one)"
    )]
    InUse(SocketAddr),
    /// The system does not allow the address.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file in which other processes find the address cannot be written.
    #[error("cannot write instance.json: {0}")]
    Instance(std::io::Error),
}

/// Options for serving an engine.
pub struct Serving {
    /// Address to listen on; port 0 takes a free one.
    pub address: SocketAddr,
    /// Tokens that requests must carry.
    pub tokens: Tokens,
    /// Files of the dashboard.
    pub pages: Arc<dyn Pages>,
}

/// Serves until `shutdown` is cancelled. `ready` is called once connections are accepted.
pub async fn serve(
    engine: Arc<Engine>,
    Serving { address, tokens, pages }: Serving,
    shutdown: CancellationToken,
    ready: impl FnOnce(&Instance),
) -> Result<(), ServeError> {
    let listener = TcpListener::bind(address).await.map_err(|source| match source.kind() {
        std::io::ErrorKind::AddrInUse => ServeError::InUse(address),
        _ => ServeError::Listen { address, source },
    })?;
    let address = listener.local_addr().map_err(|source| ServeError::Listen { address, source })?;
    let instance = Instance {
        pid: std::process::id(),
        address: address.to_string(),
        mcp_url: format!("http://{address}/mcp"),
        // A fragment is never sent, so the token appears in no log.
        dashboard_url: format!("http://{address}/#token={}", tokens.owner),
        token: tokens.agent.as_ref().map(|token| token.to_string()),
        started: Timestamp::now(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        api_version: API_VERSION,
        files: Some(Box::new(engine.used.clone())),
    };
    let _ = engine.upstreams.mcp_url.set(instance.mcp_url.clone());
    let over = CancellationToken::new();
    let _over_in_any_case = over.clone().drop_guard();
    let app = router(&engine, (address, tokens), pages, &shutdown, &over);
    let data_dir = engine.data.path();
    instance.write(data_dir).map_err(ServeError::Instance)?;
    ready(&instance);
    let served = connections::serve(listener, app, Limits::usual(), over.clone());
    let late = async {
        shutdown.cancelled().await;
        engine.records.recorder.begin_close();
        // Other processes should not attach any more.
        Instance::remove(data_dir);
        let answered = async { tokio::join!(engine.upstreams.hub.idle(), tokio::time::sleep(REJECT_TIME)) };
        let _ = tokio::time::timeout(ANSWER_TIMEOUT, answered).await;
        over.cancel();
    };
    let closed = async {
        over.cancelled().await;
        tokio::time::sleep(CLOSE_TIMEOUT).await;
    };
    let served = async {
        tokio::select! {
            () = served => {}
            () = closed => tracing::info!("some connections did not end in time and were dropped"),
        }
    };
    // Upstreams take their time to end as well.
    let ended = async {
        late.await;
        engine.upstreams.close().await;
    };
    tokio::join!(served, ended);
    Ok(())
}

fn router(
    engine: &Arc<Engine>,
    (address, tokens): (SocketAddr, Tokens),
    pages: Arc<dyn Pages>,
    shutdown: &CancellationToken,
    over: &CancellationToken,
) -> Router {
    let mut router = Router::new();
    for (access, path, methods) in routes(engine, shutdown, over) {
        let check = middleware::from_fn_with_state((tokens.clone(), access), guard::check_token);
        router = router.route(path, methods.layer(check));
    }
    router
        // The pages themselves are not secret; they need the owner token to show anything.
        .fallback_service(get(pages::page).fallback(not_found).with_state(pages))
        .layer(middleware::from_fn_with_state(address, guard::check_site))
}

/// Every route except the dashboard's files, and who may use it.
fn routes(
    engine: &Arc<Engine>,
    shutdown: &CancellationToken,
    over: &CancellationToken,
) -> Vec<(Access, &'static str, MethodRouter)> {
    let commands = [
        ("/api/events", get(stream::events).with_state((Arc::clone(engine), shutdown.clone()))),
        ("/api/{name}", post(command).with_state(Arc::clone(engine))),
    ];
    let limit = DefaultBodyLimit::max(MAX_COMMAND_BYTES);
    let commands = commands.map(|(path, methods)| (Access::Owner, path, methods.layer(limit)));
    let mcp = endpoint::routes(Arc::clone(&engine.upstreams.hub), shutdown.clone(), over.clone());
    let mcp = mcp.map(|(path, methods)| (Access::Agent, path, methods));
    commands.into_iter().chain(mcp).collect()
}

/// The answer on paths without an endpoint.
async fn not_found(uri: Uri) -> Response {
    let message =
        format!("there is nothing at {}; MCP is at /mcp and, for one server, /mcp/NAME\n", uri.path());
    (StatusCode::NOT_FOUND, message).into_response()
}

async fn command(
    State(engine): State<Arc<Engine>>,
    Path(name): Path<String>,
    RequestBody(body): RequestBody,
) -> Response {
    let (status, body) = match engine.dispatch(&name, &body).await {
        Ok(reply) => (StatusCode::OK, reply),
        // Two strings always serialise.
        Err(error) => (status(&error), serde_json::to_vec(&error).unwrap_or_default()),
    };
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

fn status(error: &ApiError) -> StatusCode {
    match error.kind {
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Invalid => StatusCode::BAD_REQUEST,
        ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
