//! A recorder that has stopped delays no one, and the program ends soon in any case.

use std::path::Path;
use std::time::{Duration, Instant};

use schemascope_test_support::{Places, Program, Serve, stdio};
use serde_json::{Map, Value, json};

/// Longest time between SIGTERM and the end: 2 s, and far more on a busy machine. A recorder that is waited for never
/// takes its records.
const END_TIMEOUT: Duration = Duration::from_secs(15);

fn program(scratch: &Path, servers: &[(&str, Value)]) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = servers.iter().map(|(name, entry)| ((*name).to_owned(), entry.clone()));
    Program::new(&places, scratch, &servers.collect::<Map<_, _>>()).unwrap()
}

fn fixture(name: &str) -> std::path::PathBuf {
    Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap().fixture(name)
}

/// A program whose recorder takes hardly anything more.
fn without_room(scratch: &Path, args: &[&str]) -> (Program, Serve) {
    let program = program(scratch, &[("odd", stdio(fixture("odd"), &[]))]);
    let serve = program.serve(&[]).unwrap();
    serve.connect(None).unwrap().call("odd__echo", &json!({})).unwrap();
    serve.stop().unwrap();
    let serve = program.serve_with_small_files(4, args).unwrap();
    (program, serve)
}

/// Numbers as text, which neither compress well nor look like secrets.
fn text(bytes: usize) -> String {
    let mut state = 7_u64;
    let mut text = String::with_capacity(bytes + 8);
    while text.len() < bytes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        text += &format!("{} ", (state >> 40) % 10_000);
    }
    text
}

fn recorder(program: &Program) -> Value {
    program.json(&["report"]).unwrap()["recorder"].clone()
}

fn ends_in_time(serve: Serve) {
    let began = Instant::now();
    assert_eq!(serve.stop().unwrap(), Some(0));
    assert!(began.elapsed() < END_TIMEOUT, "{:?}", began.elapsed());
}

#[test]
fn stopped_recorder_delays_no_call_and_counts_what_it_does_not_take() {
    let scratch = tempfile::tempdir().unwrap();
    let (program, serve) = without_room(scratch.path(), &[]);
    let client = serve.connect(None).unwrap();
    let call = |text: &str| client.call("odd__echo", &json!({"text": text})).unwrap().result().unwrap();
    let small = text(60_000);
    let began = Instant::now();
    for _ in 0..200 {
        call(&small);
    }
    // Waiting 250 ms for memory above 4 MB of records would take 40 s.
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    let seen = recorder(&program);
    assert!(!seen["stalled"].is_null(), "{seen}");
    assert!(seen["waiting"].as_u64().unwrap() > 150, "{seen}");
    // More than there is memory for.
    let large = text(4 << 20);
    for _ in 0..12 {
        call(&large);
    }
    let seen = recorder(&program);
    assert!(seen["bodies_left_out"].as_u64().unwrap() > 0, "{seen}");
    let counted = ["recorded", "waiting", "dropped"].map(|name| seen[name].as_u64().unwrap());
    assert_eq!(counted.iter().sum::<u64>(), 212, "{seen}");
    ends_in_time(serve);
}

#[test]
fn strict_calls_do_not_wait_for_a_stopped_recorder() {
    let scratch = tempfile::tempdir().unwrap();
    let (program, serve) = without_room(scratch.path(), &["--durability", "strict"]);
    let client = serve.connect(None).unwrap();
    let text = text(60_000);
    let began = Instant::now();
    for _ in 0..20 {
        client.call("odd__echo", &json!({"text": text})).unwrap().result().unwrap();
    }
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert!(!recorder(&program)["stalled"].is_null());
    ends_in_time(serve);
}

#[test]
fn upstreams_that_ignore_sigterm_do_not_delay_the_end() {
    let scratch = tempfile::tempdir().unwrap();
    let script = "trap '' TERM; \"$0\" --step-ms 100; sleep 600";
    let shop = fixture("shop");
    let entry = stdio("sh", &["-c", script, shop.to_str().unwrap()]);
    let program = program(scratch.path(), &[("one", entry.clone()), ("two", entry)]);
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    for server in ["one", "two"] {
        client.call(&format!("{server}__store_info"), &json!({})).unwrap().result().unwrap();
    }
    // With a call in progress, which has a second to end.
    std::thread::scope(|scope| {
        scope.spawn(|| client.call("one__rebuild_catalog", &json!({"steps": 600})));
        std::thread::sleep(Duration::from_millis(300));
        ends_in_time(serve);
    });
}
