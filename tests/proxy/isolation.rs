//! Whatever one upstream or client does, the others and the program go on.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use schemascope_test_support::{Exchange, Places, Program, Serve, stdio, until};
use serde_json::{Map, Value, json};

/// With the shop, whose tools must keep working, and one faulty upstream for each fault.
fn program(scratch: &tempfile::TempDir, faults: &[&str]) -> (Program, Serve) {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let mut servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
    servers.extend(
        faults.iter().map(|fault| (fault.replace('-', "_"), stdio(places.fixture("faulty"), &[fault]))),
    );
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let serve = program.serve(&[]).unwrap();
    (program, serve)
}

fn ask(serve: &Serve, upstream: &str) -> Value {
    let client = serve.connect(Some(upstream)).unwrap();
    client.call("ask", &json!({})).unwrap().answer().unwrap()
}

fn assert_shop_works(serve: &Serve) {
    let client = serve.connect(Some("shop")).unwrap();
    let began = Instant::now();
    assert!(client.call("order_total", &json!({})).unwrap().result().is_ok());
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

/// Sends a request without waiting for its answer.
fn post(serve: &Serve, upstream: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(serve.instance["address"].as_str().unwrap()).unwrap();
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!(
        "POST /mcp/{upstream} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\naccept: application/json, text/event-stream\r\n\
         content-length: {}\r\n{headers}\r\n",
        serve.token(),
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    stream
}

/// A number of `/proc/PID/status`, in kB or pieces.
fn status(serve: &Serve, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", serve.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn files(serve: &Serve) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", serve.pid())).unwrap().count()
}

#[test]
fn upstreams_with_wrong_answers_get_errors_or_are_ignored() {
    let scratch = tempfile::tempdir().unwrap();
    let faults = ["wrong-ids", "twice", "half", "other-version", "long-line"];
    let (_program, serve) = program(&scratch, &faults);
    for fault in ["wrong_ids", "twice"] {
        let client = serve.connect(Some(fault)).unwrap();
        for _ in 0..3 {
            let answer = client.call("ask", &json!({})).unwrap().answer().unwrap();
            assert_eq!(answer["result"]["content"][0]["text"], "ask", "{fault}: {answer}");
        }
    }
    let told = |upstream: &str| ask(&serve, upstream)["error"]["message"].to_string();
    assert!(told("half").contains("ended before it answered"));
    assert!(told("long_line").contains("longer than 64 MB"));
    let refused = serve.connect(Some("other_version")).err().unwrap().to_string();
    assert!(refused.contains("1999-01-01"), "{refused}");
    assert_shop_works(&serve);
}

#[test]
fn floods_use_bounded_memory_and_delay_no_other_client() {
    let scratch = tempfile::tempdir().unwrap();
    let (_program, serve) = program(&scratch, &["flood-stdout", "flood-stderr"]);
    assert_shop_works(&serve);
    let before = status(&serve, "VmHWM");
    std::thread::scope(|scope| {
        let floods = ["flood_stdout", "flood_stderr"].map(|flood| scope.spawn(|| ask(&serve, flood)));
        for _ in 0..5 {
            assert_shop_works(&serve);
        }
        for flood in floods {
            let answer = flood.join().unwrap();
            assert_eq!(answer["result"]["content"][0]["text"], "ask", "{answer}");
        }
    });
    let grown = status(&serve, "VmHWM") - before;
    // A line is given up at 64 MB; what is kept of it is its ends.
    assert!(grown < 200 << 10, "{grown} kB");
    assert_shop_works(&serve);
}

/// A number of each notification of a method, in order.
fn told(exchange: &Exchange, method: &str, number: &str) -> Vec<u64> {
    let messages = exchange.messages.iter().map(|message| serde_json::from_str::<Value>(message).unwrap());
    let told = messages.filter(|message| message["method"] == method);
    told.filter_map(|message| message["params"][number].as_u64()).collect()
}

#[test]
fn burst_reaches_readers_and_slow_readers_delay_no_one() {
    let scratch = tempfile::tempdir().unwrap();
    let (program, serve) = program(&scratch, &["burst"]);
    let call = |tool: &str, bytes: usize| {
        json!({"name": tool, "arguments": {"bytes": bytes}, "_meta": {"progressToken": "t"}}).to_string()
    };
    let assert_whole = |exchange: &Exchange| {
        assert!(exchange.result().is_ok());
        let all: Vec<u64> = (0..2_000).collect();
        assert_eq!(told(exchange, "notifications/progress", "progress"), all);
        assert_eq!(told(exchange, "notifications/message", "data"), all);
    };
    for (upstream, tool) in [(Some("burst"), "ask"), (None, "burst__ask")] {
        let client = serve.connect(upstream).unwrap();
        assert_whole(&client.request("tools/call", &call(tool, 10)).unwrap());
    }
    let mut client = program.stdio(&["--server", "burst"]).unwrap();
    client.initialize(&json!({})).unwrap();
    assert_whole(&client.request("tools/call", &call("ask", 10)).unwrap());
    // Some who read nothing.
    let client = serve.connect(Some("burst")).unwrap();
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call"}).to_string();
    let body = body.replace('}', &format!(",\"params\":{}}}", call("ask", 10_000)));
    let headers = [("mcp-session-id", client.session())];
    let stuck: Vec<_> = (0..4).map(|_| post(&serve, "burst", &headers, &body)).collect();
    assert_eq!(ask(&serve, "burst")["result"]["content"][0]["text"], "ask");
    assert_shop_works(&serve);
    drop(stuck);
}

/// One that no longer reads fills its own pipe and nothing else.
#[test]
fn upstreams_that_do_not_read_or_answer_block_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let (program, serve) = program(&scratch, &["deaf", "silent"]);
    let large = json!({"text": "x".repeat(1 << 20)});
    let mut asking = Vec::new();
    for name in ["deaf", "silent"] {
        let client = serve.connect(Some(name)).unwrap();
        for id in 0..100 {
            let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": {"name": "ask", "arguments": large}});
            asking.push(post(&serve, name, &[("mcp-session-id", client.session())], &call.to_string()));
        }
    }
    for _ in 0..5 {
        assert_shop_works(&serve);
    }
    let states = program.json(&["servers"]).unwrap();
    assert_eq!(states["servers"].as_array().unwrap().len(), 4, "three and the built-in one");
    let began = Instant::now();
    assert_eq!(serve.stop().unwrap(), Some(0));
    // Some hundred megabytes of arguments are recorded first.
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

/// Neither sessions nor processes nor files are left of clients and upstreams that came and went.
#[test]
fn clients_and_upstreams_that_come_and_go_leak_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let (program, serve) = program(&scratch, &[]);
    let asking = json!({"sampling": {}, "roots": {}});
    let cycle = |serve: &Serve, own: bool| {
        let client = match own {
            // It can be asked, so it gets a process of its own.
            true => serve.connect_with(Some("shop"), &asking).unwrap(),
            false => serve.connect(None).unwrap(),
        };
        let tool = if own { "order_total" } else { "shop__order_total" };
        assert!(client.call(tool, &json!({})).unwrap().result().is_ok());
        client.delete().unwrap();
    };
    (0..20).for_each(|n| cycle(&serve, n % 4 == 0));
    until("the first ones have gone", || serve.children() == 1);
    let (files_before, memory_before) = (files(&serve), status(&serve, "VmRSS"));
    (0..1_000).for_each(|n| cycle(&serve, n % 20 == 0));
    for _ in 0..3 {
        let pid =
            until("the upstream runs", || program.json(&["servers"]).unwrap()["servers"][0]["pid"].as_u64());
        let killed = std::process::Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
        assert!(killed.success());
        // After its pause.
        until("the upstream answers again", || {
            let Ok(client) = serve.connect(Some("shop")) else { return false };
            let back = client.call("order_total", &json!({})).is_ok_and(|answer| answer.result().is_ok());
            client.delete().unwrap();
            back
        });
    }
    until("their processes have gone", || serve.children() == 1);
    until("their files have gone", || files(&serve) <= files_before + 5);
    let grown = status(&serve, "VmRSS").saturating_sub(memory_before);
    assert!(grown < 40 << 10, "{grown} kB");
}

/// Connections that say nothing, and requests that come a byte at a time, cost next to nothing.
#[test]
fn idle_and_slow_connections_delay_no_one() {
    let scratch = tempfile::tempdir().unwrap();
    let (_program, serve) = program(&scratch, &[]);
    let address = serve.instance["address"].as_str().unwrap().to_owned();
    assert_shop_works(&serve);
    let before = status(&serve, "VmRSS");
    // As many as this machine lets one process have, at most 10,000.
    let limit = files_allowed().saturating_sub(200).min(10_000);
    let mut idle = Vec::new();
    for _ in 0..limit {
        match TcpStream::connect(&address) {
            Ok(stream) => idle.push(stream),
            Err(_) => break,
        }
    }
    for stream in idle.iter_mut().take(100) {
        stream.write_all(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{").unwrap();
    }
    assert_shop_works(&serve);
    assert!(idle.len() >= 500, "{}", idle.len());
    let grown = status(&serve, "VmRSS").saturating_sub(before);
    assert!(grown < 200 << 10, "{grown} kB for {} connections", idle.len());
    drop(idle);
    assert_shop_works(&serve);
}

fn files_allowed() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    line.split_whitespace().nth(3).unwrap().parse().unwrap_or(1_024)
}

/// A client of the stateless era cancels by leaving.
#[test]
fn stateless_client_that_leaves_cancels_its_call() {
    let scratch = tempfile::tempdir().unwrap();
    let (program, serve) = program(&scratch, &["silent"]);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask",
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}})
    .to_string();
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "ask")];
    let mut stream = post(&serve, "silent", &headers, &body);
    stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    assert!(stream.read(&mut [0; 16]).is_err(), "it is not answered");
    drop(stream);
    until("the call is recorded as cancelled", || {
        let calls = program.json_lines(&["calls"]).unwrap();
        calls.iter().any(|call| call["outcome"] == "cancelled")
    });
}
