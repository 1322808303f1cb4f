//! From what is known to what fronts show. Plain conversions; nothing is decided here.

use schemascope_api::{
    AlternativeRow, ArgumentRow, ArgumentValueRow, CallRow, DecisionRow, Distinct, FieldRow, InForceRow,
    ServerRow, ToolRow, TypeRow, ValueRow, ValueSummary,
};
use schemascope_model::{CallRecord, ToolId};
use schemascope_proxy::Status;
use schemascope_registry::Tool;
use schemascope_registry::versions::InForce;
use schemascope_shape::{
    AlternativeReport, Decision, FieldReport, SeparatingValue, Separation, ValueReport, wilson,
};

use crate::decisions::Numbers;
use crate::redact::Redactor;

/// Points of a trend.
const TREND: usize = 24;

pub(crate) fn call_row(call: &CallRecord) -> CallRow {
    CallRow {
        id: call.id,
        at: call.at,
        tool_id: call.tool_id.to_string(),
        outcome: call.outcome,
        carrier: call.carrier,
        fits: call.fit.as_ref().map(|fit| fit.fits),
        total_us: call.total_us,
        result_bytes: call.result_bytes,
        client: call.client.as_ref().map(|client| client.name.to_string()),
    }
}

pub(crate) fn in_force_row(in_force: &InForce) -> InForceRow {
    InForceRow {
        version: in_force.version().number,
        pinned: !matches!(in_force, InForce::Promoted(_)),
        enforced: matches!(in_force, InForce::Enforced(_)),
    }
}

/// Without its log. What upstreams say of themselves may quote what they were started with.
pub(crate) fn server_row(status: Status, redactor: &Redactor) -> ServerRow {
    ServerRow {
        server_name: status.name,
        state: status.state,
        reason: status.reason.map(|reason| redactor.text(&reason).into_owned()),
        tool_count: status.tools,
        pid: status.pid,
        since: status.since,
        protocol_version: status.protocol_version,
        log: Vec::new(),
    }
}

pub(crate) fn tool_row(id: &ToolId, tool: &Tool, versions: Numbers) -> ToolRow {
    let standing = tool.standing();
    ToolRow {
        tool_id: id.to_string(),
        server_name: id.server().to_owned(),
        tool_name: id.tool().to_owned(),
        source: standing.source,
        quality: standing.quality,
        violated: standing.violated,
        observation_count: tool.shape.observations(),
        call_count: tool.calls,
        failure_count: tool.failures,
        mean_consistency: tool.shape.mean_consistency(),
        effective_version: versions.in_force.map(|in_force| in_force.version),
        pinned: versions.in_force.is_some_and(|in_force| in_force.pinned),
        enforced: versions.in_force.is_some_and(|in_force| in_force.enforced),
        candidate_version: versions.candidate,
        drift_count: versions.drift.0,
        drift_waiting: versions.drift.1,
        drift_untold: versions.untold,
        last_observed: tool.last_observed,
        last_called: tool.last_called,
        listed: tool.declaration.is_some(),
        trend: trend(tool),
    }
}

/// The points of the history, thinned out evenly; the last one stays.
fn trend(tool: &Tool) -> Vec<u8> {
    let points = &tool.history.points;
    let shown = points.len().min(TREND);
    (1..=shown)
        .filter_map(|n| points.get(n * points.len() / shown - 1))
        .map(|point| (point.mean / 10_000).min(100) as u8)
        .collect()
}

pub(crate) fn field_row(field: FieldReport) -> FieldRow {
    let (present, parents) = (field.presence.present, field.presence.parents);
    let decision = |one: Decision| DecisionRow { decision: one.decision, because: one.because };
    let alternative = |one: AlternativeReport| AlternativeRow {
        tag: one.tag,
        json: one.json,
        count: one.count,
        fields: one.fields,
    };
    FieldRow {
        path: field.path,
        name: field.name,
        depth: field.depth,
        kinds: field.kinds,
        types: field.types.into_iter().map(|kind| TypeRow { name: kind.name, count: kind.count }).collect(),
        present,
        parents,
        interval: wilson(present, parents),
        consistency: field.consistency,
        agreement: field.agreement,
        required: field.required,
        values: value_summary(field.values),
        decisions: field.decisions.into_iter().map(decision).collect(),
        alternatives: field.alternatives.into_iter().map(alternative).collect(),
    }
}

fn value_summary(values: ValueReport) -> ValueSummary {
    ValueSummary {
        distinct: values.distinct.map(|(count, exact)| Distinct { count, exact }),
        counted: values.counted.into_iter().map(|(json, count)| ValueRow { json, count }).collect(),
        examples: values.examples,
        range: values.range,
        lengths: values.lengths,
        items: values.items,
    }
}

pub(crate) fn argument_row(separation: Separation) -> ArgumentRow {
    let value =
        |one: SeparatingValue| ArgumentValueRow { json: one.json, count: one.count, shape: one.parts };
    ArgumentRow {
        argument: separation.argument,
        explains: separation.explains,
        values: separation.values.into_iter().map(value).collect(),
    }
}
