//! Notifications of an upstream: which request each belongs to, if any.
//!
//! Progress tokens and subscription ids are replaced by those of the client.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use tokio::sync::mpsc;

use super::{Link, Notification, Pending};
use crate::exchange::Event;
use crate::wire::{meta, params};

impl Link {
    pub(super) fn notified(&self, method: String, params: Option<Bytes>, origin: Option<u64>) {
        match method.as_str() {
            "notifications/progress" => self.progress(method, params),
            "notifications/cancelled" => self.withdrawn(params.as_ref()),
            // Lists and resources are the same for all clients.
            "notifications/tools/list_changed"
            | "notifications/prompts/list_changed"
            | "notifications/resources/list_changed"
            | "notifications/resources/updated"
            | "notifications/subscriptions/acknowledged" => {
                if !self.subscribed(&method, params.as_ref()) {
                    self.notify_all(method, params);
                }
            }
            // It belongs to the task's owner, and to no request under way.
            "notifications/tasks/status" if origin.is_none() => self.notify_all(method, params),
            _ => match self.receiver_of_request(origin) {
                Some(events) => self.pass_on(&events, Event::Notification { method, params }),
                None => self.notify_all(method, params),
            },
        }
    }

    /// Hands a notification to the owner and to all listeners.
    pub(crate) fn notify_all(&self, method: String, params: Option<Bytes>) {
        if let Some(owner) = &self.owner {
            self.pass_on(
                owner.news(),
                Event::Notification { method: method.clone(), params: params.clone() },
            );
        }
        self.notified.store(true, Ordering::Relaxed);
        // Fails where no one listens.
        let _ = self.notifications.send(Notification { method, params });
    }

    fn progress(&self, method: String, params: Option<Bytes>) {
        let Some(params) = params else { return };
        let Some(token) = params::field(&params, "progressToken") else { return };
        let Some(id) = our_id(&token.raw) else { return };
        if let Some(Pending { token: Some(own), events, .. }) = self.pending().get(&id) {
            let params = params::splice(&params, vec![(token.range, own.to_vec())]);
            self.pass_on(events, Event::Notification { method, params: Some(params) });
        } else if let (Some(own), Some(owner)) = (self.task_token(id), &self.owner) {
            let params = params::splice(&params, vec![(token.range, own.to_vec())]);
            self.pass_on(owner.news(), Event::Notification { method, params: Some(params) });
        }
    }

    /// Hands a notification to the subscription it names. Returns whether it names one.
    fn subscribed(&self, method: &str, params: Option<&Bytes>) -> bool {
        let found = params.and_then(|params| {
            let meta = params::field(params, "_meta")?;
            let named = params::field(&meta.raw, meta::SUBSCRIPTION)?;
            let start = meta.range.start + named.range.start;
            Some((params, start..start + named.raw.len(), our_id(&named.raw)?))
        });
        let Some((params, range, id)) = found else { return false };
        if let Some(Pending { subscription: Some(own), events, .. }) = self.pending().get(&id) {
            let params = Some(params::splice(params, vec![(range, own.to_vec())]));
            self.pass_on(events, Event::Notification { method: method.to_owned(), params });
        }
        true
    }

    /// Returns the receiver of the request that a message without a request id belongs to.
    fn receiver_of_request(&self, origin: Option<u64>) -> Option<mpsc::Sender<Event>> {
        let pending = self.pending();
        self.request_of(&pending, origin).map(|pending| pending.events.clone())
    }

    /// Returns the request that a message without a request id belongs to: the one on whose stream it came, or the only
    /// one under way.
    pub(super) fn request_of<'a>(
        &self,
        pending: &'a HashMap<u64, Pending>,
        origin: Option<u64>,
    ) -> Option<&'a Pending> {
        if let Some(id) = origin {
            return pending.get(&id);
        }
        let asking = || pending.iter().filter(|(_, pending)| pending.may_ask);
        let mut clients = asking();
        match (clients.next(), clients.next()) {
            (Some((_, only)), None) => Some(only),
            // All requests are of one client: the newest is as good as any.
            (Some(_), Some(_)) if self.owner.is_some() => {
                asking().max_by_key(|(id, _)| **id).map(|(_, newest)| newest)
            }
            _ => None,
        }
    }
}

/// A number of ours that an upstream sends back. Some write it as a string (the Java SDK), some as `17.0`.
fn our_id(raw: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(raw).ok()?.trim_matches('"');
    text.strip_suffix(".0").unwrap_or(text).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_number_is_known_however_it_is_written() {
        assert_eq!(["17", "\"17\"", "17.0"].map(|raw| our_id(raw.as_bytes())), [Some(17); 3]);
        assert_eq!(["", "\"a\"", "17.5", "-1", "null"].map(|raw| our_id(raw.as_bytes())), [None; 5]);
    }
}
