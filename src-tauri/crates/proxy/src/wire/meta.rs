//! The client of a request: read from `params._meta` in the stateless era, and written there for stateless upstreams.

use bytes::Bytes;
use schemascope_model::Client;
use serde::Deserialize;

use super::params::{self, field};
use super::version::{Era, MODERN};

pub(crate) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub(crate) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
pub(crate) const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Log levels (RFC 5424), least severe first.
const LEVELS: &[&str] = &["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// A log level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Level(usize);

impl Level {
    pub(crate) const INFO: Self = Self(1);

    pub(crate) fn of(name: &str) -> Option<Self> {
        LEVELS.iter().position(|known| *known == name).map(Self)
    }

    /// The level of a log message.
    pub(crate) fn of_message(logged: Option<&Bytes>) -> Option<Self> {
        Self::of(&params::text(logged?, "level")?)
    }

    pub(crate) fn name(self) -> &'static str {
        LEVELS[self.0]
    }
}

/// The client of a request or session.
#[derive(Debug, Clone)]
pub(crate) struct Who {
    pub(crate) era: Era,
    /// Id of its session, in the session era.
    pub(crate) session: Option<Box<str>>,
    /// Its `clientInfo`, as sent.
    pub(crate) info: Option<Bytes>,
    /// Its capabilities, as sent; always an object.
    pub(crate) capabilities: Bytes,
    /// Lowest level of log messages that it wants, as sent.
    pub(crate) log_level: Option<Bytes>,
}

/// Limit of bytes of `clientInfo` and capabilities together, which are kept as long as the session.
const LONGEST: usize = 64 << 10;

/// Error for a client beyond that limit.
pub(crate) const TOO_LONG: &str =
    "the client's info and capabilities are longer than 64 KB together; shorten them";

/// The fields that every stateless request has in `_meta`.
#[derive(Debug, Default)]
pub(crate) struct Meta {
    /// The protocol version, if it is a string.
    pub(crate) version: Option<String>,
    pub(crate) info: Option<Bytes>,
    /// The client's capabilities, if they are an object.
    pub(crate) capabilities: Option<Bytes>,
    pub(crate) log_level: Option<Bytes>,
}

impl Meta {
    pub(crate) fn of(params: Option<&Bytes>) -> Self {
        let Some(meta) = params.and_then(|params| field(params, "_meta")) else { return Self::default() };
        let raw = |name| field(&meta.raw, name).map(|found| found.raw);
        Self {
            version: raw(VERSION).and_then(|raw| serde_json::from_slice(&raw).ok()),
            info: raw(CLIENT_INFO),
            capabilities: raw(CAPABILITIES).filter(|raw| raw.starts_with(b"{")),
            log_level: raw(LOG_LEVEL),
        }
    }
}

impl Who {
    /// An unknown client that cannot be asked anything.
    pub(crate) fn unknown() -> Self {
        let capabilities = Bytes::from_static(b"{}");
        Self { era: Era::Legacy, session: None, info: None, capabilities, log_level: None }
    }

    /// A copy that does not keep the bytes of the message; `None` if it is too long to be kept.
    pub(crate) fn kept(&self) -> Option<Self> {
        let info = self.info.as_deref().unwrap_or_default();
        if info.len() + self.capabilities.len() > LONGEST {
            return None;
        }
        let copy = |bytes: &Bytes| Bytes::copy_from_slice(bytes);
        Some(Self {
            era: self.era,
            session: self.session.clone(),
            info: self.info.as_ref().map(copy),
            capabilities: copy(&self.capabilities),
            log_level: self.log_level.as_ref().map(copy),
        })
    }

    /// Whether an upstream may ask this client any question.
    pub(crate) fn may_be_asked(&self) -> bool {
        ["sampling", "elicitation", "roots", "tasks"]
            .iter()
            .any(|name| field(&self.capabilities, name).is_some_and(|found| found.raw != "null"))
    }

    /// Whether an upstream may send this client a request of this method. Unknown methods are allowed if it accepts
    /// any.
    pub(crate) fn may_be_asked_for(&self, method: &str) -> bool {
        let capability = match method {
            "sampling/createMessage" => "sampling",
            "elicitation/create" => "elicitation",
            "roots/list" => "roots",
            _ => return self.may_be_asked(),
        };
        field(&self.capabilities, capability).is_some_and(|found| found.raw != "null")
    }

    /// Its name and version.
    pub(crate) fn client(&self) -> Option<Client> {
        /// Limit of characters, because every record of a call has a copy.
        const LONGEST: usize = 200;
        let client =
            Client::deserialize(&mut serde_json::Deserializer::from_slice(self.info.as_ref()?)).ok()?;
        let short = |text: &str| text.chars().take(LONGEST).collect::<String>().into();
        Some(Client { name: short(&client.name), version: short(&client.version) })
    }

    /// Whether the client wants a log message, by its level.
    pub(crate) fn hears(&self, logged: Option<&Bytes>) -> bool {
        let wanted = self.log_level.as_ref().and_then(|level| serde_json::from_slice::<String>(level).ok());
        Level::of_message(logged) >= wanted.and_then(|level| Level::of(&level))
    }

    /// `params` with the fields that every stateless request has.
    pub(crate) fn introduced(&self, params: Option<&Bytes>) -> Bytes {
        let version = format!("\"{MODERN}\"");
        let mut fields: Vec<(&str, &[u8])> =
            vec![(VERSION, version.as_bytes()), (CAPABILITIES, &self.capabilities)];
        if let Some(info) = &self.info {
            fields.push((CLIENT_INFO, info));
        }
        if let Some(level) = &self.log_level {
            fields.push((LOG_LEVEL, level));
        }
        let meta = params.and_then(|params| field(params, "_meta")).map(|found| found.raw);
        params::with(params, &[("_meta", &params::with(meta.as_ref(), &fields))])
    }
}

/// `params` without those fields. A session-era upstream knows them from the handshake, and one of both eras would
/// take the request for a stateless one.
pub(crate) fn plain(params: &Bytes) -> Bytes {
    let Some(meta) = field(params, "_meta") else { return params.clone() };
    let kept = params::without(&meta.raw, &[VERSION, CLIENT_INFO, CAPABILITIES, LOG_LEVEL]);
    params::splice(params, vec![(meta.range, kept.to_vec())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn introduced_adds_client_and_plain_removes_it() {
        let who = Who {
            info: Some(r#"{"name":"c","version":"1","x":1.10}"#.into()),
            capabilities: r#"{"roots":{}}"#.into(),
            ..Who::unknown()
        };
        assert!(who.may_be_asked() && !Who::unknown().may_be_asked());
        assert!(who.may_be_asked_for("roots/list") && who.may_be_asked_for("future/question"));
        assert!(!who.may_be_asked_for("sampling/createMessage"));
        let params = Bytes::from(r#"{"name":"t","_meta":{"progressToken":7}}"#);
        let introduced = who.introduced(Some(&params));
        let meta = Meta::of(Some(&introduced));
        assert_eq!(meta.version.as_deref(), Some(MODERN));
        assert_eq!((meta.info, meta.capabilities), (who.info.clone(), Some(who.capabilities.clone())));
        assert_eq!(params::KnownParams::of(Some(&introduced)).progress_token.unwrap().raw, "7");
        assert_eq!(Meta::of(Some(&who.introduced(None))).version.as_deref(), Some(MODERN));
        assert_eq!(plain(&introduced), params);
        assert_eq!(who.client().unwrap().name.as_ref(), "c");
    }
}
