//! Requests of stateless clients that are parked while the client answers a question (see the table in `bridge`).
//!
//! A session-era upstream asks questions in the middle of a request. A stateless client gets a question as the
//! result, with a `requestState`, and sends the request again with the answer. In between the request is parked.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use tokio_util::sync::DropGuard;

use crate::bridge::{input_required, unknown_state};
use crate::exchange::{ActiveRequest, Ask};
use crate::wire::{Body, RpcError, Who, params};

/// Limit of parked requests; beyond it the oldest is dropped.
const MAX_PARKED: usize = 1_000;
/// Time within which a client must answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(300);
/// Key of the question in `inputRequests`.
const QUESTION_KEY: &str = "input";

/// The parked requests by `requestState`.
pub(crate) struct ParkedRequests {
    /// Start of every `requestState`. It distinguishes them from those of upstreams, which may be Schemascope too.
    prefix: String,
    waiting: Mutex<HashMap<String, ParkedRequest>>,
}

/// The identity of a request: its purpose and its client. A request that resumes a parked one must have the same.
#[derive(Debug, Clone)]
pub(crate) struct RequestIdentity {
    /// Name of the endpoint's upstream; `None` for `/mcp`.
    pub(crate) target: Option<Box<str>>,
    pub(crate) method: String,
    pub(crate) params: Option<Bytes>,
    /// The client's `clientInfo`, as sent.
    pub(crate) info: Option<Bytes>,
    /// The Authorization header.
    pub(crate) authorization: Option<Bytes>,
}

/// Digest of an identity, which may be large and is only compared.
type Digest = [u8; 32];

struct ParkedRequest {
    identity: Digest,
    active: ActiveRequest,
    ask: Ask,
    /// Cancels the request when it is dropped.
    gone: DropGuard,
    since: Instant,
}

/// A request that is no longer parked.
pub(crate) struct ResumedRequest {
    pub(crate) active: ActiveRequest,
    pub(crate) gone: DropGuard,
}

impl RequestIdentity {
    /// Reads the identity from a request's headers and body.
    pub(crate) fn of(
        target: Option<&str>,
        method: &str,
        params: Option<&Bytes>,
        who: &Who,
        authorization: Option<&[u8]>,
    ) -> Self {
        Self {
            target: target.map(Into::into),
            method: method.to_owned(),
            params: params.cloned(),
            info: who.info.clone(),
            authorization: authorization.map(Bytes::copy_from_slice),
        }
    }

    /// Digest of all fields except those that may change from one round to the next, each with its length.
    fn digest(&self) -> Digest {
        type Fields<'a> = BTreeMap<String, &'a RawValue>;
        let mut digest = Sha256::new();
        let mut add = |part: Option<&[u8]>| {
            digest.update(part.map_or(u64::MAX, |part| part.len() as u64).to_le_bytes());
            digest.update(part.unwrap_or_default());
        };
        add(self.target.as_deref().map(str::as_bytes));
        add(Some(self.method.as_bytes()));
        add(self.info.as_deref());
        add(self.authorization.as_deref());
        let fields: Option<Fields<'_>> =
            self.params.as_ref().and_then(|params| serde_json::from_slice(params).ok());
        for (name, value) in fields.unwrap_or_default() {
            if !matches!(name.as_str(), "inputResponses" | "requestState" | "_meta") {
                add(Some(name.as_bytes()));
                add(Some(value.get().as_bytes()));
            }
        }
        digest.finalize().into()
    }
}

impl ParkedRequests {
    /// Creates an empty set. `instance` is a random number of this process.
    pub(crate) fn new(instance: u64) -> Self {
        Self { prefix: format!("schemascope:{instance:016x}:"), waiting: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, ParkedRequest>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Parks a request. Returns the result that asks its client.
    pub(crate) fn ask(
        &self,
        identity: &RequestIdentity,
        active: ActiveRequest,
        ask: Ask,
        gone: DropGuard,
    ) -> Body {
        self.park(identity.digest(), active, ask, gone)
    }

    fn park(&self, identity: Digest, active: ActiveRequest, ask: Ask, gone: DropGuard) -> Body {
        let mut random = [0; 16];
        if let Err(error) = getrandom::fill(&mut random) {
            return RpcError::internal(format!("the system has no random numbers for requestState: {error}"))
                .body();
        }
        let state = random.iter().fold(self.prefix.clone(), |state, byte| state + &format!("{byte:02x}"));
        let result = input_required(&[(QUESTION_KEY.to_owned(), &ask)], &state);
        let mut parked = self.lock();
        parked.retain(|_, waiting| waiting.since.elapsed() < ANSWER_TIMEOUT);
        if parked.len() >= MAX_PARKED {
            let oldest =
                parked.iter().min_by_key(|(_, waiting)| waiting.since).map(|(state, _)| state.clone());
            oldest.and_then(|oldest| parked.remove(&oldest));
        }
        parked.insert(state, ParkedRequest { identity, active, ask, gone, since: Instant::now() });
        Body::Result(result)
    }

    /// Drops requests whose client did not answer in time.
    pub(crate) fn drop_expired(&self) {
        self.lock().retain(|_, waiting| waiting.since.elapsed() < ANSWER_TIMEOUT);
    }

    /// Returns the parked request that this one resumes, after passing on the answer it carries. Returns `None` for a
    /// new request and for one whose state belongs to an upstream. A request with another identity is rejected, and
    /// the parked one stays.
    pub(crate) fn resume(&self, identity: &RequestIdentity) -> Option<Result<ResumedRequest, Body>> {
        let params = identity.params.as_ref()?;
        let state = params::text(params, "requestState").filter(|state| state.starts_with(&self.prefix))?;
        let digest = identity.digest();
        let waiting = {
            let mut parked = self.lock();
            let alive = |waiting: &ParkedRequest| waiting.since.elapsed() < ANSWER_TIMEOUT;
            match parked.get(&state) {
                Some(waiting) if alive(waiting) && waiting.identity == digest => parked.remove(&state),
                Some(waiting) if alive(waiting) => {
                    let error = "requestState belongs to another request; send it only with the request it was returned for";
                    return Some(Err(RpcError::invalid_params(error).body()));
                }
                _ => None,
            }
        };
        let Some(ParkedRequest { identity, active, ask, gone, .. }) = waiting else {
            return Some(Err(unknown_state().body()));
        };
        match response(params) {
            Some(response) => {
                // Fails if the upstream withdrew the question.
                let _ = ask.answer.send(Body::Result(response));
                Some(Ok(ResumedRequest { active, gone }))
            }
            // Without an answer the client is asked again.
            None => Some(Err(self.park(identity, active, ask, gone))),
        }
    }
}

fn response(params: &Bytes) -> Option<Bytes> {
    let responses = params::field(params, "inputResponses")?.raw;
    let by_key: BTreeMap<String, &RawValue> = serde_json::from_slice(&responses).ok()?;
    by_key.get(QUESTION_KEY).map(|raw| responses.slice_ref(raw.get().as_bytes()))
}

#[cfg(test)]
mod tests {
    use tokio::sync::{mpsc, oneshot};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::cancel::Cancel;

    fn identity(params: &str) -> RequestIdentity {
        RequestIdentity::of(
            None,
            "tools/call",
            Some(&Bytes::copy_from_slice(params.as_bytes())),
            &Who::unknown(),
            None,
        )
    }

    /// Parks a request. Returns its state and the receiver of the answer.
    fn parked_request(
        parked: &ParkedRequests,
        identity: &RequestIdentity,
    ) -> (String, oneshot::Receiver<Body>) {
        let (answer, answered) = oneshot::channel();
        let (method, withdrawn) = ("elicitation/create".to_owned(), CancellationToken::new());
        let ask = Ask { method, params: None, withdrawn, answer };
        let (answer_later, cancel) = (oneshot::channel().1, Cancel::default());
        let active = ActiveRequest { events: mpsc::channel(1).1, answer: answer_later, cancel };
        let Body::Result(result) = parked.ask(identity, active, ask, CancellationToken::new().drop_guard())
        else {
            panic!("not asked")
        };
        (params::text(&result, "requestState").unwrap(), answered)
    }

    fn continuing(state: &str, more: &str) -> RequestIdentity {
        identity(&format!(r#"{{"inputResponses":{{"input":{{"a":1}}}},"requestState":"{state}",{more}}}"#))
    }

    #[test]
    fn resume_accepts_a_state_once_and_only_for_its_own_request() {
        const SAME: &str = r#""arguments":{"n":1.0},"_meta":{"x":2},"name":"t""#;
        let parked = ParkedRequests::new(7);
        let began = identity(r#"{"name":"t","arguments":{"n":1.0},"_meta":{"x":1}}"#);
        let (state, mut answered) = parked_request(&parked, &began);
        let right = continuing(&state, SAME);
        for wrong in [
            continuing(&state, r#""name":"t","arguments":{"n":2.0}"#),
            continuing(&state, r#""name":"t""#),
            continuing(&state, r#""name":"other","arguments":{"n":1.0}"#),
            continuing(&state, r#""name":"t","arguments":{"n":1.0},"task":{}"#),
            RequestIdentity { method: "prompts/get".into(), ..right.clone() },
            RequestIdentity { target: Some("one".into()), ..right.clone() },
            RequestIdentity { info: Some("{}".into()), ..right.clone() },
            RequestIdentity { authorization: Some("Bearer x".into()), ..right.clone() },
            continuing(&format!("{state}0"), SAME),
            continuing(&state[..state.len() - 1], SAME),
            continuing("schemascope:0000000000000007:", SAME),
        ] {
            assert!(matches!(parked.resume(&wrong), Some(Err(Body::Error(_)))), "{wrong:?}");
        }
        // Garbage and states of others are not ours.
        for other in ["schemascope:0000000000000008:00", "", "x"] {
            assert!(parked.resume(&continuing(other, SAME)).is_none(), "{other}");
        }
        assert!(parked.resume(&identity(r#"{"requestState":7}"#)).is_none());
        assert!(answered.try_recv().is_err(), "none of those answered it");
        assert!(matches!(parked.resume(&right), Some(Ok(_))));
        assert_eq!(answered.try_recv(), Ok(Body::Result(r#"{"a":1}"#.into())));
        assert!(matches!(parked.resume(&right), Some(Err(Body::Error(_)))), "it is used up");
    }

    #[test]
    fn resume_asks_again_without_an_answer_and_rejects_expired_states() {
        let parked = ParkedRequests::new(7);
        let (state, mut answered) = parked_request(&parked, &identity(r#"{"name":"t"}"#));
        let silent = identity(&format!(r#"{{"name":"t","requestState":"{state}"}}"#));
        let Some(Err(Body::Result(again))) = parked.resume(&silent) else { panic!("not asked again") };
        let state = params::text(&again, "requestState").unwrap();
        for waiting in parked.lock().values_mut() {
            waiting.since = Instant::now().checked_sub(ANSWER_TIMEOUT).unwrap();
        }
        let late = continuing(&state, r#""name":"t""#);
        assert!(matches!(parked.resume(&late), Some(Err(Body::Error(_)))));
        parked.drop_expired();
        assert!(parked.lock().is_empty() && answered.try_recv().is_err());
    }
}
