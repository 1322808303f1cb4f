//! The server side: Streamable HTTP for clients with sessions (2025-11-25 and older).
//!
//! `/mcp` is all upstreams together, tools named `server__tool`; `/mcp/NAME` is one upstream as it is.
//! Owns: routes, status codes, sessions, streams. Refuses to know: how upstreams are reached, and who
//! else is served on the same listener ([`guard`] protects them all).

pub mod guard;
mod method;
mod post;
mod reply;
mod session;
mod stream;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Router, extract::Request};
use tokio_util::sync::CancellationToken;

use crate::hub::Hub;
use crate::upstream::Upstream;
use session::Sessions;

/// Largest request body.
const MAX_BODY: usize = 32 << 20;

pub(crate) const SESSION_ID: &str = "mcp-session-id";
pub(crate) const PROTOCOL_VERSION: &str = "mcp-protocol-version";

/// What every request handler shares.
pub(crate) struct Endpoint {
    pub(crate) hub: Arc<Hub>,
    pub(crate) sessions: Sessions,
    /// Ends open streams when the app shuts down.
    pub(crate) shutdown: CancellationToken,
}

/// Which of the endpoints a request came to.
#[derive(Clone)]
pub(crate) enum Target {
    All,
    One(Arc<Upstream>),
}

/// The routes `/mcp` and `/mcp/NAME`. Open streams end when `shutdown` is cancelled.
pub fn router(hub: Arc<Hub>, shutdown: CancellationToken) -> Router {
    let endpoint = Arc::new(Endpoint { hub, sessions: Sessions::default(), shutdown });
    Router::new()
        .route("/mcp", any(all))
        .route("/mcp/{name}", any(one))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(endpoint)
}

async fn all(State(endpoint): State<Arc<Endpoint>>, request: Request) -> Response {
    serve(endpoint, Target::All, request).await
}

async fn one(State(endpoint): State<Arc<Endpoint>>, Path(name): Path<String>, request: Request) -> Response {
    match endpoint.hub.upstream(&name).cloned() {
        Some(upstream) => serve(endpoint, Target::One(upstream), request).await,
        None => {
            let names = endpoint.hub.names().join(", ");
            let message = format!("no upstream is called {name:?}; there are: {names}\n");
            (StatusCode::NOT_FOUND, message).into_response()
        }
    }
}

async fn serve(endpoint: Arc<Endpoint>, target: Target, request: Request) -> Response {
    use axum::http::Method;
    match *request.method() {
        Method::POST => post::handle(endpoint, target, request).await,
        Method::GET => stream::listen(&endpoint, &target, request.headers()),
        Method::DELETE => end_session(&endpoint, &target, request.headers()),
        _ => (StatusCode::METHOD_NOT_ALLOWED, [("allow", "GET, POST, DELETE")]).into_response(),
    }
}

fn end_session(endpoint: &Endpoint, target: &Target, headers: &HeaderMap) -> Response {
    match endpoint.sessions.of(headers, target) {
        Ok(session) => {
            endpoint.sessions.end(&session);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(refusal) => refusal.into_response(),
    }
}

impl Target {
    /// What tells the endpoints apart: none for all, the upstream's name for one.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::All => None,
            Self::One(upstream) => Some(upstream.name()),
        }
    }
}
