//! Connections: how many are open at a time, how long a client may take to send a request, and how they end.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Connections open at a time, if the system allows as many files.
const MAX_CONNECTIONS: usize = 12_000;
/// Files kept for everything else: upstreams, the journal, the index.
const OTHER_FILES: usize = 1_024;
/// Time a client may take to send the head of a request, since the connection began or since the last answer. Go and
/// reqwest keep unused connections for 90 s, so theirs are not closed while they are about to use them.
const HEAD_TIMEOUT: Duration = Duration::from_secs(100);
/// Rejected connections that get an answer at a time; others are closed without one.
const MAX_REJECTIONS: usize = 64;
/// Longest time a rejection may take.
const REJECTION_TIMEOUT: Duration = Duration::from_secs(1);
/// Pause after a connection that could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Limits for clients.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    open: usize,
    head: Duration,
}

impl Limits {
    /// The usual limits, lowered to what the system allows.
    pub(super) fn usual() -> Self {
        let files = files_allowed(MAX_CONNECTIONS + OTHER_FILES);
        let open = files.saturating_sub(OTHER_FILES).max(files / 2).min(MAX_CONNECTIONS);
        Self { open, head: HEAD_TIMEOUT }
    }
}

/// Number of files this process may open, after asking for `wanted`.
#[cfg(unix)]
fn files_allowed(wanted: usize) -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = wanted as u64;
    if limit.current.is_some_and(|now| now < wanted) {
        let more = limit.maximum.map_or(wanted, |most| most.min(wanted));
        let raised = rustix::process::Rlimit { current: Some(more), ..limit };
        if setrlimit(Resource::Nofile, raised).is_ok() {
            limit = raised;
        }
    }
    limit.current.map_or(usize::MAX, |now| usize::try_from(now).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn files_allowed(wanted: usize) -> usize {
    wanted
}

/// Serves connections until `over` is cancelled and those that are open have ended.
pub(super) async fn serve(listener: TcpListener, app: Router, limits: Limits, over: CancellationToken) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head);
    let service = TowerToHyperService::new(app);
    let (places, rejections) =
        (Arc::new(Semaphore::new(limits.open)), Arc::new(Semaphore::new(MAX_REJECTIONS)));
    let connections = TaskTracker::new();
    let mut full = false;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = over.cancelled() => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        // Without it every event of a stream waits 40 ms for the client's acknowledgement.
        let _ = stream.set_nodelay(true);
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            if !std::mem::replace(&mut full, true) {
                tracing::warn!(limit = limits.open, "too many connections are open; others are rejected");
            }
            if let Ok(rejection) = Arc::clone(&rejections).try_acquire_owned() {
                tokio::spawn(async move {
                    let _ = tokio::time::timeout(REJECTION_TIMEOUT, reject(stream, limits.open)).await;
                    drop(rejection);
                });
            }
            continue;
        };
        full = false;
        let connection = http.serve_connection(TokioIo::new(stream), service.clone());
        let over = over.clone();
        connections.spawn(async move {
            let mut connection = std::pin::pin!(connection);
            tokio::select! {
                // An error concerns this connection only.
                _ = connection.as_mut() => {}
                () = over.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    let _ = connection.await;
                }
            }
            drop(place);
        });
    }
    // The next engine can listen here at once.
    drop(listener);
    connections.close();
    connections.wait().await;
}

/// Answers why a connection is rejected. Its request is read first: if the connection closed before, the answer could
/// get lost.
async fn reject(mut stream: TcpStream, limit: usize) {
    let said = format!("{limit} connections are open already; close some and try again\n");
    let head =
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\nretry-after: 1\r\n";
    let _ = stream.read(&mut [0; 4_096]).await;
    let answer = format!("{head}connection: close\r\ncontent-length: {}\r\n\r\n{said}", said.len());
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
    while stream.read(&mut [0; 4_096]).await.is_ok_and(|read| read > 0) {}
}

#[cfg(test)]
mod tests {
    use axum::routing::get;

    use super::*;

    const ASKED: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

    /// The address, and what ends the server.
    async fn serving(
        limits: Limits,
    ) -> (std::net::SocketAddr, CancellationToken, tokio::task::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, over) = (listener.local_addr().unwrap(), CancellationToken::new());
        let app = Router::new()
            .route("/", get(|| async { "here" }))
            .route("/never", get(|| async { std::future::pending::<()>().await }));
        (address, over.clone(), tokio::spawn(serve(listener, app, limits, over)))
    }

    /// Everything sent on a connection until it is closed.
    async fn all(mut stream: TcpStream) -> String {
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said).await;
        String::from_utf8(said).unwrap()
    }

    /// One answer on a connection that stays open.
    async fn answered(stream: &mut TcpStream) -> bool {
        stream.write_all(ASKED).await.unwrap();
        let mut said = [0; 4_096];
        let read = stream.read(&mut said).await.unwrap();
        said[..read].starts_with(b"HTTP/1.1 200") && said[..read].ends_with(b"here")
    }

    #[tokio::test]
    async fn incomplete_requests_time_out() {
        let (address, over, served) = serving(Limits { open: 8, head: Duration::from_millis(200) }).await;
        for begun in [&b""[..], b"GET / HT", b"GET / HTTP/1.1\r\nhost: loc"] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(begun).await.unwrap();
            assert_eq!(all(stream).await, "", "{begun:?}");
        }
        // So does a connection that was answered and stays silent.
        let mut stream = TcpStream::connect(address).await.unwrap();
        assert!(answered(&mut stream).await);
        assert_eq!(all(stream).await, "");
        over.cancel();
        served.await.unwrap();
    }

    /// An engine that ends frees its address while it still answers.
    #[tokio::test]
    async fn address_is_free_before_the_last_connection_has_ended() {
        let (address, over, served) = serving(Limits { open: 2, head: HEAD_TIMEOUT }).await;
        let mut waiting = TcpStream::connect(address).await.unwrap();
        waiting.write_all(b"GET /never HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
        let mut other = TcpStream::connect(address).await.unwrap();
        assert!(answered(&mut other).await);
        over.cancel();
        while TcpListener::bind(address).await.is_err() {
            tokio::task::yield_now().await;
        }
        assert!(!served.is_finished());
        drop(waiting);
        served.await.unwrap();
    }

    #[tokio::test]
    async fn connections_above_the_limit_are_rejected() {
        let (address, over, served) = serving(Limits { open: 2, head: HEAD_TIMEOUT }).await;
        let mut open = Vec::new();
        for _ in 0..2 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            assert!(answered(&mut stream).await);
            open.push(stream);
        }
        let mut third = TcpStream::connect(address).await.unwrap();
        third.write_all(ASKED).await.unwrap();
        let said = all(third).await;
        assert!(
            said.starts_with("HTTP/1.1 503 ") && said.contains("2 connections are open already"),
            "{said}"
        );
        // Open connections continue, and when one ends another may begin.
        assert!(answered(&mut open[0]).await);
        drop(open.pop());
        loop {
            let mut next = TcpStream::connect(address).await.unwrap();
            if answered(&mut next).await {
                break;
            }
        }
        over.cancel();
        // The connection that is left is unused.
        served.await.unwrap();
    }
}
