//! Messages over Streamable HTTP.
//!
//! Owns: which message goes into which request, headers, the upstream's session, resuming a stream that
//! broke off (2025-11-25), and closing one that is no longer wanted (2026-07-28). Refuses to know: what
//! messages say beyond what stands in headers.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use super::link::{Head, Kind, Link, Lost, Outgoing};
use super::sse::{MAX_EVENT, SseReader};
use crate::config::HttpSpec;
use crate::wire::message::{Body, Message};
use crate::wire::version::MODERN;
use crate::wire::{Era, error, headers};

/// How long connecting may take, and handing over a message that has no answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the next message waits until one without an answer is handed over.
const IN_ORDER: Duration = Duration::from_secs(1);
/// Characters of an error page that are shown, and bytes that are looked at for that.
const SHOWN: usize = 300;
const LOOKED_AT: usize = 64 << 10;
/// How often a stream that broke off is resumed without a sign of progress.
const RESUMPTIONS: u32 = 8;
/// Pause before a stream is resumed, unless the upstream names another one.
const RESUME_PAUSE: Duration = Duration::from_secs(1);
/// Shortest and longest pause it may name.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

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

/// A client for upstreams on this machine, where no proxy stands between, or for the others.
pub(crate) fn client(spec: &HttpSpec) -> Result<Client, String> {
    static OURS: OnceLock<Result<Client, String>> = OnceLock::new();
    static OTHERS: OnceLock<Result<Client, String>> = OnceLock::new();
    let local = spec.url.host_str().is_some_and(|host| {
        let host = host.trim_matches(['[', ']']);
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    });
    let client = if local { &OURS } else { &OTHERS };
    client.get_or_init(|| build(local)).clone()
}

/// A client for our own endpoint.
pub(crate) fn own_client() -> Result<Client, String> {
    build(true)
}

fn build(local: bool) -> Result<Client, String> {
    // Another part of the process may have chosen a provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .connect_timeout(PATIENCE)
        .tcp_nodelay(true)
        // Shorter than servers keep connections nobody uses, so that none is used that is being closed.
        .pool_idle_timeout(Duration::from_secs(4))
        // What stands in headers is for the address of the entry and nobody else.
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("schemascope/", env!("CARGO_PKG_VERSION")));
    let client = if local { client.no_proxy() } else { client };
    client.build().map_err(|error| format!("no HTTP client: {error}"))
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
                        true => self.link.close_forgotten(Some(id), reason),
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

    /// Reads a request's stream to its answer, resuming it where it can be.
    async fn stream(&self, id: u64, response: Response) -> Result<(), String> {
        let mut reader = SseReader::default();
        let mut attempts = 0;
        let mut response = Some(response);
        loop {
            if let Some(response) = response.take() {
                let before = reader.last_id.clone();
                let broke_off = self.read(&mut reader, response, Some(id)).await?;
                if !self.link.awaits(id) {
                    return Ok(());
                }
                attempts = if reader.last_id == before { attempts } else { 0 };
                if reader.last_id.is_none() || self.era == Era::Modern {
                    return Err(broke_off.unwrap_or_else(|| "its stream ended without an answer".into()));
                }
                // It would rather not keep a stream open meanwhile; nor need we.
                if broke_off.is_none() {
                    self.link.pause(id, reader.retry);
                }
            }
            attempts += 1;
            if attempts > RESUMPTIONS {
                return Err("its stream broke off and could not be resumed".into());
            }
            tokio::time::sleep(pause(&reader)).await;
            if let Ok(resumed) = self.resume(&reader).await {
                response = Some(resumed);
            }
        }
    }

    /// Reads a stream to its end; why it broke off, if it did.
    async fn read(
        &self,
        reader: &mut SseReader,
        mut response: Response,
        origin: Option<u64>,
    ) -> Result<Option<String>, String> {
        loop {
            match response.chunk().await {
                Ok(Some(piece)) => {
                    let took = reader.read(&piece, |event| {
                        if !event.data.is_empty() {
                            self.link.receive(&event.data, origin);
                        }
                    });
                    took.map_err(|_| "an event of its stream is longer than 64 MB".to_owned())?;
                    // What may follow the answer is nobody's business.
                    if origin.is_some_and(|id| !self.link.awaits(id)) {
                        return Ok(None);
                    }
                }
                Ok(None) => return Ok(None),
                Err(error) => return Ok(Some(format!("its stream broke off: {}", plain(&error)))),
            }
        }
    }

    async fn resume(&self, reader: &SseReader) -> Result<Response, StatusCode> {
        let mut request = self.builder(Method::GET).header(ACCEPT, "text/event-stream");
        if let Some(last) = reader.last_id.as_deref().and_then(|id| HeaderValue::from_str(id).ok()) {
            request = request.header("last-event-id", last);
        }
        let response = request.send().await.map_err(|_| StatusCode::BAD_GATEWAY)?;
        let media_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        match media_type {
            Some(kind) if kind.to_ascii_lowercase().starts_with("text/event-stream") => {}
            _ if response.status().is_success() => return Err(StatusCode::NOT_ACCEPTABLE),
            _ => {}
        }
        if response.status().is_success() { Ok(response) } else { Err(response.status()) }
    }

    /// Listens to what belongs to no request, as long as the upstream offers it.
    async fn listen(self: Arc<Self>) {
        let mut reader = SseReader::default();
        let (mut failures, mut was_open) = (0, false);
        while failures < RESUMPTIONS {
            let response = tokio::select! {
                response = self.resume(&reader) => response,
                () = self.link.closed() => return,
            };
            match response {
                Ok(response) => {
                    (failures, was_open) = (0, true);
                    tokio::select! {
                        _ = self.read(&mut reader, response, None) => {}
                        () = self.link.closed() => return,
                    }
                }
                // It offers none, or it is another one by now.
                Err(status) if status.is_client_error() => {
                    if was_open {
                        self.note_lost_session(status);
                    }
                    return;
                }
                Err(_) => failures += 1,
            }
            tokio::select! {
                () = tokio::time::sleep(pause(&reader)) => {}
                () = self.link.closed() => return,
            }
        }
    }

    /// Whether a status says that the upstream does not know our session any more.
    fn is_lost_session(&self, status: StatusCode) -> bool {
        status == StatusCode::NOT_FOUND && self.agreed().session.is_some()
    }

    /// An upstream that does not know our session any more has to be introduced to us again.
    fn note_lost_session(&self, status: StatusCode) {
        if self.is_lost_session(status) {
            self.link.close_forgotten(None, String::new());
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

fn pause(reader: &SseReader) -> Duration {
    reader.retry.map_or(RESUME_PAUSE, Duration::from_millis).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
}

/// The error of a response whose id is null or missing.
pub(crate) fn error_without_id(body: &Bytes) -> Option<Body> {
    let error = crate::wire::params::field(body, "error")?;
    error.raw.starts_with(b"{").then_some(Body::Error(error.raw))
}

fn refusal(spec: &HttpSpec, status: StatusCode, body: &[u8]) -> String {
    // Some show the request they refuse. Looked for before it is cut: half a secret would not be found.
    let said = spec.without_secrets(&String::from_utf8_lossy(&body[..body.len().min(LOOKED_AT)]));
    let said: String = said.trim().chars().take(SHOWN).collect();
    let said = if said.is_empty() { String::new() } else { format!(": {said:?}") };
    match status {
        status if status.is_redirection() => {
            format!("it sends us elsewhere (HTTP {status}); put the address it names into its entry")
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            format!("it refuses us (HTTP {status}); does its entry need \"headers\"?{said}")
        }
        StatusCode::NOT_FOUND => format!("there is no such page or session (HTTP {status}){said}"),
        status if status.is_success() => format!("its answer is not a JSON-RPC message{said}"),
        _ => format!("it answered HTTP {status}{said}"),
    }
}

/// An error with its causes, without the address it may carry a secret in.
pub(crate) fn plain(error: &reqwest::Error) -> String {
    let mut text = String::new();
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(error) = cause {
        text = error.to_string();
        cause = error.source();
    }
    if text.is_empty() { "the connection failed".into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_of_an_error_page_has_no_secrets() {
        let headers = [("authorization", "Bearer s3cret-token"), ("x-api-key", "abcdef"), ("x-short", "no")];
        let spec = HttpSpec {
            url: "http://127.0.0.1:1/mcp".parse().unwrap(),
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        };
        let page = format!("{}no token s3cret-token, key abcdef, Bearer s3cret-token", "é".repeat(10));
        let shown = refusal(&spec, StatusCode::BAD_REQUEST, page.as_bytes());
        assert!(!shown.contains("s3cret") && !shown.contains("abcdef"), "{shown}");
        assert!(shown.contains("no token …, key …, …"), "{shown}");
        let debug = format!("{spec:?}");
        assert!(!debug.contains("s3cret") && debug.contains("authorization"), "{debug}");
        let cut = format!("{}s3cret-token", "x".repeat(SHOWN - 4));
        assert!(!refusal(&spec, StatusCode::BAD_GATEWAY, cut.as_bytes()).contains("s3cr"));
    }
}
