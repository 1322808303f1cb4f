//! Transport over Streamable HTTP.
//!
//! Decides which message goes into which request, keeps the upstream's session, resumes a stream that broke off
//! (2025-11-25), and closes the stream of a cancelled request (2026-07-28).

mod client;
mod streams;
mod words;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{BoxFuture, Connection, Messages, Transport};
use crate::config::HttpSpec;
use crate::upstream::link::{Head, Kind, Link, Lost, Outgoing};
use crate::wire::message::{Body, Message};
use crate::wire::version::MODERN;
use crate::wire::{Era, error, headers, params};
pub(crate) use client::{client, own_client};
use schemascope_json::sse::MAX_EVENT;
pub(crate) use words::plain;
use words::refusal;

/// Limit for connecting, and for delivering a message that has no answer.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the next message waits for the delivery of one that has no answer, so that they arrive in order.
const ORDER_TIMEOUT: Duration = Duration::from_secs(1);
/// How long the request that ends the upstream's session may take.
const END_SESSION_TIMEOUT: Duration = Duration::from_secs(2);
/// The same when Schemascope itself ends.
const HURRIED_END_TIMEOUT: Duration = Duration::from_millis(300);

/// JSON-RPC's error code for an unknown method.
const METHOD_NOT_FOUND: i64 = -32601;

impl Transport for HttpSpec {
    fn separates_requests(&self) -> bool {
        true
    }

    fn open(&self, messages: Messages) -> Result<Box<dyn Connection>, String> {
        let client = client(self)?;
        let Messages { era, link, outgoing, .. } = messages;
        let carrier = Arc::new(Carrier::new(client, self.clone(), era, link));
        let running = tokio::spawn(Arc::clone(&carrier).carry(outgoing));
        Ok(Box::new(HttpConnection { carrier, running }))
    }
}

struct HttpConnection {
    carrier: Arc<Carrier>,
    running: JoinHandle<()>,
}

impl Connection for HttpConnection {
    fn agreed_on(&self, version: &str) {
        self.carrier.agreed_on(version);
    }

    fn keeps_state(&self) -> bool {
        self.carrier.agreed().session.is_some()
    }

    fn ended(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let _ = (&mut self.running).await;
        })
    }

    fn close(self: Box<Self>, hurry: CancellationToken) -> BoxFuture<'static, Option<String>> {
        Box::pin(async move {
            let hurried = async {
                hurry.cancelled().await;
                tokio::time::sleep(HURRIED_END_TIMEOUT).await;
            };
            // A handle must not be awaited again after it was in `ended`.
            if !self.running.is_finished() {
                tokio::select! {
                    _ = self.running => {}
                    () = hurried => {}
                }
            }
            None
        })
    }
}

/// Carries the messages of one session over HTTP.
struct Carrier {
    client: Client,
    spec: HttpSpec,
    era: Era,
    link: Arc<Link>,
    agreed: Mutex<Agreed>,
    tasks: TaskTracker,
}

/// Header values that follow from the handshake.
#[derive(Debug, Default, Clone)]
struct Agreed {
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
}

impl Carrier {
    fn new(client: Client, spec: HttpSpec, era: Era, link: Arc<Link>) -> Self {
        // In the stateless era every request names the version, including the first.
        let version = (era == Era::Modern).then(|| HeaderValue::from_static(MODERN));
        let agreed = Mutex::new(Agreed { session: None, version });
        Self { client, spec, era, link, agreed, tasks: TaskTracker::new() }
    }

    /// Puts the version into every request from now on, and opens the stream for messages that belong to no request.
    fn agreed_on(self: &Arc<Self>, version: &str) {
        self.agreed().version = HeaderValue::from_str(version).ok();
        if self.era == Era::Legacy {
            self.tasks.spawn(Arc::clone(self).listen());
        }
    }

    fn agreed(&self) -> std::sync::MutexGuard<'_, Agreed> {
        self.agreed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Carries the link's messages until it closes, and ends the upstream's session then.
    async fn carry(self: Arc<Self>, mut messages: mpsc::Receiver<Outgoing>) {
        loop {
            let message = tokio::select! {
                biased;
                () = self.link.closed() => None,
                message = messages.recv() => message,
            };
            let Some(Outgoing { bytes, kind }) = message else { break };
            match kind {
                Kind::Request { id, head, gone } => {
                    let carrier = Arc::clone(&self);
                    self.tasks.spawn(async move {
                        tokio::select! {
                            () = carrier.request(id, bytes, head) => {}
                            () = gone.cancelled() => {}
                            () = carrier.link.closed() => {}
                        }
                    });
                }
                // In the stateless era, closing the request's stream cancels it.
                Kind::Cancel if self.era == Era::Modern => {}
                // In order, because the next message may depend on this one.
                Kind::Cancel | Kind::Other => {
                    let carrier = Arc::clone(&self);
                    let delivered = self.tasks.spawn(async move {
                        tokio::select! {
                            () = carrier.deliver(bytes) => {}
                            () = carrier.link.closed() => {}
                        }
                    });
                    let _ = tokio::time::timeout(ORDER_TIMEOUT, delivered).await;
                }
            }
        }
        self.link.close();
        self.tasks.close();
        self.tasks.wait().await;
        self.end_session().await;
    }

    fn builder(&self, method: Method) -> RequestBuilder {
        let Agreed { session, version } = self.agreed().clone();
        let mut headers = HeaderMap::new();
        // Without this header a server may compress its answers.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        for (name, value) in &self.spec.headers {
            if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
                headers.insert(name, value);
            }
        }
        if let Some(session) = session {
            headers.insert(headers::SESSION_ID, session);
        }
        if let Some(version) = version {
            headers.insert(headers::PROTOCOL_VERSION, version);
        }
        self.client.request(method, self.spec.url.clone()).headers(headers)
    }

    fn post(&self, bytes: Bytes) -> RequestBuilder {
        // In place of what the entry says of them.
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        self.builder(Method::POST).headers(headers).body(bytes)
    }

    /// Sends a message that has no answer.
    async fn deliver(&self, bytes: Bytes) {
        let sent = tokio::time::timeout(SEND_TIMEOUT, self.post(bytes).send()).await;
        if let Ok(Ok(response)) = sent {
            self.note_lost_session(response.status());
        }
    }

    /// Sends a request and hands its answer to the link, or the reason why there is none.
    async fn request(&self, id: u64, bytes: Bytes, head: Option<Box<Head>>) {
        let mut request = self.post(bytes);
        if let (Era::Modern, Some(head)) = (self.era, head) {
            request = request.headers(mirrored(&head));
        }
        match request.send().await {
            Ok(response) => {
                if let Some(session) = response.headers().get(headers::SESSION_ID).cloned()
                    && self.era == Era::Legacy
                {
                    self.agreed().session.get_or_insert(session);
                }
                match self.answer(id, response).await {
                    Ok(()) => {}
                    // A server that does not know the session has not begun with the request.
                    Err((reason, true)) => self.link.forget(Some(id), reason),
                    Err((reason, false)) => self.link.lose(id, Lost { reason, was_refused: false }),
                }
            }
            Err(error) => {
                let reason = format!("it cannot be reached: {}", plain(&error));
                self.link.lose(id, Lost { reason, was_refused: error.is_connect() });
                // Answers to other requests may still arrive.
                if error.is_connect() && self.link.is_idle() {
                    self.link.close();
                }
            }
        }
    }

    /// Hands the answer to a request to the link. An error says why there is none, and whether the upstream no longer knows
    /// our session.
    async fn answer(&self, id: u64, mut response: Response) -> Result<(), (String, bool)> {
        let status = response.status();
        let media_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media_type = media_type.unwrap_or_default().to_ascii_lowercase();
        if status.is_success() && media_type.starts_with("text/event-stream") {
            return self.stream(id, response).await.map_err(|reason| (reason, false));
        }
        let mut body = BytesMut::new();
        while let Some(piece) = response.chunk().await.map_err(|error| (plain(&error), false))? {
            body.extend_from_slice(&piece);
            if body.len() > MAX_EVENT {
                return Err(("its answer is longer than 64 MB".into(), false));
            }
        }
        let body = body.freeze();
        let is_lost = self.is_lost_session(status)
            || status == StatusCode::BAD_REQUEST && self.agreed().session.is_some() && denies_session(&body);
        match Message::parse(&body) {
            Ok(Message::Response { body: Body::Result(_), .. }) if status.is_success() => {
                self.link.receive(&body, Some(id));
            }
            // Some servers answer an unknown method with this status, too.
            Ok(Message::Response { body: Body::Error(error), .. })
                if is_lost && error::code(&error) != Some(METHOD_NOT_FOUND) => {}
            // An error has no id where the server could not read the request.
            Ok(Message::Response { body: Body::Error(_), id: answered }) if answered != "null" => {
                self.link.receive(&body, Some(id));
            }
            _ if is_lost => {}
            _ => {
                if let Some(error) = error_without_id(&body) {
                    self.link
                        .receive(&crate::wire::message::response(id.to_string().as_bytes(), &error), None);
                }
            }
        }
        if self.link.awaits(id) { Err((refusal(&self.spec, status, &body), is_lost)) } else { Ok(()) }
    }

    /// Whether a status says that the upstream no longer knows our session.
    fn is_lost_session(&self, status: StatusCode) -> bool {
        status == StatusCode::NOT_FOUND && self.agreed().session.is_some()
    }

    /// Closes the link where a status says that the upstream no longer knows our session.
    fn note_lost_session(&self, status: StatusCode) {
        if self.is_lost_session(status) {
            self.link.forget(None, String::new());
        }
    }

    async fn end_session(&self) {
        if self.agreed().session.is_some() {
            let _ = tokio::time::timeout(END_SESSION_TIMEOUT, self.builder(Method::DELETE).send()).await;
        }
    }
}

/// Whether an error says that the session is unknown. Servers built like the examples of the TypeScript SDK answer so, with
/// status 400 instead of 404.
fn denies_session(body: &Bytes) -> bool {
    let Some(Body::Error(error)) = error_without_id(body) else { return false };
    let message = params::text(&error, "message").unwrap_or_default().to_lowercase();
    matches!(error::code(&error), Some(-32000 | -32001 | -32600))
        && (message.contains("session") || message.contains("not initialized"))
}

/// Headers that repeat parts of a request's body.
fn mirrored(head: &Head) -> HeaderMap {
    let mut mirrored = HeaderMap::new();
    let name = head.name.as_deref().map(headers::encoded);
    let standard = [(headers::METHOD, Some(&head.method)), (headers::NAME, name.as_ref())];
    let standard = standard.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let marked = head.arguments.iter().map(|(name, value)| (name.as_str(), value));
    for (name, value) in standard.chain(marked) {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
            mirrored.insert(name, value);
        }
    }
    mirrored
}

/// Returns the error of a response whose id is null or missing.
pub(crate) fn error_without_id(body: &Bytes) -> Option<Body> {
    let error = params::field(body, "error")?;
    error.raw.starts_with(b"{").then_some(Body::Error(error.raw))
}
