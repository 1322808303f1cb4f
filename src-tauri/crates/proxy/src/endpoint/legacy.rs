//! Clients with a handshake and a session (2025-11-25 and older): what each method means.

use std::sync::Arc;
use std::sync::PoisonError;

use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use schemascope_model::{Origin, ToolId};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::form::{self, Accepts};
use super::refusal::Refusal;
use super::reply::{self, Exchange, Voice};
use super::session::Session;
use super::{Endpoint, Target, aggregate, tasks};
use crate::call::{Caller, Outgoing, Recording};
use crate::exchange::Active;
use crate::hub::From;
use crate::upstream::Upstream;
use crate::upstream::handshake::Hello;
use crate::wire::headers::{RELAYED, SESSION_ID};
use crate::wire::message::{self, Message};
use crate::wire::meta::Level;
use crate::wire::{Body, Era, RpcError, Who, params, version};

/// What became of a request.
pub(crate) enum Handled {
    /// Answered at once.
    Now(Body),
    /// On its way to an upstream.
    Active(Active),
}

const NOTHING: &[u8] = b"{}";

pub(crate) async fn receive(
    endpoint: &Arc<Endpoint>,
    target: &Target,
    headers: &HeaderMap,
    accepts: Accepts,
    message: Message,
) -> Result<Response, Refusal> {
    match message {
        Message::Request { id, method, params } if method == "initialize" => {
            let relayed = headers.contains_key(RELAYED);
            Ok(initialize(endpoint, target, &id, params.as_ref(), relayed).await)
        }
        Message::Request { id, method, params } => {
            let session = endpoint.sessions.of(headers, target)?;
            let handled = request(endpoint, target, &session, &id, method, params).await;
            Ok(match handled {
                Handled::Now(body) => form::json(&message::response(&id, &body)),
                Handled::Active(active) => {
                    let exchange = Exchange::new(active, id, Voice::Legacy(session));
                    reply::when_done(exchange, accepts, endpoint.shutdown.clone()).await
                }
            })
        }
        Message::Notification { method, params } => {
            let session = endpoint.sessions.of(headers, target)?;
            notified(endpoint, target, &session, &method, params.as_ref()).await;
            Ok(StatusCode::ACCEPTED.into_response())
        }
        Message::Response { id, body } => {
            endpoint.sessions.of(headers, target)?.answered(&id, body);
            Ok(StatusCode::ACCEPTED.into_response())
        }
    }
}

async fn initialize(
    endpoint: &Arc<Endpoint>,
    target: &Target,
    id: &Bytes,
    params: Option<&Bytes>,
    relayed: bool,
) -> Response {
    match open(endpoint, target, params, relayed).await {
        Ok((session, result)) => {
            let mut response = form::json(&message::response(id, &Body::Result(result)));
            if let Ok(value) = HeaderValue::from_str(&session.id) {
                response.headers_mut().insert(SESSION_ID, value);
            }
            response
        }
        Err(error) => form::json(&message::response(id, &error.body())),
    }
}

/// Opens a session: it, and the answer to `initialize`.
async fn open(
    endpoint: &Arc<Endpoint>,
    target: &Target,
    params: Option<&Bytes>,
    relayed: bool,
) -> Result<(Arc<Session>, Bytes), RpcError> {
    let raw = |name| params.and_then(|params| params::field(params, name)).map(|found| found.raw);
    let requested: String =
        raw("protocolVersion").and_then(|raw| serde_json::from_slice(&raw).ok()).ok_or_else(|| {
            RpcError::invalid_params("initialize needs protocolVersion, capabilities and clientInfo")
        })?;
    let capabilities = raw("capabilities").filter(|raw| raw.starts_with(b"{"));
    let who = Who {
        info: raw("clientInfo").filter(|raw| raw.starts_with(b"{")),
        capabilities: capabilities.unwrap_or_else(|| NOTHING.into()),
        ..Who::nobody()
    };
    let who =
        who.kept().ok_or_else(|| RpcError::invalid_params("clientInfo and capabilities are too long"))?;
    match target {
        Target::All => {
            // So that the first list finds them started.
            endpoint.hub.begin_start();
            let agreed = version::agree(&requested, version::newest_legacy().as_str());
            let hello = aggregate::hello(&agreed);
            Ok((endpoint.open(target, who, &agreed, relayed)?, hello))
        }
        Target::One(upstream) => {
            let unavailable = |reason: String| unavailable(upstream, &reason);
            let shared = upstream.live().await.map_err(unavailable)?;
            let offered = match shared.hello.era {
                Era::Legacy => shared.hello.version.as_str(),
                Era::Modern => version::newest_legacy_text(),
            };
            let agreed = version::agree(&requested, offered);
            let session = endpoint.open(target, who, &agreed, relayed)?;
            let live = upstream.session(&session.who(), Some(&session.outbox)).await.map_err(unavailable);
            match live {
                Ok(live) => Ok((session, welcome(&live.hello, &agreed))),
                Err(error) => {
                    endpoint.end(&session);
                    Err(error)
                }
            }
        }
    }
}

pub(crate) fn unavailable(upstream: &Upstream, reason: &str) -> RpcError {
    RpcError::internal(format!("upstream {:?}: {reason}", upstream.name()))
}

/// An upstream's own answer to `initialize`, or what one of the stateless era would say.
fn welcome(hello: &Hello, agreed: &str) -> Bytes {
    let version = format!("\"{agreed}\"");
    match hello.era {
        Era::Legacy if agreed == hello.version => hello.result.clone(),
        Era::Legacy => params::with(Some(&hello.result), &[("protocolVersion", version.as_bytes())]),
        Era::Modern => {
            let unnamed = Bytes::from_static(br#"{"name":"unnamed","version":"0"}"#);
            let mut fields: Vec<(&str, &[u8])> = vec![
                ("protocolVersion", version.as_bytes()),
                ("capabilities", &hello.capabilities),
                ("serverInfo", hello.info.as_ref().unwrap_or(&unnamed)),
            ];
            fields.extend(hello.instructions.as_ref().map(|text| ("instructions", text.as_ref())));
            params::with(None, &fields)
        }
    }
}

/// Takes a request on its way, or answers it.
pub(crate) async fn request(
    endpoint: &Endpoint,
    target: &Target,
    session: &Arc<Session>,
    id: &Bytes,
    method: String,
    params: Option<Bytes>,
) -> Handled {
    if method == "ping" {
        return Handled::Now(Body::Result(NOTHING.into()));
    }
    let cancel = CancellationToken::new();
    let Some(under_way) = session.under_way(id.clone(), &cancel) else {
        return Handled::Now(RpcError::internal("too many requests of this session are under way").body());
    };
    let handled = match target {
        Target::All => {
            let from = aggregate::Asking {
                from: from(session),
                caller: caller(session),
                under_way,
                session: Some(session),
                recording: None,
            };
            aggregate::request(endpoint, from, &method, params, cancel).await
        }
        Target::One(upstream) => {
            if let Some(answer) = own_business(upstream, session, &method, params.as_ref()).await {
                return Handled::Now(answer);
            }
            let recording = recording(upstream, &method, params.as_ref(), || caller(session));
            let From { who, owner } = from(session);
            let upstream = Arc::clone(upstream);
            let outgoing = Outgoing {
                upstream,
                method,
                params,
                who,
                owner,
                subscription: None,
                recording,
                adapt: false,
                cancel,
            };
            Ok(Handled::Active(endpoint.hub.start(outgoing, under_way)))
        }
    };
    handled.unwrap_or_else(|error| Handled::Now(error.body()))
}

/// What the session says for itself on an upstream it shares with others; none for all that is passed on.
pub(crate) async fn own_business(
    upstream: &Arc<Upstream>,
    session: &Session,
    method: &str,
    params: Option<&Bytes>,
) -> Option<Body> {
    let uri = || params::text(params?, "uri");
    if matches!(method, "resources/subscribe" | "resources/unsubscribe" | "logging/setLevel") {
        let shared = upstream.live().await.ok()?;
        // One with a session of its own there has nothing to share.
        if shared.hello.era == Era::Legacy && session.who().may_be_asked() {
            return None;
        }
    }
    match method {
        "logging/setLevel" => {
            let live = upstream.live().await.ok()?;
            let raw = params.and_then(|params| params::field(params, "level")).map(|found| found.raw);
            let answer = match live.hello.era {
                Era::Modern => Body::Result(NOTHING.into()),
                // What is no level is refused by the upstream itself.
                Era::Legacy => {
                    let level = raw.as_ref().and_then(|raw| serde_json::from_slice::<String>(raw).ok());
                    upstream.levels.set(&live, &session.id, Level::of(&level?)?).await
                }
            };
            if let Body::Result(_) = answer {
                // A copy: it is kept as long as the session, and must not keep its request.
                let level = raw.map(|raw| Bytes::copy_from_slice(&raw));
                *session.log_level.lock().unwrap_or_else(PoisonError::into_inner) = level;
            }
            Some(answer)
        }
        "resources/subscribe" => {
            let uri = uri()?;
            if !upstream.subscriptions.add(&uri, &session.id, None) {
                return Some(
                    RpcError::internal("too many resources are watched, or this address is too long").body(),
                );
            }
            let live = upstream.live().await.ok()?;
            if live.hello.era == Era::Legacy {
                return None;
            }
            upstream.subscriptions.watch(&live, &uri).await;
            Some(Body::Result(NOTHING.into()))
        }
        "resources/unsubscribe" => {
            let last = upstream.subscriptions.remove(&uri()?, &session.id);
            let live = upstream.live().await.ok()?;
            let passed_on = last && live.hello.era == Era::Legacy;
            (!passed_on).then(|| Body::Result(NOTHING.into()))
        }
        _ => None,
    }
}

/// What to record of a request to one upstream. A call that names no tool is no call; the upstream says so.
pub(crate) fn recording(
    upstream: &Upstream,
    method: &str,
    params: Option<&Bytes>,
    caller: impl FnOnce() -> Caller,
) -> Option<Recording> {
    match method {
        "tools/call" => {
            let seen = params::Seen::of(params);
            let tool = ToolId::new(upstream.name(), &seen.name()?).ok()?;
            Some(Recording { tool, arguments: seen.arguments, caller: caller(), task: None })
        }
        "tasks/get" | "tasks/result" => tasks::recording(upstream, method, params, caller()),
        _ => None,
    }
}

fn from(session: &Session) -> From {
    From { who: session.who(), owner: Some(session.outbox.clone()) }
}

fn caller(session: &Session) -> Caller {
    Caller {
        origin: Origin::Proxy,
        session: Some(session.id.clone()),
        client: session.client.clone(),
        protocol_version: Some(session.protocol_version.clone()),
    }
}

/// Takes a notification of a client.
pub(crate) async fn notified(
    endpoint: &Endpoint,
    target: &Target,
    session: &Arc<Session>,
    method: &str,
    params: Option<&Bytes>,
) {
    match method {
        "notifications/cancelled" => {
            #[derive(Deserialize)]
            struct Cancelled<'a> {
                #[serde(borrow, rename = "requestId")]
                request_id: &'a RawValue,
            }
            let cancelled = params.and_then(|params| serde_json::from_slice::<Cancelled<'_>>(params).ok());
            if let Some(cancelled) = cancelled {
                session.cancel(cancelled.request_id.get().as_bytes());
            }
        }
        // The upstream has been told by us that the handshake is over.
        "notifications/initialized" => {}
        _ => match target {
            Target::One(upstream) => {
                if let Ok(live) = upstream.session(&session.who(), Some(&session.outbox)).await
                    && live.hello.era == Era::Legacy
                {
                    // Gone is gone; a notification has no answer to say so in.
                    let _ = live.link.notify(method, params).await;
                }
            }
            // Of the others nothing says whom they are for.
            Target::All if method == "notifications/roots/list_changed" => {
                for live in endpoint.hub.own_sessions(&session.id) {
                    let _ = live.link.notify(method, params).await;
                }
            }
            Target::All => {}
        },
    }
}
