//! The list of tools: its rows, and its columns in the terminal and the dashboard.

use std::cmp::Ordering;

use schemascope_model::{Quality, Source, TextForm, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Command, FitRow};

/// Lists every tool that was ever listed or that returned a result.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListTools {}

impl Command for ListTools {
    const NAME: &'static str = "list_tools";
    type Reply = Vec<ToolRow>;
}

/// One tool in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolRow {
    /// Tool id, `server__tool`.
    pub tool_id: String,
    /// Name of the upstream.
    pub server_name: String,
    /// Name of the tool in its upstream.
    pub tool_name: String,
    /// Where the schema comes from.
    pub source: Source,
    /// How far the schema can be trusted.
    pub quality: Quality,
    /// Whether less than 95 % of the observations fit the declared schema.
    pub violated: bool,
    /// How many results fit the declared schema, if it is violated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared_fit: Option<FitRow>,
    /// Whether a schema is declared that no observation could be compared with, although there are some.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unjudged: bool,
    /// Form of the results, if no schema is declared and all of them are text without structure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<TextForm>,
    /// Whether the tool was never called.
    #[serde(default)]
    pub never_called: bool,
    /// Number of calls whose result taught the shape.
    pub observation_count: u64,
    /// Number of calls, including failed ones.
    pub call_count: u64,
    /// Number of failed calls.
    pub failure_count: u64,
    /// Mean consistency of the fields, 0 to 1; `None` before the first observation.
    pub mean_consistency: Option<f64>,
    /// Effective version; `None` until one is promoted or pinned.
    pub effective_version: Option<u32>,
    /// How many results fit the effective version, if less than 95 % of them do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_fit: Option<FitRow>,
    /// Whether the effective version is pinned.
    #[serde(default)]
    pub pinned: bool,
    /// Whether it is pinned and results that violate it become errors.
    #[serde(default)]
    pub enforced: bool,
    /// Candidate, which needs a decision.
    #[serde(default)]
    pub candidate_version: Option<u32>,
    /// Number of unresolved drifts.
    #[serde(default)]
    pub drift_count: u32,
    /// Number of unresolved drifts that are not acknowledged.
    #[serde(default)]
    pub drift_waiting: u32,
    /// Number of drifts that were found and are not shown, because of the limit per hour or per tool.
    #[serde(default)]
    pub drift_untold: u64,
    /// Time of the latest observation.
    pub last_observed: Option<Timestamp>,
    /// Time of the latest call.
    pub last_called: Option<Timestamp>,
    /// Whether the upstream's latest tool list contains it.
    pub listed: bool,
    /// Number of newest calls that `recent_failure_count` is about, at most 20.
    #[serde(default)]
    pub recent_call_count: u32,
    /// Number of them that failed.
    #[serde(default)]
    pub recent_failure_count: u32,
    /// Number of failed calls whose result says it succeeded, and is a failure by a decision.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub text_failure_count: u64,
    /// Time from which on at least half of the newest calls failed.
    #[serde(default)]
    pub failing_since: Option<Timestamp>,
    /// Number of results that are text and may be failures; see [`crate::ListFailingTexts`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub possible_failures: u64,
    /// Time from which on results do not match the declared schema.
    #[serde(default)]
    pub violated_since: Option<Timestamp>,
    /// Time of the first result that shows the oldest drift that is not acknowledged.
    #[serde(default)]
    pub drift_since: Option<Timestamp>,
    /// What changed, for that drift.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift_text: Option<String>,
    /// Time at which the candidate was created.
    #[serde(default)]
    pub candidate_since: Option<Timestamp>,
    /// Whether the effective schema is not advertised at the moment, because results in a row were text that does not fit it.
    #[serde(default)]
    pub suspended: bool,
    /// Median duration of the calls, in microseconds, within 1 %; `None` before the first call.
    #[serde(default)]
    pub p50_us: Option<u64>,
    /// 95th percentile of the durations.
    #[serde(default)]
    pub p95_us: Option<u64>,
    /// 99th percentile of the durations.
    #[serde(default)]
    pub p99_us: Option<u64>,
    /// History of the mean consistency, in percent, oldest first; at most 24 points.
    #[serde(default)]
    pub trend: Vec<u8>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl ToolRow {
    /// What a declared schema or the results lack, in words; `None` if they are as the source says.
    pub fn remark(&self) -> Option<String> {
        match (self.source, self.form) {
            (Source::Declared | Source::Unknown, _) if self.never_called => Some("never called".to_owned()),
            (Source::Declared, _) => Some("no result yet".to_owned()),
            (Source::Unknown, Some(form)) => Some(form.to_string()),
            _ => None,
        }
    }
}

/// A column of the list of tools.
#[derive(Debug, Clone, Copy)]
pub struct ToolColumn {
    /// Name in addresses and in code.
    pub key: &'static str,
    /// Header of the column.
    pub header: &'static str,
    /// Alignment of header and cells.
    pub align: Align,
    /// Fronts that show the column.
    pub shown_in: ShownIn,
    /// Value to show for a tool.
    pub cell: fn(&ToolRow) -> ToolCell<'_>,
    /// Width in the dashboard, in pixels. The first column takes the rest of the table.
    pub width: u16,
    /// Width of the narrowest table that shows it, in pixels.
    pub min_table_width: u16,
}

/// Alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// For words.
    Left,
    /// For numbers and times.
    Right,
}

/// Which fronts show a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownIn {
    /// Terminal and dashboard.
    Both,
    /// The terminal only.
    Terminal,
    /// The dashboard only.
    Dashboard,
}

impl ShownIn {
    /// Whether the terminal shows the column.
    pub fn is_in_terminal(self) -> bool {
        self != Self::Dashboard
    }

    /// Whether the dashboard shows the column.
    pub fn is_in_dashboard(self) -> bool {
        self != Self::Terminal
    }
}

/// The value of a cell. Each front writes it in its own way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ToolCell<'a> {
    /// Tool id.
    Id(&'a str),
    /// Where the schema of a tool comes from.
    Source(&'a ToolRow),
    /// Quality, whether the declared schema is violated, and whether results changed and no one acknowledged it.
    Quality(Quality, bool, bool),
    /// A number.
    Count(u64),
    /// A number of failures; zero needs no attention.
    Failures(u64),
    /// A share, 0 to 1.
    Share(Option<f64>),
    /// The history of a tool's mean consistency.
    Trend(&'a ToolRow),
    /// A duration in microseconds.
    Duration(Option<u64>),
    /// A time.
    Time(Option<Timestamp>),
}

/// Every column, in the order in which they are shown.
pub const TOOL_COLUMNS: &[ToolColumn] = &[
    ToolColumn {
        key: "tool",
        header: "tool",
        align: Align::Left,
        shown_in: ShownIn::Both,
        cell: |row| ToolCell::Id(&row.tool_id),
        width: 146,
        min_table_width: 0,
    },
    ToolColumn {
        key: "source",
        header: "source",
        align: Align::Left,
        shown_in: ShownIn::Both,
        cell: |row| ToolCell::Source(row),
        width: 130,
        min_table_width: 830,
    },
    ToolColumn {
        key: "quality",
        header: "quality",
        align: Align::Left,
        shown_in: ShownIn::Both,
        cell: |row| ToolCell::Quality(row.quality, row.violated, row.drift_waiting > 0),
        width: 112,
        min_table_width: 0,
    },
    ToolColumn {
        key: "observed",
        header: "results",
        align: Align::Right,
        shown_in: ShownIn::Both,
        cell: |row| ToolCell::Count(row.observation_count),
        width: 60,
        min_table_width: 830,
    },
    ToolColumn {
        key: "calls",
        header: "calls",
        align: Align::Right,
        shown_in: ShownIn::Both,
        cell: |row| ToolCell::Count(row.call_count),
        width: 56,
        min_table_width: 560,
    },
    ToolColumn {
        key: "failed",
        header: "failed",
        align: Align::Right,
        shown_in: ShownIn::Both,
        cell: |row| ToolCell::Failures(row.failure_count),
        width: 52,
        min_table_width: 830,
    },
    ToolColumn {
        key: "p50",
        header: "p50",
        align: Align::Right,
        shown_in: ShownIn::Both,
        cell: |row| ToolCell::Duration(row.p50_us),
        width: 60,
        min_table_width: 830,
    },
    ToolColumn {
        key: "p95",
        header: "p95",
        align: Align::Right,
        shown_in: ShownIn::Dashboard,
        cell: |row| ToolCell::Duration(row.p95_us),
        width: 60,
        min_table_width: 1190,
    },
    ToolColumn {
        key: "p99",
        header: "p99",
        align: Align::Right,
        shown_in: ShownIn::Both,
        cell: |row| ToolCell::Duration(row.p99_us),
        width: 60,
        min_table_width: 1190,
    },
    ToolColumn {
        key: "trend",
        header: "trend",
        align: Align::Left,
        shown_in: ShownIn::Dashboard,
        cell: |row| ToolCell::Trend(row),
        width: 96,
        min_table_width: 1190,
    },
    ToolColumn {
        key: "mean",
        header: "consistency",
        align: Align::Right,
        shown_in: ShownIn::Both,
        cell: |row| ToolCell::Share(row.mean_consistency),
        width: 84,
        min_table_width: 1030,
    },
    ToolColumn {
        key: "observed_at",
        header: "last result",
        align: Align::Left,
        shown_in: ShownIn::Terminal,
        cell: |row| ToolCell::Time(row.last_observed),
        width: 0,
        min_table_width: 0,
    },
    ToolColumn {
        key: "last",
        header: "last call",
        align: Align::Right,
        shown_in: ShownIn::Dashboard,
        cell: |row| ToolCell::Time(row.last_called),
        width: 72,
        min_table_width: 560,
    },
];

impl ToolColumn {
    /// Order of two tools by this column.
    pub fn order(&self, a: &ToolRow, b: &ToolRow) -> Ordering {
        use ToolCell::{Count, Duration, Failures, Id, Quality, Share, Source, Time, Trend};
        let share = |a: Option<f64>, b: Option<f64>| a.unwrap_or(-1.0).total_cmp(&b.unwrap_or(-1.0));
        match ((self.cell)(a), (self.cell)(b)) {
            (Id(a), Id(b)) => a.cmp(b),
            (Source(a), Source(b)) => a.source.to_string().cmp(&b.source.to_string()),
            (Quality(a, a_violated, _), Quality(b, b_violated, _)) => (a, !a_violated).cmp(&(b, !b_violated)),
            (Count(a), Count(b)) | (Failures(a), Failures(b)) => a.cmp(&b),
            (Share(a), Share(b)) => share(a, b),
            (Trend(a), Trend(b)) => share(a.mean_consistency, b.mean_consistency),
            (Duration(a), Duration(b)) => a.cmp(&b),
            (Time(a), Time(b)) => a.cmp(&b),
            _ => Ordering::Equal,
        }
    }
}
