//! Protocol versions, their negotiation, and the two eras to which they belong.

use rmcp::model::ProtocolVersion;

/// The two families of protocol versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Era {
    /// Session era, 2025-11-25 and older: a handshake, sessions, and servers that send requests to their clients.
    Legacy,
    /// Stateless era, 2026-07-28: every request carries all it needs, and servers ask by results that require input.
    Modern,
}

/// Versions with an `initialize` handshake, oldest first.
static HANDSHAKE: [ProtocolVersion; 4] = [
    ProtocolVersion::V_2024_11_05,
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
];

/// The only version of the stateless era.
pub(crate) const MODERN: &str = "2026-07-28";

/// The only version with JSON-RPC batches.
pub(crate) const BATCHES: &str = "2025-03-26";

/// The newest version of the session era.
pub(crate) fn newest_legacy() -> ProtocolVersion {
    ProtocolVersion::LATEST_WITH_INITIALIZE
}

/// The same as text.
pub(crate) fn newest_legacy_text() -> &'static str {
    HANDSHAKE[HANDSHAKE.len() - 1].as_str()
}

/// The era of a supported version.
pub(crate) fn era(version: &str) -> Option<Era> {
    match version {
        MODERN => Some(Era::Modern),
        _ if HANDSHAKE.iter().any(|known| known.as_str() == version) => Some(Era::Legacy),
        _ => None,
    }
}

/// The supported versions, newest first.
pub(crate) fn spoken() -> Vec<&'static str> {
    std::iter::once(MODERN).chain(HANDSHAKE.iter().rev().map(ProtocolVersion::as_str)).collect()
}

/// Negotiates the version of a session between a client that asks for `requested` and a server that supports versions
/// up to `offered`. The result is the client's version if both know it, else `offered`. Versions are dates and
/// compare as text.
pub(crate) fn agree(requested: &str, offered: &str) -> String {
    let both_know = era(requested) == Some(Era::Legacy) && requested < offered;
    if both_know { requested.to_owned() } else { offered.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agree_returns_the_older_known_version() {
        for (requested, offered, agreed) in [
            ("2025-06-18", "2025-11-25", "2025-06-18"),
            ("2025-11-25", "2025-06-18", "2025-06-18"),
            ("2026-07-28", "2025-11-25", "2025-11-25"),
            ("1999-01-01", "2025-11-25", "2025-11-25"),
            ("nonsense", "2025-11-25", "2025-11-25"),
        ] {
            assert_eq!(agree(requested, offered), agreed, "{requested} {offered}");
        }
    }

    #[test]
    fn newest_version_is_that_of_rmcp() {
        assert_eq!(ProtocolVersion::LATEST.as_str(), MODERN);
        assert_eq!(spoken().len(), 5);
    }
}
