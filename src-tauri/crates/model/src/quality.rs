//! Quality and source of a tool's schema. The registry computes them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Quality of a tool's schema, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// Neither observed nor declared.
    None,
    /// 1 to 9 observations.
    Low,
    /// 10 to 99 observations, or more with lower consistency.
    Medium,
    /// At least 100 observations with a mean consistency of at least 0.8, nine in ten of which have the same type, or
    /// a declared schema that the observations keep.
    High,
}

/// Source of a tool's schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Declared by the upstream, not observed yet.
    Declared,
    /// Declared by the upstream and observed at least once.
    Hybrid,
    /// Learned from observations.
    Inferred,
    /// Neither declared nor observed, or observed only as text without structure.
    Unknown,
}

/// Form of the results of a tool that returns only text without structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextForm {
    /// Text with headings, emphasis, links or fences.
    Markdown,
    /// Lines `key: value` whose keys have not recurred often enough.
    KeyValue,
    /// Any other text.
    Plain,
}

/// How far the type of a wrapper's result binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// A result that does not fit raises.
    Typed,
    /// A result that does not fit warns and comes back.
    Inferred,
    /// Nothing is known of the result.
    Helper,
}

impl fmt::Display for TextForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Markdown => "Markdown",
            Self::KeyValue => "key and value lines",
            Self::Plain => "plain text",
        })
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        })
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Declared => "declared",
            Self::Hybrid => "hybrid",
            Self::Inferred => "inferred",
            Self::Unknown => "unknown",
        })
    }
}
