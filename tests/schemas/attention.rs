//! The list of what needs attention, as `report` prints it.

use schemascope_test_support::{Places, Program, stdio};
use serde_json::{Map, Value};

#[test]
fn report_lists_a_tool_whose_calls_fail() {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    program.run(&["call", "shop__store_info"]).unwrap();
    for _ in 0..3 {
        program.run(&["call", "shop__refund"]).unwrap();
    }

    let report = program.json(&["report"]).unwrap();
    let needs = report["attention"].as_array().unwrap();
    let failing: Vec<&Value> = needs.iter().filter(|need| need["kind"] == "failing").collect();
    assert_eq!(failing.len(), 1, "{report}");
    assert_eq!(failing[0]["subject"], "shop__refund");
    assert_eq!(failing[0]["text"], "3 of the last 3 calls failed.");
    assert!(failing[0]["since"].is_string(), "{report}");

    let tools = program.json(&["tools"]).unwrap();
    let store = tools.as_array().unwrap().iter().find(|tool| tool["tool_id"] == "shop__store_info").unwrap();
    assert!(store["p50_us"].as_u64() > Some(0) && store["p50_us"] == store["p99_us"], "{store}");
}
