//! The two commands that the page may send to this process. Commands of the engine are forwarded as bytes.

use std::sync::Arc;

use schemascope_api::{ApiError, Cursor, ErrorKind, InvalidCursor};
use schemascope_engine::{Link, LinkError};
use tauri::{State, WebviewWindow};

use crate::feed::Feed;

/// Carries out a command of the engine and returns its reply as JSON.
#[tauri::command]
pub async fn call(link: State<'_, Arc<Link>>, name: String, body: String) -> Result<String, ApiError> {
    let unavailable = |error: LinkError| ApiError::new(ErrorKind::Unavailable, error.to_string());
    let reached = link.last().await.map_err(unavailable)?;
    let reply = reached.front.dispatch(&name, body.into_bytes()).await?;
    String::from_utf8(reply).map_err(|error| ApiError::new(ErrorKind::Internal, error.to_string()))
}

/// Sends every frame from a cursor on as an event `frame`, until the page calls this again or `lost` is sent.
#[tauri::command]
pub async fn follow(
    window: WebviewWindow,
    link: State<'_, Arc<Link>>,
    feed: State<'_, Feed>,
    since: Option<String>,
) -> Result<(), ApiError> {
    let since = since.map(|since| since.parse::<Cursor>()).transpose();
    let since = since.map_err(|error: InvalidCursor| ApiError::new(ErrorKind::Invalid, error.to_string()))?;
    feed.begin(window, Arc::clone(&link), since);
    Ok(())
}
