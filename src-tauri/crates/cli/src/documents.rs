//! JSON documents one after the other, from a file or a pipe of any length.
//!
//! Owns: finding where each ends, and going on behind one that is broken. Holds one document and one
//! block at a time. Refuses to know: what documents are for.

use std::io::{self, Read};

use serde_json::value::RawValue;

/// Bytes read at a time, at least.
const BLOCK: usize = 1 << 20;

/// Reads documents from `reader`.
pub struct Documents<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Where the next document is looked for in `buffer`.
    start: usize,
    /// The line `start` is in, from 1.
    line: u64,
    ended: bool,
}

/// Something that is no document: its line, and why.
#[derive(Debug, PartialEq, Eq)]
pub struct Broken {
    /// The line it begins in, from 1.
    pub line: u64,
    /// What is wrong.
    pub reason: String,
}

/// A document with the line it begins in, or what is none.
type Found<'a> = Result<(u64, &'a [u8]), Broken>;

/// Bytes of documents handed on together.
const BATCH: usize = 1 << 20;

/// Some documents in a row.
#[derive(Default)]
pub struct Batch {
    bytes: Vec<u8>,
    /// Where each ends, and the line it begins in.
    ends: Vec<(usize, u64)>,
}

impl Batch {
    /// Each with the line it begins in.
    pub fn documents(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(end, _)| *end));
        starts.zip(&self.ends).map(|(start, (end, line))| (*line, &self.bytes[start..*end]))
    }
}

impl<R: Read> Documents<R> {
    /// Up to a megabyte of documents, one at least; none at the end. What is no document is told.
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

    /// The next document with the line it begins in; none at the end.
    fn next(&mut self) -> io::Result<Option<Found<'_>>> {
        loop {
            self.skip_space();
            let rest = &self.buffer[self.start..];
            let mut stream = serde_json::Deserializer::from_slice(rest).into_iter::<&RawValue>();
            let parsed = stream.next().map(|parsed| parsed.map(|_| ()));
            let end = self.start + stream.byte_offset();
            match parsed {
                None if self.ended => return Ok(None),
                // A number at the very end may go on in the next block.
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
        // What Windows likes to begin files with.
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

    /// Doubles what is there, so that a long document is looked at a few times only.
    fn read_more(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let more = self.buffer.len().max(BLOCK) as u64;
        let read = (&mut self.reader).take(more).read_to_end(&mut self.buffer)?;
        // Less than asked for is the end; a terminal would have to be told twice otherwise.
        self.ended = (read as u64) < more;
        Ok(())
    }
}

fn memchr(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n')
}

/// serde's words without the position, which is relative to where it began to read.
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
    fn documents_in_any_layout() {
        assert_eq!(all(""), []);
        assert_eq!(all("\u{feff}{\"a\":1}"), [ok("{\"a\":1}")]);
        assert_eq!(all("{\"a\":1}\n{\"a\":2}\n"), [ok("{\"a\":1}"), ok("{\"a\":2}")]);
        assert_eq!(all("{\n \"a\": 1\n}\n\n[2]3 4"), [ok("{\n \"a\": 1\n}"), ok("[2]"), ok("3"), ok("4")]);
    }

    #[test]
    fn what_is_broken_is_named_by_line_and_passed_over() {
        assert_eq!(all("{\"a\":1}\n\n{broken\n[2]\n"), [ok("{\"a\":1}"), Err(3), ok("[2]")]);
        assert_eq!(all("[1]\n{\"a\":"), [ok("[1]"), Err(2)]);
    }

    #[test]
    fn documents_longer_than_a_block_and_numbers_at_its_end() {
        let long = format!("[\"{}\"]", "x".repeat(3 * BLOCK));
        assert_eq!(all(&format!("{long}\n7")), [ok(&long), ok("7")]);
        let spaced = format!("{}12345", " ".repeat(BLOCK - 3));
        assert_eq!(all(&spaced), [ok("12345")]);
    }
}
