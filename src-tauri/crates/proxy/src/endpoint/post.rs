//! `POST`: one message from a client.

use std::sync::Arc;

use axum::body::Body as HttpBody;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::method::{self, Handled};
use super::reply::{self, Accepts};
use super::session::{Refusal, Session, check_version};
use super::{Endpoint, SESSION_ID, Target};
use crate::wire::message::{self, Message, NotAMessage};
use crate::wire::{Body, RpcError};

pub(crate) async fn handle(endpoint: Arc<Endpoint>, target: Target, request: Request<HttpBody>) -> Response {
    let headers = request.headers().clone();
    // Read before anything is refused: a connection with half a request on it must be closed, and the
    // client may be about to use it again.
    let body = match Bytes::from_request(request, &()).await {
        Ok(body) => body,
        // Too large, or broken off: axum's own status says which.
        Err(rejection) => return rejection.into_response(),
    };
    let accepts = match check_headers(&headers) {
        Ok(accepts) => accepts,
        Err(refusal) => return refusal.into_response(),
    };
    match receive(&endpoint, &target, &headers, accepts, &body).await {
        Ok(response) => response,
        Err(refusal) => refusal.into_response(),
    }
}

fn check_headers(headers: &HeaderMap) -> Result<Accepts, Refusal> {
    let text = |name| headers.get(name).and_then(|value: &header::HeaderValue| value.to_str().ok());
    let media_type = text(header::CONTENT_TYPE).unwrap_or_default();
    if !media_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        return Err(Refusal::MediaType("application/json"));
    }
    check_version(headers)?;
    Accepts::of(text(header::ACCEPT)).ok_or(Refusal::NotAcceptable)
}

async fn receive(
    endpoint: &Arc<Endpoint>,
    target: &Target,
    headers: &HeaderMap,
    accepts: Accepts,
    body: &Bytes,
) -> Result<Response, Refusal> {
    match parse(body)? {
        Message::Request { id, method, params } if method == "initialize" => {
            Ok(initialize(endpoint, target, &id, params.as_ref()).await)
        }
        Message::Request { id, method, params } => {
            let session = endpoint.sessions.of(headers, target)?;
            let handled = method::request(endpoint, target, &session, &id, method, params).await;
            Ok(match handled {
                Handled::Now(body) => reply::json(&message::response(&id, &body)),
                Handled::Active(active) => {
                    reply::when_done(active, id, accepts, endpoint.shutdown.clone()).await
                }
            })
        }
        Message::Notification { method, params } => {
            let session = endpoint.sessions.of(headers, target)?;
            notified(target, &session, &method, params.as_ref()).await;
            Ok(StatusCode::ACCEPTED.into_response())
        }
        // We ask clients nothing yet, so an answer has no question.
        Message::Response { .. } => {
            endpoint.sessions.of(headers, target)?;
            Ok(StatusCode::ACCEPTED.into_response())
        }
    }
}

fn parse(body: &Bytes) -> Result<Message, Refusal> {
    Message::parse(body).map_err(|error| {
        Refusal::Malformed(match error {
            NotAMessage::Json(reason) => RpcError::parse(format!("Parse error: {reason}")),
            NotAMessage::Envelope(_) if body.trim_ascii_start().starts_with(b"[") => {
                RpcError::invalid_request("batches are not supported; send one message per request")
            }
            NotAMessage::Envelope(reason) => RpcError::invalid_request(format!("Invalid request: {reason}")),
        })
    })
}

async fn initialize(endpoint: &Endpoint, target: &Target, id: &Bytes, params: Option<&Bytes>) -> Response {
    let opened = async {
        let hello = method::initialize(endpoint, target, params).await?;
        let session = endpoint.sessions.open(target, hello.client.as_ref(), &hello.protocol_version)?;
        Ok::<_, RpcError>((session, hello.result))
    };
    match opened.await {
        Ok((session, result)) => {
            let mut response = reply::json(&message::response(id, &Body::Result(result)));
            if let Ok(value) = session.id.parse() {
                response.headers_mut().insert(SESSION_ID, value);
            }
            response
        }
        Err(error) => reply::json(&message::response(id, &error.body())),
    }
}

async fn notified(target: &Target, session: &Arc<Session>, method: &str, params: Option<&Bytes>) {
    match method {
        "notifications/cancelled" => {
            #[derive(Deserialize)]
            struct Cancelled<'a> {
                #[serde(borrow, rename = "requestId")]
                request_id: &'a RawValue,
            }
            let cancelled = params.and_then(|params| serde_json::from_slice::<Cancelled<'_>>(params).ok());
            if let Some(cancelled) = cancelled {
                session.cancel(cancelled.request_id.get().as_bytes());
            }
        }
        // The upstream has been told by us that the handshake is over.
        "notifications/initialized" => {}
        _ => {
            if let Target::One(upstream) = target
                && let Ok(live) = upstream.live().await
            {
                // Gone is gone; a notification has no answer to say so in.
                let _ = live.connection.notify(method, params).await;
            }
        }
    }
}
