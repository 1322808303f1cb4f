//! The written form of a tool's state.

use std::fmt;

use schemascope_model::Timestamp;
use schemascope_shape::{Arguments, Fits, Shape};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::drift::Drift;
use crate::history::History;
use crate::tool::{Carriers, Declaration, Tool};
use crate::versions::{Drafts, Form};

/// Written into every state. Version 2 knows nothing of drift and versions 3 and 4 counted it otherwise: it is watched
/// from there on. What version 1 lacks is in the calls it was made from, so it is not converted but counted anew.
const VERSION: u32 = 5;
const OTHER_DRIFT: [u32; 2] = [3, 4];
const WITHOUT_DRIFT: u32 = 2;

/// A state that cannot be read.
#[derive(Debug)]
pub struct InvalidState(String);

impl InvalidState {
    pub(crate) fn of(reason: impl fmt::Display) -> Self {
        Self(reason.to_string())
    }
}

impl fmt::Display for InvalidState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tool state cannot be read: {}", self.0)
    }
}

impl std::error::Error for InvalidState {}

#[derive(Serialize, Deserialize)]
struct State {
    version: u32,
    declared: Option<Declared>,
    calls: u64,
    failures: u64,
    unanswered: u64,
    carriers: Carriers,
    fits: Fits,
    last_called: Option<Timestamp>,
    last_observed: Option<Timestamp>,
    history: History,
    #[serde(default)]
    form: Form,
    arguments: Arguments,
    shape: Box<RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    drift: Option<Box<RawValue>>,
}

#[derive(Serialize, Deserialize)]
struct Declared {
    at: Timestamp,
    definition: Box<RawValue>,
}

impl Tool {
    /// Writes the state. Equal tools give equal bytes.
    pub fn to_state(&self) -> Vec<u8> {
        let shape = String::from_utf8(self.shape.to_state()).unwrap_or_default();
        let state = State {
            version: VERSION,
            declared: self.declaration.as_ref().map(|declaration| Declared {
                at: declaration.at,
                definition: declaration.definition.clone(),
            }),
            calls: self.calls,
            failures: self.failures,
            unanswered: self.unanswered,
            carriers: self.carriers,
            fits: self.fits.clone(),
            last_called: self.last_called,
            last_observed: self.last_observed,
            history: self.history.clone(),
            form: self.form.clone(),
            arguments: self.arguments.clone(),
            shape: RawValue::from_string(shape).unwrap_or_default(),
            drift: String::from_utf8(self.drift.to_state())
                .ok()
                .and_then(|drift| RawValue::from_string(drift).ok()),
        };
        serde_json::to_vec(&state).unwrap_or_default()
    }

    /// Reads what [`Tool::to_state`] wrote.
    pub fn from_state(bytes: &[u8]) -> Result<Self, InvalidState> {
        let state: State = serde_json::from_slice(bytes).map_err(|error| InvalidState(error.to_string()))?;
        if ![WITHOUT_DRIFT, VERSION].contains(&state.version) && !OTHER_DRIFT.contains(&state.version) {
            return Err(InvalidState(format!(
                "version {}; this program reads version {VERSION}",
                state.version
            )));
        }
        let shape = Shape::from_state(state.shape.get().as_bytes());
        let drift = match (state.drift, state.version) {
            (Some(drift), VERSION) => Drift::from_state(drift.get().as_bytes()).map_err(InvalidState::of)?,
            (Some(_), other) if OTHER_DRIFT.contains(&other) => Drift::default(),
            (None, WITHOUT_DRIFT) => Drift::default(),
            _ => return Err(InvalidState("it contradicts itself about drift".to_owned())),
        };
        Ok(Self {
            declaration: state.declared.map(|declared| Declaration::new(declared.definition, declared.at)),
            calls: state.calls,
            failures: state.failures,
            unanswered: state.unanswered,
            carriers: state.carriers,
            shape: shape.map_err(|error| InvalidState(error.to_string()))?,
            fits: state.fits,
            last_called: state.last_called,
            last_observed: state.last_observed,
            history: state.history,
            form: state.form,
            drafts: Drafts::default(),
            arguments: state.arguments,
            drift,
            drifted: true,
        })
    }
}
