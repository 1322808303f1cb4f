//! `POST`: reads a message of a client and hands it to the code for its era.

use std::sync::Arc;

use axum::body::Body as HttpBody;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use super::form::Accepts;
use super::rejection::{Rejection, check_version};
use super::{Endpoint, RequestBody, Target, batch, header_text, legacy, modern};
use crate::wire::RpcError;
use crate::wire::headers::{PROTOCOL_VERSION, SESSION_ID};
use crate::wire::message::Message;
use crate::wire::meta::Meta;
use crate::wire::version::{self, Era};

pub(crate) async fn handle(endpoint: Arc<Endpoint>, target: Target, request: Request<HttpBody>) -> Response {
    let headers = request.headers().clone();
    // Read before any check: a connection with an unread body must be closed, and the client may want to use it
    // again.
    let RequestBody(body) = match RequestBody::from_request(request, &()).await {
        Ok(body) => body,
        Err(rejection) => return rejection,
    };
    match check_headers(&headers) {
        Ok(accepts) => match batch::receive(&endpoint, &target, &headers, accepts, &body).await {
            Some(response) => response,
            None => receive(&endpoint, &target, &headers, accepts, &body).await,
        },
        Err(rejection) => rejection.into_response(),
    }
}

fn check_headers(headers: &HeaderMap) -> Result<Accepts, Rejection> {
    let text = |name| headers.get(name).and_then(|value: &header::HeaderValue| value.to_str().ok());
    let media_type = text(header::CONTENT_TYPE).unwrap_or_default();
    if !media_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        return Err(Rejection::MediaType("application/json"));
    }
    Accepts::of(text(header::ACCEPT)).ok_or(Rejection::NotAcceptable)
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
        Err(error) => return Rejection::Malformed(RpcError::not_a_message(body, &error)).into_response(),
    };
    let id = match &message {
        Message::Request { id, .. } => Some(id.clone()),
        _ => None,
    };
    // Responses of clients are still accepted: requests in progress may depend on them.
    if id.is_some() && endpoint.closing.is_cancelled() {
        return Rejection::Closing.to(id.as_ref());
    }
    let received = match era(headers, &message) {
        Era::Legacy => match check_version(headers) {
            Ok(()) => legacy::receive(endpoint, target, headers, accepts, message).await,
            Err(rejection) => Err(rejection),
        },
        Era::Modern => modern::receive(endpoint, target, headers, accepts, message).await,
    };
    received.unwrap_or_else(|rejection| rejection.to(id.as_ref()))
}

/// The era of a message, by its `_meta`, else by its headers. Unknown versions count as stateless unless there is a
/// session.
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
