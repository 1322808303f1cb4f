//! Interviews: calling their tools, listing them, and decisions of people.

use std::sync::Arc;

use schemascope_api::{
    ApiError, CallInterview, ConversationRow, DecideInterview, ErrorKind, ExportInterviews, GetOpenQuestion,
    ImportInterviews, InterviewDecision, InterviewList, LibraryRow, ListInterviews, PursuitRow,
    UnusableFileRow,
};
use schemascope_interview::{
    Context, Conversation, ErrorKind as StepKind, Origin, Place, Pursuit, Step, StepError, budget,
    get_open_question,
};
use schemascope_model::ToolId;
use schemascope_overrides::WILDCARD;
use schemascope_proxy::OWN_SERVER;
use schemascope_registry::versions::AuditEvent;
use serde_json::Value;

use super::decide::not_written;
use super::{Handle, internal};
use crate::engine::Engine;
use crate::interviews::fields::fields;
use crate::interviews::{NotTaken, proposal_row};
use crate::user::system_user;

handlers![
    CallInterview,
    GetOpenQuestion,
    ListInterviews,
    DecideInterview,
    ExportInterviews,
    ImportInterviews
];

impl Handle<CallInterview> for Engine {
    async fn handle(&self, command: CallInterview) -> Result<Value, ApiError> {
        let (interviews, actor) = (Arc::clone(&self.interviews), actor(command.person));
        let registry = Arc::clone(&self.records.registry);
        let known = move |tool: &str| fields(&registry.lock(), tool);
        let calling = move || interviews.call_as_person(&command.tool, command.arguments, &actor, known);
        let called = tokio::task::spawn_blocking(calling).await.map_err(internal)?;
        let (reply, is_change) = called.map_err(|error| not_taken(&error))?;
        if is_change {
            self.records.events.renewed();
        }
        Ok(reply)
    }
}

impl Handle<GetOpenQuestion> for Engine {
    async fn handle(&self, command: GetOpenQuestion) -> Result<Option<Value>, ApiError> {
        let GetOpenQuestion { project_id, conversation_id } = command;
        let place = Place { project_id, conversation_id, ds_id: None };
        let open = self.interviews.step(&actor(None), |context| {
            let open = get_open_question(context, &place)?;
            Ok(Step { reply: open.into(), events: Vec::new() })
        });
        Ok(Some(open.map_err(|error| not_taken(&error))?).filter(|open| !open.is_null()))
    }
}

impl Handle<ListInterviews> for Engine {
    async fn handle(&self, _: ListInterviews) -> Result<InterviewList, ApiError> {
        let library = self.interviews.library();
        let conversations = self.interviews.read(|state| {
            let mut rows = Vec::new();
            for project in state.projects.values() {
                rows.extend(project.conversations.iter().map(|conversation| {
                    ConversationRow {
                        project_id: project.project_id.clone(),
                        project_name: project.name.clone(),
                        conversation_id: conversation.conversation_id.clone(),
                        auto: conversation.is_auto,
                        pursuits: conversation
                            .pursuits
                            .iter()
                            .map(|pursuit| pursuit_row(conversation, pursuit))
                            .collect(),
                    }
                }));
            }
            rows
        });
        let rows = library.entries().map(|entry| LibraryRow {
            ds_id: entry.schema.id.clone(),
            name: entry.schema.name.clone(),
            path: entry.path.clone(),
            own: entry.origin == Origin::Own,
        });
        let unusable = library.unusable().iter().map(|file| UnusableFileRow {
            path: file.path.clone(),
            line: file.line,
            reason: file.reason.clone(),
        });
        let proposals = self.interviews.read(|state| state.proposals.values().map(proposal_row).collect());
        Ok(InterviewList {
            conversations,
            proposals,
            library: rows.collect(),
            unusable: unusable.collect(),
            folder: self.interviews.folder().display().to_string(),
        })
    }
}

fn pursuit_row(conversation: &Conversation, pursuit: &Pursuit) -> PursuitRow {
    PursuitRow {
        current: conversation.current().is_some_and(|current| current.ds_id == pursuit.ds_id),
        ds_id: pursuit.ds_id.clone(),
        state: pursuit.state().name().to_owned(),
        completeness: budget::number(pursuit.completeness()),
        budget_used: budget::number(pursuit.used()),
        budget: budget::number(pursuit.budget()),
        conflicts: pursuit.conflicts().len(),
    }
}

impl Handle<DecideInterview> for Engine {
    async fn handle(&self, command: DecideInterview) -> Result<Value, ApiError> {
        let (interviews, actor) = (Arc::clone(&self.interviews), actor(command.person.clone()));
        let deleted = match command.decision {
            InterviewDecision::Delete {} => {
                Some((command.project_id.clone(), command.conversation_id.clone()))
            }
            _ => None,
        };
        let described = match command.decision {
            InterviewDecision::Descriptions { accept, .. } => Some(accept),
            _ => None,
        };
        let person = command.person.clone();
        let registry = Arc::clone(&self.records.registry);
        let deciding = move || {
            let decided = interviews.step(&actor, |context| decide(context, &command))?;
            if matches!(command.decision, InterviewDecision::Auto { on: true }) {
                let (project_id, conversation_id) = (command.project_id, command.conversation_id);
                let place = Place { project_id, conversation_id, ds_id: None };
                interviews.follow(&place, &actor, &|tool| fields(&registry.lock(), tool))?;
            }
            Ok(decided)
        };
        let decided = tokio::task::spawn_blocking(deciding).await.map_err(internal)?;
        if let (Ok(_), Some((project_id, conversation_id))) = (&decided, deleted) {
            let tool = ToolId::new(OWN_SERVER, WILDCARD).map_err(internal)?;
            let event = AuditEvent::DeleteInterview {
                project_id: project_id.into(),
                conversation_id: Some(conversation_id).filter(|id| !id.is_empty()).map(Into::into),
            };
            self.audit(&tool, event, person.as_deref()).await?;
        }
        if let (Ok(reply), Some(accepted)) = (&decided, described)
            && let Some(tool) = reply["tool_id"].as_str().and_then(|tool| tool.parse().ok())
        {
            self.audit(&tool, AuditEvent::Describe { accepted }, person.as_deref()).await?;
        }
        self.describe_schemas().await?;
        self.records.events.renewed();
        decided.map_err(|error| not_taken(&error))
    }
}

fn decide(context: &Context<'_>, command: &DecideInterview) -> Result<Step, StepError> {
    let place = Place {
        project_id: command.project_id.clone(),
        conversation_id: command.conversation_id.clone(),
        ds_id: command.ds_id.clone(),
    };
    match &command.decision {
        InterviewDecision::Settle { path, value } => {
            schemascope_interview::settle(context, &place, path, value)
        }
        InterviewDecision::Retract { pointers } => schemascope_interview::retract(context, &place, pointers),
        InterviewDecision::Abandon { notes } => schemascope_interview::abandon(context, &place, notes),
        InterviewDecision::Auto { on } => schemascope_interview::switch_auto(context, &place, *on),
        InterviewDecision::Note { text } => schemascope_interview::leave_note(context, &place, text),
        InterviewDecision::Descriptions { proposal_id, accept } => {
            let decision = match accept {
                Some(true) => schemascope_interview::Decision::Accepted,
                Some(false) => schemascope_interview::Decision::Rejected,
                None => schemascope_interview::Decision::Undone,
            };
            schemascope_interview::decide_descriptions(context, proposal_id, decision)
        }
        InterviewDecision::Delete {} => {
            let conversation = Some(command.conversation_id.as_str()).filter(|id| !id.is_empty());
            schemascope_interview::delete(context, &command.project_id, conversation)
        }
    }
}

impl Handle<ExportInterviews> for Engine {
    async fn handle(&self, command: ExportInterviews) -> Result<String, ApiError> {
        let exported =
            self.interviews.read(|state| schemascope_interview::export(state, &command.project_ids));
        exported.map_err(|message| ApiError::new(ErrorKind::NotFound, message))
    }
}

impl Handle<ImportInterviews> for Engine {
    async fn handle(&self, command: ImportInterviews) -> Result<usize, ApiError> {
        let (interviews, actor) = (Arc::clone(&self.interviews), actor(command.person));
        let importing = move || interviews.import(&command.text, &actor);
        let imported = tokio::task::spawn_blocking(importing).await.map_err(internal)?;
        self.describe_schemas().await?;
        self.records.events.renewed();
        imported.map_err(|message| ApiError::new(ErrorKind::Invalid, message))
    }
}

impl Engine {
    /// Notes in the audit log what a person decided about an interview.
    async fn audit(&self, tool: &ToolId, event: AuditEvent, person: Option<&str>) -> Result<(), ApiError> {
        let proposal = self.proposal(tool, None, person, None);
        let decisions = Arc::clone(&self.knowledge.decisions);
        let writing = move || decisions.write(proposal, |_| Ok(event));
        let written = tokio::task::spawn_blocking(writing).await.map_err(internal)?;
        written.map(drop).map_err(|error| not_written(tool, error))
    }

    /// Advertises the descriptions that are accepted now.
    async fn describe_schemas(&self) -> Result<(), ApiError> {
        let (interviews, effective) = (Arc::clone(&self.interviews), Arc::clone(&self.knowledge.effective));
        // Steps hold the lock while the disk syncs.
        let describing = move || effective.describe(|| interviews.all_descriptions());
        if tokio::task::spawn_blocking(describing).await.map_err(internal)? {
            self.upstreams.hub.announce_tools();
        }
        Ok(())
    }
}

fn actor(person: Option<String>) -> String {
    let given = person.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    given.or_else(system_user).unwrap_or_else(|| "person".to_owned())
}

fn not_taken(error: &NotTaken) -> ApiError {
    let kind = match error {
        NotTaken::Rejected(StepError { kind: StepKind::Unknown, .. }) => ErrorKind::NotFound,
        NotTaken::Rejected(_) => ErrorKind::Invalid,
        NotTaken::Store(_) => ErrorKind::Unavailable,
        NotTaken::Form(_) => ErrorKind::Internal,
    };
    ApiError::new(kind, error.to_string())
}
