//! Being asked to end from outside: Ctrl-C, a session manager, a closed terminal.

use tauri::AppHandle;

/// Once ends in order, twice at once.
pub async fn end(app: AppHandle) {
    schemascope_engine::asked_to_end().await;
    app.exit(0);
    schemascope_engine::asked_to_end().await;
    std::process::exit(130);
}
