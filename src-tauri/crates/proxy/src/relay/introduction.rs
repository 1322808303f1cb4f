//! What a client said that an instance must know of it, to be said again to another one.
//!
//! Owns: which messages those are. Refuses to know: who hears them.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::wire::params;
use crate::wire::version::BATCHES;

/// Resources of which it is remembered that they are watched.
const MAX_WATCHED: usize = 1_000;

/// The lines of a client with a handshake that outlast their answers, as it sent them.
#[derive(Debug, Default, Clone)]
pub(crate) struct Introduction {
    hello: Option<Bytes>,
    ready: Option<Bytes>,
    log_level: Option<Bytes>,
    watched: BTreeMap<String, Bytes>,
}

impl Introduction {
    /// Begins with an `initialize`.
    pub(crate) fn of(hello: Bytes) -> Self {
        Self { hello: Some(hello), ..Self::default() }
    }

    pub(crate) fn hello(&self) -> Option<&Bytes> {
        self.hello.as_ref()
    }

    /// Whether the client speaks the version in which messages may come several at a time.
    pub(crate) fn has_batches(&self) -> bool {
        let hello = self.hello.as_ref().and_then(|hello| params::field(hello, "params"));
        hello.and_then(|params| params::text(&params.raw, "protocolVersion")).is_some_and(|it| it == BATCHES)
    }

    /// Takes `notifications/initialized`.
    pub(crate) fn complete(&mut self, ready: Bytes) {
        self.ready = Some(ready);
    }

    /// Whether the client listens.
    pub(crate) fn is_complete(&self) -> bool {
        self.ready.is_some()
    }

    /// Takes a request that is being sent, if it is to be remembered.
    pub(crate) fn note(&mut self, method: &str, params: Option<&Bytes>, line: &Bytes) {
        let uri = || params.and_then(|params| params::text(params, "uri"));
        match method {
            // Copies: they are kept, and must not keep all that was read with them.
            "logging/setLevel" => self.log_level = Some(Bytes::copy_from_slice(line)),
            "resources/subscribe" if self.watched.len() < MAX_WATCHED => {
                self.watched.extend(uri().map(|uri| (uri, Bytes::copy_from_slice(line))));
            }
            "resources/unsubscribe" => drop(uri().and_then(|uri| self.watched.remove(&uri))),
            _ => {}
        }
    }

    /// Forgets a request that failed.
    pub(crate) fn forget(&mut self, line: &Bytes) {
        if self.log_level.as_ref() == Some(line) {
            self.log_level = None;
        }
        self.watched.retain(|_, watched| watched != line);
    }

    /// What is said after the hello, in this order.
    pub(crate) fn rest(&self) -> impl Iterator<Item = &Bytes> {
        self.ready.iter().chain(&self.log_level).chain(self.watched.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_is_said_again() {
        let mut client = Introduction::of("hello".into());
        let uri = |uri: &str| Some(Bytes::from(format!("{{\"uri\":\"{uri}\"}}")));
        client.note("resources/subscribe", uri("a").as_ref(), &"a".into());
        client.note("resources/subscribe", uri("b").as_ref(), &"b".into());
        client.note("resources/subscribe", uri("c").as_ref(), &"c".into());
        client.note("resources/unsubscribe", uri("a").as_ref(), &"not a".into());
        client.note("logging/setLevel", None, &"debug".into());
        client.note("logging/setLevel", None, &"error".into());
        client.note("tools/call", None, &"call".into());
        assert!(!client.is_complete());
        client.complete("ready".into());
        assert!(client.rest().eq(["ready", "error", "b", "c"]));
        client.forget(&"b".into());
        client.forget(&"error".into());
        assert!(client.rest().eq(["ready", "c"]));
        assert_eq!(client.hello().unwrap(), "hello");
    }
}
