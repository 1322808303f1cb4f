//! A client's session with an instance.
//!
//! Owns: the way there, how the client is introduced, and how it is noticed that the instance is gone.
//! Refuses to know: which instance comes next, and what becomes of requests.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, Url};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use super::Introduction;
use crate::upstream::http::{error_without_id, plain};
use crate::upstream::sse::MAX_EVENT;
use crate::wire::message::{Body, Message};
use crate::wire::{RpcError, headers, params};

/// Longest answer that is no stream: what an upstream may answer, and its envelope.
const MAX_ANSWER: usize = MAX_EVENT + (1 << 20);
/// How often at most it is looked whether an instance that dropped a connection still listens.
const LOOK: Duration = Duration::from_millis(200);

/// Where an instance is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// `HOST:PORT`.
    pub address: String,
    /// What requests must carry.
    pub token: Option<String>,
    /// Its process.
    pub pid: u32,
}

/// A session, or merely the way to an instance while the client has not introduced itself.
pub(crate) struct Attachment {
    /// Later ones have higher numbers.
    pub(crate) number: u64,
    pub(crate) place: Place,
    http: Client,
    url: Url,
    headers: HeaderMap,
    listened: AtomicBool,
    /// Cancelled when another one takes its place.
    pub(crate) over: CancellationToken,
}

/// Why there is no session.
pub(crate) enum Failure {
    /// Nobody is there.
    Unreachable(String),
    /// It was answered with this error object.
    Refused(Bytes),
}

impl Attachment {
    /// Goes to an instance and introduces the client there, if it introduced itself to us. With the answer
    /// to its `initialize`, as it came.
    pub(crate) async fn open(
        number: u64,
        place: Place,
        server: Option<&str>,
        http: Client,
        client: &Introduction,
    ) -> Result<(Self, Option<Bytes>), Failure> {
        let url = endpoint(&place.address, server)
            .ok_or_else(|| Failure::Unreachable(format!("{:?} is no address", place.address)))?;
        let mut headers = HeaderMap::new();
        headers.insert(headers::RELAYED, HeaderValue::from_static("1"));
        if let Some(Ok(token)) = place.token.as_ref().map(|token| format!("Bearer {token}").parse()) {
            headers.insert(AUTHORIZATION, token);
        }
        let (listened, over) = (AtomicBool::new(false), CancellationToken::new());
        let mut attachment = Self { number, place, http, url, headers, listened, over };
        let Some(hello) = client.hello() else { return Ok((attachment, None)) };
        let answer = attachment.introduce(hello).await?;
        for line in client.rest() {
            let said = attachment.post(line.clone()).send().await;
            // What it answers the client has been told once.
            drop(whole(said.map_err(|error| unreachable(&error))?).await);
        }
        Ok((attachment, Some(answer)))
    }

    async fn introduce(&mut self, hello: &Bytes) -> Result<Bytes, Failure> {
        let response = self.post(hello.clone()).send().await.map_err(|error| unreachable(&error))?;
        let status = response.status();
        let session = response.headers().get(headers::SESSION_ID).cloned();
        let answer = whole(response).await.map_err(Failure::Unreachable)?;
        if status == StatusCode::SERVICE_UNAVAILABLE {
            return Err(Failure::Unreachable("it is ending".into()));
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
            Ok(Message::Response { body: Body::Error(error), .. }) => Err(Failure::Refused(error)),
            _ => Err(Failure::Refused(refusal(status, &answer))),
        }
    }

    pub(crate) fn has_session(&self) -> bool {
        self.headers.contains_key(headers::SESSION_ID)
    }

    /// A message on its way.
    pub(crate) fn post(&self, message: Bytes) -> RequestBuilder {
        self.request(Method::POST, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .body(message)
    }

    /// Asks for what belongs to no request; none where it was asked for already.
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

    /// Whether somebody listens there.
    pub(crate) async fn is_reachable(&self) -> bool {
        TcpStream::connect(&self.place.address).await.is_ok()
    }

    /// Waits until the instance is gone, or this is over: a connection nothing is sent on ends with it.
    pub(crate) async fn ended(&self) {
        let gone = async {
            while let Ok(mut connection) = TcpStream::connect(&self.place.address).await {
                let began = Instant::now();
                let _ = connection.read(&mut [0]).await;
                // One that drops connections at once is there all the same.
                tokio::time::sleep(LOOK.saturating_sub(began.elapsed())).await;
            }
        };
        tokio::select! {
            () = gone => {}
            () = self.over.cancelled() => {}
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

fn unreachable(error: &reqwest::Error) -> Failure {
    Failure::Unreachable(plain(error))
}

/// A response's body, or why it did not come whole.
pub(crate) async fn whole(mut response: Response) -> Result<Bytes, String> {
    let mut body = BytesMut::new();
    while let Some(piece) = response.chunk().await.map_err(|error| plain(&error))? {
        body.extend_from_slice(&piece);
        if body.len() > MAX_ANSWER {
            return Err("the answer is longer than 64 MB".into());
        }
    }
    Ok(body.freeze())
}

/// What a response says that is no answer, as an error object.
pub(crate) fn refusal(status: StatusCode, body: &Bytes) -> Bytes {
    if let Some(Body::Error(error)) = error_without_id(body) {
        return error;
    }
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    let reason = if text.is_empty() { format!("Schemascope answered HTTP {status}") } else { text.into() };
    RpcError::internal(reason).object()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_one_segment_of_the_path() {
        let url = |server| endpoint("127.0.0.1:7347", server).unwrap().to_string();
        assert_eq!(url(None), "http://127.0.0.1:7347/mcp");
        assert_eq!(url(Some("git")), "http://127.0.0.1:7347/mcp/git");
        assert_eq!(url(Some("a/b ?")), "http://127.0.0.1:7347/mcp/a%2Fb%20%3F");
        assert_eq!(endpoint("not an address", None), None);
    }
}
