//! The event stream into the page.
//!
//! Owns: that one stream runs at a time, and that its end is told. Refuses to know: what frames mean,
//! but that one may call the window to the front.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use schemascope_api::Cursor;
use schemascope_engine::{Attached, Engine, Front, Link};
use serde::Deserialize;
use tauri::{Emitter, WebviewWindow};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::window;

/// A running engine sends a frame every second; one that is silent for so long hangs.
const SILENCE: Duration = Duration::from_secs(15);

/// The page's stream.
#[derive(Default)]
pub struct Feed {
    /// Ends the current one.
    current: Mutex<CancellationToken>,
}

impl Feed {
    /// Streams to a page from a cursor on, instead of what was streamed before.
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
            Front::Attached(attached) => relay(page, attached.clone(), since).await,
        },
        Err(error) => error.to_string(),
    };
    tracing::warn!("the window hears nothing from the engine: {reason}");
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

/// Passes on what a running engine sends, until it does not.
async fn relay(page: &WebviewWindow, attached: Attached, since: Option<Cursor>) -> String {
    #[derive(Deserialize)]
    struct Wish {
        show_window: bool,
    }

    // One frame waits at most. When nobody receives any more, the next one ends the thread.
    let (sender, mut frames) = mpsc::channel::<Result<String, String>>(1);
    let reader =
        std::thread::Builder::new().name("events".into()).spawn(move || read(&attached, since, &sender));
    if let Err(error) = reader {
        return error.to_string();
    }
    loop {
        match tokio::time::timeout(SILENCE, frames.recv()).await {
            Ok(Some(Ok(frame))) => {
                if serde_json::from_str::<Wish>(&frame).is_ok_and(|wish| wish.show_window) {
                    window::show(page);
                }
                emit(page, "frame", frame);
            }
            Ok(Some(Err(reason))) => return reason,
            Ok(None) => return "the engine ended".to_owned(),
            Err(_) => return "the engine does not answer".to_owned(),
        }
    }
}

fn read(attached: &Attached, since: Option<Cursor>, sender: &mpsc::Sender<Result<String, String>>) {
    let frames = match attached.events(since) {
        Ok(frames) => frames,
        Err(error) => {
            let _ = sender.blocking_send(Err(error.to_string()));
            return;
        }
    };
    for frame in frames {
        let frame = frame.map_err(|error| error.to_string());
        let is_last = frame.is_err();
        if sender.blocking_send(frame).is_err() || is_last {
            return;
        }
    }
}

fn emit(page: &WebviewWindow, event: &str, payload: String) {
    if let Err(error) = page.emit_to(page.label(), event, payload) {
        // The window is gone, and with it whoever would miss it.
        tracing::debug!(%error, event, "not delivered");
    }
}
