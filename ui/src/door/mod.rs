//! The connection to the engine: `call` for commands, `follow` for frames; and `save` for files.
//!
//! In the window all go through Tauri, in a browser over HTTP and as downloads. Only this module knows which.

mod http;
mod tauri;

use std::cell::Cell;

use schemascope_api::{ApiError, Command, Cursor, ErrorKind, Frame};

use crate::{browser, wire};

/// Why following ended.
pub enum Ended {
    /// The engine does not respond, or closed the connection.
    Lost(String),
    /// The token is missing or wrong.
    Denied,
    /// The page is hidden. Browsers allow few streams at a time, and other tabs may need theirs.
    Hidden,
}

/// Pause in milliseconds between two looks at the calls under way.
const SETTLE_STEP_MS: i32 = 10;

thread_local! {
    /// Number of calls under way.
    static UNDER_WAY: Cell<usize> = const { Cell::new(0) };
}

/// A call under way, until it is dropped.
struct UnderWay;

impl UnderWay {
    fn begin() -> Self {
        UNDER_WAY.set(UNDER_WAY.get() + 1);
        Self
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        UNDER_WAY.set(UNDER_WAY.get() - 1);
    }
}

/// Waits until no call is under way, but not longer than `limit_ms` milliseconds.
pub async fn settle(limit_ms: i32) {
    for _ in 0..limit_ms / SETTLE_STEP_MS {
        if UNDER_WAY.get() == 0 {
            return;
        }
        browser::sleep(SETTLE_STEP_MS).await;
    }
}

/// Sends a command and returns its reply.
pub async fn call<C: Command>(command: &C) -> Result<C::Reply, ApiError> {
    let _under_way = UnderWay::begin();
    let body = serde_json::to_string(command).map_err(internal)?;
    let reply = if tauri::is_here() {
        tauri::call(C::NAME, &body).await?
    } else {
        http::call(C::NAME, &body).await?
    };
    wire::read(&reply).map_err(internal)
}

/// Saves a text as a file. Returns where, or nothing if the user cancelled. A browser tells neither the folder nor a
/// cancellation.
pub async fn save(name: &str, text: &str) -> Result<Option<String>, String> {
    if tauri::is_here() {
        return tauri::save(name, text).await.map_err(|error| error.to_string());
    }
    let saved = browser::download(name, text).map(|()| Some(name.to_owned()));
    saved.map_err(|_| "the browser does not allow saving".to_owned())
}

/// Passes the frames after a cursor to `take`, until the connection ends.
pub async fn follow(since: Option<Cursor>, take: impl Fn(Frame) + 'static) -> Ended {
    let take = move |json: &str| match wire::read(json) {
        Ok(frame) => {
            take(frame);
            true
        }
        // The engine has another version; reloading the page gets its dashboard.
        Err(_) => false,
    };
    if tauri::is_here() { tauri::follow(since, take).await } else { http::follow(since, take).await }
}

/// Whether the page is shown by the desktop window, which has no tabs.
pub fn is_window() -> bool {
    tauri::is_here()
}

/// Takes the token out of the address, where `dashboard_url` puts it.
pub fn log_in() {
    http::take_token();
}

fn internal(error: impl std::fmt::Display) -> ApiError {
    ApiError::new(ErrorKind::Internal, format!("unexpected reply of the engine: {error}"))
}

fn unavailable(reason: impl Into<String>) -> ApiError {
    ApiError::new(ErrorKind::Unavailable, reason)
}
