//! One JSON-RPC link to an upstream, whatever carries its messages.
//!
//! Owns: ids, which answer belongs to which request, whose business a message from the upstream is, and
//! that nothing overtakes the answer it came before. Refuses to know: handshakes, tools, processes, HTTP,
//! and what the messages say.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::log::LogTail;
use crate::bridge;
use crate::exchange::{Ask, Event, Outbox};
use crate::wire::message::{self, Body, Message};
use crate::wire::{RpcError, Who, meta, params};

/// Messages that may wait for an upstream to take them.
const OUTGOING: usize = 64;
/// Events of a request that may wait for a slow client; further ones are dropped.
const EVENTS: usize = 256;
/// Notifications that may wait for a slow listener; it is told how many it missed.
const NOTIFICATIONS: usize = 256;
/// Questions of an upstream that may be open at a time.
const MAX_ASKS: usize = 256;

/// A notification an upstream sent on its own account.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Notification {
    pub(crate) method: String,
    pub(crate) params: Option<Bytes>,
}

/// A message on its way to the upstream.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) bytes: Bytes,
    pub(crate) kind: Kind,
}

/// What a carrier must know of a message besides its bytes.
#[derive(Debug)]
pub(crate) enum Kind {
    Request {
        id: u64,
        /// What a carrier that has headers says there.
        head: Option<Box<Head>>,
        /// Cancelled when nobody waits for its answer any longer.
        gone: CancellationToken,
    },
    /// Says that a request is no longer wanted.
    Cancel,
    /// A notification, or an answer to the upstream.
    Other,
}

/// What of a request stands in headers as well.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) method: String,
    pub(crate) name: Option<String>,
    /// Arguments the tool marks.
    pub(crate) arguments: Vec<(String, String)>,
}

#[derive(Debug)]
pub(crate) struct Link {
    outgoing: mpsc::Sender<Outgoing>,
    next: AtomicU64,
    pending: Mutex<HashMap<u64, Pending>>,
    /// What the upstream asks that is not answered yet, by its id.
    asked: Mutex<HashMap<Bytes, CancellationToken>>,
    notifications: broadcast::Sender<Notification>,
    /// Where goes what belongs to no request, if the link serves one client only.
    owner: Option<Outbox>,
    /// The client as it was introduced, which says what it can be asked.
    who: Who,
    /// Whether each request has a stream of its own.
    streams: bool,
    closed: CancellationToken,
    forgotten: AtomicBool,
    log: Arc<LogTail>,
    noise: AtomicU64,
    dropped: AtomicU64,
}

#[derive(Debug)]
struct Pending {
    /// Made by us, for ourselves.
    own: bool,
    /// Whether it is a client's, and of a kind the upstream may say or ask something for.
    speaks: bool,
    /// The client's own progress token, as sent, to be put back.
    token: Option<Bytes>,
    /// The client's own id, where notifications carry it.
    subscription: Option<Bytes>,
    /// Withdraws what is asked on its account; goes with it.
    asks: DropGuard,
    events: mpsc::Sender<Event>,
    answer: oneshot::Sender<Answered>,
}

/// The upstream's answer, or why there is none.
pub(crate) type Answered = Result<Body, Lost>;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lost {
    /// In plain words.
    pub(crate) reason: String,
    /// Whether the upstream cannot have begun with it, so that it may be sent again.
    pub(crate) was_refused: bool,
}

/// A request to be sent.
#[derive(Debug, Default)]
pub(crate) struct Asked<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: Option<&'a Bytes>,
    pub(crate) head: Option<Box<Head>>,
    /// Made by us, for ourselves.
    pub(crate) own: bool,
    /// The client's own id, where it opens a subscription.
    pub(crate) subscription: Option<Bytes>,
}

/// A request under way. Dropping it forgets the request; the upstream is told by [`Request::cancel`].
#[derive(Debug)]
pub(crate) struct Request {
    id: u64,
    link: Arc<Link>,
    /// Whether the upstream may be told that it is no longer wanted.
    cancellable: bool,
    _gone: DropGuard,
    /// What the upstream says and asks meanwhile.
    pub(crate) events: mpsc::Receiver<Event>,
    /// The answer; closed without one when the link is lost.
    pub(crate) answer: oneshot::Receiver<Answered>,
}

/// The link is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Closed;

impl Link {
    /// A link and the messages that a carrier must take from it. With an owner it serves that client alone,
    /// which may be asked.
    pub(crate) fn new(
        log: Arc<LogTail>,
        owner: Option<Outbox>,
        who: Who,
        streams: bool,
    ) -> (Arc<Self>, mpsc::Receiver<Outgoing>) {
        let (outgoing, messages) = mpsc::channel(OUTGOING);
        let link = Self {
            outgoing,
            next: AtomicU64::new(1),
            pending: Mutex::default(),
            asked: Mutex::default(),
            notifications: broadcast::Sender::new(NOTIFICATIONS),
            owner,
            who,
            streams,
            closed: CancellationToken::new(),
            forgotten: AtomicBool::new(false),
            log,
            noise: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
        };
        (Arc::new(link), messages)
    }

    /// Sends a request. A progress token in `params` is replaced by one of ours, so that clients
    /// sharing the link cannot collide.
    pub(crate) async fn request(self: &Arc<Self>, asked: Asked<'_>) -> Result<Request, Closed> {
        let Asked { method, params, head, own, subscription } = asked;
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let token = params::Seen::of(params).progress_token;
        let params = match (params, &token) {
            (Some(params), Some(token)) => {
                Some(params::splice(params, vec![(token.range.clone(), id.to_string().into_bytes())]))
            }
            (params, _) => params.cloned(),
        };
        let (event_sender, events) = mpsc::channel(EVENTS);
        let (answer_sender, answer) = oneshot::channel();
        let token = token.map(|token| token.raw);
        let speaks = !own && bridge::may_ask(method);
        let asks = CancellationToken::new().drop_guard();
        let pending =
            Pending { own, speaks, token, subscription, asks, events: event_sender, answer: answer_sender };
        self.pending().insert(id, pending);
        let gone = CancellationToken::new();
        let cancellable = method != "initialize";
        let link = Arc::clone(self);
        let request = Request { id, link, cancellable, _gone: gone.clone().drop_guard(), events, answer };
        let bytes = message::request(id, method, params.as_deref());
        self.send(bytes, Kind::Request { id, head, gone }).await?;
        // Closing empties the table; a request that came in just behind it would wait for ever.
        if self.is_closed() { Err(Closed) } else { Ok(request) }
    }

    pub(crate) async fn notify(&self, method: &str, params: Option<&Bytes>) -> Result<(), Closed> {
        self.send(message::notification(method, params.map(AsRef::as_ref)), Kind::Other).await
    }

    async fn send(&self, bytes: Bytes, kind: Kind) -> Result<(), Closed> {
        self.outgoing.send(Outgoing { bytes, kind }).await.map_err(|_| Closed)
    }

    /// Notifications from now on that belong to no request.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Notification> {
        self.notifications.subscribe()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.is_cancelled()
    }

    /// Waits until the link is gone.
    pub(crate) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// Messages so far that were none.
    pub(crate) fn noise(&self) -> u64 {
        self.noise.load(Ordering::Relaxed)
    }

    /// Requests so far.
    pub(crate) fn requests(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// Whether no request is under way but for our own.
    pub(crate) fn is_idle(&self) -> bool {
        self.pending().values().all(|pending| pending.own)
    }

    /// Hands an event on unless the receiver is too far behind; what is dropped is counted.
    pub(crate) fn pass(&self, to: &mpsc::Sender<Event>, event: Event) {
        if let Err(mpsc::error::TrySendError::Full(_)) = to.try_send(event) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Events dropped so far because a client was too slow.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<u64, Pending>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<Bytes, CancellationToken>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends every request under way and tells the carrier to end.
    pub(crate) fn close(&self) {
        self.closed.cancel();
        self.pending().clear();
        self.asked().drain().for_each(|(_, withdrawn)| withdrawn.cancel());
    }

    /// Takes a message of the upstream; `origin` is the request on whose stream it came, where there is one.
    pub(crate) fn receive(self: &Arc<Self>, bytes: &Bytes, origin: Option<u64>) {
        match message::batch(bytes) {
            // Some versions have several messages in one; others may do as they like, it is clear what is meant.
            Some(Ok(messages)) if messages.iter().all(|message| message.starts_with(b"{")) => {
                messages.iter().for_each(|message| self.receive_one(message, origin));
            }
            _ => self.receive_one(bytes, origin),
        }
    }

    fn receive_one(self: &Arc<Self>, bytes: &Bytes, origin: Option<u64>) {
        match Message::parse(bytes) {
            // On a request's own stream nothing else is answered.
            Ok(Message::Response { id, .. }) if origin.is_some_and(|origin| !is_id(&id, origin)) => {
                self.log.push(&[b"(answer to another request on a request's stream) ", id.as_ref()].concat());
            }
            Ok(Message::Response { id, body }) => self.answer(&id, body),
            Ok(Message::Notification { method, params }) => self.notified(method, params, origin),
            Ok(Message::Request { id, method, params }) => self.ask(&id, method, params, origin),
            Err(error) => {
                self.noise.fetch_add(1, Ordering::Relaxed);
                self.log.push(&[b"(not a message) ", bytes.as_ref()].concat());
                // Noise may have an "id" too; only what means to be a message answers anybody.
                if memchr::memmem::find(bytes, b"\"jsonrpc\"").is_some() {
                    self.refuse(bytes, bytes, &format!("its answer is not a JSON-RPC message: {error}"));
                }
            }
        }
    }

    /// Notes a message of which only the ends were kept.
    pub(crate) fn refuse_too_long(&self, head: &[u8], tail: &[u8]) {
        self.log.push(b"(a line longer than 64 MB was skipped)");
        self.refuse(head, tail, "its answer is longer than 64 MB");
    }

    /// Ends the request that a broken message seems to answer, if there is one.
    fn refuse(&self, head: &[u8], tail: &[u8], reason: &str) {
        if let Some(id) = message::probable_id(head, tail) {
            let error = RpcError::internal(format!("the upstream broke the protocol: {reason}"));
            self.end(id, Ok(error.body()));
        }
    }

    /// Ends a request whose answer was lost on its way.
    pub(crate) fn lose(&self, id: u64, lost: Lost) {
        self.end(id, Err(lost));
    }

    /// Closes it because the upstream does not know it any more, as it said to the request with this id.
    pub(crate) fn close_forgotten(&self, id: Option<u64>, reason: String) {
        let refused = id.and_then(|id| self.pending().remove(&id));
        self.forgotten.store(true, Ordering::Relaxed);
        self.close();
        // Behind that, so that it is not sent on this one again.
        if let Some(refused) = refused {
            let _ = refused.answer.send(Err(Lost { reason, was_refused: true }));
        }
    }

    /// Whether that is why it is closed.
    pub(crate) fn is_forgotten(&self) -> bool {
        self.forgotten.load(Ordering::Relaxed)
    }

    fn end(&self, id: u64, answer: Answered) {
        if let Some(pending) = self.pending().remove(&id) {
            let _ = pending.answer.send(answer);
        }
    }

    /// The upstream ended a request's stream for now, and may have said for how many milliseconds.
    pub(crate) fn pause(&self, id: u64, retry: Option<u64>) {
        if let Some(pending) = self.pending().get(&id) {
            self.pass(&pending.events, Event::Pause { retry });
        }
    }

    /// Whether a request still waits for its answer.
    pub(crate) fn awaits(&self, id: u64) -> bool {
        self.pending().contains_key(&id)
    }

    fn answer(&self, id: &[u8], body: Body) {
        match message::number(id).and_then(|number| self.pending().remove(&number)) {
            // The caller may have gone meanwhile.
            Some(pending) => drop(pending.answer.send(Ok(body))),
            None => self.log.push(&[b"(answer to an unknown or cancelled request) ", id].concat()),
        }
    }

    fn notified(&self, method: String, params: Option<Bytes>, origin: Option<u64>) {
        match method.as_str() {
            "notifications/progress" => self.progress(method, params),
            "notifications/cancelled" => self.withdrawn(params.as_ref()),
            // The list is the same for everybody.
            "notifications/tools/list_changed"
            | "notifications/prompts/list_changed"
            | "notifications/resources/list_changed"
            | "notifications/resources/updated"
            | "notifications/subscriptions/acknowledged" => {
                if !self.subscribed(&method, params.as_ref()) {
                    self.tell_all(method, params);
                }
            }
            // It concerns whoever made the task, and no request of the moment.
            "notifications/tasks/status" if origin.is_none() => self.tell_all(method, params),
            _ => match self.whose(origin) {
                Some(events) => self.pass(&events, Event::Notification { method, params }),
                None => self.tell_all(method, params),
            },
        }
    }

    /// Tells whoever listens.
    pub(crate) fn tell_all(&self, method: String, params: Option<Bytes>) {
        if let Some(owner) = &self.owner {
            self.pass(owner.news(), Event::Notification { method: method.clone(), params: params.clone() });
        }
        // Nobody listening is fine.
        let _ = self.notifications.send(Notification { method, params });
    }

    fn progress(&self, method: String, params: Option<Bytes>) {
        let Some(params) = params else { return };
        let Some(token) = params::field(&params, "progressToken") else { return };
        let Some(id) = std::str::from_utf8(&token.raw).ok().and_then(|id| id.parse().ok()) else { return };
        if let Some(Pending { token: Some(own), events, .. }) = self.pending().get(&id) {
            let params = params::splice(&params, vec![(token.range, own.to_vec())]);
            self.pass(events, Event::Notification { method, params: Some(params) });
        }
    }

    /// Hands a notification to the subscription it names; whether it names one.
    fn subscribed(&self, method: &str, params: Option<&Bytes>) -> bool {
        let found = params.and_then(|params| {
            let meta = params::field(params, "_meta")?;
            let named = params::field(&meta.raw, meta::SUBSCRIPTION)?;
            let start = meta.range.start + named.range.start;
            let id = std::str::from_utf8(&named.raw).ok()?.trim_matches('"').parse::<u64>().ok()?;
            Some((params, start..start + named.raw.len(), id))
        });
        let Some((params, range, id)) = found else { return false };
        if let Some(Pending { subscription: Some(own), events, .. }) = self.pending().get(&id) {
            let params = Some(params::splice(params, vec![(range, own.to_vec())]));
            self.pass(events, Event::Notification { method: method.to_owned(), params });
        }
        true
    }

    /// To which request something belongs that names none: the one on whose stream it came, or the only one
    /// under way.
    fn whose(&self, origin: Option<u64>) -> Option<mpsc::Sender<Event>> {
        let pending = self.pending();
        self.request_of(&pending, origin).map(|pending| pending.events.clone())
    }

    fn request_of<'a>(&self, pending: &'a HashMap<u64, Pending>, origin: Option<u64>) -> Option<&'a Pending> {
        if let Some(id) = origin {
            return pending.get(&id);
        }
        let speaking = || pending.iter().filter(|(_, pending)| pending.speaks);
        let mut clients = speaking();
        match (clients.next(), clients.next()) {
            (Some((_, only)), None) => Some(only),
            // All of one client: any of its requests will do.
            (Some(_), Some(_)) if self.owner.is_some() => {
                speaking().max_by_key(|(id, _)| **id).map(|(_, newest)| newest)
            }
            _ => None,
        }
    }

    /// Where a question goes, and what withdraws it: the end of the request it belongs to. In a session of a
    /// client's own that cannot be told from the way it came; it stays.
    fn asked_on(&self, origin: Option<u64>) -> Option<(mpsc::Sender<Event>, CancellationToken)> {
        let pending = self.pending();
        match (self.request_of(&pending, origin), &self.owner) {
            (Some(request), owner) => {
                let tied = origin.is_some() || owner.is_none();
                let withdrawn =
                    if tied { request.asks.token().child_token() } else { CancellationToken::new() };
                Some((request.events.clone(), withdrawn))
            }
            (None, Some(owner)) => Some((owner.asks().clone(), CancellationToken::new())),
            (None, None) => None,
        }
    }

    /// Takes a question of the upstream.
    fn ask(self: &Arc<Self>, id: &Bytes, method: String, params: Option<Bytes>, origin: Option<u64>) {
        let refused = |body: Body| {
            // An upstream that asks without reading the answers must not hold up its own results.
            let _ =
                self.outgoing.try_send(Outgoing { bytes: message::response(id, &body), kind: Kind::Other });
        };
        if method == "ping" {
            return refused(Body::Result(Bytes::from_static(b"{}")));
        }
        // Over a stream of a request's own a question would have come there: it is nobody's.
        let known = !self.streams || origin.is_some() || self.owner.is_some();
        let to = self.asked_on(origin).filter(|_| known && self.who.may_be_asked_for(&method));
        let Some((to, withdrawn)) = to else {
            return refused(RpcError::method_not_found(&method).body());
        };
        if self.asked().len() >= MAX_ASKS {
            return refused(RpcError::internal("too many questions are open").body());
        }
        let (answer, answered) = oneshot::channel();
        // A copy: it may wait for long, and must not keep what it came with.
        let id = Bytes::copy_from_slice(id);
        self.asked().insert(id.clone(), withdrawn.clone());
        let (link, over) = (Arc::clone(self), withdrawn.clone());
        tokio::spawn(async move {
            let body = tokio::select! {
                body = answered => body.unwrap_or_else(|_| {
                    RpcError::internal("the client cannot be asked, or went away").body()
                }),
                () = over.cancelled() => RpcError::internal("the request this was asked for has ended").body(),
                () = link.closed() => return,
            };
            // Unless the upstream itself does not want it any more.
            let wanted = link.asked().remove(&id).is_some();
            if wanted {
                let _ = link.send(message::response(&id, &body), Kind::Other).await;
            }
        });
        let ask = Event::Ask(Ask { method, params, withdrawn, answer });
        // Dropping it answers it.
        self.pass(&to, ask);
    }

    /// The upstream no longer wants an answer to what it asked, or ends a subscription.
    fn withdrawn(&self, params: Option<&Bytes>) {
        let named = params.and_then(|params| params::field(params, "requestId"));
        if let Some(id) = named.as_ref().and_then(|named| message::number(&named.raw)) {
            let mut pending = self.pending();
            if pending.get(&id).is_some_and(|pending| pending.subscription.is_some()) {
                pending.remove(&id);
            }
        }
        let Some(named) = named else { return };
        self.asked().retain(|id, withdrawn| {
            let same = message::same_id(id, &named.raw);
            if same {
                withdrawn.cancel();
            }
            !same
        });
    }
}

fn is_id(id: &[u8], number: u64) -> bool {
    message::number(id) == Some(number)
}

impl Drop for Request {
    /// Tells the upstream that nobody waits any longer, unless it has answered. One that does not read is not
    /// waited for: it would not read this either.
    fn drop(&mut self) {
        let unanswered = self.link.pending().remove(&self.id).is_some();
        if unanswered && self.cancellable {
            let params = serde_json::json!({"requestId": self.id, "reason": "no longer wanted"}).to_string();
            let bytes = message::notification("notifications/cancelled", Some(params.as_bytes()));
            let _ = self.link.outgoing.try_send(Outgoing { bytes, kind: Kind::Cancel });
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

    use super::super::lines::{self, MAX_LINE};
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

    fn pair() -> (Arc<Link>, Peer, Arc<LogTail>) {
        pair_for(Who::nobody())
    }

    fn pair_for(who: Who) -> (Arc<Link>, Peer, Arc<LogTail>) {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (writer, reader) = tokio::io::duplex(1 << 20);
        let log = Arc::new(LogTail::default());
        let (link, messages) = Link::new(Arc::clone(&log), None, who, false);
        lines::run(&link, messages, reader, ours);
        (link, Peer { lines: BufReader::new(theirs).lines(), writer }, log)
    }

    #[tokio::test]
    async fn answers_find_their_requests_in_any_order() {
        let (connection, mut peer, log) = pair();
        let first = ask(&connection, "a", None).await.unwrap();
        let second = ask(&connection, "b", Some(&Bytes::from_static(b"{\n}"))).await.unwrap();
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

    async fn ask(link: &Arc<Link>, method: &str, params: Option<&Bytes>) -> Result<Request, Closed> {
        link.request(Asked { method, params, ..Asked::default() }).await
    }

    impl Request {
        async fn answer_body(mut self) -> Option<Body> {
            (&mut self.answer).await.ok()?.ok()
        }
    }

    #[tokio::test]
    async fn progress_comes_with_the_clients_token_and_before_the_answer() {
        let (connection, mut peer, _) = pair();
        let params = Bytes::from_static(br#"{"_meta":{"progressToken":"mine"}}"#);
        let mut request = ask(&connection, "slow", Some(&params)).await.unwrap();
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
            let Ok(Event::Notification { method, params }) = request.events.try_recv() else { panic!() };
            assert_eq!(
                (method.as_str(), params.unwrap().as_ref()),
                ("notifications/progress", expect.as_bytes())
            );
        }
    }

    #[tokio::test]
    async fn cancelling_tells_the_upstream_and_its_late_answer_is_ignored() {
        let (connection, mut peer, log) = pair();
        let request = ask(&connection, "slow", None).await.unwrap();
        peer.sees().await;
        drop(request);
        assert!(peer.sees().await.contains(r#""requestId":1"#));
        peer.says(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
        let next = ask(&connection, "x", None).await.unwrap();
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
            let request = ask(&connection, "x", None).await.unwrap();
            peer.writer.write_all(line).await.unwrap();
            let Some(Body::Error(error)) = request.answer_body().await else { panic!("{line:?}") };
            assert!(String::from_utf8_lossy(&error).contains("broke the protocol"), "{error:?}");
        }
    }

    #[tokio::test]
    async fn lines_that_are_too_long_are_skipped_and_end_their_requests() {
        let (connection, mut peer, log) = pair();
        let long = ask(&connection, "long", None).await.unwrap();
        let short = ask(&connection, "short", None).await.unwrap();
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
        let (connection, messages) = Link::new(Arc::default(), None, Who::nobody(), false);
        lines::run(&connection, messages, reader, ours);
        drop(theirs);
        let request = ask(&connection, "x", None).await.unwrap();
        assert_eq!(request.answer_body().await, None);
        assert!(connection.is_closed());
    }

    #[tokio::test]
    async fn a_lost_connection_ends_every_request() {
        let (connection, mut peer, _) = pair();
        let request = ask(&connection, "x", None).await.unwrap();
        peer.sees().await;
        drop(peer);
        assert_eq!(request.answer_body().await, None);
        assert!(ask(&connection, "y", None).await.is_err());
    }

    /// What an upstream asks for a request that it then answers need not be answered any more.
    #[tokio::test]
    async fn questions_end_with_their_request() {
        let who = Who { capabilities: r#"{"roots":{}}"#.into(), ..Who::nobody() };
        let (connection, mut peer, _) = pair_for(who);
        let mut request = ask(&connection, "tools/call", None).await.unwrap();
        peer.sees().await;
        peer.says(r#"{"jsonrpc":"2.0","id":"q","method":"roots/list"}"#).await;
        let Some(Event::Ask(question)) = request.events.recv().await else { panic!("not asked") };
        assert!(!question.withdrawn.is_cancelled());
        peer.says(r#"{"jsonrpc":"2.0","id":"other","method":"sampling/createMessage"}"#).await;
        assert!(peer.sees().await.contains("-32601"), "it cannot be asked that");
        peer.says(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
        question.withdrawn.cancelled().await;
        assert!(peer.sees().await.contains("has ended"));
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
