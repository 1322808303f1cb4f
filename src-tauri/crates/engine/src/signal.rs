//! Signals that ask the program to end: Ctrl-C, a session or service manager, a closed terminal.

/// Waits for the next signal that asks the program to end.
#[cfg(unix)]
pub async fn asked_to_end() {
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

/// Waits for the next signal that asks the program to end.
#[cfg(not(unix))]
pub async fn asked_to_end() {
    let _ = tokio::signal::ctrl_c().await;
}
