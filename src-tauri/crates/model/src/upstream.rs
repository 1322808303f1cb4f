//! What an upstream is doing.
//!
//! Owns: the words. Refuses to know: when an upstream is in which state (see `proxy`).

use std::fmt;

use serde::{Deserialize, Serialize};

/// What an upstream is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpstreamState {
    /// Not needed yet.
    Idle,
    /// Connecting and listing.
    Starting,
    /// Usable.
    Ready,
    /// Not usable; the reason says why.
    Failed,
    /// Switched off in the configuration.
    Disabled,
    /// Its entry in the configuration cannot be used.
    Invalid,
}

impl fmt::Display for UpstreamState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Idle => "idle",
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Disabled => "disabled",
            Self::Invalid => "invalid",
        })
    }
}
