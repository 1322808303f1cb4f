//! Entries of the journal and their encoding.
//!
//! The first byte of a payload is the format of its kind. A new format adds one converter here.

use std::borrow::Cow;

use schemascope_model::{CallRecord, Timestamp, ToolId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub(crate) const CALL: u8 = 1;
const DECLARED: u8 = 2;
pub(crate) const STATE: u8 = 3;
/// Typical size of a call without its bodies, in bytes.
const HEAD_BYTES: usize = 1 << 10;
/// Current format of every kind.
pub(crate) const FORMAT: u8 = 1;

/// One fact. The journal keeps facts in the order in which they happened.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "nearly all entries are calls")]
pub enum Entry {
    /// A finished call.
    Call(CallRecord),
    /// A tool that an upstream listed for the first time, changed, or no longer lists.
    Declared(Declared),
    /// State of a tool at this point, which makes earlier segments unnecessary for knowing it.
    State {
        /// Tool the state belongs to.
        tool: ToolId,
        /// State as [`crate::Fold::load`] accepts it.
        state: Vec<u8>,
    },
}

/// Declaration of one tool by its upstream.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Declared {
    /// Tool that was declared.
    pub tool_id: ToolId,
    /// Time of the listing.
    pub at: Timestamp,
    /// Object of the tool in `tools/list`, as sent; `None` when the tool is no longer listed.
    pub definition: Option<Box<RawValue>>,
}

/// Reason why a payload cannot be read.
#[derive(Debug)]
pub(crate) enum Unreadable {
    Format(u8),
    Malformed(String),
}

impl Entry {
    /// Returns the tool the entry is about.
    pub fn tool(&self) -> &ToolId {
        match self {
            Self::Call(call) => &call.tool_id,
            Self::Declared(declared) => &declared.tool_id,
            Self::State { tool, .. } => tool,
        }
    }

    pub(crate) fn kind(&self) -> u8 {
        match self {
            Self::Call(_) => CALL,
            Self::Declared(_) => DECLARED,
            Self::State { .. } => STATE,
        }
    }

    /// Returns the id written to the entry's frame.
    pub(crate) fn frame_id(&self) -> [u8; 16] {
        match self {
            Self::Call(call) => call.id.to_bytes(),
            _ => [0; 16],
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Call(call) => encode_call(call),
            Self::Declared(declared) => versioned(declared),
            Self::State { tool, state } => {
                let mut bytes = versioned(tool);
                bytes.push(b'\n');
                bytes.extend_from_slice(state);
                bytes
            }
        }
    }

    pub(crate) fn decode(kind: u8, payload: &[u8]) -> Result<Self, Unreadable> {
        let body = body(payload)?;
        match kind {
            CALL => parse(body).map(Self::Call),
            DECLARED => parse(body).map(Self::Declared),
            STATE => {
                let end = body.iter().position(|byte| *byte == b'\n').unwrap_or(body.len());
                let (tool, state) = body.split_at(end);
                Ok(Self::State { tool: parse(tool)?, state: state.get(1..).unwrap_or_default().to_vec() })
            }
            other => Err(Unreadable::Format(other)),
        }
    }
}

pub(crate) fn encode_call(call: &CallRecord) -> Vec<u8> {
    let bodies = [&call.arguments, &call.result, &call.error].into_iter().flatten();
    versioned_in(call, bodies.map(|body| body.get().len()).sum())
}

pub(crate) fn decode_call(payload: &[u8]) -> Result<CallRecord, Unreadable> {
    parse(body(payload)?)
}

fn versioned<T: Serialize>(value: &T) -> Vec<u8> {
    versioned_in(value, 0)
}

/// Encodes a value whose bodies have about this many bytes. The capacity keeps large bodies from
/// being copied repeatedly while the buffer grows.
fn versioned_in<T: Serialize>(value: &T, bodies: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(bodies + HEAD_BYTES);
    bytes.push(FORMAT);
    // Cannot fail: our types have string keys and their serializers return no errors.
    let _ = serde_json::to_writer(&mut bytes, value);
    bytes
}

fn body(payload: &[u8]) -> Result<&[u8], Unreadable> {
    match payload.split_first() {
        Some((&FORMAT, body)) => Ok(body),
        Some((&format, _)) => Err(Unreadable::Format(format)),
        None => Err(Unreadable::Malformed("empty".into())),
    }
}

fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Unreadable> {
    serde_json::from_slice(body).map_err(|error| Unreadable::Malformed(error.to_string()))
}

impl Unreadable {
    pub(crate) fn reason(&self) -> Cow<'static, str> {
        match self {
            Self::Format(found) => format!("unknown record format {found}").into(),
            Self::Malformed(reason) => format!("record does not parse: {reason}").into(),
        }
    }
}
