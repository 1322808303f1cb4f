//! Learning curves over the generated classes, with the numbers of schemas, observations and held-out instances.

use anyhow::{Context, Result, ensure};
use schemascope_benches::random::Random;
use serde_json::Value;

use crate::curve::Point;
use crate::generate::{CLASSES, schema};
use crate::instances::draw;
use crate::judge::compile;
use crate::learners::Learners;
use crate::mutate::{Kind, mutate};
use crate::score::Score;

/// Schemas per class and seed.
pub const SCHEMAS: usize = 30;
/// Observations the curve is measured at; the last is all there are.
pub const COUNTS: [usize; 5] = [5, 10, 20, 100, 400];
/// Held-out valid instances per schema, and as many damaged ones.
const HELD_OUT: usize = 100;

/// What is learned from one true schema.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    pub class: usize,
    pub seed: u64,
    pub number: usize,
}

impl Task {
    /// What tells it from the others of its class.
    fn unit(self) -> (u64, usize) {
        (self.seed, self.number)
    }
}

/// The points of one schema's curve.
pub fn run(task: Task, learners: &mut Learners) -> Result<Vec<Point>> {
    let (class, make) = CLASSES[task.class];
    let mut random = Random::new(task.seed, &format!("{class} {}", task.number));
    let true_schema = schema(make, &mut random);
    let truth = compile(&true_schema)?;
    let observed: Vec<Value> =
        (0..COUNTS[COUNTS.len() - 1]).map(|_| draw(&true_schema, &mut random)).collect();
    let valid: Vec<Value> = (0..HELD_OUT).map(|_| draw(&true_schema, &mut random)).collect();
    for instance in observed.iter().chain(&valid) {
        ensure!(truth.is_valid(instance), "{class} {}: the truth rejects {instance}", task.number);
    }
    let damaged: Vec<(Kind, Value)> = valid
        .iter()
        .map(|instance| mutate(instance, &valid, &truth, &mut random).context("nothing can go wrong here"))
        .collect::<Result<_>>()?;
    let mut points = Vec::new();
    for (at, schemas) in learners.learn(&observed, &COUNTS)?.iter().enumerate() {
        for (learner, schema) in schemas.iter().enumerate() {
            let score = Score::of(&compile(schema)?, &valid, &damaged);
            points.push(Point { class: task.class, unit: task.unit(), column: at, learner, score });
        }
    }
    Ok(points)
}
