//! What an upstream of the stateless era requires of a client before it answers, and how clients of that era are
//! asked.
//!
//! Owns: the form of such results, and getting a client with a handshake to answer them. Refuses to know: which
//! request it is for, and who carries questions.

use bytes::Bytes;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::ended_with;
use crate::exchange::{Ask, Event};
use crate::observer::Ended;
use crate::wire::{Body, RpcError, Who, params};

/// Questions in one round.
const MAX_QUESTIONS: usize = 64;

/// Why a client was not asked what an upstream requires.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unasked {
    /// It is gone, or does not want to know any more.
    Gone,
    /// What is required is not what MCP has for that.
    Malformed(String),
    /// The client did not say that it can be asked this.
    Undeclared(String),
}

impl Unasked {
    pub(super) fn ended(self) -> Ended {
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

/// Whether a result is none yet.
pub(crate) fn requires_input(result: &Bytes) -> bool {
    // Nearly no result is; a large one need not be read through for it.
    memchr::memmem::find(result, b"input_required").is_some()
        && params::field(result, "resultType").is_some_and(|found| found.raw == "\"input_required\"")
}

/// What is said to who goes on with a request nobody holds.
pub(crate) fn unknown_state() -> RpcError {
    RpcError::invalid_params("requestState is unknown here, used already or too old; begin anew")
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
pub(super) async fn ask_client(
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
    fn results_that_are_none_yet() {
        assert!(requires_input(&Bytes::from(r#"{"resultType":"input_required"}"#)));
        assert!(!requires_input(&Bytes::from(r#"{"content":["input_required"],"resultType":"complete"}"#)));
    }

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
}
