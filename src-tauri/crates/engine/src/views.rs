//! Rows that fronts show, converted from what is known. Nothing is decided here.

use schemascope_api::{
    AlternativeRow, ArgumentRow, ArgumentValueRow, DecisionRow, Distinct, FieldRow, FitRow, ServerRow,
    ToolRow, TypeRow, ValueRow, ValueSummary,
};
use schemascope_model::{Timestamp, ToolId};
use schemascope_proxy::{OWN_SERVER, Status};
use schemascope_registry::Tool;
use schemascope_shape::{
    AlternativeReport, Decision, FieldReport, SeparatingValue, Separation, ValueReport, wilson,
};

use crate::knowledge::summary::VersionSummary;
use schemascope_redact::Redactor;

/// Points of a trend line.
const TREND: usize = 24;

/// A server without its log. Reasons may quote what the upstream was started with, so they are redacted.
pub(crate) fn server_row(status: Status, redactor: &Redactor) -> ServerRow {
    ServerRow {
        built_in: status.name == OWN_SERVER,
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

pub(crate) fn tool_row(id: &ToolId, tool: &Tool, versions: VersionSummary) -> ToolRow {
    let standing = tool.standing();
    ToolRow {
        tool_id: id.to_string(),
        server_name: id.server().to_owned(),
        tool_name: id.tool().to_owned(),
        source: standing.source,
        quality: standing.quality,
        violated: standing.violated,
        declared_fit: declared_fit(tool).filter(|_| standing.violated),
        unjudged: standing.unjudged,
        form: standing.form,
        never_called: tool.calls == 0,
        observation_count: tool.shape.observations(),
        call_count: tool.calls,
        failure_count: tool.failures,
        mean_consistency: tool.shape.mean_consistency(),
        effective_version: versions.effective.map(|in_force| in_force.version),
        effective_fit: versions.broken.map(|fit| FitRow { fits: fit.fits, violates: fit.violates }),
        pinned: versions.effective.is_some_and(|in_force| in_force.pinned),
        enforced: versions.effective.is_some_and(|in_force| in_force.enforced),
        candidate_version: versions.candidate,
        drift_count: versions.drift.0,
        drift_waiting: versions.drift.1,
        drift_untold: versions.unreported,
        last_observed: tool.last_observed,
        last_called: tool.last_called,
        listed: tool.declaration.is_some(),
        recent_call_count: tool.recent_failures.calls(),
        recent_failure_count: tool.recent_failures.count(),
        text_failure_count: tool.failing_texts.rules().values().sum(),
        failing_since: tool.recent_failures.failing_since(),
        violated_since: violated_since(tool),
        possible_failures: versions.possible_failures,
        drift_since: versions.drift_since,
        drift_text: versions.drift_text,
        candidate_since: versions.candidate_since,
        suspended: versions.suspended,
        p50_us: tool.latencies.quantile(0.5),
        p95_us: tool.latencies.quantile(0.95),
        p99_us: tool.latencies.quantile(0.99),
        trend: trend(tool),
    }
}

/// How many results were compared with the declared schema, and fit it; none before the first.
pub(crate) fn declared_fit(tool: &Tool) -> Option<FitRow> {
    let fit = tool.fits.of(&tool.declaration.as_ref()?.output_schema()?.digest);
    (fit.fits + fit.violates > 0).then_some(FitRow { fits: fit.fits, violates: fit.violates })
}

/// Time from which on a tool does not keep what it declares.
fn violated_since(tool: &Tool) -> Option<Timestamp> {
    tool.history.changes.last().filter(|change| change.standing.violated).map(|change| change.at)
}

/// Points of the history, thinned out evenly. The last one is kept.
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
        recent: None,
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
