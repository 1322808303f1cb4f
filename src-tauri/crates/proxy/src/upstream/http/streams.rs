//! Streams of events of an upstream, and coming back to those that broke off.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Response, StatusCode};

use super::{Carrier, plain};
use crate::patience::Patience;
use crate::upstream::sse::SseReader;
use crate::wire::Era;

/// How often a stream that broke off is resumed without a sign of progress.
const RESUMPTIONS: u32 = 8;
/// Pause before a stream is resumed, unless the upstream names another one.
const RESUME_PAUSE: Duration = Duration::from_secs(1);
/// Shortest and longest pause it may name.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

impl Carrier {
    /// Reads a request's stream to its answer, resuming it where it can be.
    pub(super) async fn stream(&self, id: u64, response: Response) -> Result<(), String> {
        let mut reader = SseReader::default();
        let mut attempts = 0;
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
                // It would rather not keep a stream open meanwhile; nor need we.
                if broke_off.is_none() {
                    self.link.pause(id, reader.retry);
                }
            }
            attempts += 1;
            if attempts > RESUMPTIONS {
                return Err("its stream broke off and could not be resumed".into());
            }
            tokio::time::sleep(pause(&reader)).await;
            if let Ok(resumed) = self.resume(&reader).await {
                response = Some(resumed);
            }
        }
    }

    /// Reads a stream to its end; why it broke off, if it did.
    async fn read(
        &self,
        reader: &mut SseReader,
        mut response: Response,
        origin: Option<u64>,
    ) -> Result<Option<String>, String> {
        let mut patience = Patience::default();
        loop {
            match response.chunk().await {
                Ok(Some(piece)) => {
                    let mut messages = Vec::new();
                    let took = reader.read(&piece, |event| messages.push(event.data));
                    for message in messages.iter().filter(|message| !message.is_empty()) {
                        self.link.receive(message, origin);
                        self.link.until_taken(&mut patience).await;
                    }
                    took.map_err(|_| "an event of its stream is longer than 64 MB".to_owned())?;
                    // What may follow the answer is nobody's business.
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

    /// Listens to what belongs to no request, as long as the upstream offers it.
    pub(super) async fn listen(self: Arc<Self>) {
        let mut reader = SseReader::default();
        let (mut failures, mut was_open) = (0, false);
        while failures < RESUMPTIONS {
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
                // It offers none, or it is another one by now.
                Err(status) if status.is_client_error() => {
                    if was_open {
                        self.note_lost_session(status);
                    }
                    return;
                }
                Err(_) => failures += 1,
            }
            tokio::select! {
                () = tokio::time::sleep(pause(&reader)) => {}
                () = self.link.closed() => return,
            }
        }
    }
}

fn pause(reader: &SseReader) -> Duration {
    reader.retry.map_or(RESUME_PAUSE, Duration::from_millis).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
}
