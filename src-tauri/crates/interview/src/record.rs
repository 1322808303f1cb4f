//! What events carry and pursuits keep: runs, questions, answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tool_fields::ToolField;

/// State of a pursuit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PursuitState {
    /// Questions can be asked.
    Working,
    /// It was finalised with everything filled.
    Complete,
    /// The budget was spent before everything was filled.
    Exhausted,
    /// It was given up.
    Abandoned,
}

impl PursuitState {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Complete => "complete",
            Self::Exhausted => "exhausted",
            Self::Abandoned => "abandoned",
        }
    }
}

/// One run of a pursuit: from its start to its end. A pursuit that is started again has several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Id of the run.
    pub pursuit_id: String,
    /// Its budget, in thousandths.
    pub budget: u32,
    /// Identifies the text of the Discovery Schema.
    pub ds_digest: String,
    /// The text it began with. Later changes of the file do not concern it.
    pub ds_text: String,
    /// What is known before the first question, in the form of the Discovery Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<Value>,
    /// Facts about the fields of a tool, shown beside the questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<ToolField>,
}

/// Form in which a question is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionType {
    /// Free text.
    Text,
    /// A table to fill in.
    Table,
    /// A choice between values.
    Choice,
}

impl QuestionType {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Table => "table",
            Self::Choice => "choice",
        }
    }
}

/// A question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Id of the question.
    pub question_id: String,
    /// Its words.
    pub text: String,
    /// Form in which it is put.
    pub question_type: QuestionType,
    /// Table to fill in, as Markdown.
    pub table_template: Option<String>,
    /// Values to choose from.
    pub choices: Vec<String>,
    /// How to answer.
    pub help_text: String,
    /// Why it is asked now.
    pub rationale: String,
    /// Keys of the Discovery Schema that the answer may fill.
    pub expected_info: Vec<String>,
    /// Place that it asks about; empty for the whole.
    pub place: String,
    /// Ids of the items that it asks about, if it completes a table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<String>,
    /// Whether it asks for additions to what is filled.
    #[serde(default)]
    pub is_review: bool,
    /// Its cost, in thousandths.
    pub cost: u32,
}

/// What happens after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextAction {
    /// Ask the next question.
    Continue,
    /// Everything is filled; finalise.
    Complete,
    /// The answer could not be used; ask again in other words.
    NeedsClarification,
}

impl NextAction {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Complete => "complete",
            Self::NeedsClarification => "needs_clarification",
        }
    }
}

/// An answer, and what was read from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The answer as given.
    pub text: String,
    /// Identifies the text, also after secrets in it were redacted.
    pub digest: String,
    /// What it says, in the form of the Discovery Schema; null if it could not be used.
    pub scr: Option<Value>,
    /// JSON pointers that it retracts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retract: Vec<String>,
    /// How sure the reading is, from 0 to 1.
    pub confidence: f64,
    /// What remains unclear.
    pub ambiguities: Vec<String>,
    /// What was done with it.
    pub commit_notes: String,
    /// Completeness after it, in thousandths.
    pub completeness: u32,
    /// What happens next.
    pub next_action: NextAction,
}
