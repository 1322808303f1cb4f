//! From which level on the clients that share a session with an upstream want to hear what it logs.
//!
//! The upstream knows one level for all of them: the lowest that is wanted, and what is too much for one
//! client is kept from it here. Owns: who wants what, and telling the upstream. Refuses to know: how clients
//! are told.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::handshake;
use super::session::Live;
use crate::wire::meta::Level;
use crate::wire::{Body, RpcError, Who, params};

/// What clients hear that named no level, once another did; before, what the upstream likes to say.
const USUAL: Level = Level::INFO;

/// The levels wanted, by session.
#[derive(Default)]
pub(crate) struct Levels {
    wanted: Mutex<HashMap<Box<str>, Level>>,
    /// What the upstream was told last in the session that runs. Held while it is told.
    told: tokio::sync::Mutex<Option<Level>>,
}

impl Levels {
    fn wanted(&self) -> MutexGuard<'_, HashMap<Box<str>, Level>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What suits all: never above what those are to hear who named none.
    fn lowest(&self) -> Option<Level> {
        let lowest = self.wanted().values().copied().min()?;
        Some(lowest.min(USUAL))
    }

    /// Whether a client is to hear something the upstream logged.
    pub(crate) fn concerns(&self, who: &Who, logged: Option<&Bytes>) -> bool {
        match &who.log_level {
            Some(_) => who.hears(logged),
            None => self.wanted().is_empty() || Level::of_message(logged) >= Some(USUAL),
        }
    }

    /// Takes a client's wish, and passes it on as far as the upstream must know: its answer.
    pub(crate) async fn set(&self, live: &Live, session: &str, level: Level) -> Body {
        let mut told = self.told.lock().await;
        let before = self.wanted().insert(session.into(), level);
        let lowest = self.lowest();
        if *told == lowest {
            return Body::Result(Bytes::from_static(b"{}"));
        }
        let answer = tell(live, lowest.unwrap_or(USUAL)).await;
        match &answer {
            Body::Result(_) => *told = lowest,
            Body::Error(_) => {
                let mut wanted = self.wanted();
                match before {
                    Some(before) => wanted.insert(session.into(), before),
                    None => wanted.remove(session),
                };
            }
        }
        answer
    }

    /// Forgets a client; whether the upstream may say less from now on.
    pub(crate) fn forget(&self, session: &str) -> bool {
        self.wanted().remove(session).is_some()
    }

    /// Has the upstream say what is wanted now; `anew` where it does not know yet what was wanted before.
    pub(crate) async fn renew(&self, live: &Arc<Live>, anew: bool) {
        let mut told = self.told.lock().await;
        if anew {
            *told = None;
        }
        let lowest = self.lowest().or_else(|| told.map(|_| USUAL));
        if let Some(level) = lowest.filter(|_| *told != lowest)
            && let Body::Result(_) = tell(live, level).await
        {
            *told = Some(level);
        }
    }
}

async fn tell(live: &Live, level: Level) -> Body {
    let level = serde_json::Value::from(level.name()).to_string();
    let params = params::with(None, &[("level", level.as_bytes())]);
    let answer = async {
        let mut request = live.request("logging/setLevel", Some(&params), None, None).await.ok()?;
        (&mut request.answer).await.ok()?.ok()
    };
    match tokio::time::timeout(handshake::LIMIT, answer).await {
        Ok(Some(body)) => body,
        Ok(None) => RpcError::internal("the upstream ended before it answered").body(),
        Err(_) => RpcError::internal("the upstream does not answer").body(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(level: Option<&str>) -> Who {
        Who { log_level: level.map(|level| format!("\"{level}\"").into()), ..Who::nobody() }
    }

    #[test]
    fn the_lowest_level_is_wanted_and_each_hears_its_own() {
        let levels = Levels::default();
        let logged = |level: &str| Some(Bytes::from(format!(r#"{{"level":"{level}"}}"#)));
        let hears = |wanted: Option<&str>, level: &str| levels.concerns(&who(wanted), logged(level).as_ref());
        assert_eq!(levels.lowest(), None);
        assert!(hears(None, "debug") && !hears(Some("error"), "warning") && hears(Some("error"), "error"));
        levels.wanted().insert("a".into(), Level::of("emergency").unwrap());
        assert_eq!(levels.lowest(), Some(USUAL), "others may want to hear what is usual");
        levels.wanted().insert("b".into(), Level::of("debug").unwrap());
        assert_eq!(levels.lowest(), Level::of("debug"));
        assert!(!hears(None, "debug") && hears(None, "info") && hears(Some("debug"), "debug"));
        assert!(levels.forget("b") && !levels.forget("b"));
        assert_eq!(levels.lowest(), Some(USUAL));
    }
}
