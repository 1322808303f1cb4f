//! The event stream for browsers and attached fronts: server-sent events, one frame each.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemascope_api::Cursor;
use serde::Deserialize;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;

use crate::engine::Engine;

#[derive(Deserialize)]
pub(super) struct From {
    /// The cursor of the last frame seen.
    since: Option<String>,
}

pub(super) async fn events(
    State((engine, shutdown)): State<(Arc<Engine>, CancellationToken)>,
    Query(from): Query<From>,
) -> Response {
    let since = match from.since.map(|since| since.parse::<Cursor>()).transpose() {
        Ok(since) => since,
        Err(error) => return (StatusCode::BAD_REQUEST, format!("{error}\n")).into_response(),
    };
    // One frame waits at most: a slow reader gets fewer and larger ones.
    let (sender, receiver) = tokio::sync::mpsc::channel::<Bytes>(1);
    tokio::spawn(async move {
        let mut follower = engine.follow(since);
        loop {
            let frame = tokio::select! {
                frame = follower.next() => frame,
                () = sender.closed() => return,
                () = shutdown.cancelled() => return,
            };
            let Ok(json) = serde_json::to_string(&frame) else { return };
            let sent = sender.send(format!("id: {}\ndata: {json}\n\n", frame.cursor).into());
            tokio::select! {
                sent = sent => if sent.is_err() { return },
                () = shutdown.cancelled() => return,
            }
        }
    });
    let body = Body::from_stream(ReceiverStream::new(receiver).map(Ok::<_, Infallible>));
    ([(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")], body).into_response()
}
