//! Totals over tools, for reports.

use std::collections::BTreeSet;

use schemascope_api::{ByQuality, BySource, Standings};
use schemascope_model::{Quality, Source, ToolId};
use schemascope_registry::{Standing, Tool};

/// Totals over tools.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    servers: BTreeSet<String>,
    pub(crate) tool_count: u64,
    pub(crate) call_count: u64,
    pub(crate) failure_count: u64,
    pub(crate) observation_count: u64,
    pub(crate) by_source: BySource,
    pub(crate) by_quality: ByQuality,
    pub(crate) standings: Standings,
    pub(crate) never_called: u64,
}

impl Totals {
    /// Number of servers with a tool that was added.
    pub(crate) fn server_count(&self) -> u64 {
        self.servers.len() as u64
    }

    /// Adds a tool.
    pub(crate) fn add(&mut self, id: &ToolId, tool: &Tool) {
        self.add_calls(tool);
        if !self.servers.contains(id.server()) {
            self.servers.insert(id.server().to_owned());
        }
        self.tool_count += 1;
        self.observation_count += tool.shape.observations();
        let standing = tool.standing();
        let Standing { source, quality, violated, unjudged, form } = standing;
        self.standings.add(source, quality, violated, unjudged, form);
        self.never_called += u64::from(tool.calls == 0);
        self.by_source.violated += u64::from(standing.violated);
        match standing.source {
            Source::Declared => self.by_source.declared += 1,
            Source::Hybrid => {
                self.by_source.declared += 1;
                self.by_source.hybrid += 1;
            }
            Source::Inferred => self.by_source.inferred += 1,
            Source::Unknown => self.by_source.unknown += 1,
        }
        match standing.quality {
            Quality::None => self.by_quality.none += 1,
            Quality::Low => self.by_quality.low += 1,
            Quality::Medium => self.by_quality.medium += 1,
            Quality::High => self.by_quality.high += 1,
        }
    }

    /// Adds the calls of a name that is not counted as a tool.
    pub(crate) fn add_calls(&mut self, tool: &Tool) {
        self.call_count += tool.calls;
        self.failure_count += tool.failures;
    }
}
