//! How consistent the newest results of a tool are, beside all of them.

use std::borrow::Cow;

use schemascope_model::Timestamp;
use schemascope_shape::{Consistency, Shape};

use crate::tool::observe_into;

/// Results in a window.
pub const WINDOW: usize = 50;
/// Results from one window to the next.
const STEP: usize = WINDOW / 2;

/// The newest results of one tool.
#[derive(Debug, Default)]
pub struct Recent {
    /// Shape of the newest results, at most [`WINDOW`].
    pub newest: Shape,
    /// Consistency of every whole window, newest first.
    pub windows: Vec<Window>,
}

/// Consistency of [`WINDOW`] results in a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// Number of results after its last one.
    pub later: usize,
    /// Time of its last result.
    pub at: Timestamp,
    /// Consistency of its fields.
    pub consistency: Consistency,
}

impl Recent {
    /// Reads results, newest first, each with its time and its JSON.
    pub fn of<'a>(results: impl Iterator<Item = (Timestamp, Cow<'a, str>)>) -> Self {
        let mut recent = Self::default();
        let mut steps: Vec<(Timestamp, Shape)> = Vec::new();
        let mut results = results.peekable();
        while let Some(at) = results.peek().map(|(at, _)| *at) {
            let mut shape = Shape::default();
            let mut count = 0;
            for (_, json) in results.by_ref().take(STEP) {
                count += usize::from(observe_into(&mut shape, &json));
            }
            let latest = steps.len();
            if latest < WINDOW / STEP {
                recent.newest.merge(&shape).ok();
            }
            if count == STEP
                && let Some((at, newer)) = steps.last()
            {
                let mut window = newer.clone();
                window.merge(&shape).ok();
                let later = (latest - 1) * STEP;
                recent.windows.extend(window.consistency().map(|consistency| Window {
                    later,
                    at: *at,
                    consistency,
                }));
            }
            if count < STEP {
                break;
            }
            steps.push((at, shape));
        }
        recent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(texts: &[(usize, &str)]) -> Recent {
        let all: Vec<&str> =
            texts.iter().flat_map(|(count, text)| std::iter::repeat_n(*text, *count)).collect();
        let timed = all
            .iter()
            .enumerate()
            .map(|(at, text)| (Timestamp::from_millis(1_000 - at as u64), (*text).into()));
        Recent::of(timed)
    }

    #[test]
    fn changed_field_shows_in_the_newest_windows_only() {
        let recent = results(&[(25, r#"{"id":1,"customer":{"a":1}}"#), (200, r#"{"id":1,"customer":"c"}"#)]);
        let lowest: Vec<f64> = recent.windows.iter().map(|window| window.consistency.lowest).collect();
        assert_eq!(lowest[0], 0.5);
        assert!(lowest[1..].iter().all(|lowest| *lowest == 1.0) && lowest.len() == 8, "{lowest:?}");
        assert_eq!(recent.newest.observations(), 50);
        assert_eq!((recent.windows[0].later, recent.windows[1].later), (0, 25));
        assert_eq!(recent.windows[1].at, Timestamp::from_millis(975));
    }

    #[test]
    fn few_results_have_no_window() {
        let recent = results(&[(49, "{}")]);
        assert_eq!((recent.newest.observations(), recent.windows.len()), (49, 0));
    }

    #[test]
    fn redacted_number_is_a_number() {
        let recent = results(&[(25, r#"{"pin":1234}"#), (25, r#"{"pin":"⟦redacted integer⟧"}"#)]);
        assert_eq!(recent.windows[0].consistency.lowest, 1.0);
    }
}
