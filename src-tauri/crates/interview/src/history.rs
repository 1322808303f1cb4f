//! What a conversation has found out so far: its history, and its aggregates together.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::error::StepError;
use crate::merge::{Change, Conflict, fold};
use crate::pursuit::Pursuit;
use crate::schema::EXHAUSTED_KEY;
use crate::state::Conversation;
use crate::steps::{Context, Place, Step};

/// Key of the challenges that a first interview names.
const CHALLENGES_KEY: &str = "scheduling-challenges";
/// Key of the kind of scheduling problem.
const PROBLEM_TYPE_KEY: &str = "principal-problem-type";

/// Returns the history of a conversation: challenges, and the questions and answers of each pursuit.
pub fn get_conversation_history(
    context: &Context<'_>,
    place: &Place,
    includes_minizinc: bool,
) -> Result<Step, StepError> {
    let conversation = context.conversation(place)?;
    let activities: Vec<Value> =
        conversation.pursuits.iter().map(|pursuit| activity(conversation, pursuit)).collect();
    let minizinc = conversation.minizinc.as_ref().filter(|_| includes_minizinc);
    let results = conversation.minizinc_results.as_ref().filter(|_| includes_minizinc);
    Ok(Step::reply(json!({
        "scheduling_challenges": challenges(conversation),
        "activities": activities,
        "minizinc": minizinc,
        "minizinc_results": results,
    })))
}

fn activity(conversation: &Conversation, pursuit: &Pursuit) -> Value {
    let current = conversation.current().filter(|current| current.ds_id == pursuit.ds_id);
    let asked: Vec<Value> = pursuit
        .questions
        .iter()
        .map(|asked| {
            let answered = asked.answered.as_ref();
            json!({
                "question_id": asked.question.question_id,
                "question": asked.question.text,
                "answer": answered.map(|answered| answered.answer.text.as_str()),
                "scr": answered.and_then(|answered| answered.answer.scr.as_ref()),
                "asked_at": asked.asked_at,
                "answered_at": answered.map(|answered| answered.at),
                "answered_by": answered.map(|answered| answered.by.as_str()),
            })
        })
        .collect();
    json!({
        "pursuing_ds": pursuit.ds_id,
        "state": pursuit.state().name(),
        "questions_answers": asked,
        "open_question": current.and_then(Pursuit::open_question).map(|asked| &asked.question.question_id),
        "summary_ds": pursuit.aggregate(),
    })
}

/// Lists the challenges that the pursuits of a conversation name.
pub(crate) fn challenges(conversation: &Conversation) -> Vec<String> {
    let lists = conversation
        .pursuits
        .iter()
        .filter_map(|pursuit| pursuit.aggregate().get(CHALLENGES_KEY)?.as_array());
    lists.flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the kind of scheduling problem that a conversation found.
pub(crate) fn problem_type(conversation: &Conversation) -> Option<String> {
    let mut pursuits = conversation.pursuits.iter().rev();
    pursuits.find_map(|pursuit| pursuit.aggregate().get(PROBLEM_TYPE_KEY)?.as_str().map(str::to_owned))
}

/// Returns the aggregates of a conversation, one by one and merged, with the conflicts within and between them.
pub fn get_aggregated_scr(
    context: &Context<'_>,
    place: &Place,
    ds_filter: &[String],
) -> Result<Step, StepError> {
    let conversation = context.conversation(place)?;
    for ds_id in ds_filter {
        if conversation.pursuit(ds_id).is_none() {
            context.pursuit(&Place { ds_id: Some(ds_id.clone()), ..place.clone() })?;
        }
    }
    let wanted = conversation
        .pursuits
        .iter()
        .filter(|pursuit| ds_filter.is_empty() || ds_filter.contains(&pursuit.ds_id));
    let pursuits: Vec<&Pursuit> = wanted.collect();
    let mut by_ds = Map::new();
    let mut conflicts = Vec::new();
    for pursuit in &pursuits {
        by_ds.insert(pursuit.ds_id.clone(), pursuit.aggregate().clone());
        conflicts.extend(pursuit.conflicts().iter().map(|conflict| within(pursuit, conflict)));
    }
    let (merged, between) = merged(&pursuits);
    conflicts.extend(between);
    Ok(Step::reply(json!({"scr_by_ds": by_ds, "merged_scr": merged, "conflicts": conflicts})))
}

fn within(pursuit: &Pursuit, conflict: &Conflict) -> Value {
    json!({
        "ds_ids": [pursuit.ds_id],
        "path": conflict.path,
        "earlier": conflict.earlier,
        "later": conflict.later,
        "question_ids": conflict.question_ids,
        "at": conflict.at,
    })
}

/// Merges the aggregates of several pursuits by data, in the order in which they began.
fn merged(pursuits: &[&Pursuit]) -> (Value, Vec<Value>) {
    let mut changes = Vec::new();
    for pursuit in pursuits {
        let mut aggregate = pursuit.aggregate().clone();
        if let Value::Object(members) = &mut aggregate {
            // It says how far one pursuit is, nothing about the subject.
            members.shift_remove(EXHAUSTED_KEY);
        }
        let at = pursuit.run().map_or(0, |record| record.started_at);
        changes.push(Change::Merge { question_id: pursuit.ds_id.clone(), scr: aggregate, at });
    }
    let whole = fold(&changes);
    let by_id: BTreeMap<&str, &Pursuit> =
        pursuits.iter().map(|pursuit| (pursuit.ds_id.as_str(), *pursuit)).collect();
    let between = whole.conflicts.iter().map(|conflict| {
        let origins = conflict.question_ids.iter().filter_map(|ds_id| by_id.get(ds_id.as_str()));
        let question_ids: Vec<&String> =
            origins.filter_map(|pursuit| pursuit.origin(&conflict.path).last()).collect();
        json!({
            "ds_ids": conflict.question_ids,
            "path": conflict.path,
            "earlier": conflict.earlier,
            "later": conflict.later,
            "question_ids": question_ids,
            "at": conflict.at,
        })
    });
    (whole.value, between.collect())
}
