//! Log levels of the clients that share a session with an upstream.
//!
//! The upstream gets one level, the lowest that a client set; each client gets the messages of its own level.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::handshake;
use super::session::Live;
use crate::wire::meta::Level;
use crate::wire::{Body, RpcError, Who, params};

/// The level of clients that set none, once another client set one. Before that they get everything.
const DEFAULT_LEVEL: Level = Level::INFO;

/// The levels set, by session.
#[derive(Default)]
pub(crate) struct LogLevels {
    set: Mutex<HashMap<Box<str>, Level>>,
    /// The level the running session was given last. Locked while the upstream is given another.
    sent: tokio::sync::Mutex<Option<Level>>,
}

impl LogLevels {
    fn by_session(&self) -> MutexGuard<'_, HashMap<Box<str>, Level>> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lowest level, and never above that of clients that set none.
    fn lowest(&self) -> Option<Level> {
        let lowest = self.by_session().values().copied().min()?;
        Some(lowest.min(DEFAULT_LEVEL))
    }

    /// Whether a client gets a message the upstream logged.
    pub(crate) fn concerns(&self, who: &Who, logged: Option<&Bytes>) -> bool {
        match &who.log_level {
            Some(_) => who.hears(logged),
            None => self.by_session().is_empty() || Level::of_message(logged) >= Some(DEFAULT_LEVEL),
        }
    }

    /// Notes a client's level for the next start of the upstream.
    pub(crate) fn note(&self, session: &str, level: Level) {
        self.by_session().insert(session.into(), level);
    }

    /// Sets a client's level, and that of the upstream where it changes. Returns the answer for the client.
    pub(crate) async fn set(&self, live: &Live, session: &str, level: Level) -> Body {
        let mut sent = self.sent.lock().await;
        let before = self.by_session().insert(session.into(), level);
        let lowest = self.lowest();
        if *sent == lowest {
            return Body::Result(Bytes::from_static(b"{}"));
        }
        let answer = send(live, lowest.unwrap_or(DEFAULT_LEVEL)).await;
        match &answer {
            Body::Result(_) => *sent = lowest,
            Body::Error(_) => {
                let mut levels = self.by_session();
                match before {
                    Some(before) => levels.insert(session.into(), before),
                    None => levels.remove(session),
                };
            }
        }
        answer
    }

    /// Forgets a client. Returns whether the upstream's level may change.
    pub(crate) fn forget(&self, session: &str) -> bool {
        self.by_session().remove(session).is_some()
    }

    /// Gives the upstream the level for all clients. A new session has none yet.
    pub(crate) async fn renew(&self, live: &Arc<Live>, is_new_session: bool) {
        let mut sent = self.sent.lock().await;
        if is_new_session {
            *sent = None;
        }
        let lowest = self.lowest().or_else(|| sent.map(|_| DEFAULT_LEVEL));
        if let Some(level) = lowest.filter(|_| *sent != lowest)
            && let Body::Result(_) = send(live, level).await
        {
            *sent = Some(level);
        }
    }
}

async fn send(live: &Live, level: Level) -> Body {
    let level = serde_json::Value::from(level.name()).to_string();
    let params = params::with(None, &[("level", level.as_bytes())]);
    let answer = async {
        let mut request = live.request("logging/setLevel", Some(&params), None, None).await.ok()?;
        (&mut request.answer).await.ok()?.ok()
    };
    match tokio::time::timeout(handshake::HANDSHAKE_TIMEOUT, answer).await {
        Ok(Some(body)) => body,
        Ok(None) => RpcError::internal("the upstream ended before it answered").body(),
        Err(_) => RpcError::internal("the upstream did not answer in time").body(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(level: Option<&str>) -> Who {
        Who { log_level: level.map(|level| format!("\"{level}\"").into()), ..Who::unknown() }
    }

    #[test]
    fn lowest_level_is_sent_and_each_client_gets_its_own() {
        let levels = LogLevels::default();
        let logged = |level: &str| Some(Bytes::from(format!(r#"{{"level":"{level}"}}"#)));
        let hears = |wanted: Option<&str>, level: &str| levels.concerns(&who(wanted), logged(level).as_ref());
        assert_eq!(levels.lowest(), None);
        assert!(hears(None, "debug") && !hears(Some("error"), "warning") && hears(Some("error"), "error"));
        levels.by_session().insert("a".into(), Level::of("emergency").unwrap());
        assert_eq!(levels.lowest(), Some(DEFAULT_LEVEL), "clients without a level get info");
        levels.by_session().insert("b".into(), Level::of("debug").unwrap());
        assert_eq!(levels.lowest(), Level::of("debug"));
        assert!(!hears(None, "debug") && hears(None, "info") && hears(Some("debug"), "debug"));
        assert!(levels.forget("b") && !levels.forget("b"));
        assert_eq!(levels.lowest(), Some(DEFAULT_LEVEL));
    }
}
