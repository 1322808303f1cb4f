//! Coverage over time: how many tools had which standing.

use schemascope_api::{ApiError, Coverage, CoveragePoint, GetCoverage, Standings};
use schemascope_model::{Timestamp, ToolId};
use schemascope_registry::{Registry, Standing, StandingChange, Tool};

use super::Handle;
use crate::engine::Engine;

handlers![GetCoverage];

/// Points of the series.
const POINTS: u64 = 120;

impl Handle<GetCoverage> for Engine {
    async fn handle(&self, command: GetCoverage) -> Result<Coverage, ApiError> {
        self.records.recorder.settle().await;
        let counts = |id: &ToolId, tool: &Tool| self.upstreams.own_tools.counts(id, tool);
        Ok(Coverage { points: points(&self.registry(), counts, command.since, Timestamp::now()) })
    }
}

/// Evenly spread times from `since`, or the first change known, to now, and how every tool that counts stood then.
fn points(
    registry: &Registry,
    counts: impl Fn(&ToolId, &Tool) -> bool,
    since: Option<Timestamp>,
    now: Timestamp,
) -> Vec<CoveragePoint> {
    let histories: Vec<&[StandingChange]> = registry
        .tools()
        .iter()
        .filter(|(id, tool)| counts(id, tool))
        .map(|(_, tool)| tool.history.changes.as_slice())
        .collect();
    let first = histories.iter().filter_map(|changes| changes.first()).map(|change| change.at).min();
    let Some(first) = since.or(first) else { return Vec::new() };
    let (from, to) = (first.as_millis(), now.as_millis().max(first.as_millis() + 1));
    let step = ((to - from) / (POINTS - 1)).max(1);
    (0..POINTS)
        .map(|n| to.saturating_sub((POINTS - 1 - n) * step))
        .filter(|at| *at >= from)
        .map(|at| {
            let at = Timestamp::from_millis(at);
            let mut tools = Standings::default();
            for changes in &histories {
                let known = changes.partition_point(|change| change.at <= at);
                if let Some(change) = known.checked_sub(1).and_then(|last| changes.get(last)) {
                    let Standing { source, quality, violated, unjudged, form } = change.standing;
                    tools.add(source, quality, violated, unjudged, form);
                }
            }
            CoveragePoint { at, tools }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn every_tool_counts_once_at_every_time() {
        let every = |_: &ToolId, tool: &Tool| tool.exists();
        let mut registry = Registry::default();
        assert!(points(&registry, every, None, Timestamp::from_millis(5)).is_empty());
        let at = Timestamp::from_millis;
        let definition = |json: &str| Some(RawValue::from_string(json.to_owned()).unwrap());
        registry.declare(&"s__a".parse().unwrap(), at(1_000), definition(r#"{"name":"a"}"#));
        registry.declare(&"s__b".parse().unwrap(), at(2_000), definition(r#"{"outputSchema":{}}"#));
        let points = points(&registry, every, None, at(3_380));
        assert_eq!((points.len() as u64, points[0].at, points[119].at), (POINTS, at(1_000), at(3_380)));
        assert_eq!(points[0].tools, Standings { unseen: 1, ..Standings::default() });
        assert_eq!(points[119].tools, Standings { unseen: 1, unproven: 1, ..Standings::default() });
    }
}
