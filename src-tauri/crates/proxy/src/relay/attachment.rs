//! A stdio client's session with one instance: opening it, sending messages, and noticing that the instance is gone.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, Url};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use super::Introduction;
use crate::upstream::transport::http::{error_without_id, plain};
use crate::wire::message::{Body, Message};
use crate::wire::{RpcError, headers, params};
use schemascope_json::sse::MAX_EVENT;

/// Limit of an answer that is not a stream: the longest answer of an upstream, and its envelope.
const MAX_ANSWER: usize = MAX_EVENT + (1 << 20);
/// Least time between two checks of whether an instance that drops connections still listens.
const PROBE_INTERVAL: Duration = Duration::from_millis(200);

/// The address of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceAddress {
    /// `HOST:PORT`.
    pub address: String,
    /// The token for requests.
    pub token: Option<String>,
    /// Id of the process.
    pub pid: u32,
}

/// A session with an instance, or only its address while the client has not sent `initialize`.
pub(crate) struct Attachment {
    /// Number of the attachment; later ones have higher numbers.
    pub(crate) number: u64,
    pub(crate) instance: InstanceAddress,
    http: Client,
    url: Url,
    headers: HeaderMap,
    listened: AtomicBool,
    /// Cancelled when another attachment replaces this one.
    pub(crate) replaced: CancellationToken,
}

/// The reason why there is no session.
pub(crate) enum AttachError {
    /// The instance cannot be reached.
    Unreachable(String),
    /// The instance answered with this error object.
    Rejected(Bytes),
}

impl Attachment {
    /// Connects to an instance, and repeats the client's introduction there if there was one. Returns the answer to
    /// `initialize`, as sent.
    pub(crate) async fn open(
        number: u64,
        instance: InstanceAddress,
        server: Option<&str>,
        http: Client,
        client: &Introduction,
    ) -> Result<(Self, Option<Bytes>), AttachError> {
        let url = endpoint(&instance.address, server).ok_or_else(|| {
            AttachError::Unreachable(format!("{:?} is not a valid address", instance.address))
        })?;
        let mut headers = HeaderMap::new();
        headers.insert(headers::RELAYED, HeaderValue::from_static("1"));
        if let Some(Ok(token)) = instance.token.as_ref().map(|token| format!("Bearer {token}").parse()) {
            headers.insert(AUTHORIZATION, token);
        }
        let (listened, replaced) = (AtomicBool::new(false), CancellationToken::new());
        let mut attachment = Self { number, instance, http, url, headers, listened, replaced };
        let Some(hello) = client.hello() else { return Ok((attachment, None)) };
        let answer = attachment.introduce(hello).await?;
        for line in client.rest() {
            let sent = attachment.post(line.clone()).send().await;
            // The client has already got the answers once.
            drop(read_body(sent.map_err(|error| unreachable(&error))?).await);
        }
        Ok((attachment, Some(answer)))
    }

    async fn introduce(&mut self, hello: &Bytes) -> Result<Bytes, AttachError> {
        let response = self.post(hello.clone()).send().await.map_err(|error| unreachable(&error))?;
        let status = response.status();
        let session = response.headers().get(headers::SESSION_ID).cloned();
        let answer = read_body(response).await.map_err(AttachError::Unreachable)?;
        if status == StatusCode::SERVICE_UNAVAILABLE {
            return Err(AttachError::Unreachable("it is shutting down".into()));
        }
        match Message::parse(&answer) {
            Ok(Message::Response { body: Body::Result(result), .. }) => {
                let version = params::text(&result, "protocolVersion").and_then(|text| text.parse().ok());
                let agreed = [(headers::SESSION_ID, session), (headers::PROTOCOL_VERSION, version)];
                for (name, value) in agreed.into_iter().filter_map(|(name, value)| Some((name, value?))) {
                    self.headers.insert(name, value);
                }
                Ok(answer)
            }
            Ok(Message::Response { body: Body::Error(error), .. }) => Err(AttachError::Rejected(error)),
            _ => Err(AttachError::Rejected(error_of(status, &answer))),
        }
    }

    pub(crate) fn has_session(&self) -> bool {
        self.headers.contains_key(headers::SESSION_ID)
    }

    /// Prepares the request that sends a message.
    pub(crate) fn post(&self, message: Bytes) -> RequestBuilder {
        self.request(Method::POST, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .body(message)
    }

    /// Prepares the request for the stream of messages that belong to no request; `None` if it was already prepared.
    pub(crate) fn listen(&self) -> Option<impl Fn() -> RequestBuilder> {
        let first = self.has_session() && !self.listened.swap(true, Ordering::Relaxed);
        first.then_some(|| self.request(Method::GET, "text/event-stream"))
    }

    /// Ends the session.
    pub(crate) async fn end(&self) {
        if self.has_session() {
            let _ = self.request(Method::DELETE, "application/json").send().await;
        }
    }

    fn request(&self, method: Method, accept: &'static str) -> RequestBuilder {
        self.http.request(method, self.url.clone()).headers(self.headers.clone()).header(ACCEPT, accept)
    }

    /// Whether the instance accepts connections.
    pub(crate) async fn is_reachable(&self) -> bool {
        TcpStream::connect(&self.instance.address).await.is_ok()
    }

    /// Waits until the instance is gone, or the attachment is replaced. An idle connection ends with the instance.
    pub(crate) async fn ended(&self) {
        let gone = async {
            while let Ok(mut connection) = TcpStream::connect(&self.instance.address).await {
                let began = Instant::now();
                let _ = connection.read(&mut [0]).await;
                // An instance that drops connections at once is not gone.
                tokio::time::sleep(PROBE_INTERVAL.saturating_sub(began.elapsed())).await;
            }
        };
        tokio::select! {
            () = gone => {}
            () = self.replaced.cancelled() => {}
        }
    }
}

fn endpoint(address: &str, server: Option<&str>) -> Option<Url> {
    let mut url = Url::parse(&format!("http://{address}/mcp")).ok()?;
    if let Some(server) = server {
        url.path_segments_mut().ok()?.push(server);
    }
    Some(url)
}

fn unreachable(error: &reqwest::Error) -> AttachError {
    AttachError::Unreachable(plain(error))
}

/// Reads a response's body, or returns the reason why it is incomplete.
pub(crate) async fn read_body(mut response: Response) -> Result<Bytes, String> {
    let mut body = BytesMut::new();
    while let Some(piece) = response.chunk().await.map_err(|error| plain(&error))? {
        body.extend_from_slice(&piece);
        if body.len() > MAX_ANSWER {
            return Err("the answer is longer than 64 MB".into());
        }
    }
    Ok(body.freeze())
}

/// The error object for a response that is not an answer.
pub(crate) fn error_of(status: StatusCode, body: &Bytes) -> Bytes {
    if let Some(Body::Error(error)) = error_without_id(body) {
        return error;
    }
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    let reason = if text.is_empty() {
        format!("the running Schemascope answered HTTP {status} without a reason")
    } else {
        text.into()
    };
    RpcError::internal(reason).object()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoint_escapes_the_server_name() {
        let url = |server| endpoint("127.0.0.1:7347", server).unwrap().to_string();
        assert_eq!(url(None), "http://127.0.0.1:7347/mcp");
        assert_eq!(url(Some("git")), "http://127.0.0.1:7347/mcp/git");
        assert_eq!(url(Some("a/b ?")), "http://127.0.0.1:7347/mcp/a%2Fb%20%3F");
        assert_eq!(endpoint("not an address", None), None);
    }
}
