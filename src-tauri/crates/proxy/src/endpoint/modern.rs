//! Requests of stateless clients (2026-07-28), each of which carries all it needs.

use std::sync::Arc;

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use schemascope_model::Origin;

use super::dispatch::{Dispatch, RequestContext, recording, unavailable};
use super::form::{self, Accepts};
use super::parked::RequestIdentity;
use super::rejection::Rejection;
use super::reply::{self, ClientChannel, PendingReply};
use super::{Endpoint, Target, aggregate, header_text, listen};
use crate::bridge;
use crate::call::{Caller, Outgoing};
use crate::cancel::Cancel;
use crate::hub::Requester;
use crate::upstream::Upstream;
use crate::upstream::handshake::Hello;
use crate::wire::headers::{self, PROTOCOL_VERSION, RELAYED};
use crate::wire::message::{self, Message};
use crate::wire::meta::{self, Meta};
use crate::wire::version::{self, MODERN};
use crate::wire::{Body, Era, RpcError, Who, params};

/// Methods of the session era, which an upstream of that era would accept.
const GONE: &[&str] =
    &["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

pub(crate) async fn receive(
    endpoint: &Arc<Endpoint>,
    target: &Target,
    headers: &HeaderMap,
    accepts: Accepts,
    message: Message,
) -> Result<Response, Rejection> {
    let (id, method, params) = match message {
        Message::Request { id, method, params } => (id, method, params),
        // Notifications have no meaning over HTTP: closing the stream cancels.
        Message::Notification { .. } => return Ok(StatusCode::ACCEPTED.into_response()),
        Message::Response { .. } => {
            let error = RpcError::invalid_request(
                "clients of protocol version 2026-07-28 send requests and never responses; answer questions in inputResponses",
            );
            return Err(Rejection::Malformed(error));
        }
    };
    let who = match introduced(headers, params.as_ref()) {
        Ok(who) => who,
        Err(error) => return Ok(refused(&id, &error)),
    };
    if !headers.contains_key(RELAYED) {
        let definition = definition(endpoint, target, &method, params.as_ref());
        let header = |name: &str| header_text(headers, name);
        if let Some(reason) = headers::mismatch(&method, params.as_ref(), definition.as_ref(), header) {
            return Ok(refused(&id, &RpcError::header_mismatch(&reason)));
        }
    }
    let authorization = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
    let identity = RequestIdentity::of(target.name(), &method, params.as_ref(), &who, authorization);
    if let Some(resumed) = endpoint.parked.resume(&identity) {
        return Ok(match resumed {
            Ok(resumed) => {
                let channel = ClientChannel::Modern {
                    parked: Arc::clone(&endpoint.parked),
                    identity,
                    gone: resumed.gone,
                };
                let reply = PendingReply::new(resumed.active, id, channel);
                reply::when_done(reply, accepts, endpoint.shutdown.clone()).await
            }
            Err(body) => form::json(&message::response(&id, &body)),
        });
    }
    if method == "subscriptions/listen"
        && let Some(response) = listen::own(endpoint, target, &id, params.as_ref(), &who).await
    {
        return Ok(response);
    }
    let cancel = Cancel::default();
    let gone = cancel.drop_guard();
    Ok(match request(endpoint, target, &id, &method, params, who, cancel).await {
        Ok(Dispatch::Forwarded(active)) => {
            let channel = ClientChannel::Modern { parked: Arc::clone(&endpoint.parked), identity, gone };
            reply::when_done(PendingReply::new(active, id, channel), accepts, endpoint.shutdown.clone()).await
        }
        Ok(Dispatch::Answered(Body::Result(result))) => {
            let result = Body::Result(bridge::modern(&method, &result));
            form::json(&message::response(&id, &result))
        }
        Ok(Dispatch::Answered(body)) => form::json(&message::response(&id, &body)),
        Err(error) => refused(&id, &error),
    })
}

/// Reads the client from a request, or the reason why it is malformed.
fn introduced(headers: &HeaderMap, params: Option<&Bytes>) -> Result<Who, RpcError> {
    let meta = Meta::of(params);
    let named = match headers.contains_key(RELAYED) {
        true => meta.version.clone(),
        false => header_text(headers, PROTOCOL_VERSION),
    };
    let version = match (&named, &meta.version) {
        (None, _) => return Err(RpcError::header_mismatch("MCP-Protocol-Version header is missing")),
        (Some(named), Some(version)) if named != version => {
            return Err(RpcError::header_mismatch(&format!(
                "MCP-Protocol-Version header value {named:?} does not match body value {version:?}"
            )));
        }
        (Some(named), _) => named,
    };
    if version != MODERN {
        return Err(RpcError::unsupported_version(version));
    }
    let missing = |key: &str| RpcError::invalid_params(format!("params._meta needs {key:?}"));
    meta.version.ok_or_else(|| missing(meta::VERSION))?;
    let who = Who {
        era: Era::Modern,
        session: None,
        info: meta.info,
        log_level: meta.log_level,
        capabilities: meta.capabilities.ok_or_else(|| missing(meta::CAPABILITIES))?,
    };
    who.kept().ok_or_else(|| RpcError::invalid_params(meta::TOO_LONG))
}

/// An error of Schemascope, with the status that the specification demands.
fn refused(id: &Bytes, error: &RpcError) -> Response {
    let body = error.body();
    let status = match (&body, error.is_invalid_params()) {
        (_, true) => StatusCode::BAD_REQUEST,
        (Body::Error(error), false) => reply::status(error),
        (Body::Result(_), false) => StatusCode::OK,
    };
    form::json_with(status, &message::response(id, &body))
}

/// The listed definition of the tool that a request calls.
fn definition(endpoint: &Endpoint, target: &Target, method: &str, params: Option<&Bytes>) -> Option<Bytes> {
    if method != "tools/call" {
        return None;
    }
    let name = params::KnownParams::of(params).name()?;
    let find = |upstream: &Upstream, name: &str| {
        upstream.known_tools().iter().find(|tool| tool.name == name).map(|tool| tool.definition.clone())
    };
    match target {
        Target::One(upstream) => find(upstream, &name),
        Target::All => {
            let tool = endpoint.hub.resolve(&name).ok()?;
            let sent = find(&*endpoint.hub.upstream(tool.server())?, tool.tool())?;
            // As the client got it in the list.
            Some(endpoint.hub.presented(&tool, sent))
        }
    }
}

async fn request(
    endpoint: &Arc<Endpoint>,
    target: &Target,
    id: &Bytes,
    method: &str,
    params: Option<Bytes>,
    who: Who,
    cancel: Cancel,
) -> Result<Dispatch, RpcError> {
    let caller = Caller {
        origin: Origin::Proxy,
        session: None,
        client: who.client(),
        protocol_version: Some(MODERN.into()),
    };
    if GONE.contains(&method) {
        return Err(RpcError::method_not_found(method));
    }
    match target {
        Target::All if method == "server/discover" => {
            Ok(Dispatch::Answered(Body::Result(aggregate::discovered(&endpoint.hub).await)))
        }
        Target::All => {
            let from = Requester { who, owner: None };
            let context = RequestContext { from, caller, guard: (), session: None, recording: None };
            aggregate::request(endpoint, context, method, params, cancel).await
        }
        Target::One(upstream) => {
            let shared = upstream.live().await.map_err(|reason| unavailable(upstream, &reason))?;
            // Our own tools serve a client that they may ask within a session.
            let has_session = upstream.is_own() && who.may_be_asked();
            let native =
                !has_session && (shared.hello.era == Era::Modern || upstream.speaks_modern(&shared).await);
            if method == "server/discover" && !native {
                return Ok(Dispatch::Answered(Body::Result(introduction(&shared.hello))));
            }
            let recording = recording(upstream, method, params.as_ref(), || caller);
            let upstream = Arc::clone(upstream);
            let (method, subscription) = (method.to_owned(), Some(id.clone()));
            let subscription = subscription.filter(|_| method == "subscriptions/listen");
            let outgoing = Outgoing {
                upstream,
                method,
                params,
                who,
                owner: None,
                subscription,
                recording,
                adapt: None,
                cancel,
            };
            Ok(Dispatch::Forwarded(endpoint.hub.start(outgoing, ())))
        }
    }
}

/// The answer of a session-era upstream to `server/discover`.
fn introduction(hello: &Hello) -> Bytes {
    let versions = serde_json::Value::from(version::spoken()).to_string();
    let capabilities = capabilities(&hello.capabilities);
    let mut fields: Vec<(&str, &[u8])> =
        vec![("supportedVersions", versions.as_bytes()), ("capabilities", &capabilities)];
    fields.extend(hello.instructions.as_ref().map(|text| ("instructions", text.as_ref())));
    let meta = hello.info.as_ref().map(|info| params::with(None, &[(meta::SERVER_INFO, info)]));
    fields.extend(meta.as_ref().map(|meta| ("_meta", meta.as_ref())));
    params::with(None, &fields)
}

/// The capabilities that mean the same in both eras. Tasks do not: they are an extension in the stateless era.
fn capabilities(legacy: &Bytes) -> Bytes {
    const SAME: &[&str] = &["tools", "resources", "prompts", "completions", "logging", "experimental"];
    let found: Vec<_> =
        SAME.iter().filter_map(|name| Some((*name, params::field(legacy, name)?.raw))).collect();
    let fields: Vec<(&str, &[u8])> = found.iter().map(|(name, raw)| (*name, raw.as_ref())).collect();
    params::with(None, &fields)
}
