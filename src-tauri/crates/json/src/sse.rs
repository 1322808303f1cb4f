//! Server-sent events, as far as MCP uses them.
//!
//! Reads an event stream (WHATWG HTML §9.2.6) piece by piece, within bounds.

use bytes::{Bytes, BytesMut};

/// Largest event, in bytes.
pub const MAX_EVENT: usize = 64 << 20;

/// Byte order mark that may precede the stream.
const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

/// An event that was dispatched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// Data of the event; empty for events that only carry an id.
    pub data: Bytes,
}

/// Reader of one stream.
#[derive(Debug, Default)]
pub struct SseReader {
    buffer: BytesMut,
    /// Number of bytes in the buffer that contain no end of a line.
    searched: usize,
    /// Whether a line has ended.
    begun: bool,
    /// Whether the last byte was a carriage return that ended a line.
    after_return: bool,
    data: BytesMut,
    has_data: bool,
    /// Id of the event that is being read.
    id: Option<String>,
    /// Id of the last event.
    pub last_id: Option<String>,
    /// Milliseconds that the server asks clients to wait before they reconnect.
    pub retry: Option<u64>,
}

/// An event is larger than [`MAX_EVENT`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

impl SseReader {
    /// Begins with another response: what the last one left behind is the start of an event that broke off.
    pub fn restart(&mut self) {
        *self = Self { last_id: self.last_id.take(), retry: self.retry, ..Self::default() };
    }

    /// Reads a piece of the stream and passes on the events that end in it.
    pub fn read(&mut self, piece: &[u8], mut each: impl FnMut(SseEvent)) -> Result<(), TooLarge> {
        // A line break of two bytes can be split between two pieces; the line ended with the first.
        let rest = piece.strip_prefix(b"\n").filter(|_| self.after_return && !piece.is_empty());
        self.after_return &= piece.is_empty();
        self.buffer.extend_from_slice(rest.unwrap_or(piece));
        while let Some(at) = memchr::memchr2(b'\n', b'\r', &self.buffer[self.searched..]) {
            let end = self.searched + at;
            let is_return = self.buffer[end] == b'\r';
            let crlf = is_return && self.buffer.get(end + 1) == Some(&b'\n');
            self.after_return = is_return && end + 1 == self.buffer.len();
            let line = self.buffer.split_to(end + 1 + usize::from(crlf)).freeze().slice(..end);
            self.searched = 0;
            if let Some(event) = self.line(&line) {
                each(event);
            }
            if self.data.len() > MAX_EVENT {
                return Err(TooLarge);
            }
        }
        self.searched = self.buffer.len();
        if self.buffer.len() > MAX_EVENT { Err(TooLarge) } else { Ok(()) }
    }

    fn line(&mut self, line: &Bytes) -> Option<SseEvent> {
        let is_first = !std::mem::replace(&mut self.begun, true);
        let line = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first).unwrap_or(line);
        if line.is_empty() {
            // An event that broke off in the middle has not been received.
            self.last_id = self.id.take().or(self.last_id.take());
            let data = std::mem::take(&mut self.data).freeze();
            return std::mem::take(&mut self.has_data).then_some(SseEvent { data });
        }
        let colon = memchr::memchr(b':', line).unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &line[..colon] {
            b"data" => {
                if self.has_data {
                    self.data.extend_from_slice(b"\n");
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"id" if !value.contains(&0) => self.id = String::from_utf8(value.to_vec()).ok(),
            b"retry" => self.retry = std::str::from_utf8(value).ok().and_then(|value| value.parse().ok()),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(pieces: &[&[u8]]) -> (Vec<String>, SseReader) {
        let mut reader = SseReader::default();
        let mut events = Vec::new();
        for piece in pieces {
            let result = reader.read(piece, |event| {
                events.push(String::from_utf8_lossy(&event.data).into_owned());
            });
            assert_eq!(result, Ok(()));
        }
        (events, reader)
    }

    #[test]
    fn stream_reads_the_same_in_any_pieces() {
        let stream = b"\xEF\xBB\xBFid: 6\r\n: hello\r\nevent: message\r\nid: 7\r\ndata: {\"a\":\r\ndata:1}\r\n\r\nretry: 50\nid: 8\ndata:\n\ndata: x\r\rdata: lost";
        let whole = events(&[stream]);
        assert_eq!(whole.0, ["{\"a\":\n1}", "", "x"]);
        assert_eq!((whole.1.last_id.as_deref(), whole.1.retry), (Some("8"), Some(50)));
        for at in 0..stream.len() {
            assert_eq!(events(&[&stream[..at], &stream[at..]]).0, whole.0, "{at}");
        }
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(events(&bytes).0, whole.0);
        let (last, reader) = events(&[b"\xEF\xBB\xBFid: 6\rdata: x\r\r"]);
        assert_eq!(
            (last, reader.last_id.as_deref()),
            (vec!["x".to_owned()], Some("6")),
            "nothing comes after it"
        );
    }

    #[test]
    fn event_that_broke_off_is_not_received() {
        let (before, mut reader) = events(&[b"id: 4\ndata: a\n\nid: 5\ndata: {\"half\":"]);
        assert_eq!((before, reader.last_id.as_deref()), (vec!["a".to_owned()], Some("4")));
        reader.restart();
        let mut after = Vec::new();
        reader.read(b"id: 5\ndata: whole\n\n", |event| after.push(event.data)).unwrap();
        assert_eq!((after, reader.last_id.as_deref()), (vec![Bytes::from_static(b"whole")], Some("5")));
    }
}
