//! What clients with a session of their own have said there that holds as long as it lasts.
//!
//! Such a session may end before its client's does: the upstream ended or forgot it, or the client was quiet. Owns:
//! what is to be said again in the next one. Refuses to know: when that is opened.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::handshake;
use super::session::Live;
use crate::wire::params;

/// Resources remembered of one session, and the longest address.
const MAX_WATCHED: usize = 1_000;
const LONGEST: usize = 8 << 10;

/// By session.
#[derive(Default)]
pub(crate) struct Wishes(Mutex<HashMap<Box<str>, Wish>>);

#[derive(Default)]
struct Wish {
    /// The log level, as sent.
    level: Option<Bytes>,
    watched: BTreeSet<String>,
}

impl Wishes {
    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Wish>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what the upstream granted, if it holds for the session.
    pub(crate) fn note(&self, session: &str, method: &str, params: Option<&Bytes>) {
        if !matches!(method, "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe") {
            return;
        }
        let Some(params) = params else { return };
        let mut wishes = self.lock();
        let wish = wishes.entry(session.into()).or_default();
        match method {
            "logging/setLevel" => {
                let level = params::field(params, "level").filter(|level| level.raw.len() <= LONGEST);
                // A copy: it must not keep the request it came with.
                wish.level = level.map(|level| Bytes::copy_from_slice(&level.raw));
            }
            _ => {
                let Some(uri) = params::text(params, "uri").filter(|uri| uri.len() <= LONGEST) else {
                    return;
                };
                if method == "resources/unsubscribe" {
                    wish.watched.remove(&uri);
                } else if wish.watched.len() < MAX_WATCHED {
                    wish.watched.insert(uri);
                }
            }
        }
    }

    /// The session is over.
    pub(crate) fn forget(&self, session: &str) {
        self.lock().remove(session);
    }

    /// The requests that say all of it again.
    fn said(&self, session: &str) -> Vec<(&'static str, Bytes)> {
        let wishes = self.lock();
        let Some(wish) = wishes.get(session) else { return Vec::new() };
        let level =
            wish.level.iter().map(|level| ("logging/setLevel", params::with(None, &[("level", level)])));
        let watched = wish.watched.iter().map(|uri| {
            let uri = serde_json::Value::from(uri.as_str()).to_string();
            ("resources/subscribe", params::with(None, &[("uri", uri.as_bytes())]))
        });
        level.chain(watched).collect()
    }

    /// Says all of it again.
    pub(super) async fn renew(&self, live: &Live, session: &str) {
        let said = self.said(session);
        let renewed = async {
            for (method, params) in said {
                // What is refused by now is no reason to serve the client nothing.
                let _ = handshake::ask(&live.link, method, Some(&params)).await;
            }
        };
        let _ = tokio::time::timeout(handshake::LIMIT, renewed).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_is_said_again_and_nothing_else() {
        let wishes = Wishes::default();
        let note =
            |method: &str, params: &str| wishes.note("s", method, Some(&Bytes::from(params.to_owned())));
        note("tools/call", r#"{"name":"t"}"#);
        assert!(wishes.lock().is_empty());
        note("logging/setLevel", r#"{"level":"error","x":1}"#);
        note("resources/subscribe", r#"{"uri":"b:\u00e9"}"#);
        note("resources/subscribe", r#"{"uri":"a:"}"#);
        note("resources/unsubscribe", r#"{"uri":"a:"}"#);
        note("resources/subscribe", "[]");
        let said = [
            ("logging/setLevel", Bytes::from(r#"{"level":"error"}"#)),
            ("resources/subscribe", Bytes::from(r#"{"uri":"b:é"}"#)),
        ];
        assert_eq!(wishes.said("s"), said);
        assert!(wishes.said("other").is_empty());
        (0..2 * MAX_WATCHED).for_each(|n| note("resources/subscribe", &format!(r#"{{"uri":"{n}"}}"#)));
        assert_eq!(wishes.said("s").len(), MAX_WATCHED + 1);
        wishes.forget("s");
        assert!(wishes.said("s").is_empty());
    }
}
