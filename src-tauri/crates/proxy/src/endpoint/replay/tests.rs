//! What is kept of streams, and for whom.

use std::sync::atomic::{AtomicU64, Ordering};

use http_body_util::BodyExt;

use super::*;

async fn text(resumed: Resumed) -> String {
    let body = resumed.response(CancellationToken::new()).into_body();
    String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

#[tokio::test]
async fn large_answers_are_kept_until_they_are_taken_and_not_many_of_them() {
    let replays = Replays::new(Arc::new(Budget::new(Arc::default())));
    let large = vec![b'x'; 3 << 20];
    let answered = || {
        let replay = replays.open();
        replay.tell(&large);
        replay.tell(&large);
        replay.end();
        replay
    };
    let first = answered();
    assert!(first.lock().bytes > 6 << 20, "nobody took it");
    assert_eq!(text(first.whole()).await.matches("event: message").count(), 2);
    assert!(first.lock().bytes < 4 << 20, "the last event stays");
    let others = [answered(), answered()];
    replays.forget_old();
    let kept: Vec<u64> = replays.lock().streams.keys().copied().collect();
    assert_eq!(kept, [3], "{:?}", others.map(|replay| replay.lock().bytes));
}

#[tokio::test]
async fn a_client_gets_what_came_after_the_event_it_saw_last() {
    let replays = Replays::new(Arc::new(Budget::new(Arc::default())));
    let replay = replays.open();
    replay.tell(b"{}");
    let first = tokio::spawn(text(replay.whole()));
    tokio::task::yield_now().await;
    replay.pause(Some(50));
    assert!(first.await.unwrap().ends_with("id: 1-2\nretry: 50\ndata: \n\n"));
    replay.tell(b"[1]");
    replay.end();
    let rest = text(replays.resume("1-1").unwrap()).await;
    assert_eq!(rest, "id: 1-2\nretry: 50\ndata: \n\nid: 1-3\nevent: message\ndata: [1]\n\n");
    assert!(replays.resume("2-0").is_none() && replays.resume("x").is_none());
}

/// Or it would be told on a stream that was ended for now, as an upstream's first one often is at once.
#[tokio::test]
async fn a_stream_ends_for_now_however_soon_that_comes() {
    let replays = Replays::new(Arc::new(Budget::new(Arc::default())));
    let replay = replays.open();
    let whole = replay.whole();
    replay.pause(Some(50));
    assert_eq!(text(whole).await.matches("retry: 50").count(), 1);
}

/// Or thousands of sessions would each keep their megabytes.
#[tokio::test]
async fn all_sessions_together_keep_no_more_than_there_is_room_for() {
    const ROOM: usize = 1 << 20;
    let lost = Arc::new(AtomicU64::new(0));
    let budget = Arc::new(Budget::of(ROOM, Arc::clone(&lost)));
    let sessions: Vec<_> = (0..100).map(|_| Replays::new(Arc::clone(&budget))).collect();
    let large = vec![b'x'; 100 << 10];
    for session in &sessions {
        let replay = session.open();
        replay.tell(&large);
        replay.end();
        assert!(budget.bytes() <= ROOM, "{}", budget.bytes());
    }
    let kept = |session: &Replays| session.resume("1-0").is_some();
    let gone = sessions.iter().filter(|session| !kept(session)).count();
    assert!(gone > 80 && lost.load(Ordering::Relaxed) == gone as u64, "{gone} of 100");
    assert!(sessions[..gone].iter().all(|session| !kept(session)), "the oldest go first");
    let newest = text(sessions[99].resume("1-0").unwrap()).await;
    assert!(newest.contains(&"x".repeat(100 << 10)));
    drop(sessions);
    assert_eq!(budget.bytes(), 0);
}

#[tokio::test]
async fn what_a_client_is_taking_is_not_taken_from_it() {
    let lost = Arc::new(AtomicU64::new(0));
    let budget = Arc::new(Budget::of(64 << 10, Arc::clone(&lost)));
    let replays = Replays::new(Arc::clone(&budget));
    let large = vec![b'x'; 20 << 10];
    let (taken, left) = (replays.open(), replays.open());
    let response = taken.whole().response(CancellationToken::new());
    for replay in [&taken, &left] {
        (0..8).for_each(|_| replay.tell(&large));
    }
    taken.end();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(String::from_utf8_lossy(&body).matches("event: message").count(), 8);
    // Of one nobody takes, what comes next is there for who comes back.
    left.tell(b"{}");
    left.end();
    assert!(text(replays.resume("2-0").unwrap()).await.ends_with("data: {}\n\n"));
    assert_eq!(lost.load(Ordering::Relaxed), 1);
}
