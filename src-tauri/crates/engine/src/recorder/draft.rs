//! A call on its way to becoming a record.
//!
//! Owns: the step from bytes as they passed to a redacted record, and what a call weighs until then. The step is
//! taken on a thread of its own, so that none of it is on the call path. Refuses to know: the queue, the store.

use bytes::Bytes;
use schemascope_model::{CallId, CallRecord, Client, Fit, Outcome, ToolId};
use schemascope_proxy::{Effective, Ended, FinishedCall};
use schemascope_registry::{Detached, Observation, is_error, read};
use serde_json::value::RawValue;

use super::known::known_json;
use crate::redact::{Redactor, Trust, Unescaped};

/// Bodies up to this size are copied: most are a small part of the buffer they were read into, which they would
/// keep.
const SMALL: usize = 64 << 10;
/// What small pieces of memory cost beside what is in them.
const PIECES: usize = 256;

pub(super) enum Draft {
    /// A call that passed through the proxy, with the sizes its bodies had.
    Live { id: CallId, call: FinishedCall, sizes: Sizes, bodies_left_out: bool },
    /// A call of a trace, not redacted yet unless it is our own export.
    Trace { record: CallRecord, own_export: bool },
}

/// Bytes of a call's bodies, as they passed.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    arguments: usize,
    result: usize,
}

/// A record, and what its result teaches.
pub(super) struct Drafted {
    pub(super) record: CallRecord,
    pub(super) observation: Option<Detached>,
}

impl Draft {
    /// Bytes of memory that any holds.
    pub(super) const LIGHTEST: usize = size_of::<Self>() + PIECES;

    pub(super) fn live(id: CallId, mut call: FinishedCall) -> Self {
        let copy = |body: &mut Bytes| {
            if body.len() <= SMALL {
                *body = Bytes::copy_from_slice(body);
            }
        };
        call.arguments.as_mut().map(copy);
        if let Ended::Result(body) | Ended::Error(body) = &mut call.ended {
            copy(body);
        }
        let sizes = sizes(&call);
        Self::Live { id, call, sizes, bodies_left_out: false }
    }

    /// Bytes of memory it holds, about.
    pub(super) fn weight(&self) -> usize {
        let text = |text: &Option<Box<str>>| text.as_ref().map_or(0, |text| text.len());
        let client =
            |client: &Option<Client>| client.as_ref().map_or(0, |one| one.name.len() + one.version.len());
        let raw = |raw: &Option<Box<RawValue>>| raw.as_ref().map_or(0, |raw| raw.get().len());
        let held = match self {
            Self::Live { call, .. } => {
                let Sizes { arguments, result } = sizes(call);
                arguments + result + text(&call.session) + client(&call.client) + text(&call.protocol_version)
            }
            Self::Trace { record, .. } => {
                let bodies = raw(&record.arguments) + raw(&record.result) + raw(&record.error);
                bodies + text(&record.session) + client(&record.client) + text(&record.protocol_version)
            }
        };
        Self::LIGHTEST + held
    }

    /// Lets go of the bodies, but not of what they say of how the call ended.
    pub(super) fn leave_bodies_out(&mut self) {
        let Self::Live { call, bodies_left_out, .. } = self else { return };
        *bodies_left_out = true;
        call.arguments = None;
        match &mut call.ended {
            Ended::Result(body) => {
                let says_error = raw(body).is_some_and(|result| is_error(&result));
                *body = Bytes::from_static(if says_error { br#"{"isError":true}"# } else { b"{}" });
            }
            Ended::Error(body) => *body = Bytes::from_static(b"{}"),
            Ended::Cancelled | Ended::Lost(_) => {}
        }
    }

    /// Decides what needs the values (does it fit, is it an error), then redacts.
    pub(super) fn into_record(
        self,
        redactor: &Redactor,
        judge: impl FnOnce(&ToolId, Option<&Effective>, &Observation<'_>) -> Option<Fit>,
    ) -> Drafted {
        let (mut record, trust, effective, left_out) = match self {
            Self::Live { id, call, sizes, bodies_left_out } => {
                let record = live(id, &call, sizes);
                (record, Trust::Foreign, Some(call.effective), bodies_left_out)
            }
            Self::Trace { record, own_export: true } => (record, Trust::Own, None, false),
            Self::Trace { record, own_export: false } => (record, Trust::Foreign, None, false),
        };
        record.redacted += redactor.names(&mut record);
        let result = record.result.take();
        let reading = result.as_deref().map(read);
        if record.outcome == Outcome::Ok && reading.as_ref().is_some_and(|reading| reading.is_error) {
            record.outcome = Outcome::ToolError;
        }
        if left_out {
            record.bodies_left_out = true;
            (record.arguments, record.error) = (None, None);
            return Drafted { record, observation: None };
        }
        let unescaped = reading.as_ref().and_then(|reading| reading.unescaped);
        let observation = reading.and_then(|reading| reading.observation);
        if trust == Trust::Foreign && record.outcome == Outcome::Ok {
            record.fit = observation.as_ref().and_then(|one| judge(&record.tool_id, effective.as_ref(), one));
            record.carrier = observation.as_ref().map(|one| one.carrier);
        }
        for body in [&mut record.arguments, &mut record.error].into_iter().flatten() {
            if let Some((redacted, replaced)) = redacted(redactor, body, trust, None) {
                *body = redacted;
                record.redacted += replaced;
            }
        }
        let known = unescaped.zip(observation.as_ref());
        let known = known.map(|(written, observation)| Unescaped { written, text: &observation.json });
        let redacted = result.as_deref().and_then(|one| redacted(redactor, one, trust, known));
        let mut observation = observation.zip(result.as_deref()).map(|(one, result)| one.detach(result));
        record.result = result;
        if let Some((redacted, replaced)) = redacted {
            // Learned is what is kept, or a replay would learn something else.
            observation = read(&redacted).observation.map(|one| one.detach(&redacted));
            record.result = Some(redacted);
            record.redacted += replaced;
        }
        Drafted { record, observation }
    }
}

fn redacted(
    redactor: &Redactor,
    body: &RawValue,
    trust: Trust,
    known: Option<Unescaped<'_>>,
) -> Option<(Box<RawValue>, u64)> {
    let (redacted, replaced) = redactor.redact_knowing(body.get(), trust, known)?;
    Some((RawValue::from_string(redacted).ok()?, replaced))
}

fn live(id: CallId, call: &FinishedCall, sizes: Sizes) -> CallRecord {
    let (mut result, mut error) = (None, None);
    let outcome = match &call.ended {
        Ended::Result(bytes) => {
            result = raw(bytes);
            Outcome::Ok
        }
        Ended::Error(bytes) => {
            error = raw(bytes);
            Outcome::Error
        }
        Ended::Lost(reason) => {
            error = raw(&serde_json::json!({"message": reason}).to_string().into());
            Outcome::Lost
        }
        Ended::Cancelled => Outcome::Cancelled,
    };
    CallRecord {
        session: call.session.clone(),
        client: call.client.clone(),
        protocol_version: call.protocol_version.clone(),
        upstream_us: Some(call.upstream_us),
        total_us: Some(call.total_us),
        arguments_bytes: sizes.arguments as u64,
        result_bytes: sizes.result as u64,
        rung: call.rung,
        arguments: call.arguments.as_ref().and_then(raw),
        result,
        error,
        ..CallRecord::new(id, call.at, call.tool.clone(), outcome, call.origin)
    }
}

fn sizes(call: &FinishedCall) -> Sizes {
    let result = match &call.ended {
        Ended::Result(bytes) | Ended::Error(bytes) => bytes.len(),
        Ended::Cancelled | Ended::Lost(_) => 0,
    };
    Sizes { arguments: call.arguments.as_ref().map_or(0, Bytes::len), result }
}

/// Parts of messages that parsed are JSON, and text.
fn raw(bytes: &Bytes) -> Option<Box<RawValue>> {
    known_json(std::str::from_utf8(bytes).ok()?)
}

#[cfg(test)]
mod tests {
    use schemascope_model::{IdSource, Origin, Timestamp};

    use super::*;
    use crate::redact::Rules;

    fn redactor() -> Redactor {
        Redactor::new(&Rules::default(), []).unwrap()
    }

    fn live(arguments: &str, result: &str) -> Draft {
        let at = Timestamp::from_millis(1);
        let call = FinishedCall {
            tool: "s__t".parse().unwrap(),
            at,
            origin: Origin::Proxy,
            session: None,
            client: None,
            protocol_version: None,
            arguments: Some(arguments.to_owned().into()),
            ended: Ended::Result(result.to_owned().into()),
            rung: None,
            effective: Effective::None,
            upstream_us: 1,
            total_us: 1,
        };
        Draft::live(IdSource::new(0, 0).live(at), call)
    }

    /// What is learned is what a replay of the record would learn.
    #[test]
    fn what_is_learned_is_what_is_kept() {
        for result in [
            r#"{"content":[],"structuredContent":{"n":1.10}}"#,
            r#"{"structuredContent":{"password":"x","n":1}}"#,
            r#"{"content":[{"type":"text","text":"{\"token\":\"abc\"}"}]}"#,
            r#"{"content":[{"type":"text","text":"plain"}]}"#,
            r#"{"content":[]}"#,
        ] {
            let Drafted { record, observation } = live("{}", result).into_record(&redactor(), |_, _, _| None);
            let kept = record.result.as_deref().unwrap();
            let learned = observation.as_ref().and_then(|one| one.attach(kept));
            assert_eq!(learned, schemascope_registry::observe(kept), "{result}");
            assert!(!kept.get().contains("abc") && !kept.get().contains(r#""x""#));
        }
    }

    #[test]
    fn without_its_bodies_a_call_still_says_how_it_ended() {
        let text = "x".repeat(100_000);
        for (flag, outcome) in [("true", Outcome::ToolError), ("false", Outcome::Ok)] {
            let result = format!(r#"{{"isError":{flag},"content":[{{"type":"text","text":"{text}"}}]}}"#);
            let mut draft = live(r#"{"a":1}"#, &result);
            assert!(draft.weight() > 100_000);
            draft.leave_bodies_out();
            assert!(draft.weight() < 2_000);
            let Drafted { record, observation } = draft.into_record(&redactor(), |_, _, _| None);
            assert_eq!((record.outcome, record.result_bytes), (outcome, result.len() as u64));
            assert!(record.bodies_left_out && record.arguments.is_none() && record.result.is_none());
            assert!(observation.is_none());
        }
    }
}
