//! Errors of commands.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Kind of an error, for fronts that handle some kinds differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// Something that the command names does not exist.
    NotFound,
    /// The command is invalid.
    Invalid,
    /// An upstream or the engine cannot carry it out at the moment.
    Unavailable,
    /// An error that should not happen.
    Internal,
}

/// An error for the user: what failed, why, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiError {
    /// Kind of the error.
    pub kind: ErrorKind,
    /// Message of one or two sentences.
    pub message: String,
}

impl ApiError {
    /// Creates an error.
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
