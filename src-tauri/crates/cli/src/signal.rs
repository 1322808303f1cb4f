//! Being asked to end: Ctrl-C, a service manager, a closed terminal.

/// Waits for the next such wish.
#[cfg(unix)]
pub async fn received() {
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
pub async fn received() {
    let _ = tokio::signal::ctrl_c().await;
}
