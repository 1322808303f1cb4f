//! Learning curves: sums up scores by class, number of observations and learner.

use std::collections::BTreeMap;

use crate::learners::NAMES;
use crate::random_schemas::COUNTS;
use crate::score::Score;

/// One score of one learner at one place of the curve.
#[derive(Debug, Clone)]
pub struct Point {
    pub class: usize,
    /// The true schema within its class: a seed and a number.
    pub unit: (u64, usize),
    pub column: usize,
    pub learner: usize,
    pub score: Score,
}

/// One value for each learner.
pub type Each<T> = [T; NAMES.len()];

/// All scores.
#[derive(Debug, Default)]
pub struct Curves(BTreeMap<(usize, usize, usize, (u64, usize)), Score>);

impl Curves {
    /// Adds a score.
    pub fn add(&mut self, point: &Point) {
        self.0.entry((point.class, point.column, point.learner, point.unit)).or_default().add(&point.score);
    }

    /// The scores at a column of the classes that fit, one for each true schema.
    fn units(&self, column: usize, learner: usize, fits: impl Fn(usize) -> bool) -> Vec<&Score> {
        let found =
            self.0.iter().filter(|((class, at, who, _), _)| fits(*class) && *at == column && *who == learner);
        found.map(|(_, score)| score).collect()
    }

    /// All instances of the classes that fit counted alike; none where there is nothing.
    pub fn micro(&self, column: usize, fits: impl Fn(usize) -> bool) -> Option<Each<Score>> {
        let sum = |learner| {
            let mut sum = Score::default();
            self.units(column, learner, &fits).into_iter().for_each(|score| sum.add(score));
            sum
        };
        let all: Each<Score> = std::array::from_fn(sum);
        (all[0].valid > 0.0).then_some(all)
    }

    /// All schemas counted alike: the mean of their F1.
    pub fn macro_f1(&self, column: usize, fits: impl Fn(usize) -> bool) -> Option<Each<f64>> {
        let mean = |learner| {
            let units = self.units(column, learner, &fits);
            units.iter().map(|score| score.f1()).sum::<f64>() / units.len().max(1) as f64
        };
        (!self.units(column, 0, &fits).is_empty()).then(|| std::array::from_fn(mean))
    }

    /// How many true schemas a class has at a column.
    pub fn count(&self, class: usize, column: usize) -> usize {
        self.units(column, 0, |at| at == class).len()
    }
}

/// The last column: all observations there are.
pub const ALL: usize = COUNTS.len() - 1;
