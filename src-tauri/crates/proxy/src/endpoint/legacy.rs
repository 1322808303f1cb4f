//! Requests of clients of the session era (2025-11-25 and older).

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use schemascope_model::Origin;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::dispatch::{Dispatch, RequestContext, recording, unavailable};
use super::form::{self, Accepts};
use super::rejection::Rejection;
use super::reply::{self, ClientChannel, PendingReply};
use super::session::Session;
use super::shared_session::answer_for_session;
use super::{Endpoint, Target, aggregate};
use crate::call::{Caller, Outgoing};
use crate::cancel::Cancel;
use crate::hub::Requester;
use crate::upstream::handshake::Hello;
use crate::wire::headers::{RELAYED, SESSION_ID};
use crate::wire::message::{self, Message};
use crate::wire::{Body, Era, RpcError, Who, meta, params, version};

const NOTHING: &[u8] = b"{}";

pub(crate) async fn receive(
    endpoint: &Arc<Endpoint>,
    target: &Target,
    headers: &HeaderMap,
    accepts: Accepts,
    message: Message,
) -> Result<Response, Rejection> {
    match message {
        Message::Request { id, method, params } if method == "initialize" => {
            let relayed = headers.contains_key(RELAYED);
            Ok(initialize(endpoint, target, &id, params.as_ref(), relayed).await)
        }
        Message::Request { id, method, params } => {
            let session = endpoint.sessions.of(headers, target)?;
            let dispatched = request(endpoint, target, &session, &id, method, params).await;
            Ok(match dispatched {
                Dispatch::Answered(body) => form::json(&message::response(&id, &body)),
                Dispatch::Forwarded(active) => {
                    let reply = PendingReply::new(active, id, ClientChannel::Legacy(session));
                    reply::when_done(reply, accepts, endpoint.shutdown.clone()).await
                }
            })
        }
        Message::Notification { method, params } => {
            let session = endpoint.sessions.of(headers, target)?;
            notified(endpoint, target, &session, &method, params.as_ref()).await;
            Ok(StatusCode::ACCEPTED.into_response())
        }
        Message::Response { id, body } => {
            endpoint.sessions.of(headers, target)?.take_answer(&id, body);
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

/// Opens a session. Returns it with the answer to `initialize`.
async fn open(
    endpoint: &Arc<Endpoint>,
    target: &Target,
    params: Option<&Bytes>,
    relayed: bool,
) -> Result<(Arc<Session>, Bytes), RpcError> {
    let raw = |name| params.and_then(|params| params::field(params, name)).map(|found| found.raw);
    let requested: String =
        raw("protocolVersion").and_then(|raw| serde_json::from_slice(&raw).ok()).ok_or_else(|| {
            RpcError::invalid_params(
                "initialize needs params.protocolVersion, params.capabilities and params.clientInfo",
            )
        })?;
    let capabilities = raw("capabilities").filter(|raw| raw.starts_with(b"{"));
    let who = Who {
        info: raw("clientInfo").filter(|raw| raw.starts_with(b"{")),
        capabilities: capabilities.unwrap_or_else(|| NOTHING.into()),
        ..Who::unknown()
    };
    let who = who.kept().ok_or_else(|| RpcError::invalid_params(meta::TOO_LONG))?;
    match target {
        Target::All => {
            // Started early, so that they are ready for the first list.
            endpoint.hub.begin_start();
            let agreed = version::agree(&requested, version::newest_legacy().as_str());
            let hello = aggregate::hello(&endpoint.hub, &agreed).await;
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
            let live = upstream.session(&session.who(), Some(&session.outbox), "initialize").await;
            let live = live.map_err(unavailable);
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

/// The upstream's own answer to `initialize`, or one written for an upstream of the stateless era.
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

/// Answers a request, or forwards it.
pub(crate) async fn request(
    endpoint: &Endpoint,
    target: &Target,
    session: &Arc<Session>,
    id: &Bytes,
    method: String,
    params: Option<Bytes>,
) -> Dispatch {
    if method == "ping" {
        return Dispatch::Answered(Body::Result(NOTHING.into()));
    }
    let cancel = Cancel::default();
    let Some(guard) = session.begin_request(id.clone(), &cancel) else {
        return Dispatch::Answered(RpcError::internal(super::session::TOO_MANY_REQUESTS).body());
    };
    let dispatched = match target {
        Target::All => {
            let context = RequestContext {
                from: from(session),
                caller: caller(session),
                guard,
                session: Some(session),
                recording: None,
            };
            aggregate::request(endpoint, context, &method, params, cancel).await
        }
        Target::One(upstream) => {
            if let Some(answer) = answer_for_session(upstream, session, &method, params.as_ref()).await {
                return Dispatch::Answered(answer);
            }
            let recording = recording(upstream, &method, params.as_ref(), || caller(session));
            let Requester { who, owner } = from(session);
            let upstream = Arc::clone(upstream);
            let outgoing = Outgoing {
                upstream,
                method,
                params,
                who,
                owner,
                subscription: None,
                recording,
                adapt: None,
                cancel,
            };
            Ok(Dispatch::Forwarded(endpoint.hub.start(outgoing, guard)))
        }
    };
    dispatched.unwrap_or_else(|error| Dispatch::Answered(error.body()))
}

fn from(session: &Session) -> Requester {
    Requester { who: session.who(), owner: Some(session.outbox.clone()) }
}

fn caller(session: &Session) -> Caller {
    Caller {
        origin: Origin::Proxy,
        session: Some(session.id.clone()),
        client: session.client.clone(),
        protocol_version: Some(session.protocol_version.clone()),
    }
}

/// Handles a notification of a client.
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
                let reason = params.and_then(|params| params::text(params, "reason"));
                session.cancel(cancelled.request_id.get().as_bytes(), reason.as_deref());
            }
        }
        // We complete the handshake with the upstream ourselves.
        "notifications/initialized" => {}
        _ => match target {
            Target::One(upstream) => {
                if let Ok(live) = upstream.session(&session.who(), Some(&session.outbox), method).await
                    && live.hello.era == Era::Legacy
                {
                    // A notification has no answer, so a failure cannot be reported.
                    let _ = live.link.notify(method, params).await;
                }
            }
            // Nothing says which upstream other notifications are for.
            Target::All if method == "notifications/roots/list_changed" => {
                for live in endpoint.hub.own_sessions(&session.id) {
                    let _ = live.link.notify(method, params).await;
                }
            }
            Target::All => {}
        },
    }
}
