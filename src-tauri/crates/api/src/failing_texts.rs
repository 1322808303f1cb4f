//! Failures that tools return as ordinary text.

use schemascope_model::CallId;
use serde::{Deserialize, Serialize};

use crate::{Command, Decided};

/// Lists beginnings of texts that count as failures, and those that recur and may be failures.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListFailingTexts {
    /// `server__tool`; all tools without it.
    #[serde(default)]
    pub tool_id: Option<String>,
}

impl Command for ListFailingTexts {
    const NAME: &'static str = "list_failing_texts";
    type Reply = Vec<FailingTextRow>;
}

/// Results of a tool whose text begins alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailingTextRow {
    /// `server__tool`.
    pub tool_id: String,
    /// How the text begins.
    pub starts: String,
    /// Number of results that begin so.
    pub results: u64,
    /// Whether they count as failed calls; else no one decided about them.
    pub fails: bool,
    /// The latest call with such a result, while no one decided about them.
    pub latest: Option<CallId>,
}

/// Decides whether results whose text begins so are failures. Stored results are counted again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JudgeText {
    /// `server__tool`.
    pub tool_id: String,
    /// How the text begins, 1 to 200 bytes.
    pub starts: String,
    /// Whether such results count as failed calls.
    pub fails: bool,
    /// Reason, at most 1,000 bytes.
    #[serde(default)]
    pub reason: Option<String>,
    /// Whether the reason is left out on purpose.
    #[serde(default)]
    pub no_reason: bool,
    /// Name of the user; by default, of the user that runs the engine.
    #[serde(default)]
    pub person: Option<String>,
}

impl Command for JudgeText {
    const NAME: &'static str = "judge_text";
    type Reply = Decided;
}
