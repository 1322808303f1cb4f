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

use crate::observer::{Ended, FinishedCall, Observer};
use crate::upstream::Upstream;
use crate::wire::{Body, RpcError};

/// Progress that may wait for a slow client; further progress is dropped.
const PROGRESS: usize = 256;

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
}

/// A request under way, seen from the client's side.
pub(crate) struct Active {
    /// `params` of progress notifications, in order, all of them before the answer.
    pub(crate) progress: mpsc::Receiver<Bytes>,
    /// Closed without an answer when the request was cancelled.
    pub(crate) answer: oneshot::Receiver<Body>,
}

/// A request on its way to an upstream.
pub(crate) struct Outgoing {
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) method: String,
    pub(crate) params: Option<Bytes>,
    /// What to record of it, if it is a tool call.
    pub(crate) recording: Option<Recording>,
    /// Cancels it, upstream too.
    pub(crate) cancel: CancellationToken,
}

/// Sends a request. It runs on a task of its own to its end, holding `guard` as long.
pub(crate) fn start(
    outgoing: Outgoing,
    observer: Arc<dyn Observer>,
    tasks: &TaskTracker,
    guard: impl Send + 'static,
) -> Active {
    let Outgoing { upstream, method, params, recording, cancel } = outgoing;
    let (progress_sender, progress) = mpsc::channel(PROGRESS);
    let (answer_sender, answer) = oneshot::channel();
    tasks.spawn(async move {
        let _guard = guard;
        let at = Timestamp::now();
        let began = Instant::now();
        let (ended, upstream_us) = drive(&upstream, &method, params, progress_sender, &cancel).await;
        let body = match &ended {
            Ended::Result(result) => Some(Body::Result(result.clone())),
            Ended::Error(error) => Some(Body::Error(error.clone())),
            Ended::Lost(reason) => {
                Some(RpcError::internal(format!("upstream {:?}: {reason}", upstream.name())).body())
            }
            Ended::Cancelled => None,
        };
        if let Some(Recording { tool, arguments, caller }) = recording {
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
                upstream_us,
                total_us,
            };
            observer.finished(call).await;
        }
        if let Some(body) = body {
            // The client may have gone; the record stays.
            let _ = answer_sender.send(body);
        }
    });
    Active { progress, answer }
}

/// Returns how it ended and how long the upstream took, in microseconds.
async fn drive(
    upstream: &Arc<Upstream>,
    method: &str,
    params: Option<Bytes>,
    progress: mpsc::Sender<Bytes>,
    cancelled: &CancellationToken,
) -> (Ended, u64) {
    let live = tokio::select! {
        live = upstream.live() => live,
        () = cancelled.cancelled() => return (Ended::Cancelled, 0),
    };
    let live = match live {
        Ok(live) => live,
        Err(reason) => return (Ended::Lost(reason), 0),
    };
    let began = Instant::now();
    let sent = tokio::select! {
        sent = live.connection.request(method, params.as_ref()) => sent,
        () = cancelled.cancelled() => return (Ended::Cancelled, micros(began)),
    };
    let Ok(mut request) = sent else { return (lost(), micros(began)) };
    let ended = loop {
        tokio::select! {
            biased;
            Some(params) = request.progress.recv() => {
                live.connection.pass_progress(&progress, params);
            }
            body = &mut request.answer => {
                // Progress that came before the answer but was not read yet.
                while let Ok(params) = request.progress.try_recv() {
                    live.connection.pass_progress(&progress, params);
                }
                break match body {
                    Ok(Body::Result(result)) => Ended::Result(result),
                    Ok(Body::Error(error)) => Ended::Error(error),
                    Err(_) => lost(),
                };
            }
            () = cancelled.cancelled() => {
                request.cancel("cancelled by the client");
                break Ended::Cancelled;
            }
        }
    };
    (ended, micros(began))
}

fn lost() -> Ended {
    Ended::Lost("it ended before it answered".into())
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
