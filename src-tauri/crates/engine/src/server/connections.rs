//! Connections: how many are open at a time, how long one may take to say what it wants, and how they end.
//!
//! Owns: accepting and closing them. Refuses to know: what is asked on them.

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

/// Connections open at a time, where the system lets us have as many files.
const OPEN: usize = 12_000;
/// Files kept for everything else: upstreams, the journal, the index.
const OTHER_FILES: usize = 1_024;
/// How long a connection may take to say what it wants, from its beginning or the last answer on. Go and
/// reqwest keep unused connections for 90 s; none of theirs is closed while they are about to use it.
const HEAD: Duration = Duration::from_secs(100);
/// Connections that are told at a time that there are too many; others are closed without a word.
const TOLD: usize = 64;
/// How long one of them may take to hear it.
const TELLING: Duration = Duration::from_secs(1);
/// Pause before the next connection where the system refused one.
const REFUSED: Duration = Duration::from_millis(100);

/// Bounds of what clients may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    open: usize,
    head: Duration,
}

impl Limits {
    /// As many connections as are good for anything, or as the system lets us have.
    pub(super) fn usual() -> Self {
        let files = files_allowed(OPEN + OTHER_FILES);
        let open = files.saturating_sub(OTHER_FILES).max(files / 2).min(OPEN);
        Self { open, head: HEAD }
    }
}

/// How many files we may have open, after asking for as many as that.
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
    let (places, told) = (Arc::new(Semaphore::new(limits.open)), Arc::new(Semaphore::new(TOLD)));
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
                tokio::time::sleep(REFUSED).await;
                continue;
            }
        };
        // Without it every event of a stream waits 40 ms for the client's acknowledgement.
        let _ = stream.set_nodelay(true);
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            if !std::mem::replace(&mut full, true) {
                tracing::warn!(limit = limits.open, "too many connections are open; others are refused");
            }
            if let Ok(telling) = Arc::clone(&told).try_acquire_owned() {
                tokio::spawn(async move {
                    let _ = tokio::time::timeout(TELLING, turn_away(stream, limits.open)).await;
                    drop(telling);
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
                // One that broke off concerns nobody else.
                _ = connection.as_mut() => {}
                () = over.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    let _ = connection.await;
                }
            }
            drop(place);
        });
    }
    // Whoever comes next may listen here at once.
    drop(listener);
    connections.close();
    connections.wait().await;
}

/// Says why a connection is not served. What it asks is read first: on one that is closed before, the answer
/// may get lost.
async fn turn_away(mut stream: TcpStream, limit: usize) {
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

    /// Where it listens, and what ends it.
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

    /// What is said on a connection until it is closed.
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
    async fn those_that_say_nothing_or_only_half_are_closed() {
        let (address, over, served) = serving(Limits { open: 8, head: Duration::from_millis(200) }).await;
        for begun in [&b""[..], b"GET / HT", b"GET / HTTP/1.1\r\nhost: loc"] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(begun).await.unwrap();
            assert_eq!(all(stream).await, "", "{begun:?}");
        }
        // So is one that was answered and says nothing more.
        let mut stream = TcpStream::connect(address).await.unwrap();
        assert!(answered(&mut stream).await);
        assert_eq!(all(stream).await, "");
        over.cancel();
        served.await.unwrap();
    }

    /// An owner that ends hands its address over while it still answers.
    #[tokio::test]
    async fn the_address_is_free_before_the_last_connection_has_ended() {
        let (address, over, served) = serving(Limits { open: 2, head: HEAD }).await;
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
    async fn those_that_are_too_many_are_told_so() {
        let (address, over, served) = serving(Limits { open: 2, head: HEAD }).await;
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
        // Those that are open go on, and where one ends another begins.
        assert!(answered(&mut open[0]).await);
        drop(open.pop());
        loop {
            let mut next = TcpStream::connect(address).await.unwrap();
            if answered(&mut next).await {
                break;
            }
        }
        over.cancel();
        // Nobody uses the one that is left.
        served.await.unwrap();
    }
}
