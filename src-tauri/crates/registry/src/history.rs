//! The history of a tool: its numbers at chosen observations, and each change of its standing.
//!
//! Points are taken at every observation up to 16 and then each time their number has grown by a sixteenth, so that a
//! billion observations leave some 300. The choice depends on the number alone, so that a rebuild takes the same
//! points.

use schemascope_model::Timestamp;
use serde::{Deserialize, Serialize};

use crate::quality::Standing;
use crate::tool::Tool;

/// Observations up to which each one is noted.
const EACH: u64 = 16;
/// Changes of standing kept. When there are more, those after the first make room.
const MAX_CHANGES: usize = 64;

/// Both series, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// Numbers at chosen observations.
    pub points: Vec<Point>,
    /// Changes of standing. After the first one the oldest may be missing.
    pub changes: Vec<StandingChange>,
}

/// A tool's numbers at one observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// Observations so far.
    pub observations: u64,
    /// When the last of them was made.
    pub at: Timestamp,
    /// Mean of its fields' consistency, in millionths: whole numbers are read back as written.
    pub mean: u32,
    /// The least consistent field's, in millionths.
    pub lowest: u32,
}

/// A change of standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandingChange {
    /// Since when.
    pub at: Timestamp,
    /// The standing from then on.
    pub standing: Standing,
}

impl History {
    /// Whether a point is taken at this number of observations.
    pub(crate) fn notes(observations: u64) -> bool {
        if observations <= EACH {
            return true;
        }
        // The step is the largest power of two up to a sixteenth, so that the series does not depend
        // on when it is read.
        let step = 1 << (observations / EACH).ilog2();
        observations.is_multiple_of(step)
    }

    /// Older traces may arrive later. The series is in the order of arrival.
    fn changed(&mut self, at: Timestamp, standing: Standing) {
        let at = self.changes.last().map_or(at, |last| at.max(last.at));
        if self.changes.last().is_some_and(|last| last.standing == standing) {
            return;
        }
        if self.changes.len() == MAX_CHANGES {
            self.changes.remove(1);
        }
        self.changes.push(StandingChange { at, standing });
    }
}

impl Tool {
    /// Takes a point, and the standing if it is another than before.
    pub(crate) fn note_observations(&mut self, at: Timestamp) {
        if let Some(consistency) = self.shape.consistency() {
            let observations = self.shape.observations();
            let at = self.history.points.last().map_or(at, |last| at.max(last.at));
            let millionths = |share: f64| (share * 1e6).round() as u32;
            let (mean, lowest) = (millionths(consistency.mean), millionths(consistency.lowest));
            self.history.points.push(Point { observations, at, mean, lowest });
        }
        self.note_standing(at);
    }

    pub(crate) fn note_standing(&mut self, at: Timestamp) {
        let standing = Standing { unjudged: false, ..self.standing() };
        self.history.changed(at, standing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_dense_at_first_and_few_in_the_end() {
        let noted: Vec<u64> = (1..=1_000_000).filter(|n| History::notes(*n)).collect();
        assert_eq!(noted[..17], (1..=17).collect::<Vec<_>>());
        assert!(noted.contains(&100) && noted.contains(&10));
        assert!(noted.len() < 300, "{}", noted.len());
        assert!(noted.windows(2).all(|pair| pair[1] - pair[0] <= pair[0].div_ceil(EACH)));
    }
}
