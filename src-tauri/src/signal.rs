//! Signals that end the program: Ctrl-C, a session manager, a closed terminal.

use tauri::AppHandle;

/// Ends the app in order at the first signal, and at once at the second.
pub async fn end(app: AppHandle) {
    schemascope_engine::asked_to_end().await;
    app.exit(0);
    schemascope_engine::asked_to_end().await;
    std::process::exit(130);
}
