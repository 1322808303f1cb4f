//! Whole interviews with a scripted expert.

use serde_json::{Value, json};

use super::Script;
use super::replies::answer;
use super::report::{Outcome, report};
use crate::error::{ErrorKind, StepError};
use crate::event::Event;
use crate::order::recommend;
use crate::pursuit::Pursuit;
use crate::reading::AnswerInput;
use crate::record::PursuitState;
use crate::state::{Conversation, Interviews};
use crate::steps::{
    AnswerStep, Context, Place, QuestionStep, Stamp, StartStep, Step, finalize_ds, get_next_question,
    process_ds_answer, start_ds_pursuit, start_interview,
};

/// Largest number of questions of one run.
pub const MAX_QUESTIONS: usize = 10_000;
/// Discovery Schemas that one run pursues.
const MAX_PURSUITS: usize = 200;

/// Notes with which pursuits end.
const FINAL_NOTES: &str = "Answered by a scripted expert.";

/// Input of [`run_surrogate_interview`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SurrogateRun {
    /// The expert.
    pub surrogate_id: String,
    /// Discovery Schemas in order. An empty list follows the recommendations.
    pub ds_sequence: Vec<String>,
    /// Largest number of questions over the whole run.
    pub max_questions: usize,
}

/// Conducts a whole interview with a scripted expert, in a new project. The events contain all of it.
pub fn run_surrogate_interview(context: &Context<'_>, input: &SurrogateRun) -> Result<Step, StepError> {
    let record = context.surrogate(&input.surrogate_id)?;
    for ds_id in &input.ds_sequence {
        context.known_ds(ds_id)?;
    }
    let mut runner = Runner {
        base: *context,
        script: context.scripts.script(&record.product),
        level: record.expertise_level.clone(),
        state: Interviews::default(),
        events: Vec::new(),
        place: Place::default(),
        steps: 0,
        left: input.max_questions.min(MAX_QUESTIONS),
        transcript: Vec::new(),
        skipped: Vec::new(),
        rejected: 0,
    };
    runner.begin(&record.project_name())?;
    if input.ds_sequence.is_empty() {
        runner.follow_recommendations()?;
    } else {
        for ds_id in input.ds_sequence.iter().take(MAX_PURSUITS) {
            runner.pursue(ds_id)?;
        }
    }
    Ok(runner.report())
}

struct Runner<'a> {
    base: Context<'a>,
    script: Script,
    level: String,
    /// State of this interview alone.
    state: Interviews,
    events: Vec<Event>,
    place: Place,
    steps: usize,
    /// Questions that may still be asked.
    left: usize,
    transcript: Vec<Value>,
    skipped: Vec<Value>,
    rejected: usize,
}

impl Runner<'_> {
    fn stamp(&mut self) -> Stamp {
        self.steps += 1;
        let base = self.base.stamp;
        Stamp { now: base.now, actor: base.actor.clone(), id: format!("{}-{}", base.id, self.steps) }
    }

    fn context<'s>(&'s self, stamp: &'s Stamp) -> Context<'s> {
        Context {
            interviews: &self.state,
            library: self.base.library,
            scripts: self.base.scripts,
            stamp,
            validate: self.base.validate,
        }
    }

    fn apply(&mut self, step: Step) -> Value {
        for event in step.events {
            self.state.apply(&event);
            self.events.push(event);
        }
        step.reply
    }

    fn begin(&mut self, name: &str) -> Result<(), StepError> {
        let stamp = self.stamp();
        let step = start_interview(&self.context(&stamp), Some(name), None)?;
        let reply = self.apply(step);
        let text = |key: &str| reply.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        self.place =
            Place { project_id: text("project_id"), conversation_id: text("conversation_id"), ds_id: None };
        Ok(())
    }

    fn conversation(&self) -> Option<&Conversation> {
        self.state.conversation(&self.place.project_id, &self.place.conversation_id)
    }

    fn follow_recommendations(&mut self) -> Result<(), StepError> {
        for _ in 0..MAX_PURSUITS {
            let Some(conversation) = self.conversation() else { return Ok(()) };
            let Some(ds_id) = recommend(self.base.library, conversation, None).ds_id else { return Ok(()) };
            self.pursue(&ds_id)?;
            let is_working =
                self.conversation().and_then(|known| known.pursuit(&ds_id)).is_none_or(Pursuit::is_working);
            if is_working {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Pursues one Discovery Schema until it is complete, its budget is exhausted, or no question is left.
    fn pursue(&mut self, ds_id: &str) -> Result<(), StepError> {
        let place = Place { ds_id: Some(ds_id.to_owned()), ..self.place.clone() };
        let stamp = self.stamp();
        let input = StartStep { place: place.clone(), ..StartStep::default() };
        let started = start_ds_pursuit(&self.context(&stamp), &input);
        match started {
            Ok(step) => {
                self.apply(step);
            }
            Err(error) => {
                self.skipped.push(json!({"ds_id": ds_id, "reason": error.message}));
                return Ok(());
            }
        }
        let mut is_stuck = false;
        while self.left > 0 {
            match self.question_and_answer(&place, ds_id)? {
                Turn::Further => {}
                Turn::Over => break,
                Turn::Stuck => {
                    is_stuck = true;
                    break;
                }
            }
        }
        let stamp = self.stamp();
        let step = finalize_ds(&self.context(&stamp), &place, FINAL_NOTES, is_stuck)?;
        let reply = self.apply(step);
        let is_open = reply.get("state").and_then(Value::as_str) == Some(PursuitState::Working.name());
        if is_open && self.left > 0 {
            // Everything is filled, but breaks the JSON Schema of the file.
            let stamp = self.stamp();
            let step = finalize_ds(&self.context(&stamp), &place, FINAL_NOTES, true)?;
            self.apply(step);
        }
        Ok(())
    }

    fn question_and_answer(&mut self, place: &Place, ds_id: &str) -> Result<Turn, StepError> {
        let stamp = self.stamp();
        let input = QuestionStep { place: place.clone(), ..QuestionStep::default() };
        let asked = get_next_question(&self.context(&stamp), &input);
        match asked {
            Ok(step) => {
                self.apply(step);
            }
            Err(error) if error.kind == ErrorKind::Complete || error.kind == ErrorKind::Exhausted => {
                return Ok(Turn::Over);
            }
            Err(error) => return Err(error),
        }
        self.left -= 1;
        let Some(pursuit) = self.conversation().and_then(|known| known.pursuit(ds_id)) else {
            return Ok(Turn::Over);
        };
        let (Some(open), Some(schema)) = (pursuit.open_question(), &pursuit.schema) else {
            return Ok(Turn::Over);
        };
        let question = &open.question;
        let text = answer(&self.script, &self.level, schema, pursuit, question);
        let line = json!({"ds_id": ds_id, "question": question.text, "answer": text});
        let input = AnswerStep {
            place: place.clone(),
            question_id: question.question_id.clone(),
            answer: AnswerInput::Text(text),
            retract: Vec::new(),
            reading: None,
        };
        self.transcript.push(line);
        let stamp = self.stamp();
        let given = process_ds_answer(&self.context(&stamp), &input);
        match given {
            Ok(step) => {
                let reply = self.apply(step);
                let is = |key: &str, value: &str| reply.get(key).and_then(Value::as_str) == Some(value);
                let is_over = is("next_action", "complete") || is("state", "exhausted");
                Ok(if is_over { Turn::Over } else { Turn::Further })
            }
            Err(error) if error.kind == ErrorKind::Rejected || error.kind == ErrorKind::TooLarge => {
                self.rejected += 1;
                Ok(Turn::Stuck)
            }
            Err(error) => Err(error),
        }
    }

    fn report(self) -> Step {
        let outcome = Outcome { transcript: self.transcript, skipped: self.skipped, rejected: self.rejected };
        let known = self.state.conversation(&self.place.project_id, &self.place.conversation_id);
        let reply = report(&self.script, &self.place, known, &outcome);
        Step { reply, events: self.events }
    }
}

/// How a question went.
enum Turn {
    Further,
    Over,
    /// The script's answer does not fit the Discovery Schema.
    Stuck,
}
