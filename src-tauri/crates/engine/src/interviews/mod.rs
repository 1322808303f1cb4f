//! Interviews: their events on disk, the state in memory, and the library of Discovery Schemas.
//!
//! An event is redacted, written, and applied, in that order and one step at a time, so that several agents and people
//! can take part in one conversation. The steps themselves are in the crate `interview`.

mod automatic;
mod deletion;
pub(crate) mod describe;
pub(crate) mod fields;
pub(crate) mod language;
pub(crate) mod library;
pub(crate) mod minizinc;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use schemascope_api::DescriptionProposal;
use schemascope_interview::{
    Aid, Context, Decision, ErrorKind, Event, Interviews as State, Library, Place, Proposal, PursuitState,
    Scripts, Stamp, Step, StepError, ToolField, What, propose_descriptions,
};
use schemascope_judge::Judge;
use schemascope_model::{IdSource, Timestamp};
use schemascope_redact::{Redaction, Trust};
use schemascope_store::AuditLog;
use serde_json::{Map, Value};

use deletion::Deleted;
use library::UserFiles;

use crate::knowledge::effective::Descriptions;

/// Most projects, conversations and surrogates.
const MAX_PROJECTS: usize = 2_000;
const MAX_CONVERSATIONS: usize = 10_000;
const MAX_SURROGATES: usize = 2_000;
/// Most bytes of all events.
const MAX_BYTES: u64 = 1 << 30;
/// Longest text that is imported, in bytes.
const MAX_IMPORT: usize = 64 << 20;
/// Longest name of a project and longest id from elsewhere, in characters.
const MAX_NAME: usize = 200;

/// Most proposals that are listed as waiting.
const SHOWN_PROPOSALS: usize = 50;

/// All interviews of a data directory.
pub(crate) struct Interviews {
    inner: Mutex<Inner>,
    library: RwLock<Arc<Library>>,
    user_files: Mutex<UserFiles>,
    scripts: Scripts,
    ids: Arc<IdSource>,
    redaction: Arc<Redaction>,
    completed: minizinc::Completed,
}

struct Inner {
    log: AuditLog,
    /// Bytes of all events.
    bytes: u64,
    state: State,
    /// Time of the latest event: time never goes back, whatever the clock does.
    latest: u64,
}

/// Why a step was not taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotTaken {
    /// The step was rejected. Nothing was changed.
    #[error(transparent)]
    Rejected(#[from] StepError),
    /// The disk failed. Nothing was changed.
    #[error("nothing was changed, because the events of interviews cannot be written: {0}")]
    Store(#[from] schemascope_store::Error),
    /// An event has no JSON form, or loses it when secrets are removed.
    #[error("nothing was changed, because the event cannot be stored: {0}")]
    Form(#[from] serde_json::Error),
}

impl Interviews {
    /// Opens the events of a data directory. Also returns which could not be read, in sentences.
    pub(crate) fn open(
        data: &Path,
        ids: Arc<IdSource>,
        redaction: Arc<Redaction>,
    ) -> Result<(Self, Vec<String>), schemascope_store::Error> {
        let (log, read, torn) = AuditLog::open_interviews(data)?;
        let mut notes: Vec<String> = Vec::new();
        notes.extend(torn.map(|torn| {
            format!(
                "{} bytes of an unfinished step were removed from the end of the events of interviews",
                torn.bytes
            )
        }));
        notes.extend(read.damaged.iter().map(|damage| {
            format!(
                "the events of interviews are damaged at offset {} of segment {} ({}); all others are intact",
                damage.at.offset, damage.at.segment, damage.reason
            )
        }));
        let (mut state, mut latest, mut bytes) = (State::default(), 0, 0);
        let mut left = deletion::Leftover::default();
        for payload in read.entries {
            bytes += payload.len() as u64;
            match serde_json::from_slice::<Vec<Event>>(&payload) {
                Ok(events) => {
                    for event in events {
                        latest = latest.max(event.at);
                        left.see(&event);
                        state.apply(&event);
                    }
                }
                Err(error) => notes.push(format!("an event of interviews is ignored: {error}")),
            }
        }
        let mut user_files = UserFiles::new(data);
        let library = Arc::new(user_files.read().unwrap_or_else(library::own));
        let interviews = Self {
            inner: Mutex::new(Inner { log, bytes, state, latest }),
            library: RwLock::new(library),
            user_files: Mutex::new(user_files),
            scripts: library::scripts(),
            ids,
            redaction,
            completed: minizinc::Completed::default(),
        };
        // A kill came between a deletion and its end.
        for deleted in left.deleted() {
            interviews.erase(&deleted);
        }
        Ok((interviews, notes))
    }

    /// The Discovery Schemas, read again if the user's files changed.
    pub(crate) fn library(&self) -> Arc<Library> {
        if let Some(changed) = self.user_files.lock().read() {
            *self.library.write() = Arc::new(changed);
        }
        Arc::clone(&self.library.read())
    }

    /// Folder of the user's Discovery Schemas.
    pub(crate) fn folder(&self) -> PathBuf {
        self.user_files.lock().folder().to_owned()
    }

    /// Reads the state.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.inner.lock().state)
    }

    /// Calls a tool. `fields` returns what is known of the fields of the tool that a pursuit is about. A pursuit about a
    /// tool that was finished makes a proposal of descriptions. `aid` has the words of the client's model.
    pub(crate) fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        actor: &str,
        aid: Aid,
        fields: impl Fn(&str) -> Vec<ToolField>,
    ) -> Result<Value, NotTaken> {
        self.called(name, arguments, actor, aid, fields, Step::clone)
    }

    /// Looks at something without a step.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Context<'_>) -> T) -> T {
        let library = self.library();
        let inner = self.inner.lock();
        let stamp = Stamp { now: inner.latest, actor: String::new(), id: String::new() };
        look(&Context {
            interviews: &inner.state,
            library: &library,
            scripts: &self.scripts,
            stamp: &stamp,
            validate: &problems,
        })
    }

    /// A text without secrets.
    pub(crate) fn redacted(&self, text: String) -> String {
        let json = Value::from(text.as_str()).to_string();
        match self.redaction.now().redact(&json, Trust::Own) {
            None => text,
            Some((redacted, _)) => serde_json::from_str(&redacted).unwrap_or_default(),
        }
    }

    /// Calls a tool for a person. Notes for the agent stay for the agent. Also returns whether something changed.
    pub(crate) fn call_as_person(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        actor: &str,
        fields: impl Fn(&str) -> Vec<ToolField>,
    ) -> Result<(Value, bool), NotTaken> {
        let is_change = std::cell::Cell::new(false);
        let reply = self.called(name, arguments, actor, Aid::default(), fields, |step| {
            let mut step = step.clone();
            step.events.retain(|event| !matches!(event.what, What::NoteDelivered { .. }));
            is_change.set(!step.events.is_empty());
            step
        })?;
        Ok((reply, is_change.get()))
    }

    fn called(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        actor: &str,
        aid: Aid,
        fields: impl Fn(&str) -> Vec<ToolField>,
        taken: impl FnOnce(&Step) -> Step,
    ) -> Result<Value, NotTaken> {
        let place = automatic::place(name, &arguments);
        if let Some(place) = place.as_ref().filter(|_| name == "get_next_question") {
            self.follow(place, actor, &fields)?;
        }
        let tool_id = arguments.get("tool_id").and_then(Value::as_str);
        let tool_fields = tool_id.filter(|_| name == "start_ds_pursuit").map(&fields).unwrap_or_default();
        let aid = Aid { tool_fields, ..aid };
        let mut finished = None;
        let mut reply = self.step(actor, |context| {
            let step = schemascope_interview::call(context, name, arguments, &aid)?;
            // Asking a second time finishes nothing.
            finished = step.events.iter().find_map(complete);
            Ok(taken(&step))
        })?;
        if let Some(place) = finished {
            self.finished(&place, actor);
        }
        if let Some(place) = place {
            match self.follow(&place, actor, &fields) {
                Ok(next) => automatic::tell(&mut reply, next.as_deref()),
                // The call itself is done, and was stored.
                Err(error) => tracing::warn!(%error, "an interview does not go on by itself"),
            }
        }
        Ok(reply)
    }

    /// What comes after a pursuit that is complete: descriptions are proposed, and the hook for MiniZinc runs.
    fn finished(&self, place: &Place, actor: &str) {
        // Where the pursuit is not about a tool there is nothing to propose.
        let _ = self.step(actor, |context| propose_descriptions(context, place));
        self.completed.add(place.clone());
    }

    /// Descriptions that no one decided about, at most as many as a page shows.
    pub(crate) fn open_proposals(&self) -> Vec<DescriptionProposal> {
        self.read(|state| {
            let open = state
                .proposals
                .values()
                .filter(|proposal| proposal.decision.is_none_or(|decision| decision == Decision::Undone));
            open.take(SHOWN_PROPOSALS).map(proposal_row).collect()
        })
    }

    /// Number of fields whose descriptions people accepted.
    pub(crate) fn described_count(&self) -> u64 {
        self.all_descriptions().values().map(|descriptions| descriptions.len() as u64).sum()
    }

    /// The descriptions of a tool's fields that people accepted, by path; later ones replace earlier ones.
    pub(crate) fn descriptions(&self, tool_id: &str) -> BTreeMap<String, String> {
        self.read(|state| accepted(state, tool_id))
    }

    /// The same for every tool that has some.
    pub(crate) fn all_descriptions(&self) -> Descriptions {
        self.read(|state| {
            let tools: BTreeSet<&str> =
                state.proposals.values().map(|proposal| proposal.tool_id.as_str()).collect();
            let each = tools.into_iter().filter_map(|id| Some((id.parse().ok()?, accepted(state, id))));
            each.filter(|(_, descriptions)| !descriptions.is_empty()).collect()
        })
    }

    /// Takes a step: what it gives is on disk and in effect when this returns. Blocks while the disk syncs.
    pub(crate) fn step(
        &self,
        actor: &str,
        step: impl FnOnce(&Context<'_>) -> Result<Step, StepError>,
    ) -> Result<Value, NotTaken> {
        let library = self.library();
        let mut inner = self.inner.lock();
        let now = Timestamp::now();
        let id = self.ids.live(now);
        let stamp =
            Stamp { now: now.as_millis().max(inner.latest), actor: actor.to_owned(), id: id.to_string() };
        let context = Context {
            interviews: &inner.state,
            library: &library,
            scripts: &self.scripts,
            stamp: &stamp,
            validate: &problems,
        };
        let Step { reply, events } = step(&context)?;
        if events.is_empty() {
            return Ok(reply);
        }
        events.iter().try_for_each(|event| check_room(&inner, &event.what))?;
        let (events, text) = self.without_secrets(events)?;
        // A repeated call is answered from what is stored, so the first answer must not say more.
        let reply = match self.redaction.now().redact(&reply.to_string(), Trust::Own) {
            None => reply,
            Some((redacted, _)) => serde_json::from_str(&redacted)?,
        };
        inner.log.append(id, text.as_bytes())?;
        inner.bytes += text.len() as u64;
        inner.latest = stamp.now;
        for event in &events {
            inner.state.apply(event);
        }
        drop(inner);
        events.iter().filter_map(Deleted::by).for_each(|deleted| self.erase(&deleted));
        Ok(reply)
    }

    /// Events without secrets, and their text. Markers in them come from previous redactions: of an export, or of a value
    /// that is settled. Memory and disk hold the same events.
    fn without_secrets(&self, events: Vec<Event>) -> Result<(Vec<Event>, String), serde_json::Error> {
        let text = serde_json::to_string(&events)?;
        match self.redaction.now().redact(&text, Trust::Own) {
            None => Ok((events, text)),
            Some((redacted, _)) => Ok((serde_json::from_str(&redacted)?, redacted)),
        }
    }

    /// Takes events from elsewhere.
    pub(crate) fn import(&self, text: &str, actor: &str) -> Result<usize, String> {
        let mut count = 0;
        let imported = self.step(actor, |context| {
            let events = match text.len() <= MAX_IMPORT {
                true => schemascope_interview::import(context.interviews, text, actor, context.stamp.now),
                false => Err(format!("the file has more than {} MB", MAX_IMPORT >> 20)),
            };
            let events = events.and_then(|events| plausible(&events).map(|()| events));
            let events = events.map_err(|message| StepError { kind: ErrorKind::Argument, message })?;
            count = events.len();
            Ok(Step { reply: Value::Null, events })
        });
        imported.map(|_| count).map_err(|error| error.to_string())
    }
}

/// The pursuit that an event ends as complete.
fn complete(event: &Event) -> Option<Place> {
    let What::PursuitEnded { project_id, conversation_id, ds_id, state: PursuitState::Complete, .. } =
        &event.what
    else {
        return None;
    };
    let (project_id, conversation_id) = (project_id.clone(), conversation_id.clone());
    Some(Place { project_id, conversation_id, ds_id: Some(ds_id.clone()) })
}

/// Whether names, ids and numbers of imported projects are such as a program makes.
fn plausible(events: &[Event]) -> Result<(), String> {
    let is_id = |id: &str| {
        !id.is_empty()
            && id.len() <= MAX_NAME
            && id.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c))
    };
    for event in events {
        let What::ProjectImported { project, .. } = &event.what else { continue };
        let name = &project.name;
        if name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
            return Err(
                "the name of a project is longer than 200 characters or has control characters".to_owned()
            );
        }
        let ids = project.conversations.iter().map(|conversation| conversation.conversation_id.as_str());
        let different: BTreeSet<&str> = ids.clone().collect();
        if !is_id(&project.project_id) || !ids.clone().all(is_id) {
            return Err("an id has characters or a length that ids do not have".to_owned());
        }
        if different.len() != ids.count() || different.len() > MAX_CONVERSATIONS {
            return Err("two conversations have one id, or there are too many".to_owned());
        }
        let mut pursuits = project.conversations.iter().flat_map(|conversation| &conversation.pursuits);
        if pursuits.any(|pursuit| pursuit.budget() > 1_000_000 || pursuit.used() > 1_000_000) {
            return Err("a budget is larger than 1000".to_owned());
        }
    }
    Ok(())
}

/// Whether there is room for an event: for what it adds, and for itself.
fn check_room(inner: &Inner, what: &What) -> Result<(), StepError> {
    const DELETE: &str = "a person can delete projects with `schemascope interview delete`";
    let projects = &inner.state.projects;
    let conversations = || projects.values().map(|project| project.conversations.len()).sum::<usize>();
    let adds_project = matches!(what, What::ProjectStarted { .. } | What::ProjectImported { .. });
    let adds_conversation = adds_project || matches!(what, What::ConversationStarted { .. });
    let is_surrogate = matches!(what, What::SurrogateCreated { .. });
    let full = if matches!(what, What::Deleted { .. }) {
        return Ok(());
    } else if adds_project && projects.len() >= MAX_PROJECTS {
        format!("there are {MAX_PROJECTS} projects, which is the limit; {DELETE}")
    } else if adds_conversation && conversations() >= MAX_CONVERSATIONS {
        format!("there are {MAX_CONVERSATIONS} conversations, which is the limit; {DELETE}")
    } else if is_surrogate && inner.state.surrogates.len() >= MAX_SURROGATES {
        format!("there are {MAX_SURROGATES} surrogates, which is the limit; use one that there is")
    } else if inner.bytes >= MAX_BYTES {
        format!("the events of interviews have {} MB, which is the limit; {DELETE}", MAX_BYTES >> 20)
    } else {
        return Ok(());
    };
    Err(StepError { kind: ErrorKind::TooLarge, message: full })
}

/// A proposal as fronts show it.
pub(crate) fn proposal_row(proposal: &Proposal) -> DescriptionProposal {
    DescriptionProposal {
        proposal_id: proposal.proposal_id.clone(),
        project_id: proposal.project_id.clone(),
        tool_id: proposal.tool_id.clone(),
        descriptions: proposal.descriptions.clone(),
        accepted: match proposal.decision {
            Some(Decision::Accepted) => Some(true),
            Some(Decision::Rejected) => Some(false),
            Some(Decision::Undone) | None => None,
        },
    }
}

fn accepted(state: &State, tool_id: &str) -> BTreeMap<String, String> {
    let is_accepted =
        |proposal: &&Proposal| proposal.tool_id == tool_id && proposal.decision == Some(Decision::Accepted);
    let mut accepted: Vec<&Proposal> = state.proposals.values().filter(is_accepted).collect();
    accepted.sort_by_key(|proposal| (proposal.decided.as_ref().map(|(_, at)| *at), &proposal.proposal_id));
    accepted.into_iter().flat_map(|proposal| proposal.descriptions.clone()).collect()
}

/// What in an aggregate breaks the JSON Schema of its file.
fn problems(schema: &Value, aggregate: &Value) -> Vec<String> {
    Judge::new(schema).violation(&aggregate.to_string()).into_iter().collect()
}

#[cfg(test)]
mod tests;
