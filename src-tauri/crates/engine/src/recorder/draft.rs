//! A call on its way to becoming a record.
//!
//! Owns: the step from bytes as they passed to a redacted record. It runs on the writing thread, so
//! that none of it is on the call path. Refuses to know: the queue, the store.

use bytes::Bytes;
use schemascope_model::{CallId, CallRecord, Fit, Outcome, ToolId};
use schemascope_proxy::{Effective, Ended, FinishedCall};
use schemascope_registry::{Observation, is_error, observe};
use serde_json::value::RawValue;

use crate::redact::{Trust, redact};

pub(super) enum Draft {
    /// A call that passed through the proxy.
    Live { id: CallId, call: FinishedCall, bodies_left_out: bool },
    /// A call of a trace, not redacted yet unless it is our own export.
    Trace { record: CallRecord, own_export: bool },
}

impl Draft {
    pub(super) fn body_bytes(&self) -> usize {
        let raw = |raw: &Option<Box<RawValue>>| raw.as_ref().map_or(0, |raw| raw.get().len());
        match self {
            Self::Live { bodies_left_out: true, .. } => 0,
            Self::Live { call, .. } => call.arguments.as_ref().map_or(0, Bytes::len) + ended(call).len(),
            Self::Trace { record, .. } => raw(&record.arguments) + raw(&record.result) + raw(&record.error),
        }
    }

    pub(super) fn leave_bodies_out(&mut self) {
        if let Self::Live { bodies_left_out, .. } = self {
            *bodies_left_out = true;
        }
    }

    /// Decides what needs the values (does it fit, is it an error), then redacts.
    pub(super) fn into_record(
        self,
        judge: impl FnOnce(&ToolId, Option<&Effective>, &Observation<'_>) -> Option<Fit>,
    ) -> CallRecord {
        let (mut record, trust, effective) = match self {
            Self::Live { id, call, bodies_left_out } => {
                (live(id, &call, bodies_left_out), Trust::Foreign, Some(call.effective))
            }
            Self::Trace { record, own_export: true } => (record, Trust::Own, None),
            Self::Trace { record, own_export: false } => (record, Trust::Foreign, None),
        };
        if trust == Trust::Foreign && record.outcome == Outcome::Ok {
            let observation = record.result.as_deref().and_then(observe);
            let judge = |observation| judge(&record.tool_id, effective.as_ref(), observation);
            let fit = observation.as_ref().and_then(judge);
            let carrier = observation.map(|observation| observation.carrier);
            (record.fit, record.carrier) = (fit, carrier);
        }
        for body in [&mut record.arguments, &mut record.result, &mut record.error].into_iter().flatten() {
            if let Some((redacted, replaced)) = redact(body.get(), trust)
                && let Ok(redacted) = RawValue::from_string(redacted)
            {
                *body = redacted;
                record.redacted += replaced;
            }
        }
        record
    }
}

fn live(id: CallId, call: &FinishedCall, bodies_left_out: bool) -> CallRecord {
    let keep = |bytes: &Bytes| if bodies_left_out { None } else { raw(bytes) };
    let (mut result, mut error) = (None, None);
    let outcome = match &call.ended {
        Ended::Result(bytes) => {
            result = raw(bytes);
            if result.as_deref().is_some_and(is_error) { Outcome::ToolError } else { Outcome::Ok }
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
        arguments_bytes: call.arguments.as_ref().map_or(0, |bytes| bytes.len() as u64),
        result_bytes: ended(call).len() as u64,
        rung: call.rung,
        bodies_left_out,
        arguments: call.arguments.as_ref().and_then(keep),
        result: result.filter(|_| !bodies_left_out),
        error: error.filter(|_| !bodies_left_out),
        ..CallRecord::new(id, call.at, call.tool.clone(), outcome, call.origin)
    }
}

fn ended(call: &FinishedCall) -> &[u8] {
    match &call.ended {
        Ended::Result(bytes) | Ended::Error(bytes) => bytes,
        Ended::Cancelled | Ended::Lost(_) => &[],
    }
}

/// Parts of messages that parsed are JSON, and text.
fn raw(bytes: &Bytes) -> Option<Box<RawValue>> {
    RawValue::from_string(String::from_utf8(bytes.to_vec()).ok()?).ok()
}
