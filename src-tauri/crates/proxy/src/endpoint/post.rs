//! `POST`: one message from a client, of whichever era it says.

use std::sync::Arc;

use axum::body::Body as HttpBody;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use super::form::Accepts;
use super::refusal::{Refusal, check_version};
use super::{Endpoint, Target, Whole, batch, header_text, legacy, modern};
use crate::wire::RpcError;
use crate::wire::headers::{PROTOCOL_VERSION, SESSION_ID};
use crate::wire::message::Message;
use crate::wire::meta::Meta;
use crate::wire::version::{self, Era};

pub(crate) async fn handle(endpoint: Arc<Endpoint>, target: Target, request: Request<HttpBody>) -> Response {
    let headers = request.headers().clone();
    // Read before anything is refused: a connection with half a request on it must be closed, and the
    // client may be about to use it again.
    let Whole(body) = match Whole::from_request(request, &()).await {
        Ok(body) => body,
        Err(refusal) => return refusal,
    };
    match check_headers(&headers) {
        Ok(accepts) => match batch::receive(&endpoint, &target, &headers, accepts, &body).await {
            Some(response) => response,
            None => receive(&endpoint, &target, &headers, accepts, &body).await,
        },
        Err(refusal) => refusal.into_response(),
    }
}

fn check_headers(headers: &HeaderMap) -> Result<Accepts, Refusal> {
    let text = |name| headers.get(name).and_then(|value: &header::HeaderValue| value.to_str().ok());
    let media_type = text(header::CONTENT_TYPE).unwrap_or_default();
    if !media_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        return Err(Refusal::MediaType("application/json"));
    }
    Accepts::of(text(header::ACCEPT)).ok_or(Refusal::NotAcceptable)
}

async fn receive(
    endpoint: &Arc<Endpoint>,
    target: &Target,
    headers: &HeaderMap,
    accepts: Accepts,
    body: &Bytes,
) -> Response {
    let message = match Message::parse(body) {
        Ok(message) => message,
        Err(error) => return Refusal::Malformed(RpcError::no_message(body, &error)).into_response(),
    };
    let id = match &message {
        Message::Request { id, .. } => Some(id.clone()),
        _ => None,
    };
    // Answers of clients still let others finish.
    if id.is_some() && endpoint.closing.is_cancelled() {
        return Refusal::Closing.to(id.as_ref());
    }
    let received = match era(headers, &message) {
        Era::Legacy => match check_version(headers) {
            Ok(()) => legacy::receive(endpoint, target, headers, accepts, message).await,
            Err(refusal) => Err(refusal),
        },
        Era::Modern => modern::receive(endpoint, target, headers, accepts, message).await,
    };
    received.unwrap_or_else(|refusal| refusal.to(id.as_ref()))
}

/// In which era a message is sent: what it says of itself decides, or where it says nothing, its headers.
/// Versions nobody knows are refused in the way of the stateless era unless there is a session.
fn era(headers: &HeaderMap, message: &Message) -> Era {
    let params = match message {
        Message::Request { params, .. } | Message::Notification { params, .. } => params.as_ref(),
        Message::Response { .. } => None,
    };
    if Meta::of(params).version.is_some() {
        return Era::Modern;
    }
    if matches!(message, Message::Request { method, .. } if method == "initialize") {
        return Era::Legacy;
    }
    match header_text(headers, PROTOCOL_VERSION).map(|named| version::era(&named)) {
        Some(Some(Era::Modern)) => Era::Modern,
        Some(None) if headers.get(SESSION_ID).is_none() => Era::Modern,
        _ => Era::Legacy,
    }
}
