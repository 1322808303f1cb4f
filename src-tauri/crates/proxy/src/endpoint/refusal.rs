//! Why a request is not served, as the specification says it.
//!
//! Owns: statuses and errors. Refuses to know: what finds a request wrong.

use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use super::header_text;
use crate::wire::headers::PROTOCOL_VERSION;
use crate::wire::{RpcError, message, version};

/// Why a request is not served, with the status the specification asks for.
#[derive(Debug)]
pub(crate) enum Refusal {
    NoSession,
    UnknownSession,
    Version(String),
    MediaType(&'static str),
    NotAcceptable,
    Closing,
    Malformed(RpcError),
}

/// Checks the protocol version a request names.
pub(crate) fn check_version(headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(named) = header_text(headers, PROTOCOL_VERSION) else { return Ok(()) };
    if version::era(&named).is_some() { Ok(()) } else { Err(Refusal::Version(named)) }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        self.to(None)
    }
}

impl Refusal {
    /// The response to the request with this id, where it could be read.
    pub(crate) fn to(self, id: Option<&Bytes>) -> Response {
        let (status, error) = match self {
            Self::NoSession => (
                StatusCode::BAD_REQUEST,
                RpcError::invalid_request("Mcp-Session-Id is missing; send initialize first"),
            ),
            Self::UnknownSession => (
                StatusCode::NOT_FOUND,
                RpcError::invalid_request("unknown or ended session; send initialize again"),
            ),
            Self::Version(version) => (StatusCode::BAD_REQUEST, RpcError::unsupported_version(&version)),
            Self::MediaType(expected) => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                RpcError::invalid_request(format!("Content-Type must be {expected}")),
            ),
            Self::NotAcceptable => (
                StatusCode::NOT_ACCEPTABLE,
                RpcError::invalid_request("Accept must allow application/json or text/event-stream"),
            ),
            Self::Closing => (
                StatusCode::SERVICE_UNAVAILABLE,
                RpcError::internal("Schemascope is ending; this was not carried out"),
            ),
            Self::Malformed(error) => (StatusCode::BAD_REQUEST, error),
        };
        let body = message::refusal(id.map(AsRef::as_ref), &error.body());
        (status, [("content-type", "application/json")], body).into_response()
    }
}
