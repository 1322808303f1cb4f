//! Requests of stateless clients that wait for input (the table in `bridge`).
//!
//! An upstream with a handshake asks in the middle of a request; a stateless client is asked by an answer
//! and asks again. In between the request is held here. Owns: which state belongs to which request, for how
//! long. Refuses to know: HTTP.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use tokio_util::sync::DropGuard;

use crate::bridge::{input_required, unknown_state};
use crate::exchange::{Active, Ask};
use crate::wire::{Body, RpcError, Who, params};

/// Requests held at most; then the oldest goes.
const MAX_HELD: usize = 1_000;
/// How long a client may take to answer.
const PATIENCE: Duration = Duration::from_secs(300);
/// The name of the one question that is open.
const KEY: &str = "input";

pub(crate) struct Held {
    /// Tells our states from an upstream's own, and from those of another of us behind this one.
    prefix: String,
    waiting: Mutex<HashMap<String, Waiting>>,
}

/// What a request is for and whose it is, as far as it tells. Who goes on with it must say the same.
#[derive(Debug, Clone)]
pub(crate) struct About {
    /// The endpoint; none for all upstreams.
    pub(crate) target: Option<Box<str>>,
    pub(crate) method: String,
    pub(crate) params: Option<Bytes>,
    /// The client's `clientInfo`, as sent.
    pub(crate) info: Option<Bytes>,
    /// What it was let in with.
    pub(crate) authorization: Option<Bytes>,
}

/// The same, digested: what is held may be large and is only compared.
type Digest = [u8; 32];

struct Waiting {
    about: Digest,
    active: Active,
    ask: Ask,
    /// Dropped with the rest, it cancels the request.
    gone: DropGuard,
    since: Instant,
}

/// A request that goes on.
pub(crate) struct Resumed {
    pub(crate) active: Active,
    pub(crate) gone: DropGuard,
}

impl About {
    /// Of a request, as its headers and body tell.
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

    /// Everything but what may change from one round to the next, field by field, each with its length.
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

impl Held {
    /// Holds nothing yet. `instance` is a random number nobody else has.
    pub(crate) fn new(instance: u64) -> Self {
        Self { prefix: format!("schemascope:{instance:016x}:"), waiting: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds a request and gives the result that asks its client.
    pub(crate) fn ask(&self, about: &About, active: Active, ask: Ask, gone: DropGuard) -> Body {
        self.hold(about.digest(), active, ask, gone)
    }

    fn hold(&self, about: Digest, active: Active, ask: Ask, gone: DropGuard) -> Body {
        let mut random = [0; 16];
        if let Err(error) = getrandom::fill(&mut random) {
            return RpcError::internal(format!("no random numbers for a request's state: {error}")).body();
        }
        let state = random.iter().fold(self.prefix.clone(), |state, byte| state + &format!("{byte:02x}"));
        let result = input_required(&[(KEY.to_owned(), &ask)], &state);
        let mut held = self.lock();
        held.retain(|_, waiting| waiting.since.elapsed() < PATIENCE);
        if held.len() >= MAX_HELD {
            let oldest = held.iter().min_by_key(|(_, waiting)| waiting.since).map(|(state, _)| state.clone());
            oldest.and_then(|oldest| held.remove(&oldest));
        }
        held.insert(state, Waiting { about, active, ask, gone, since: Instant::now() });
        Body::Result(result)
    }

    /// Drops what waited too long.
    pub(crate) fn forget_old(&self) {
        self.lock().retain(|_, waiting| waiting.since.elapsed() < PATIENCE);
    }

    /// The request that is gone on with, now that it brings its input; none if it begins a new one, or goes on
    /// with one an upstream holds itself. It must be about the same as before; what is about something else
    /// leaves what is held as it is.
    pub(crate) fn resume(&self, about: &About) -> Option<Result<Resumed, Body>> {
        let params = about.params.as_ref()?;
        let state = params::text(params, "requestState").filter(|state| state.starts_with(&self.prefix))?;
        let digest = about.digest();
        let waiting = {
            let mut held = self.lock();
            let alive = |waiting: &Waiting| waiting.since.elapsed() < PATIENCE;
            match held.get(&state) {
                Some(waiting) if alive(waiting) && waiting.about == digest => held.remove(&state),
                Some(waiting) if alive(waiting) => {
                    let error =
                        "requestState belongs to another request; go on with the one it was given for";
                    return Some(Err(RpcError::invalid_params(error).body()));
                }
                _ => None,
            }
        };
        let Some(Waiting { about, active, ask, gone, .. }) = waiting else {
            return Some(Err(unknown_state().body()));
        };
        match response(params) {
            Some(response) => {
                // The upstream may no longer want it.
                let _ = ask.answer.send(Body::Result(response));
                Some(Ok(Resumed { active, gone }))
            }
            // Without an answer it is asked again.
            None => Some(Err(self.hold(about, active, ask, gone))),
        }
    }
}

fn response(params: &Bytes) -> Option<Bytes> {
    let responses = params::field(params, "inputResponses")?.raw;
    let by_key: BTreeMap<String, &RawValue> = serde_json::from_slice(&responses).ok()?;
    by_key.get(KEY).map(|raw| responses.slice_ref(raw.get().as_bytes()))
}

#[cfg(test)]
mod tests {
    use tokio::sync::{mpsc, oneshot};
    use tokio_util::sync::CancellationToken;

    use super::*;

    fn about(params: &str) -> About {
        About::of(None, "tools/call", Some(&Bytes::copy_from_slice(params.as_bytes())), &Who::nobody(), None)
    }

    /// Something held, its state, and where its answer arrives.
    fn holding(held: &Held, about: &About) -> (String, oneshot::Receiver<Body>) {
        let (answer, answered) = oneshot::channel();
        let (method, withdrawn) = ("elicitation/create".to_owned(), CancellationToken::new());
        let ask = Ask { method, params: None, withdrawn, answer };
        let (answer_later, cancel) = (oneshot::channel().1, CancellationToken::new());
        let active = Active { events: mpsc::channel(1).1, answer: answer_later, cancel };
        let Body::Result(result) = held.ask(about, active, ask, CancellationToken::new().drop_guard()) else {
            panic!("not asked")
        };
        (params::text(&result, "requestState").unwrap(), answered)
    }

    fn going_on(state: &str, more: &str) -> About {
        about(&format!(r#"{{"inputResponses":{{"input":{{"a":1}}}},"requestState":"{state}",{more}}}"#))
    }

    #[test]
    fn a_state_is_good_for_its_own_request_once() {
        const SAME: &str = r#""arguments":{"n":1.0},"_meta":{"x":2},"name":"t""#;
        let held = Held::new(7);
        let began = about(r#"{"name":"t","arguments":{"n":1.0},"_meta":{"x":1}}"#);
        let (state, mut answered) = holding(&held, &began);
        let right = going_on(&state, SAME);
        for wrong in [
            going_on(&state, r#""name":"t","arguments":{"n":2.0}"#),
            going_on(&state, r#""name":"t""#),
            going_on(&state, r#""name":"other","arguments":{"n":1.0}"#),
            going_on(&state, r#""name":"t","arguments":{"n":1.0},"task":{}"#),
            About { method: "prompts/get".into(), ..right.clone() },
            About { target: Some("one".into()), ..right.clone() },
            About { info: Some("{}".into()), ..right.clone() },
            About { authorization: Some("Bearer x".into()), ..right.clone() },
            going_on(&format!("{state}0"), SAME),
            going_on(&state[..state.len() - 1], SAME),
            going_on("schemascope:0000000000000007:", SAME),
        ] {
            assert!(matches!(held.resume(&wrong), Some(Err(Body::Error(_)))), "{wrong:?}");
        }
        // Garbage, and states of others, are none of ours.
        for other in ["schemascope:0000000000000008:00", "", "x"] {
            assert!(held.resume(&going_on(other, SAME)).is_none(), "{other}");
        }
        assert!(held.resume(&about(r#"{"requestState":7}"#)).is_none());
        assert!(answered.try_recv().is_err(), "none of those answered it");
        assert!(matches!(held.resume(&right), Some(Ok(_))));
        assert_eq!(answered.try_recv(), Ok(Body::Result(r#"{"a":1}"#.into())));
        assert!(matches!(held.resume(&right), Some(Err(Body::Error(_)))), "it is used up");
    }

    #[test]
    fn without_an_answer_it_is_asked_again_and_what_waited_too_long_is_gone() {
        let held = Held::new(7);
        let (state, mut answered) = holding(&held, &about(r#"{"name":"t"}"#));
        let silent = about(&format!(r#"{{"name":"t","requestState":"{state}"}}"#));
        let Some(Err(Body::Result(again))) = held.resume(&silent) else { panic!("not asked again") };
        let state = params::text(&again, "requestState").unwrap();
        for waiting in held.lock().values_mut() {
            waiting.since = Instant::now().checked_sub(PATIENCE).unwrap();
        }
        let late = going_on(&state, r#""name":"t""#);
        assert!(matches!(held.resume(&late), Some(Err(Body::Error(_)))));
        held.forget_old();
        assert!(held.lock().is_empty() && answered.try_recv().is_err());
    }
}
