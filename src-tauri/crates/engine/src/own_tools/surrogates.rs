//! Interviews with an expert that the client's model plays. Every question and answer is a step of its own, so that what
//! was said is stored however the interview ends.

use std::time::Duration;

use schemascope_interview::{
    Aid, MAX_QUESTIONS, Outcome, Place, SurrogateRun, play_prompt, report_surrogate_interview,
};
use schemascope_proxy::{Asker, Progress};
use serde_json::{Map, Value, json};

use super::interviews::Steps;
use crate::interviews::language;

/// How long the model may take for an answer.
const PATIENCE: Duration = Duration::from_secs(120);
/// Discovery Schemas that one run pursues.
const MAX_PURSUITS: usize = 200;
/// Notes with which pursuits end.
const FINAL_NOTES: &str = "Answered by an expert that a model played.";

/// Conducts a whole interview. A reason ends it before its time, and stands in the report.
pub(super) async fn run(
    steps: &Steps<'_>,
    asker: &Asker,
    progress: &Progress,
    run: SurrogateRun,
) -> Result<Value, String> {
    let known = steps.interviews.read(|state| state.surrogates.get(&run.surrogate_id).cloned());
    let surrogate_id = run.surrogate_id.clone();
    let mut outcome = Outcome::default();
    let Some(record) = known else {
        // Says which are known.
        let nowhere = Place::default();
        return steps.interviews.look(|context| {
            report_surrogate_interview(context, &surrogate_id, &nowhere, &outcome)
                .map(|step| step.reply)
                .map_err(|error| error.to_string())
        });
    };
    let place = steps
        .take("start_interview", object(json!({"project_name": record.project_name()})), Aid::default())
        .await?;
    let place = object(place);
    let mut interview = Interview {
        steps,
        asker,
        progress,
        place,
        left: run.max_questions.min(MAX_QUESTIONS),
        surrogate_id: &surrogate_id,
    };
    let ended = interview.conduct(&run.ds_sequence, &mut outcome).await.err();
    let text = |key: &str| interview.place.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let place =
        Place { project_id: text("project_id"), conversation_id: text("conversation_id"), ds_id: None };
    let mut reply = steps.interviews.look(|context| {
        report_surrogate_interview(context, &surrogate_id, &place, &outcome)
            .map(|step| step.reply)
            .map_err(|error| error.to_string())
    })?;
    reply["success_metrics"]["played_by"] = "model".into();
    if let Some(reason) = ended {
        reply["success_metrics"]["ended_early"] = reason.into();
    }
    Ok(reply)
}

struct Interview<'a> {
    steps: &'a Steps<'a>,
    asker: &'a Asker,
    progress: &'a Progress,
    /// Project and conversation.
    place: Map<String, Value>,
    /// Questions that may still be asked.
    left: usize,
    surrogate_id: &'a str,
}

impl Interview<'_> {
    /// Fails if the model has no answer.
    async fn conduct(&mut self, sequence: &[String], outcome: &mut Outcome) -> Result<(), String> {
        for number in 0..MAX_PURSUITS {
            let ds_id = match sequence.get(number) {
                Some(ds_id) => ds_id.clone(),
                None if !sequence.is_empty() => return Ok(()),
                None => {
                    let next = self.steps.take("get_next_ds", self.place.clone(), Aid::default()).await?;
                    let Some(ds_id) = next["ds_id"].as_str() else { return Ok(()) };
                    ds_id.to_owned()
                }
            };
            if self.left == 0 {
                return Ok(());
            }
            let pursuit = self.with(json!({"ds_id": ds_id}));
            if let Err(reason) = self.steps.take("start_ds_pursuit", pursuit.clone(), Aid::default()).await {
                outcome.skipped.push(json!({"ds_id": ds_id, "reason": reason}));
                if sequence.is_empty() {
                    return Ok(());
                }
                continue;
            }
            let answered = self.pursue(&ds_id, &pursuit, outcome).await;
            if self.left > 0 || answered.is_err() {
                let force = answered.is_ok();
                let end = self.with(json!({"ds_id": ds_id, "final_notes": FINAL_NOTES, "force": force}));
                self.steps.take("finalize_ds", end, Aid::default()).await?;
            }
            answered?;
        }
        Ok(())
    }

    /// Asks until the pursuit is complete, its budget is exhausted, or no question is left.
    async fn pursue(
        &mut self,
        ds_id: &str,
        pursuit: &Map<String, Value>,
        outcome: &mut Outcome,
    ) -> Result<(), String> {
        while self.left > 0 {
            // Without a further question the pursuit is over.
            let asked = self.steps.take("get_next_question", pursuit.clone(), Aid::default()).await;
            let Ok(question) = asked else { return Ok(()) };
            self.left -= 1;
            let words = &question["question"];
            self.progress.report(format!("question {} ({ds_id})", outcome.transcript.len() + 1));
            let answer = self.answer(&question, &outcome.transcript).await?;
            outcome.transcript.push(json!({"ds_id": ds_id, "question": words, "answer": answer}));
            let mut given = pursuit.clone();
            given.insert("question_id".to_owned(), question["question_id"].clone());
            given.insert("answer".to_owned(), answer.into());
            let aid = language::aid(self.steps.interviews, self.asker, "process_ds_answer", &given).await;
            match self.steps.take("process_ds_answer", given, aid).await {
                Ok(read) if read["next_action"] == "complete" => return Ok(()),
                Ok(_) => {}
                Err(_) => {
                    outcome.rejected += 1;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    async fn answer(&self, question: &Value, transcript: &[Value]) -> Result<String, String> {
        let interviews = self.steps.interviews;
        let prompt = interviews.look(|context| play_prompt(context, self.surrogate_id, question, transcript));
        let prompt = prompt.map_err(|error| error.to_string())?;
        let (system, user) = (interviews.redacted(prompt.system), interviews.redacted(prompt.user));
        let asking = self.asker.ask_model(&system, &user, prompt.max_tokens);
        match tokio::time::timeout(PATIENCE, asking).await {
            Ok(Ok(answer)) => Ok(interviews.redacted(answer)),
            Ok(Err(reason)) => Err(format!("the client's model did not answer: {reason}")),
            Err(_) => Err("the client's model did not answer in time".to_owned()),
        }
    }

    fn with(&self, more: Value) -> Map<String, Value> {
        let mut all = self.place.clone();
        all.extend(object(more));
        all
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
