//! Conversations that go on by themselves: what is complete ends, and what is recommended next starts.

use schemascope_interview::{Place, StartStep, ToolField, What, follow};
use serde_json::{Map, Value};

use super::{Interviews, NotTaken};

/// Most steps after one call. Two are usual: the end of a pursuit, and the start of the next.
const MAX_STEPS: usize = 8;

/// The conversation that a call may set going; none for calls that ask or answer nothing, and for those that name
/// what they want to pursue.
pub(super) fn place(name: &str, arguments: &Map<String, Value>) -> Option<Place> {
    let text = |key: &str| arguments.get(key)?.as_str().map(str::to_owned);
    let is_followed = match name {
        "get_next_question" => !arguments.contains_key("ds_id"),
        "process_ds_answer" | "finalize_ds" => true,
        _ => false,
    };
    let (project_id, conversation_id) = (text("project_id")?, text("conversation_id")?);
    is_followed.then_some(Place { project_id, conversation_id, ds_id: None })
}

impl Interviews {
    /// Takes the steps that follow by themselves, if the conversation is automatic. Returns the Discovery Schema that was
    /// started, if one was.
    pub(crate) fn follow(
        &self,
        place: &Place,
        actor: &str,
        fields: &dyn Fn(&str) -> Vec<ToolField>,
    ) -> Result<Option<String>, NotTaken> {
        let mut started = None;
        let conversation = self.read(|state| {
            let conversation = state.projects.get(&place.project_id)?.conversation(&place.conversation_id)?;
            conversation.is_auto.then(|| conversation.tool_id().map(str::to_owned))
        });
        // Whatever the call has to say about an unknown one, it says itself.
        let Some(tool_id) = conversation else { return Ok(None) };
        let tool_fields = tool_id.as_deref().map(fields).unwrap_or_default();
        for _ in 0..MAX_STEPS {
            let mut events = Vec::new();
            self.step(actor, |context| {
                let tool_fields = tool_fields.clone();
                let step = follow(
                    context,
                    &StartStep { place: place.clone(), tool_fields, ..StartStep::default() },
                )?;
                events.clone_from(&step.events);
                Ok(step)
            })?;
            if events.is_empty() {
                break;
            }
            for event in &events {
                if let Some(place) = super::complete(event) {
                    self.finished(&place, actor);
                }
                if let What::PursuitStarted { ds_id, .. } = &event.what {
                    started = Some(ds_id.clone());
                }
            }
        }
        Ok(started)
    }
}

/// Tells in the reply to an answer that another Discovery Schema began: there is nothing left to finish.
pub(super) fn tell(reply: &mut Value, started: Option<&str>) {
    let Some(ds_id) = started.filter(|_| reply["next_action"] == "complete") else { return };
    let notes = reply["commit_notes"].as_str().unwrap_or_default();
    let notes = format!("{notes} It is complete and was finished; {ds_id} began by itself.");
    reply["commit_notes"] = notes.trim_start().into();
    reply["next_action"] = "continue".into();
}
