//! Tests of the limits of replay buffers, and of resuming streams.

use std::sync::atomic::{AtomicU64, Ordering};

use http_body_util::BodyExt;

use super::*;

async fn text(resumed: ReplayReader) -> String {
    let body = resumed.response(CancellationToken::new()).into_body();
    String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

#[tokio::test]
async fn large_answers_are_kept_until_taken_within_the_limit_of_the_session() {
    let replays = ReplayBuffers::new(Arc::new(ReplayBudget::new(Arc::default())));
    let large = vec![b'x'; 3 << 20];
    let answered = || {
        let replay = replays.open();
        replay.push_message(&large);
        replay.push_message(&large);
        replay.end();
        replay
    };
    let first = answered();
    assert!(first.lock().bytes > 6 << 20, "no client took it");
    assert_eq!(text(first.read_all()).await.matches("event: message").count(), 2);
    assert!(first.lock().bytes < 4 << 20, "the last event stays");
    let others = [answered(), answered()];
    replays.drop_expired();
    let kept: Vec<u64> = replays.lock().streams.keys().copied().collect();
    assert_eq!(kept, [3], "{:?}", others.map(|replay| replay.lock().bytes));
}

#[tokio::test]
async fn resume_returns_events_after_the_last_one_seen() {
    let replays = ReplayBuffers::new(Arc::new(ReplayBudget::new(Arc::default())));
    let replay = replays.open();
    replay.push_message(b"{}");
    let first = tokio::spawn(text(replay.read_all()));
    tokio::task::yield_now().await;
    let resumed = Arc::new(Notify::new());
    replay.pause(Some(50), Arc::clone(&resumed));
    assert!(first.await.unwrap().ends_with("id: 1-2\nretry: 50\ndata: \n\n"));
    replay.push_message(b"[1]");
    replay.end();
    let rest = text(replays.resume("1-1").unwrap()).await;
    resumed.notified().await;
    assert_eq!(rest, "id: 1-2\nretry: 50\ndata: \n\nid: 1-3\nevent: message\ndata: [1]\n\n");
    assert!(replays.resume("2-0").is_none() && replays.resume("x").is_none());
}

/// Upstreams often pause their stream at once, before the client's response has begun.
#[tokio::test]
async fn pause_ends_a_reader_that_has_not_started_yet() {
    let replays = ReplayBuffers::new(Arc::new(ReplayBudget::new(Arc::default())));
    let replay = replays.open();
    let read_all = replay.read_all();
    replay.pause(Some(50), Arc::default());
    assert_eq!(text(read_all).await.matches("retry: 50").count(), 1);
}

/// Otherwise thousands of sessions would keep megabytes each.
#[tokio::test]
async fn buffers_of_all_sessions_stay_within_the_budget() {
    const ROOM: usize = 1 << 20;
    let lost = Arc::new(AtomicU64::new(0));
    let budget = Arc::new(ReplayBudget::of(ROOM, Arc::clone(&lost)));
    let sessions: Vec<_> = (0..100).map(|_| ReplayBuffers::new(Arc::clone(&budget))).collect();
    let large = vec![b'x'; 100 << 10];
    for session in &sessions {
        let replay = session.open();
        replay.push_message(&large);
        replay.end();
        assert!(budget.bytes() <= ROOM, "{}", budget.bytes());
    }
    let kept = |session: &ReplayBuffers| session.resume("1-0").is_some();
    let gone = sessions.iter().filter(|session| !kept(session)).count();
    assert!(gone > 80 && lost.load(Ordering::Relaxed) == gone as u64, "{gone} of 100");
    assert!(sessions[..gone].iter().all(|session| !kept(session)), "the oldest are dropped first");
    let newest = text(sessions[99].resume("1-0").unwrap()).await;
    assert!(newest.contains(&"x".repeat(100 << 10)));
    drop(sessions);
    assert_eq!(budget.bytes(), 0);
}

#[tokio::test]
async fn events_on_their_way_to_a_client_are_not_dropped() {
    let lost = Arc::new(AtomicU64::new(0));
    let budget = Arc::new(ReplayBudget::of(64 << 10, Arc::clone(&lost)));
    let replays = ReplayBuffers::new(Arc::clone(&budget));
    let large = vec![b'x'; 20 << 10];
    let (taken, left) = (replays.open(), replays.open());
    let response = taken.read_all().response(CancellationToken::new());
    for replay in [&taken, &left] {
        (0..8).for_each(|_| replay.push_message(&large));
    }
    taken.end();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(String::from_utf8_lossy(&body).matches("event: message").count(), 8);
    // A stream without a connection still keeps later events.
    left.push_message(b"{}");
    left.end();
    assert!(text(replays.resume("2-0").unwrap()).await.ends_with("data: {}\n\n"));
    assert_eq!(lost.load(Ordering::Relaxed), 1);
}
