//! The state of one tool: its counts, and how one entry changes them.

use std::sync::Arc;

use memchr::memmem;
use schemascope_model::{CallRecord, Carrier, Carriers, Fit, Origin, Outcome, Redacted, Timestamp};
use schemascope_shape::{Arguments, Circumstances, Fits, Replacements, Shape, StandsFor};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::drift::{Conformity, Drift, DriftEvent, Sighting};
use crate::failing_texts::FailingTexts;
use crate::failures::RecentFailures;
use crate::history::History;
use crate::items::in_list;
use crate::latency::Latencies;
use crate::learning::LearnedSince;
use crate::machines::Machines;
use crate::observation::{Observation, observe};
use crate::recurring::RecurringKeys;
use crate::schema::{DeclaredSchema, digest};
use crate::versions::{Drafts, Form};

/// How much earlier than the latest call one began that is not among the newest. Calls end in another order than they
/// begin, and the longest take minutes.
const EARLIER_MS: u64 = 3_600_000;

/// Everything known of one tool. All counts are additive.
#[derive(Debug, Clone, Default)]
pub struct Tool {
    /// What the upstream says of it, while it lists it.
    pub declaration: Option<Declaration>,
    /// What the upstream said of it last, once it lists it no longer.
    pub(crate) former: Option<Declaration>,
    /// Calls, however they ended.
    pub calls: u64,
    /// Calls that failed.
    pub failures: u64,
    /// Calls that got no result: a JSON-RPC error, cancelled, or lost.
    pub unanswered: u64,
    /// Outcomes of the newest calls.
    pub recent_failures: RecentFailures,
    /// Texts that may be failures, and those that count as failures.
    pub failing_texts: FailingTexts,
    /// Durations of the calls.
    pub latencies: Latencies,
    /// How observations were carried.
    pub carriers: Carriers,
    /// Which keys recur in texts of lines `key: value`.
    pub(crate) recurring: RecurringKeys,
    /// Whether it sends each item of a list in a text of its own.
    pub(crate) sends_items: bool,
    /// What observations look like.
    pub shape: Shape,
    /// Since when results are learned from, if not all are.
    pub(crate) learned_since: Option<LearnedSince>,
    /// How their look depends on the arguments.
    pub arguments: Arguments,
    /// How observations fit the schemas declared at the time, by digest.
    pub fits: Fits,
    /// The latest call.
    pub last_called: Option<Timestamp>,
    /// The latest observation.
    pub last_observed: Option<Timestamp>,
    /// How it came to be known.
    pub history: History,
    /// The form of its schema.
    pub form: Form,
    /// What is to become versions.
    pub(crate) drafts: Drafts,
    /// Whether, and since when, results are not what they were.
    pub drift: Drift,
    /// Counts by machine.
    pub(crate) machines: Machines,
    /// Whether drift was reported, or loaded with a state, since the last look. Never part of a state.
    pub(crate) drifted: bool,
}

/// A tool's entry in its upstream's `tools/list`.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// Its object, as sent.
    pub definition: Box<RawValue>,
    /// When it was first listed so.
    pub at: Timestamp,
    output: Option<DeclaredSchema>,
}

impl Declaration {
    /// Reads a tool's object. One that does not parse as expected declares no schema.
    pub fn new(definition: Box<RawValue>, at: Timestamp) -> Self {
        #[derive(Deserialize)]
        struct Definition {
            #[serde(rename = "outputSchema")]
            output: Option<Value>,
        }
        let parsed: Option<Definition> = serde_json::from_str(definition.get()).ok();
        let output = parsed.and_then(|parsed| parsed.output).filter(|schema| !schema.is_null());
        let output =
            output.map(|schema| DeclaredSchema { digest: digest(&schema), schema: Arc::new(schema) });
        Self { definition, at, output }
    }

    /// The declared output schema.
    pub fn output_schema(&self) -> Option<&DeclaredSchema> {
        self.output.as_ref()
    }
}

impl Tool {
    /// A tool nothing is known of.
    pub(crate) fn new(newcomers: crate::registry::Newcomers) -> Self {
        let crate::registry::Newcomers { key, hold, .. } = newcomers;
        let (shape, arguments) = (Shape::with_key(key), Arguments::with_key(key));
        Self { shape, arguments, drafts: Drafts::holding(hold), ..Self::default() }
    }

    /// Whether there is such a tool at all, as far as is known: a name that is not listed and never gave a
    /// result that was no error is a caller's mistake. Many servers answer an unknown name with a result that
    /// says so, not with a JSON-RPC error.
    pub fn exists(&self) -> bool {
        // Failures do not count calls that were cancelled, and these are unanswered.
        self.declaration.is_some() || self.calls > self.failures.max(self.unanswered)
    }

    /// Notes what the upstream says of the tool; none when it lists it no longer.
    pub fn declare(&mut self, at: Timestamp, definition: Option<Box<RawValue>>) {
        let before = self.declaration.take();
        self.declaration = definition.map(|definition| Declaration::new(definition, at));
        self.former = if self.declaration.is_some() { None } else { before.or(self.former.take()) };
        self.note_standing(at);
    }

    /// What the upstream says of the tool, or said last.
    pub fn latest_declaration(&self) -> Option<&Declaration> {
        self.declaration.as_ref().or(self.former.as_ref())
    }

    /// Counts one call.
    pub fn record(&mut self, call: &CallRecord) {
        self.record_read(call, call.result.as_deref().and_then(observe).as_ref());
    }

    /// The same for one whose result was read already: `observation` is what it teaches, as it is kept.
    pub fn record_read(&mut self, call: &CallRecord, observation: Option<&Observation<'_>>) {
        if observation.is_some_and(Observation::is_unwrapped) {
            self.expect_structure_in_text();
        }
        if observation.is_some_and(|observation| observation.are_items) {
            self.expect_items();
        }
        let text = observation.filter(|_| self.carriers.read_from_text() > 0);
        let text = text.and_then(Observation::wrapped_text);
        let listed = in_list(observation, call.result.as_deref(), || self.sends_items);
        let observation = listed.as_ref().or(text.as_ref()).or(observation);
        self.count_for_machine(call, observation);
        // A trace of old calls says nothing about what the tool does now.
        let is_earlier = call.origin == Origin::Backfill && self.is_earlier(call.at);
        if self.count(call, observation)
            && let Some(observation) = observation
        {
            if is_earlier {
                self.drift.pass();
            } else {
                self.watch(call, &observation.json);
            }
            self.note(call.at);
        }
    }

    /// Learns texts in `{"result": text}` as texts once one of them has structure; what the others taught as objects
    /// would be fields beside those of the structure.
    fn expect_structure_in_text(&mut self) {
        if self.carriers.read_from_text() > 0 || self.carriers.structured == 0 || !self.learned_text_only() {
            return;
        }
        self.forget_text();
        self.machines.apart.values_mut().for_each(Self::forget_text);
    }

    /// Whether a time is well before the latest call.
    fn is_earlier(&self, at: Timestamp) -> bool {
        self.last_called.is_some_and(|last| last.as_millis().saturating_sub(at.as_millis()) > EARLIER_MS)
    }

    /// Adds a call to the counts. Returns whether it was an observation.
    pub(crate) fn count(&mut self, call: &CallRecord, observation: Option<&Observation<'_>>) -> bool {
        self.calls += 1;
        let is_failing_text = call.outcome == Outcome::Ok
            && observation.is_some_and(|observation| self.failing_texts.count(call.id, observation));
        let is_failure = is_failing_text || call.outcome.is_failure();
        self.failures += u64::from(is_failure);
        self.unanswered += u64::from(!matches!(call.outcome, Outcome::Ok | Outcome::ToolError));
        if !self.is_earlier(call.at) {
            self.recent_failures.add(call.at, is_failure);
        }
        call.total_us.into_iter().for_each(|micros| self.latencies.add(micros));
        self.last_called = self.last_called.max(Some(call.at));
        if call.outcome != Outcome::Ok || is_failing_text {
            return false;
        }
        let Some(observation) = observation.filter(|_| self.learns(call.at)) else { return false };
        if observation.carrier == Carrier::KeyValue && !self.recurring.add(&observation.json) {
            self.carriers.unproven += 1;
            self.note_standing(call.at);
            return false;
        }
        let circumstances = circumstances(call.at, &observation.json);
        let document = observation.json.as_bytes();
        let arguments = call.arguments.as_deref().map(|arguments| arguments.get().as_bytes());
        if self.shape.observe_call(document, circumstances, &mut self.arguments, arguments).is_err() {
            return false;
        }
        self.last_observed = self.last_observed.max(Some(call.at));
        self.carriers.count(observation.carrier);
        let declared = call.declared_fit.as_ref().filter(|declared| {
            // A version may be the declared schema.
            call.fit.as_ref().is_none_or(|fit| fit.schema != declared.schema)
        });
        for fit in call.fit.iter().chain(declared) {
            self.fits.add(&fit.schema, fit.fits);
        }
        true
    }

    /// Looks whether the result is what results were.
    fn watch(&mut self, call: &CallRecord, document: &str) {
        let conformity = match &call.fit {
            None => Conformity::Unknown,
            Some(fit) if fit.fits => Conformity::Fits(&fit.schema),
            Some(Fit { schema, rule, .. }) => {
                Conformity::Breaks { schema, rule: rule.as_deref().unwrap_or_default() }
            }
        };
        let notices = self.drift.observe(&Sighting {
            call: call.id,
            at: call.at,
            arguments: call.arguments.as_deref().map(RawValue::get),
            document,
            conformity,
        });
        self.drifted |= !notices.is_empty();
        self.accept_drift();
    }

    /// Observations there were of the tool when one of its drifts began, itself included.
    pub fn observations_at(&self, drift: &DriftEvent) -> u64 {
        // What a state before drift was watched has counted was before all of it.
        self.shape.observations().saturating_sub(self.drift.observations().saturating_sub(drift.began))
    }
}

/// Counts a document in a shape. Returns whether it could be read.
pub(crate) fn observe_into(shape: &mut Shape, document: &str) -> bool {
    shape.observe_under(document.as_bytes(), circumstances(Timestamp::default(), document)).is_ok()
}

fn circumstances(at: Timestamp, document: &str) -> Circumstances<'static> {
    let stands_for = may_hold_markers(document).then_some(&stands_for as &Replacements);
    Circumstances { epoch: day(at), stands_for }
}

/// Whether strings of a document may be markers, as they are or written in escapes. Most have none, and one look at
/// all of them is quicker than one at each.
fn may_hold_markers(document: &str) -> bool {
    let bytes = document.as_bytes();
    memmem::find(bytes, "⟦".as_bytes()).is_some() || memmem::find(bytes, br"\u27").is_some()
}

/// What a marker replaced.
fn stands_for(text: &str) -> Option<StandsFor> {
    Redacted::of(text).map(|redacted| match redacted {
        Redacted::String(length) => StandsFor::String(Some(length as u64)),
        Redacted::Integer => StandsFor::Integer,
        Redacted::Number => StandsFor::Number,
    })
}

/// Epochs are days, in UTC.
pub(crate) fn day(at: Timestamp) -> u32 {
    const DAY: u64 = 86_400_000;
    u32::try_from(at.as_millis() / DAY).unwrap_or(u32::MAX - 1)
}
