//! The only way to the engine: `call` for commands, `follow` for what happens.
//!
//! In the window both go through Tauri, in a browser over HTTP; nobody else here knows which. Owns: that
//! choice, and the words for what goes wrong. Refuses to know: commands and frames.

mod http;
mod tauri;

use schemascope_api::{ApiError, Command, Cursor, ErrorKind, Frame};

use crate::wire;

/// Why following ended.
pub enum Ended {
    /// The engine is not there, or went away.
    Lost(String),
    /// The token is missing or wrong.
    Denied,
    /// Nobody can see the page, so nothing was followed. Browsers allow few streams at once, and other
    /// tabs may need theirs.
    Hidden,
}

/// Carries out a command.
pub async fn call<C: Command>(command: &C) -> Result<C::Reply, ApiError> {
    let body = serde_json::to_string(command).map_err(internal)?;
    let reply = if tauri::is_here() {
        tauri::call(C::NAME, &body).await?
    } else {
        http::call(C::NAME, &body).await?
    };
    wire::read(&reply).map_err(internal)
}

/// Passes frames to `take` until there are no more, from a cursor on.
pub async fn follow(since: Option<Cursor>, take: impl Fn(Frame) + 'static) -> Ended {
    let take = move |json: &str| match wire::read(json) {
        Ok(frame) => {
            take(frame);
            true
        }
        // An engine of another version; reloading the page gets the dashboard that fits it.
        Err(_) => false,
    };
    if tauri::is_here() { tauri::follow(since, take).await } else { http::follow(since, take).await }
}

/// Takes the token out of the address, where `dashboard_url` puts it, and keeps it.
pub fn log_in() {
    http::take_token();
}

fn internal(error: impl std::fmt::Display) -> ApiError {
    ApiError::new(ErrorKind::Internal, format!("the engine answered in a form unknown here: {error}"))
}

fn unavailable(reason: impl Into<String>) -> ApiError {
    ApiError::new(ErrorKind::Unavailable, reason)
}
