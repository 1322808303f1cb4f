//! The messages of a client that the next instance must get again: handshake, log level and watched resources.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::wire::params;
use crate::wire::version::BATCHES;

/// Limit of watched resources that are remembered.
const MAX_WATCHED: usize = 1_000;

/// Lines of a session-era client that have a lasting effect, as sent.
#[derive(Debug, Default, Clone)]
pub(crate) struct Introduction {
    hello: Option<Bytes>,
    ready: Option<Bytes>,
    log_level: Option<Bytes>,
    watched: BTreeMap<String, Bytes>,
}

impl Introduction {
    /// Starts with an `initialize` line.
    pub(crate) fn of(hello: Bytes) -> Self {
        Self { hello: Some(hello), ..Self::default() }
    }

    pub(crate) fn hello(&self) -> Option<&Bytes> {
        self.hello.as_ref()
    }

    /// Whether the client speaks the protocol version that has batches.
    pub(crate) fn has_batches(&self) -> bool {
        let hello = self.hello.as_ref().and_then(|hello| params::field(hello, "params"));
        hello.and_then(|params| params::text(&params.raw, "protocolVersion")).is_some_and(|it| it == BATCHES)
    }

    /// Remembers `notifications/initialized`.
    pub(crate) fn complete(&mut self, ready: Bytes) {
        self.ready = Some(ready);
    }

    /// Whether the client has completed the handshake.
    pub(crate) fn is_complete(&self) -> bool {
        self.ready.is_some()
    }

    /// Remembers a request if it has a lasting effect.
    pub(crate) fn note(&mut self, method: &str, params: Option<&Bytes>, line: &Bytes) {
        let uri = || params.and_then(|params| params::text(params, "uri"));
        match method {
            // Copies, because a slice would keep the whole read buffer.
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

    /// The lines to send after `initialize`, in order.
    pub(crate) fn rest(&self) -> impl Iterator<Item = &Bytes> {
        self.ready.iter().chain(&self.log_level).chain(self.watched.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rest_returns_lines_still_in_effect() {
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
