//! Questions of an upstream to a client: sampling, elicitation, roots.
//!
//! Each question is answered once, and ends with the request it belongs to.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::{Kind, Link, Outgoing};
use crate::exchange::{Ask, Event};
use crate::wire::message::{self, Body};
use crate::wire::{RpcError, params};

/// Questions of an upstream that may be open at a time.
const MAX_OPEN_QUESTIONS: usize = 256;

impl Link {
    /// Returns who receives a question, and the token that withdraws it when its request ends. In a client's own session
    /// the request is not always known; then the question stays open.
    fn receiver_of(&self, origin: Option<u64>) -> Option<(mpsc::Sender<Event>, CancellationToken)> {
        let pending = self.pending();
        match (self.request_of(&pending, origin), &self.owner) {
            (Some(request), owner) => {
                let tied = origin.is_some() || owner.is_none();
                let withdrawn =
                    if tied { request.questions.token().child_token() } else { CancellationToken::new() };
                Some((request.events.clone(), withdrawn))
            }
            (None, Some(owner)) => Some((owner.asks().clone(), CancellationToken::new())),
            (None, None) => None,
        }
    }

    /// Takes a question from the upstream.
    pub(super) fn ask(
        self: &Arc<Self>,
        id: &Bytes,
        method: String,
        params: Option<Bytes>,
        origin: Option<u64>,
    ) {
        let answer_at_once = |body: Body| {
            // Without waiting: an upstream that does not read answers must not delay its own results.
            let _ =
                self.outgoing.try_send(Outgoing { bytes: message::response(id, &body), kind: Kind::Other });
        };
        if method == "ping" {
            return answer_at_once(Body::Result(Bytes::from_static(b"{}")));
        }
        // Over HTTP a question of a request comes on its own stream; others have no client.
        let known = !self.separates_requests || origin.is_some() || self.owner.is_some();
        let to = self.receiver_of(origin).filter(|_| known && self.who.may_be_asked_for(&method));
        let Some((to, withdrawn)) = to else {
            return answer_at_once(RpcError::method_not_found(&method).body());
        };
        if self.questions().len() >= MAX_OPEN_QUESTIONS {
            return answer_at_once(RpcError::internal("too many questions are open").body());
        }
        let (answer, answered) = oneshot::channel();
        // A copy, because a slice would keep the read buffer while the question is open.
        let id = Bytes::copy_from_slice(id);
        self.questions().insert(id.clone(), withdrawn.clone());
        let (link, over) = (Arc::clone(self), withdrawn.clone());
        tokio::spawn(async move {
            let body = tokio::select! {
                body = answered => body.unwrap_or_else(|_| {
                    RpcError::internal("the client cannot be asked, or went away").body()
                }),
                () = over.cancelled() => RpcError::internal("the request this was asked for has ended").body(),
                () = link.closed() => return,
            };
            // Removed already where the upstream withdrew the question.
            let wanted = {
                let mut questions = link.questions();
                let wanted = questions.remove(&id).is_some();
                link.answering.fetch_add(usize::from(wanted), Ordering::Relaxed);
                wanted
            };
            if wanted {
                let _ = link.send(message::response(&id, &body), Kind::Other).await;
                link.answering.fetch_sub(1, Ordering::Relaxed);
            }
            link.question_over.notify_waiters();
        });
        let ask = Event::Ask(Ask { method, params, withdrawn, answer });
        // Where this fails, the question is dropped, which answers it.
        self.pass_on(&to, ask);
    }

    /// Waits until all open questions were answered, up to a limit. Whether there were any.
    pub(crate) async fn until_answered(&self, limit: Duration) -> bool {
        let mut asked = false;
        let answered = async {
            loop {
                let over = self.question_over.notified();
                let is_over = {
                    let questions = self.questions();
                    questions.is_empty() && self.answering.load(Ordering::Relaxed) == 0
                };
                if is_over {
                    return;
                }
                asked = true;
                over.await;
            }
        };
        let _ = tokio::time::timeout(limit, answered).await;
        asked
    }

    /// Takes `notifications/cancelled`: the upstream withdraws a question, or ends a subscription.
    pub(super) fn withdrawn(&self, params: Option<&Bytes>) {
        let named = params.and_then(|params| params::field(params, "requestId"));
        if let Some(id) = named.as_ref().and_then(|named| message::number(&named.raw)) {
            let mut pending = self.pending();
            if pending.get(&id).is_some_and(|pending| pending.subscription.is_some()) {
                pending.remove(&id);
            }
        }
        let Some(named) = named else { return };
        self.questions().retain(|id, withdrawn| {
            let same = message::same_id(id, &named.raw);
            if same {
                withdrawn.cancel();
            }
            !same
        });
    }
}
