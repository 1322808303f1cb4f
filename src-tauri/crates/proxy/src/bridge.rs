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

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::exchange::{Ask, Event, Outbox};
use crate::observer::Ended;
use crate::upstream::{Live, Upstream};
use crate::wire::{Body, Era, RpcError, Who, error, meta, params};

/// Rounds of questions of one request.
const MAX_ROUNDS: usize = 64;
/// Questions in one round.
const MAX_QUESTIONS: usize = 64;

/// What is asked of an upstream.
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) params: Option<Bytes>,
    pub(crate) who: Who,
    pub(crate) owner: Option<Outbox>,
    pub(crate) subscription: Option<Bytes>,
}

/// How it ended.
pub(crate) struct Driven {
    /// As the upstream said it.
    pub(crate) ended: Ended,
    /// Microseconds the upstream took, the client's own time left out.
    pub(crate) upstream_us: u64,
    /// The same as the client's era writes it, where that differs.
    pub(crate) answer: Option<Body>,
}

impl From<Ended> for Driven {
    fn from(ended: Ended) -> Self {
        Self { ended, upstream_us: 0, answer: None }
    }
}

/// Takes a request to an upstream and back.
pub(crate) async fn drive(
    upstream: &Arc<Upstream>,
    request: Request,
    events: mpsc::Sender<Event>,
    cancelled: &CancellationToken,
) -> Driven {
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
    // What it still asks for this request must not reach the next one.
    if turn.is_some() && !matches!(driven.ended, Ended::Result(_) | Ended::Error(_)) {
        live.link.close();
    }
    driven
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
    for _ in 0..MAX_ROUNDS {
        let began = Instant::now();
        let ended =
            round(upstream, live, request, params.as_ref(), definition.as_ref(), events, cancelled).await;
        upstream_us += u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        let result = match &ended {
            Ended::Result(result) => result,
            Ended::Error(error) => {
                let answer = between_eras.then(|| modern_error(error)).flatten().map(Body::Error);
                return Driven { answer, ended, upstream_us };
            }
            _ => return Driven { ended, upstream_us, answer: None },
        };
        if !(request.who.era == Era::Legacy && live.hello.era == Era::Modern && requires_input(result)) {
            return Driven {
                answer: for_client(upstream, request, result, between_eras, shared),
                ended,
                upstream_us,
            };
        }
        let answered = match ask_client(&request.who, result, events, cancelled).await {
            Ok(answered) => answered,
            Err(unasked) => return Driven { ended: unasked.ended(), upstream_us, answer: None },
        };
        let state = params::field(result, "requestState").map(|found| found.raw);
        let mut fields: Vec<(&str, &[u8])> = vec![("inputResponses", answered.as_bytes())];
        fields.extend(state.as_ref().map(|state| ("requestState", state.as_ref())));
        params = Some(params::with(original.as_ref(), &fields));
    }
    let ended = ended_with(&RpcError::internal("the upstream asks for input without end"));
    Driven { ended, upstream_us, answer: None }
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
        "tools/call" if shared => {
            upstream.tasks.note(result, session);
            None
        }
        _ => None,
    };
    if between_eras {
        return Some(Body::Result(modern(&request.method, own.as_ref().unwrap_or(result))));
    }
    own.map(Body::Result)
}

/// What is said to who goes on with a request nobody holds.
pub(crate) fn unknown_state() -> RpcError {
    RpcError::invalid_params("requestState is unknown here, used already or too old; begin anew")
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

/// Why a client was not asked what an upstream requires.
#[derive(Debug, PartialEq, Eq)]
enum Unasked {
    /// It is gone, or does not want to know any more.
    Gone,
    /// What is required is not what MCP has for that.
    Malformed(String),
    /// The client did not say that it can be asked this.
    Undeclared(String),
}

impl Unasked {
    fn ended(self) -> Ended {
        match self {
            Self::Gone => Ended::Cancelled,
            Self::Malformed(reason) => {
                ended_with(&RpcError::internal(format!("the upstream requires input wrongly: {reason}")))
            }
            Self::Undeclared(method) => ended_with(&RpcError::internal(format!(
                "the upstream requires {method}, which this client did not declare"
            ))),
        }
    }
}

/// One request and its answer.
async fn round(
    upstream: &Upstream,
    live: &Arc<Live>,
    request: &Request,
    params: Option<&Bytes>,
    definition: Option<&Bytes>,
    events: &mpsc::Sender<Event>,
    cancelled: &CancellationToken,
) -> Ended {
    let sent = tokio::select! {
        sent = live.request(&request.method, params, request.subscription.clone(), definition) => sent,
        () = cancelled.cancelled() => return Ended::Cancelled,
    };
    let Ok(mut under_way) = sent else { return lost() };
    loop {
        tokio::select! {
            biased;
            Some(event) = under_way.events.recv() => pass(upstream, live, request, events, event),
            body = &mut under_way.answer => {
                // What came before the answer but was not read yet.
                while let Ok(event) = under_way.events.try_recv() {
                    pass(upstream, live, request, events, event);
                }
                return match body {
                    Ok(Ok(Body::Result(result))) => Ended::Result(result),
                    Ok(Ok(Body::Error(error))) => Ended::Error(error),
                    Ok(Err(reason)) => Ended::Lost(reason),
                    Err(_) => lost(),
                };
            }
            () = cancelled.cancelled() => {
                drop(under_way);
                return Ended::Cancelled;
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

/// Whether a result is none yet.
pub(crate) fn requires_input(result: &Bytes) -> bool {
    // Nearly no result is; a large one need not be read through for it.
    memchr::memmem::find(result, b"input_required").is_some()
        && params::field(result, "resultType").is_some_and(|found| found.raw == "\"input_required\"")
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

/// The result that asks a client of the stateless era.
pub(crate) fn input_required(asks: &[(String, &Ask)], state: &str) -> Bytes {
    let mut requests = Bytes::from_static(b"{}");
    for (key, ask) in asks {
        let method = serde_json::Value::from(ask.method.as_str()).to_string();
        let mut request = params::with(None, &[("method", method.as_bytes())]);
        if let Some(params) = &ask.params {
            request = params::with(Some(&request), &[("params", params)]);
        }
        requests = params::with(Some(&requests), &[(key, &request)]);
    }
    let state = serde_json::Value::from(state).to_string();
    params::with(
        None,
        &[
            ("resultType", b"\"input_required\""),
            ("inputRequests", &requests),
            ("requestState", state.as_bytes()),
        ],
    )
}

/// Asks a client everything an upstream requires; the answers by key, as one object.
async fn ask_client(
    who: &Who,
    result: &Bytes,
    events: &mpsc::Sender<Event>,
    cancelled: &CancellationToken,
) -> Result<String, Unasked> {
    let questions = questions(who, result)?;
    let mut waiting = Vec::new();
    for (key, method, params) in questions {
        let (answer, answered) = oneshot::channel();
        let ask = Ask { method, params, withdrawn: cancelled.child_token(), answer };
        tokio::select! {
            sent = events.send(Event::Ask(ask)) => sent.map_err(|_| Unasked::Gone)?,
            () = cancelled.cancelled() => return Err(Unasked::Gone),
        }
        waiting.push((key, answered));
    }
    let mut answers = Bytes::from_static(b"{}");
    for (key, answered) in waiting {
        let body = tokio::select! {
            body = answered => body,
            () = cancelled.cancelled() => return Err(Unasked::Gone),
        };
        // What a client refuses to answer is left out; the upstream says what that means.
        if let Ok(Body::Result(result)) = body {
            answers = params::with(Some(&answers), &[(&key, &result)]);
        }
    }
    String::from_utf8(answers.to_vec()).map_err(|_| Unasked::Gone)
}

/// What a result requires of a client: key, method and params of each question.
fn questions(who: &Who, result: &Bytes) -> Result<Vec<(String, String, Option<Bytes>)>, Unasked> {
    type Requests<'a> = std::collections::BTreeMap<String, &'a RawValue>;
    let malformed = |reason: &str| Unasked::Malformed(reason.to_owned());
    let requests = params::field(result, "inputRequests").map(|found| found.raw).unwrap_or("{}".into());
    let requests: Requests<'_> =
        serde_json::from_slice(&requests).map_err(|_| malformed("inputRequests is no object"))?;
    if requests.len() > MAX_QUESTIONS {
        return Err(malformed(&format!("more than {MAX_QUESTIONS} questions at once")));
    }
    let questions = requests.into_iter().map(|(key, request)| {
        let request = Bytes::copy_from_slice(request.get().as_bytes());
        let method = params::text(&request, "method")
            .ok_or_else(|| malformed(&format!("inputRequests[{key:?}] has no method")))?;
        if !who.may_be_asked_for(&method) {
            return Err(Unasked::Undeclared(method));
        }
        let params = params::field(&request, "params").map(|found| found.raw);
        Ok((key, method, params))
    });
    questions.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_wrongly_is_said_to_be() {
        let who = Who { capabilities: r#"{"roots":{}}"#.into(), ..Who::nobody() };
        let asked =
            |requests: &str| questions(&who, &Bytes::from(format!(r#"{{"inputRequests":{requests}}}"#)));
        let right = asked(r#"{"b":{"method":"roots/list"},"a":{"method":"x/new","params":{"n":1.0}}}"#);
        assert_eq!(
            right,
            Ok(vec![
                ("a".into(), "x/new".into(), Some(r#"{"n":1.0}"#.into())),
                ("b".into(), "roots/list".into(), None)
            ])
        );
        assert_eq!(asked("{}"), Ok(Vec::new()));
        for malformed in ["[]", "7", r#"{"a":{}}"#, r#"{"a":7}"#, r#"{"a":{"method":1}}"#] {
            assert!(matches!(asked(malformed), Err(Unasked::Malformed(_))), "{malformed}");
        }
        let undeclared = asked(r#"{"a":{"method":"sampling/createMessage"}}"#);
        assert_eq!(undeclared, Err(Unasked::Undeclared("sampling/createMessage".into())));
    }

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
        assert!(requires_input(&Bytes::from(r#"{"resultType":"input_required"}"#)));
        assert!(!requires_input(&Bytes::from(r#"{"content":["input_required"],"resultType":"complete"}"#)));
    }
}
