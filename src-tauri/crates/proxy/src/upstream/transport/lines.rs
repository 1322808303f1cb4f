//! Messages as lines over a pair of byte streams, and the log lines of a process.

use std::sync::Arc;

use bytes::{Buf, Bytes, BytesMut};
use serde::de::IgnoredAny;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

use crate::slow_consumers::SlowConsumers;
use crate::upstream::link::{Link, Outgoing};
use crate::upstream::log::{self, LogTail};
use crate::wire::message::one_line;

/// Longest line read from an upstream.
pub(crate) const MAX_LINE: usize = 64 << 20;

/// Runs a link over a pair of streams. The task ends with the reader.
pub(crate) fn run(
    link: &Arc<Link>,
    messages: mpsc::Receiver<Outgoing>,
    reader: impl AsyncRead + Unpin + Send + 'static,
    writer: impl AsyncWrite + Unpin + Send + 'static,
) -> tokio::task::JoinHandle<()> {
    tokio::spawn({
        let link = Arc::clone(link);
        async move {
            // Dropping the writer closes the upstream's stdin, which asks it to end.
            tokio::select! {
                () = write_lines(writer, messages) => {}
                () = link.closed() => {}
            }
            link.close();
        }
    });
    tokio::spawn({
        let link = Arc::clone(link);
        async move {
            let (mut lines, mut consumers) = (Lines::new(reader), SlowConsumers::default());
            while let Some(line) = lines.next().await {
                match line {
                    Line::Whole(line) => link.receive(&line, None),
                    Line::TooLong { head, tail } => link.fail_too_long(&head, &tail),
                }
                link.until_taken(&mut consumers).await;
            }
            link.close();
        }
    })
}

async fn write_lines(mut writer: impl AsyncWrite + Unpin, mut messages: mpsc::Receiver<Outgoing>) {
    while let Some(message) = messages.recv().await {
        let mut line = one_line(message.bytes).chain(&b"\n"[..]);
        let written = async {
            writer.write_all_buf(&mut line).await?;
            writer.flush().await
        };
        // The reading task notices that the process is gone.
        if written.await.is_err() {
            return;
        }
    }
}

/// Keeps the last lines an upstream logs. Of each piece read only the last lines are looked at, so that an upstream
/// that floods its log costs little.
pub(crate) async fn read_log(mut reader: impl AsyncRead + Unpin, log: Arc<LogTail>) {
    let mut piece = vec![0; 64 << 10];
    let mut begun = Vec::new();
    loop {
        let read = match reader.read(&mut piece).await {
            Ok(0) | Err(_) => break,
            Ok(read) => &piece[..read],
        };
        let Some(end) = memchr::memrchr(b'\n', read) else {
            begun.extend_from_slice(&read[..read.len().min(LOG_LINE_BYTES.saturating_sub(begun.len()))]);
            continue;
        };
        let mut lines: Vec<&[u8]> = read[..end].rsplit(|byte| *byte == b'\n').take(log::LINES + 1).collect();
        if lines.len() <= log::LINES {
            // No line was skipped, so the first one continues the line that had begun.
            begun.extend_from_slice(lines.pop().unwrap_or_default());
            log.push(&begun);
        }
        lines.iter().rev().for_each(|line| log.push(line));
        begun.clear();
        begun.extend_from_slice(&read[end + 1..][..(read.len() - end - 1).min(LOG_LINE_BYTES)]);
    }
    log.push(&begun);
}

/// Bytes of a log line that are looked at.
const LOG_LINE_BYTES: usize = 4 << 10;

/// A line that was read.
pub(crate) enum Line {
    /// A line without its end.
    Whole(Bytes),
    /// Both ends of a line that was skipped.
    TooLong { head: Bytes, tail: Bytes },
}

/// Bytes kept of each end of a line that is too long.
const END_BYTES: usize = 4 << 10;

/// Reads lines. Only the ends of lines that are too long are kept.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    reader: R,
    buffer: BytesMut,
    /// Bytes of the buffer in which no line ends.
    searched: usize,
    skipped: Option<Bytes>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, buffer: BytesMut::with_capacity(64 << 10), searched: 0, skipped: None }
    }

    /// Returns the next line that is not blank, or `None` at the end. The last line may lack its line break if it is
    /// valid JSON. Cancelling this loses nothing.
    pub(crate) async fn next(&mut self) -> Option<Line> {
        loop {
            while let Some(at) = memchr::memchr(b'\n', &self.buffer[self.searched..]) {
                let mut line = self.buffer.split_to(self.searched + at + 1).freeze();
                self.searched = 0;
                line.truncate(line.len() - 1);
                match self.skipped.take() {
                    Some(head) => {
                        let tail = line.slice(line.len().saturating_sub(END_BYTES)..);
                        return Some(Line::TooLong { head, tail });
                    }
                    None if line.trim_ascii().is_empty() => {}
                    None => return Some(Line::Whole(line)),
                }
            }
            if self.buffer.len() > MAX_LINE {
                self.skipped.get_or_insert_with(|| Bytes::copy_from_slice(&self.buffer[..END_BYTES]));
                // The last bytes are kept: they may become the tail.
                let _ = self.buffer.split_to(self.buffer.len() - END_BYTES);
            }
            self.searched = self.buffer.len();
            self.buffer.reserve(16 << 10);
            match self.reader.read_buf(&mut self.buffer).await {
                Ok(0) | Err(_) => {
                    let rest = self.buffer.split().freeze();
                    self.searched = 0;
                    let is_whole = serde_json::from_slice::<IgnoredAny>(&rest).is_ok();
                    return (is_whole && self.skipped.is_none()).then_some(Line::Whole(rest));
                }
                Ok(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn next_returns_last_line_without_line_break_if_it_is_json() {
        for (text, expected) in [
            ("{}\n{\"a\":1}", vec!["{}", "{\"a\":1}"]),
            ("{}\n{\"a\":", vec!["{}"]),
            ("{}\n \r", vec!["{}"]),
            ("{}\n", vec!["{}"]),
        ] {
            let mut lines = Lines::new(text.as_bytes());
            let mut found = Vec::new();
            while let Some(Line::Whole(line)) = lines.next().await {
                found.push(String::from_utf8(line.to_vec()).unwrap());
            }
            assert_eq!(found, expected);
        }
    }

    #[tokio::test]
    async fn read_log_keeps_last_lines_for_every_piece_size() {
        let text: String = (0..1_000).map(|n| format!("line {n}\n")).collect();
        for piece in [1, 7, 4_096, text.len()] {
            let log = Arc::new(LogTail::default());
            let (mut writer, reader) = tokio::io::duplex(piece);
            let reading = tokio::spawn(read_log(reader, Arc::clone(&log)));
            writer.write_all(text.as_bytes()).await.unwrap();
            writer.write_all(b"the end").await.unwrap();
            drop(writer);
            reading.await.unwrap();
            let lines = log.lines();
            assert_eq!(lines.len(), log::LINES, "{piece}");
            assert_eq!(
                (lines[0].as_str(), lines[log::LINES - 1].as_str()),
                ("line 801", "the end"),
                "{piece}"
            );
        }
    }
}
