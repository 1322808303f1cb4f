//! Settings and redaction rules, changed by command, by editing the file while it runs, and for one run by options.

use std::fs;

use schemascope_test_support::{Places, Program, stdio, until};
use serde_json::{Map, Value, json};

fn program(scratch: &std::path::Path, mode: &str) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("odd".to_owned(), stdio(places.fixture("odd"), &[mode]))]);
    Program::new(&places, scratch, &servers).unwrap()
}

fn setting(program: &Program, name: &str) -> Value {
    program.json(&["settings", name]).unwrap()["value"].clone()
}

/// Calls of a trace, so that there is something to keep.
fn calls(program: &Program, outputs: &[Value]) {
    let file = program.config().with_file_name("trace.ndjson");
    let lines: Vec<String> =
        outputs.iter().map(|output| json!({"tool_id": "s__t", "output": output}).to_string()).collect();
    fs::write(&file, lines.join("\n")).unwrap();
    let run = program.run(&["backfill", file.to_str().unwrap()]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
}

fn stored(program: &Program) -> Vec<Value> {
    program.json_lines(&["calls"]).unwrap()
}

#[test]
fn settings_take_effect_by_command_by_edit_and_for_one_run() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path(), "plain");
    let file = program.data_dir().join("settings.json");
    // Nothing runs: the store is opened for it.
    let run = program.run(&["settings", "keep_calls", "1000"]).unwrap();
    assert_eq!((run.code, run.err.contains("keep_calls is 1000")), (Some(0), true), "{run:?}");

    let serve = program.serve(&["--cut-after", "4"]).unwrap();
    assert_eq!(setting(&program, "cut_after"), "4");
    let run = program.run(&["settings", "cut_after", "7"]).unwrap();
    assert!(run.err.contains("this run still uses 4 from its command line"), "{run:?}");
    assert_eq!(setting(&program, "cut_after"), "4");

    calls(&program, &(0..50).map(|n| json!({ "n": n })).collect::<Vec<_>>());
    assert_eq!(stored(&program).len(), 50);
    fs::write(&file, r#"{"keep_calls": 20, "cut_after": 7}"#).unwrap();
    until("the edited setting is in effect", || setting(&program, "keep_calls") == "20");
    until("calls beyond are removed", || stored(&program).len() == 20);
    let tools = program.json(&["tools"]).unwrap();
    assert_eq!(tools[0]["observation_count"], 50, "what was learned stays");

    for broken in [r#"{"keep_calls": 2"#, r#"{"keep_calls": "2"}"#, r#"{"keep_cals": 2}"#] {
        fs::write(&file, broken).unwrap();
        until("the mistake is reported", || {
            program.run(&["settings", "keep_calls"]).unwrap().err.contains("cannot be used")
        });
        assert_eq!(setting(&program, "keep_calls"), "20");
        let run = program.run(&["settings", "keep_calls", "5"]).unwrap();
        assert_eq!((run.code, run.err.contains("Fix or delete it")), (Some(1), true), "{run:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), broken);
    }
    fs::remove_file(&file).unwrap();
    until("the default is in effect", || setting(&program, "keep_calls").is_null());
    serve.stop().unwrap();

    for (wrong, said) in [
        (&["settings", "keep_cals", "3"][..], "expected one of auto_promote, promote_after, cut_after"),
        (&["settings", "keep_days", "0"], "keep_days must be a whole number from 1 to 36500"),
        (&["settings", "auto_promote", "always"], "auto_promote must be never or at_high"),
        (&["settings", "nonsense"], "there is no setting \"nonsense\""),
    ] {
        let run = program.run(wrong).unwrap();
        assert_eq!((run.code, run.err.contains(said)), (Some(1), true), "{wrong:?} {run:?}");
    }
    assert!(!file.exists(), "what is wrong changes nothing");
}

#[test]
fn edited_redaction_rules_apply_to_later_calls() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path(), "plain");
    let file = program.data_dir().join("redaction.json");
    let _serve = program.serve(&[]).unwrap();
    let told = |n: u32| json!({"badge": format!("EMP-{n:05}")});
    calls(&program, &[told(1)]);
    fs::write(&file, r#"{"patterns": ["EMP-\\d{5}"]}"#).unwrap();
    // The effect of a rule shows only in stored calls.
    let mut n = 1;
    until("the rule is in effect", || {
        n += 1;
        calls(&program, &[told(n)]);
        !stored(&program)[0].to_string().contains("EMP-")
    });
    assert!(stored(&program).last().unwrap().to_string().contains("EMP-00001"), "what is stored stays");
    fs::write(&file, r#"{"patterns": ["("]}"#).unwrap();
    until("the mistake is reported", || program.run(&["settings"]).unwrap().err.contains("cannot be used"));
    calls(&program, &[told(90_000)]);
    assert!(!stored(&program)[0].to_string().contains("EMP-90000"), "the previous rule stays in effect");
}
