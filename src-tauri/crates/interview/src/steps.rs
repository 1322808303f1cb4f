//! The steps of interviews: each takes the state, the library and its input, and gives a reply and events.
//!
//! Steps are pure. The caller applies the events in order, one step at a time, and supplies time, actor and ids.

mod answering;
mod asking;
mod deciding;
mod finishing;
mod following;
mod language;
mod starting;

use serde_json::{Value, json};

use crate::budget;
use crate::error::{ErrorKind, StepError};
use crate::event::{Event, What};
use crate::library::Library;
use crate::names::suggestion;
use crate::pursuit::Pursuit;
use crate::schema::DiscoverySchema;
use crate::state::{Conversation, Interviews, SurrogateRecord};
use crate::surrogate::Scripts;

pub use answering::{AnswerStep, process_ds_answer};
pub use asking::{QuestionStep, get_next_question, get_open_question};
pub use deciding::{
    abandon, decide_descriptions, delete, leave_note, propose_descriptions, retract, settle, store_minizinc,
    switch_auto,
};
pub use finishing::{finalize_ds, get_ds_status};
pub use following::follow;
pub use language::{
    formulate_question, interpret_response, interpretation_prompt, question_prompt, reading_prompt,
};
pub use starting::{StartStep, get_next_ds, list_available_ds, start_ds_pursuit, start_interview};

/// Time, actor and a new id, which steps do not make up by themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// Time in milliseconds since 1970.
    pub now: u64,
    /// The person or agent that acts.
    pub actor: String,
    /// An id that was never used before. Ids of projects, conversations and questions are made from it.
    pub id: String,
}

/// Checks an aggregate against the JSON Schema of its file, and lists what breaks it.
pub type Validate<'a> = &'a dyn Fn(&Value, &Value) -> Vec<String>;

/// What every step sees.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The state.
    pub interviews: &'a Interviews,
    /// The Discovery Schemas.
    pub library: &'a Library,
    /// Scripts of surrogates.
    pub scripts: &'a Scripts,
    /// Time, actor and a new id.
    pub stamp: &'a Stamp,
    /// Checks aggregates: schema first, then the aggregate.
    pub validate: Validate<'a>,
}

/// What a step gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The reply, an object.
    pub reply: Value,
    /// Events to apply, in order.
    pub events: Vec<Event>,
}

/// Names a pursuit: a Discovery Schema in a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Id of the project.
    pub project_id: String,
    /// Id of the conversation.
    pub conversation_id: String,
    /// Id of the Discovery Schema. Without one, the pursuit that was started last is meant.
    pub ds_id: Option<String>,
}

impl Step {
    /// A step that changes nothing.
    pub(crate) fn reply(reply: Value) -> Self {
        Self { reply, events: Vec::new() }
    }
}

impl<'a> Context<'a> {
    /// Returns an event with time and actor.
    pub(crate) fn event(&self, what: What) -> Event {
        Event { at: self.stamp.now, actor: self.stamp.actor.clone(), what }
    }

    /// Returns a new id with a prefix that says what it is for.
    pub(crate) fn new_id(&self, prefix: &str) -> String {
        format!("{prefix}-{}", self.stamp.id)
    }

    /// Returns a conversation, or says what is unknown.
    pub(crate) fn conversation(&self, place: &Place) -> Result<&'a Conversation, StepError> {
        let projects = &self.interviews.projects;
        let Some(project) = projects.get(&place.project_id) else {
            let known: Vec<&str> = projects.keys().map(String::as_str).collect();
            return Err(unknown("project", &place.project_id, &known, "Call start_interview to begin one."));
        };
        if let Some(conversation) = project.conversation(&place.conversation_id) {
            return Ok(conversation);
        }
        let owner = projects.values().find(|other| other.conversation(&place.conversation_id).is_some());
        if let Some(owner) = owner {
            let message = format!(
                "the conversation {:?} belongs to the project {:?}, not to {:?}",
                place.conversation_id, owner.project_id, place.project_id
            );
            return Err(StepError::new(ErrorKind::Unknown, message));
        }
        let known: Vec<&str> =
            project.conversations.iter().map(|conversation| conversation.conversation_id.as_str()).collect();
        let advice = "Call start_interview with the project_id to begin one.";
        Err(unknown("conversation", &place.conversation_id, &known, advice))
    }

    /// Returns a surrogate expert, or says that there is none.
    pub(crate) fn surrogate(&self, surrogate_id: &str) -> Result<&'a SurrogateRecord, StepError> {
        let surrogates = &self.interviews.surrogates;
        surrogates.get(surrogate_id).ok_or_else(|| {
            let known: Vec<&str> = surrogates.keys().map(String::as_str).collect();
            unknown("surrogate", surrogate_id, &known, "Call create_surrogate_expert to create one.")
        })
    }

    /// Returns the pursuit that a place names, or says why there is none.
    pub(crate) fn pursuit(&self, place: &Place) -> Result<&'a Pursuit, StepError> {
        let conversation = self.conversation(place)?;
        let Some(ds_id) = &place.ds_id else {
            let advice = "nothing is being pursued in this conversation; call start_ds_pursuit first (get_next_ds \
                          recommends a Discovery Schema)";
            let none = || StepError::new(ErrorKind::NotStarted, advice);
            return conversation.current().or(conversation.pursuits.last()).ok_or_else(none);
        };
        if let Some(pursuit) = conversation.pursuit(ds_id) {
            return Ok(pursuit);
        }
        self.known_ds(ds_id)?;
        let current = conversation.current().map_or_else(String::new, |pursuit| {
            format!("; {:?} is being pursued: name it, or leave out ds_id", pursuit.ds_id)
        });
        let message = format!(
            "{ds_id:?} is not being pursued in this conversation; call start_ds_pursuit for it first{current}"
        );
        Err(StepError::new(ErrorKind::NotStarted, message))
    }

    /// Returns a Discovery Schema of the library, or suggests similar ids.
    pub(crate) fn known_ds(&self, ds_id: &str) -> Result<&'a DiscoverySchema, StepError> {
        if let Some(schema) = self.library.get(ds_id) {
            return Ok(schema);
        }
        let message = format!(
            "there is no Discovery Schema {}{}. Call list_available_ds for all of them.",
            crate::limits::quoted(ds_id),
            self.library.suggestion(ds_id)
        );
        Err(StepError::new(ErrorKind::Unknown, message))
    }

    /// Returns the notes that have not reached the agent, and the events of their delivery.
    pub(crate) fn deliver_notes(&self, place: &Place, conversation: &Conversation) -> (Value, Vec<Event>) {
        let mut notes = Vec::new();
        let mut events = Vec::new();
        for note in conversation.new_notes() {
            notes.push(json!({"text": note.text, "by": note.by, "at": note.at}));
            events.push(self.event(What::NoteDelivered {
                project_id: place.project_id.clone(),
                conversation_id: place.conversation_id.clone(),
                note_id: note.note_id.clone(),
            }));
        }
        (Value::Array(notes), events)
    }

    /// Says that the file of a pursuit's Discovery Schema has changed since it began. `None` if it has not.
    pub(crate) fn changed_note(&self, pursuit: &Pursuit) -> Option<String> {
        let begun = pursuit.run().map(|record| record.run.ds_digest.as_str())?;
        match self.library.get(&pursuit.ds_id) {
            None => Some("The file of this Discovery Schema is gone. The pursuit keeps the text it began with.".to_owned()),
            Some(schema) if schema.digest != begun => Some(
                "The file of this Discovery Schema has changed. The pursuit keeps the text it began with. Finalise it and \
                 start it again to use the new text."
                    .to_owned(),
            ),
            Some(_) => None,
        }
    }
}

/// Returns the Discovery Schema that a pursuit began with.
pub(crate) fn schema_of(pursuit: &Pursuit) -> Result<&DiscoverySchema, StepError> {
    let advice = "Finalise it with force and start it again.";
    pursuit.schema.as_deref().ok_or_else(|| {
        let message =
            format!("the text that the pursuit of {:?} began with cannot be read. {advice}", pursuit.ds_id);
        StepError::new(ErrorKind::Unknown, message)
    })
}

/// Rejects a step on a pursuit that has ended.
pub(crate) fn require_working(pursuit: &Pursuit) -> Result<(), StepError> {
    if pursuit.is_working() {
        return Ok(());
    }
    let kind = match pursuit.state() {
        crate::record::PursuitState::Exhausted => ErrorKind::Exhausted,
        crate::record::PursuitState::Complete => ErrorKind::Complete,
        _ => ErrorKind::NotStarted,
    };
    let message = format!(
        "the pursuit of {:?} is {}; call start_ds_pursuit to go on with it, its answers stay",
        pursuit.ds_id,
        pursuit.state().name()
    );
    Err(StepError::new(kind, message))
}

pub(crate) fn unknown(what: &str, id: &str, known: &[&str], advice: &str) -> StepError {
    let hint = suggestion(id, known);
    let message = format!("there is no {what} {}{hint}. {advice}", crate::limits::quoted(id));
    StepError::new(ErrorKind::Unknown, message.trim_end().to_owned())
}

/// Returns the state of a pursuit's budget and completeness, for replies.
pub(crate) fn standing(pursuit: &Pursuit) -> Value {
    json!({
        "state": pursuit.state().name(),
        "completeness": budget::number(pursuit.completeness()),
        "budget": budget::number(pursuit.budget()),
        "budget_used": budget::number(pursuit.used()),
        "budget_remaining": budget::number(pursuit.budget().saturating_sub(pursuit.used())),
    })
}

#[cfg(test)]
mod tests;
