//! The reasons why a request is rejected, with the statuses and errors of the specification.

use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use super::header_text;
use crate::wire::headers::PROTOCOL_VERSION;
use crate::wire::{RpcError, message, version};

/// The reason why a request is rejected.
#[derive(Debug)]
pub(crate) enum Rejection {
    NoSession,
    UnknownSession,
    Version(String),
    MediaType(&'static str),
    NotAcceptable,
    Closing,
    Malformed(RpcError),
}

/// Checks the protocol version in a request's headers.
pub(crate) fn check_version(headers: &HeaderMap) -> Result<(), Rejection> {
    let Some(named) = header_text(headers, PROTOCOL_VERSION) else { return Ok(()) };
    if version::era(&named).is_some() { Ok(()) } else { Err(Rejection::Version(named)) }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        self.to(None)
    }
}

impl Rejection {
    /// The response to a request, with its id if that could be read.
    pub(crate) fn to(self, id: Option<&Bytes>) -> Response {
        let (status, error) = match self {
            Self::NoSession => (
                StatusCode::BAD_REQUEST,
                RpcError::invalid_request("the header Mcp-Session-Id is missing; send initialize first"),
            ),
            Self::UnknownSession => (
                StatusCode::NOT_FOUND,
                RpcError::invalid_request("the session is unknown or has ended; send initialize again"),
            ),
            Self::Version(version) => (StatusCode::BAD_REQUEST, RpcError::unsupported_version(&version)),
            Self::MediaType(expected) => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                RpcError::invalid_request(format!("the header Content-Type must be {expected}")),
            ),
            Self::NotAcceptable => (
                StatusCode::NOT_ACCEPTABLE,
                RpcError::invalid_request(
                    "the header Accept must allow application/json or text/event-stream",
                ),
            ),
            Self::Closing => (
                StatusCode::SERVICE_UNAVAILABLE,
                RpcError::internal("Schemascope is shutting down; the request was not carried out"),
            ),
            Self::Malformed(error) => (StatusCode::BAD_REQUEST, error),
        };
        let body = message::error_response(id.map(AsRef::as_ref), &error.body());
        (status, [("content-type", "application/json")], body).into_response()
    }
}
