//! The listener: the proxy's endpoints and the commands, behind one guard.
//!
//! Owns: routes under `/api`, the dashboard's pages, and orderly shutdown. Refuses to know: what commands
//! do and what pages show.

mod connections;
mod pages;
mod served;
mod stream;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{StatusCode, Uri, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use schemascope_api::{API_VERSION, ApiError, ErrorKind};
use schemascope_model::Timestamp;
use schemascope_proxy::endpoint::{self, Whole, guard};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::engine::Engine;
use crate::instance::Instance;

use connections::Limits;
pub use pages::{Page, Pages};
pub use served::StartError;
pub(crate) use served::{Served, addresses};

/// Largest command: a batch of trace lines.
const MAX_COMMAND: usize = 256 << 20;
/// How long requests under way may take to be answered. Who started us for one client may end us after two
/// seconds, while others are served here too.
const LAST_ANSWERS: Duration = Duration::from_secs(1);
/// How long further ones are refused in words before connections close: on one that closes just now nobody
/// knows whether a request was read.
const REFUSING: Duration = Duration::from_millis(100);
/// How long open connections may take to end.
const GRACE: Duration = Duration::from_secs(3);

/// Why the engine cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Somebody listens there already.
    #[error(
        "{0} is in use by another program; choose another with --listen HOST:PORT (port 0 takes a free one)"
    )]
    InUse(SocketAddr),
    /// The system refused the address.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What it said.
        source: std::io::Error,
    },
    /// The file that tells others where we are cannot be written.
    #[error("cannot write instance.json: {0}")]
    Instance(std::io::Error),
}

/// How to be served.
pub struct Serving {
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    /// What requests must carry; none lets everybody on this machine in.
    pub token: Option<Arc<str>>,
    /// The dashboard.
    pub pages: Arc<dyn Pages>,
}

/// Serves until `shutdown` is cancelled. `ready` is told where, once connections are accepted.
pub async fn serve(
    engine: Arc<Engine>,
    Serving { address, token, pages }: Serving,
    shutdown: CancellationToken,
    ready: impl FnOnce(&Instance),
) -> Result<(), ServeError> {
    let listener = TcpListener::bind(address).await.map_err(|source| match source.kind() {
        std::io::ErrorKind::AddrInUse => ServeError::InUse(address),
        _ => ServeError::Listen { address, source },
    })?;
    let address = listener.local_addr().map_err(|source| ServeError::Listen { address, source })?;
    // A fragment is never sent, so the token stands in no log.
    let login = token.as_ref().map_or_else(String::new, |token| format!("#token={token}"));
    let instance = Instance {
        pid: std::process::id(),
        address: address.to_string(),
        mcp_url: format!("http://{address}/mcp"),
        dashboard_url: format!("http://{address}/{login}"),
        token: token.as_ref().map(|token| token.to_string()),
        started: Timestamp::now(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        api_version: API_VERSION,
    };
    let _ = engine.mcp_url.set(instance.mcp_url.clone());
    let over = CancellationToken::new();
    let _over_in_any_case = over.clone().drop_guard();
    let app = router(&engine, guard::Guard { address, token }, pages, &shutdown, &over);
    let data_dir = engine.data.path();
    instance.write(data_dir).map_err(ServeError::Instance)?;
    ready(&instance);
    let served = connections::serve(listener, app, Limits::usual(), over.clone());
    let late = async {
        shutdown.cancelled().await;
        // Nobody should come any more.
        Instance::remove(data_dir);
        let answered = async { tokio::join!(engine.hub.idle(), tokio::time::sleep(REFUSING)) };
        let _ = tokio::time::timeout(LAST_ANSWERS, answered).await;
        over.cancel();
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        () = served => Instance::remove(data_dir),
        () = late => tracing::info!("some connections did not end in time and were dropped"),
    }
    Ok(())
}

fn router(
    engine: &Arc<Engine>,
    guard: guard::Guard,
    pages: Arc<dyn Pages>,
    shutdown: &CancellationToken,
    over: &CancellationToken,
) -> Router {
    let commands = Router::new()
        .route("/api/events", get(stream::events).with_state((Arc::clone(engine), shutdown.clone())))
        .route("/api/{name}", post(command).with_state(Arc::clone(engine)))
        .layer(DefaultBodyLimit::max(MAX_COMMAND));
    commands
        .merge(endpoint::router(Arc::clone(&engine.hub), shutdown.clone(), over.clone()))
        .layer(middleware::from_fn_with_state(guard.clone(), guard::check_token))
        // The pages themselves are no secret; whoever opens them needs the token to see anything.
        .fallback_service(get(pages::page).fallback(nothing_there).with_state(pages))
        .layer(middleware::from_fn_with_state(guard, guard::check_site))
}

/// What is sent to a place that takes nothing.
async fn nothing_there(uri: Uri) -> Response {
    let message =
        format!("there is nothing at {}; MCP is at /mcp and, for one server, /mcp/NAME\n", uri.path());
    (StatusCode::NOT_FOUND, message).into_response()
}

async fn command(
    State(engine): State<Arc<Engine>>,
    Path(name): Path<String>,
    Whole(body): Whole,
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
