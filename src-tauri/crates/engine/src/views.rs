//! From what is known to what fronts show. Plain conversions; nothing is decided here.

use schemascope_api::{CallRow, FieldRow, ServerRow, ToolRow, TypeRow};
use schemascope_model::{CallRecord, ToolId};
use schemascope_proxy::Status;
use schemascope_registry::Tool;
use schemascope_shape::{FieldReport, Policy};

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

/// Without its log.
pub(crate) fn server_row(status: Status) -> ServerRow {
    ServerRow {
        server_name: status.name,
        state: status.state,
        reason: status.reason,
        tool_count: status.tools,
        pid: status.pid,
        since: status.since,
        protocol_version: status.protocol_version,
        log: Vec::new(),
    }
}

pub(crate) fn tool_row(id: &ToolId, tool: &Tool) -> ToolRow {
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
        effective_version: None,
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

pub(crate) fn field_row(field: FieldReport, policy: &Policy) -> FieldRow {
    let (present, parents) = (field.presence.present, field.presence.parents);
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
        required: present == parents && parents >= policy.required_after,
    }
}

/// The 95 % interval of a share, by Wilson's score (1927): it stays within 0 and 1 and is of use from
/// the first observation on.
fn wilson(hits: u64, of: u64) -> (f64, f64) {
    const Z: f64 = 1.959_964;
    if of == 0 {
        return (0.0, 1.0);
    }
    let n = of as f64;
    let share = hits as f64 / n;
    let scale = 1.0 + Z * Z / n;
    let middle = (share + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures of Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    #[test]
    fn wilson_gives_the_published_intervals() {
        for (hits, of, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let (l, h) = wilson(hits, of);
            assert!((l - low).abs() < 5e-5 && (h - high).abs() < 5e-5, "{hits}/{of}: {l} {h}");
        }
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }
}
