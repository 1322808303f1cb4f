//! What an upstream asks of the client behind a link.
//!
//! Owns: who is asked, that each question is answered once, and that it ends with the request it was asked for.
//! Refuses to know: how clients are asked.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::{Kind, Link, Outgoing};
use crate::exchange::{Ask, Event};
use crate::wire::message::{self, Body};
use crate::wire::{RpcError, params};

/// Questions of an upstream that may be open at a time.
const MAX_ASKS: usize = 256;

impl Link {
    /// Where a question goes, and what withdraws it: the end of the request it belongs to. In a session of a
    /// client's own that cannot be told from the way it came; it stays.
    fn asked_on(&self, origin: Option<u64>) -> Option<(mpsc::Sender<Event>, CancellationToken)> {
        let pending = self.pending();
        match (self.request_of(&pending, origin), &self.owner) {
            (Some(request), owner) => {
                let tied = origin.is_some() || owner.is_none();
                let withdrawn =
                    if tied { request.asks.token().child_token() } else { CancellationToken::new() };
                Some((request.events.clone(), withdrawn))
            }
            (None, Some(owner)) => Some((owner.asks().clone(), CancellationToken::new())),
            (None, None) => None,
        }
    }

    /// Takes a question of the upstream.
    pub(super) fn ask(
        self: &Arc<Self>,
        id: &Bytes,
        method: String,
        params: Option<Bytes>,
        origin: Option<u64>,
    ) {
        let refused = |body: Body| {
            // An upstream that asks without reading the answers must not hold up its own results.
            let _ =
                self.outgoing.try_send(Outgoing { bytes: message::response(id, &body), kind: Kind::Other });
        };
        if method == "ping" {
            return refused(Body::Result(Bytes::from_static(b"{}")));
        }
        // Over a stream of a request's own a question would have come there: it is nobody's.
        let known = !self.streams || origin.is_some() || self.owner.is_some();
        let to = self.asked_on(origin).filter(|_| known && self.who.may_be_asked_for(&method));
        let Some((to, withdrawn)) = to else {
            return refused(RpcError::method_not_found(&method).body());
        };
        if self.asked().len() >= MAX_ASKS {
            return refused(RpcError::internal("too many questions are open").body());
        }
        let (answer, answered) = oneshot::channel();
        // A copy: it may wait for long, and must not keep what it came with.
        let id = Bytes::copy_from_slice(id);
        self.asked().insert(id.clone(), withdrawn.clone());
        let (link, over) = (Arc::clone(self), withdrawn.clone());
        tokio::spawn(async move {
            let body = tokio::select! {
                body = answered => body.unwrap_or_else(|_| {
                    RpcError::internal("the client cannot be asked, or went away").body()
                }),
                () = over.cancelled() => RpcError::internal("the request this was asked for has ended").body(),
                () = link.closed() => return,
            };
            // Unless the upstream itself does not want it any more.
            let wanted = link.asked().remove(&id).is_some();
            if wanted {
                let _ = link.send(message::response(&id, &body), Kind::Other).await;
            }
        });
        let ask = Event::Ask(Ask { method, params, withdrawn, answer });
        // Dropping it answers it.
        self.pass_on(&to, ask);
    }

    /// The upstream no longer wants an answer to what it asked, or ends a subscription.
    pub(super) fn withdrawn(&self, params: Option<&Bytes>) {
        let named = params.and_then(|params| params::field(params, "requestId"));
        if let Some(id) = named.as_ref().and_then(|named| message::number(&named.raw)) {
            let mut pending = self.pending();
            if pending.get(&id).is_some_and(|pending| pending.subscription.is_some()) {
                pending.remove(&id);
            }
        }
        let Some(named) = named else { return };
        self.asked().retain(|id, withdrawn| {
            let same = message::same_id(id, &named.raw);
            if same {
                withdrawn.cancel();
            }
            !same
        });
    }
}
