//! The report with history and the tools that stand out, as data and as one HTML page.

use std::cmp::Reverse;
use std::sync::Arc;

use schemascope_api::{
    ApiError, DriftTotals, ExportedFile, FullReport, GetCoverage, GetFullReport, GetReport, GetReportPage,
    ListDrift, ToolSummary,
};
use schemascope_model::{Timestamp, ToolId};
use schemascope_registry::Tool;

use super::{Handle, internal};
use crate::engine::Engine;
use crate::wrappers::tokens;

handlers![GetFullReport, GetReportPage];

/// Most drifts and most tools that break their schema.
const LISTED: usize = 50;
/// Most tools by calls.
const TOP_TOOLS: usize = 20;

impl Handle<GetFullReport> for Engine {
    async fn handle(&self, _: GetFullReport) -> Result<FullReport, ApiError> {
        let totals = self.handle(GetReport {}).await?;
        let coverage = self.handle(GetCoverage { since: None }).await?;
        let mut drifts = self.handle(ListDrift { tool_id: None, all: true }).await?;
        let mut drift_totals = DriftTotals::default();
        for drift in &drifts {
            *match (&drift.resolved, &drift.acknowledged) {
                (Some(_), _) => &mut drift_totals.resolved,
                (None, Some(_)) => &mut drift_totals.acknowledged,
                (None, None) => &mut drift_totals.open,
            } += 1;
        }
        drifts.truncate(LISTED);
        let mut tools: Vec<ToolSummary> = (self.registry().tools().iter())
            .filter(|(id, tool)| self.upstreams.own_tools.counts(id, tool))
            .map(|(id, tool)| summary(id, tool))
            .collect();
        tools.sort_by_key(|tool| Reverse(tool.call_count));
        let is_violated = |tool: &&ToolSummary| {
            let (fitting, misfits) = (tool.fitting_count.unwrap_or(0), tool.misfit_count.unwrap_or(0));
            fitting * 100 < (fitting + misfits) * 95
        };
        let violated = tools.iter().filter(is_violated).take(LISTED).cloned().collect();
        tools.retain(|tool| tool.call_count > 0);
        tools.truncate(TOP_TOOLS);
        let known = Arc::clone(&self.services.wrappers);
        let tokens = tokio::task::spawn_blocking(move || tokens(&known.known)).await.map_err(internal)?;
        Ok(FullReport {
            at: Timestamp::now(),
            totals,
            coverage,
            drift_totals,
            drifts,
            violated,
            top_tools: tools,
            tokens,
        })
    }
}

impl Handle<GetReportPage> for Engine {
    async fn handle(&self, _: GetReportPage) -> Result<ExportedFile, ApiError> {
        let report = self.handle(GetFullReport {}).await?;
        let text = schemascope_report::page(&report, env!("CARGO_PKG_VERSION"));
        Ok(ExportedFile { name: "schemascope-report.html".to_owned(), text })
    }
}

fn summary(id: &ToolId, tool: &Tool) -> ToolSummary {
    let standing = tool.standing();
    let fits = tool.declared_fits();
    ToolSummary {
        tool_id: id.to_string(),
        source: standing.source,
        quality: standing.quality,
        call_count: tool.calls,
        failure_count: tool.failures,
        observation_count: tool.shape.observations(),
        fitting_count: fits.map(|count| count.fits),
        misfit_count: fits.map(|count| count.violates),
        mean_consistency: tool.shape.mean_consistency(),
        p50_us: tool.latencies.quantile(0.5),
        p95_us: tool.latencies.quantile(0.95),
    }
}
