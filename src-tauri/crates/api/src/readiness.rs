//! Whether a version is ready to be promoted, judged by results that it was not learned from.

use schemascope_model::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{ChangeClass, Command, DriftRow, FitRow};

/// Judgement of a version by results that came after it was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readiness {
    /// Whether nothing speaks against promoting it.
    pub ready: bool,
    /// Reasons against promoting it, the most severe first; empty if it is ready.
    pub reasons: Vec<String>,
    /// Time of its creation.
    pub created: Timestamp,
    /// Number of results since then that fit it and that do not.
    pub since: FitRow,
    /// Number of results since then that are needed: the setting `promote_after`.
    pub needed: u64,
    /// Number of results since then that could not be checked: their bodies are not stored, or checking takes too
    /// long.
    pub not_judged: u64,
    /// Whether only the newest results since then were checked.
    pub limited: bool,
    /// The same results checked against the effective schema; `None` without one, or if it is this version.
    pub effective: Option<RivalRow>,
    /// The same results checked against the previous version; `None` without one, or if it is the effective one.
    pub previous: Option<RivalRow>,
    /// Drifts that are not resolved and that the version contains: it was learned from results since the change.
    pub drifts: Vec<DriftRow>,
    /// Worst class of change for readers of the effective schema; `None` without an effective schema.
    pub readers: Option<ChangeClass>,
    /// Number of changes that break readers of the effective schema.
    pub losses: u64,
}

/// Another schema, and how the same results fit it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RivalRow {
    /// Version number; `None` for the declared schema.
    pub version: Option<u32>,
    /// Number of the results that fit it and that do not.
    pub fits: FitRow,
}

/// Lists the candidates of all tools with their readiness.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListCandidates {}

impl Command for ListCandidates {
    const NAME: &'static str = "list_candidates";
    type Reply = Vec<CandidateRow>;
}

/// A version that awaits a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateRow {
    /// `server__tool`.
    pub tool_id: String,
    /// Version number.
    pub version: u32,
    /// Number of the effective version; `None` if the declared schema applies, or none.
    pub effective_version: Option<u32>,
    /// Whether clients would be notified that the tool list changed.
    pub list_changed: bool,
    /// Whether it is ready to be promoted.
    pub readiness: Readiness,
    /// Whether the policy `at_high` promotes it now.
    #[serde(default)]
    pub automatic: bool,
}
