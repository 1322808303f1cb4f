//! HTTP/1.1 for a load client: one keep-alive connection, one request at a time, and the time of each answer.
//!
//! An answer of `text/event-stream` is complete with its event, as a client of the protocol sees it, not at the end
//! of the stream.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::ops::Range;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use memchr::{memchr, memmem};

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes asked for at a time.
const BLOCK: usize = 128 << 10;

/// An open connection. What was received last stays until the next request.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
    /// How many bytes of it are filled.
    filled: usize,
    /// Chunks put together, and the part of them that is the event's data.
    events: Events,
}

/// A response.
#[derive(Debug)]
pub struct Response<'a> {
    pub status: u16,
    /// What `mcp-session-id` says.
    pub session: Option<String>,
    /// The body, or of a stream the data of its last event that has some.
    pub body: &'a [u8],
    /// When it was there.
    pub answered: Instant,
}

#[derive(Debug)]
enum Length {
    Known(usize),
    Chunked,
}

struct Head {
    status: u16,
    session: Option<String>,
    length: Length,
    streams: bool,
}

#[derive(Debug, Default)]
struct Events {
    text: Vec<u8>,
    /// Read up to here, at the begin of a line.
    read: usize,
    data: Range<usize>,
    answered: Option<Instant>,
}

impl Connection {
    /// Connects to `HOST:PORT`.
    pub fn open(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).with_context(|| format!("cannot connect to {address}"))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self { stream, received: Vec::new(), filled: 0, events: Events::default() })
    }

    /// Sends a whole request, head and body, and reads the response to its end.
    pub fn exchange(&mut self, request: &[u8]) -> Result<Response<'_>> {
        self.stream.write_all(request)?;
        self.filled = 0;
        let end = loop {
            if let Some(end) = memmem::find(&self.received[..self.filled], b"\r\n\r\n") {
                break end;
            }
            self.receive()?;
        };
        let head = Head::read(&self.received[..end])?;
        let body = end + 4;
        let (range, answered) = match head.length {
            Length::Known(length) => {
                while self.filled < body + length {
                    self.receive()?;
                }
                (body..body + length, Instant::now())
            }
            Length::Chunked => {
                self.chunks(body)?;
                let answered = self.events.answered.filter(|_| head.streams).unwrap_or_else(Instant::now);
                let all = 0..self.events.text.len();
                (if head.streams { self.events.data.clone() } else { all }, answered)
            }
        };
        let whole = if matches!(head.length, Length::Known(_)) { &self.received } else { &self.events.text };
        let body = &whole[range];
        Ok(Response { status: head.status, session: head.session, body, answered })
    }

    fn receive(&mut self) -> Result<()> {
        if self.received.len() < self.filled + BLOCK {
            self.received.resize(self.filled + 2 * BLOCK, 0);
        }
        let n = self.stream.read(&mut self.received[self.filled..])?;
        ensure!(n > 0, "the connection was closed before the answer");
        self.filled += n;
        Ok(())
    }

    fn chunks(&mut self, mut at: usize) -> Result<()> {
        self.events.clear();
        loop {
            let line = loop {
                match memmem::find(&self.received[at..self.filled], b"\r\n") {
                    Some(length) => break at..at + length,
                    None => self.receive()?,
                }
            };
            let size = std::str::from_utf8(&self.received[line.clone()]).ok();
            let size = size.and_then(|size| usize::from_str_radix(size.split(';').next()?.trim(), 16).ok());
            let size = size.context("a chunk without a size")?;
            let chunk = line.end + 2..line.end + 2 + size;
            while self.filled < chunk.end + 2 {
                self.receive()?;
            }
            self.events.push(&self.received[chunk.clone()]);
            at = chunk.end + 2;
            if size == 0 {
                return Ok(());
            }
        }
    }
}

impl Events {
    fn clear(&mut self) {
        self.text.clear();
        *self = Self { text: std::mem::take(&mut self.text), ..Self::default() };
    }

    fn push(&mut self, chunk: &[u8]) {
        self.text.extend_from_slice(chunk);
        while let Some(length) = memchr(b'\n', &self.text[self.read..]) {
            let line = self.read..self.read + length;
            self.read = line.end + 1;
            let text = self.text[line.clone()].trim_ascii_end();
            if text.is_empty() && !self.data.is_empty() {
                self.answered = Some(Instant::now());
            } else if let Some(data) = text.strip_prefix(b"data:") {
                let data = data.trim_ascii_start();
                if !data.is_empty() {
                    let end = line.start + text.len();
                    self.data = end - data.len()..end;
                    self.answered = None;
                }
            }
        }
    }
}

impl Head {
    fn read(head: &[u8]) -> Result<Self> {
        let head = std::str::from_utf8(head).context("the head of the response is no text")?;
        let (first, fields) = head.split_once("\r\n").unwrap_or((head, ""));
        let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.with_context(|| format!("no status: {first}"))?;
        let (mut session, mut length, mut streams) = (None, None, false);
        for field in fields.split("\r\n") {
            let Some((name, value)) = field.split_once(':') else { continue };
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                length = Some(Length::Known(value.parse()?));
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                length = Some(Length::Chunked);
            } else if name.eq_ignore_ascii_case("mcp-session-id") {
                session = Some(value.to_owned());
            } else if name.eq_ignore_ascii_case("content-type") {
                streams = value.starts_with("text/event-stream");
            }
        }
        let length = match (length, status) {
            (Some(length), _) => length,
            (None, 202 | 204) => Length::Known(0),
            (None, _) => bail!("a response without a length: {head}"),
        };
        Ok(Self { status, session, length, streams })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_arrives_with_its_complete_event() {
        for text in [
            "data: \nid: 0/0\nretry: 3000\n\ndata: {\"id\":1}\nid: 1/0\n\n",
            "event: message\r\ndata: {\"id\":1}\r\n\r\n",
            ": keep-alive\n\ndata:{\"id\":1}\n\n: keep-alive\n\n",
        ] {
            // However it is cut, it is complete with the line behind the data and not before.
            let complete = text.find("}").unwrap();
            let complete = complete + text[complete..].find("\n\n").map_or(4, |at| at + 1);
            for cut in 0..text.len() {
                let mut events = Events::default();
                events.push(&text.as_bytes()[..cut]);
                assert_eq!(events.answered.is_some(), cut > complete, "{cut} of {text:?}");
                events.push(&text.as_bytes()[cut..]);
                assert!(events.answered.is_some());
                assert_eq!(&events.text[events.data.clone()], b"{\"id\":1}");
            }
        }
    }

    #[test]
    fn heads_give_the_length_of_their_body() {
        let head = Head::read(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\nMcp-Session-Id: a-b").unwrap();
        assert!(matches!(head.length, Length::Known(12)));
        assert_eq!((head.status, head.session.as_deref(), head.streams), (200, Some("a-b"), false));
        let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-type: text/event-stream";
        let head = Head::read(head).unwrap();
        assert!(matches!(head.length, Length::Chunked) && head.streams);
        assert!(Head::read(b"HTTP/1.1 202 Accepted\r\ndate: now").is_ok());
        assert!(Head::read(b"HTTP/1.1 200 OK\r\ndate: now").is_err());
        assert!(Head::read(b"nonsense").is_err());
    }
}
