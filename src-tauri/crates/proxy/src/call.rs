//! One request on its way to an upstream and back.
//!
//! Owns: the life of a request whatever becomes of its client: a client that goes away does not lose
//! the record, a cancelled one is cancelled upstream. Refuses to know: HTTP, names.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use schemascope_model::{Client, Origin, Timestamp, ToolId};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::adapter::Adapter;
use crate::bridge;
use crate::exchange::{Active, Outbox};
use crate::observer::{Ended, FinishedCall, Observer};
use crate::upstream::Upstream;
use crate::upstream::tasks::Called;
use crate::wire::{Body, RpcError, Who, params};

/// Events that may wait for a slow client; further ones are dropped.
const EVENTS: usize = 256;

/// Who calls, as far as is known.
#[derive(Debug, Clone)]
pub struct Caller {
    /// By which way.
    pub origin: Origin,
    /// The client's session.
    pub session: Option<Box<str>>,
    /// What it says of itself.
    pub client: Option<Client>,
    /// Protocol version spoken with it.
    pub protocol_version: Option<Box<str>>,
}

/// What a call made for ourselves came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The upstream's `result`, byte for byte.
    pub result: Bytes,
}

/// Why a call made for ourselves has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallFailed {
    /// The upstream's JSON-RPC error, byte for byte, or one of our own.
    #[error("{}", String::from_utf8_lossy(.0))]
    Error(Bytes),
    /// It was broken off.
    #[error("the call was broken off")]
    BrokenOff,
}

/// What is to be recorded of a tool call.
pub(crate) struct Recording {
    pub(crate) tool: ToolId,
    pub(crate) arguments: Option<Bytes>,
    pub(crate) caller: Caller,
    /// The task the call was answered with, where this asks for what became of it.
    pub(crate) task: Option<String>,
}

/// A request on its way to an upstream.
pub(crate) struct Outgoing {
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) method: String,
    pub(crate) params: Option<Bytes>,
    /// Whose it is.
    pub(crate) who: Who,
    /// Where goes what belongs to none of its requests.
    pub(crate) owner: Option<Outbox>,
    /// The client's own id, where it opens a subscription.
    pub(crate) subscription: Option<Bytes>,
    /// What to record of it, if it is a tool call.
    pub(crate) recording: Option<Recording>,
    /// Whether its client is one of `/mcp`, who gets what it was told to expect of a tool.
    pub(crate) adapt: bool,
    /// Cancels it, upstream too.
    pub(crate) cancel: CancellationToken,
}

/// Sends a request. It runs on a task of its own to its end, or until `ending`, holding `guard` as long.
pub(crate) fn start(
    outgoing: Outgoing,
    observer: Arc<dyn Observer>,
    adapter: Arc<Adapter>,
    tasks: &TaskTracker,
    ending: CancellationToken,
    guard: impl Send + 'static,
) -> Active {
    let recording = outgoing.recording;
    let (upstream, cancel, adapt) = (outgoing.upstream, outgoing.cancel, outgoing.adapt);
    let (era, cancelling) = (outgoing.who.era, cancel.clone());
    let (events_sender, events) = mpsc::channel(EVENTS);
    let (answer_sender, answer) = oneshot::channel();
    let call = recording.as_ref().filter(|recording| recording.task.is_none());
    let call = call
        .map(|Recording { tool, arguments, .. }| Called { tool: tool.clone(), arguments: arguments.clone() });
    let method = outgoing.method.clone();
    let outgoing = bridge::Request {
        method: outgoing.method,
        params: outgoing.params,
        who: outgoing.who,
        owner: outgoing.owner,
        subscription: outgoing.subscription,
        call,
    };
    tasks.spawn(async move {
        let _guard = guard;
        let at = Timestamp::now();
        let began = Instant::now();
        let driven = tokio::select! {
            driven = bridge::drive(&upstream, outgoing, events_sender, &cancel) => driven,
            () = ending.cancelled() => Ended::Lost("Schemascope is shutting down".into()).into(),
        };
        let bridge::Driven { ended, upstream_us, answer, .. } = driven;
        let mut body = match &ended {
            _ if answer.is_some() => answer,
            Ended::Result(result) => Some(Body::Result(result.clone())),
            Ended::Error(error) => Some(Body::Error(error.clone())),
            Ended::Lost(reason) => {
                Some(RpcError::internal(format!("upstream {:?}: {reason}", upstream.name())).body())
            }
            Ended::Cancelled => None,
        };
        if let Some(Recording { tool, arguments, caller, task }) = recording {
            let effective = adapter.effective(&tool);
            let mut rung = None;
            if let (true, Some(Body::Result(result))) = (adapt, &mut body) {
                let adapted = adapter.adapt(&tool, &effective, result, era).await;
                rung = adapted.rung;
                if let Some(adapted) = adapted.result {
                    *result = adapted;
                }
            }
            let ended = match task {
                None => Some(ended),
                // However often it is asked for.
                Some(task) => of_task(&method, ended).filter(|_| upstream.tasks.record(&task)),
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
            // The client may have gone; the record stays.
            let _ = answer_sender.send(body);
        }
    });
    Active { events, answer, cancel: cancelling }
}

/// How a task's call ended, if this tells.
fn of_task(method: &str, ended: Ended) -> Option<Ended> {
    match (method, ended) {
        ("tasks/result", ended @ (Ended::Result(_) | Ended::Error(_))) => Some(ended),
        // In the stateless era what it came to stands in its state.
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
