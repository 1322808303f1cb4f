//! Events: everything that happens in interviews. The state is their fold.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::proposal::Decision;
use crate::record::{Answer, PursuitState, Question, Run};
use crate::state::Project;

/// One event, with its time and who caused it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Time in milliseconds since 1970.
    pub at: u64,
    /// The person or agent.
    pub actor: String,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum What {
    /// A project began.
    ProjectStarted {
        /// Id of the project.
        project_id: String,
        /// Its name.
        name: String,
    },
    /// A conversation began in a project.
    ConversationStarted {
        /// Id of the project.
        project_id: String,
        /// Id of the conversation.
        conversation_id: String,
    },
    /// The pursuit of a Discovery Schema began, or began again.
    PursuitStarted {
        /// Id of the project.
        project_id: String,
        /// Id of the conversation.
        conversation_id: String,
        /// Id of the Discovery Schema.
        ds_id: String,
        /// The run that begins.
        run: Box<Run>,
        /// The tool it is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_id: Option<String>,
    },
    /// A question was handed out, and charged.
    QuestionAsked {
        /// Id of the project.
        project_id: String,
        /// Id of the conversation.
        conversation_id: String,
        /// Id of the Discovery Schema.
        ds_id: String,
        /// The question.
        question: Box<Question>,
    },
    /// A question was answered. It is closed, whether the answer could be read or not.
    AnswerGiven {
        /// Id of the project.
        project_id: String,
        /// Id of the conversation.
        conversation_id: String,
        /// Id of the Discovery Schema.
        ds_id: String,
        /// Id of the question.
        question_id: String,
        /// The answer.
        answer: Box<Answer>,
    },
    /// A person settled a conflict.
    ConflictSettled {
        /// Id of the project.
        project_id: String,
        /// Id of the conversation.
        conversation_id: String,
        /// Id of the Discovery Schema.
        ds_id: String,
        /// The place.
        path: String,
        /// The value that stays.
        value: Value,
    },
    /// Values were retracted outside of an answer.
    Retracted {
        /// Id of the project.
        project_id: String,
        /// Id of the conversation.
        conversation_id: String,
        /// Id of the Discovery Schema.
        ds_id: String,
        /// JSON pointers.
        pointers: Vec<String>,
    },
    /// A pursuit ended.
    PursuitEnded {
        /// Id of the project.
        project_id: String,
        /// Id of the conversation.
        conversation_id: String,
        /// Id of the Discovery Schema.
        ds_id: String,
        /// How it ended.
        state: PursuitState,
        /// Final notes; empty if there are none.
        notes: String,
    },
    /// A person left a note for the agent.
    NoteLeft {
        /// Id of the project.
        project_id: String,
        /// Id of the conversation.
        conversation_id: String,
        /// Id of the note.
        note_id: String,
        /// The note.
        text: String,
    },
    /// A note reached the agent.
    NoteDelivered {
        /// Id of the project.
        project_id: String,
        /// Id of the conversation.
        conversation_id: String,
        /// Id of the note.
        note_id: String,
    },
    /// Starting recommended Discovery Schemas automatically was switched on or off.
    AutoSwitched {
        /// Id of the project.
        project_id: String,
        /// Id of the conversation.
        conversation_id: String,
        /// Whether it is on.
        is_on: bool,
    },
    /// The user's program made a MiniZinc model of an aggregate.
    MinizincStored {
        /// Id of the project.
        project_id: String,
        /// Id of the conversation.
        conversation_id: String,
        /// The model.
        model: String,
        /// What MiniZinc found, or why it did not run.
        results: String,
    },
    /// A finished pursuit proposes descriptions of a tool's fields.
    DescriptionsProposed {
        /// Id of the proposal.
        proposal_id: String,
        /// Id of the project.
        project_id: String,
        /// Id of the conversation.
        conversation_id: String,
        /// Id of the Discovery Schema.
        ds_id: String,
        /// The tool.
        tool_id: String,
        /// Descriptions by path; the empty path means the tool itself.
        descriptions: BTreeMap<String, String>,
    },
    /// A person decided about a proposal.
    DescriptionsDecided {
        /// Id of the proposal.
        proposal_id: String,
        /// The decision.
        decision: Decision,
    },
    /// A scripted expert was created.
    SurrogateCreated {
        /// Id of the surrogate.
        surrogate_id: String,
        /// What its company makes.
        product: String,
        /// How well it knows its work.
        expertise_level: String,
        /// Size of its company.
        company_size: String,
    },
    /// A project was imported.
    ProjectImported {
        /// The project.
        project: Box<Project>,
    },
    /// A project or a conversation was deleted for good.
    Deleted {
        /// Id of the project.
        project_id: String,
        /// Id of the conversation; absent for the whole project.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        conversation_id: Option<String>,
    },
}

impl Event {
    /// The project it is about, and the conversation if it is about one.
    pub fn place(&self) -> Option<(&str, Option<&str>)> {
        match &self.what {
            What::ProjectStarted { project_id, .. } => Some((project_id, None)),
            What::ProjectImported { project } => Some((&project.project_id, None)),
            What::Deleted { project_id, conversation_id } => Some((project_id, conversation_id.as_deref())),
            What::ConversationStarted { project_id, conversation_id, .. }
            | What::PursuitStarted { project_id, conversation_id, .. }
            | What::QuestionAsked { project_id, conversation_id, .. }
            | What::AnswerGiven { project_id, conversation_id, .. }
            | What::ConflictSettled { project_id, conversation_id, .. }
            | What::Retracted { project_id, conversation_id, .. }
            | What::PursuitEnded { project_id, conversation_id, .. }
            | What::NoteLeft { project_id, conversation_id, .. }
            | What::NoteDelivered { project_id, conversation_id, .. }
            | What::AutoSwitched { project_id, conversation_id, .. }
            | What::MinizincStored { project_id, conversation_id, .. }
            | What::DescriptionsProposed { project_id, conversation_id, .. } => {
                Some((project_id, Some(conversation_id)))
            }
            What::DescriptionsDecided { .. } | What::SurrogateCreated { .. } => None,
        }
    }
}
