//! Report of totals.

use schemascope_api::{ApiError, GetReport, RecoveryReport, Report};

use super::Handle;
use crate::engine::Engine;
use crate::knowledge::totals::Totals;

handlers![GetReport];

impl Handle<GetReport> for Engine {
    async fn handle(&self, _: GetReport) -> Result<Report, ApiError> {
        self.records.recorder.settle().await;
        let edges = self.edge_totals().await?;
        let mut totals = Totals::default();
        for (id, tool) in self.registry().tools() {
            match self.upstreams.own_tools.counts(id, tool) {
                true => totals.add(id, tool),
                false => totals.add_calls(tool),
            }
        }
        Ok(Report {
            server_count: totals.server_count(),
            tool_count: totals.tool_count,
            call_count: totals.call_count,
            failure_count: totals.failure_count,
            observation_count: totals.observation_count,
            by_source: totals.by_source,
            by_quality: totals.by_quality,
            standings: totals.standings,
            never_called: totals.never_called,
            edges,
            evicted_flows: self.records.flows.lock().evicted_flows(),
            described_field_count: self.interviews.described_count(),
            recorder: self.records.recorder.report(),
            recovery: RecoveryReport { notes: self.recovery.to_vec() },
            warnings: self.warnings(),
            attention: self.attention(),
        })
    }
}
