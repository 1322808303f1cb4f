//! Requests to `/mcp`, where all upstreams appear as one server: finds the upstream that each request is for.
//!
//! Tools and prompts are named `server__name`; resources keep their addresses.

use std::sync::{Arc, PoisonError};

use bytes::Bytes;
use serde_json::{Value, json};

use super::Endpoint;
use super::dispatch::{Dispatch, RequestContext};
use super::session::Session;
use super::shared_session::answer_for_session;
use super::tasks;
use crate::call::{Outgoing, Recording};
use crate::cancel::Cancel;
use crate::hub::{Hub, Requester};
use crate::listed::ListedSchemas;
use crate::upstream::{Upstream, handshake};
use crate::wire::meta::Level;
use crate::wire::{Body, Era, RpcError, params, version};

fn capabilities() -> Value {
    json!({
        "tools": {"listChanged": true},
        "resources": {"subscribe": true, "listChanged": true},
        "prompts": {"listChanged": true},
        "completions": {},
        "logging": {},
    })
}

fn server_info() -> Value {
    json!({"name": "schemascope", "title": "Schemascope", "version": env!("CARGO_PKG_VERSION")})
}

/// The answer to `initialize`.
pub(crate) async fn hello(hub: &Hub, agreed: &str) -> Bytes {
    let mut capabilities = capabilities();
    // In the stateless era tasks are an extension with other methods.
    capabilities["tasks"] = json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}});
    let hello = json!({"protocolVersion": agreed, "capabilities": capabilities, "serverInfo": server_info()});
    instructing(hello, hub).await
}

/// The answer to `server/discover`.
pub(crate) async fn discovered(hub: &Hub) -> Bytes {
    let discovered = json!({
        "supportedVersions": version::spoken(),
        "capabilities": capabilities(),
        "_meta": {crate::wire::meta::SERVER_INFO: server_info()},
    });
    instructing(discovered, hub).await
}

/// An answer with the instructions of the upstreams.
async fn instructing(mut answer: Value, hub: &Hub) -> Bytes {
    if let Some(instructions) = hub.instructions().await {
        answer["instructions"] = instructions.into();
    }
    Bytes::from(answer.to_string())
}

/// Answers a request, or forwards it to its upstream.
pub(crate) async fn request<G: Send + 'static>(
    endpoint: &Endpoint,
    context: RequestContext<'_, G>,
    method: &str,
    params: Option<Bytes>,
    cancel: Cancel,
) -> Result<Dispatch, RpcError> {
    let hub = &endpoint.hub;
    let who = &context.from.who;
    let list = |items: &str, found: &[Bytes]| list(params.as_ref(), items, found);
    match method {
        "tools/list" => {
            // Read before the tools are collected, so that no change in between is missed.
            if let Some(session) = context.session {
                *session.listed.lock().unwrap_or_else(PoisonError::into_inner) = Some(hub.lists());
            }
            let (tools, schemas) = hub.tools(who).await;
            if let Some(session) = context.session {
                *session.listed_schemas.lock().unwrap_or_else(PoisonError::into_inner) = schemas;
            }
            list("tools", &tools)
        }
        "prompts/list" => list("prompts", &hub.prompts(who).await),
        "resources/list" => list("resources", &hub.resources(who).await),
        "resources/templates/list" => list("resourceTemplates", &hub.templates(who).await),
        "tools/call" => {
            let seen = params::KnownParams::of(params.as_ref());
            let (Some(name), Some(found), Some(params)) = (seen.name(), &seen.name, &params) else {
                return Err(RpcError::invalid_params("tools/call needs params.name"));
            };
            let tool = hub.resolve(&name)?;
            let upstream_name = Value::from(tool.tool()).to_string().into_bytes();
            let params = params::splice(params, vec![(found.range.clone(), upstream_name)]);
            let recording = Recording { tool, arguments: seen.arguments, caller: context.caller, task: None };
            let listed = Some(listed_schemas(context.session));
            let active = hub.start_call(params, &context.from, recording, listed, cancel, context.guard)?;
            Ok(Dispatch::Forwarded(active))
        }
        "prompts/get" => {
            let params = params.ok_or_else(|| RpcError::invalid_params("prompts/get needs params.name"))?;
            let (upstream, params) = prompt(endpoint, &params, &["name"]).await?;
            Ok(forward(endpoint, context, upstream, method, Some(params), cancel))
        }
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
            let uri = params.as_ref().and_then(|params| params::text(params, "uri"));
            let uri = uri.ok_or_else(|| RpcError::invalid_params(format!("{method} needs params.uri")))?;
            let upstream = endpoint.hub.resource(&uri).await;
            let upstream = upstream.ok_or_else(|| RpcError::unknown_resource(&uri, who.era))?;
            if let Some(session) = context.session
                && let Some(answer) = answer_for_session(&upstream, session, method, params.as_ref()).await
            {
                return Ok(Dispatch::Answered(answer));
            }
            Ok(forward(endpoint, context, upstream, method, params, cancel))
        }
        "logging/setLevel" => {
            let level = params.as_ref().and_then(|params| params::text(params, "level"));
            let level = level.as_deref().and_then(Level::of).ok_or_else(|| {
                RpcError::invalid_params("logging/setLevel needs params.level, from debug to emergency")
            })?;
            if let Some(session) = context.session {
                session.set_log_level(level);
                for upstream in hub.offered() {
                    set_level(&upstream, session, level, params.as_ref()).await;
                }
            }
            Ok(Dispatch::Answered(Body::Result(Bytes::from_static(b"{}"))))
        }
        "tasks/list" | "tasks/get" | "tasks/result" | "tasks/cancel" => {
            let session = context.session.ok_or_else(|| RpcError::method_not_found(method))?;
            if method == "tasks/list" {
                return list("tasks", &tasks::list(hub, session).await);
            }
            let upstream = tasks::upstream(hub, session, params.as_ref())?;
            let recording = tasks::recording(&upstream, method, params.as_ref(), context.caller.clone());
            let context = RequestContext { recording, ..context };
            Ok(forward(endpoint, context, upstream, method, params, cancel))
        }
        "completion/complete" => {
            let params =
                params.ok_or_else(|| RpcError::invalid_params("completion/complete needs params.ref"))?;
            let reference = params::field(&params, "ref").map(|found| found.raw).unwrap_or_default();
            let (upstream, params) = match params::text(&reference, "uri") {
                Some(uri) => match endpoint.hub.resource(&uri).await {
                    Some(upstream) => (upstream, params),
                    None => return Err(RpcError::unknown_resource(&uri, Era::Modern)),
                },
                None => prompt(endpoint, &params, &["ref", "name"]).await?,
            };
            Ok(forward(endpoint, context, upstream, method, Some(params), cancel))
        }
        _ => Err(RpcError::method_not_found(method)),
    }
}

/// Sets the session's log level at one upstream; one that does not run gets it when it starts. Errors are ignored: the
/// level still applies at the others.
async fn set_level(upstream: &Arc<Upstream>, session: &Arc<Session>, level: Level, params: Option<&Bytes>) {
    const METHOD: &str = "logging/setLevel";
    match upstream.live_now() {
        None => {
            upstream.session_states.note(&session.id, METHOD, params);
            if !session.who().may_be_asked() {
                upstream.log_levels.note(&session.id, level);
            }
        }
        Some(live) if !live.hello.has("logging") => {}
        Some(_) => {
            if answer_for_session(upstream, session, METHOD, params).await.is_none()
                && let Ok(live) = upstream.session(&session.who(), Some(&session.outbox), METHOD).await
                && handshake::ask(&live.link, METHOD, params).await.is_ok()
            {
                upstream.session_states.note(&session.id, METHOD, params);
            }
        }
    }
}

/// The schemas under which a session listed its tools; none without a session.
fn listed_schemas(session: Option<&Arc<Session>>) -> ListedSchemas {
    let listed = session.map(|session| session.listed_schemas.lock().unwrap_or_else(PoisonError::into_inner));
    listed.map(|listed| listed.clone()).unwrap_or_default()
}

fn forward<G: Send + 'static>(
    endpoint: &Endpoint,
    context: RequestContext<'_, G>,
    upstream: Arc<Upstream>,
    method: &str,
    params: Option<Bytes>,
    cancel: Cancel,
) -> Dispatch {
    let Requester { who, owner } = context.from;
    let (method, recording) = (method.to_owned(), context.recording);
    // The results of tasks are those of calls, whose schema the client knows.
    let (subscription, adapt) = (None, recording.is_some().then(|| listed_schemas(context.session)));
    let outgoing = Outgoing { upstream, method, params, who, owner, subscription, recording, adapt, cancel };
    Dispatch::Forwarded(endpoint.hub.start(outgoing, context.guard))
}

/// Lists have one page here, so that no cursor is ours.
fn reject_cursor(params: Option<&Bytes>) -> Result<(), RpcError> {
    match params.and_then(|params| params::text(params, "cursor")) {
        Some(cursor) if !cursor.is_empty() => {
            Err(RpcError::invalid_params("Unknown cursor; this list has one page, without a cursor"))
        }
        _ => Ok(()),
    }
}

fn list(params: Option<&Bytes>, items: &str, found: &[Bytes]) -> Result<Dispatch, RpcError> {
    reject_cursor(params)?;
    let list = [b"{\"", items.as_bytes(), b"\":[", &found.join(&b","[..]), b"]}"].concat();
    Ok(Dispatch::Answered(Body::Result(list.into())))
}

/// The upstream of the prompt whose name is at `path` in `params`, and `params` with the upstream's name of it.
async fn prompt(
    endpoint: &Endpoint,
    params: &Bytes,
    path: &[&str],
) -> Result<(Arc<Upstream>, Bytes), RpcError> {
    let mut at = 0;
    let mut value = params.clone();
    for key in path {
        let found = params::field(&value, key)
            .ok_or_else(|| RpcError::invalid_params(format!("params.{} is missing", path.join("."))))?;
        at += found.range.start;
        value = found.raw;
    }
    let name: String = serde_json::from_slice(&value)
        .map_err(|_| RpcError::invalid_params(format!("params.{} must be a string", path.join("."))))?;
    let (upstream, prompt) = endpoint.hub.prompt(&name).await.ok_or_else(|| {
        RpcError::invalid_params(format!("Unknown prompt: {name}; prompts/list shows the current prompts"))
    })?;
    let prompt = Value::from(prompt).to_string().into_bytes();
    Ok((upstream, params::splice(params, vec![(at..at + value.len(), prompt)])))
}
