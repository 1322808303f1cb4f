//! Commands about interviews by Discovery Schemas.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Command;

/// Calls a tool of interviews as a person does, with the arguments and the reply of the tool.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CallInterview {
    /// Name of the tool: `start_interview`, `get_next_question`, ….
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// Name of the person.
    #[serde(default)]
    pub person: Option<String>,
}

impl Command for CallInterview {
    const NAME: &'static str = "call_interview";
    type Reply = Value;
}

/// Returns the open question of a conversation as `get_next_question` does, but asks and charges nothing, and notes stay
/// with who is to read them. There is no reply if no question is open.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetOpenQuestion {
    /// Id of the project.
    pub project_id: String,
    /// Id of the conversation.
    pub conversation_id: String,
}

impl Command for GetOpenQuestion {
    const NAME: &'static str = "get_open_question";
    type Reply = Option<Value>;
}

/// Lists the conversations, and the library of Discovery Schemas.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListInterviews {}

impl Command for ListInterviews {
    const NAME: &'static str = "list_interviews";
    type Reply = InterviewList;
}

/// All conversations, and the library.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct InterviewList {
    /// Conversations, by project.
    pub conversations: Vec<ConversationRow>,
    /// Discovery Schemas by id.
    pub library: Vec<LibraryRow>,
    /// Descriptions of fields that interviews propose.
    #[serde(default)]
    pub proposals: Vec<DescriptionProposal>,
    /// Files that cannot be used.
    pub unusable: Vec<UnusableFileRow>,
    /// Folder for files of the user.
    pub folder: String,
}

/// Descriptions of a tool's fields, proposed by a finished interview about them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescriptionProposal {
    /// Id of the proposal.
    pub proposal_id: String,
    /// Id of the project.
    pub project_id: String,
    /// `server__tool`.
    pub tool_id: String,
    /// Descriptions by path; the empty path is the tool itself.
    pub descriptions: BTreeMap<String, String>,
    /// Whether a person accepted them; none while that is open.
    pub accepted: Option<bool>,
}

/// A conversation of a project.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ConversationRow {
    /// Id of the project.
    pub project_id: String,
    /// Name of the project.
    pub project_name: String,
    /// Id of the conversation.
    pub conversation_id: String,
    /// Whether what is recommended next starts by itself.
    #[serde(default)]
    pub auto: bool,
    /// Pursuits in the order in which they began.
    pub pursuits: Vec<PursuitRow>,
}

/// The pursuit of a Discovery Schema.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PursuitRow {
    /// Id of the Discovery Schema.
    pub ds_id: String,
    /// `working`, `complete`, `exhausted` or `abandoned`.
    pub state: String,
    /// From 0 to 1.
    pub completeness: f64,
    /// Budget that was used.
    pub budget_used: f64,
    /// Budget.
    pub budget: f64,
    /// Number of conflicts that no person has settled.
    pub conflicts: usize,
    /// Whether it is the one that is worked on: the one that was started last and has not ended.
    #[serde(default)]
    pub current: bool,
}

/// A Discovery Schema of the library.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LibraryRow {
    /// Id.
    pub ds_id: String,
    /// Name.
    pub name: String,
    /// Path of its file.
    pub path: String,
    /// Whether it is part of Schemascope.
    pub own: bool,
}

/// A file that cannot be used.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UnusableFileRow {
    /// Its path.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// The reason.
    pub reason: String,
}

/// Decides about a pursuit or a project.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DecideInterview {
    /// Id of the project.
    pub project_id: String,
    /// Id of the conversation; empty where the whole project is meant.
    #[serde(default)]
    pub conversation_id: String,
    /// Id of the Discovery Schema; by default the one pursued last.
    #[serde(default)]
    pub ds_id: Option<String>,
    /// What is decided.
    pub decision: InterviewDecision,
    /// Name of the person.
    #[serde(default)]
    pub person: Option<String>,
}

/// A decision about an interview.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum InterviewDecision {
    /// Settles a conflict: this value stays at the place.
    Settle {
        /// JSON pointer.
        path: String,
        /// The value.
        value: Value,
    },
    /// Takes values back.
    Retract {
        /// JSON pointers.
        pointers: Vec<String>,
    },
    /// Ends a pursuit that is not complete.
    Abandon {
        /// Why.
        notes: String,
    },
    /// Switches on or off that what is recommended next starts by itself.
    Auto {
        /// Whether it starts.
        on: bool,
    },
    /// Leaves a note for the agent, which gets it once.
    Note {
        /// The note.
        text: String,
    },
    /// Accepts or rejects descriptions that an interview proposes, or takes that back.
    Descriptions {
        /// Id of the proposal.
        proposal_id: String,
        /// Whether they apply; none to take the decision back.
        accept: Option<bool>,
    },
    /// Removes a conversation, or a whole project, for good.
    Delete {},
}

impl Command for DecideInterview {
    const NAME: &'static str = "decide_interview";
    type Reply = Value;
}

/// Exports interviews as JSON text.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ExportInterviews {
    /// Ids of projects; all without any.
    #[serde(default)]
    pub project_ids: Vec<String>,
}

impl Command for ExportInterviews {
    const NAME: &'static str = "export_interviews";
    type Reply = String;
}

/// Imports interviews that were exported.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ImportInterviews {
    /// The exported text.
    pub text: String,
    /// Name of the person.
    #[serde(default)]
    pub person: Option<String>,
}

impl Command for ImportInterviews {
    const NAME: &'static str = "import_interviews";
    type Reply = usize;
}
