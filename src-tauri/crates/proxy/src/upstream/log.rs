//! The last lines an upstream wrote to stderr, or to stdout where they are not messages.

mod reason;

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lines kept.
pub(crate) const LINES: usize = 200;
/// Bytes kept of a line.
const LINE_BYTES: usize = 1_000;

/// A bounded tail of lines. Old lines are dropped, long ones are cut.
#[derive(Debug, Default)]
pub(crate) struct LogTail(Mutex<Tail>);

#[derive(Debug, Default)]
struct Tail {
    lines: VecDeque<Line>,
    /// Number of lines pushed so far.
    pushed: u64,
}

#[derive(Debug)]
struct Line {
    text: String,
    /// Whether the upstream wrote it to stderr. All other lines are about its messages.
    is_stderr: bool,
}

/// A point in a log, before the lines that follow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogMark(u64);

impl LogTail {
    /// Adds a line of stderr.
    pub(crate) fn push(&self, line: &[u8]) {
        self.add(line, true);
    }

    /// Adds a line about what the upstream sent instead of a valid message.
    pub(crate) fn note(&self, line: &[u8]) {
        self.add(line, false);
    }

    fn add(&self, line: &[u8], is_stderr: bool) {
        let mut cut = &line[..line.len().min(LINE_BYTES)];
        if cut.len() < line.len() {
            // A part of a secret would not be recognised as one.
            let end = cut.iter().rposition(u8::is_ascii_whitespace).filter(|end| *end >= LINE_BYTES / 2);
            cut = &cut[..end.unwrap_or(cut.len())];
        }
        let mut text = String::from_utf8_lossy(cut).trim_end().to_owned();
        if cut.len() < line.len() {
            text.push('…');
        }
        if text.is_empty() {
            return;
        }
        let mut tail = self.tail();
        if tail.lines.len() == LINES {
            tail.lines.pop_front();
        }
        tail.lines.push_back(Line { text, is_stderr });
        tail.pushed += 1;
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.tail().lines.iter().map(|line| line.text.clone()).collect()
    }

    /// The end of the log as it is now.
    pub(crate) fn mark(&self) -> LogMark {
        LogMark(self.tail().pushed)
    }

    /// The last line after `since` that says why the upstream ended. Lines of stderr take precedence.
    pub(crate) fn reason(&self, LogMark(since): LogMark) -> Option<String> {
        let tail = self.tail();
        let new = usize::try_from(tail.pushed - since).unwrap_or(usize::MAX).min(tail.lines.len());
        let new = tail.lines.range(tail.lines.len() - new..);
        let of = |is_stderr: bool| new.clone().filter(move |line| line.is_stderr == is_stderr);
        let found = reason::find(of(true).map(|line| &*line.text));
        let found = found.or_else(|| reason::find(of(false).filter_map(|line| reason::output(&line.text))));
        found.map(str::to_owned)
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reason_is_a_line_since_the_mark() {
        let log = LogTail::default();
        log.push(b"the port is in use");
        let mark = log.mark();
        assert_eq!(log.reason(mark), None);
        log.note(b"(answer to an unknown or cancelled request) 7");
        assert_eq!(log.reason(mark), None);
        log.note(b"(not a message) {\"jsonrpc\":\"2.0\",\"id\":{}}");
        assert_eq!(log.reason(mark), None);
        log.note(b"(not a message) the key is missing");
        assert_eq!(log.reason(mark).as_deref(), Some("the key is missing"));
        log.push(b"the key is wrong");
        log.note(b"(not a message) bye for now");
        assert_eq!(log.reason(mark).as_deref(), Some("the key is wrong"));
        (0..LINES * 2).for_each(|_| log.push(b"still not working"));
        assert_eq!(log.reason(mark).as_deref(), Some("still not working"));
    }
}
