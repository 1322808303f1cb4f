//! The event stream into the page. One stream runs at a time, and the page is notified when it ends.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use schemascope_api::Cursor;
use schemascope_engine::{Attached, Engine, Front, Link};
use serde::Deserialize;
use tauri::{Emitter, WebviewWindow};
use tokio_util::sync::CancellationToken;

use crate::window;

/// Longest time without a frame. A running engine sends one every second, so a silent one hangs.
const FRAME_TIMEOUT: Duration = Duration::from_secs(15);

/// The page's stream.
#[derive(Default)]
pub struct Feed {
    /// Ends the current stream.
    current: Mutex<CancellationToken>,
}

impl Feed {
    /// Streams frames to a page from a cursor on. Replaces the previous stream.
    pub fn begin(&self, page: WebviewWindow, link: Arc<Link>, since: Option<Cursor>) {
        let stop = CancellationToken::new();
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *current, stop.clone()).cancel();
        tokio::spawn(async move { stop.run_until_cancelled(stream(&page, link, since)).await });
    }
}

async fn stream(page: &WebviewWindow, link: Arc<Link>, since: Option<Cursor>) {
    let reason = match link.renew().await {
        Ok(reached) => match &reached.front {
            Front::Own(engine) => own(page, engine, since).await,
            Front::Attached(attached) => relay(page, attached, since).await,
        },
        Err(error) => error.to_string(),
    };
    tracing::warn!("the window receives no events from the engine: {reason}");
    emit(page, "lost", reason);
}

async fn own(page: &WebviewWindow, engine: &Arc<Engine>, since: Option<Cursor>) -> String {
    let mut follower = engine.follow(since);
    loop {
        let frame = follower.next().await;
        if frame.show_window {
            window::show(page);
        }
        match serde_json::to_string(&frame) {
            Ok(json) => emit(page, "frame", json),
            Err(error) => return error.to_string(),
        }
    }
}

/// Forwards the frames of a running engine until its stream ends.
async fn relay(page: &WebviewWindow, attached: &Attached, since: Option<Cursor>) -> String {
    #[derive(Deserialize)]
    struct Request {
        show_window: bool,
    }

    let mut frames = match attached.events(since).await {
        Ok(frames) => frames,
        Err(error) => return error.to_string(),
    };
    loop {
        match tokio::time::timeout(FRAME_TIMEOUT, frames.next()).await {
            Ok(Some(Ok(frame))) => {
                if serde_json::from_str::<Request>(&frame).is_ok_and(|request| request.show_window) {
                    window::show(page);
                }
                emit(page, "frame", frame);
            }
            Ok(Some(Err(error))) => return error.to_string(),
            Ok(None) => return "the engine ended".to_owned(),
            Err(_) => return "the engine does not answer".to_owned(),
        }
    }
}

fn emit(page: &WebviewWindow, event: &str, payload: String) {
    if let Err(error) = page.emit_to(page.label(), event, payload) {
        // The window is closed, so the event has no receiver.
        tracing::debug!(%error, event, "not delivered");
    }
}
