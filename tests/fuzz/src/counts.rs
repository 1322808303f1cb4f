//! Counts what the inputs contained and prints it on stderr about once a second. libFuzzer itself counts only inputs.

use std::sync::Mutex;
use std::time::{Duration, Instant};

static COUNTS: Mutex<Counts> = Mutex::new(Counts { documents: 0, refused: 0, told: None });

struct Counts {
    documents: u64,
    refused: u64,
    told: Option<Instant>,
}

/// What an input came to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tried {
    /// Documents, states or schemas that were read, each time they were.
    pub documents: usize,
    /// Those that were refused, as they should be.
    pub refused: usize,
}

/// Counts an input.
pub fn count(tried: Tried) {
    let Ok(mut counts) = COUNTS.lock() else { return };
    counts.documents += tried.documents as u64;
    counts.refused += tried.refused as u64;
    if counts.told.is_none_or(|told| told.elapsed() > Duration::from_secs(1)) {
        counts.told = Some(Instant::now());
        eprintln!("counts: {} {}", counts.documents, counts.refused);
    }
}
