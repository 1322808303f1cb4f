//! The last lines an upstream wrote to stderr, or to stdout where they do not belong.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Lines kept.
pub(crate) const LINES: usize = 200;
const LINE_BYTES: usize = 1_000;

/// A bounded tail of lines. What is older is gone; what is longer is cut.
#[derive(Debug, Default)]
pub(crate) struct LogTail(Mutex<VecDeque<String>>);

impl LogTail {
    pub(crate) fn push(&self, line: &[u8]) {
        let cut = &line[..line.len().min(LINE_BYTES)];
        let mut text = String::from_utf8_lossy(cut).trim_end().to_owned();
        if cut.len() < line.len() {
            text.push('…');
        }
        if text.is_empty() {
            return;
        }
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES {
            lines.pop_front();
        }
        lines.push_back(text);
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    pub(crate) fn last(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).back().cloned()
    }
}
