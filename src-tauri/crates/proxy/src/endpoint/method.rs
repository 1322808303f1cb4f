//! What each method means on each endpoint.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use schemascope_model::{Client, Origin, ToolId};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::session::Session;
use super::{Endpoint, Target};
use crate::call::{Active, Caller, Outgoing, Recording};
use crate::wire::{Body, RpcError, params, version};

/// What became of a request.
pub(crate) enum Handled {
    /// Answered at once.
    Now(Body),
    /// On its way to an upstream.
    Active(Active),
}

/// The answer to `initialize`, and what the client said.
pub(crate) struct Hello {
    pub(crate) result: Bytes,
    pub(crate) client: Option<Client>,
    pub(crate) protocol_version: String,
}

pub(crate) async fn initialize(
    endpoint: &Endpoint,
    target: &Target,
    params: Option<&Bytes>,
) -> Result<Hello, RpcError> {
    #[derive(Deserialize)]
    struct Params {
        #[serde(rename = "protocolVersion")]
        protocol_version: String,
        #[serde(rename = "clientInfo")]
        client: Option<Client>,
    }
    let params: Params = params.and_then(|params| serde_json::from_slice(params).ok()).ok_or_else(|| {
        RpcError::invalid_params("initialize needs protocolVersion, capabilities and clientInfo")
    })?;
    let (result, protocol_version) = match target {
        Target::All => {
            // So that the first list finds them started.
            endpoint.hub.begin_start();
            let agreed = version::agree(&params.protocol_version, version::newest().as_str());
            let result = serde_json::json!({
                "protocolVersion": agreed,
                "capabilities": {"tools": {"listChanged": true}},
                "serverInfo": {"name": "schemascope", "title": "Schemascope", "version": env!("CARGO_PKG_VERSION")},
            });
            (Bytes::from(result.to_string()), agreed)
        }
        Target::One(upstream) => {
            let live = upstream
                .live()
                .await
                .map_err(|reason| RpcError::internal(format!("upstream {:?}: {reason}", upstream.name())))?;
            let agreed = version::agree(&params.protocol_version, &live.hello.version);
            let result = &live.hello.result;
            let edits = params::field(result, "protocolVersion")
                .filter(|_| agreed != live.hello.version)
                .map(|found| (found.range, format!("\"{agreed}\"").into_bytes()));
            (params::splice(result, edits.into_iter().collect()), agreed)
        }
    };
    Ok(Hello { result, client: params.client, protocol_version })
}

pub(crate) async fn request(
    endpoint: &Endpoint,
    target: &Target,
    session: &Arc<Session>,
    id: &Bytes,
    method: String,
    params: Option<Bytes>,
) -> Handled {
    if method == "ping" {
        return Handled::Now(Body::Result(Bytes::from_static(b"{}")));
    }
    let cancel = CancellationToken::new();
    let handled = match target {
        Target::All => all(endpoint, session, id, &method, params, cancel).await,
        Target::One(upstream) => {
            let recording = if method == "tools/call" {
                recording(upstream.name(), session, params.as_ref())
            } else {
                None
            };
            let under_way = session.under_way(id.clone(), cancel.clone());
            let upstream = Arc::clone(upstream);
            let outgoing = Outgoing { upstream, method, params, recording, cancel };
            Ok(Handled::Active(endpoint.hub.start(outgoing, under_way)))
        }
    };
    handled.unwrap_or_else(|error| Handled::Now(error.body()))
}

async fn all(
    endpoint: &Endpoint,
    session: &Arc<Session>,
    id: &Bytes,
    method: &str,
    params: Option<Bytes>,
    cancel: CancellationToken,
) -> Result<Handled, RpcError> {
    match method {
        "tools/list" => {
            // Before collecting: what changes meanwhile is announced rather than missed.
            session.listed.store(endpoint.hub.version(), Ordering::Relaxed);
            let tools = endpoint.hub.tools().await;
            let list = [b"{\"tools\":[".as_slice(), &tools.join(&b","[..]), b"]}"].concat();
            Ok(Handled::Now(Body::Result(list.into())))
        }
        "tools/call" => {
            let seen = params::Seen::of(params.as_ref());
            let (Some(name), Some(found), Some(params)) = (seen.name(), &seen.name, &params) else {
                return Err(RpcError::invalid_params("tools/call needs params.name"));
            };
            let tool = endpoint.hub.resolve(&name)?;
            let upstream_name = serde_json::Value::from(tool.tool()).to_string().into_bytes();
            let params = params::splice(params, vec![(found.range.clone(), upstream_name)]);
            let recording = Recording { tool, arguments: seen.arguments, caller: caller(session) };
            let under_way = session.under_way(id.clone(), cancel.clone());
            Ok(Handled::Active(endpoint.hub.start_call(params, recording, cancel, under_way)?))
        }
        _ => Err(RpcError::method_not_found(method)),
    }
}

/// What to record of a call to one upstream. A call that names no tool is no call; the upstream says so.
fn recording(server: &str, session: &Session, params: Option<&Bytes>) -> Option<Recording> {
    let seen = params::Seen::of(params);
    let tool = ToolId::new(server, &seen.name()?).ok()?;
    Some(Recording { tool, arguments: seen.arguments, caller: caller(session) })
}

fn caller(session: &Session) -> Caller {
    Caller {
        origin: Origin::Proxy,
        session: Some(session.id.clone()),
        client: session.client.clone(),
        protocol_version: Some(session.protocol_version.clone()),
    }
}
