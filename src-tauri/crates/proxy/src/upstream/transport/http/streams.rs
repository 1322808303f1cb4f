//! Event streams of an upstream, and resuming those that broke off.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Response, StatusCode};
use tokio::sync::Notify;

use super::{Carrier, plain};
use crate::slow_consumers::SlowConsumers;
use crate::wire::Era;
use schemascope_json::sse::SseReader;

/// Attempts to resume a stream without progress in between.
const MAX_RESUMPTIONS: u32 = 8;
/// Pause before a stream is resumed, where the upstream does not name one.
const RESUME_PAUSE: Duration = Duration::from_secs(1);
/// Limits of the pause an upstream may name.
const MIN_RESUME_PAUSE: Duration = Duration::from_millis(100);
const MAX_RESUME_PAUSE: Duration = Duration::from_secs(30);
/// Longest pause after several failures.
const MAX_BACK_OFF: Duration = Duration::from_secs(60);

impl Carrier {
    /// Reads a request's stream until its answer, and resumes it where that is possible.
    pub(super) async fn stream(&self, id: u64, response: Response) -> Result<(), String> {
        let mut reader = SseReader::default();
        let mut attempts = 0;
        let mut client_resumed = None;
        let mut response = Some(response);
        loop {
            if let Some(response) = response.take() {
                let before = reader.last_id.clone();
                let broke_off = self.read(&mut reader, response, Some(id)).await?;
                if !self.link.awaits(id) {
                    return Ok(());
                }
                attempts = if reader.last_id == before { attempts } else { 0 };
                if reader.last_id.is_none() || self.era == Era::Modern {
                    return Err(broke_off.unwrap_or_else(|| "its stream ended without an answer".into()));
                }
                // The upstream closed the stream on purpose; the client's stream may be closed as well.
                if broke_off.is_none() {
                    client_resumed = Some(self.link.pause(id, reader.retry));
                }
            }
            attempts += 1;
            if attempts > MAX_RESUMPTIONS {
                return Err("its stream broke off and could not be resumed".into());
            }
            wait(pause(&reader), client_resumed.take()).await;
            if let Ok(resumed) = self.resume(&reader).await {
                response = Some(resumed);
            }
        }
    }

    /// Reads a stream to its end. Returns why it broke off, if it did.
    async fn read(
        &self,
        reader: &mut SseReader,
        mut response: Response,
        origin: Option<u64>,
    ) -> Result<Option<String>, String> {
        let mut consumers = SlowConsumers::default();
        reader.restart();
        loop {
            match response.chunk().await {
                Ok(Some(piece)) => {
                    let mut messages = Vec::new();
                    let took = reader.read(&piece, |event| messages.push(event.data));
                    for message in messages.iter().filter(|message| !message.is_empty()) {
                        self.link.receive(message, origin);
                        self.link.until_taken(&mut consumers).await;
                    }
                    took.map_err(|_| "an event of its stream is longer than 64 MB".to_owned())?;
                    // Messages after the answer belong to no request.
                    if origin.is_some_and(|id| !self.link.awaits(id)) {
                        return Ok(None);
                    }
                }
                Ok(None) => return Ok(None),
                Err(error) => return Ok(Some(format!("its stream broke off: {}", plain(&error)))),
            }
        }
    }

    async fn resume(&self, reader: &SseReader) -> Result<Response, StatusCode> {
        let mut request = self.builder(Method::GET).header(ACCEPT, "text/event-stream");
        if let Some(last) = reader.last_id.as_deref().and_then(|id| HeaderValue::from_str(id).ok()) {
            request = request.header("last-event-id", last);
        }
        let response = request.send().await.map_err(|_| StatusCode::BAD_GATEWAY)?;
        let media_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        match media_type {
            Some(kind) if kind.to_ascii_lowercase().starts_with("text/event-stream") => {}
            _ if response.status().is_success() => return Err(StatusCode::NOT_ACCEPTABLE),
            _ => {}
        }
        if response.status().is_success() { Ok(response) } else { Err(response.status()) }
    }

    /// Reads the stream of messages that belong to no request, while the upstream offers one.
    pub(super) async fn listen(self: Arc<Self>) {
        let mut reader = SseReader::default();
        let (mut failures, mut was_open) = (0_u32, false);
        // One that was open will be again, once the network is back.
        while was_open || failures < MAX_RESUMPTIONS {
            let response = tokio::select! {
                response = self.resume(&reader) => response,
                () = self.link.closed() => return,
            };
            match response {
                Ok(response) => {
                    (failures, was_open) = (0, true);
                    tokio::select! {
                        _ = self.read(&mut reader, response, None) => {}
                        () = self.link.closed() => return,
                    }
                }
                // The upstream no longer has the last event.
                Err(StatusCode::BAD_REQUEST) if reader.last_id.take().is_some() => {}
                // It has not noticed yet that the last stream broke off, or is busy.
                Err(StatusCode::CONFLICT | StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS) => {
                    failures += 1;
                }
                // The upstream offers none, or no longer knows the session.
                Err(status) if status.is_client_error() => {
                    if was_open {
                        self.note_lost_session(status);
                    }
                    return;
                }
                Err(_) => failures += 1,
            }
            tokio::select! {
                () = tokio::time::sleep(pause(&reader).max(back_off(failures))) => {}
                () = self.link.closed() => return,
            }
        }
    }
}

/// The pause after so many failures.
fn back_off(failures: u32) -> Duration {
    match failures {
        0 => Duration::ZERO,
        n => (RESUME_PAUSE * (1 << (n - 1).min(6))).min(MAX_BACK_OFF),
    }
}

/// Waits before a stream is resumed. A client that resumes its own stream of the request ends the first pause, so
/// that its answer does not wait for ours; after a failed attempt the whole pause is kept.
async fn wait(pause: Duration, client_resumed: Option<Arc<Notify>>) {
    let resumed = async {
        match client_resumed {
            Some(resumed) => resumed.notified().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = tokio::time::sleep(pause) => {}
        () = resumed => {}
    }
}

fn pause(reader: &SseReader) -> Duration {
    reader.retry.map_or(RESUME_PAUSE, Duration::from_millis).clamp(MIN_RESUME_PAUSE, MAX_RESUME_PAUSE)
}
