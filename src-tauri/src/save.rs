//! Saving files of the page, where the user chooses.

use std::path::{Path, PathBuf};

use rfd::{AsyncFileDialog, FileHandle};
use schemascope_api::{ApiError, ErrorKind};
use schemascope_engine::save_file;
use tauri::{Manager, WebviewWindow};
use tokio::sync::oneshot;

/// Asks where to save a text and writes it there. Returns the path, or nothing if the user cancelled.
///
/// The page only suggests a name. Nothing is written that the user did not choose in the dialog, which also asks before it
/// replaces a file.
#[tauri::command]
pub async fn save(window: WebviewWindow, name: String, text: String) -> Result<Option<String>, ApiError> {
    let failed = |reason: String| ApiError::new(ErrorKind::Unavailable, reason);
    let chosen = ask(&window, suggested(&name)).await.map_err(|error| failed(error.to_string()))?;
    let Some(chosen) = chosen else { return Ok(None) };
    let path = chosen.path().to_owned();
    let written = tauri::async_runtime::spawn_blocking(move || save_file(&path, &text, false).map(|()| path));
    match written.await {
        Ok(Ok(path)) => {
            tracing::info!(path = %path.display(), "saved");
            Ok(Some(path.display().to_string()))
        }
        Ok(Err(error)) => Err(failed(format!("cannot write {}: {error}", chosen.path().display()))),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Shows the dialog. Some systems allow that on the main thread only.
async fn ask(window: &WebviewWindow, name: String) -> tauri::Result<Option<FileHandle>> {
    let (answer, answered) = oneshot::channel();
    let (parent, folder) = (window.clone(), folder(window));
    window.run_on_main_thread(move || {
        let mut dialog = AsyncFileDialog::new().set_title("Save").set_file_name(name).set_parent(&parent);
        if let Some(folder) = folder {
            dialog = dialog.set_directory(folder);
        }
        let chosen = dialog.save_file();
        tauri::async_runtime::spawn(async move { answer.send(chosen.await) });
    })?;
    Ok(answered.await.unwrap_or_default())
}

/// The folder where the dialog begins.
fn folder(window: &WebviewWindow) -> Option<PathBuf> {
    let paths = window.path();
    [paths.download_dir(), paths.home_dir()].into_iter().flatten().find(|folder| folder.is_dir())
}

/// The page's name for a file, without folders.
fn suggested(name: &str) -> String {
    let name = Path::new(name).file_name().map(|name| name.to_string_lossy().into_owned());
    let name: String = name.unwrap_or_default().chars().filter(|c| !c.is_control()).collect();
    if name.is_empty() { "schemascope.json".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggested_name_has_no_folders_and_no_control_characters() {
        for (name, suggestion) in [
            ("inferred-schema.json", "inferred-schema.json"),
            ("/etc/passwd", "passwd"),
            ("../../.bashrc", ".bashrc"),
            ("a\nb.json", "ab.json"),
            ("..", "schemascope.json"),
            ("", "schemascope.json"),
        ] {
            assert_eq!(suggested(name), suggestion);
        }
    }
}
