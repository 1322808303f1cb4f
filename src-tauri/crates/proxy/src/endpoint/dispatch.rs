//! Dispatching requests, for clients of both eras: what a request needs on its way, and whether it was answered at once
//! or forwarded.

use std::sync::Arc;

use bytes::Bytes;
use schemascope_model::ToolId;

use super::session::Session;
use super::tasks;
use crate::call::{Caller, Recording};
use crate::exchange::ActiveRequest;
use crate::hub::Requester;
use crate::upstream::Upstream;
use crate::wire::{Body, RpcError, params};

/// The client of a request to `/mcp`, and what belongs to the request besides method and `params`.
pub(crate) struct RequestContext<'a, G> {
    pub(crate) from: Requester,
    pub(crate) caller: Caller,
    /// Held until the request has ended.
    pub(crate) guard: G,
    /// The client's session, in the session era.
    pub(crate) session: Option<&'a Arc<Session>>,
    /// What to record if the request is forwarded.
    pub(crate) recording: Option<Recording>,
}

/// What was done with a request.
pub(crate) enum Dispatch {
    /// It was answered at once.
    Answered(Body),
    /// It is on its way to an upstream.
    Forwarded(ActiveRequest),
}

/// What to record of a request to one upstream. A call without a tool's name is not recorded; the upstream rejects it.
pub(crate) fn recording(
    upstream: &Upstream,
    method: &str,
    params: Option<&Bytes>,
    caller: impl FnOnce() -> Caller,
) -> Option<Recording> {
    match method {
        "tools/call" => {
            let seen = params::KnownParams::of(params);
            let tool = ToolId::new(upstream.name(), &seen.name()?).ok()?;
            Some(Recording { tool, arguments: seen.arguments, caller: caller(), task: None })
        }
        "tasks/get" | "tasks/result" => tasks::recording(upstream, method, params, caller()),
        _ => None,
    }
}

/// The error for a request whose upstream has no session.
pub(crate) fn unavailable(upstream: &Upstream, reason: &str) -> RpcError {
    RpcError::internal(format!("upstream {:?}: {reason}", upstream.name()))
}
