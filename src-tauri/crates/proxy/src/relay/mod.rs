//! The far end of a stdio client: lines on its side, an instance's endpoint on the other.
//!
//! ```text
//!  stdin ──▶ lines ─┬─ requests, each on a task ─▶ POST ─┐
//!                   └─ the rest, in order ───────▶ POST ─┤ instance: this process or another one
//!  stdout ◀─ one writer ◀─ answers, events ◀──────── GET ┘
//! ```
//!
//! Bytes pass as they are. When the instance goes away the client is introduced to the next one with the
//! words it used itself; what was under way is sent again where that can do no harm, else answered with an
//! error that says so. Owns: which message goes where, and that lines stay whole. Refuses to know: where
//! instances come from ([`Instances`] knows), and what tools are.

mod attachment;
mod handover;
mod introduction;
mod request;

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::upstream::http;
use crate::upstream::lines::{Line, Lines};
use crate::wire::message::{self, Body, Message};
use crate::wire::meta::Meta;
use crate::wire::{Era, RpcError, params};
use attachment::Attachment;
pub use attachment::Place;
use handover::State;
use introduction::Introduction;
use request::Request;

/// Lines that may wait for the client to read them.
const OUTGOING: usize = 64;
/// Notifications and answers of the client that may wait for the instance.
const ERRANDS: usize = 256;
/// Requests under way at a time; further ones wait.
const CONNECTIONS: usize = 256;
/// Requests that may be under way or waiting.
const MAX_REQUESTS: usize = 4_096;
/// Longest message an endpoint takes.
const MAX_MESSAGE: usize = crate::endpoint::MAX_BODY;
/// How long answers under way are waited for when the client has said all.
const LAST_ANSWERS: Duration = Duration::from_secs(2);
/// How long each of the last steps may take after that.
const LAST_STEPS: Duration = Duration::from_secs(1);

/// Who knows where instances are.
pub trait Instances: Send + Sync + 'static {
    /// Where one is reached now, once there is one; or why there is none.
    fn find(&self) -> impl Future<Output = Result<Place, String>> + Send;
}

/// A client and its way to whatever instance there is.
pub(crate) struct Relay<I> {
    instances: I,
    server: Option<String>,
    http: reqwest::Client,
    out: mpsc::Sender<Bytes>,
    errands: mpsc::Sender<Errand>,
    connections: Semaphore,
    state: tokio::sync::Mutex<State>,
    introduction: Mutex<Introduction>,
    /// What the client is asked and did not answer yet.
    asked: Mutex<HashSet<Bytes>>,
    under_way: Mutex<HashMap<u64, UnderWay>>,
    next: AtomicU64,
    /// What is waited for when the client has said all.
    tasks: TaskTracker,
    ended: CancellationToken,
}

/// A message that has no answer.
struct Errand {
    line: Bytes,
    /// Whether the client listens from now on.
    listens: bool,
    _not_yet_done: TaskTrackerToken,
}

struct UnderWay {
    id: Bytes,
    cancel: oneshot::Sender<Bytes>,
}

/// Relays between a client's lines and `/mcp`, or `/mcp/NAME` of a server, until `input` ends, nobody reads
/// `output`, or `stop` is cancelled. Needs a tokio runtime; fails only where no HTTP client is to be had.
pub async fn run<I: Instances>(
    instances: I,
    server: Option<String>,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    stop: CancellationToken,
) -> Result<(), String> {
    let (out, outgoing) = mpsc::channel(OUTGOING);
    let (errands, to_do) = mpsc::channel(ERRANDS);
    let relay = Arc::new(Relay {
        instances,
        server,
        http: http::own_client()?,
        out,
        errands,
        connections: Semaphore::new(CONNECTIONS),
        state: tokio::sync::Mutex::default(),
        introduction: Mutex::default(),
        asked: Mutex::default(),
        under_way: Mutex::default(),
        next: AtomicU64::new(0),
        tasks: TaskTracker::new(),
        ended: CancellationToken::new(),
    });
    let all_told = CancellationToken::new();
    let mut writing = tokio::spawn(write(output, outgoing, all_told.clone()));
    let ended = relay.ended.clone();
    tokio::spawn(ended.clone().run_until_cancelled_owned(Arc::clone(&relay).keep_attached()));
    tokio::spawn(ended.run_until_cancelled_owned(Arc::clone(&relay).run_errands(to_do)));
    let interrupted = tokio::select! {
        () = relay.read(Lines::new(input)) => false,
        _ = &mut writing => true,
        () = stop.cancelled() => true,
    };
    relay.tasks.close();
    if !interrupted {
        let _ = tokio::time::timeout(LAST_ANSWERS, relay.tasks.wait()).await;
    }
    relay.end().await;
    all_told.cancel();
    if !writing.is_finished() {
        let _ = tokio::time::timeout(LAST_STEPS, writing).await;
    }
    Ok(())
}

/// Writes lines, each whole, until nobody reads them or all is told.
async fn write(
    mut output: impl AsyncWrite + Unpin,
    mut lines: mpsc::Receiver<Bytes>,
    all_told: CancellationToken,
) {
    loop {
        let line = tokio::select! {
            biased;
            line = lines.recv() => line,
            () = all_told.cancelled() => None,
        };
        let Some(line) = line else { return };
        let mut line = line.chain(&b"\n"[..]);
        let written = async {
            output.write_all_buf(&mut line).await?;
            output.flush().await
        };
        if written.await.is_err() {
            return;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<I: Instances> Relay<I> {
    pub(crate) fn introduction(&self) -> MutexGuard<'_, Introduction> {
        lock(&self.introduction)
    }

    async fn read(self: &Arc<Self>, mut lines: Lines<impl AsyncRead + Unpin>) {
        while let Some(line) = lines.next().await {
            match line {
                Line::Whole(line) => self.take(line).await,
                Line::TooLong { head, tail } => {
                    let id = message::probable_id(&head, &tail).map(|id| id.to_string());
                    self.complain(id.as_deref().map(str::as_bytes), &too_long()).await;
                }
            }
        }
    }

    /// Takes a line of the client. Of several messages in it each is answered by itself.
    async fn take(self: &Arc<Self>, line: Bytes) {
        match message::batch(&line) {
            Some(Ok(messages)) if self.introduction().has_batches() => {
                for message in messages {
                    self.take_one(message).await;
                }
            }
            _ => self.take_one(line).await,
        }
    }

    /// Takes a message of the client.
    async fn take_one(self: &Arc<Self>, line: Bytes) {
        let message = match Message::parse(&line) {
            Ok(message) => message,
            Err(error) => {
                let id = params::field(&line, "id").map(|found| found.raw);
                let id = id.filter(|id| matches!(id.first(), Some(b'"' | b'-' | b'0'..=b'9')));
                return self.complain(id.as_deref(), &RpcError::no_message(&line, &error)).await;
            }
        };
        match message {
            Message::Request { id, method, params } => self.request(id, method, params, line).await,
            Message::Notification { method, params } => match method.as_str() {
                "notifications/cancelled" => self.cancel(params.as_ref(), line),
                "notifications/initialized" => {
                    self.introduction().complete(line.clone());
                    self.send(line, true).await;
                }
                _ => self.send(line, false).await,
            },
            // An answer to an instance that is gone is nobody's business.
            Message::Response { id, .. } => {
                let known = lock(&self.asked).extract_if(|asked| message::same_id(asked, &id)).count();
                if known > 0 {
                    self.send(line, false).await;
                }
            }
        }
    }

    async fn request(self: &Arc<Self>, id: Bytes, method: String, params: Option<Bytes>, line: Bytes) {
        if line.len() > MAX_MESSAGE {
            return self.complain(Some(&id), &too_long()).await;
        }
        let era = match Meta::of(params.as_ref()).version {
            Some(_) => Era::Modern,
            None => Era::Legacy,
        };
        match (era, method.as_str()) {
            // Before anything that builds on it.
            (Era::Legacy, "initialize") => return self.initialize(&id, line).await,
            // It asks whether we are there.
            (Era::Legacy, "ping") => {
                return self.tell(message::response(&id, &Body::Result(Bytes::from_static(b"{}")))).await;
            }
            (Era::Legacy, other) if other != "server/discover" && self.introduction().hello().is_none() => {
                let error = RpcError::invalid_request("this needs a session; send initialize first");
                return self.complain(Some(&id), &error).await;
            }
            (Era::Legacy, _) => self.introduction().note(&method, params.as_ref(), &line),
            (Era::Modern, _) => {}
        }
        if lock(&self.under_way).len() >= MAX_REQUESTS {
            return self.complain(Some(&id), &RpcError::internal("too many requests are under way")).await;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (cancel, cancelled) = oneshot::channel();
        lock(&self.under_way).insert(number, UnderWay { id: id.clone(), cancel });
        let relay = Arc::clone(self);
        let request = Request::new(id, method, era, line);
        // Streams that last are not waited for.
        let not_yet_done = (!request.lasts()).then(|| self.tasks.token());
        tokio::spawn(async move {
            relay.ended.run_until_cancelled(relay.carry(request, cancelled)).await;
            lock(&relay.under_way).remove(&number);
            drop(not_yet_done);
        });
    }

    /// Cancels a request under way; another one is answered already.
    fn cancel(&self, params: Option<&Bytes>, line: Bytes) {
        let Some(id) = params.and_then(|params| params::field(params, "requestId")) else { return };
        let mut under_way = lock(&self.under_way);
        let number = under_way
            .iter()
            .find(|(_, request)| message::same_id(&request.id, &id.raw))
            .map(|(number, _)| *number);
        if let Some(request) = number.and_then(|number| under_way.remove(&number)) {
            // It may end this very moment.
            let _ = request.cancel.send(line);
        }
    }

    async fn send(&self, line: Bytes, listens: bool) {
        let errand = Errand { line, listens, _not_yet_done: self.tasks.token() };
        // The queue ends with the relay.
        let _ = self.errands.send(errand).await;
    }

    async fn run_errands(self: Arc<Self>, mut errands: mpsc::Receiver<Errand>) {
        while let Some(errand) = errands.recv().await {
            let attachment = self.deliver(errand.line).await;
            attachment.filter(|_| errand.listens).into_iter().for_each(|attachment| self.listen(attachment));
        }
    }

    /// Answers what cannot be passed on.
    async fn complain(&self, id: Option<&[u8]>, error: &RpcError) {
        self.tell(message::refusal(id, &error.body())).await;
    }

    /// Writes a message to the client. Waits while it does not read.
    pub(crate) async fn tell(&self, message: Bytes) {
        // Nobody reads any more: then all of this ends.
        let _ = self.out.send(message::one_line(message)).await;
    }

    /// Passes on a message of an instance that answers nothing.
    pub(crate) async fn pass_on(&self, attachment: &Attachment, message: &Message, bytes: Bytes) {
        match message {
            Message::Request { id, .. } if !attachment.over.is_cancelled() => {
                lock(&self.asked).insert(id.clone());
            }
            Message::Notification { method, params } => {
                if method == "notifications/cancelled"
                    && let Some(id) = params.as_ref().and_then(|params| params::field(params, "requestId"))
                {
                    lock(&self.asked).retain(|asked| !message::same_id(asked, &id.raw));
                }
            }
            // Nobody waits for it.
            _ => return,
        }
        self.tell(bytes).await;
    }
}

fn too_long() -> RpcError {
    RpcError::invalid_request(format!("the message is longer than {} MB", MAX_MESSAGE >> 20))
}
