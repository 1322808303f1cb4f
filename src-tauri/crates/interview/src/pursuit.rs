//! Pursuits: one Discovery Schema in one conversation, with its questions and what the answers add up to.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::completeness::{COMPLETE, progress};
use crate::merge::{Change, Conflict, Merged};
use crate::record::{Answer, PursuitState, Question, Run};
use crate::schema::{DiscoverySchema, read_schema};

/// A question that was asked, and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskedQuestion {
    /// The question.
    pub question: Question,
    /// Number of the run in which it was asked, from 0.
    pub run: usize,
    /// Time in milliseconds since 1970.
    pub asked_at: u64,
    /// Who asked.
    pub asked_by: String,
    /// The answer.
    pub answered: Option<Answered>,
}

/// An answer, with its time and who gave it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// The answer.
    pub answer: Answer,
    /// Time in milliseconds since 1970.
    pub at: u64,
    /// Who gave it.
    pub by: String,
    /// Number of changes of the aggregate up to it.
    pub changes: usize,
}

/// How a run of a pursuit went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The run.
    pub run: Run,
    /// Time of its start, in milliseconds since 1970.
    pub started_at: u64,
    /// Who started it.
    pub started_by: String,
    /// Its end.
    pub ended: Option<RunEnd>,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunEnd {
    /// How it ended.
    pub state: PursuitState,
    /// Time in milliseconds since 1970.
    pub at: u64,
    /// Who ended it.
    pub by: String,
    /// Final notes.
    pub notes: String,
}

/// One Discovery Schema in one conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pursuit {
    /// Id of the Discovery Schema.
    pub ds_id: String,
    /// The tool it is about.
    pub tool_id: Option<String>,
    /// Its runs, the latest last. There is at least one.
    pub runs: Vec<RunRecord>,
    /// Its questions, in order.
    pub questions: Vec<AskedQuestion>,
    /// Changes of the aggregate, in order.
    pub changes: Vec<Change>,
    #[serde(skip)]
    pub(crate) schema: Option<Arc<DiscoverySchema>>,
    #[serde(skip)]
    pub(crate) merged: Merged,
    #[serde(skip)]
    reached: u32,
}

impl Pursuit {
    pub(crate) fn new(ds_id: &str, tool_id: Option<&str>) -> Self {
        Self {
            ds_id: ds_id.to_owned(),
            tool_id: tool_id.map(str::to_owned),
            runs: Vec::new(),
            questions: Vec::new(),
            changes: Vec::new(),
            schema: None,
            merged: Merged::default(),
            reached: 0,
        }
    }

    /// Begins a run.
    pub(crate) fn start(&mut self, run: &Run, actor: &str, at: u64) {
        self.runs.push(RunRecord {
            run: run.clone(),
            started_at: at,
            started_by: actor.to_owned(),
            ended: None,
        });
        if let Some(seed) = &run.seed {
            self.changes.push(Change::Seed { values: seed.clone(), at });
        }
        self.rebuild();
    }

    /// Reads the Discovery Schema of the latest run again and folds all changes from the beginning.
    pub(crate) fn rebuild(&mut self) {
        let text = self.runs.last().map(|record| record.run.ds_text.as_str());
        self.schema = text.and_then(|text| read_schema(text).ok()).map(Arc::new);
        self.merged = Merged::default();
        self.reached = 0;
        for change in &self.changes {
            self.merged.apply(change);
            self.reached = reached(self.schema.as_deref(), &self.merged, change, self.reached);
        }
    }

    pub(crate) fn change(&mut self, change: Change) {
        self.merged.apply(&change);
        self.reached = reached(self.schema.as_deref(), &self.merged, &change, self.reached);
        self.changes.push(change);
    }

    /// Returns what further changes would give: the aggregate and the completeness.
    pub(crate) fn preview(&self, changes: &[Change]) -> (Merged, u32) {
        let mut merged = self.merged.clone();
        let mut value = self.reached;
        for change in changes {
            merged.apply(change);
            value = reached(self.schema.as_deref(), &merged, change, value);
        }
        (merged, value)
    }

    pub(crate) fn ask(&mut self, question: &Question, actor: &str, at: u64) {
        let run = self.runs.len().saturating_sub(1);
        self.questions.push(AskedQuestion {
            question: question.clone(),
            run,
            asked_at: at,
            asked_by: actor.to_owned(),
            answered: None,
        });
    }

    pub(crate) fn answer(&mut self, question_id: &str, answer: &Answer, actor: &str, at: u64) {
        let is_open = self.question(question_id).is_some_and(|asked| asked.answered.is_none());
        if !is_open {
            return;
        }
        for change in answer_changes(question_id, answer, at) {
            self.change(change);
        }
        let changes = self.changes.len();
        let asked = self.questions.iter_mut().find(|asked| asked.question.question_id == question_id);
        if let Some(asked) = asked {
            asked.answered = Some(Answered { answer: answer.clone(), at, by: actor.to_owned(), changes });
        }
    }

    pub(crate) fn end(&mut self, state: PursuitState, notes: &str, actor: &str, at: u64) {
        if let Some(record) = self.runs.last_mut() {
            record.ended = Some(RunEnd { state, at, by: actor.to_owned(), notes: notes.to_owned() });
        }
    }

    /// Returns the latest run.
    pub fn run(&self) -> Option<&RunRecord> {
        self.runs.last()
    }

    /// Returns its state.
    pub fn state(&self) -> PursuitState {
        let ended = self.runs.last().and_then(|record| record.ended.as_ref());
        ended.map_or(PursuitState::Working, |ended| ended.state)
    }

    /// Returns whether questions can be asked.
    pub fn is_working(&self) -> bool {
        self.state() == PursuitState::Working
    }

    /// Returns whether everything is filled.
    pub fn is_complete(&self) -> bool {
        self.reached == COMPLETE
    }

    /// Returns whether it has ended, or waits only for being finalised.
    pub fn is_done(&self) -> bool {
        !self.is_working() || self.is_complete()
    }

    /// Returns its completeness, in thousandths.
    pub fn completeness(&self) -> u32 {
        self.reached
    }

    /// Returns the Discovery Schema that the latest run began with. `None` if its text cannot be read.
    pub fn schema(&self) -> Option<&DiscoverySchema> {
        self.schema.as_deref()
    }

    /// Returns the aggregate with its conflicts and the origins of its values.
    pub fn merged(&self) -> &Merged {
        &self.merged
    }

    /// Returns the aggregate.
    pub fn aggregate(&self) -> &Value {
        &self.merged.value
    }

    /// Returns the conflicts that are not settled.
    pub fn conflicts(&self) -> &[Conflict] {
        &self.merged.conflicts
    }

    /// Returns the questions whose answers gave the value at a place.
    pub fn origin(&self, path: &str) -> &[String] {
        self.merged.origin(path)
    }

    /// Returns the budget of the latest run, in thousandths.
    pub fn budget(&self) -> u32 {
        self.runs.last().map_or(0, |record| record.run.budget)
    }

    /// Returns what the questions of the latest run cost, in thousandths.
    pub fn used(&self) -> u32 {
        self.asked_in_run().map(|asked| asked.question.cost).sum()
    }

    /// Lists the questions of the latest run.
    pub fn asked_in_run(&self) -> impl Iterator<Item = &AskedQuestion> {
        let run = self.runs.len().saturating_sub(1);
        self.questions.iter().filter(move |asked| asked.run == run)
    }

    /// Returns the open question of the latest run.
    pub fn open_question(&self) -> Option<&AskedQuestion> {
        self.asked_in_run().find(|asked| asked.answered.is_none())
    }

    /// Returns a question.
    pub fn question(&self, question_id: &str) -> Option<&AskedQuestion> {
        self.questions.iter().find(|asked| asked.question.question_id == question_id)
    }

    /// Returns the sum of the answers, in bytes.
    pub(crate) fn answer_bytes(&self) -> usize {
        let answered = self.questions.iter().filter_map(|asked| asked.answered.as_ref());
        answered.map(|answered| answered.answer.text.len()).sum()
    }
}

/// Returns the changes that an answer makes: first what it retracts, then what it says.
pub(crate) fn answer_changes(question_id: &str, answer: &Answer, at: u64) -> Vec<Change> {
    let mut changes = Vec::new();
    if !answer.retract.is_empty() {
        changes.push(Change::Retract { pointers: answer.retract.clone(), at });
    }
    if let Some(scr) = &answer.scr {
        changes.push(Change::Merge { question_id: question_id.to_owned(), scr: scr.clone(), at });
    }
    changes
}

/// Returns the completeness after a change. Only a retraction lowers it.
fn reached(schema: Option<&DiscoverySchema>, merged: &Merged, change: &Change, before: u32) -> u32 {
    let now = schema.map_or(0, |schema| progress(schema, &merged.value).thousandths);
    if matches!(change, Change::Retract { .. }) { now } else { now.max(before) }
}
