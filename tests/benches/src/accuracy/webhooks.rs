//! Learning curves over GitHub's real webhook payloads, leaving one out in turn.
//!
//! Only events with enough payloads count. The published schema decides what is damage, and payloads that it rejects
//! are left out.

use anyhow::Result;
use jsonschema::Validator;
use schemascope_benches::github::Event;
use schemascope_benches::random::Random;
use serde_json::Value;

use crate::curve::Point;
use crate::generate::CLASSES;
use crate::judge::{compile, compile_draft7};
use crate::learners::Learners;
use crate::mutate::{Kind, mutate};
use crate::random_schemas::COUNTS;
use crate::score::Score;

/// The class these are reported as.
pub const CLASS: usize = CLASSES.len();
/// Payloads an event must have.
const ENOUGH: usize = 5;
/// Damaged payloads per held-out one: few payloads, so each is damaged in many ways.
const DAMAGED: usize = 20;

/// What is learned of one event.
pub struct Task {
    pub number: usize,
    pub name: String,
    pub examples: Vec<Value>,
    pub truth: Validator,
    /// Payloads that the published schema rejects.
    pub left_out: usize,
}

/// The events with enough payloads.
pub fn tasks(events: Vec<Event>) -> Result<Vec<Task>> {
    let mut tasks = Vec::new();
    for mut event in events {
        let truth = compile_draft7(&event.schema)?;
        let all = event.examples.len();
        event.examples.retain(|example| truth.is_valid(example));
        let left_out = all - event.examples.len();
        if event.examples.len() >= ENOUGH {
            let number = tasks.len();
            tasks.push(Task { number, name: event.name, examples: event.examples, truth, left_out });
        }
    }
    Ok(tasks)
}

/// The points of one held-out payload: learned from the others, as many as there are.
pub fn run(task: &Task, held_out: usize, learners: &mut Learners) -> Result<Vec<Point>> {
    let mut random = Random::new(held_out as u64, &task.name);
    let valid = std::slice::from_ref(&task.examples[held_out]);
    let damaged: Vec<(Kind, Value)> =
        (0..DAMAGED).filter_map(|_| mutate(&valid[0], &task.examples, &task.truth, &mut random)).collect();
    let mut observed = task.examples.clone();
    observed.remove(held_out);
    random.shuffle(&mut observed);
    let last = COUNTS.len() - 1;
    // The last column is all there are, however many.
    let mut columns: Vec<(usize, usize)> =
        COUNTS[..last].iter().copied().enumerate().filter(|(_, count)| *count < observed.len()).collect();
    columns.push((last, observed.len()));
    if let Some(exact) = COUNTS[..last].iter().position(|count| *count == observed.len()) {
        columns.insert(columns.len() - 1, (exact, observed.len()));
    }
    let counts: Vec<usize> = columns.iter().map(|(_, count)| *count).collect();
    let mut points = Vec::new();
    for ((column, _), schemas) in columns.iter().zip(learners.learn(&observed, &counts)?) {
        for (learner, schema) in schemas.iter().enumerate() {
            let score = Score::of(&compile(schema)?, valid, &damaged);
            points.push(Point { class: CLASS, unit: (0, task.number), column: *column, learner, score });
        }
    }
    Ok(points)
}
