//! Sessions: what a client said of itself and which of its requests are under way.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use schemascope_model::Client;
use tokio_util::sync::CancellationToken;

use super::{PROTOCOL_VERSION, SESSION_ID, Target};
use crate::wire::message;
use crate::wire::{RpcError, version};

/// Sessions kept at most; then the one not heard of for longest goes.
const MAX_SESSIONS: usize = 10_000;
/// Characters kept of what a client says it is called, and of its version.
const MAX_CLIENT_NAME: usize = 200;
/// Stands for a session that was not given a list yet.
pub(crate) const NEVER_LISTED: u64 = u64::MAX;

#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<Box<str>, Arc<Session>>>);

pub(crate) struct Session {
    pub(crate) id: Box<str>,
    /// The endpoint it was opened on: none for `/mcp`.
    endpoint: Option<String>,
    pub(crate) client: Option<Client>,
    pub(crate) protocol_version: Box<str>,
    /// Requests under way, each with the client's id, as sent. Ids should be different; nothing breaks
    /// when they are not.
    requests: Mutex<HashMap<u64, (Bytes, CancellationToken)>>,
    next_request: AtomicU64,
    /// The version of the list of all tools it was given last.
    pub(crate) listed: AtomicU64,
    /// Whether somebody listens on its GET stream.
    pub(crate) listening: AtomicBool,
    /// Cancelled when the session ends.
    pub(crate) ended: CancellationToken,
    heard: Mutex<Instant>,
}

impl Sessions {
    pub(crate) fn open(
        &self,
        target: &Target,
        client: Option<&Client>,
        protocol_version: &str,
    ) -> Result<Arc<Session>, RpcError> {
        let mut random = [0; 16];
        getrandom::fill(&mut random)
            .map_err(|error| RpcError::internal(format!("no random numbers for a session id: {error}")))?;
        let id: Box<str> = random.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into();
        let session = Arc::new(Session {
            id: id.clone(),
            endpoint: target.name().map(str::to_owned),
            client: client.map(cut),
            protocol_version: protocol_version.into(),
            requests: Mutex::default(),
            next_request: AtomicU64::new(0),
            listed: AtomicU64::new(NEVER_LISTED),
            listening: AtomicBool::new(false),
            ended: CancellationToken::new(),
            heard: Mutex::new(Instant::now()),
        });
        let mut sessions = self.lock();
        if sessions.len() >= MAX_SESSIONS {
            let oldest = sessions.values().min_by_key(|session| session.heard_at()).cloned();
            if let Some(oldest) = oldest {
                sessions.remove(&oldest.id);
                oldest.end();
            }
        }
        sessions.insert(id, Arc::clone(&session));
        Ok(session)
    }

    /// The session a request belongs to, or why it is refused.
    pub(crate) fn of(&self, headers: &HeaderMap, target: &Target) -> Result<Arc<Session>, Refusal> {
        let Some(id) = headers.get(SESSION_ID) else {
            return Err(Refusal::NoSession);
        };
        let session = id.to_str().ok().and_then(|id| self.lock().get(id).cloned());
        let session = session.filter(|session| session.endpoint.as_deref() == target.name());
        let session = session.ok_or(Refusal::UnknownSession)?;
        session.heard_now();
        Ok(session)
    }

    pub(crate) fn end(&self, session: &Session) {
        self.lock().remove(&session.id);
        session.end();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Arc<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client's name and version stand in every record of its calls.
fn cut(client: &Client) -> Client {
    let short = |text: &str| text.chars().take(MAX_CLIENT_NAME).collect::<String>().into();
    Client { name: short(&client.name), version: short(&client.version) }
}

impl Session {
    /// Notes a request under way, until the returned value is dropped.
    pub(crate) fn under_way(self: &Arc<Self>, id: Bytes, cancel: CancellationToken) -> UnderWay {
        let number = self.next_request.fetch_add(1, Ordering::Relaxed);
        // A session that ended meanwhile cancels nothing more by itself.
        if self.ended.is_cancelled() {
            cancel.cancel();
        }
        self.requests().insert(number, (id, cancel));
        UnderWay { session: Arc::clone(self), number }
    }

    /// Cancels a request of this client, by the id it gave it.
    pub(crate) fn cancel(&self, id: &[u8]) {
        for (_, cancel) in self.requests().values().filter(|(own, _)| own.as_ref() == id) {
            cancel.cancel();
        }
    }

    /// Takes the one GET stream there is; whether it was free.
    pub(crate) fn start_listening(&self) -> bool {
        !self.listening.swap(true, Ordering::AcqRel)
    }

    fn end(&self) {
        self.ended.cancel();
        for (_, cancel) in self.requests().values() {
            cancel.cancel();
        }
    }

    fn requests(&self) -> MutexGuard<'_, HashMap<u64, (Bytes, CancellationToken)>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn heard_at(&self) -> Instant {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn heard_now(&self) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// Keeps a request cancellable while it is under way.
pub(crate) struct UnderWay {
    session: Arc<Session>,
    number: u64,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.session.requests().remove(&self.number);
    }
}

/// Why a request is not served, with the status the specification asks for.
#[derive(Debug)]
pub(crate) enum Refusal {
    NoSession,
    UnknownSession,
    Version(String),
    MediaType(&'static str),
    NotAcceptable,
    Malformed(RpcError),
}

/// Checks the protocol version a request names.
pub(crate) fn check_version(headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(named) = headers.get(PROTOCOL_VERSION) else { return Ok(()) };
    let named = named.to_str().unwrap_or("?");
    if version::is_spoken(named) { Ok(()) } else { Err(Refusal::Version(named.to_owned())) }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, error) = match self {
            Self::NoSession => (
                StatusCode::BAD_REQUEST,
                RpcError::invalid_request("Mcp-Session-Id is missing; send initialize first"),
            ),
            Self::UnknownSession => (
                StatusCode::NOT_FOUND,
                RpcError::invalid_request("unknown or ended session; send initialize again"),
            ),
            Self::Version(version) => (StatusCode::BAD_REQUEST, RpcError::unsupported_version(&version)),
            Self::MediaType(expected) => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                RpcError::invalid_request(format!("Content-Type must be {expected}")),
            ),
            Self::NotAcceptable => (
                StatusCode::NOT_ACCEPTABLE,
                RpcError::invalid_request("Accept must allow application/json or text/event-stream"),
            ),
            Self::Malformed(error) => (StatusCode::BAD_REQUEST, error),
        };
        let body = message::response(b"null", &error.body());
        (status, [("content-type", "application/json")], body).into_response()
    }
}
