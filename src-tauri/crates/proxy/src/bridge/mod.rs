//! Takes a request from a client of either era to an upstream of either era.
//!
//! ```text
//!  client \ upstream │ session era                  │ stateless
//!  ──────────────────┼──────────────────────────────┼──────────────────────────────────────────
//!  session era       │ passed on                    │ introduced with each request; the client is asked for
//!                    │                              │ the input it requires, and the request is repeated
//!  stateless         │ parked while it asks (one at │ passed on
//!                    │ a time, if a question could  │
//!                    │ belong to several requests)  │
//! ```
//!
//! Translates requests and answers between the eras, and carries the questions in between.

mod input;

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use crate::cancel::Cancel;
use crate::exchange::{Event, Outbox};
use crate::observer::Ended;
use crate::slow_consumers::SlowConsumers;
use crate::upstream::link::Lost;
use crate::upstream::tasks::ToolCall;
use crate::upstream::{Live, Upstream};
use crate::wire::{Body, Era, RpcError, Who, error, meta, params};

use input::ask_client;
pub(crate) use input::{input_required, requires_input, unknown_state};

/// Limit of rounds in which an upstream may require input for one request.
const MAX_ROUNDS: usize = 64;

/// A request for an upstream.
pub(crate) struct ClientRequest {
    pub(crate) method: String,
    pub(crate) params: Option<Bytes>,
    pub(crate) who: Who,
    pub(crate) owner: Option<Outbox>,
    pub(crate) subscription: Option<Bytes>,
    /// The tool call that it is, if it is one.
    pub(crate) call: Option<ToolCall>,
}

/// The outcome of a request.
pub(crate) struct BridgeOutcome {
    /// The end in the upstream's own words.
    pub(crate) ended: Ended,
    /// Microseconds that the upstream took, without the time that the client took to answer questions.
    pub(crate) upstream_us: u64,
    /// The answer in the form of the client's era, where that differs.
    pub(crate) answer: Option<Body>,
    /// Whether the upstream cannot have begun with the request.
    was_refused: bool,
}

impl From<Ended> for BridgeOutcome {
    fn from(ended: Ended) -> Self {
        Self { ended, upstream_us: 0, answer: None, was_refused: false }
    }
}

/// Sends a request to an upstream and returns how it ended.
pub(crate) async fn drive(
    upstream: &Arc<Upstream>,
    request: ClientRequest,
    events: mpsc::Sender<Event>,
    cancelled: &Cancel,
) -> BridgeOutcome {
    let mut may_repeat = true;
    loop {
        let opened = tokio::select! {
            biased;
            () = cancelled.cancelled() => return Ended::Cancelled.into(),
            opened = open(upstream, &request) => opened,
        };
        let (live, turn) = match opened {
            Ok(opened) => opened,
            Err(reason) => return Ended::Lost(reason).into(),
        };
        let driven = run_rounds(upstream, &live, &request, &events, cancelled).await;
        // An upstream over HTTP may have forgotten the session and have rejected the request unread.
        if driven.was_refused && std::mem::take(&mut may_repeat) {
            continue;
        }
        // Later questions about this request must not reach the next one.
        if turn.is_some() && !matches!(driven.ended, Ended::Result(_) | Ended::Error(_)) {
            live.link.close();
        }
        return driven;
    }
}

/// Returns the session for a request, and the permit to use it if requests take turns there.
async fn open(
    upstream: &Arc<Upstream>,
    request: &ClientRequest,
) -> Result<(Arc<Live>, Option<OwnedSemaphorePermit>), String> {
    loop {
        let live = upstream.session(&request.who, request.owner.as_ref(), &request.method).await?;
        let Some(turn) = live.turn.clone().filter(|_| may_ask(&request.method)) else {
            return Ok((live, None));
        };
        // Another request may have taken the same free session.
        let permit = match Arc::clone(&turn).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) if upstream.has_turns(&request.who) => continue,
            Err(_) => turn.acquire_owned().await.map_err(|_| "it ended".to_owned())?,
        };
        if !live.link.is_closed() {
            return Ok((live, Some(permit)));
        }
    }
}

/// Sends a request, answers the questions of the upstream, and repeats it until the result is final.
async fn run_rounds(
    upstream: &Upstream,
    live: &Arc<Live>,
    request: &ClientRequest,
    events: &mpsc::Sender<Event>,
    cancelled: &Cancel,
) -> BridgeOutcome {
    let definition = definition(live, request);
    let mut params = params_for_era(request, live.hello.era);
    let original = params.clone();
    let between_eras = request.who.era == Era::Modern && live.hello.era == Era::Legacy;
    // An upstream of the session era hands out no state. It would take this for a new request, although the old one
    // was already begun.
    if between_eras && continues_earlier(request) {
        return error_outcome(&unknown_state()).into();
    }
    let session = request.who.session.as_deref();
    let shared = live.is_shared();
    if shared
        && let Some(refusal) = upstream.tasks.rejection(&request.method, request.params.as_ref(), session)
    {
        return error_outcome(&refusal).into();
    }
    let mut upstream_us = 0;
    for number in 0..MAX_ROUNDS {
        let began = Instant::now();
        let (ended, was_refused) =
            send_once(upstream, live, request, params.as_ref(), definition.as_ref(), events, cancelled).await;
        upstream_us += u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        let result = match &ended {
            Ended::Result(result) => result,
            Ended::Error(error) => {
                let answer = between_eras.then(|| modern_error(error)).flatten().map(Body::Error);
                return BridgeOutcome { answer, ended, upstream_us, was_refused: false };
            }
            // Earlier rounds were carried out, so only the first may be repeated.
            _ => {
                return BridgeOutcome {
                    ended,
                    upstream_us,
                    answer: None,
                    was_refused: was_refused && number == 0,
                };
            }
        };
        if !(request.who.era == Era::Legacy && live.hello.era == Era::Modern && requires_input(result)) {
            return BridgeOutcome {
                answer: for_client(upstream, request, result, between_eras, shared),
                ended,
                upstream_us,
                was_refused: false,
            };
        }
        let answered = match ask_client(&request.who, result, events, cancelled).await {
            Ok(answered) => answered,
            Err(error) => return BridgeOutcome { upstream_us, ..error.ended().into() },
        };
        let state = params::field(result, "requestState").map(|found| found.raw);
        let mut fields: Vec<(&str, &[u8])> = vec![("inputResponses", answered.as_bytes())];
        fields.extend(state.as_ref().map(|state| ("requestState", state.as_ref())));
        params = Some(params::with(original.as_ref(), &fields));
    }
    let reason =
        format!("the upstream required input {MAX_ROUNDS} times without a result; the request was ended");
    let ended = error_outcome(&RpcError::internal(reason));
    BridgeOutcome { upstream_us, ..ended.into() }
}

/// The result for the client, where it differs from the upstream's own.
fn for_client(
    upstream: &Upstream,
    request: &ClientRequest,
    result: &Bytes,
    between_eras: bool,
    shared: bool,
) -> Option<Body> {
    let session = request.who.session.as_deref();
    let own = match request.method.as_str() {
        "tasks/list" if shared => Some(upstream.tasks.own(result, session)),
        "tools/call" => {
            upstream.tasks.note(result, session, || request.call.clone());
            None
        }
        method => {
            if let Some(session) = session {
                upstream.session_states.note(session, method, request.params.as_ref());
            }
            None
        }
    };
    if between_eras {
        return Some(Body::Result(modern(&request.method, own.as_ref().unwrap_or(result))));
    }
    own.map(Body::Result)
}

/// Whether a request continues an earlier one.
fn continues_earlier(request: &ClientRequest) -> bool {
    let state = || params::field(request.params.as_ref()?, "requestState");
    may_ask(&request.method) && state().is_some()
}

/// Whether an upstream may ask questions before it answers this method.
pub(crate) fn may_ask(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "resources/read")
}

fn error_outcome(error: &RpcError) -> Ended {
    Ended::Error(error.object())
}

/// Sends a request once and waits for the answer. The flag is set if the upstream cannot have begun with it.
async fn send_once(
    upstream: &Upstream,
    live: &Arc<Live>,
    request: &ClientRequest,
    params: Option<&Bytes>,
    definition: Option<&Bytes>,
    events: &mpsc::Sender<Event>,
    cancelled: &Cancel,
) -> (Ended, bool) {
    let sent = tokio::select! {
        sent = live.request(&request.method, params, request.subscription.clone(), definition) => sent,
        () = cancelled.cancelled() => return (Ended::Cancelled, false),
    };
    // The upstream had already forgotten the session.
    let Ok(mut sent_request) = sent else { return (lost(), live.link.is_forgotten()) };
    let mut consumers = SlowConsumers::default();
    loop {
        tokio::select! {
            biased;
            () = cancelled.cancelled() => {
                sent_request.cancel(cancelled.reason());
                return (Ended::Cancelled, false);
            }
            Some(event) = sent_request.events.recv() => {
                consumers.wait_for(events).await;
                pass(upstream, live, request, events, event);
            }
            body = &mut sent_request.answer => {
                // Events that came before the answer and were not read yet.
                while let Ok(event) = sent_request.events.try_recv() {
                    consumers.wait_for(events).await;
                    pass(upstream, live, request, events, event);
                }
                let (ended, was_refused) = match body {
                    Ok(Ok(Body::Result(result))) => (Ended::Result(result), false),
                    Ok(Ok(Body::Error(error))) => (Ended::Error(error), false),
                    Ok(Err(Lost { reason, was_refused })) => (Ended::Lost(reason), was_refused),
                    Err(_) => (lost(), false),
                };
                return (ended, was_refused);
            }
        }
    }
}

/// Passes on an event that came before the answer, unless the client does not want log messages of that level.
fn pass(
    upstream: &Upstream,
    live: &Live,
    request: &ClientRequest,
    events: &mpsc::Sender<Event>,
    event: Event,
) {
    if let Event::Notification { method, params } = &event
        && method == "notifications/message"
    {
        let who = &request.who;
        let wanted = match (who.era, live.hello.era) {
            (Era::Modern, Era::Legacy) => who.log_level.is_some() && who.hears(params.as_ref()),
            (Era::Legacy, Era::Legacy) if live.is_shared() => {
                upstream.log_levels.concerns(who, params.as_ref())
            }
            _ => true,
        };
        if !wanted {
            return;
        }
    }
    live.link.pass(events, event);
}

fn lost() -> Ended {
    Ended::Lost("it ended before it answered; the request may or may not have been carried out".into())
}

/// The listed definition of the tool that a request calls, for upstreams of the stateless era.
fn definition(live: &Live, request: &ClientRequest) -> Option<Bytes> {
    if request.method != "tools/call" || live.hello.era == Era::Legacy {
        return None;
    }
    let name = params::KnownParams::of(request.params.as_ref()).name()?;
    live.tools().iter().find(|tool| tool.name == name).map(|tool| tool.definition.clone())
}

/// The request's `params` in the form of the upstream's era.
fn params_for_era(request: &ClientRequest, era: Era) -> Option<Bytes> {
    match (request.who.era, era) {
        (Era::Legacy, Era::Modern) => Some(request.who.introduced(request.params.as_ref())),
        (Era::Modern, Era::Legacy) => request.params.as_ref().map(meta::plain),
        _ => request.params.clone(),
    }
}

/// Writes a result of a session-era upstream in the form of the stateless era.
pub(crate) fn modern(method: &str, result: &Bytes) -> Bytes {
    let fields: &[(&str, &[u8])] = match method {
        "tools/list"
        | "prompts/list"
        | "resources/list"
        | "resources/templates/list"
        | "resources/read"
        | "server/discover" => {
            &[("resultType", b"\"complete\""), ("ttlMs", b"0"), ("cacheScope", b"\"private\"")]
        }
        _ => &[("resultType", b"\"complete\"")],
    };
    let missing: Vec<_> =
        fields.iter().copied().filter(|(name, _)| params::field(result, name).is_none()).collect();
    params::with(Some(result), &missing)
}

/// Writes an error of a session-era upstream in the form of the stateless era, where that differs.
fn modern_error(error: &Bytes) -> Option<Bytes> {
    let not_found = i64::from(rmcp::model::ErrorCode::RESOURCE_NOT_FOUND.0);
    let invalid = rmcp::model::ErrorCode::INVALID_PARAMS.0.to_string();
    (error::code(error) == Some(not_found))
        .then(|| params::with(Some(error), &[("code", invalid.as_bytes())]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modern_adds_missing_fields_of_stateless_results() {
        let result = Bytes::from(r#"{"tools":[],"n":1.10}"#);
        assert_eq!(
            modern("tools/list", &result),
            r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[],"n":1.10}"#
        );
        assert_eq!(modern("tools/call", &Bytes::from("{}")), r#"{"resultType":"complete"}"#);
        let task = Bytes::from(r#"{"resultType":"task"}"#);
        assert_eq!(modern("tools/call", &task), task);
    }
}
