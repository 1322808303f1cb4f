//! Why a step was rejected.

/// Reason of a rejection, for callers that react to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// An argument is missing or has the wrong form.
    Argument,
    /// There is no project, conversation, Discovery Schema, question or surrogate of that name.
    Unknown,
    /// The Discovery Schema is not being pursued.
    NotStarted,
    /// A prerequisite is not met.
    Prerequisite,
    /// The budget is spent.
    Exhausted,
    /// Every field is filled.
    Complete,
    /// The question has an answer already.
    Answered,
    /// The answer does not fit the Discovery Schema. The question stays open.
    Rejected,
    /// The input is larger or deeper than allowed.
    TooLarge,
}

/// Why a step was rejected: what failed, why, and what to do. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StepError {
    /// The reason.
    pub kind: ErrorKind,
    /// What failed, why, and what to do.
    pub message: String,
}

impl StepError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Argument, message)
    }
}
