//! Protocol versions: which we speak, and what is agreed on.

use rmcp::model::ProtocolVersion;

/// Versions with an `initialize` handshake, oldest first. The stateless era is not spoken yet.
static HANDSHAKE: [ProtocolVersion; 4] = [
    ProtocolVersion::V_2024_11_05,
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
];

/// The newest version we offer.
pub(crate) fn newest() -> ProtocolVersion {
    ProtocolVersion::LATEST_WITH_INITIALIZE
}

pub(crate) fn is_spoken(version: &str) -> bool {
    HANDSHAKE.iter().any(|known| known.as_str() == version)
}

/// The versions spoken, oldest first.
pub(crate) fn spoken() -> Vec<&'static str> {
    HANDSHAKE.iter().map(ProtocolVersion::as_str).collect()
}

/// What is agreed on when a client asks for `requested` and the other side speaks up to `offered`: the
/// client's version if both know it, else the offer. Versions are dates and compare as text.
pub(crate) fn agree(requested: &str, offered: &str) -> String {
    if is_spoken(requested) && requested < offered { requested.to_owned() } else { offered.to_owned() }
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
}
