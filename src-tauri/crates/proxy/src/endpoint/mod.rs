//! The MCP endpoints for clients of both eras, over Streamable HTTP.
//!
//! `/mcp` is all upstreams as one server, with tools named `server__tool`; `/mcp/NAME` is one upstream unchanged.
//! This module has the routes, status codes, client sessions and streams. [`guard`] protects every route of the
//! listener, also those of others.

mod aggregate;
mod batch;
mod body;
mod dispatch;
mod form;
pub mod guard;
mod legacy;
mod listen;
mod modern;
mod parked;
mod post;
mod rejection;
mod replay;
mod reply;
mod session;
mod shared_session;
mod stream;
mod tasks;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any};
use tokio_util::sync::CancellationToken;

use crate::hub::Hub;
use crate::upstream::Upstream;
use crate::wire::headers::PROTOCOL_VERSION;
use crate::wire::version::MODERN;
use crate::wire::{RpcError, Who};
pub use body::RequestBody;
use parked::ParkedRequests;
use replay::ReplayBudget;
use session::{Session, Sessions};

/// Largest request body.
pub(crate) const MAX_BODY: usize = 32 << 20;

/// Interval at which unused sessions are ended.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(60);

/// State shared by all request handlers.
pub(crate) struct Endpoint {
    pub(crate) hub: Arc<Hub>,
    pub(crate) sessions: Sessions,
    pub(crate) parked: Arc<ParkedRequests>,
    /// Cancelled when further requests are rejected.
    pub(crate) closing: CancellationToken,
    /// Ends open streams when the app shuts down.
    pub(crate) shutdown: CancellationToken,
}

/// The endpoint of a request: `/mcp`, or that of one upstream.
#[derive(Clone)]
pub(crate) enum Target {
    All,
    One(Arc<Upstream>),
}

/// The routes `/mcp` and `/mcp/NAME`. Requests are rejected once `closing` is cancelled, and open streams end when
/// `shutdown` is.
pub fn routes(
    hub: Arc<Hub>,
    closing: CancellationToken,
    shutdown: CancellationToken,
) -> [(&'static str, MethodRouter); 2] {
    let mut instance = [0; 8];
    // Without random numbers no request is parked, so the prefix does not matter then.
    let _ = getrandom::fill(&mut instance);
    let sessions = Sessions::new(ReplayBudget::new(hub.lost_streams_counter()));
    let parked = Arc::new(ParkedRequests::new(u64::from_ne_bytes(instance)));
    let endpoint = Arc::new(Endpoint { hub, sessions, parked, closing, shutdown });
    tokio::spawn(clean_up(Arc::clone(&endpoint)));
    [("/mcp", any(all)), ("/mcp/{name}", any(one))].map(|(path, methods)| {
        (path, methods.layer(DefaultBodyLimit::max(MAX_BODY)).with_state(Arc::clone(&endpoint)))
    })
}

/// Ends unused sessions and parked requests at intervals, until the app shuts down.
async fn clean_up(endpoint: Arc<Endpoint>) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(CLEANUP_INTERVAL) => {}
            () = endpoint.shutdown.cancelled() => return,
        }
        endpoint.parked.drop_expired();
        endpoint.end_unused();
        endpoint.sessions.quiet().iter().for_each(|session| endpoint.end_upstream_sessions(session));
        endpoint.hub.replace_left_sessions();
    }
}

async fn all(State(endpoint): State<Arc<Endpoint>>, request: Request) -> Response {
    serve(endpoint, Target::All, request).await
}

async fn one(State(endpoint): State<Arc<Endpoint>>, Path(name): Path<String>, request: Request) -> Response {
    match endpoint.hub.upstream(&name) {
        Some(upstream) => serve(endpoint, Target::One(upstream), request).await,
        None => {
            let names = endpoint.hub.names().join(", ");
            let message = format!("there is no server {name:?}; there are: {names}\n");
            (StatusCode::NOT_FOUND, message).into_response()
        }
    }
}

async fn serve(endpoint: Arc<Endpoint>, target: Target, request: Request) -> Response {
    use axum::http::Method;
    let stateless = request.headers().get(PROTOCOL_VERSION).is_some_and(|version| version == MODERN);
    match *request.method() {
        Method::POST => post::handle(endpoint, target, request).await,
        Method::GET if !stateless => stream::listen(&endpoint, &target, request.headers()),
        Method::DELETE if !stateless => end_session(&endpoint, &target, request.headers()),
        _ if stateless => (StatusCode::METHOD_NOT_ALLOWED, [("allow", "POST")]).into_response(),
        _ => (StatusCode::METHOD_NOT_ALLOWED, [("allow", "GET, POST, DELETE")]).into_response(),
    }
}

fn end_session(endpoint: &Endpoint, target: &Target, headers: &HeaderMap) -> Response {
    match endpoint.sessions.of(headers, target) {
        Ok(session) => {
            endpoint.end(&session);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(rejection) => rejection.into_response(),
    }
}

impl Endpoint {
    /// Opens a session, and ends unused ones if there are too many.
    fn open(
        &self,
        target: &Target,
        who: Who,
        protocol_version: &str,
        relayed: bool,
    ) -> Result<Arc<Session>, RpcError> {
        if self.sessions.are_too_many() {
            self.end_unused();
        }
        self.sessions.open(target, who, protocol_version, relayed)
    }

    fn end(&self, session: &Session) {
        self.sessions.end(session);
        self.forget(session);
    }

    fn end_unused(&self) {
        self.sessions.take_unused().iter().for_each(|session| self.forget(session));
    }

    /// Ends the upstream sessions of a quiet client. It gets new ones when it comes back.
    fn end_upstream_sessions(&self, session: &Session) {
        match session.target() {
            Target::One(upstream) => upstream.rest(&session.id),
            Target::All => self.hub.end_idle_sessions(&session.id),
        }
    }

    /// Ends everything that upstreams keep for a session that ended.
    fn forget(&self, session: &Session) {
        match session.target() {
            Target::One(upstream) => upstream.forget_session(&session.id),
            Target::All => self.hub.forget_session(&session.id),
        }
    }
}

/// A header's value. Repeated headers are joined, so they match no expected value.
fn header_text(headers: &HeaderMap, name: &str) -> Option<String> {
    let values: Vec<&str> = headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?")).collect();
    (!values.is_empty()).then(|| values.join(", "))
}

impl Target {
    /// The upstream's name; `None` for `/mcp`.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::All => None,
            Self::One(upstream) => Some(upstream.name()),
        }
    }
}
