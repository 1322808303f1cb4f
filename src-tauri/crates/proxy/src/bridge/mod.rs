//! A request between a client and an upstream of whatever eras.
//!
//! ```text
//!  client \ upstream │ with a handshake             │ stateless
//!  ──────────────────┼──────────────────────────────┼──────────────────────────────────────────
//!  with a handshake  │ passed on                    │ introduced with each request; what input it
//!                    │                              │ requires is asked of the client, then retried
//!  stateless         │ held while it asks (one at a │ passed on
//!                    │ time where it could not be   │
//!                    │ told whose question it is)   │
//! ```
//!
//! Owns: what a request and its answer look like on the other side. Refuses to know: how clients are
//! answered, names, what is recorded.

mod input;

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio_util::sync::CancellationToken;

use crate::exchange::{Event, Outbox};
use crate::observer::Ended;
use crate::patience::Patience;
use crate::upstream::link::Lost;
use crate::upstream::tasks::Called;
use crate::upstream::{Live, Upstream};
use crate::wire::{Body, Era, RpcError, Who, error, meta, params};

use input::ask_client;
pub(crate) use input::{input_required, requires_input, unknown_state};

/// Rounds of questions of one request.
const MAX_ROUNDS: usize = 64;

/// What is asked of an upstream.
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) params: Option<Bytes>,
    pub(crate) who: Who,
    pub(crate) owner: Option<Outbox>,
    pub(crate) subscription: Option<Bytes>,
    /// What it calls, if it does.
    pub(crate) call: Option<Called>,
}

/// How it ended.
pub(crate) struct Driven {
    /// As the upstream said it.
    pub(crate) ended: Ended,
    /// Microseconds the upstream took, the client's own time left out.
    pub(crate) upstream_us: u64,
    /// The same as the client's era writes it, where that differs.
    pub(crate) answer: Option<Body>,
    /// Whether the upstream cannot have begun with it.
    was_refused: bool,
}

impl From<Ended> for Driven {
    fn from(ended: Ended) -> Self {
        Self { ended, upstream_us: 0, answer: None, was_refused: false }
    }
}

/// Takes a request to an upstream and back.
pub(crate) async fn drive(
    upstream: &Arc<Upstream>,
    request: Request,
    events: mpsc::Sender<Event>,
    cancelled: &CancellationToken,
) -> Driven {
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
        let driven = rounds(upstream, &live, &request, &events, cancelled).await;
        // An upstream over HTTP may have forgotten the session, and know nothing of the request.
        if driven.was_refused && std::mem::take(&mut may_repeat) {
            continue;
        }
        // What it still asks for this request must not reach the next one.
        if turn.is_some() && !matches!(driven.ended, Ended::Result(_) | Ended::Error(_)) {
            live.link.close();
        }
        return driven;
    }
}

/// The session for a request, and its turn there if it needs one.
async fn open(
    upstream: &Arc<Upstream>,
    request: &Request,
) -> Result<(Arc<Live>, Option<OwnedSemaphorePermit>), String> {
    loop {
        let live = upstream.session(&request.who, request.owner.as_ref()).await?;
        let Some(turn) = live.turn.clone().filter(|_| may_ask(&request.method)) else {
            return Ok((live, None));
        };
        // Somebody else may have seen the same one free.
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

/// A request and its answer, with what is asked in between.
async fn rounds(
    upstream: &Upstream,
    live: &Arc<Live>,
    request: &Request,
    events: &mpsc::Sender<Event>,
    cancelled: &CancellationToken,
) -> Driven {
    let definition = definition(live, request);
    let mut params = translated(request, live.hello.era);
    let original = params.clone();
    let between_eras = request.who.era == Era::Modern && live.hello.era == Era::Legacy;
    // Such an upstream has given no state: what it would take for a new request was begun already.
    if between_eras && goes_on(request) {
        return ended_with(&unknown_state()).into();
    }
    let session = request.who.session.as_deref();
    let shared = upstream.shares(&request.who, live);
    if shared && let Some(refusal) = upstream.tasks.refuses(&request.method, request.params.as_ref(), session)
    {
        return ended_with(&refusal).into();
    }
    let mut upstream_us = 0;
    for number in 0..MAX_ROUNDS {
        let began = Instant::now();
        let (ended, was_refused) =
            round(upstream, live, request, params.as_ref(), definition.as_ref(), events, cancelled).await;
        upstream_us += u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        let result = match &ended {
            Ended::Result(result) => result,
            Ended::Error(error) => {
                let answer = between_eras.then(|| modern_error(error)).flatten().map(Body::Error);
                return Driven { answer, ended, upstream_us, was_refused: false };
            }
            // What came before it was carried out.
            _ => return Driven { ended, upstream_us, answer: None, was_refused: was_refused && number == 0 },
        };
        if !(request.who.era == Era::Legacy && live.hello.era == Era::Modern && requires_input(result)) {
            return Driven {
                answer: for_client(upstream, request, result, between_eras, shared),
                ended,
                upstream_us,
                was_refused: false,
            };
        }
        let answered = match ask_client(&request.who, result, events, cancelled).await {
            Ok(answered) => answered,
            Err(unasked) => return Driven { upstream_us, ..unasked.ended().into() },
        };
        let state = params::field(result, "requestState").map(|found| found.raw);
        let mut fields: Vec<(&str, &[u8])> = vec![("inputResponses", answered.as_bytes())];
        fields.extend(state.as_ref().map(|state| ("requestState", state.as_ref())));
        params = Some(params::with(original.as_ref(), &fields));
    }
    let ended = ended_with(&RpcError::internal("the upstream asks for input without end"));
    Driven { upstream_us, ..ended.into() }
}

/// A result as its client is to see it, where that differs from what the upstream said.
fn for_client(
    upstream: &Upstream,
    request: &Request,
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
            if let Some(session) = session.filter(|_| !shared) {
                upstream.wishes.note(session, method, request.params.as_ref());
            }
            None
        }
    };
    if between_eras {
        return Some(Body::Result(modern(&request.method, own.as_ref().unwrap_or(result))));
    }
    own.map(Body::Result)
}

/// Whether a request goes on with one before it.
fn goes_on(request: &Request) -> bool {
    let state = || params::field(request.params.as_ref()?, "requestState");
    may_ask(&request.method) && state().is_some()
}

/// Whether an upstream may ask something before it answers this.
pub(crate) fn may_ask(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "resources/read")
}

fn ended_with(error: &RpcError) -> Ended {
    Ended::Error(error.object())
}

/// One request and its answer, and whether the upstream cannot have begun with it.
async fn round(
    upstream: &Upstream,
    live: &Arc<Live>,
    request: &Request,
    params: Option<&Bytes>,
    definition: Option<&Bytes>,
    events: &mpsc::Sender<Event>,
    cancelled: &CancellationToken,
) -> (Ended, bool) {
    let sent = tokio::select! {
        sent = live.request(&request.method, params, request.subscription.clone(), definition) => sent,
        () = cancelled.cancelled() => return (Ended::Cancelled, false),
    };
    // It came when the upstream had forgotten the session already.
    let Ok(mut under_way) = sent else { return (lost(), live.link.is_forgotten()) };
    let mut patience = Patience::default();
    loop {
        tokio::select! {
            biased;
            () = cancelled.cancelled() => {
                drop(under_way);
                return (Ended::Cancelled, false);
            }
            Some(event) = under_way.events.recv() => {
                patience.wait_for(events).await;
                pass(upstream, live, request, events, event);
            }
            body = &mut under_way.answer => {
                // What came before the answer but was not read yet.
                while let Ok(event) = under_way.events.try_recv() {
                    patience.wait_for(events).await;
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

/// Hands on what came before the answer, unless the client's era would not have it.
fn pass(upstream: &Upstream, live: &Live, request: &Request, events: &mpsc::Sender<Event>, event: Event) {
    if let Event::Notification { method, params } = &event
        && method == "notifications/message"
    {
        let who = &request.who;
        let heard = match (who.era, live.hello.era) {
            (Era::Modern, Era::Legacy) => who.log_level.is_some() && who.hears(params.as_ref()),
            (Era::Legacy, Era::Legacy) if upstream.shares(who, live) => {
                upstream.levels.concerns(who, params.as_ref())
            }
            _ => true,
        };
        if !heard {
            return;
        }
    }
    live.link.pass(events, event);
}

fn lost() -> Ended {
    Ended::Lost("it ended before it answered".into())
}

/// The tool a request calls, as it is listed.
fn definition(live: &Live, request: &Request) -> Option<Bytes> {
    if request.method != "tools/call" || live.hello.era == Era::Legacy {
        return None;
    }
    let name = params::Seen::of(request.params.as_ref()).name()?;
    live.tools().iter().find(|tool| tool.name == name).map(|tool| tool.definition.clone())
}

/// `params` as the upstream's era wants them.
fn translated(request: &Request, era: Era) -> Option<Bytes> {
    match (request.who.era, era) {
        (Era::Legacy, Era::Modern) => Some(request.who.introduced(request.params.as_ref())),
        (Era::Modern, Era::Legacy) => request.params.as_ref().map(meta::plain),
        _ => request.params.clone(),
    }
}

/// A result of an upstream with a handshake as the stateless era writes it.
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

/// An error of an upstream with a handshake as the stateless era writes it, where that differs.
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
    fn results_are_written_for_the_stateless_era() {
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
