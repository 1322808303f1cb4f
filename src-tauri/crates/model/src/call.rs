//! The record of one call and its form in JSON, which is also the export format.
//!
//! Bodies are raw JSON, so that a recorded number is exactly the number that was sent.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{CallId, Carrier, Flow, Timestamp, ToolId};

/// One `tools/call` with its result or error, or the way it ended without either.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CallRecord {
    /// Id of the call, ordered by time.
    pub id: CallId,
    /// Time at which Schemascope received the call.
    pub at: Timestamp,
    /// Tool that was called, by its upstream name.
    pub tool_id: ToolId,
    /// How the call ended.
    pub outcome: Outcome,
    /// Source of the record.
    pub origin: Origin,
    /// Session of the client, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Box<str>>,
    /// Client that made the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
    /// Protocol version agreed with the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<Box<str>>,
    /// Time until the upstream answered, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream_us: Option<u64>,
    /// Time from the request to the answer as the client measures it, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_us: Option<u64>,
    /// Size of the arguments as sent, in bytes.
    #[serde(default)]
    pub arguments_bytes: u64,
    /// Size of the result or error as sent, in bytes.
    #[serde(default)]
    pub result_bytes: u64,
    /// Number of values replaced before anything was stored.
    #[serde(default)]
    pub redacted: u64,
    /// Whether the observation fits the schema that was effective at the time. Decided
    /// before redaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<Fit>,
    /// The same for the schema that the server declares, where another schema was effective.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared_fit: Option<Fit>,
    /// Part of the result that carried the observed value; `None` if nothing was observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carrier: Option<Carrier>,
    /// How the result was adapted to the schema advertised to the client; `None` if it was not
    /// adapted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rung: Option<Rung>,
    /// Which arguments came from earlier results of the session. Decided before redaction; `None` for calls
    /// that were stored before this was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Flow>,
    /// Whether the bodies below were left out because the recorder was overloaded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bodies_left_out: bool,
    /// `params.arguments`, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Box<RawValue>>,
    /// `result` as the upstream sent it, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    /// `error` as the upstream sent it, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<RawValue>>,
}

impl CallRecord {
    /// Creates a record without any of the optional fields.
    pub fn new(id: CallId, at: Timestamp, tool_id: ToolId, outcome: Outcome, origin: Origin) -> Self {
        Self {
            id,
            at,
            tool_id,
            outcome,
            origin,
            session: None,
            client: None,
            protocol_version: None,
            upstream_us: None,
            total_us: None,
            arguments_bytes: 0,
            result_bytes: 0,
            redacted: 0,
            fit: None,
            declared_fit: None,
            carrier: None,
            rung: None,
            flow: None,
            bodies_left_out: false,
            arguments: None,
            result: None,
            error: None,
        }
    }

    /// Returns the record without its bodies and its flow, for lists.
    pub fn without_bodies(&self) -> Self {
        Self {
            session: self.session.clone(),
            client: self.client.clone(),
            protocol_version: self.protocol_version.clone(),
            upstream_us: self.upstream_us,
            total_us: self.total_us,
            arguments_bytes: self.arguments_bytes,
            result_bytes: self.result_bytes,
            redacted: self.redacted,
            fit: self.fit.clone(),
            declared_fit: self.declared_fit.clone(),
            carrier: self.carrier,
            rung: self.rung,
            bodies_left_out: self.bodies_left_out,
            ..Self::new(self.id, self.at, self.tool_id.clone(), self.outcome, self.origin)
        }
    }
}

/// Result of comparing an observation with a schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fit {
    /// Digest of the schema.
    pub schema: Box<str>,
    /// Whether the observation fits.
    pub fits: bool,
    /// First rule that is broken, as a path in the schema; `None` if it fits. The path contains no
    /// values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Box<str>>,
}

/// Name and version that a client reports of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// `clientInfo.name`.
    pub name: Box<str>,
    /// `clientInfo.version`.
    pub version: Box<str>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A result that is not an error.
    Ok,
    /// A result with `isError: true`.
    ToolError,
    /// A JSON-RPC error from the upstream.
    Error,
    /// The client cancelled the call.
    Cancelled,
    /// The upstream disconnected, or did not answer in time.
    Lost,
}

/// Source of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Call of a client through the proxy.
    Proxy,
    /// Call by `schemascope call`.
    Terminal,
    /// Line of a trace read by `schemascope backfill`.
    Backfill,
    /// Call of a tool that the user lists for discovery.
    Discovery,
}

/// Step of the adaptation that produced the result sent to the client, from no change to the most
/// generic form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// The result had structured content and was passed on unchanged.
    PassThrough,
    /// The text was parsed into structured content that fits the schema, or there was no schema to
    /// fit.
    Declared,
    /// The text itself became the structured content.
    Generic,
}

impl Outcome {
    /// Returns whether the call counts as failed. Cancelled calls do not.
    pub fn is_failure(self) -> bool {
        !matches!(self, Self::Ok | Self::Cancelled)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ok => "ok",
            Self::ToolError => "tool error",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
        })
    }
}
