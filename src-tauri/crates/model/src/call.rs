//! One recorded call.
//!
//! Owns: what is kept of a call and its form in JSON, which is also the export format. Bodies are
//! raw JSON: a recorded number is the number that was sent. Refuses to know: redaction, storage.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{CallId, Timestamp, ToolId};

/// One `tools/call` with its result, error or end.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CallRecord {
    /// Time-ordered id.
    pub id: CallId,
    /// When the call reached us.
    pub at: Timestamp,
    /// The tool called, by its upstream name.
    pub tool_id: ToolId,
    /// How it ended.
    pub outcome: Outcome,
    /// Where the record comes from.
    pub origin: Origin,
    /// The client's session, where it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Box<str>>,
    /// Who called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
    /// Protocol version spoken with the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<Box<str>>,
    /// Time the upstream took, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream_us: Option<u64>,
    /// Time from request to answer as the client saw it, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_us: Option<u64>,
    /// Size of the arguments as sent, in bytes.
    #[serde(default)]
    pub arguments_bytes: u64,
    /// Size of the result or error as sent, in bytes.
    #[serde(default)]
    pub result_bytes: u64,
    /// Values replaced before anything was stored.
    #[serde(default)]
    pub redacted: u64,
    /// How the observation fit the schema the upstream declared at the time; decided before redaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<Fit>,
    /// How what it taught was carried; none where it taught nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carrier: Option<Carrier>,
    /// How the result was fitted to what its client was told of the tool; none where it was left alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rung: Option<Rung>,
    /// The bodies below were left out because the recorder was full.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bodies_left_out: bool,
    /// `params.arguments`, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Box<RawValue>>,
    /// The upstream's own `result`, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    /// The upstream's own `error`, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<RawValue>>,
}

impl CallRecord {
    /// A record of which nothing more is known; the rest is filled in field by field.
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
            carrier: None,
            rung: None,
            bodies_left_out: false,
            arguments: None,
            result: None,
            error: None,
        }
    }

    /// The record without its bodies, as lists need it.
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
            carrier: self.carrier,
            rung: self.rung,
            bodies_left_out: self.bodies_left_out,
            ..Self::new(self.id, self.at, self.tool_id.clone(), self.outcome, self.origin)
        }
    }
}

/// Whether an observation fits a schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fit {
    /// Digest of the schema.
    pub schema: Box<str>,
    /// Whether it fits.
    pub fits: bool,
    /// If not, the first rule it breaks: its place in the schema. No value stands in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Box<str>>,
}

/// Name and version a client gave of itself.
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
    /// The client cancelled it.
    Cancelled,
    /// The upstream went away, or never answered in time.
    Lost,
}

/// Where a record comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A client's call through the proxy.
    Proxy,
    /// `schemascope call`.
    Terminal,
    /// A trace read by `schemascope backfill`.
    Backfill,
}

/// How the value a result teaches was carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Carrier {
    /// In `structuredContent`.
    Structured,
    /// As JSON in text.
    JsonInText,
    /// It is the text.
    Text,
}

/// How far down the ladder of ways a result had to go until it was what its client expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// It came with structure and passed as it was.
    PassThrough,
    /// Its text gave a structure that fits the schema, or that needs none.
    Declared,
    /// Its text, as text, became the structure.
    Generic,
}

impl Outcome {
    /// Whether somebody looking for failures wants to see this call.
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
