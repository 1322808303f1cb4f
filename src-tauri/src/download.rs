//! Downloads of the page: which are allowed, and where they are saved.

use std::path::{Path, PathBuf};

use tauri::webview::DownloadEvent;
use tauri::{Manager, Runtime, Url, Webview};

/// Allows downloads that the page itself created, into the user's download folder; rejects every other one.
#[expect(clippy::needless_pass_by_value, reason = "the signature of `on_download`")]
pub fn decide<R: Runtime>(page: Webview<R>, event: DownloadEvent<'_>) -> bool {
    match event {
        DownloadEvent::Requested { url, destination } => {
            if !is_own(&url) {
                tracing::warn!(%url, "rejected a download that the page did not create");
                return false;
            }
            let Some(place) = folder(&page).and_then(|folder| free(&folder, destination)) else {
                tracing::warn!("cannot save a download: there is no download folder");
                return false;
            };
            *destination = place;
            true
        }
        DownloadEvent::Finished { path, success, .. } => {
            let path = path.unwrap_or_default();
            match success {
                true => tracing::info!(path = %path.display(), "saved"),
                false => tracing::warn!(path = %path.display(), "a download failed"),
            }
            true
        }
        _ => false,
    }
}

/// Whether a URL is a blob that our own page created.
pub fn is_own(url: &Url) -> bool {
    let maker = url.path();
    url.scheme() == "blob"
        && ["tauri://localhost/", "http://tauri.localhost/", "https://tauri.localhost/"]
            .iter()
            .any(|own| maker.starts_with(own))
}

fn folder<R: Runtime>(page: &Webview<R>) -> Option<PathBuf> {
    let paths = page.path();
    // Not every desktop has a download folder.
    let folder =
        paths.download_dir().or_else(|_| paths.home_dir().map(|home| home.join("Downloads"))).ok()?;
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder)
}

/// A free path in a folder, with the suggested name or a numbered one.
fn free(folder: &Path, suggested: &Path) -> Option<PathBuf> {
    let name = Path::new(suggested.file_name()?);
    let stem = name.file_stem()?.to_string_lossy();
    let extension = name.extension().map(|text| format!(".{}", text.to_string_lossy())).unwrap_or_default();
    let numbered = (2..1_000).map(|number| folder.join(format!("{stem} ({number}){extension}")));
    std::iter::once(folder.join(name)).chain(numbered).find(|path| !path.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_own_accepts_blobs_of_our_page_only() {
        let is_own = |url: &str| is_own(&url.parse().unwrap());
        assert!(is_own("blob:tauri://localhost/6f0e"));
        assert!(is_own("blob:http://tauri.localhost/6f0e"));
        for url in ["blob:https://example.com/6f0e", "https://example.com/x", "data:text/plain,x"] {
            assert!(!is_own(url), "{url}");
        }
    }

    #[test]
    fn free_never_overwrites_and_stays_in_the_folder() {
        let dir = std::env::temp_dir().join(format!("schemascope-download-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let suggested = Path::new("/etc/../calls.json");
        for expected in ["calls.json", "calls (2).json", "calls (3).json"] {
            let path = free(&dir, suggested).unwrap();
            assert_eq!(path, dir.join(expected));
            std::fs::write(&path, "x").unwrap();
        }
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
