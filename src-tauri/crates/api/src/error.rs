//! What a front is told when a command cannot be carried out.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why, by kind, for fronts that react to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// What was named does not exist.
    NotFound,
    /// The command itself is wrong.
    Invalid,
    /// An upstream, or the engine, cannot do it now.
    Unavailable,
    /// Something that should not happen.
    Internal,
}

/// An error for a person: what is wrong and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiError {
    /// Its kind.
    pub kind: ErrorKind,
    /// One or two sentences.
    pub message: String,
}

impl ApiError {
    /// An error of some kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ApiError {}
