//! `/mcp`: all upstreams as one server, for clients of both eras.
//!
//! Owns: whose business each request is. Tools and prompts are named `server__name`; resources keep their
//! addresses. Refuses to know: sessions, HTTP.

use std::sync::{Arc, PoisonError};

use bytes::Bytes;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::Endpoint;
use super::legacy::{Handled, own_business};
use super::session::Session;
use super::tasks;
use crate::call::{Caller, Outgoing, Recording};
use crate::hub::From;
use crate::upstream::{Upstream, handshake};
use crate::wire::{Body, RpcError, params, version};

/// Somebody who asks for something.
pub(crate) struct Asking<'a, G> {
    pub(crate) from: From,
    pub(crate) caller: Caller,
    /// Held until the request has ended.
    pub(crate) under_way: G,
    /// Its session, in the era that has them.
    pub(crate) session: Option<&'a Arc<Session>>,
    /// What to record of what is passed on.
    pub(crate) recording: Option<Recording>,
}

fn capabilities() -> serde_json::Value {
    json!({
        "tools": {"listChanged": true},
        "resources": {"subscribe": true, "listChanged": true},
        "prompts": {"listChanged": true},
        "completions": {},
        "logging": {},
    })
}

fn us() -> serde_json::Value {
    json!({"name": "schemascope", "title": "Schemascope", "version": env!("CARGO_PKG_VERSION")})
}

/// The answer to `initialize`.
pub(crate) fn hello(agreed: &str) -> Bytes {
    let mut capabilities = capabilities();
    // The other era has them as an extension with other methods.
    capabilities["tasks"] = json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}});
    let hello = json!({"protocolVersion": agreed, "capabilities": capabilities, "serverInfo": us()});
    Bytes::from(hello.to_string())
}

/// The answer to `server/discover`.
pub(crate) fn discovered() -> Bytes {
    let discovered = json!({
        "supportedVersions": version::spoken(),
        "capabilities": capabilities(),
        "_meta": {crate::wire::meta::SERVER_INFO: us()},
    });
    Bytes::from(discovered.to_string())
}

/// Answers a request, or takes it to its upstream.
pub(crate) async fn request<G: Send + 'static>(
    endpoint: &Endpoint,
    asking: Asking<'_, G>,
    method: &str,
    params: Option<Bytes>,
    cancel: CancellationToken,
) -> Result<Handled, RpcError> {
    let hub = &endpoint.hub;
    let who = &asking.from.who;
    match method {
        "tools/list" => {
            // Before collecting: what changes meanwhile is announced rather than missed.
            if let Some(session) = asking.session {
                *session.listed.lock().unwrap_or_else(PoisonError::into_inner) = Some(hub.lists());
            }
            Ok(list("tools", &hub.tools(who).await))
        }
        "prompts/list" => Ok(list("prompts", &hub.prompts(who).await)),
        "resources/list" => Ok(list("resources", &hub.resources(who).await)),
        "resources/templates/list" => Ok(list("resourceTemplates", &hub.templates(who).await)),
        "tools/call" => {
            let seen = params::Seen::of(params.as_ref());
            let (Some(name), Some(found), Some(params)) = (seen.name(), &seen.name, &params) else {
                return Err(RpcError::invalid_params("tools/call needs params.name"));
            };
            let tool = hub.resolve(&name)?;
            let upstream_name = serde_json::Value::from(tool.tool()).to_string().into_bytes();
            let params = params::splice(params, vec![(found.range.clone(), upstream_name)]);
            let recording = Recording { tool, arguments: seen.arguments, caller: asking.caller, task: None };
            let active = hub.start_call(params, &asking.from, recording, true, cancel, asking.under_way)?;
            Ok(Handled::Active(active))
        }
        "prompts/get" => {
            let params = params.ok_or_else(|| RpcError::invalid_params("prompts/get needs params.name"))?;
            let (upstream, params) = prompt(endpoint, &params, &["name"]).await?;
            Ok(forward(endpoint, asking, upstream, method, Some(params), cancel))
        }
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
            let uri = params.as_ref().and_then(|params| params::text(params, "uri"));
            let uri = uri.ok_or_else(|| RpcError::invalid_params(format!("{method} needs params.uri")))?;
            let upstream = resource(endpoint, &uri).await?;
            if let Some(session) = asking.session
                && let Some(answer) = own_business(&upstream, session, method, params.as_ref()).await
            {
                return Ok(Handled::Now(answer));
            }
            Ok(forward(endpoint, asking, upstream, method, params, cancel))
        }
        "logging/setLevel" => {
            if let Some(session) = asking.session {
                for (upstream, live) in hub.ready().await {
                    if live.hello.has("logging") {
                        set_level(&upstream, session, params.as_ref()).await;
                    }
                }
            }
            Ok(Handled::Now(Body::Result(Bytes::from_static(b"{}"))))
        }
        "tasks/list" | "tasks/get" | "tasks/result" | "tasks/cancel" => {
            let session = asking.session.ok_or_else(|| RpcError::method_not_found(method))?;
            if method == "tasks/list" {
                return Ok(list("tasks", &tasks::list(hub, session).await));
            }
            let upstream = tasks::upstream(hub, session, params.as_ref())?;
            let recording = tasks::recording(&upstream, method, params.as_ref(), asking.caller.clone());
            let asking = Asking { recording, ..asking };
            Ok(forward(endpoint, asking, upstream, method, params, cancel))
        }
        "completion/complete" => {
            let params =
                params.ok_or_else(|| RpcError::invalid_params("completion/complete needs params.ref"))?;
            let reference = params::field(&params, "ref").map(|found| found.raw).unwrap_or_default();
            let (upstream, params) = match params::text(&reference, "uri") {
                Some(uri) => (resource(endpoint, &uri).await?, params),
                None => prompt(endpoint, &params, &["ref", "name"]).await?,
            };
            Ok(forward(endpoint, asking, upstream, method, Some(params), cancel))
        }
        _ => Err(RpcError::method_not_found(method)),
    }
}

/// Has one upstream log for this session; one that refuses does not keep the others from it.
async fn set_level(upstream: &Arc<Upstream>, session: &Arc<Session>, params: Option<&Bytes>) {
    if own_business(upstream, session, "logging/setLevel", params).await.is_none()
        && let Ok(live) = upstream.session(&session.who(), Some(&session.outbox)).await
    {
        const METHOD: &str = "logging/setLevel";
        if handshake::ask(&live.link, METHOD, params).await.is_ok() {
            upstream.wishes.note(&session.id, METHOD, params);
        }
    }
}

fn forward<G: Send + 'static>(
    endpoint: &Endpoint,
    asking: Asking<'_, G>,
    upstream: Arc<Upstream>,
    method: &str,
    params: Option<Bytes>,
    cancel: CancellationToken,
) -> Handled {
    let From { who, owner } = asking.from;
    let (method, recording) = (method.to_owned(), asking.recording);
    // As the client was told what the tool answers.
    let (subscription, adapt) = (None, recording.is_some());
    let outgoing = Outgoing { upstream, method, params, who, owner, subscription, recording, adapt, cancel };
    Handled::Active(endpoint.hub.start(outgoing, asking.under_way))
}

fn list(items: &str, found: &[Bytes]) -> Handled {
    let list = [b"{\"", items.as_bytes(), b"\":[", &found.join(&b","[..]), b"]}"].concat();
    Handled::Now(Body::Result(list.into()))
}

pub(crate) async fn resource(endpoint: &Endpoint, uri: &str) -> Result<Arc<Upstream>, RpcError> {
    let found = endpoint.hub.resource(uri).await;
    found.ok_or_else(|| RpcError::invalid_params(format!("Unknown resource: {uri}")))
}

/// The upstream of the prompt named at a path of `params`, and `params` as that upstream names it.
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
        .map_err(|_| RpcError::invalid_params(format!("params.{} must be text", path.join("."))))?;
    let (upstream, prompt) = endpoint
        .hub
        .prompt(&name)
        .await
        .ok_or_else(|| RpcError::invalid_params(format!("Unknown prompt: {name}")))?;
    let prompt = serde_json::Value::from(prompt).to_string().into_bytes();
    Ok((upstream, params::splice(params, vec![(at..at + value.len(), prompt)])))
}
