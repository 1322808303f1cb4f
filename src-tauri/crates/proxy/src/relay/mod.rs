//! The relay of a stdio client: lines on the client's side, the endpoint of an instance on the other.
//!
//! ```text
//!  stdin ──▶ lines ─┬─ requests, each on a task ─▶ POST ─┐
//!                   └─ the rest, in order ───────▶ POST ─┤ instance: this process or another one
//!  stdout ◀─ one writer ◀─ answers, events ◀──────── GET ┘
//! ```
//!
//! Bytes pass unchanged. When the instance ends, the relay repeats the client's own introduction to the next one.
//! Requests in progress are sent again if that is harmless, else answered with an error that says so. [`Instances`]
//! finds or starts instances.

mod attachment;
mod handover;
mod http;
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

use crate::upstream::transport::http::own_client;
use crate::upstream::transport::lines::{Line, Lines};
use crate::wire::message::{self, Body, Message};
use crate::wire::meta::Meta;
use crate::wire::{Era, RpcError, params};
use attachment::Attachment;
pub use attachment::InstanceAddress;
use handover::AttachmentState;
pub use http::HttpRelay;
use introduction::Introduction;
use request::RelayedRequest;

/// Lines that wait for the client to read them.
const OUTGOING_BUFFER: usize = 64;
/// Notifications and answers of the client that wait for the instance.
const ONE_WAY_BUFFER: usize = 256;
/// Limit of requests sent at a time; further ones wait.
const MAX_CONNECTIONS: usize = 256;
/// Limit of requests sent or waiting; further ones are rejected.
const MAX_REQUESTS: usize = 4_096;
/// Length of the longest message that an endpoint accepts.
const MAX_MESSAGE: usize = crate::endpoint::MAX_BODY;
/// How long answers are waited for after the client closed its output.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);
/// Limit of each step of the shutdown after that.
const SHUTDOWN_STEP_TIMEOUT: Duration = Duration::from_secs(1);

/// Finds the running instance, or starts one.
pub trait Instances: Send + Sync + 'static {
    /// Waits for an instance and returns its address, or the reason why there is none.
    fn find(&self) -> impl Future<Output = Result<InstanceAddress, String>> + Send;
}

/// The relay of one client.
pub(crate) struct Relay<I> {
    instances: I,
    server: Option<String>,
    http: reqwest::Client,
    out: mpsc::Sender<Bytes>,
    one_way: mpsc::Sender<OneWayMessage>,
    connections: Semaphore,
    state: tokio::sync::Mutex<AttachmentState>,
    introduction: Mutex<Introduction>,
    /// Ids of open questions to the client.
    questions: Mutex<HashSet<Bytes>>,
    under_way: Mutex<HashMap<u64, RequestHandle>>,
    next: AtomicU64,
    /// Tasks that are waited for after the client closed its output.
    tasks: TaskTracker,
    ended: CancellationToken,
}

/// A message that has no answer.
struct OneWayMessage {
    line: Bytes,
    /// Whether this completes the handshake, after which the client gets notifications.
    listens: bool,
    _not_yet_done: TaskTrackerToken,
}

struct RequestHandle {
    id: Bytes,
    cancel: oneshot::Sender<Bytes>,
}

/// Relays between a client's lines and `/mcp`, or `/mcp/NAME` for a server, until `input` ends, `output` is closed or
/// `stop` is cancelled. Needs a tokio runtime. Fails only if no HTTP client can be created.
pub async fn run<I: Instances>(
    instances: I,
    server: Option<String>,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    stop: CancellationToken,
) -> Result<(), String> {
    let (out, outgoing) = mpsc::channel(OUTGOING_BUFFER);
    let (one_way, to_do) = mpsc::channel(ONE_WAY_BUFFER);
    let relay = Arc::new(Relay {
        instances,
        server,
        http: own_client()?,
        out,
        one_way,
        connections: Semaphore::new(MAX_CONNECTIONS),
        state: tokio::sync::Mutex::default(),
        introduction: Mutex::default(),
        questions: Mutex::default(),
        under_way: Mutex::default(),
        next: AtomicU64::new(0),
        tasks: TaskTracker::new(),
        ended: CancellationToken::new(),
    });
    let all_written = CancellationToken::new();
    let mut writing = tokio::spawn(write(output, outgoing, all_written.clone()));
    let ended = relay.ended.clone();
    tokio::spawn(ended.clone().run_until_cancelled_owned(Arc::clone(&relay).keep_attached()));
    tokio::spawn(ended.run_until_cancelled_owned(Arc::clone(&relay).deliver_one_way(to_do)));
    let interrupted = tokio::select! {
        () = relay.read(Lines::new(input)) => false,
        _ = &mut writing => true,
        () = stop.cancelled() => true,
    };
    relay.tasks.close();
    if !interrupted {
        let _ = tokio::time::timeout(DRAIN_TIMEOUT, relay.tasks.wait()).await;
    }
    relay.end().await;
    all_written.cancel();
    if !writing.is_finished() {
        let _ = tokio::time::timeout(SHUTDOWN_STEP_TIMEOUT, writing).await;
    }
    Ok(())
}

/// Writes lines until the output is closed or all are written.
async fn write(
    mut output: impl AsyncWrite + Unpin,
    mut lines: mpsc::Receiver<Bytes>,
    all_written: CancellationToken,
) {
    loop {
        let line = tokio::select! {
            biased;
            line = lines.recv() => line,
            () = all_written.cancelled() => None,
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
                    self.answer_with_error(id.as_deref().map(str::as_bytes), &too_long()).await;
                }
            }
        }
    }

    /// Handles a line of the client. The messages of a batch are answered one by one.
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

    /// Handles a message of the client.
    async fn take_one(self: &Arc<Self>, line: Bytes) {
        let message = match Message::parse(&line) {
            Ok(message) => message,
            Err(error) => {
                let id = params::field(&line, "id").map(|found| found.raw);
                let id = id.filter(|id| matches!(id.first(), Some(b'"' | b'-' | b'0'..=b'9')));
                return self.answer_with_error(id.as_deref(), &RpcError::not_a_message(&line, &error)).await;
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
            // Answers for an instance that has ended are dropped.
            Message::Response { id, .. } => {
                let known =
                    lock(&self.questions).extract_if(|question| message::same_id(question, &id)).count();
                if known > 0 {
                    self.send(line, false).await;
                }
            }
        }
    }

    async fn request(self: &Arc<Self>, id: Bytes, method: String, params: Option<Bytes>, line: Bytes) {
        if line.len() > MAX_MESSAGE {
            return self.answer_with_error(Some(&id), &too_long()).await;
        }
        let era = match Meta::of(params.as_ref()).version {
            Some(_) => Era::Modern,
            None => Era::Legacy,
        };
        match (era, method.as_str()) {
            // Completed before the next line is read, which may depend on it.
            (Era::Legacy, "initialize") => return self.initialize(&id, line).await,
            // The client checks whether the relay is alive.
            (Era::Legacy, "ping") => {
                return self
                    .send_to_client(message::response(&id, &Body::Result(Bytes::from_static(b"{}"))))
                    .await;
            }
            (Era::Legacy, other) if other != "server/discover" && self.introduction().hello().is_none() => {
                let error = RpcError::invalid_request("this method needs a session; send initialize first");
                return self.answer_with_error(Some(&id), &error).await;
            }
            (Era::Legacy, _) => self.introduction().note(&method, params.as_ref(), &line),
            (Era::Modern, _) => {}
        }
        if lock(&self.under_way).len() >= MAX_REQUESTS {
            return self.answer_with_error(Some(&id), &RpcError::internal(TOO_MANY_REQUESTS)).await;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (cancel, cancelled) = oneshot::channel();
        lock(&self.under_way).insert(number, RequestHandle { id: id.clone(), cancel });
        let relay = Arc::clone(self);
        let request = RelayedRequest::new(id, method, era, line);
        // Long-lived streams are not waited for.
        let not_yet_done = (!request.lasts()).then(|| self.tasks.token());
        tokio::spawn(async move {
            relay.ended.run_until_cancelled(relay.run_request(request, cancelled)).await;
            lock(&relay.under_way).remove(&number);
            drop(not_yet_done);
        });
    }

    /// Cancels a request in progress. An unknown id belongs to one that was already answered.
    fn cancel(&self, params: Option<&Bytes>, line: Bytes) {
        let Some(id) = params.and_then(|params| params::field(params, "requestId")) else { return };
        let mut under_way = lock(&self.under_way);
        let number = under_way
            .iter()
            .find(|(_, request)| message::same_id(&request.id, &id.raw))
            .map(|(number, _)| *number);
        if let Some(request) = number.and_then(|number| under_way.remove(&number)) {
            // Fails if the request has just ended.
            let _ = request.cancel.send(line);
        }
    }

    async fn send(&self, line: Bytes, listens: bool) {
        let message = OneWayMessage { line, listens, _not_yet_done: self.tasks.token() };
        // The queue ends with the relay.
        let _ = self.one_way.send(message).await;
    }

    async fn deliver_one_way(self: Arc<Self>, mut one_way: mpsc::Receiver<OneWayMessage>) {
        while let Some(message) = one_way.recv().await {
            let attachment = self.deliver(message.line).await;
            attachment.filter(|_| message.listens).into_iter().for_each(|attachment| self.listen(attachment));
        }
    }

    /// Answers with an error a line that cannot be passed on.
    async fn answer_with_error(&self, id: Option<&[u8]>, error: &RpcError) {
        self.send_to_client(message::error_response(id, &error.body())).await;
    }

    /// Writes a message to the client. Waits while it does not read.
    pub(crate) async fn send_to_client(&self, message: Bytes) {
        // Fails if the output is closed; then the relay ends.
        let _ = self.out.send(message::one_line(message)).await;
    }

    /// Passes on a request or notification of an instance.
    pub(crate) async fn pass_on(&self, attachment: &Attachment, message: &Message, bytes: Bytes) {
        match message {
            Message::Request { id, .. } if !attachment.replaced.is_cancelled() => {
                lock(&self.questions).insert(id.clone());
            }
            Message::Notification { method, params } => {
                if method == "notifications/cancelled"
                    && let Some(id) = params.as_ref().and_then(|params| params::field(params, "requestId"))
                {
                    lock(&self.questions).retain(|question| !message::same_id(question, &id.raw));
                }
            }
            // A request of a replaced instance, or an answer to no request.
            _ => return,
        }
        self.send_to_client(bytes).await;
    }
}

const TOO_MANY_REQUESTS: &str =
    "too many requests are in progress (limit: 4,096); the request was not carried out";

fn too_long() -> RpcError {
    RpcError::invalid_request(format!(
        "the message is longer than {} MB, the limit; it was not processed",
        MAX_MESSAGE >> 20
    ))
}
