//! `discover`: only what is listed is called, and once a day.

use std::fs;

use schemascope_test_support::{Places, Program, stdio};
use serde_json::{Map, Value, json};

fn program(scratch: &tempfile::TempDir) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let server = |name: &str| (name.to_owned(), stdio(places.fixture(name), &[]));
    let gone = ("gone".to_owned(), stdio("/nowhere/at/all", &[]));
    let servers = Map::from_iter([server("shop"), server("odd"), gone]);
    Program::new(&places, scratch.path(), &servers).unwrap()
}

/// The tool and state of each call.
fn states(discovered: &Value) -> Vec<(&str, &str)> {
    let calls = discovered["calls"].as_array().unwrap().iter();
    calls.map(|call| (call["tool_id"].as_str().unwrap(), call["state"].as_str().unwrap())).collect()
}

#[test]
fn listed_calls_are_checked_made_and_not_repeated() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let list = json!({
        "servers": {
            "shop": {"safeTools": {"list_orders": {"limit": 2}, "get_order": {}, "refund": {"id": "1"}}, "note": 1},
            "odd": {"safeTools": {"echo": {"password": "a secret value"}}},
            "gone": {"safeTools": {"anything": {}}},
        },
        "metadata": {"by": "Ann"},
    });
    fs::write(scratch.path().join("discovery_config.json"), list.to_string()).unwrap();
    let expect = |orders, refund, echo| {
        vec![
            ("shop__list_orders", orders),
            ("shop__get_order", "invalid"),
            ("shop__refund", refund),
            ("odd__echo", echo),
            ("gone__anything", "unavailable"),
        ]
    };
    let checked = program.json(&["discover", "--dry-run"]).unwrap();
    assert_eq!(states(&checked), expect("ready", "ready", "ready"));
    assert_eq!(checked["calls"][1]["reason"], "the argument \"id\" is missing");
    assert_eq!(program.json_lines(&["calls"]).unwrap().len(), 0);

    let made = program.json(&["discover"]).unwrap();
    assert_eq!(states(&made), expect("ok", "tool_error", "ok"));
    assert_eq!(made["summary"], json!({"ok": 2, "tool_error": 1, "invalid": 1, "unavailable": 1}));
    let learned: Vec<_> = made["learned"].as_array().unwrap().iter().map(|one| &one["tool_id"]).collect();
    assert_eq!(learned, [&json!("odd__echo"), &json!("shop__list_orders")]);
    let calls = program.json_lines(&["calls"]).unwrap();
    assert_eq!(calls.len(), 3);
    assert!(calls.iter().all(|call| call["origin"] == "discovery"), "{calls:?}");
    assert!(!calls.iter().any(|call| call.to_string().contains("a secret value")));

    // The same through a running engine. What failed is tried again; the order of arguments does not matter.
    let _serve = program.serve(&[]).unwrap();
    let again = program.json(&["discover"]).unwrap();
    assert_eq!(states(&again), expect("recent", "tool_error", "recent"));
    let other = scratch.path().join("other.json");
    fs::write(&other, "{\"servers\": {\"shop\": {\"safeTools\": {\"list_orders\": {\"limit\": 3}}}}}")
        .unwrap();
    let path = other.to_str().unwrap();
    let run = program.run(&["discover", "--discovery", path]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("1 ok\nshop__list_orders: low, 1 result\n"), "{run:?}");
    let run = program.run(&["discover", "--discovery", path]).unwrap();
    assert!(run.out.contains("1 called within a day\n"), "{run:?}");
}

#[test]
fn nothing_runs_when_the_list_cannot_be_used() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let file = scratch.path().join("discovery_config.json");
    let run = program.run(&["discover"]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("does not exist"), "{run:?}");
    for (text, words) in [
        ("{\"servers\": {\n \"shop\" 1}}", "line 2, column 9"),
        ("{\"servers\": {\n \"shop\": {\"safeTools\": {\"store_info\": 1}}}}", "line 2, column 39"),
        (
            "{\"servers\": {\n \"shp\": {\"safeTools\": {\"store_info\": {}}}}}",
            "line 2: there is no server \"shp\"; did you mean shop?",
        ),
        (
            "{\"servers\": {\"shop\": {\"safeTools\": {\n\"store_info\": {},\n\"store_inf\": {}}}}}",
            "line 3: server \"shop\" has no tool \"store_inf\"; did you mean store_info",
        ),
    ] {
        fs::write(&file, text).unwrap();
        let run = program.run(&["discover"]).unwrap();
        assert!(run.code == Some(1) && run.err.contains(words), "{words}: {run:?}");
        assert!(run.err.contains("Nothing was called."), "{run:?}");
    }
    assert_eq!(program.json_lines(&["calls"]).unwrap().len(), 0);
}

#[test]
fn proposals_come_from_annotations_and_earlier_calls() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let suggest = || program.json(&["discover", "--suggest"]).unwrap()["tools"].clone();
    let echo = |arguments: &Value, earlier: bool| json!([{"tool_id": "odd__echo", "server_name": "odd", "tool_name": "echo", "arguments": arguments, "earlier": earlier}]);
    assert_eq!(suggest(), echo(&json!({}), false));
    for arguments in ["{\"path\": \"a\"}", "{\"password\": \"a secret value\"}"] {
        assert_eq!(program.run(&["call", "odd__echo", arguments]).unwrap().code, Some(0));
    }
    assert_eq!(suggest(), echo(&json!({"path": "a"}), true));
    let file = scratch.path().join("discovery_config.json");
    fs::write(&file, "{\n  // ours\n  \"servers\": {},\n  \"metadata\": {}\n}\n").unwrap();
    let path = file.to_str().unwrap();
    for added in ["added 1 tool", "added 0 tools"] {
        let run = program.run(&["discover", "--suggest", "--out", path]).unwrap();
        assert!(run.code == Some(0) && run.err.contains(added), "{run:?}");
    }
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("// ours\n") && text.contains("\"echo\": {") && text.contains("\"metadata\": {}"),
        "{text}"
    );
    assert_eq!(program.json_lines(&["calls"]).unwrap().len(), 2);
}
