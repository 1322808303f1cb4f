//! Calls on their way to becoming records: from bytes as they passed to a redacted record.
//!
//! The work is done on a thread of its own, so that none of it is on the call path.

use std::borrow::Cow;

use bytes::Bytes;
use schemascope_compose::Flow;
use schemascope_model::{CallId, CallRecord, Client, Fit, Outcome, ToolId};
use schemascope_proxy::{Effective, Ended, FinishedCall};
use schemascope_registry::{
    Detached, Observation, in_list, is_error, read, replace_structured_strings, replace_structured_texts,
};
use serde_json::value::RawValue;

use super::known_json::known_json;
use schemascope_redact::{Redactor, Removed, Trust, Unescaped, asks_for_secret, without_answer};

/// Size up to which bodies are copied. Most are a small part of the buffer they were read into, which they would
/// keep alive.
const COPIED_BYTES: usize = 64 << 10;
/// Memory that small allocations take beside their contents.
const ALLOCATION_BYTES: usize = 256;

/// What looks at a call before its values are redacted.
pub(super) trait Judging {
    /// Returns which arguments came from earlier results. `observed` is what the result teaches, as JSON text.
    fn flow(&mut self, call: &CallRecord, observed: Option<&str>) -> Flow;
    /// Whether the tool sends each item of a list in a text of its own.
    fn sends_items(&self, tool: &ToolId) -> bool;
    /// Compares the result with the effective schema: with the one that the server declares if it is `None`.
    fn judge(&mut self, tool: &ToolId, effective: Option<&Effective>, result: &Observation<'_>) -> Judged;
}

/// How a result fits the schemas of its tool. Where there is no schema, or the result cannot be compared, there is no fit.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Judged {
    /// To the effective schema.
    pub(super) fit: Option<Fit>,
    /// To the declared schema where a promoted one is effective.
    pub(super) declared_fit: Option<Fit>,
}

pub(super) enum Draft {
    /// A call that passed through the proxy, with the sizes its bodies had.
    Live { id: CallId, call: FinishedCall, sizes: Sizes, bodies_left_out: bool },
    /// A call of a trace. Only our own exports are redacted already.
    Trace { record: CallRecord, own_export: bool },
}

/// Sizes of a call's bodies in bytes, as they passed.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    arguments: usize,
    result: usize,
}

/// A record with what its result teaches.
pub(super) struct DraftedCall {
    pub(super) record: CallRecord,
    pub(super) observation: Option<Detached>,
}

impl Draft {
    /// Memory that every draft takes, in bytes.
    pub(super) const LIGHTEST: usize = size_of::<Self>() + ALLOCATION_BYTES;

    pub(super) fn live(id: CallId, mut call: FinishedCall) -> Self {
        let copy = |body: &mut Bytes| {
            if body.len() <= COPIED_BYTES {
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

    /// Memory that the draft takes, in bytes, about.
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

    /// Drops the bodies, but keeps whether the call failed.
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

    /// Judges the result and follows the values while they are there, then redacts.
    pub(super) fn into_record(self, redactor: &Redactor, judging: &mut impl Judging) -> DraftedCall {
        let (mut record, trust, effective, left_out) = match self {
            Self::Live { id, call, sizes, bodies_left_out } => {
                let record = live(id, &call, sizes);
                (record, Trust::Foreign, Some(call.effective), bodies_left_out)
            }
            Self::Trace { record, own_export: true } => (record, Trust::Own, None, false),
            Self::Trace { record, own_export: false } => (record, Trust::Foreign, None, false),
        };
        record.redacted += redactor.redact_caller(&mut record);
        let result = record.result.take();
        let reading = result.as_deref().map(read);
        if record.outcome == Outcome::Ok && reading.as_ref().is_some_and(|reading| reading.is_error) {
            record.outcome = Outcome::ToolError;
        }
        let observation = reading.as_ref().and_then(|reading| reading.observation.as_ref());
        let sends_items = || record.outcome == Outcome::Ok && judging.sends_items(&record.tool_id);
        let listed = in_list(observation, result.as_deref(), sends_items).map(Observation::into_owned);
        if record.flow.is_none() {
            let observed = listed.as_ref().or(observation);
            record.flow =
                Some(without_secrets(redactor, judging.flow(&record, observed.map(|one| &*one.json))));
        }
        if left_out {
            record.bodies_left_out = true;
            (record.arguments, record.error) = (None, None);
            return DraftedCall { record, observation: None };
        }
        let unescaped = reading.as_ref().and_then(|reading| reading.unescaped);
        let is_searched = reading.as_ref().is_some_and(|reading| reading.may_have_structured_texts);
        let observation = reading.and_then(|reading| reading.observation);
        if trust == Trust::Foreign
            && record.outcome == Outcome::Ok
            && let Some(observation) = listed.as_ref().or(observation.as_ref())
        {
            let judged = judging.judge(&record.tool_id, effective.as_ref(), observation);
            (record.fit, record.declared_fit) = (judged.fit, judged.declared_fit);
            record.carrier = Some(observation.carrier);
        }
        let mut removed = Removed::default();
        for body in [&mut record.arguments, &mut record.error].into_iter().flatten() {
            let redacted = redacted(redactor, body, trust, None);
            // A text of several lines can have structure that is not JSON, such as YAML.
            let redacted = match trust == Trust::Foreign && body.get().contains("\\n") {
                true => named_in_strings(redactor, redacted, body),
                false => redacted,
            };
            if let Some((redacted, replaced)) = redacted {
                removed.note(body.get(), redacted.get());
                *body = redacted;
                record.redacted += replaced;
            }
        }
        let known = unescaped.zip(observation.as_ref());
        let known = known.map(|(written, observation)| Unescaped { written, text: &observation.json });
        let redacted = result.as_deref().and_then(|one| redacted(redactor, one, trust, known));
        let mut observation = observation.zip(result.as_deref()).map(|(one, result)| one.detach(result));
        record.result = result;
        // What replaces a secret can give a text another structure.
        let redacted = match (is_searched || redacted.is_some()) && trust == Trust::Foreign {
            true => named_in_texts(redactor, redacted, record.result.as_deref()),
            false => redacted,
        };
        let redacted = without_asked(redacted, record.result.as_deref(), record.arguments.as_deref());
        if let (Some(result), Some((redacted, _))) = (&record.result, &redacted) {
            removed.note(result.get(), redacted.get());
        }
        for body in [&mut record.arguments, &mut record.error].into_iter().flatten() {
            if let Some((text, replaced)) = removed.without(body.get())
                && let Ok(text) = RawValue::from_string(text)
            {
                *body = text;
                record.redacted += replaced;
            }
        }
        let redacted = without_echoes(&removed, redacted, record.result.as_deref());
        if let Some((redacted, replaced)) = redacted {
            // The stored form is what is learned, or a replay would learn something else.
            observation = read(&redacted).observation.map(|one| one.detach(&redacted));
            record.result = Some(redacted);
            record.redacted += replaced;
        }
        DraftedCall { record, observation }
    }
}

/// Leaves out paths with secrets: a key of a document may be one.
pub(super) fn without_secrets(redactor: &Redactor, mut flow: Flow) -> Flow {
    let is_clean = |path: &str| matches!(redactor.text(path), Cow::Borrowed(_));
    flow.links.retain(|link| is_clean(&link.output) && is_clean(&link.input));
    flow.echoes.retain(|echo| is_clean(&echo.output) && is_clean(&echo.input));
    flow
}

/// Redacts a result further: keys name secrets also in texts that are a Python literal, YAML and the like. Such a text
/// is stored as redacted JSON.
pub(super) fn named_in_texts(
    redactor: &Redactor,
    redacted: Option<(Box<RawValue>, u64)>,
    result: Option<&RawValue>,
) -> Option<(Box<RawValue>, u64)> {
    named_in(redactor, redacted, result, |current, replace| replace_structured_texts(current, replace))
}

/// The same for arguments and errors.
pub(super) fn named_in_strings(
    redactor: &Redactor,
    redacted: Option<(Box<RawValue>, u64)>,
    body: &RawValue,
) -> Option<(Box<RawValue>, u64)> {
    named_in(redactor, redacted, Some(body), |current, replace| replace_structured_strings(current, replace))
}

/// Redacts a result further, where the arguments ask for a secret by its name.
pub(super) fn without_asked(
    redacted: Option<(Box<RawValue>, u64)>,
    result: Option<&RawValue>,
    arguments: Option<&RawValue>,
) -> Option<(Box<RawValue>, u64)> {
    let current = redacted.as_ref().map(|(body, _)| &**body).or(result)?;
    let is_asked = arguments.is_some_and(|arguments| asks_for_secret(arguments.get()));
    let Some((text, replaced)) = is_asked.then(|| without_answer(current.get())).flatten() else {
        return redacted;
    };
    let before = redacted.map_or(0, |(_, replaced)| replaced);
    Some((RawValue::from_string(text).ok()?, before + replaced))
}

/// Redacts a result further: secrets of other parts of the call.
fn without_echoes(
    removed: &Removed,
    redacted: Option<(Box<RawValue>, u64)>,
    result: Option<&RawValue>,
) -> Option<(Box<RawValue>, u64)> {
    let current = redacted.as_ref().map(|(body, _)| &**body).or(result)?;
    let without = removed.without(current.get());
    let Some((text, replaced)) =
        without.and_then(|(text, replaced)| Some((RawValue::from_string(text).ok()?, replaced)))
    else {
        return redacted;
    };
    let before = redacted.map_or(0, |(_, replaced)| replaced);
    Some((text, before + replaced))
}

fn named_in(
    redactor: &Redactor,
    redacted: Option<(Box<RawValue>, u64)>,
    body: Option<&RawValue>,
    replace: impl FnOnce(&RawValue, &mut dyn FnMut(&str) -> Option<String>) -> Option<String>,
) -> Option<(Box<RawValue>, u64)> {
    let current = redacted.as_ref().map(|(body, _)| &**body).or(body)?;
    let mut count = 0;
    let text = replace(current, &mut |json| {
        // The markers in it are our own by now.
        let (json, replaced) = redactor.redact(json, Trust::Own)?;
        count += replaced;
        Some(json)
    });
    let Some(text) = text else { return redacted };
    let before = redacted.map_or(0, |(_, replaced)| replaced);
    Some((RawValue::from_string(text).ok()?, before + count))
}

fn redacted(
    redactor: &Redactor,
    body: &RawValue,
    trust: Trust,
    known: Option<Unescaped<'_>>,
) -> Option<(Box<RawValue>, u64)> {
    let (redacted, replaced) = redactor.redact_with_unescaped(body.get(), trust, known)?;
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

/// A part of a message that was parsed before, as a raw value.
fn raw(bytes: &Bytes) -> Option<Box<RawValue>> {
    known_json(std::str::from_utf8(bytes).ok()?)
}

#[cfg(test)]
mod tests {
    use schemascope_model::{IdSource, Origin, Timestamp};

    use super::*;
    use schemascope_redact::Rules;

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

    /// Judges nothing and follows nothing.
    struct Blind;

    impl Judging for Blind {
        fn flow(&mut self, _: &CallRecord, _: Option<&str>) -> Flow {
            Flow::default()
        }

        fn sends_items(&self, _: &ToolId) -> bool {
            false
        }

        fn judge(&mut self, _: &ToolId, _: Option<&Effective>, _: &Observation<'_>) -> Judged {
            Judged::default()
        }
    }

    #[test]
    fn answer_to_a_call_that_names_a_secret_is_not_kept() {
        let result = r#"{"content":[{"type":"text","text":"hunter2"}]}"#;
        let DraftedCall { record, observation } =
            live(r#"{"key":"db_password"}"#, result).into_record(&redactor(), &mut Blind);
        let kept = record.result.as_deref().unwrap();
        assert!(record.redacted == 1 && !kept.get().contains("hunter2"), "{kept}");
        let learned = observation.as_ref().and_then(|one| one.attach(kept));
        assert_eq!(learned, schemascope_registry::observe(kept));
    }

    /// Live recording learns what a replay of the record would learn.
    #[test]
    fn live_call_teaches_the_same_as_its_replay() {
        for result in [
            r#"{"content":[],"structuredContent":{"n":1.10}}"#,
            r#"{"structuredContent":{"password":"x","n":1}}"#,
            r#"{"content":[{"type":"text","text":"{\"token\":\"abc\"}"}]}"#,
            r#"{"content":[{"type":"text","text":"plain"}]}"#,
            r#"{"content":[{"type":"text","text":"{'password': 'x', 'n': 1}"}]}"#,
            r#"{"content":[{"type":"text","text":"{'token': 'abc'}"}],"structuredContent":{"result":"{'token': 'abc'}"}}"#,
            r#"{"content":[{"type":"text","text":"a:\n  - 1\npassword: abc"}]}"#,
            r#"{"content":[{"type":"text","text":"| token | n |\n|---|---|\n| abc | 1 |"}]}"#,
            r##"{"content":[{"type":"text","text":"# Keys\n- **Password:** abc\n- **N:** 1\n- **M:** 2"}]}"##,
            r#"{"content":[{"type":"text","text":"Found:"},{"type":"text","text":"{\"token\":\"abc\"}"}]}"#,
            r#"{"content":[{"type":"text","text":"{'password': 'x', 'n': 1}"}],"structuredContent":{"result":[{"type":"text","text":"{'password': 'x', 'n': 1}"}]}}"#,
            r#"{"content":[]}"#,
        ] {
            let DraftedCall { record, observation } = live("{}", result).into_record(&redactor(), &mut Blind);
            let kept = record.result.as_deref().unwrap();
            let learned = observation.as_ref().and_then(|one| one.attach(kept));
            assert_eq!(learned, schemascope_registry::observe(kept), "{result}");
            assert!(!["abc", r#""x""#, "'x'"].iter().any(|secret| kept.get().contains(secret)), "{kept}");
        }
    }

    #[test]
    fn call_without_bodies_keeps_its_outcome() {
        let text = "x".repeat(100_000);
        for (flag, outcome) in [("true", Outcome::ToolError), ("false", Outcome::Ok)] {
            let result = format!(r#"{{"isError":{flag},"content":[{{"type":"text","text":"{text}"}}]}}"#);
            let mut draft = live(r#"{"a":1}"#, &result);
            assert!(draft.weight() > 100_000);
            draft.leave_bodies_out();
            assert!(draft.weight() < 2_000);
            let DraftedCall { record, observation } = draft.into_record(&redactor(), &mut Blind);
            assert_eq!((record.outcome, record.result_bytes), (outcome, result.len() as u64));
            assert!(record.bodies_left_out && record.arguments.is_none() && record.result.is_none());
            assert!(observation.is_none());
        }
    }
}
