//! What an interview with an expert reports.

use serde_json::{Map, Value, json};

use super::Script;
use super::facts::Facts;
use crate::budget;
use crate::error::StepError;
use crate::pursuit::Pursuit;
use crate::record::PursuitState;
use crate::state::Conversation;
use crate::steps::{Context, Place, Step};

/// What happened in an interview, beside what its conversation keeps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// Questions and answers, with their Discovery Schemas.
    pub transcript: Vec<Value>,
    /// Discovery Schemas that could not be pursued, with the reason.
    pub skipped: Vec<Value>,
    /// Number of answers that were rejected.
    pub rejected: usize,
}

/// Reports an interview whose answers the caller had from elsewhere than the script, such as from a model.
pub fn report_surrogate_interview(
    context: &Context<'_>,
    surrogate_id: &str,
    place: &Place,
    outcome: &Outcome,
) -> Result<Step, StepError> {
    let record = context.surrogate(surrogate_id)?;
    let conversation = context.conversation(place)?;
    let script = context.scripts.script(&record.product);
    Ok(Step::reply(report(&script, place, Some(conversation), outcome)))
}

pub(super) fn report(
    script: &Script,
    place: &Place,
    conversation: Option<&Conversation>,
    outcome: &Outcome,
) -> Value {
    let pursuits = conversation.map(|known| known.pursuits.as_slice()).unwrap_or_default();
    let completed = pursuits.iter().filter(|pursuit| pursuit.state() == PursuitState::Complete);
    let completed: Vec<&str> = completed.map(|pursuit| pursuit.ds_id.as_str()).collect();
    let ascr: Map<String, Value> =
        pursuits.iter().map(|pursuit| (pursuit.ds_id.clone(), pursuit.aggregate().clone())).collect();
    let mut facts = Facts::default();
    for pursuit in pursuits {
        if let Some(answers) = script.answers.get(&pursuit.ds_id) {
            facts.count(&Value::Object(answers.clone()), pursuit.aggregate(), pursuit.conflicts());
        }
    }
    let completeness: u32 = pursuits.iter().map(Pursuit::completeness).sum();
    let mean = completeness / u32::try_from(pursuits.len()).unwrap_or(u32::MAX).max(1);
    json!({
        "project_id": place.project_id,
        "conversation_id": place.conversation_id,
        "completed_ds": completed,
        "ascr": ascr,
        "success_metrics": {
            "questions": outcome.transcript.len(),
            "budget_used": budget::number(pursuits.iter().map(Pursuit::used).sum()),
            "completeness": budget::number(mean),
            "conflicts": pursuits.iter().map(|pursuit| pursuit.conflicts().len()).sum::<usize>(),
            "facts": facts.total,
            "facts_arrived": facts.arrived,
            "fact_share": facts.share(),
            "answers_rejected": outcome.rejected,
            "skipped": outcome.skipped,
        },
        "transcript": outcome.transcript,
    })
}
