//! How far a schema can be trusted, and where it comes from.
//!
//! Owns: the words. Refuses to know: how a level is computed (see `registry`).

use std::fmt;

use serde::{Deserialize, Serialize};

/// How far a tool's schema can be trusted. Ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// Nothing observed and nothing declared.
    None,
    /// 1 to 9 observations.
    Low,
    /// 10 to 99 observations, or more that are not consistent enough.
    Medium,
    /// At least 100 observations with mean consistency of 0.8, or a declaration that holds.
    High,
}

/// Where a tool's schema comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The upstream declares it; not observed yet.
    Declared,
    /// The upstream declares it and it was observed at least once.
    Hybrid,
    /// Learned from observations.
    Inferred,
    /// Neither declared nor observed.
    Unknown,
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
