//! A link over a pair of pipes, with the upstream played by hand.

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

use super::*;
use crate::upstream::transport::lines::{self, MAX_LINE};

struct Peer {
    lines: tokio::io::Lines<BufReader<DuplexStream>>,
    writer: DuplexStream,
}

impl Peer {
    async fn sees(&mut self) -> String {
        self.lines.next_line().await.unwrap().unwrap()
    }

    async fn says(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }
}

fn pair() -> (Arc<Link>, Peer, Arc<LogTail>) {
    pair_for(Who::unknown())
}

fn pair_for(who: Who) -> (Arc<Link>, Peer, Arc<LogTail>) {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (writer, reader) = tokio::io::duplex(1 << 20);
    let log = Arc::new(LogTail::default());
    let (link, messages) = Link::new(Arc::clone(&log), None, who, false);
    lines::run(&link, messages, reader, ours);
    (link, Peer { lines: BufReader::new(theirs).lines(), writer }, log)
}

#[tokio::test]
async fn answers_out_of_order_reach_their_requests() {
    let (connection, mut peer, log) = pair();
    let first = ask(&connection, "a", None).await.unwrap();
    let second = ask(&connection, "b", Some(&Bytes::from_static(b"{\n}"))).await.unwrap();
    assert_eq!(peer.sees().await, r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#);
    assert_eq!(peer.sees().await, r#"{"jsonrpc":"2.0","id":2,"method":"b","params":{ }}"#);
    peer.says("noise").await;
    peer.says(r#"{"id":1,"status":"queued"}"#).await;
    peer.says(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#).await;
    peer.says(r#"{"jsonrpc":"2.0","id":2,"error":{"code":1.0,"message":"m","data":1E5}}"#).await;
    peer.says(r#"{"jsonrpc":"2.0","id":1,"result":{"n":1.10}}"#).await;
    assert_eq!(
        second.answer_body().await,
        Some(Body::Error(r#"{"code":1.0,"message":"m","data":1E5}"#.into()))
    );
    assert_eq!(first.answer_body().await, Some(Body::Result(r#"{"n":1.10}"#.into())));
    assert_eq!(log.lines().len(), 3);
}

#[tokio::test]
async fn string_of_our_number_is_no_answer() {
    let (connection, mut peer, log) = pair();
    let request = ask(&connection, "a", None).await.unwrap();
    peer.says(r#"{"jsonrpc":"2.0","id":"1","result":{"from":"string"}}"#).await;
    peer.says(r#"{"jsonrpc":"2.0","id":1,"result":{"from":"number"}}"#).await;
    assert_eq!(request.answer_body().await, Some(Body::Result(r#"{"from":"number"}"#.into())));
    assert_eq!(log.lines(), [r#"(answer to an unknown or cancelled request) "1""#]);
}

async fn ask(link: &Arc<Link>, method: &str, params: Option<&Bytes>) -> Result<Request, Closed> {
    link.request(NewRequest { method, params, ..NewRequest::default() }).await
}

impl Request {
    async fn answer_body(mut self) -> Option<Body> {
        (&mut self.answer).await.ok()?.ok()
    }
}

#[tokio::test]
async fn progress_keeps_client_token_and_precedes_answer() {
    let (connection, mut peer, _) = pair();
    let params = Bytes::from_static(br#"{"_meta":{"progressToken":"mine"}}"#);
    let mut request = ask(&connection, "slow", Some(&params)).await.unwrap();
    assert!(peer.sees().await.ends_with(r#""params":{"_meta":{"progressToken":1}}}"#));
    for n in 0..3 {
        peer.says(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":1,"progress":{n}}}}}"#
        ))
        .await;
    }
    peer.says(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    assert!((&mut request.answer).await.is_ok());
    for n in 0..3 {
        let expect = format!(r#"{{"progressToken":"mine","progress":{n}}}"#);
        let Ok(Event::Notification { method, params }) = request.events.try_recv() else { panic!() };
        assert_eq!(
            (method.as_str(), params.unwrap().as_ref()),
            ("notifications/progress", expect.as_bytes())
        );
    }
}

#[tokio::test]
async fn dropped_request_is_cancelled_and_its_late_answer_ignored() {
    let (connection, mut peer, log) = pair();
    let request = ask(&connection, "slow", None).await.unwrap();
    peer.sees().await;
    drop(request);
    assert!(peer.sees().await.contains(r#""requestId":1"#));
    peer.says(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    let next = ask(&connection, "x", None).await.unwrap();
    peer.says(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#).await;
    assert!(next.answer_body().await.is_some());
    assert_eq!(log.lines().len(), 1);
}

/// An answer that is not valid JSON still ends the request it seems to belong to.
#[tokio::test]
async fn malformed_answer_ends_its_request() {
    for line in [
        &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"\xff\"}}\n"[..],
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"result\":{}}\n",
        b"{\"result\":{\"half\":,\"jsonrpc\":\"2.0\",\"id\":1}\n",
    ] {
        let (connection, mut peer, _) = pair();
        let request = ask(&connection, "x", None).await.unwrap();
        peer.writer.write_all(line).await.unwrap();
        let Some(Body::Error(error)) = request.answer_body().await else { panic!("{line:?}") };
        assert!(String::from_utf8_lossy(&error).contains("broke the protocol"), "{error:?}");
    }
}

#[tokio::test]
async fn line_that_is_too_long_is_skipped_and_ends_its_request() {
    let (connection, mut peer, log) = pair();
    let long = ask(&connection, "long", None).await.unwrap();
    let short = ask(&connection, "short", None).await.unwrap();
    let feeding = tokio::spawn(async move {
        peer.writer.write_all(b"{\"result\":\"").await.unwrap();
        let block = vec![b'x'; 1 << 20];
        for _ in 0..=MAX_LINE >> 20 {
            peer.writer.write_all(&block).await.unwrap();
        }
        peer.says("\",\"jsonrpc\":\"2.0\",\"id\":1}").await;
        peer.says(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#).await;
        peer
    });
    let Some(Body::Error(error)) = long.answer_body().await else { panic!("no error") };
    assert!(String::from_utf8_lossy(&error).contains("longer than 64 MB"), "{error:?}");
    assert_eq!(short.answer_body().await, Some(Body::Result("{}".into())));
    assert_eq!(log.lines().len(), 1);
    drop(feeding.await);
}

/// An upstream that closed its stdin cannot receive requests.
#[tokio::test]
async fn link_closes_when_upstream_cannot_be_written_to() {
    let (ours, theirs) = tokio::io::duplex(1 << 10);
    let (_writer, reader) = tokio::io::duplex(1 << 10);
    let (connection, messages) = Link::new(Arc::default(), None, Who::unknown(), false);
    lines::run(&connection, messages, reader, ours);
    drop(theirs);
    let request = ask(&connection, "x", None).await.unwrap();
    assert_eq!(request.answer_body().await, None);
    assert!(connection.is_closed());
}

#[tokio::test]
async fn lost_connection_ends_every_request() {
    let (connection, mut peer, _) = pair();
    let request = ask(&connection, "x", None).await.unwrap();
    peer.sees().await;
    drop(peer);
    assert_eq!(request.answer_body().await, None);
    assert!(ask(&connection, "y", None).await.is_err());
}

/// A question of the upstream is withdrawn when the upstream answers the request it belongs to.
#[tokio::test]
async fn question_ends_with_its_request() {
    let who = Who { capabilities: r#"{"roots":{}}"#.into(), ..Who::unknown() };
    let (connection, mut peer, _) = pair_for(who);
    let mut request = ask(&connection, "tools/call", None).await.unwrap();
    peer.sees().await;
    peer.says(r#"{"jsonrpc":"2.0","id":"q","method":"roots/list"}"#).await;
    let Some(Event::Ask(question)) = request.events.recv().await else { panic!("not asked") };
    assert!(!question.withdrawn.is_cancelled());
    peer.says(r#"{"jsonrpc":"2.0","id":"other","method":"sampling/createMessage"}"#).await;
    assert!(peer.sees().await.contains("-32601"), "it cannot be asked that");
    peer.says(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    question.withdrawn.cancelled().await;
    assert!(peer.sees().await.contains("has ended"));
}

#[tokio::test]
async fn question_without_client_is_answered_with_an_error() {
    let (_connection, mut peer, _) = pair();
    peer.says(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#).await;
    assert_eq!(peer.sees().await, r#"{"jsonrpc":"2.0","id":"p","result":{}}"#);
    peer.says(r#"{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage"}"#).await;
    assert!(peer.sees().await.contains("-32601"));
}
