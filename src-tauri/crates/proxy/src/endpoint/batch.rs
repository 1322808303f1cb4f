//! JSON-RPC batches: several messages in one body. Only protocol version 2025-03-26 has them.

use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use tokio::task::JoinSet;

use super::dispatch::Dispatch;
use super::form::{self, Accepts};
use super::legacy;
use super::rejection::Rejection;
use super::reply::{self, ClientChannel, PendingReply};
use super::session::Session;
use super::{Endpoint, Target};
use crate::wire::RpcError;
use crate::wire::message::{self, Message};
use crate::wire::version::BATCHES;

/// Answers a batch; `None` if this is none, or if the session may not send batches.
pub(crate) async fn receive(
    endpoint: &Arc<Endpoint>,
    target: &Target,
    headers: &HeaderMap,
    accepts: Accepts,
    body: &Bytes,
) -> Option<Response> {
    let items = message::batch(body)?;
    let session = endpoint.sessions.of(headers, target).ok();
    let session = session.filter(|session| *session.protocol_version == *BATCHES)?;
    Some(match items {
        Err(error) => Rejection::Malformed(RpcError::not_a_message(body, &error)).into_response(),
        Ok(_) if endpoint.closing.is_cancelled() => Rejection::Closing.into_response(),
        Ok(items) => answer(endpoint, target, &session, accepts, &items).await,
    })
}

async fn answer(
    endpoint: &Arc<Endpoint>,
    target: &Target,
    session: &Arc<Session>,
    accepts: Accepts,
    items: &[Bytes],
) -> Response {
    let (mut answered, mut under_way) = (Vec::new(), Vec::new());
    for item in items {
        let message = match Message::parse(item) {
            Ok(message) => message,
            Err(error) => {
                answered.push(message::error_response(None, &RpcError::not_a_message(item, &error).body()));
                continue;
            }
        };
        match message {
            Message::Request { id, method, .. } if method == "initialize" => {
                let error = RpcError::invalid_request("initialize must not be part of a batch");
                answered.push(message::response(&id, &error.body()));
            }
            Message::Request { id, method, params } => {
                match legacy::request(endpoint, target, session, &id, method, params).await {
                    Dispatch::Answered(body) => answered.push(message::response(&id, &body)),
                    Dispatch::Forwarded(active) => {
                        under_way.push(PendingReply::new(
                            active,
                            id,
                            ClientChannel::Legacy(Arc::clone(session)),
                        ));
                    }
                }
            }
            Message::Notification { method, params } => {
                legacy::notified(endpoint, target, session, &method, params.as_ref()).await;
            }
            Message::Response { id, body } => session.take_answer(&id, body),
        }
    }
    if answered.is_empty() && under_way.is_empty() {
        return StatusCode::ACCEPTED.into_response();
    }
    if accepts == Accepts::Json || (accepts == Accepts::Both && under_way.is_empty()) {
        // A client that accepts only one JSON body gets no notifications or questions before it.
        let later: JoinSet<_> = under_way.into_iter().map(reply::answer).collect();
        tokio::select! {
            later = later.join_all() => answered.extend(later.into_iter().flatten()),
            () = endpoint.shutdown.cancelled() => return reply::cut_off(),
        }
        return form::json(&[b"[", &answered.join(&b","[..])[..], b"]"].concat().into());
    }
    reply::together(under_way, answered, &endpoint.shutdown)
}
