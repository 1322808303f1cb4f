//! Protocol versions: which we speak, what is agreed on, and the two eras they fall into.

use rmcp::model::ProtocolVersion;

/// How a version introduces itself and who may ask whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Era {
    /// 2025-11-25 and older: a handshake, sessions, and servers that ask their clients.
    Legacy,
    /// 2026-07-28: every request says by itself what it needs, and servers answer that input is required.
    Modern,
}

/// Versions with an `initialize` handshake, oldest first.
static HANDSHAKE: [ProtocolVersion; 4] = [
    ProtocolVersion::V_2024_11_05,
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
];

/// The one version of the stateless era.
pub(crate) const MODERN: &str = "2026-07-28";

/// The one version whose messages may come several at a time, as JSON-RPC batches.
pub(crate) const BATCHES: &str = "2025-03-26";

/// The newest version with a handshake.
pub(crate) fn newest_legacy() -> ProtocolVersion {
    ProtocolVersion::LATEST_WITH_INITIALIZE
}

/// The same as text.
pub(crate) fn newest_legacy_text() -> &'static str {
    HANDSHAKE[HANDSHAKE.len() - 1].as_str()
}

/// The era of a version we speak.
pub(crate) fn era(version: &str) -> Option<Era> {
    match version {
        MODERN => Some(Era::Modern),
        _ if HANDSHAKE.iter().any(|known| known.as_str() == version) => Some(Era::Legacy),
        _ => None,
    }
}

/// The versions spoken, newest first.
pub(crate) fn spoken() -> Vec<&'static str> {
    std::iter::once(MODERN).chain(HANDSHAKE.iter().rev().map(ProtocolVersion::as_str)).collect()
}

/// What is agreed on in a handshake when a client asks for `requested` and the other side speaks up to
/// `offered`: the client's version if both know it, else the offer. Versions are dates and compare as text.
pub(crate) fn agree(requested: &str, offered: &str) -> String {
    let both_know = era(requested) == Some(Era::Legacy) && requested < offered;
    if both_know { requested.to_owned() } else { offered.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_older_known_version_is_agreed_on() {
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
    fn rmcp_knows_the_same_newest_version() {
        assert_eq!(ProtocolVersion::LATEST.as_str(), MODERN);
        assert_eq!(spoken().len(), 5);
    }
}
