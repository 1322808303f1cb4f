//! State of an upstream. The proxy decides when an upstream is in which state.

use std::fmt;

use serde::{Deserialize, Serialize};

/// State of an upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpstreamState {
    /// Not started, because no call needed it yet.
    Idle,
    /// Connecting and listing its tools.
    Starting,
    /// Ready for calls.
    Ready,
    /// Failed; a separate reason is given.
    Failed,
    /// Disabled in the configuration.
    Disabled,
    /// Its entry in the configuration is invalid.
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
