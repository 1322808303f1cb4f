//! The life of one request to an upstream.
//!
//! A request runs on a task of its own. It is recorded even if its client goes away, and a cancelled request is
//! cancelled at the upstream as well.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use schemascope_model::{Client, Origin, Timestamp, ToolId};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::adapter::Adapter;
use crate::bridge;
use crate::built_in::CallerSession;
use crate::cancel::Cancel;
use crate::config::OWN_SERVER;
use crate::exchange::{ActiveRequest, Outbox};
use crate::listed::ListedSchemas;
use crate::observer::{Ended, FinishedCall, Observer};
use crate::running::{RunningCall, RunningCalls};
use crate::schemas::Effective;
use crate::upstream::Upstream;
use crate::upstream::tasks::ToolCall;
use crate::upstream::transport::built_in::CALLER;
use crate::wire::{Body, RpcError, Who, params};

/// Events that wait for a slow client; further ones are dropped.
const EVENT_BUFFER: usize = 256;

/// The caller of a tool, as far as it is known.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The way by which the call came.
    pub origin: Origin,
    /// The client's session.
    pub session: Option<Box<str>>,
    /// Name and version of the client, if it sent them.
    pub client: Option<Client>,
    /// Protocol version of the session or request.
    pub protocol_version: Option<Box<str>>,
}

/// The result of a call that Schemascope made itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The upstream's `result`, byte for byte.
    pub result: Bytes,
}

/// The reason why a call that Schemascope made itself has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallFailed {
    /// The upstream's JSON-RPC error, byte for byte, or an error of Schemascope.
    #[error("{}", String::from_utf8_lossy(.0))]
    Error(Bytes),
    /// The call ended without an answer.
    #[error("the call ended without an answer; it may or may not have been carried out")]
    BrokenOff,
}

/// Key in `_meta` with which generated wrappers ask for the value that is learned from a result, and receive it.
const OBSERVATION: &str = "schemascope/observation";
/// The reason why requests in progress end when Schemascope does.
pub(crate) const SHUTTING_DOWN: &str =
    "Schemascope is shutting down; the request may or may not have been carried out";

/// The facts about a tool call that are recorded with it.
pub(crate) struct Recording {
    pub(crate) tool: ToolId,
    pub(crate) arguments: Option<Bytes>,
    pub(crate) caller: Caller,
    /// The task, if this request fetches the result of a call that was answered with one.
    pub(crate) task: Option<String>,
}

/// A request on its way to an upstream.
pub(crate) struct Outgoing {
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) method: String,
    pub(crate) params: Option<Bytes>,
    /// The client that sent it.
    pub(crate) who: Who,
    /// The client's queue for events that belong to none of its requests.
    pub(crate) owner: Option<Outbox>,
    /// The client's own request id, if the request opens a subscription.
    pub(crate) subscription: Option<Bytes>,
    /// What to record, if this is a tool call.
    pub(crate) recording: Option<Recording>,
    /// The schemas that the client listed, if the result is adapted to them, as for clients of `/mcp`.
    pub(crate) adapt: Option<ListedSchemas>,
    /// Cancels the request, also at the upstream.
    pub(crate) cancel: Cancel,
}

/// Sends a request on a task of its own. The task holds `guard` and ends with the request or when `ending` is
/// cancelled. A tool call is one of the `running` ones until it is recorded.
pub(crate) fn start(
    outgoing: Outgoing,
    observer: Arc<dyn Observer>,
    adapter: Arc<Adapter>,
    tasks: &TaskTracker,
    running: &Arc<RunningCalls>,
    ending: CancellationToken,
    guard: impl Send + 'static,
) -> ActiveRequest {
    let recording = outgoing.recording;
    let (upstream, cancel, adapt) = (outgoing.upstream, outgoing.cancel, outgoing.adapt);
    let (era, cancelling) = (outgoing.who.era, cancel.clone());
    let (events_sender, events) = mpsc::channel(EVENT_BUFFER);
    let (answer_sender, answer) = oneshot::channel();
    let call = recording.as_ref().filter(|recording| recording.task.is_none());
    let call = call.map(|Recording { tool, arguments, .. }| ToolCall {
        tool: tool.clone(),
        arguments: arguments.clone(),
    });
    let at = Timestamp::now();
    let running = recording.as_ref().map(|Recording { tool, caller, .. }| {
        running.add(RunningCall { tool: tool.clone(), at, client: caller.client.clone() })
    });
    let wants_observation = adapt.is_some() && wants_observation(outgoing.params.as_ref());
    let method = outgoing.method.clone();
    let own = recording.as_ref().filter(|_| upstream.name() == OWN_SERVER);
    let params = match own {
        Some(recording) => Some(with_caller(outgoing.params.as_ref(), &recording.caller)),
        None => outgoing.params,
    };
    let outgoing = bridge::ClientRequest {
        method: outgoing.method,
        params,
        who: outgoing.who,
        owner: outgoing.owner,
        subscription: outgoing.subscription,
        call,
    };
    tasks.spawn(async move {
        let _guard = (guard, running);
        let began = Instant::now();
        let driven = tokio::select! {
            driven = bridge::drive(&upstream, outgoing, events_sender, &cancel) => driven,
            () = ending.cancelled() => Ended::Lost(SHUTTING_DOWN.into()).into(),
        };
        let bridge::BridgeOutcome { ended, upstream_us, answer, .. } = driven;
        let mut body = match &ended {
            _ if answer.is_some() => answer,
            Ended::Result(result) => Some(Body::Result(result.clone())),
            Ended::Error(error) => Some(Body::Error(error.clone())),
            Ended::Lost(reason) => {
                let reason = observer.without_secrets(reason.clone());
                Some(RpcError::internal(format!("upstream {:?}: {reason}", upstream.name())).body())
            }
            Ended::Cancelled => None,
        };
        if let Some(Recording { tool, arguments, caller, task }) = recording {
            let effective = adapter.effective(&tool);
            let mut rung = None;
            if let (Some(listed), Some(Body::Result(result))) = (&adapt, &mut body) {
                let adapted = adapter.adapt(&tool, &effective, listed, result, era).await;
                rung = adapted.rung;
                // A wrapper of a declared schema describes what is sent.
                let is_sent = adapted.rejected || matches!(effective, Effective::Declared(_));
                let observed = (wants_observation && !is_sent).then(|| {
                    let value = adapter.schemas().read_inside(&tool, result)?;
                    Some(with_observation(result, &value))
                });
                if let Some(shown) = observed.flatten().or(adapted.result) {
                    *result = shown;
                }
            }
            let ended = match task {
                None => Some(ended),
                // Recorded once, however often the client asks for the result.
                Some(task) => {
                    let session = caller.session.as_deref();
                    of_task(&method, ended).filter(|_| upstream.tasks.record(&task, session))
                }
            };
            if let Some(ended) = ended {
                let Caller { origin, session, client, protocol_version } = caller;
                let total_us = micros(began);
                let call = FinishedCall {
                    tool,
                    at,
                    origin,
                    session,
                    client,
                    protocol_version,
                    arguments,
                    ended,
                    rung,
                    effective,
                    upstream_us,
                    total_us,
                };
                observer.finished(call).await;
            }
        }
        if let Some(body) = body {
            // The client may be gone. The record stays.
            let _ = answer_sender.send(body);
        }
    });
    ActiveRequest { events, answer, cancel: cancelling }
}

/// Whether the client wants the value that is learned, in place of what clients otherwise receive.
fn wants_observation(params: Option<&Bytes>) -> bool {
    let meta = params.and_then(|params| params::field(params, "_meta"));
    meta.and_then(|meta| params::field(&meta.raw, OBSERVATION)).is_some_and(|found| &*found.raw == b"true")
}

/// A result with the value that is learned from it.
fn with_observation(result: &Bytes, value: &str) -> Bytes {
    let meta = params::field(result, "_meta").map(|found| found.raw);
    let meta = params::with(meta.as_ref(), &[(OBSERVATION, value.as_bytes())]);
    params::with(Some(result), &[("_meta", &meta)])
}

/// `params` that tell our own tools whose call it is.
fn with_caller(params: Option<&Bytes>, caller: &Caller) -> Bytes {
    let caller = CallerSession { session: caller.session.clone(), client: caller.client.clone() };
    let caller = serde_json::to_vec(&caller).unwrap_or_default();
    let meta = params.and_then(|params| params::field(params, "_meta")).map(|found| found.raw);
    let meta = params::with(meta.as_ref(), &[(CALLER, &caller)]);
    params::with(params, &[("_meta", &meta)])
}

/// How a task's call ended, if this answer contains that.
fn of_task(method: &str, ended: Ended) -> Option<Ended> {
    match (method, ended) {
        ("tasks/result", ended @ (Ended::Result(_) | Ended::Error(_))) => Some(ended),
        // In the stateless era the state of a task contains its result.
        ("tasks/get", Ended::Result(task)) => {
            let result = params::field(&task, "result").map(|found| Ended::Result(found.raw));
            result.or_else(|| params::field(&task, "error").map(|found| Ended::Error(found.raw)))
        }
        _ => None,
    }
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
