//! State of clients' own sessions with an upstream: log level and watched resources.
//!
//! Such a session may end before that of its client, because the upstream ended or forgot it, or because the client
//! was idle. The state is restored in the next one.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::handshake;
use super::session::Live;
use crate::wire::params;

/// Watched resources remembered of one session.
const MAX_WATCHED: usize = 1_000;
/// Longest level or address that is remembered.
const MAX_VALUE_BYTES: usize = 8 << 10;

/// States by session.
#[derive(Default)]
pub(crate) struct SessionStates(Mutex<HashMap<Box<str>, SessionState>>);

#[derive(Default)]
struct SessionState {
    /// The log level, as sent.
    level: Option<Bytes>,
    watched: BTreeSet<String>,
}

impl SessionStates {
    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, SessionState>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request that the upstream granted, if it changes the state of the session.
    pub(crate) fn note(&self, session: &str, method: &str, params: Option<&Bytes>) {
        if !matches!(method, "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe") {
            return;
        }
        let Some(params) = params else { return };
        let mut states = self.lock();
        let state = states.entry(session.into()).or_default();
        match method {
            "logging/setLevel" => {
                let level = params::field(params, "level").filter(|level| level.raw.len() <= MAX_VALUE_BYTES);
                // A copy, because a slice would keep the whole request.
                state.level = level.map(|level| Bytes::copy_from_slice(&level.raw));
            }
            _ => {
                let Some(uri) = params::text(params, "uri").filter(|uri| uri.len() <= MAX_VALUE_BYTES) else {
                    return;
                };
                if method == "resources/unsubscribe" {
                    state.watched.remove(&uri);
                } else if state.watched.len() < MAX_WATCHED {
                    state.watched.insert(uri);
                }
            }
        }
    }

    /// Forgets a session that ended.
    pub(crate) fn forget(&self, session: &str) {
        self.lock().remove(session);
    }

    /// Returns the requests that restore the state of a session.
    fn requests(&self, session: &str) -> Vec<(&'static str, Bytes)> {
        let states = self.lock();
        let Some(state) = states.get(session) else { return Vec::new() };
        let level =
            state.level.iter().map(|level| ("logging/setLevel", params::with(None, &[("level", level)])));
        let watched = state.watched.iter().map(|uri| {
            let uri = serde_json::Value::from(uri.as_str()).to_string();
            ("resources/subscribe", params::with(None, &[("uri", uri.as_bytes())]))
        });
        level.chain(watched).collect()
    }

    /// Restores the state of a session in a new one.
    pub(super) async fn restore(&self, live: &Live, session: &str) {
        let requests = self.requests(session);
        let restored = async {
            for (method, params) in requests {
                // The client is served even where the upstream rejects one of them.
                let _ = handshake::ask(&live.link, method, Some(&params)).await;
            }
        };
        let _ = tokio::time::timeout(handshake::HANDSHAKE_TIMEOUT, restored).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_restore_level_and_watched_resources() {
        let states = SessionStates::default();
        let note =
            |method: &str, params: &str| states.note("s", method, Some(&Bytes::from(params.to_owned())));
        note("tools/call", r#"{"name":"t"}"#);
        assert!(states.lock().is_empty());
        note("logging/setLevel", r#"{"level":"error","x":1}"#);
        note("resources/subscribe", r#"{"uri":"b:\u00e9"}"#);
        note("resources/subscribe", r#"{"uri":"a:"}"#);
        note("resources/unsubscribe", r#"{"uri":"a:"}"#);
        note("resources/subscribe", "[]");
        let expected = [
            ("logging/setLevel", Bytes::from(r#"{"level":"error"}"#)),
            ("resources/subscribe", Bytes::from(r#"{"uri":"b:é"}"#)),
        ];
        assert_eq!(states.requests("s"), expected);
        assert!(states.requests("other").is_empty());
        (0..2 * MAX_WATCHED).for_each(|n| note("resources/subscribe", &format!(r#"{{"uri":"{n}"}}"#)));
        assert_eq!(states.requests("s").len(), MAX_WATCHED + 1);
        states.forget("s");
        assert!(states.requests("s").is_empty());
    }
}
