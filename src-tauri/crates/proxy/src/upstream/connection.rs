//! One JSON-RPC connection to an upstream, over its stdin and stdout.
//!
//! Owns: ids, which answer belongs to which request, and that progress never overtakes its answer.
//! Refuses to know: handshakes, tools, processes, and what the messages say.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::log::LogTail;
use crate::wire::message::{self, Body, Message};
use crate::wire::{RpcError, params};

/// Longest line read from an upstream.
const MAX_LINE: usize = 64 << 20;
/// Messages that may wait for an upstream to read its stdin.
const OUTGOING: usize = 64;
/// Progress notifications that may wait for a slow client; further ones are dropped.
const PROGRESS: usize = 256;
/// Notifications that may wait for a slow listener; it is told how many it missed.
const NOTIFICATIONS: usize = 256;

/// A notification an upstream sent on its own account.
#[derive(Debug, Clone)]
pub(crate) struct Notification {
    pub(crate) method: String,
    pub(crate) params: Option<Bytes>,
}

#[derive(Debug)]
pub(crate) struct Connection {
    outgoing: mpsc::Sender<Bytes>,
    next: AtomicU64,
    pending: Mutex<HashMap<u64, Pending>>,
    notifications: broadcast::Sender<Notification>,
    closed: CancellationToken,
    noise: AtomicU64,
    dropped_progress: AtomicU64,
}

#[derive(Debug)]
struct Pending {
    /// The client's own token, as sent, to be put back.
    token: Option<Bytes>,
    progress: mpsc::Sender<Bytes>,
    answer: oneshot::Sender<Body>,
}

/// A request under way. Dropping it forgets the request; the upstream is told by [`Pending::cancel`].
#[derive(Debug)]
pub(crate) struct Request {
    id: u64,
    connection: Arc<Connection>,
    /// `params` of progress notifications, with the client's own token.
    pub(crate) progress: mpsc::Receiver<Bytes>,
    /// The answer; closed without one when the connection is lost.
    pub(crate) answer: oneshot::Receiver<Body>,
}

/// The connection is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Closed;

impl Connection {
    /// Runs a connection over a pair of streams until the reading side ends.
    pub(crate) fn run(
        reader: impl AsyncRead + Unpin + Send + 'static,
        writer: impl AsyncWrite + Unpin + Send + 'static,
        log: Arc<LogTail>,
    ) -> (Arc<Self>, tokio::task::JoinHandle<()>) {
        let (outgoing, messages) = mpsc::channel(OUTGOING);
        let connection = Arc::new(Self {
            outgoing,
            next: AtomicU64::new(1),
            pending: Mutex::default(),
            notifications: broadcast::Sender::new(NOTIFICATIONS),
            closed: CancellationToken::new(),
            noise: AtomicU64::new(0),
            dropped_progress: AtomicU64::new(0),
        });
        tokio::spawn({
            let connection = Arc::clone(&connection);
            async move {
                // Ending drops the writer, which closes the upstream's stdin and asks it to end.
                tokio::select! {
                    () = write_lines(writer, messages) => {}
                    () = connection.closed.cancelled() => {}
                }
                connection.close();
            }
        });
        let reading = tokio::spawn({
            let connection = Arc::clone(&connection);
            async move {
                read_lines(reader, |line| connection.receive(line, &log)).await;
                connection.close();
            }
        });
        (connection, reading)
    }

    /// Sends a request. A progress token in `params` is replaced by one of ours, so that clients
    /// sharing the connection cannot collide.
    pub(crate) async fn request(
        self: &Arc<Self>,
        method: &str,
        params: Option<&Bytes>,
    ) -> Result<Request, Closed> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let token = params::Seen::of(params).progress_token;
        let params = match (params, &token) {
            (Some(params), Some(token)) => {
                Some(params::splice(params, vec![(token.range.clone(), id.to_string().into_bytes())]))
            }
            (params, _) => params.cloned(),
        };
        let (progress_sender, progress) = mpsc::channel(PROGRESS);
        let (answer_sender, answer) = oneshot::channel();
        let pending =
            Pending { token: token.map(|token| token.raw), progress: progress_sender, answer: answer_sender };
        self.pending().insert(id, pending);
        let request = Request { id, connection: Arc::clone(self), progress, answer };
        self.send(message::request(id, method, params.as_deref())).await?;
        // Closing empties the table; a request that came in just behind it would wait for ever.
        if self.is_closed() { Err(Closed) } else { Ok(request) }
    }

    pub(crate) async fn notify(&self, method: &str, params: Option<&Bytes>) -> Result<(), Closed> {
        self.send(message::notification(method, params.map(AsRef::as_ref))).await
    }

    async fn send(&self, message: Bytes) -> Result<(), Closed> {
        self.outgoing.send(message).await.map_err(|_| Closed)
    }

    /// Notifications from now on, without progress.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Notification> {
        self.notifications.subscribe()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.is_cancelled()
    }

    /// Waits until the connection is gone.
    pub(crate) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// Lines so far that were no messages.
    pub(crate) fn noise(&self) -> u64 {
        self.noise.load(Ordering::Relaxed)
    }

    /// Hands progress on unless the receiver is too far behind; what is dropped is counted.
    pub(crate) fn pass_progress(&self, to: &mpsc::Sender<Bytes>, params: Bytes) {
        if let Err(mpsc::error::TrySendError::Full(_)) = to.try_send(params) {
            self.dropped_progress.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Progress notifications dropped so far because a client was too slow.
    pub(crate) fn dropped_progress(&self) -> u64 {
        self.dropped_progress.load(Ordering::Relaxed)
    }

    fn pending(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Pending>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends every request under way and closes the upstream's stdin, which asks it to end.
    pub(crate) fn close(&self) {
        self.closed.cancel();
        self.pending().clear();
    }

    fn receive(&self, line: Line, log: &LogTail) {
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong { head, tail } => {
                log.push(b"(a line longer than 64 MB was skipped)");
                return self.refuse(&head, &tail, "its answer is longer than 64 MB");
            }
        };
        match Message::parse(&line) {
            Ok(Message::Response { id, body }) => self.answer(&id, body, log),
            Ok(Message::Notification { method, params }) if method == "notifications/progress" => {
                if let Some(params) = params {
                    self.progress(&params);
                }
            }
            // Nobody listening is fine.
            Ok(Message::Notification { method, params }) => {
                let _ = self.notifications.send(Notification { method, params });
            }
            Ok(Message::Request { id, method, .. }) => {
                let body = match method.as_str() {
                    "ping" => Body::Result(Bytes::from_static(b"{}")),
                    _ => RpcError::method_not_found(&method).body(),
                };
                // An upstream that asks without reading the answers must not hold up its own results.
                let _ = self.outgoing.try_send(message::response(&id, &body));
            }
            Err(error) => {
                self.noise.fetch_add(1, Ordering::Relaxed);
                log.push(&[b"(not a message) ", line.as_ref()].concat());
                // Noise may have an "id" too; only what means to be a message answers anybody.
                if memchr::memmem::find(&line, b"\"jsonrpc\"").is_some() {
                    self.refuse(&line, &line, &format!("its answer is not a JSON-RPC message: {error}"));
                }
            }
        }
    }

    /// Ends the request that a broken line seems to answer, if there is one.
    fn refuse(&self, head: &[u8], tail: &[u8], reason: &str) {
        let pending = message::probable_id(head, tail).and_then(|id| self.pending().remove(&id));
        if let Some(pending) = pending {
            let _ = pending
                .answer
                .send(RpcError::internal(format!("the upstream broke the protocol: {reason}")).body());
        }
    }

    fn answer(&self, id: &[u8], body: Body, log: &LogTail) {
        let number = std::str::from_utf8(id).ok().and_then(|id| id.parse().ok());
        match number.and_then(|number: u64| self.pending().remove(&number)) {
            // The caller may have gone meanwhile.
            Some(pending) => drop(pending.answer.send(body)),
            None => log.push(&[b"(answer to an unknown or cancelled request) ", id].concat()),
        }
    }

    fn progress(&self, params: &Bytes) {
        let Some(token) = params::field(params, "progressToken") else { return };
        let Some(id) = std::str::from_utf8(&token.raw).ok().and_then(|id| id.parse().ok()) else { return };
        if let Some(Pending { token: Some(own), progress, .. }) = self.pending().get(&id) {
            self.pass_progress(progress, params::splice(params, vec![(token.range, own.to_vec())]));
        }
    }
}

impl Request {
    /// Tells the upstream that nobody waits any longer. One that does not read is not waited for: it
    /// would not read this either.
    pub(crate) fn cancel(self, reason: &str) {
        let params = serde_json::json!({"requestId": self.id, "reason": reason}).to_string();
        self.connection.pending().remove(&self.id);
        let message = message::notification("notifications/cancelled", Some(params.as_bytes()));
        let _ = self.connection.outgoing.try_send(message);
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.connection.pending().remove(&self.id);
    }
}

async fn write_lines(mut writer: impl AsyncWrite + Unpin, mut messages: mpsc::Receiver<Bytes>) {
    while let Some(message) = messages.recv().await {
        let mut line = message.chain(&b"\n"[..]);
        let written = async {
            writer.write_all_buf(&mut line).await?;
            writer.flush().await
        };
        // The reading side notices that the process has gone and says so.
        if written.await.is_err() {
            return;
        }
    }
}

/// What a reader of lines hands on.
pub(crate) enum Line {
    /// A line without its end.
    Whole(Bytes),
    /// A line that was skipped, and its two ends.
    TooLong { head: Bytes, tail: Bytes },
}

/// Bytes kept of each end of a line that is too long.
const ENDS: usize = 4 << 10;

/// Hands every line to `each`. Of lines that are too long only the ends are kept.
pub(crate) async fn read_lines(mut reader: impl AsyncRead + Unpin, mut each: impl FnMut(Line)) {
    let mut buffer = BytesMut::with_capacity(64 << 10);
    let mut searched = 0;
    let mut skipped: Option<Bytes> = None;
    loop {
        while let Some(at) = memchr::memchr(b'\n', &buffer[searched..]) {
            let mut line = buffer.split_to(searched + at + 1).freeze();
            searched = 0;
            line.truncate(line.len() - 1);
            match skipped.take() {
                Some(head) => {
                    each(Line::TooLong { head, tail: line.slice(line.len().saturating_sub(ENDS)..) });
                }
                None if line.trim_ascii().is_empty() => {}
                None => each(Line::Whole(line)),
            }
        }
        if buffer.len() > MAX_LINE {
            skipped.get_or_insert_with(|| Bytes::copy_from_slice(&buffer[..ENDS]));
            // The line's end may be among what is kept, and what it is looked for in.
            let _ = buffer.split_to(buffer.len() - ENDS);
        }
        searched = buffer.len();
        buffer.reserve(16 << 10);
        match reader.read_buf(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt, BufReader, DuplexStream};

    use super::*;

    struct Peer {
        lines: tokio::io::Lines<BufReader<DuplexStream>>,
        writer: DuplexStream,
    }

    impl Peer {
        async fn sees(&mut self) -> String {
            self.lines.next_line().await.unwrap().unwrap()
        }

        async fn says(&mut self, line: &str) {
            self.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        }
    }

    fn pair() -> (Arc<Connection>, Peer, Arc<LogTail>) {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (writer, reader) = tokio::io::duplex(1 << 20);
        let log = Arc::new(LogTail::default());
        let (connection, _) = Connection::run(reader, ours, Arc::clone(&log));
        (connection, Peer { lines: BufReader::new(theirs).lines(), writer }, log)
    }

    #[tokio::test]
    async fn answers_find_their_requests_in_any_order() {
        let (connection, mut peer, log) = pair();
        let first = connection.request("a", None).await.unwrap();
        let second = connection.request("b", Some(&Bytes::from_static(b"{\n}"))).await.unwrap();
        assert_eq!(peer.sees().await, r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#);
        assert_eq!(peer.sees().await, r#"{"jsonrpc":"2.0","id":2,"method":"b","params":{ }}"#);
        peer.says("noise").await;
        peer.says(r#"{"id":1,"status":"queued"}"#).await;
        peer.says(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#).await;
        peer.says(r#"{"jsonrpc":"2.0","id":2,"error":{"code":1.0,"message":"m","data":1E5}}"#).await;
        peer.says(r#"{"jsonrpc":"2.0","id":1,"result":{"n":1.10}}"#).await;
        assert_eq!(
            second.answer_body().await,
            Some(Body::Error(r#"{"code":1.0,"message":"m","data":1E5}"#.into()))
        );
        assert_eq!(first.answer_body().await, Some(Body::Result(r#"{"n":1.10}"#.into())));
        assert_eq!(log.lines().len(), 3);
    }

    impl Request {
        async fn answer_body(mut self) -> Option<Body> {
            (&mut self.answer).await.ok()
        }
    }

    #[tokio::test]
    async fn progress_comes_with_the_clients_token_and_before_the_answer() {
        let (connection, mut peer, _) = pair();
        let params = Bytes::from_static(br#"{"_meta":{"progressToken":"mine"}}"#);
        let mut request = connection.request("slow", Some(&params)).await.unwrap();
        assert!(peer.sees().await.ends_with(r#""params":{"_meta":{"progressToken":1}}}"#));
        for n in 0..3 {
            peer.says(&format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":1,"progress":{n}}}}}"#
            ))
            .await;
        }
        peer.says(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
        assert!((&mut request.answer).await.is_ok());
        for n in 0..3 {
            let expect = format!(r#"{{"progressToken":"mine","progress":{n}}}"#);
            assert_eq!(request.progress.try_recv().unwrap(), expect.as_bytes());
        }
    }

    #[tokio::test]
    async fn cancelling_tells_the_upstream_and_its_late_answer_is_ignored() {
        let (connection, mut peer, log) = pair();
        let request = connection.request("slow", None).await.unwrap();
        peer.sees().await;
        request.cancel("no longer needed");
        assert!(peer.sees().await.contains(r#""requestId":1"#));
        peer.says(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
        let next = connection.request("x", None).await.unwrap();
        peer.says(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#).await;
        assert!(next.answer_body().await.is_some());
        assert_eq!(log.lines().len(), 1);
    }

    /// An answer nobody can read still ends the request it seems to belong to.
    #[tokio::test]
    async fn broken_answers_end_their_requests() {
        for line in [
            &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"\xff\"}}\n"[..],
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"result\":{}}\n",
            b"{\"result\":{\"half\":,\"jsonrpc\":\"2.0\",\"id\":1}\n",
        ] {
            let (connection, mut peer, _) = pair();
            let request = connection.request("x", None).await.unwrap();
            peer.writer.write_all(line).await.unwrap();
            let Some(Body::Error(error)) = request.answer_body().await else { panic!("{line:?}") };
            assert!(String::from_utf8_lossy(&error).contains("broke the protocol"), "{error:?}");
        }
    }

    #[tokio::test]
    async fn lines_that_are_too_long_are_skipped_and_end_their_requests() {
        let (connection, mut peer, log) = pair();
        let long = connection.request("long", None).await.unwrap();
        let short = connection.request("short", None).await.unwrap();
        let feeding = tokio::spawn(async move {
            peer.writer.write_all(b"{\"result\":\"").await.unwrap();
            let block = vec![b'x'; 1 << 20];
            for _ in 0..=MAX_LINE >> 20 {
                peer.writer.write_all(&block).await.unwrap();
            }
            peer.says("\",\"jsonrpc\":\"2.0\",\"id\":1}").await;
            peer.says(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#).await;
            peer
        });
        let Some(Body::Error(error)) = long.answer_body().await else { panic!("no error") };
        assert!(String::from_utf8_lossy(&error).contains("longer than 64 MB"), "{error:?}");
        assert_eq!(short.answer_body().await, Some(Body::Result("{}".into())));
        assert_eq!(log.lines().len(), 1);
        drop(feeding.await);
    }

    /// An upstream that closed its stdin cannot be asked any more.
    #[tokio::test]
    async fn a_connection_that_cannot_be_written_to_is_closed() {
        let (ours, theirs) = tokio::io::duplex(1 << 10);
        let (_writer, reader) = tokio::io::duplex(1 << 10);
        let (connection, _) = Connection::run(reader, ours, Arc::default());
        drop(theirs);
        let request = connection.request("x", None).await.unwrap();
        assert_eq!(request.answer_body().await, None);
        assert!(connection.is_closed());
    }

    #[tokio::test]
    async fn a_lost_connection_ends_every_request() {
        let (connection, mut peer, _) = pair();
        let request = connection.request("x", None).await.unwrap();
        peer.sees().await;
        drop(peer);
        assert_eq!(request.answer_body().await, None);
        assert!(connection.request("y", None).await.is_err());
    }

    #[tokio::test]
    async fn an_upstream_that_asks_gets_an_answer() {
        let (_connection, mut peer, _) = pair();
        peer.says(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#).await;
        assert_eq!(peer.sees().await, r#"{"jsonrpc":"2.0","id":"p","result":{}}"#);
        peer.says(r#"{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage"}"#).await;
        assert!(peer.sees().await.contains("-32601"));
    }
}
