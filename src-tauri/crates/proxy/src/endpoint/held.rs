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
use tokio_util::sync::DropGuard;

use crate::bridge::input_required;
use crate::exchange::{Active, Ask};
use crate::wire::{Body, RpcError, params};

/// Requests held at most; then the oldest goes.
const MAX_HELD: usize = 1_000;
/// How long a client may take to answer.
const PATIENCE: Duration = Duration::from_secs(300);
/// Tells our states from an upstream's own.
const PREFIX: &str = "schemascope:";
/// The name of the one question that is open.
const KEY: &str = "input";

#[derive(Default)]
pub(crate) struct Held(Mutex<HashMap<String, Waiting>>);

struct Waiting {
    /// What it is a request for.
    about: String,
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

impl Held {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds a request and gives the result that asks its client.
    pub(crate) fn ask(&self, about: String, active: Active, ask: Ask, gone: DropGuard) -> Body {
        let mut random = [0; 16];
        if let Err(error) = getrandom::fill(&mut random) {
            return RpcError::internal(format!("no random numbers for a request's state: {error}")).body();
        }
        let state = random.iter().fold(PREFIX.to_owned(), |state, byte| state + &format!("{byte:02x}"));
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

    /// The request these `params` go on with, now that they bring its input; none if they begin a new one.
    /// It must be about the same as before.
    pub(crate) fn resume(&self, about: &str, params: Option<&Bytes>) -> Option<Result<Resumed, Body>> {
        let state: String = params
            .and_then(|params| serde_json::from_slice(&params::field(params, "requestState")?.raw).ok())?;
        if !state.starts_with(PREFIX) {
            return None;
        }
        let waiting = {
            let mut held = self.lock();
            let same = held.get(&state).is_some_and(|waiting| waiting.about == about);
            if same { held.remove(&state) } else { None }
        };
        let Some(waiting) = waiting else {
            let error =
                RpcError::invalid_params("requestState is unknown here, used already or too old; begin anew");
            return Some(Err(error.body()));
        };
        let Waiting { about, active, ask, gone, .. } = waiting;
        match params.and_then(response) {
            Some(response) => {
                // The upstream may no longer want it.
                let _ = ask.answer.send(Body::Result(response));
                Some(Ok(Resumed { active, gone }))
            }
            // Without an answer it is asked again.
            None => Some(Err(self.ask(about, active, ask, gone))),
        }
    }
}

fn response(params: &Bytes) -> Option<Bytes> {
    let responses = params::field(params, "inputResponses")?.raw;
    let by_key: BTreeMap<String, &RawValue> = serde_json::from_slice(&responses).ok()?;
    by_key.get(KEY).map(|raw| responses.slice_ref(raw.get().as_bytes()))
}
