//! Vocabulary of versions, and of the actors that decide about them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Origin of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VersionOrigin {
    /// Learned from observations.
    Inferred,
    /// From a file of overrides.
    File,
    /// Imported from another installation.
    Import,
}

/// State of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VersionState {
    /// Awaiting a decision: the newest version, until there is one.
    Candidate,
    /// Promoted, and not replaced since.
    Promoted,
    /// Rejected by a person.
    Rejected,
    /// Replaced by another version, or rolled back.
    Superseded,
}

impl fmt::Display for VersionOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Inferred => "inferred",
            Self::File => "file",
            Self::Import => "import",
        })
    }
}

impl fmt::Display for VersionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Candidate => "candidate",
            Self::Promoted => "promoted",
            Self::Rejected => "rejected",
            Self::Superseded => "superseded",
        })
    }
}

/// Kind of actor behind a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// A person using the dashboard or the terminal.
    Person,
    /// A file of overrides that a person edited.
    File,
    /// A policy, enabled by a person or by default.
    Policy,
}

impl fmt::Display for ActorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Person => "a person",
            Self::File => "file",
            Self::Policy => "policy",
        })
    }
}
