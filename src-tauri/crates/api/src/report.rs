//! Totals.

use schemascope_model::{Quality, Source, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Command;

/// Gets the totals over all tools and the recorder.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetReport {}

impl Command for GetReport {
    const NAME: &'static str = "get_report";
    type Reply = Report;
}

/// Gets how many tools stood where, as it went.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetCoverage {
    /// From when on; without it, from the first that is known.
    #[serde(default)]
    pub since: Option<Timestamp>,
}

impl Command for GetCoverage {
    const NAME: &'static str = "get_coverage";
    type Reply = Coverage;
}

/// How many tools stood where, as it went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// At most 120 times, oldest first, evenly spread; the last is now.
    pub points: Vec<CoveragePoint>,
}

/// How many tools stood where at one time. Every tool counts once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveragePoint {
    /// The time.
    pub at: Timestamp,
    /// How many.
    pub tools: Standings,
}

/// Tools by what their schema is worth. Every tool counts once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standings {
    /// Declared, and kept as far as was observed.
    pub declared: u64,
    /// Inferred at high quality.
    pub learned: u64,
    /// Inferred at low or medium quality.
    pub learning: u64,
    /// Declared and violated.
    pub violated: u64,
    /// Neither declared nor observed.
    pub unseen: u64,
}

impl Standings {
    /// Counts one more tool.
    pub fn add(&mut self, source: Source, quality: Quality, violated: bool) {
        *match (source, quality) {
            (Source::Declared | Source::Hybrid, _) if violated => &mut self.violated,
            (Source::Declared | Source::Hybrid, _) => &mut self.declared,
            (Source::Inferred, Quality::High) => &mut self.learned,
            (Source::Inferred, _) => &mut self.learning,
            (Source::Unknown, _) => &mut self.unseen,
        } += 1;
    }

    /// All tools counted.
    pub fn total(&self) -> u64 {
        self.reliable() + self.learning + self.violated + self.unseen
    }

    /// Those with a schema to rely on.
    pub fn reliable(&self) -> u64 {
        self.declared + self.learned
    }
}

/// Totals over all tools, and how the recorder is doing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Report {
    /// Upstreams that have tools here.
    pub server_count: u64,
    /// Tools that are listed, or gave a result that was no error.
    pub tool_count: u64,
    /// Calls recorded.
    pub call_count: u64,
    /// Calls that failed.
    pub failure_count: u64,
    /// Calls whose result taught a shape.
    pub observation_count: u64,
    /// Tools by source.
    pub by_source: BySource,
    /// Tools by quality.
    pub by_quality: ByQuality,
    /// The recorder since the engine started.
    pub recorder: RecorderReport,
    /// What was mended when the engine started.
    pub recovery: RecoveryReport,
    /// What is wrong with files people edit, in sentences that name them, and what clients missed.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// Tools by source. Hybrid tools count as declared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BySource {
    /// Their upstream declares a schema.
    pub declared: u64,
    /// Of these: observed as well.
    pub hybrid: u64,
    /// Of these: less than 95 % of the observations fit.
    pub violated: u64,
    /// Learned.
    pub inferred: u64,
    /// Neither declared nor observed.
    pub unknown: u64,
}

/// Tools by quality.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByQuality {
    /// Nothing known.
    pub none: u64,
    /// 1 to 9 observations.
    pub low: u64,
    /// 10 to 99, or inconsistent, or violated.
    pub medium: u64,
    /// Reliable.
    pub high: u64,
}

/// The recorder since the engine started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecorderReport {
    /// Nothing is recorded, because the engine was started so: calls pass, and are neither stored nor
    /// learned from.
    #[serde(default)]
    pub off: bool,
    /// Calls journaled.
    pub recorded: u64,
    /// Calls recorded without their bodies, because the recorder was full.
    pub bodies_left_out: u64,
    /// Calls not recorded, because the recorder was full or the disk refused.
    pub dropped: u64,
    /// Values replaced before anything was stored.
    pub redacted_values: u64,
    /// Observations not judged by the schema their tool declares: it cannot be used, or judging would take too
    /// long.
    #[serde(default)]
    pub not_judged: u64,
    /// Calls that wait to be journaled.
    pub waiting: u64,
    /// Why nothing is journaled now, if so.
    pub stalled: Option<String>,
    /// The index is left alone until the next start, which catches up.
    pub index_behind: bool,
    /// From answer to journaled.
    pub latency: Latency,
}

/// A distribution of times, in microseconds. Quantiles are upper bounds within 19 %.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latency {
    /// Times measured.
    pub count: u64,
    /// Half are shorter.
    pub p50_us: u64,
    /// 99 % are shorter.
    pub p99_us: u64,
    /// The longest.
    pub max_us: u64,
}

/// What was mended when the engine started.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RecoveryReport {
    /// One sentence for each thing found; empty after a clean start.
    pub notes: Vec<String>,
}
