//! Errors of Schemascope itself, as JSON-RPC objects.

use bytes::Bytes;
use rmcp::model::ErrorCode;

use super::message::MessageError;
use super::{Body, Era, version};

/// The code of an error object, if it is an integer.
pub(crate) fn code(error: &Bytes) -> Option<i64> {
    serde_json::from_slice(&super::params::field(error, "code")?.raw).ok()
}

/// An error of Schemascope for a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RpcError {
    code: ErrorCode,
    message: String,
    data: Option<serde_json::Value>,
}

impl RpcError {
    pub(crate) fn parse(message: impl Into<String>) -> Self {
        Self { code: ErrorCode::PARSE_ERROR, message: message.into(), data: None }
    }

    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self { code: ErrorCode::INVALID_REQUEST, message: message.into(), data: None }
    }

    /// The error for bytes that are not a message.
    pub(crate) fn not_a_message(bytes: &[u8], error: &MessageError) -> Self {
        match error {
            MessageError::Json(reason) => Self::parse(format!("Parse error: {reason}")),
            MessageError::Batch(reason) => Self::invalid_request(*reason),
            MessageError::Envelope(_) if bytes.trim_ascii_start().starts_with(b"[") => Self::invalid_request(
                "batches belong to protocol version 2025-03-26; send one message at a time",
            ),
            MessageError::Envelope(reason) => Self::invalid_request(format!("Invalid request: {reason}")),
        }
    }

    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        Self { code: ErrorCode::INVALID_PARAMS, message: message.into(), data: None }
    }

    /// The error for a resource that no one has. The stateless era has no code of its own for it.
    pub(crate) fn unknown_resource(uri: &str, era: Era) -> Self {
        let code = match era {
            Era::Legacy => ErrorCode::RESOURCE_NOT_FOUND,
            Era::Modern => ErrorCode::INVALID_PARAMS,
        };
        let message = format!("Unknown resource: {uri}; no server lists it or has a template for it");
        Self { code, message, data: Some(serde_json::json!({"uri": uri})) }
    }

    pub(crate) fn is_invalid_params(&self) -> bool {
        self.code == ErrorCode::INVALID_PARAMS
    }

    pub(crate) fn method_not_found(method: &str) -> Self {
        Self { code: ErrorCode::METHOD_NOT_FOUND, message: format!("Method not found: {method}"), data: None }
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self { code: ErrorCode::INTERNAL_ERROR, message: message.into(), data: None }
    }

    /// The error for an unsupported protocol version, with the data that stateless clients read.
    pub(crate) fn unsupported_version(requested: &str) -> Self {
        Self {
            code: ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
            message: format!(
                "Unsupported protocol version {requested:?}; supported: {}",
                version::spoken().join(", ")
            ),
            data: Some(serde_json::json!({"requested": requested, "supported": version::spoken()})),
        }
    }

    /// The error for headers that do not match the body.
    pub(crate) fn header_mismatch(reason: &str) -> Self {
        Self { code: ErrorCode::HEADER_MISMATCH, message: format!("Header mismatch: {reason}"), data: None }
    }

    pub(crate) fn body(&self) -> Body {
        Body::Error(self.object())
    }

    /// The error object.
    pub(crate) fn object(&self) -> Bytes {
        let mut error = serde_json::json!({"code": self.code.0, "message": self.message});
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        Bytes::from(error.to_string())
    }
}
