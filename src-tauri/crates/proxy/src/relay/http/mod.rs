//! The relay of HTTP clients: one address that stays while instances come and go.
//!
//! Requests and answers pass unchanged, headers included, so the instance checks the token itself. Host and Origin are
//! checked here first: nothing that a web page sends is even read. When the instance ends, the next one is found. A
//! session of a client continues there: the relay repeats the client's own introduction and exchanges the session id.
//! Requests in progress are sent again if that is harmless, else answered with an error that says so.

mod session;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body as HttpBody, to_bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, Method, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt;
use bytes::Bytes;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;

use super::attachment::read_body;
use super::request::is_repeatable;
use super::{InstanceAddress, Instances};
use crate::endpoint::{MAX_BODY, guard};
use crate::upstream::transport::http::{own_client, plain};
use crate::wire::RpcError;
use crate::wire::message::{self, Body, Message};
use session::{Asked, Sessions};

/// How long a request waits for an instance that takes it.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Pause before a request is sent again.
const RETRY_PAUSE: Duration = Duration::from_millis(100);
/// Pieces of an answer that wait for a slow client.
const BUFFER: usize = 16;
/// How long open requests may take at the end.
const END_TIMEOUT: Duration = Duration::from_secs(1);
/// Headers that belong to one connection (RFC 9110, 7.6.1), and the length, which is set again.
const OF_CONNECTION: &[HeaderName] = &[
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::EXPECT,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Length of an answer above which it is passed on piece by piece, in bytes.
const LONG: u64 = 1 << 20;
/// Number of times that a request is repeated whose answer was lost.
const MAX_LOST: u32 = 8;

/// A relay that serves clients.
pub struct HttpRelay {
    address: SocketAddr,
    calls: Arc<AtomicU64>,
    ended: CancellationToken,
    serving: JoinHandle<io::Result<()>>,
}

impl HttpRelay {
    /// Serves `/mcp` and `/mcp/NAME` on a free port of this machine. Needs a tokio runtime.
    pub async fn start<I: Instances>(instances: I) -> Result<Self, String> {
        let cannot = |error: io::Error| format!("cannot listen on this machine: {error}");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let (calls, ended) = (Arc::new(AtomicU64::new(0)), CancellationToken::new());
        let relay = Arc::new(Relay {
            instances,
            http: own_client()?,
            current: tokio::sync::Mutex::default(),
            sessions: Sessions::default(),
            calls: Arc::clone(&calls),
            ended: ended.clone(),
        });
        let app = Router::new()
            .route("/", axum::routing::any(answer::<I>))
            .route("/mcp", axum::routing::any(answer::<I>))
            .route("/mcp/{name}", axum::routing::any(answer::<I>))
            .with_state(relay)
            .layer(middleware::from_fn_with_state(address, guard::check_site));
        // Without it every event of a stream waits 40 ms for the client's acknowledgement.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let serving = axum::serve(listener, app).with_graceful_shutdown(ended.clone().cancelled_owned());
        Ok(Self { address, calls, ended, serving: tokio::spawn(serving.into_future()) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Number of tool calls that an instance took.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Ends the relay. Requests in progress may finish for a moment.
    pub async fn stop(self) {
        self.ended.cancel();
        let _ = tokio::time::timeout(END_TIMEOUT, self.serving).await;
    }
}

struct Relay<I> {
    instances: I,
    http: reqwest::Client,
    /// The instance in use, with its number; later ones have higher numbers.
    current: tokio::sync::Mutex<(u64, Option<InstanceAddress>)>,
    /// Sessions of clients.
    sessions: Sessions,
    calls: Arc<AtomicU64>,
    ended: CancellationToken,
}

/// The outcome of sending a request to one instance.
enum Attempt {
    Done(Response),
    /// The instance has not begun with the request, for this reason.
    NotSent(String),
    /// The instance may have carried out the request.
    Lost,
}

async fn answer<I: Instances>(State(relay): State<Arc<Relay<I>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match to_bytes(body, MAX_BODY).await {
        Ok(body) => relay.answer(parts, body).await,
        Err(_) => (StatusCode::PAYLOAD_TOO_LARGE, "the message is too long or incomplete\n").into_response(),
    }
}

impl<I: Instances> Relay<I> {
    async fn answer(&self, parts: Parts, body: Bytes) -> Response {
        if !is_plain_path(parts.uri.path()) {
            return (StatusCode::NOT_FOUND, "there is no such server\n").into_response();
        }
        let request = Message::parse(&body).ok();
        let asked = Asked { parts: &parts, body: &body, message: request.as_ref() };
        let began = Instant::now();
        let (mut after, mut lost) = (0, 0);
        loop {
            let (number, instance) = match self.instance(after).await {
                Ok(found) => found,
                Err(reason) => return failed(request.as_ref(), reason),
            };
            match self.attempt(&instance, &asked).await {
                Attempt::Done(response) => return response,
                Attempt::NotSent(reason) if began.elapsed() > CONNECT_TIMEOUT => {
                    let reason =
                        format!("cannot reach Schemascope: {reason}; the request was not carried out");
                    return failed(request.as_ref(), reason);
                }
                Attempt::NotSent(_) => {}
                Attempt::Lost if lost < MAX_LOST && may_be_repeated(&parts.method, request.as_ref()) => {
                    lost += 1;
                }
                Attempt::Lost => {
                    let lost = "Schemascope ended before it answered this request, which may or may not have been \
                                carried out; further requests are served";
                    return failed(request.as_ref(), lost.to_owned());
                }
            }
            after = number;
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }

    /// Returns an instance with a higher number than `after`, and finds one if necessary.
    async fn instance(&self, after: u64) -> Result<(u64, InstanceAddress), String> {
        let mut current = self.current.lock().await;
        if let (number, Some(instance)) = &*current
            && *number > after
        {
            return Ok((*number, instance.clone()));
        }
        let instance = self.instances.find().await?;
        *current = (current.0 + 1, Some(instance.clone()));
        Ok((current.0, instance))
    }

    async fn attempt(&self, instance: &InstanceAddress, asked: &Asked<'_>) -> Attempt {
        let Asked { parts, body, .. } = *asked;
        let mut headers = parts.headers.clone();
        OF_CONNECTION.iter().for_each(|name| drop(headers.remove(name)));
        if let Err(reason) = self.sessions.translate(&self.http, instance, asked, &mut headers).await {
            return Attempt::NotSent(reason);
        }
        let url = url(instance, parts);
        let sent = self.http.request(parts.method.clone(), url).headers(headers).body(body.clone());
        let mut response = match sent.send().await {
            Ok(response) => response,
            Err(error) if error.is_connect() => return Attempt::NotSent(plain(&error)),
            Err(_) => return Attempt::Lost,
        };
        let (status, mut headers) = (response.status(), std::mem::take(response.headers_mut()));
        OF_CONNECTION.iter().for_each(|name| drop(headers.remove(name)));
        let is_stream = headers
            .get(header::CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        if status.is_success() {
            self.calls.fetch_add(calls(body), Ordering::Relaxed);
        }
        let is_long = response.content_length().is_none_or(|length| length > LONG);
        if status.is_success() && (is_stream || is_long) {
            self.sessions.note(instance, asked, &headers).await;
            return Attempt::Done((status, headers, self.stream(response)).into_response());
        }
        let Ok(answer) = read_body(response).await else { return Attempt::Lost };
        if status == StatusCode::SERVICE_UNAVAILABLE {
            // With an error as the body, the request was not carried out.
            return match Message::parse(&answer) {
                Ok(_) => Attempt::NotSent("it is shutting down".into()),
                Err(_) => Attempt::Lost,
            };
        }
        if status.is_success() {
            self.sessions.note(instance, asked, &headers).await;
        }
        Attempt::Done((status, headers, answer).into_response())
    }

    /// The body of an answer, piece by piece. A client that goes away ends the request.
    fn stream(&self, mut response: reqwest::Response) -> HttpBody {
        let (pieces, receiver) = mpsc::channel::<io::Result<Bytes>>(BUFFER);
        let ended = self.ended.clone();
        tokio::spawn(async move {
            loop {
                let piece = tokio::select! {
                    piece = response.chunk() => piece.map_err(|error| io::Error::other(plain(&error))),
                    () = pieces.closed() => return,
                    () = ended.cancelled() => return,
                };
                let Some(piece) = piece.transpose() else { return };
                let is_last = piece.is_err();
                if pieces.send(piece).await.is_err() || is_last {
                    return;
                }
            }
        });
        HttpBody::from_stream(ReceiverStream::new(receiver))
    }
}

/// Whether a path stays as it is where `\` and dots are resolved.
fn is_plain_path(path: &str) -> bool {
    let is_dots = |part: &str| matches!(part.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..");
    !path.contains('\\') && !path.split('/').any(is_dots)
}

/// Where a request goes. The bare address stands for `/mcp`.
fn url(instance: &InstanceAddress, request: &Parts) -> String {
    let path = request.uri.path_and_query().map_or("/", |path| path.as_str());
    let path = if path == "/" { "/mcp" } else { path };
    format!("http://{}{path}", instance.address)
}

fn may_be_repeated(verb: &Method, request: Option<&Message>) -> bool {
    match request {
        Some(Message::Request { method, .. }) => is_repeatable(method),
        _ => verb == Method::GET,
    }
}

/// Number of tool calls in a message or batch.
fn calls(body: &Bytes) -> u64 {
    let is_call = |message: &Bytes| matches!(Message::parse(message), Ok(Message::Request { method, .. }) if method == "tools/call");
    match message::batch(body) {
        Some(Ok(messages)) => messages.iter().filter(|message| is_call(message)).count() as u64,
        Some(Err(_)) => 0,
        None => u64::from(is_call(body)),
    }
}

/// An error for a request that no instance answered.
fn failed(request: Option<&Message>, reason: String) -> Response {
    match request {
        Some(Message::Request { id, .. }) => {
            let error = Body::Error(RpcError::internal(reason).object());
            let json = [(header::CONTENT_TYPE, "application/json")];
            (StatusCode::OK, json, message::response(id, &error)).into_response()
        }
        _ => (StatusCode::BAD_GATEWAY, format!("{reason}\n")).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_calls_are_counted_in_messages_and_batches() {
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#;
        let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
        for (body, expect) in [
            (call.to_owned(), 1),
            (list.to_owned(), 0),
            (format!("[{call},{list},{call}]"), 2),
            ("tools/call".to_owned(), 0),
            (String::new(), 0),
        ] {
            assert_eq!(calls(&Bytes::from(body.clone())), expect, "{body}");
        }
    }

    #[test]
    fn bare_address_stands_for_all_servers() {
        let instance = InstanceAddress { address: "127.0.0.1:7347".into(), token: None, pid: 1 };
        let url = |path: &str| {
            let (parts, ()) = axum::http::Request::builder().uri(path).body(()).unwrap().into_parts();
            url(&instance, &parts)
        };
        assert_eq!(url("/"), "http://127.0.0.1:7347/mcp");
        assert_eq!(url("/mcp/a%20b?x=1"), "http://127.0.0.1:7347/mcp/a%20b?x=1");
    }

    #[test]
    fn only_harmless_requests_are_repeated() {
        let parsed = |text: &str| Message::parse(&Bytes::from(text.to_owned())).ok();
        let call = parsed(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#);
        let list = parsed(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
        assert!(
            !may_be_repeated(&Method::POST, call.as_ref()) && may_be_repeated(&Method::POST, list.as_ref())
        );
        assert!(may_be_repeated(&Method::GET, None) && !may_be_repeated(&Method::DELETE, None));
    }
}
