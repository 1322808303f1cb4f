//! Reads JSON documents that follow each other in a file or pipe of any length, and continues after a malformed one.
//! Only a few documents and blocks are in memory at a time.
//!
//! A line that certainly holds whole documents is not read here. The reader that counts it finds out whether it is
//! valid, so files with one document in a line are read once. A line is such a one if its last character closes an
//! object or an array, and the next character after it opens one. Nothing valid contains these two in a row.

use std::io::{self, Read};
use std::ops::Range;

use memchr::{memchr, memchr_iter};
use serde_json::value::RawValue;

/// Smallest number of bytes read at a time: as many as stay in a processor's cache until they are counted.
const BLOCK: usize = 256 << 10;

/// Reads documents from `reader`.
pub struct Documents<R> {
    reader: R,
    /// What was read, and behind `filled` room for more. Its bytes are initialized only once.
    buffer: Vec<u8>,
    filled: usize,
    /// Position in `buffer` where the next document is expected.
    start: usize,
    /// The line `start` is in, from 1.
    line: u64,
    /// What is left out before the next document, after a malformed one.
    skips: Option<Skipped>,
    ended: bool,
}

/// What is left out after an error.
#[derive(Clone, Copy)]
enum Skipped {
    /// The rest of the line.
    Line,
    /// The rest of an object or array: lines that are indented, or do not begin as a document. A line that begins
    /// with a quote is rather a key than a document.
    Container,
}

impl Skipped {
    fn ends_at(self, byte: u8) -> bool {
        match self {
            Self::Line => true,
            Self::Container => matches!(byte, b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'),
        }
    }
}

/// A malformed document.
#[derive(Debug, PartialEq, Eq)]
pub struct Broken {
    /// Line in which it begins, from 1.
    pub line: u64,
    /// The problem.
    pub reason: String,
}

/// Consecutive parts of the input: documents, and lines that hold whole documents or malformed ones.
#[derive(Default)]
pub struct Batch {
    bytes: Vec<u8>,
    /// Each part's place in `bytes`, and the line in which it begins.
    parts: Vec<(Range<usize>, u64)>,
}

impl Batch {
    /// The parts, each with the line in which it begins.
    pub fn parts(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.parts.iter().map(|(place, line)| (*line, &self.bytes[place.clone()]))
    }
}

/// Passes the documents in a part that is not a single one to `found`, each with the line in which it begins.
pub fn read_apart<'p>(line: u64, part: &'p [u8], mut found: impl FnMut(Result<(u64, &'p [u8]), Broken>)) {
    let (buffer, filled) = (part.to_vec(), part.len());
    let mut documents =
        Documents { buffer, filled, start: 0, line, skips: None, ended: true, reader: io::empty() };
    while let Some(next) = documents.next_document() {
        found(next.map(|(place, line)| (line, &part[place])));
    }
}

impl<R: Read> Documents<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, buffer: Vec::new(), filled: 0, start: 0, line: 1, skips: None, ended: false }
    }

    /// Replaces `batch` with the next one: what a block contains, at least one part. Returns false at the end, and
    /// after an error. Malformed documents that are not part of a batch are passed to `broken`.
    pub fn next_batch(&mut self, batch: &mut Batch, broken: impl Fn(Broken)) -> io::Result<bool> {
        batch.parts.clear();
        let mut after_line = false;
        loop {
            loop {
                self.skip();
                if let Some(line) = self.whole_line() {
                    self.start = line.end;
                    batch.parts.push((line, self.line));
                    after_line = true;
                    continue;
                }
                // The rest of a line is read when the next block has completed it.
                if after_line && memchr(b'\n', self.rest()).is_none() {
                    break;
                }
                match self.next_document() {
                    Some(Ok(found)) => batch.parts.push(found),
                    Some(Err(found)) => broken(found),
                    None => break,
                }
            }
            if !batch.parts.is_empty() {
                self.hand_over(&mut batch.bytes);
                return Ok(true);
            }
            if self.ended {
                return Ok(false);
            }
            self.read_more()?;
        }
    }

    /// Exchanges the buffer for another one, to which it moves what is not part of the batch.
    fn hand_over(&mut self, bytes: &mut Vec<u8>) {
        let rest = self.start..self.filled;
        // Of a buffer that had to grow for a long document, only as much is kept as is usual.
        bytes.truncate(rest.len() + 2 * BLOCK);
        bytes.shrink_to(rest.len() + 2 * BLOCK);
        bytes.resize(bytes.len().max(rest.len() + BLOCK), 0);
        bytes[..rest.len()].copy_from_slice(&self.buffer[rest.clone()]);
        std::mem::swap(&mut self.buffer, bytes);
        (self.start, self.filled) = (0, rest.len());
    }

    /// What was read and is not part of a batch.
    fn rest(&self) -> &[u8] {
        &self.buffer[self.start..self.filled]
    }

    /// The line at the start, if it certainly holds whole documents or malformed ones.
    fn whole_line(&self) -> Option<Range<usize>> {
        if self.skips.is_some() {
            return None;
        }
        let rest = self.rest();
        let (line, below) = rest.split_at_checked(memchr(b'\n', rest)?)?;
        let line = line.trim_ascii_end();
        // At least 1, behind the line feed.
        let next = below.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let is_whole = line.ends_with(b"}") || line.ends_with(b"]");
        (is_whole && matches!(below[next - 1..=next], [b'\n', b'{' | b'[']))
            .then_some(self.start..self.start + line.len())
    }

    /// The next document's place in the buffer and the line in which it begins. `None` if the buffer does not contain
    /// the end of one.
    fn next_document(&mut self) -> Option<Result<(Range<usize>, u64), Broken>> {
        self.skip();
        if self.skips.is_some() {
            return None;
        }
        let rest = self.rest();
        let mut stream = serde_json::Deserializer::from_slice(rest).into_iter::<&RawValue>();
        let parsed = stream.next()?.map(|_| ());
        let end = self.start + stream.byte_offset();
        match parsed {
            // A number at the end of the buffer may continue in the next block.
            Ok(()) if self.ended || end < self.filled => {
                let found = (self.start..end, self.line);
                self.pass(end);
                Some(Ok(found))
            }
            // An error at the end of the buffer may be none with the next block: "1." can become "1.5".
            Err(error) if self.ended || !(error.is_eof() || place(&error, rest) >= rest.len()) => {
                let broken = Broken { line: self.line, reason: reason(&error, self.line, rest) };
                let is_container = matches!(rest.first(), Some(b'{' | b'['));
                // Below a bracket alone, lines up to the error are part of it, unless the error is that another document
                // begins. Below another line, which may be cut off, they can be documents.
                let is_spread =
                    rest.split(|byte| *byte == b'\n').next().is_some_and(|line| line.trim_ascii().len() == 1);
                let line = line_feed_before(&error, rest).filter(|_| is_spread);
                let before = line.map_or(0, |line| line + usize::from(error.column() > 1));
                self.skips = Some(if is_container { Skipped::Container } else { Skipped::Line });
                self.pass(self.start + before);
                Some(Err(broken))
            }
            _ => None,
        }
    }

    /// Goes on to where the next document is expected. What is left out after an error may continue in the next block.
    fn skip(&mut self) {
        while let Some(skipped) = self.skips {
            let Some(at) = memchr(b'\n', self.rest()).map(|at| self.start + at) else {
                return self.pass(self.filled);
            };
            match self.buffer[..self.filled].get(at + 1) {
                Some(next) => {
                    if skipped.ends_at(*next) {
                        self.skips = None;
                    }
                    self.pass(at + 1);
                }
                None if self.ended => {
                    self.skips = None;
                    self.pass(at + 1);
                }
                None => return self.pass(at),
            }
        }
        // A byte order mark.
        if self.line == 1 && self.start == 0 && self.rest().starts_with(b"\xef\xbb\xbf") {
            self.start = 3;
        }
        let space = self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.pass(self.start + space);
    }

    fn pass(&mut self, to: usize) {
        self.line += memchr_iter(b'\n', &self.buffer[self.start..to]).count() as u64;
        self.start = to;
    }

    /// Doubles what is in the buffer, so that a long document is parsed only a few times.
    fn read_more(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.filled, 0);
        (self.start, self.filled) = (0, self.filled - self.start);
        let end = self.filled + self.filled.max(BLOCK);
        if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }
        while self.filled < end {
            match self.reader.read(&mut self.buffer[self.filled..end]) {
                // Not asked for again: a terminal would have to send its end twice.
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.ended = true;
                    self.filled = 0;
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

/// Number of bytes of `document` up to the error in it.
fn place(error: &serde_json::Error, document: &[u8]) -> usize {
    line_feed_before(error, document).map_or(0, |line_feed| line_feed + 1) + error.column()
}

/// The line feed before the line with the error, unless that is the first one.
fn line_feed_before(error: &serde_json::Error, document: &[u8]) -> Option<usize> {
    error.line().checked_sub(2).and_then(|lines| memchr_iter(b'\n', document).nth(lines))
}

/// The error, with its line if that is another one than the line in which the document begins, and what it is instead
/// of JSON where that is plain.
fn reason(error: &serde_json::Error, begins: u64, document: &[u8]) -> String {
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or(&text);
    let place = match error.line() as u64 {
        0 | 1 => String::new(),
        line => format!(" in line {}", begins + line - 1),
    };
    let instead = match document {
        [b'<', ..] => "; this is HTML or XML",
        [b'\'', ..] | [b'{' | b'[', b'\'', ..] => "; JSON has double quotes, unlike Python and JavaScript",
        _ => "",
    };
    format!("{reason}{place}{instead}")
}

/// What input is instead of JSON text, by its first bytes, with a command that makes such text of it.
pub fn foreign(start: &[u8]) -> Option<&'static str> {
    const FOREIGN: &[(&[u8], &str)] = &[
        (b"\x1f\x8b", "is compressed; try: gunzip -c FILE | schemascope infer"),
        (b"\x28\xb5\x2f\xfd", "is compressed; try: zstd -dc FILE | schemascope infer"),
        (b"\xfd7zXZ\0", "is compressed; try: xz -dc FILE | schemascope infer"),
        (b"BZh", "is compressed; try: bunzip2 -c FILE | schemascope infer"),
        (b"PK\x03\x04", "is a zip archive; try: unzip -p FILE | schemascope infer"),
        (b"\xff\xfe", "is UTF-16; try: iconv -f UTF-16 -t UTF-8 FILE | schemascope infer"),
        (b"\xfe\xff", "is UTF-16; try: iconv -f UTF-16 -t UTF-8 FILE | schemascope infer"),
    ];
    FOREIGN.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, what)| *what)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use proptest::prelude::*;
    use schemascope_shape::Shape;

    use super::*;

    /// Documents, and lines of malformed ones, in order of their lines.
    fn all(text: &str) -> Vec<Result<String, u64>> {
        let found = RefCell::new(Vec::new());
        let add = |line, one| found.borrow_mut().push((line, one));
        let add_broken = |broken: Broken| add(broken.line, Err(broken.line));
        let document = |bytes: &[u8]| Ok(String::from_utf8(bytes.to_vec()).unwrap());
        let mut documents = Documents::new(text.as_bytes());
        let mut batch = Batch::default();
        while documents.next_batch(&mut batch, add_broken).unwrap() {
            for (line, part) in batch.parts() {
                match Shape::new().observe(part) {
                    Ok(()) => add(line, document(part)),
                    Err(_) => read_apart(line, part, |next| match next {
                        Ok((line, found)) => add(line, document(found)),
                        Err(broken) => add_broken(broken),
                    }),
                }
            }
        }
        let mut found = found.into_inner();
        // After a malformed document, the next one is expected in another line.
        found.sort_by_key(|(line, one)| (*line, one.is_err()));
        found.into_iter().map(|(_, one)| one).collect()
    }

    /// The same if no line is taken as a whole.
    fn all_in_turn(text: &str) -> Vec<Result<String, u64>> {
        let mut all = Vec::new();
        read_apart(1, text.as_bytes(), |next| {
            all.push(match next {
                Ok((_, found)) => Ok(String::from_utf8(found.to_vec()).unwrap()),
                Err(broken) => Err(broken.line),
            });
        });
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
        assert_eq!(all("[1] [2]\r\n[3]\r\n"), [ok("[1]"), ok("[2]"), ok("[3]")]);
    }

    #[test]
    fn malformed_documents_are_reported_by_line_and_skipped() {
        assert_eq!(all("{\"a\":1}\n\n{broken\n[2]\n"), [ok("{\"a\":1}"), Err(3), ok("[2]")]);
        assert_eq!(all("[1]\n{\"a\":"), [ok("[1]"), Err(2)]);
        assert_eq!(all("[1] {\"a\":\"}\n[2]\n"), [ok("[1]"), Err(1), ok("[2]")]);
        assert_eq!(all("[1\n{\"a\":1}\n"), [Err(1), ok("{\"a\":1}")]);
        assert_eq!(all("nul\n\"a\"\n3"), [Err(1), ok("\"a\""), ok("3")]);
        assert_eq!(all("{\"a\":[\n{\"a\":1}\n{\"a\":2}\n"), [Err(1), ok("{\"a\":1}"), ok("{\"a\":2}")]);
    }

    #[test]
    fn parts_of_a_malformed_document_are_no_documents() {
        let broken = "{\n  \"a\": {\n    \"b\": 01,\n    \"c\": [\n      {}, 3\n    ]\n  }\n}\n";
        assert_eq!(all(&format!("{broken}{{\"a\":1}}\n")), [Err(1), ok("{\"a\":1}")]);
        assert_eq!(all(&format!("[2]\n{broken}")), [ok("[2]"), Err(2)]);
        assert_eq!(all("{\n\"a\": 1 2,\n\"b\": 3\n}\n4"), [Err(1), ok("4")]);
        assert_eq!(all("[\n{\"a\":1},\n{\"a\":x},\n]\n{}"), [Err(1), ok("{}")]);
        let reasons = RefCell::new(Vec::new());
        let mut documents = Documents::new(broken.as_bytes());
        while documents.next_batch(&mut Batch::default(), |broken| reasons.borrow_mut().push(broken)).unwrap()
        {
        }
        let reason = "invalid number in line 3".to_owned();
        assert_eq!(reasons.into_inner(), [Broken { line: 1, reason }]);
    }

    #[test]
    fn malformed_input_is_not_gathered() {
        let mut documents = Documents::new(io::repeat(b'x').take(64 * BLOCK as u64));
        assert!(!documents.next_batch(&mut Batch::default(), |_| ()).unwrap());
        assert!(documents.buffer.len() <= 4 * BLOCK, "{}", documents.buffer.len());
    }

    #[test]
    fn documents_and_numbers_may_cross_block_ends() {
        let long = format!("[\"{}\"]", "x".repeat(3 * BLOCK));
        assert_eq!(all(&format!("{long}\n7")), [ok(&long), ok("7")]);
        let spaced = format!("{}12345", " ".repeat(BLOCK - 3));
        assert_eq!(all(&spaced), [ok("12345")]);
        let lines = "{\"a\":[]}\n".repeat(BLOCK / 4);
        assert_eq!(all(&lines), vec![ok("{\"a\":[]}"); BLOCK / 4]);
    }

    /// Where a number was cut off, serde_json reports an invalid number instead of the end of the input.
    #[test]
    fn documents_are_read_wherever_a_block_ends() {
        let document = "{\"a\":[-1.5E+7,0.25e-3,\n-20],\"b\":[true,null],\"\\u00e9é\":\"\\ud83d\\ude00\"}";
        for cut in 1..document.len() {
            let text = format!("{}{document}", " ".repeat(BLOCK - cut));
            assert_eq!(all(&text), [ok(document)], "after {cut} bytes");
        }
        for broken in ["{\"a\":-", "[1.", "[1e", "[2E+"] {
            assert_eq!(all(&format!("{}{broken}", " ".repeat(BLOCK - broken.len()))), [Err(1)]);
            assert_eq!(
                all(&format!("{}{broken}]\n[1]", " ".repeat(BLOCK - broken.len()))),
                [Err(1), ok("[1]")]
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn lines_are_taken_as_a_whole_only_if_that_changes_nothing(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "{", "}", "[", "]", "\n", "\n", "\r\n", " ", ",", ":", "\"", "\"a\"", "\"a\":", "1", "-", "{}", "[]",
                    "{\"a\":1}", "{\"a\":[1,{}]}\n", "[{}]\n", "x", "\\", "\"}\"", "null", "\u{c}",
                ]),
                0..24,
            ),
        ) {
            let text = pieces.concat();
            prop_assert_eq!(all(&text), all_in_turn(&text));
        }
    }
}
