//! Totals.

use std::collections::BTreeSet;

use schemascope_api::{ApiError, ByQuality, BySource, GetReport, RecoveryReport, Report};
use schemascope_model::{Quality, Source};

use super::Handle;
use crate::engine::Engine;

impl Handle<GetReport> for Engine {
    async fn handle(&self, _: GetReport) -> Result<Report, ApiError> {
        self.recorder.settle().await;
        let mut report = Report {
            server_count: 0,
            tool_count: 0,
            call_count: 0,
            failure_count: 0,
            observation_count: 0,
            by_source: BySource::default(),
            by_quality: ByQuality::default(),
            recorder: self.recorder.report(),
            recovery: RecoveryReport { notes: self.recovery.clone() },
            warnings: self.warnings(),
        };
        let registry = self.registry();
        let mut servers = BTreeSet::new();
        for (id, tool) in registry.tools() {
            report.call_count += tool.calls;
            report.failure_count += tool.failures;
            if !tool.exists() {
                continue;
            }
            servers.insert(id.server());
            report.tool_count += 1;
            report.observation_count += tool.shape.observations();
            let standing = tool.standing();
            report.by_source.violated += u64::from(standing.violated);
            match standing.source {
                Source::Declared => report.by_source.declared += 1,
                Source::Hybrid => {
                    report.by_source.declared += 1;
                    report.by_source.hybrid += 1;
                }
                Source::Inferred => report.by_source.inferred += 1,
                Source::Unknown => report.by_source.unknown += 1,
            }
            match standing.quality {
                Quality::None => report.by_quality.none += 1,
                Quality::Low => report.by_quality.low += 1,
                Quality::Medium => report.by_quality.medium += 1,
                Quality::High => report.by_quality.high += 1,
            }
        }
        report.server_count = servers.len() as u64;
        Ok(report)
    }
}
