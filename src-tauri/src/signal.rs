//! Being asked to end from outside: Ctrl-C, a session manager, a closed terminal.

use tauri::AppHandle;

/// Once ends in order, twice at once.
pub async fn end(app: AppHandle) {
    received().await;
    app.exit(0);
    received().await;
    std::process::exit(130);
}

/// Waits for the next such wish.
#[cfg(unix)]
async fn received() {
    use tokio::signal::unix::{SignalKind, signal};
    let (terminate, hang_up) = (signal(SignalKind::terminate()), signal(SignalKind::hangup()));
    let (Ok(mut terminate), Ok(mut hang_up)) = (terminate, hang_up) else {
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
    }
}

/// Waits for the next such wish.
#[cfg(not(unix))]
async fn received() {
    let _ = tokio::signal::ctrl_c().await;
}
