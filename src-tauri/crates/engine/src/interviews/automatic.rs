//! Conversations that go on by themselves: what is complete ends, and what is recommended next starts.

use schemascope_interview::{Place, StartStep, Step, ToolField, follow};
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
    /// Takes the steps that follow by themselves, if the conversation is automatic.
    pub(crate) fn follow(
        &self,
        place: &Place,
        actor: &str,
        fields: &dyn Fn(&str) -> Vec<ToolField>,
    ) -> Result<(), NotTaken> {
        let conversation = self.read(|state| {
            let conversation = state.projects.get(&place.project_id)?.conversation(&place.conversation_id)?;
            conversation.is_auto.then(|| conversation.tool_id().map(str::to_owned))
        });
        // Whatever the call has to say about an unknown one, it says itself.
        let Some(tool_id) = conversation else { return Ok(()) };
        let tool_fields = tool_id.as_deref().map(fields).unwrap_or_default();
        for _ in 0..MAX_STEPS {
            let mut is_over = true;
            let reply = self.step(actor, |context| {
                let start = StartStep {
                    place: place.clone(),
                    tool_fields: tool_fields.clone(),
                    ..StartStep::default()
                };
                let step: Step = follow(context, &start)?;
                is_over = step.events.is_empty();
                Ok(step)
            })?;
            if is_over {
                return Ok(());
            }
            if let (Value::Bool(true), Some(ds_id)) = (&reply["success"], reply["ds_id"].as_str()) {
                self.finished(&Place { ds_id: Some(ds_id.to_owned()), ..place.clone() }, actor);
            }
        }
        Ok(())
    }
}
