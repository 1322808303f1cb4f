//! The server side: Streamable HTTP for clients of both eras.
//!
//! `/mcp` is all upstreams together, tools named `server__tool`; `/mcp/NAME` is one upstream as it is.
//! Owns: routes, status codes, sessions, streams. Refuses to know: how upstreams are reached, and who
//! else is served on the same listener ([`guard`] protects them all).

mod aggregate;
mod batch;
mod form;
pub mod guard;
mod held;
mod legacy;
mod listen;
mod modern;
mod post;
mod refusal;
mod replay;
mod reply;
mod session;
mod stream;
mod tasks;
mod whole;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Router, extract::Request};
use tokio_util::sync::CancellationToken;

use crate::hub::Hub;
use crate::upstream::Upstream;
use crate::wire::headers::PROTOCOL_VERSION;
use crate::wire::version::MODERN;
use crate::wire::{RpcError, Who};
use held::Held;
use replay::Budget;
use session::{Session, Sessions};
pub use whole::Whole;

/// Largest request body.
pub(crate) const MAX_BODY: usize = 32 << 20;

/// How often sessions are looked at that nobody may use any more.
const LOOK: Duration = Duration::from_secs(60);

/// What every request handler shares.
pub(crate) struct Endpoint {
    pub(crate) hub: Arc<Hub>,
    pub(crate) sessions: Sessions,
    pub(crate) held: Arc<Held>,
    /// Cancelled when no further requests are taken.
    pub(crate) closing: CancellationToken,
    /// Ends open streams when the app shuts down.
    pub(crate) shutdown: CancellationToken,
}

/// Which of the endpoints a request came to.
#[derive(Clone)]
pub(crate) enum Target {
    All,
    One(Arc<Upstream>),
}

/// The routes `/mcp` and `/mcp/NAME`. Requests are refused once `closing` is cancelled, and open streams end
/// when `shutdown` is.
pub fn router(hub: Arc<Hub>, closing: CancellationToken, shutdown: CancellationToken) -> Router {
    let mut instance = [0; 8];
    // Without random numbers no request is ever held under it.
    let _ = getrandom::fill(&mut instance);
    let sessions = Sessions::new(Budget::new(hub.lost_streams_counter()));
    let held = Arc::new(Held::new(u64::from_ne_bytes(instance)));
    let endpoint = Arc::new(Endpoint { hub, sessions, held, closing, shutdown });
    tokio::spawn(keep_tidy(Arc::clone(&endpoint)));
    Router::new()
        .route("/mcp", any(all))
        .route("/mcp/{name}", any(one))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(endpoint)
}

/// Ends what nobody uses any more, until the app shuts down.
async fn keep_tidy(endpoint: Arc<Endpoint>) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = endpoint.shutdown.cancelled() => return,
        }
        endpoint.held.forget_old();
        endpoint.end_unused();
        endpoint.sessions.quiet().iter().for_each(|session| endpoint.rest(session));
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
            let message = format!("no upstream is called {name:?}; there are: {names}\n");
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
        Err(refusal) => refusal.into_response(),
    }
}

impl Endpoint {
    /// Opens a session; where there are too many, others end.
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

    /// Ends the sessions upstreams have open for a client that is quiet. It gets others when it comes back.
    fn rest(&self, session: &Session) {
        match session.target() {
            Target::One(upstream) => upstream.rest(&session.id),
            Target::All => self.hub.rest(&session.id),
        }
    }

    /// Ends what upstreams have for a session that ended.
    fn forget(&self, session: &Session) {
        match session.target() {
            Target::One(upstream) => upstream.forget_session(&session.id),
            Target::All => self.hub.forget_session(&session.id),
        }
    }
}

/// A header's text. Of one that is repeated it is all of it, which is then none that is expected.
fn header_text(headers: &HeaderMap, name: &str) -> Option<String> {
    let values: Vec<&str> = headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?")).collect();
    (!values.is_empty()).then(|| values.join(", "))
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
