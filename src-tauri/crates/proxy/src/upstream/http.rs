//! Messages over Streamable HTTP.
//!
//! Owns: which message goes into which request, headers, the upstream's session, resuming a stream that
//! broke off (2025-11-25), and closing one that is no longer wanted (2026-07-28). Refuses to know: what
//! messages say beyond what stands in headers.

mod client;
mod streams;
mod words;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use super::link::{Head, Kind, Link, Lost, Outgoing};
use super::sse::MAX_EVENT;
use crate::config::HttpSpec;
use crate::wire::message::{Body, Message};
use crate::wire::version::MODERN;
use crate::wire::{Era, error, headers};
pub(crate) use client::{client, own_client};
pub(crate) use words::plain;
use words::refusal;

/// How long connecting may take, and handing over a message that has no answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the next message waits until one without an answer is handed over.
const IN_ORDER: Duration = Duration::from_secs(1);

/// What JSON-RPC calls a method that is not known.
const METHOD_NOT_FOUND: i64 = -32601;

/// One upstream session over HTTP.
pub(crate) struct Carrier {
    client: Client,
    spec: HttpSpec,
    era: Era,
    link: Arc<Link>,
    agreed: Mutex<Agreed>,
    tasks: TaskTracker,
}

/// What both sides agreed on in a handshake.
#[derive(Debug, Default, Clone)]
struct Agreed {
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
}

impl Carrier {
    /// Carries the link's messages until it closes. The task ends once the upstream's session is ended too.
    pub(crate) fn run(
        client: Client,
        spec: HttpSpec,
        era: Era,
        link: Arc<Link>,
        messages: mpsc::Receiver<Outgoing>,
    ) -> (Arc<Self>, tokio::task::JoinHandle<()>) {
        // There every request names it, the first one too.
        let version = (era == Era::Modern).then(|| HeaderValue::from_static(MODERN));
        let agreed = Mutex::new(Agreed { session: None, version });
        let carrier = Arc::new(Self { client, spec, era, link, agreed, tasks: TaskTracker::new() });
        let running = tokio::spawn(Arc::clone(&carrier).carry(messages));
        (carrier, running)
    }

    /// The handshake is over: every request names the version from now on, and the stream of what belongs to
    /// no request is listened to.
    pub(crate) fn agreed_on(self: &Arc<Self>, version: &str) {
        self.agreed().version = HeaderValue::from_str(version).ok();
        if self.era == Era::Legacy {
            self.tasks.spawn(Arc::clone(self).listen());
        }
    }

    fn agreed(&self) -> std::sync::MutexGuard<'_, Agreed> {
        self.agreed.lock().unwrap_or_else(PoisonError::into_inner)
    }

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
                // There closing the stream is what cancels.
                Kind::Cancel if self.era == Era::Modern => {}
                // In order, since what comes next may build on it; but one that does not take it is not
                // waited for long.
                Kind::Cancel | Kind::Other => {
                    let carrier = Arc::clone(&self);
                    let delivered = self.tasks.spawn(async move {
                        tokio::select! {
                            () = carrier.deliver(bytes) => {}
                            () = carrier.link.closed() => {}
                        }
                    });
                    let _ = tokio::time::timeout(IN_ORDER, delivered).await;
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
        // Who says nothing may be sent anything.
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
        self.builder(Method::POST)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(bytes)
    }

    /// Sends what has no answer.
    async fn deliver(&self, bytes: Bytes) {
        let sent = tokio::time::timeout(PATIENCE, self.post(bytes).send()).await;
        if let Ok(Ok(response)) = sent {
            self.note_lost_session(response.status());
        }
    }

    /// Sends a request and reads its answer, or tells why there is none.
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
                let status = response.status();
                if let Err(reason) = self.answer(id, response).await {
                    // Who does not know the session has not looked at the request.
                    match self.is_lost_session(status) {
                        true => self.link.forget(Some(id), reason),
                        false => self.link.lose(id, Lost { reason, was_refused: false }),
                    }
                }
            }
            Err(error) => {
                let reason = format!("it cannot be reached: {}", plain(&error));
                self.link.lose(id, Lost { reason, was_refused: error.is_connect() });
                // Others may still have their answers on the way.
                if error.is_connect() && self.link.is_idle() {
                    self.link.close();
                }
            }
        }
    }

    async fn answer(&self, id: u64, mut response: Response) -> Result<(), String> {
        let status = response.status();
        let media_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media_type = media_type.unwrap_or_default().to_ascii_lowercase();
        if status.is_success() && media_type.starts_with("text/event-stream") {
            return self.stream(id, response).await;
        }
        let mut body = BytesMut::new();
        while let Some(piece) = response.chunk().await.map_err(|error| plain(&error))? {
            body.extend_from_slice(&piece);
            if body.len() > MAX_EVENT {
                return Err("its answer is longer than 64 MB".into());
            }
        }
        let body = body.freeze();
        match Message::parse(&body) {
            Ok(Message::Response { body: Body::Result(_), .. }) if status.is_success() => {
                self.link.receive(&body, Some(id));
            }
            // Some have a method they do not know answered like that, too.
            Ok(Message::Response { body: Body::Error(error), .. })
                if self.is_lost_session(status) && error::code(&error) != Some(METHOD_NOT_FOUND) => {}
            // An error may name no id, where the request could not even be read.
            Ok(Message::Response { body: Body::Error(_), id: answered }) if answered != "null" => {
                self.link.receive(&body, Some(id));
            }
            _ if self.is_lost_session(status) => {}
            _ => {
                if let Some(error) = error_without_id(&body) {
                    self.link
                        .receive(&crate::wire::message::response(id.to_string().as_bytes(), &error), None);
                }
            }
        }
        if self.link.awaits(id) { Err(refusal(&self.spec, status, &body)) } else { Ok(()) }
    }

    /// Whether a status says that the upstream does not know our session any more.
    fn is_lost_session(&self, status: StatusCode) -> bool {
        status == StatusCode::NOT_FOUND && self.agreed().session.is_some()
    }

    /// An upstream that does not know our session any more has to be introduced to us again.
    fn note_lost_session(&self, status: StatusCode) {
        if self.is_lost_session(status) {
            self.link.forget(None, String::new());
        }
    }

    async fn end_session(&self) {
        if self.agreed().session.is_some() {
            let _ = tokio::time::timeout(Duration::from_secs(2), self.builder(Method::DELETE).send()).await;
        }
    }
}

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

/// The error of a response whose id is null or missing.
pub(crate) fn error_without_id(body: &Bytes) -> Option<Body> {
    let error = crate::wire::params::field(body, "error")?;
    error.raw.starts_with(b"{").then_some(Body::Error(error.raw))
}
