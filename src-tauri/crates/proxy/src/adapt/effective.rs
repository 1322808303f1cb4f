//! The effective schema of a tool, and the settings of the adapter.

use std::sync::Arc;

use serde_json::Value;

/// The effective schema of a tool, by origin. A pinned version takes precedence over a promoted one, and that over
/// the declared schema. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub enum Effective {
    /// No schema.
    #[default]
    None,
    /// The schema that the upstream declares.
    Declared(Schema),
    /// A promoted version.
    Promoted(Schema),
    /// A pinned version, which stays effective whatever is promoted later.
    Pinned(Schema),
    /// A pinned version that turns violating results into errors.
    Enforced(Schema),
}

/// A JSON Schema and its digest. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Schema {
    /// Digest of the content, independent of the order of keys.
    pub digest: Arc<str>,
    /// The schema.
    pub schema: Arc<Value>,
    /// Whether it was learned from results, whose texts were values of it and not of one of its fields.
    pub inferred: bool,
}

impl Effective {
    /// Whether a person or policy chose the schema.
    pub fn is_promoted(&self) -> bool {
        matches!(self, Self::Promoted(_) | Self::Pinned(_) | Self::Enforced(_))
    }

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

    /// Whether the origin and the content of the schema are the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let digest = |effective: &Self| effective.schema().map(|schema| Arc::clone(&schema.digest));
        std::mem::discriminant(self) == std::mem::discriminant(other) && digest(self) == digest(other)
    }

    /// The same, to change annotations of the schema. Its digest stays, because it means the same.
    pub fn schema_mut(&mut self) -> Option<&mut Schema> {
        match self {
            Self::None => None,
            Self::Declared(schema)
            | Self::Promoted(schema)
            | Self::Pinned(schema)
            | Self::Enforced(schema) => Some(schema),
        }
    }

    /// Whether the schema is suspended when results keep missing it. Pins never are.
    pub(crate) fn may_be_suspended(&self) -> bool {
        matches!(self, Self::Declared(_) | Self::Promoted(_))
    }
}

/// Settings of the adapter. May change at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adapting {
    /// Which results are adapted.
    pub mode: Mode,
    /// Whether a schema that results keep missing is suspended: clients get a generic one instead.
    pub suspend: bool,
}

impl Default for Adapting {
    fn default() -> Self {
        Self { mode: Mode::default(), suspend: true }
    }
}

/// Which results are adapted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// All whose text is JSON, and all of tools with a schema.
    #[default]
    On,
    /// Also plain text of tools without a schema.
    All,
    /// Only those of tools whose schema is advertised.
    Advertised,
    /// None; only the upstreams' own schemas are advertised.
    Off,
}
