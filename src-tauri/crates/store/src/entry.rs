//! What the journal holds, and how it is written.
//!
//! Each payload begins with the format of its kind; a bump adds one converter here. Owns: those
//! formats. Refuses to know: frames, sled.

use std::borrow::Cow;

use schemascope_model::{CallRecord, Timestamp, ToolId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub(crate) const CALL: u8 = 1;
const DECLARED: u8 = 2;
pub(crate) const STATE: u8 = 3;
/// What a call takes beside its bodies, mostly.
const HEAD: usize = 1 << 10;
/// Format of every kind, so far.
pub(crate) const FORMAT: u8 = 1;

/// One fact, in the order it happened.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "nearly all entries are calls")]
pub enum Entry {
    /// A call ended.
    Call(CallRecord),
    /// An upstream listed a tool for the first time, otherwise than before, or no longer.
    Declared(Declared),
    /// A tool's state at this point, so that earlier segments are not needed to know it.
    State {
        /// The tool.
        tool: ToolId,
        /// Its state, as [`crate::Fold::load`] takes it.
        state: Vec<u8>,
    },
}

/// What an upstream says of one tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Declared {
    /// The tool.
    pub tool_id: ToolId,
    /// When it was listed.
    pub at: Timestamp,
    /// The tool's object in `tools/list`, as sent; none when it is listed no longer.
    pub definition: Option<Box<RawValue>>,
}

/// Why a payload cannot be read.
#[derive(Debug)]
pub(crate) enum Unreadable {
    Format(u8),
    Malformed(String),
}

impl Entry {
    /// The tool it is about.
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

    /// The id its frame carries.
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

/// The same, for a value of about so many bytes: those of large ones are not moved again and again.
fn versioned_in<T: Serialize>(value: &T, bodies: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(bodies + HEAD);
    bytes.push(FORMAT);
    // Our own types have string keys and no failing serializers.
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
