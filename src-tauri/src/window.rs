//! The window.
//!
//! Owns: how it opens, where it was last, and that its page stays where it is. Refuses to know: what the
//! page shows and asks.

use std::path::Path;

use anyhow::{Result, anyhow};
use tauri::plugin::TauriPlugin;
use tauri::webview::{NewWindowResponse, PageLoadEvent};
use tauri::{AppHandle, Runtime, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder};
use tauri_plugin_window_state::StateFlags;

use crate::download;

/// Tauri panics where GTK finds no display.
#[cfg(target_os = "linux")]
pub fn check_display() -> Result<()> {
    gtk::init().map_err(|_| {
        anyhow!(
            "there is no display here; without one: schemascope serve, and open its dashboard in a browser"
        )
    })
}

/// There always is one.
#[cfg(not(target_os = "linux"))]
pub fn check_display() -> Result<()> {
    Ok(())
}

/// Keeps size and place of the window with the data it shows.
pub fn remember<R: Runtime>(data_dir: &Path) -> TauriPlugin<R> {
    let builder = tauri_plugin_window_state::Builder::default()
        .with_state_flags(StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED);
    // An absolute name replaces the configuration folder it is joined to.
    match data_dir.join("window.json").to_str() {
        Some(path) => builder.with_filename(path).build(),
        None => builder.build(),
    }
}

/// Opens the window; it shows when its page is there, so that none sees an empty one.
pub fn open(app: &AppHandle, data_dir: &Path) -> tauri::Result<WebviewWindow> {
    WebviewWindowBuilder::new(app, "main", WebviewUrl::App("index.html".into()))
        .title("Schemascope")
        .inner_size(1280.0, 820.0)
        .min_inner_size(760.0, 500.0)
        .data_directory(data_dir.join("webview"))
        .devtools(cfg!(debug_assertions))
        .visible(false)
        .on_page_load(|window, load| {
            if load.event() == PageLoadEvent::Finished {
                let _ = window.show();
            }
        })
        // A page's own download passes here before it is known for one.
        .on_navigation(|url| {
            let stays = is_own(url) || download::is_own(url);
            if !stays {
                tracing::warn!(%url, "the page wanted to leave");
            }
            stays
        })
        .on_new_window(|url, _| {
            tracing::warn!(%url, "the page wanted a new window");
            NewWindowResponse::Deny
        })
        .on_download(download::decide)
        .build()
}

/// Brings the window to the front.
pub fn show(window: &WebviewWindow) {
    let shown = window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus());
    if let Err(error) = shown {
        tracing::warn!(%error, "the window cannot come to the front");
    }
}

/// Whether a page is ours.
fn is_own(url: &Url) -> bool {
    match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        // How WebView2 spells it.
        "http" | "https" => url.host_str() == Some("tauri.localhost"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_pages_open() {
        let is_own = |url: &str| is_own(&url.parse().unwrap());
        assert!(is_own("tauri://localhost/tools/git__git_status?x#y"));
        assert!(is_own("http://tauri.localhost/"));
        for url in [
            "https://example.com/",
            "tauri://example.com/",
            "http://tauri.localhost.example.com/",
            "file:///etc/passwd",
            "data:text/html,x",
            "about:blank",
        ] {
            assert!(!is_own(url), "{url}");
        }
    }
}
