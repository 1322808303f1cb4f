//! The window: how it opens, where it was last, and that its page does not navigate away.

use std::path::Path;

use anyhow::{Result, anyhow};
use tauri::plugin::TauriPlugin;
use tauri::webview::{DownloadEvent, NewWindowResponse, PageLoadEvent};
use tauri::{AppHandle, Runtime, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder};
use tauri_plugin_window_state::StateFlags;

/// Checks that there is a display: without one, Tauri would panic in GTK.
#[cfg(target_os = "linux")]
pub fn check_display() -> Result<()> {
    gtk::init().map_err(|_| {
        anyhow!("there is no display; run `schemascope serve` and open its dashboard in a browser")
    })
}

/// Other systems always have a display.
#[cfg(not(target_os = "linux"))]
pub fn check_display() -> Result<()> {
    Ok(())
}

/// Keeps size and position of the window in the data directory.
pub fn remember<R: Runtime>(data_dir: &Path) -> TauriPlugin<R> {
    let builder = tauri_plugin_window_state::Builder::default()
        .with_state_flags(StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED);
    // An absolute path replaces the configuration folder.
    match data_dir.join("window.json").to_str() {
        Some(path) => builder.with_filename(path).build(),
        None => builder.build(),
    }
}

/// Opens the window. It is shown when its page is loaded, so that it never looks empty.
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
        .on_navigation(|url| {
            let stays = is_own(url);
            if !stays {
                tracing::warn!(%url, "rejected a navigation of the page");
            }
            stays
        })
        .on_new_window(|url, _| {
            tracing::warn!(%url, "rejected a new window of the page");
            NewWindowResponse::Deny
        })
        // What it saves passes through the command `save`.
        .on_download(|_, event| {
            if let DownloadEvent::Requested { url, .. } = event {
                tracing::warn!(%url, "rejected a download of the page");
            }
            false
        })
        .build()
}

/// Brings the window to the front.
pub fn show(window: &WebviewWindow) {
    let shown = window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus());
    if let Err(error) = shown {
        tracing::warn!(%error, "the window cannot come to the front");
    }
}

/// Whether a URL is a page of ours.
fn is_own(url: &Url) -> bool {
    match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        // The form of WebView2.
        "http" | "https" => url.host_str() == Some("tauri.localhost"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_own_accepts_our_pages_only() {
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
