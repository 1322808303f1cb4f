//! Totals over all tools, and the state of the recorder.

use schemascope_model::{Quality, Source, TextForm, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Command, DriftRow, EdgeTotals, ExportedFile, Need};

/// Gets the totals over all tools and the recorder.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetReport {}

impl Command for GetReport {
    const NAME: &'static str = "get_report";
    type Reply = Report;
}

/// Gets the history of how many tools have which kind of schema.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetCoverage {
    /// Start of the history; `None` for all of it.
    #[serde(default)]
    pub since: Option<Timestamp>,
}

impl Command for GetCoverage {
    const NAME: &'static str = "get_coverage";
    type Reply = Coverage;
}

/// History of how many tools have which kind of schema.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// At most 120 evenly spaced points, oldest first; the last is the present.
    pub points: Vec<CoveragePoint>,
}

/// Tools by kind of schema at one time. Every tool counts once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveragePoint {
    /// Time of the point.
    pub at: Timestamp,
    /// Number of tools.
    pub tools: Standings,
}

/// Tools by how far their schema can be trusted. Every tool counts once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standings {
    /// Declared, and not violated by the observations that were compared with it.
    pub declared: u64,
    /// Declared, without an observation.
    #[serde(default)]
    pub unproven: u64,
    /// Inferred at high quality; also where a schema is declared that no observation could be compared with.
    pub learned: u64,
    /// Inferred at low or medium quality.
    pub learning: u64,
    /// Declared and violated.
    pub violated: u64,
    /// Not declared, and all results are text without structure.
    #[serde(default)]
    pub text: u64,
    /// Neither declared nor observed.
    pub unseen: u64,
}

impl Standings {
    /// Adds a tool. `unjudged` means that no observation could be compared with its declared schema.
    pub fn add(
        &mut self,
        source: Source,
        quality: Quality,
        violated: bool,
        unjudged: bool,
        form: Option<TextForm>,
    ) {
        *match (source, quality) {
            (Source::Declared | Source::Hybrid, _) if violated => &mut self.violated,
            (Source::Declared, _) => &mut self.unproven,
            (Source::Hybrid, _) if !unjudged => &mut self.declared,
            (Source::Inferred | Source::Hybrid, Quality::High) => &mut self.learned,
            (Source::Inferred | Source::Hybrid, _) => &mut self.learning,
            (Source::Unknown, _) if form.is_some() => &mut self.text,
            (Source::Unknown, _) => &mut self.unseen,
        } += 1;
    }

    /// Number of tools.
    pub fn total(&self) -> u64 {
        self.reliable() + self.unproven + self.learning + self.violated + self.text + self.unseen
    }

    /// Number of tools with a reliable schema: declared and not violated by observations, or inferred at high quality.
    pub fn reliable(&self) -> u64 {
        self.declared + self.learned
    }
}

/// Totals over all tools, and the state of the recorder.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Report {
    /// Number of upstreams with tools.
    pub server_count: u64,
    /// Number of tools that are listed or returned a result without an error.
    pub tool_count: u64,
    /// Number of recorded calls.
    pub call_count: u64,
    /// Number of failed calls.
    pub failure_count: u64,
    /// Number of observations.
    pub observation_count: u64,
    /// Tools by source.
    pub by_source: BySource,
    /// Tools by quality.
    pub by_quality: ByQuality,
    /// Tools by how far their schema can be trusted.
    #[serde(default)]
    pub standings: Standings,
    /// Number of tools that were never called.
    #[serde(default)]
    pub never_called: u64,
    /// Numbers of provides edges by what is known of them.
    #[serde(default)]
    pub edges: EdgeTotals,
    /// Number of flows of values that are no longer part of any edge, because their tool has too many.
    #[serde(default)]
    pub evicted_flows: u64,
    /// Number of fields whose descriptions people accepted.
    #[serde(default)]
    pub described_field_count: u64,
    /// State of the recorder since the engine started.
    pub recorder: RecorderReport,
    /// Repairs that were made when the engine started.
    pub recovery: RecoveryReport,
    /// Problems of files that users edit, and events that clients missed, in sentences.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// What needs attention, the most urgent first: the list of the dashboard's Overview.
    #[serde(default)]
    pub attention: Vec<Need>,
}

/// Gets the totals, their history, and the tools that stand out.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetFullReport {}

impl Command for GetFullReport {
    const NAME: &'static str = "get_full_report";
    type Reply = FullReport;
}

/// Gets the full report as one HTML page for people who do not use Schemascope. It has names of servers and tools, but
/// no values, fields or paths.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetReportPage {}

impl Command for GetReportPage {
    const NAME: &'static str = "get_report_page";
    type Reply = ExportedFile;
}

/// The totals, their history, and the tools that stand out.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FullReport {
    /// Time of the report.
    pub at: Timestamp,
    /// Totals.
    #[serde(flatten)]
    pub totals: Report,
    /// History of how many tools have which kind of schema.
    pub coverage: Coverage,
    /// Numbers of drifts.
    pub drift_totals: DriftTotals,
    /// Drifts, unresolved before resolved, then newest first; at most 50.
    pub drifts: Vec<DriftRow>,
    /// Tools that break their declared schema, the most used first; at most 50.
    pub violated: Vec<ToolSummary>,
    /// Tools with the most calls, at most 20.
    pub top_tools: Vec<ToolSummary>,
    /// What code that calls the tools costs a language model.
    pub tokens: Tokens,
}

/// Tokens of code that calls tools, and of what must be read to write it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Encoding in which tokens are counted.
    pub encoding: String,
    /// Every tool with an observation, by id.
    pub tools: Vec<ToolTokens>,
    /// Median of each count.
    pub median: Option<TokenCounts>,
    /// The tool for which the model saves the smallest share against defensive code, or costs the most.
    pub worst: Option<ToolTokens>,
    /// All definitions of these tools, as their servers list them.
    pub definitions: u64,
    /// All indexes of their wrappers, which are read in place of the definitions.
    pub indexes: u64,
}

/// Tokens of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolTokens {
    /// `server__tool`.
    pub tool_id: String,
    /// Whether the results are text without structure.
    pub is_text: bool,
    /// The counts.
    #[serde(flatten)]
    pub counts: TokenCounts,
}

/// Numbers of tokens. The first three are of programs that print the same: each scalar of a result down to three levels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenCounts {
    /// Python with guards at each level.
    pub defensive: u64,
    /// Python with the accessors of a wrapper.
    pub helper: u64,
    /// Python with the attributes of a wrapper.
    pub model: u64,
    /// The tool's definition as its server lists it.
    pub definition: u64,
    /// The tool's wrapper in Python.
    pub wrapper: u64,
}

/// Numbers of drifts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriftTotals {
    /// Neither resolved nor acknowledged.
    pub open: u64,
    /// Acknowledged and not resolved.
    pub acknowledged: u64,
    /// Resolved.
    pub resolved: u64,
}

/// The figures of a tool in a report.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ToolSummary {
    /// `server__tool`.
    pub tool_id: String,
    /// Where the schema comes from.
    pub source: Source,
    /// How far the schema can be trusted.
    pub quality: Quality,
    /// Number of calls, including failed ones.
    pub call_count: u64,
    /// Number of failed calls.
    pub failure_count: u64,
    /// Number of observations.
    pub observation_count: u64,
    /// Number of observations that fit the declared schema; `None` if none is declared.
    pub fitting_count: Option<u64>,
    /// Number of observations that do not fit it.
    pub misfit_count: Option<u64>,
    /// Mean consistency of the fields, 0 to 1; `None` before the first observation.
    pub mean_consistency: Option<f64>,
    /// Median duration of the calls, in microseconds.
    pub p50_us: Option<u64>,
    /// 95th percentile of the durations.
    pub p95_us: Option<u64>,
}

/// Tools by source. Hybrid tools count as declared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BySource {
    /// Their upstream declares a schema.
    pub declared: u64,
    /// Declared and observed.
    pub hybrid: u64,
    /// Declared, and fewer than 95 % of the observations fit.
    pub violated: u64,
    /// Inferred from observations.
    pub inferred: u64,
    /// Neither declared nor observed, or observed only as text without structure.
    pub unknown: u64,
}

/// Tools by quality.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByQuality {
    /// No observations.
    pub none: u64,
    /// 1 to 9 observations.
    pub low: u64,
    /// 10 to 99, or inconsistent, or violated.
    pub medium: u64,
    /// At least 100 observations and consistent.
    pub high: u64,
}

/// State of the recorder since the engine started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecorderReport {
    /// Whether the engine was started without recording: calls are forwarded, but neither stored nor learned from.
    #[serde(default)]
    pub off: bool,
    /// Number of journaled calls.
    pub recorded: u64,
    /// Number of calls recorded without their bodies, because the recorder was full.
    pub bodies_left_out: u64,
    /// Number of calls that were not recorded, because the recorder was full or the disk failed.
    pub dropped: u64,
    /// Number of values that were redacted.
    pub redacted_values: u64,
    /// Number of observations that were not validated, because the declared schema is invalid or too slow to check.
    #[serde(default)]
    pub not_judged: u64,
    /// Number of sessions that are no longer followed from call to call, because 32 MB are in use or more than 1,000
    /// sessions.
    #[serde(default)]
    pub evicted_sessions: u64,
    /// Number of values that are no longer followed from call to call, because their session has too many.
    #[serde(default)]
    pub evicted_values: u64,
    /// Number of calls that are not journaled yet.
    pub waiting: u64,
    /// Why nothing is journaled at the moment.
    pub stalled: Option<String>,
    /// Number of bytes free on the disk of the data directory, rounded down to 10 MB; none while 1 GB or more is free.
    #[serde(default)]
    pub low_disk_bytes: Option<u64>,
    /// Whether the index stays behind the journal until the next start.
    pub index_behind: bool,
    /// Time from answer to journal.
    pub latency: Latency,
}

/// Distribution of durations in microseconds. Quantiles are upper bounds within 19 %.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latency {
    /// Number of durations.
    pub count: u64,
    /// Median.
    pub p50_us: u64,
    /// 95th percentile.
    #[serde(default)]
    pub p95_us: u64,
    /// 99th percentile.
    pub p99_us: u64,
    /// Maximum.
    pub max_us: u64,
}

/// Repairs that were made when the engine started.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RecoveryReport {
    /// One sentence per repair; empty after a clean start.
    pub notes: Vec<String>,
}
