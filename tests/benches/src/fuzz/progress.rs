//! How far it is, on stderr.
//!
//! Refuses to know: what is done.

use std::fmt;
use std::time::{Duration, Instant};

use crate::checks::Outcome;

/// What was done so far.
pub struct Progress {
    began: Instant,
    told: Instant,
    rounds: u64,
    documents: u64,
    refused: u64,
    corpus: usize,
}

impl Default for Progress {
    fn default() -> Self {
        let now = Instant::now();
        Self { began: now, told: now, rounds: 0, documents: 0, refused: 0, corpus: 0 }
    }
}

impl Progress {
    /// Counts a round, and tells now and then.
    pub fn count(&mut self, outcome: &Outcome, corpus: usize) {
        self.rounds += 1;
        self.documents += outcome.documents;
        self.refused += outcome.refused;
        self.corpus = corpus;
        if self.told.elapsed() > Duration::from_secs(10) {
            self.told = Instant::now();
            eprintln!("{self}");
        }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.began.elapsed().as_secs_f64();
        write!(
            f,
            "{seconds:.0} s, {} rounds ({:.0}/s), {} documents tried ({:.0}/s), {} of them refused, {} in the corpus",
            self.rounds,
            self.rounds as f64 / seconds,
            self.documents,
            self.documents as f64 / seconds,
            self.refused,
            self.corpus
        )
    }
}
