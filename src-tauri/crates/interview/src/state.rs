//! The state of all interviews: the fold of their events.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::{Event, What};
use crate::merge::Change;
use crate::proposal::Proposal;
use crate::pursuit::Pursuit;

/// All projects, surrogates and proposals.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Interviews {
    /// Projects by id.
    pub projects: BTreeMap<String, Project>,
    /// Scripted experts by id.
    pub surrogates: BTreeMap<String, SurrogateRecord>,
    /// Proposals of descriptions by id.
    pub proposals: BTreeMap<String, Proposal>,
}

/// A project: conversations about one thing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Project {
    /// Id of the project.
    pub project_id: String,
    /// Its name.
    pub name: String,
    /// Time in milliseconds since 1970.
    pub started_at: u64,
    /// Who started it.
    pub started_by: String,
    /// Conversations in the order in which they began.
    pub conversations: Vec<Conversation>,
}

/// A conversation: pursuits of Discovery Schemas, one after another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// Id of the conversation.
    pub conversation_id: String,
    /// Time in milliseconds since 1970.
    pub started_at: u64,
    /// Who started it.
    pub started_by: String,
    /// Pursuits in the order in which they first began.
    pub pursuits: Vec<Pursuit>,
    /// Notes that a person left for the agent.
    pub notes: Vec<Note>,
    /// Whether recommended Discovery Schemas start automatically.
    pub is_auto: bool,
    /// The MiniZinc model of an aggregate.
    pub minizinc: Option<String>,
    /// What MiniZinc found.
    pub minizinc_results: Option<String>,
}

/// A note that a person left for the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Id of the note.
    pub note_id: String,
    /// The note.
    pub text: String,
    /// Time in milliseconds since 1970.
    pub at: u64,
    /// Who left it.
    pub by: String,
    /// When it reached the agent.
    pub delivered_at: Option<u64>,
}

/// A scripted expert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurrogateRecord {
    /// What its company makes.
    pub product: String,
    /// How well it knows its work.
    pub expertise_level: String,
    /// Size of its company.
    pub company_size: String,
}

impl SurrogateRecord {
    /// Name of the project of an interview with the expert.
    pub fn project_name(&self) -> String {
        format!("Surrogate: {}", self.product)
    }
}

impl Project {
    /// Returns a conversation.
    pub fn conversation(&self, id: &str) -> Option<&Conversation> {
        self.conversations.iter().find(|conversation| conversation.conversation_id == id)
    }
}

impl Conversation {
    /// Returns the pursuit of a Discovery Schema.
    pub fn pursuit(&self, ds_id: &str) -> Option<&Pursuit> {
        self.pursuits.iter().find(|pursuit| pursuit.ds_id == ds_id)
    }

    /// Returns the pursuit that was started last and has not ended.
    pub fn current(&self) -> Option<&Pursuit> {
        let working = self.pursuits.iter().filter(|pursuit| pursuit.is_working());
        working.max_by_key(|pursuit| pursuit.run().map_or(0, |record| record.started_at))
    }

    /// Lists the notes that have not reached the agent.
    pub fn new_notes(&self) -> Vec<&Note> {
        self.notes.iter().filter(|note| note.delivered_at.is_none()).collect()
    }

    /// Returns the tool that the conversation is about.
    pub fn tool_id(&self) -> Option<&str> {
        self.pursuits.iter().find_map(|pursuit| pursuit.tool_id.as_deref())
    }
}

impl Interviews {
    /// Applies an event. An event about something that does not exist changes nothing.
    pub fn apply(&mut self, event: &Event) {
        let (actor, at) = (event.actor.as_str(), event.at);
        match &event.what {
            What::ProjectStarted { project_id, name } => {
                let project = Project {
                    project_id: project_id.clone(),
                    name: name.clone(),
                    started_at: at,
                    started_by: actor.to_owned(),
                    conversations: Vec::new(),
                };
                self.projects.entry(project_id.clone()).or_insert(project);
            }
            What::ConversationStarted { project_id, conversation_id } => {
                let Some(project) = self.projects.get_mut(project_id) else { return };
                if project.conversation(conversation_id).is_none() {
                    project.conversations.push(Conversation {
                        conversation_id: conversation_id.clone(),
                        started_at: at,
                        started_by: actor.to_owned(),
                        ..Conversation::default()
                    });
                }
            }
            What::ProjectImported { project } => {
                let mut project = (**project).clone();
                for conversation in &mut project.conversations {
                    conversation.pursuits.iter_mut().for_each(Pursuit::rebuild);
                }
                self.projects.entry(project.project_id.clone()).or_insert(project);
            }
            What::Deleted { project_id, conversation_id: None } => {
                self.projects.remove(project_id);
                self.proposals.retain(|_, proposal| proposal.project_id != *project_id);
            }
            What::SurrogateCreated { surrogate_id, product, expertise_level, company_size } => {
                let record = SurrogateRecord {
                    product: product.clone(),
                    expertise_level: expertise_level.clone(),
                    company_size: company_size.clone(),
                };
                self.surrogates.insert(surrogate_id.clone(), record);
            }
            What::DescriptionsProposed {
                proposal_id,
                project_id,
                conversation_id,
                ds_id,
                tool_id,
                descriptions,
            } => {
                let proposal = Proposal {
                    proposal_id: proposal_id.clone(),
                    project_id: project_id.clone(),
                    conversation_id: conversation_id.clone(),
                    ds_id: ds_id.clone(),
                    tool_id: tool_id.clone(),
                    descriptions: descriptions.clone(),
                    proposed_at: at,
                    decision: None,
                    decided: None,
                };
                self.proposals.entry(proposal_id.clone()).or_insert(proposal);
            }
            What::DescriptionsDecided { proposal_id, decision } => {
                if let Some(proposal) = self.proposals.get_mut(proposal_id) {
                    proposal.decide(*decision, actor, at);
                }
            }
            what => self.apply_within(what, actor, at),
        }
    }

    /// Applies an event within a conversation.
    fn apply_within(&mut self, what: &What, actor: &str, at: u64) {
        match what {
            What::PursuitStarted { project_id, conversation_id, ds_id, run, tool_id } => {
                let Some(conversation) = self.conversation_mut(project_id, conversation_id) else { return };
                if conversation.pursuit(ds_id).is_none() {
                    conversation.pursuits.push(Pursuit::new(ds_id, tool_id.as_deref()));
                }
                with_pursuit(conversation, ds_id, |pursuit| pursuit.start(run, actor, at));
            }
            What::QuestionAsked { project_id, conversation_id, ds_id, question } => {
                let Some(conversation) = self.conversation_mut(project_id, conversation_id) else { return };
                with_pursuit(conversation, ds_id, |pursuit| pursuit.ask(question, actor, at));
            }
            What::AnswerGiven { project_id, conversation_id, ds_id, question_id, answer } => {
                let Some(conversation) = self.conversation_mut(project_id, conversation_id) else { return };
                with_pursuit(conversation, ds_id, |pursuit| pursuit.answer(question_id, answer, actor, at));
            }
            What::ConflictSettled { project_id, conversation_id, ds_id, path, value } => {
                let Some(conversation) = self.conversation_mut(project_id, conversation_id) else { return };
                let change = Change::Settle { path: path.clone(), value: value.clone(), at };
                with_pursuit(conversation, ds_id, |pursuit| pursuit.change(change));
            }
            What::Retracted { project_id, conversation_id, ds_id, pointers } => {
                let Some(conversation) = self.conversation_mut(project_id, conversation_id) else { return };
                let change = Change::Retract { pointers: pointers.clone(), at };
                with_pursuit(conversation, ds_id, |pursuit| pursuit.change(change));
            }
            What::PursuitEnded { project_id, conversation_id, ds_id, state, notes } => {
                let Some(conversation) = self.conversation_mut(project_id, conversation_id) else { return };
                with_pursuit(conversation, ds_id, |pursuit| pursuit.end(*state, notes, actor, at));
            }
            What::NoteLeft { project_id, conversation_id, note_id, text } => {
                let Some(conversation) = self.conversation_mut(project_id, conversation_id) else { return };
                conversation.notes.push(Note {
                    note_id: note_id.clone(),
                    text: text.clone(),
                    at,
                    by: actor.to_owned(),
                    delivered_at: None,
                });
            }
            What::NoteDelivered { project_id, conversation_id, note_id } => {
                let Some(conversation) = self.conversation_mut(project_id, conversation_id) else { return };
                for note in conversation.notes.iter_mut().filter(|note| note.note_id == *note_id) {
                    note.delivered_at = note.delivered_at.or(Some(at));
                }
            }
            What::AutoSwitched { project_id, conversation_id, is_on } => {
                if let Some(conversation) = self.conversation_mut(project_id, conversation_id) {
                    conversation.is_auto = *is_on;
                }
            }
            What::MinizincStored { project_id, conversation_id, model, results } => {
                if let Some(conversation) = self.conversation_mut(project_id, conversation_id) {
                    conversation.minizinc = Some(model.clone());
                    conversation.minizinc_results = Some(results.clone());
                }
            }
            What::Deleted { project_id, conversation_id: Some(id) } => {
                if let Some(project) = self.projects.get_mut(project_id) {
                    project.conversations.retain(|conversation| conversation.conversation_id != *id);
                }
                self.proposals.retain(|_, proposal| proposal.conversation_id != *id);
            }
            _ => {}
        }
    }

    /// Returns a conversation of a project.
    pub fn conversation(&self, project_id: &str, conversation_id: &str) -> Option<&Conversation> {
        self.projects.get(project_id)?.conversation(conversation_id)
    }

    fn conversation_mut(&mut self, project_id: &str, conversation_id: &str) -> Option<&mut Conversation> {
        let project = self.projects.get_mut(project_id)?;
        let mut conversations = project.conversations.iter_mut();
        conversations.find(|conversation| conversation.conversation_id == conversation_id)
    }

    /// Returns the aggregate of a Discovery Schema in a conversation.
    pub fn aggregate(&self, project_id: &str, conversation_id: &str, ds_id: &str) -> Option<&Value> {
        self.conversation(project_id, conversation_id)?.pursuit(ds_id).map(Pursuit::aggregate)
    }
}

fn with_pursuit(conversation: &mut Conversation, ds_id: &str, change: impl FnOnce(&mut Pursuit)) {
    if let Some(pursuit) = conversation.pursuits.iter_mut().find(|pursuit| pursuit.ds_id == ds_id) {
        change(pursuit);
    }
}
