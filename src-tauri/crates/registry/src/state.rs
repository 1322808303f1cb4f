//! The written form of a tool's state.

use std::collections::BTreeMap;
use std::fmt;

use schemascope_model::{Carriers, Timestamp};
use schemascope_shape::{Arguments, Fits, Policy, Shape};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::drift::Drift;
use crate::exchange::MAX_NODES;
use crate::failing_texts::FailingTexts;
use crate::failures::RecentFailures;
use crate::history::History;
use crate::latency::Latencies;
use crate::learning::LearnedSince;
use crate::machines::Machines;
use crate::recurring::RecurringKeys;
use crate::tool::{Declaration, Tool};
use crate::versions::{Drafts, Form};

/// Written into every state. Version 5 learned text without looking for structure in it. Version 2 knows nothing of
/// drift and versions 3 and 4 counted it otherwise: it is watched from there on. What version 1 lacks is in the calls it
/// was made from, so it is not converted but counted again.
const VERSION: u32 = 6;
const WITHOUT_FORMS: u32 = 5;
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    former: Option<Declared>,
    calls: u64,
    failures: u64,
    unanswered: u64,
    #[serde(default)]
    recent_failures: RecentFailures,
    #[serde(default)]
    latencies: Latencies,
    carriers: Carriers,
    #[serde(default, skip_serializing_if = "RecurringKeys::is_empty")]
    recurring: RecurringKeys,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    sends_items: bool,
    #[serde(default, skip_serializing_if = "FailingTexts::is_empty")]
    failing_texts: FailingTexts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    learned_since: Option<LearnedSince>,
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
    /// The machine of the first call, and the states of each machine if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    machine: Option<u64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    machines: BTreeMap<u64, Box<RawValue>>,
}

#[derive(Serialize, Deserialize)]
struct Declared {
    at: Timestamp,
    definition: Box<RawValue>,
}

impl Declared {
    fn of(declaration: &Declaration) -> Self {
        Self { at: declaration.at, definition: declaration.definition.clone() }
    }

    fn read(self) -> Declaration {
        Declaration::new(self.definition, self.at)
    }
}

impl Tool {
    /// Writes the state. Equal tools give equal bytes.
    pub fn to_state(&self) -> Vec<u8> {
        let shape = String::from_utf8(self.shape.to_state()).unwrap_or_default();
        let state = State {
            version: VERSION,
            declared: self.declaration.as_ref().map(Declared::of),
            former: self.former.as_ref().map(Declared::of),
            calls: self.calls,
            failures: self.failures,
            unanswered: self.unanswered,
            recent_failures: self.recent_failures,
            latencies: self.latencies.clone(),
            carriers: self.carriers,
            recurring: self.recurring.clone(),
            sends_items: self.sends_items,
            failing_texts: self.failing_texts.clone(),
            learned_since: self.learned_since,
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
            machine: self.machines.first,
            machines: self.machines.apart.iter().map(|(machine, counts)| (*machine, raw(counts))).collect(),
        };
        serde_json::to_vec(&state).unwrap_or_default()
    }

    /// Reads what [`Tool::to_state`] wrote.
    pub fn from_state(bytes: &[u8]) -> Result<Self, InvalidState> {
        let state: State = serde_json::from_slice(bytes).map_err(|error| InvalidState(error.to_string()))?;
        if ![WITHOUT_DRIFT, WITHOUT_FORMS, VERSION].contains(&state.version)
            && !OTHER_DRIFT.contains(&state.version)
        {
            return Err(InvalidState(format!(
                "version {}; this program reads version {VERSION}",
                state.version
            )));
        }
        let shape = Shape::from_state(state.shape.get().as_bytes());
        let drift = match (state.drift, state.version) {
            (Some(drift), VERSION | WITHOUT_FORMS) => {
                // Everything else counts without it, and it can start again.
                Drift::from_state(drift.get().as_bytes()).unwrap_or_default()
            }
            (Some(_), other) if OTHER_DRIFT.contains(&other) => Drift::default(),
            (None, WITHOUT_DRIFT) => Drift::default(),
            _ => return Err(InvalidState("it contradicts itself about drift".to_owned())),
        };
        // States of machines contain no others.
        let apart =
            |(machine, raw): (u64, Box<RawValue>)| Ok((machine, Self::from_state(raw.get().as_bytes())?));
        let apart =
            state.machines.into_iter().take(MAX_NODES).map(apart).collect::<Result<_, InvalidState>>()?;
        let mut tool = Self {
            declaration: state.declared.map(Declared::read),
            former: state.former.map(Declared::read),
            calls: state.calls,
            failures: state.failures,
            unanswered: state.unanswered,
            recent_failures: state.recent_failures,
            latencies: state.latencies,
            carriers: state.carriers,
            recurring: state.recurring,
            sends_items: state.sends_items,
            failing_texts: state.failing_texts,
            learned_since: state.learned_since,
            shape: shape.map_err(|error| InvalidState(error.to_string()))?,
            fits: state.fits,
            last_called: state.last_called,
            last_observed: state.last_observed,
            history: state.history,
            form: state.form,
            drafts: Drafts::default(),
            arguments: state.arguments,
            drift,
            machines: Machines { first: state.machine, apart },
            drifted: true,
        };
        if state.version < VERSION && tool.learned_text_only() {
            tool.forget_text();
        }
        Ok(tool)
    }

    /// Whether all that was learned is text, or text in `result`, in which there may be structure.
    pub(crate) fn learned_text_only(&self) -> bool {
        let fields = self.shape.fields(&Policy::default());
        let is_wrapped =
            matches!(&fields[..], [field] if field.path == "result" && field.kinds == ["string"]);
        self.carriers.text_form().is_some() || is_wrapped
    }

    /// Starts learning again, so that structure which is now read does not look like a change of the results.
    pub(crate) fn forget_text(&mut self) {
        self.shape = Shape::with_key(self.shape.key());
        self.arguments = Arguments::with_key(self.shape.key());
        self.drift = self.drift.begun_again();
        self.form = Form::default();
        self.history.points.clear();
    }
}

fn raw(tool: &Tool) -> Box<RawValue> {
    let state = String::from_utf8(tool.to_state()).unwrap_or_default();
    RawValue::from_string(state).unwrap_or_default()
}
