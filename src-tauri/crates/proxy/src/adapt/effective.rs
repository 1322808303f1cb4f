//! What is held true of a tool's output, and on whose word.
//!
//! Owns: the words of it. Refuses to know: who decides.

use std::sync::Arc;

use serde_json::Value;

/// What is held true of a tool's output: pinned before promoted before declared before nothing. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub enum Effective {
    /// Nothing.
    #[default]
    None,
    /// What its upstream declares.
    Declared(Schema),
    /// A version that was promoted.
    Promoted(Schema),
    /// A version that stays whatever comes later.
    Pinned(Schema),
    /// A pinned version whose violations are errors.
    Enforced(Schema),
}

/// A JSON Schema with what tells it from others. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Schema {
    /// The same for the same content, whatever the order of its keys.
    pub digest: Arc<str>,
    /// The schema.
    pub schema: Arc<Value>,
}

impl Effective {
    /// The schema, if there is one.
    pub fn schema(&self) -> Option<&Schema> {
        match self {
            Self::None => None,
            Self::Declared(schema)
            | Self::Promoted(schema)
            | Self::Pinned(schema)
            | Self::Enforced(schema) => Some(schema),
        }
    }

    /// Whether results that keep missing the schema may take it out of sight: never against a pin.
    pub(crate) fn may_be_suspended(&self) -> bool {
        matches!(self, Self::Declared(_) | Self::Promoted(_))
    }
}

/// What may be done to results and to what clients are told. May change at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adapting {
    /// Where results are adapted.
    pub mode: Mode,
    /// Whether clients stop being told of a schema that results keep missing.
    pub suspend: bool,
}

impl Default for Adapting {
    fn default() -> Self {
        Self { mode: Mode::default(), suspend: true }
    }
}

/// Where results are adapted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Wherever it gives clients structure they would not have.
    #[default]
    On,
    /// Plain text of tools without a schema as well.
    All,
    /// Only where a schema is advertised.
    Advertised,
    /// Nowhere, and only upstreams' own schemas are advertised.
    Off,
}
