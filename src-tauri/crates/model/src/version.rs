//! The words for versions, and who decides about them.
//!
//! Owns: the words. Refuses to know: what follows from them (see `registry`).

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a version comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VersionOrigin {
    /// Learned from observations.
    Inferred,
    /// From a file of overrides.
    File,
    /// Brought from elsewhere.
    Import,
}

/// What was decided about a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VersionState {
    /// Waiting to be decided about: the newest one, as long as nothing was.
    Candidate,
    /// Promoted, and nothing since.
    Promoted,
    /// A person does not want it.
    Rejected,
    /// Another one took its place, or it was rolled back.
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

/// What can act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// Somebody at a front.
    Person,
    /// A file of overrides that somebody edited.
    File,
    /// A rule somebody switched on, or that is on by default.
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
