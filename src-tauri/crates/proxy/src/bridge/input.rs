//! Results that require input (stateless era): asking a client of the session era for that input, and writing such a
//! result for a stateless client.

use bytes::Bytes;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};

use super::error_outcome;
use crate::cancel::Cancel;
use crate::exchange::{Ask, Event};
use crate::observer::Ended;
use crate::wire::{Body, RpcError, Who, params};

/// Limit of questions in one result.
const MAX_QUESTIONS: usize = 64;

/// The reason why a client was not asked for the input that an upstream requires.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AskError {
    /// The client is gone, or has cancelled the request.
    Gone,
    /// The upstream's result is not a valid one.
    Malformed(String),
    /// The client did not declare the capability for this method.
    Undeclared(String),
    /// The client answered every question with an error, as when a person declines: it would be asked again and again.
    Refused(Bytes),
}

impl AskError {
    pub(super) fn ended(self) -> Ended {
        match self {
            Self::Gone => Ended::Cancelled,
            Self::Malformed(reason) => error_outcome(&RpcError::internal(format!(
                "the upstream's request for input is invalid: {reason}"
            ))),
            Self::Refused(error) => Ended::Error(error),
            Self::Undeclared(method) => error_outcome(&RpcError::internal(format!(
                "the upstream requires {method}, but this client did not declare the capability for it"
            ))),
        }
    }
}

/// Whether a result requires input instead of being final.
pub(crate) fn requires_input(result: &Bytes) -> bool {
    // Few results do. This spares parsing a large one.
    memchr::memmem::find(result, b"input_required").is_some()
        && params::field(result, "resultType").is_some_and(|found| found.raw == "\"input_required\"")
}

/// The error for a `requestState` that belongs to no parked request.
pub(crate) fn unknown_state() -> RpcError {
    RpcError::invalid_params(
        "requestState is unknown, was used before or has expired; send the request again without it",
    )
}

/// Writes the result that asks a stateless client.
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

/// Asks a client for all input that an upstream requires. Returns the answers by key, as one object.
pub(super) async fn ask_client(
    who: &Who,
    result: &Bytes,
    events: &mpsc::Sender<Event>,
    cancelled: &Cancel,
) -> Result<String, AskError> {
    let questions = questions(who, result)?;
    let mut waiting = Vec::new();
    for (key, method, params) in questions {
        let (answer, answered) = oneshot::channel();
        // An upstream can do without roots.
        let may_lack = method == "roots/list";
        let ask = Ask { method, params, withdrawn: cancelled.child_token(), answer };
        tokio::select! {
            sent = events.send(Event::Ask(ask)) => sent.map_err(|_| AskError::Gone)?,
            () = cancelled.cancelled() => return Err(AskError::Gone),
        }
        waiting.push((key, answered, may_lack));
    }
    let mut answers = Bytes::from_static(b"{}");
    let (mut is_answered, mut refusal) = (waiting.is_empty(), None);
    for (key, answered, may_lack) in waiting {
        let body = tokio::select! {
            body = answered => body,
            () = cancelled.cancelled() => return Err(AskError::Gone),
        };
        // Of several questions, those that the client answers with an error are left out; the upstream decides what
        // follows.
        match body {
            Ok(Body::Result(result)) => {
                is_answered = true;
                answers = params::with(Some(&answers), &[(&key, &result)]);
            }
            Ok(Body::Error(_)) if may_lack => is_answered = true,
            Ok(Body::Error(error)) => refusal = refusal.or(Some(error)),
            Err(_) => {}
        }
    }
    if !is_answered {
        let unasked = || {
            RpcError::internal("the client cannot be asked what the upstream requires".to_owned()).object()
        };
        return Err(AskError::Refused(refusal.unwrap_or_else(unasked)));
    }
    String::from_utf8(answers.to_vec()).map_err(|_| AskError::Gone)
}

/// The questions in a result: key, method and params of each.
fn questions(who: &Who, result: &Bytes) -> Result<Vec<(String, String, Option<Bytes>)>, AskError> {
    type Requests<'a> = std::collections::BTreeMap<String, &'a RawValue>;
    let malformed = |reason: &str| AskError::Malformed(reason.to_owned());
    let requests = params::field(result, "inputRequests").map(|found| found.raw).unwrap_or("{}".into());
    let requests: Requests<'_> =
        serde_json::from_slice(&requests).map_err(|_| malformed("inputRequests is not an object"))?;
    if requests.len() > MAX_QUESTIONS {
        return Err(malformed(&format!("inputRequests has more than {MAX_QUESTIONS} questions")));
    }
    let questions = requests.into_iter().map(|(key, request)| {
        let request = Bytes::copy_from_slice(request.get().as_bytes());
        let method = params::text(&request, "method")
            .ok_or_else(|| malformed(&format!("inputRequests[{key:?}] has no method")))?;
        if !who.may_be_asked_for(&method) {
            return Err(AskError::Undeclared(method));
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
    fn requires_input_reads_result_type() {
        assert!(requires_input(&Bytes::from(r#"{"resultType":"input_required"}"#)));
        assert!(!requires_input(&Bytes::from(r#"{"content":["input_required"],"resultType":"complete"}"#)));
    }

    #[test]
    fn questions_reports_malformed_and_undeclared_requests() {
        let who = Who { capabilities: r#"{"roots":{}}"#.into(), ..Who::unknown() };
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
            assert!(matches!(asked(malformed), Err(AskError::Malformed(_))), "{malformed}");
        }
        let undeclared = asked(r#"{"a":{"method":"sampling/createMessage"}}"#);
        assert_eq!(undeclared, Err(AskError::Undeclared("sampling/createMessage".into())));
    }
}
