//! Requests of a session about an upstream session that it shares with other clients: log level and watched resources.
//!
//! Each client sets its own; the upstream gets what satisfies all of them.

use std::sync::{Arc, PoisonError};

use bytes::Bytes;

use super::session::Session;
use crate::upstream::Upstream;
use crate::wire::meta::Level;
use crate::wire::{Body, Era, RpcError, params};

const NOTHING: &[u8] = b"{}";
const TOO_MANY_WATCHED: &str = "cannot watch this resource: its address is longer than 8 KB, or 10,000 resources of this server \
                                are watched already; unsubscribe from others first";

/// Answers a request about a shared upstream session; `None` if it must be passed on.
pub(crate) async fn answer_for_session(
    upstream: &Arc<Upstream>,
    session: &Session,
    method: &str,
    params: Option<&Bytes>,
) -> Option<Body> {
    if !matches!(method, "resources/subscribe" | "resources/unsubscribe" | "logging/setLevel") {
        return None;
    }
    let live = upstream.session(&session.who(), Some(&session.outbox), method).await.ok()?;
    if live.hello.era == Era::Legacy && !live.is_shared() {
        return None;
    }
    let uri = || params::text(params?, "uri");
    // Restored in a session of its own, if the client gets one later.
    let note = || upstream.session_states.note(&session.id, method, params);
    match method {
        "logging/setLevel" => {
            let raw = params.and_then(|params| params::field(params, "level")).map(|found| found.raw);
            let answer = match live.hello.era {
                Era::Modern => Body::Result(NOTHING.into()),
                // The upstream itself rejects invalid levels.
                Era::Legacy => {
                    let level = raw.as_ref().and_then(|raw| serde_json::from_slice::<String>(raw).ok());
                    upstream.log_levels.set(&live, &session.id, Level::of(&level?)?).await
                }
            };
            if let Body::Result(_) = answer {
                note();
                // A copy, because the session keeps it and a slice would keep the whole request.
                let level = raw.map(|raw| Bytes::copy_from_slice(&raw));
                *session.log_level.lock().unwrap_or_else(PoisonError::into_inner) = level;
            }
            Some(answer)
        }
        "resources/subscribe" => {
            let uri = uri()?;
            if !upstream.subscriptions.add(&uri, &session.id, None) {
                return Some(RpcError::internal(TOO_MANY_WATCHED).body());
            }
            if live.hello.era == Era::Legacy {
                return None;
            }
            upstream.subscriptions.watch(&live, &uri).await;
            Some(Body::Result(NOTHING.into()))
        }
        "resources/unsubscribe" => {
            let last = upstream.subscriptions.remove(&uri()?, &session.id);
            let passed_on = last && live.hello.era == Era::Legacy;
            note();
            (!passed_on).then(|| Body::Result(NOTHING.into()))
        }
        _ => None,
    }
}
