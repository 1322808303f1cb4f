//! Reads JSON documents that follow each other in a file or pipe of any length, and continues after a malformed one.
//! Only one document and one block are in memory at a time.

use std::io::{self, Read};

use serde_json::value::RawValue;

/// Smallest number of bytes read at a time.
const BLOCK: usize = 1 << 20;

/// Reads documents from `reader`.
pub struct Documents<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Position in `buffer` where the next document is expected.
    start: usize,
    /// The line `start` is in, from 1.
    line: u64,
    ended: bool,
}

/// A malformed document.
#[derive(Debug, PartialEq, Eq)]
pub struct Broken {
    /// Line in which it begins, from 1.
    pub line: u64,
    /// The problem.
    pub reason: String,
}

/// A document with the line in which it begins, or a malformed one.
type Found<'a> = Result<(u64, &'a [u8]), Broken>;

/// Bytes of documents in a batch.
const BATCH: usize = 1 << 20;

/// Consecutive documents.
#[derive(Default)]
pub struct Batch {
    bytes: Vec<u8>,
    /// End of each document in `bytes`, and the line in which it begins.
    ends: Vec<(usize, u64)>,
}

impl Batch {
    /// The documents, each with the line in which it begins.
    pub fn documents(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(end, _)| *end));
        starts.zip(&self.ends).map(|(start, (end, line))| (*line, &self.bytes[start..*end]))
    }
}

impl<R: Read> Documents<R> {
    /// The next batch: up to a megabyte of documents, at least one; `None` at the end. Malformed documents are passed to
    /// `broken`.
    pub fn next_batch(&mut self, broken: impl Fn(Broken)) -> io::Result<Option<Batch>> {
        let mut batch = Batch::default();
        while batch.bytes.len() < BATCH {
            match self.next()? {
                Some(Ok((line, document))) => {
                    batch.bytes.extend_from_slice(document);
                    batch.ends.push((batch.bytes.len(), line));
                }
                Some(Err(found)) => broken(found),
                None => break,
            }
        }
        Ok((!batch.ends.is_empty()).then_some(batch))
    }

    pub fn new(reader: R) -> Self {
        Self { reader, buffer: Vec::new(), start: 0, line: 1, ended: false }
    }

    /// The next document with the line in which it begins; `None` at the end.
    fn next(&mut self) -> io::Result<Option<Found<'_>>> {
        loop {
            self.skip_space();
            let rest = &self.buffer[self.start..];
            let mut stream = serde_json::Deserializer::from_slice(rest).into_iter::<&RawValue>();
            let parsed = stream.next().map(|parsed| parsed.map(|_| ()));
            let end = self.start + stream.byte_offset();
            match parsed {
                None if self.ended => return Ok(None),
                // A number at the end of the buffer may continue in the next block.
                Some(Ok(())) if self.ended || end < self.buffer.len() => {
                    let (from, line) = (self.start, self.line);
                    self.pass(end);
                    return Ok(Some(Ok((line, &self.buffer[from..end]))));
                }
                Some(Err(error)) if self.ended || !error.is_eof() => {
                    let broken = Broken { line: self.line, reason: reason(&error) };
                    let next_line = memchr(&self.buffer[self.start..]).map(|at| self.start + at + 1);
                    if next_line.is_none() && !self.ended {
                        self.read_more()?;
                        continue;
                    }
                    self.pass(next_line.unwrap_or(self.buffer.len()));
                    return Ok(Some(Err(broken)));
                }
                _ => self.read_more()?,
            }
        }
    }

    fn skip_space(&mut self) {
        // A byte order mark.
        if self.line == 1 && self.start == 0 && self.buffer.starts_with(b"\xef\xbb\xbf") {
            self.start = 3;
        }
        let space = self.buffer[self.start..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.pass(self.start + space);
    }

    fn pass(&mut self, to: usize) {
        self.line += self.buffer[self.start..to].iter().filter(|byte| **byte == b'\n').count() as u64;
        self.start = to;
    }

    /// Doubles the buffer, so that a long document is parsed only a few times.
    fn read_more(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let more = self.buffer.len().max(BLOCK) as u64;
        let read = (&mut self.reader).take(more).read_to_end(&mut self.buffer)?;
        // A short read is the end: a terminal would otherwise have to send its end twice.
        self.ended = (read as u64) < more;
        Ok(())
    }
}

fn memchr(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n')
}

/// The error without its position, which is relative to the start of the document.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Result<String, u64>> {
        let mut documents = Documents::new(text.as_bytes());
        let mut all = Vec::new();
        while let Some(next) = documents.next().unwrap() {
            all.push(
                next.map(|(_, document)| String::from_utf8(document.to_vec()).unwrap())
                    .map_err(|broken| broken.line),
            );
        }
        all
    }

    fn ok(text: &str) -> Result<String, u64> {
        Ok(text.to_owned())
    }

    #[test]
    fn documents_are_read_in_any_layout() {
        assert_eq!(all(""), []);
        assert_eq!(all("\u{feff}{\"a\":1}"), [ok("{\"a\":1}")]);
        assert_eq!(all("{\"a\":1}\n{\"a\":2}\n"), [ok("{\"a\":1}"), ok("{\"a\":2}")]);
        assert_eq!(all("{\n \"a\": 1\n}\n\n[2]3 4"), [ok("{\n \"a\": 1\n}"), ok("[2]"), ok("3"), ok("4")]);
    }

    #[test]
    fn malformed_documents_are_reported_by_line_and_skipped() {
        assert_eq!(all("{\"a\":1}\n\n{broken\n[2]\n"), [ok("{\"a\":1}"), Err(3), ok("[2]")]);
        assert_eq!(all("[1]\n{\"a\":"), [ok("[1]"), Err(2)]);
    }

    #[test]
    fn documents_and_numbers_may_cross_block_ends() {
        let long = format!("[\"{}\"]", "x".repeat(3 * BLOCK));
        assert_eq!(all(&format!("{long}\n7")), [ok(&long), ok("7")]);
        let spaced = format!("{}12345", " ".repeat(BLOCK - 3));
        assert_eq!(all(&spaced), [ok("12345")]);
    }
}
