//! `check` as a pipeline runs it: exit codes, output formats, and which changes count as breaking.

use std::fs;
use std::path::Path;

use schemascope_test_support::{Places, Program, Run, stdio};
use serde_json::{Map, Value, json};

fn program(scratch: &Path) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
    Program::new(&places, scratch, &servers).unwrap()
}

fn order(n: u64) -> Value {
    json!({
        "id": format!("o{n}"),
        "state": (["open", "shut"])[n as usize % 2],
        "total": n,
        "made": format!("2026-11-{:02}T10:00:00Z", n % 28 + 1),
        "coupon": (!n.is_multiple_of(10)).then(|| json!({"code": "x"})),
    })
}

/// The same without what is null.
fn sparse(mut order: Value) -> Value {
    if let Some(fields) = order.as_object_mut() {
        fields.retain(|_, field| !field.is_null());
    }
    order
}

fn lines(outputs: impl Iterator<Item = Value>) -> String {
    let line = |output| json!({"tool_id": "api__order", "output": output, "at": "2026-11-20T00:00:00Z"});
    outputs.map(|output| line(output).to_string()).collect::<Vec<_>>().join("\n")
}

/// A baseline in a folder of its own, as it stands in a repository.
fn baseline(scratch: &Path) -> String {
    let learning = program(scratch);
    let orders = lines((0..120).map(|n| sparse(order(n))));
    assert_eq!(learning.run_with_input(&["backfill", "-"], &orders).unwrap().code, Some(0));
    let path = scratch.join("baseline.json");
    let out = path.to_str().unwrap().to_owned();
    assert_eq!(learning.run(&["export", "bundle", "--out", &out]).unwrap().code, Some(0));
    out
}

fn check(program: &Program, baseline: &str, traces: &str, more: &[&str]) -> Run {
    program
        .run_with_input(&[&["check", "--baseline", baseline, "--traces", "-"], more].concat(), traces)
        .unwrap()
}

#[test]
fn check_distinguishes_breaking_from_other_changes() {
    let scratch = tempfile::tempdir().unwrap();
    let baseline = baseline(scratch.path());
    let elsewhere = tempfile::tempdir().unwrap();
    let program = program(elsewhere.path());
    let with = |change: fn(&mut Value)| {
        lines((0..40).map(|n| {
            let mut order = sparse(order(n));
            change(&mut order);
            order
        }))
    };
    let run = |traces: &str, fail_on: &str| {
        let run = check(&program, &baseline, traces, &["--fail-on", fail_on]);
        (run.code.unwrap(), run)
    };
    // Two calls that fit raise nothing, and neither do many.
    for count in [2, 40] {
        let (code, told) = run(&lines((0..count).map(|n| sparse(order(n)))), "any");
        assert_eq!(code, 0, "{told:?}");
    }
    let retyped = with(|order| order["total"] = json!("1"));
    let (code, told) = run(&retyped, "breaking");
    assert!(code == 1 && told.out.contains("total"), "{told:?}");
    // One such call is enough.
    assert_eq!(run(retyped.lines().next().unwrap(), "breaking").0, 1);
    let (code, told) = run(&with(|order| drop(order.as_object_mut().unwrap().remove("id"))), "breaking");
    assert!(code == 1 && told.out.contains("required"), "{told:?}");
    // A missing format may break a consumer, and so may a missing field that was usual.
    let unformatted = with(|order| order["made"] = json!("yesterday"));
    assert_eq!((run(&unformatted, "breaking").0, run(&unformatted, "risky").0), (0, 1));
    let missing = with(|order| drop(order.as_object_mut().unwrap().remove("coupon")));
    let (code, told) = run(&missing, "risky");
    assert!(code == 1 && told.out.contains("coupon"), "{told:?}");
    assert_eq!(run(&missing, "breaking").0, 0);
    // An unknown tool is a difference and no more. Alone, it leaves the baseline unchecked.
    let new = json!({"tool_id": "api__new", "output": {}}).to_string();
    let beside = format!("{}\n{new}", lines([sparse(order(1))].into_iter()));
    assert_eq!((run(&beside, "risky").0, run(&beside, "any").0), (0, 1));
    let (code, told) = run(&new, "any");
    assert!(
        code == 2 && told.out.contains("api__new") && told.err.contains("nothing was checked"),
        "{told:?}"
    );
    assert!(!program.data_dir().join("journal").exists(), "no store is opened for traces");
}

#[test]
fn check_with_unreadable_input_fails_without_findings() {
    let scratch = tempfile::tempdir().unwrap();
    let baseline = baseline(scratch.path());
    let elsewhere = tempfile::tempdir().unwrap();
    let program = program(elsewhere.path());
    for (baseline, traces, words) in [
        ("no-such-file.json", "", "cannot read no-such-file.json"),
        (baseline.as_str(), "{\"tool_id\": \"api__order\"}", "line 1: has no \"output\""),
        (baseline.as_str(), "nonsense", "line 1"),
    ] {
        let run = check(&program, baseline, traces, &[]);
        assert!(run.code == Some(2) && run.out.is_empty() && run.err.contains(words), "{run:?}");
    }
    assert_eq!(check(&program, &baseline, "", &["--fail-on", "some"]).code, Some(2));
    let nothing = check(&program, &baseline, "", &[]);
    assert!(nothing.code == Some(2) && nothing.err.contains("nothing was checked"), "{nothing:?}");
}

#[test]
fn findings_are_printed_in_formats_for_pipelines() {
    let scratch = tempfile::tempdir().unwrap();
    let baseline = baseline(scratch.path());
    let elsewhere = tempfile::tempdir().unwrap();
    let program = program(elsewhere.path());
    let odd = "x\n::error::y]]></failure>\u{1b}[31m";
    let traces = lines((0..9).map(|n| {
        let mut order = sparse(order(n));
        order["total"] = json!("secret value");
        order[odd] = json!(1);
        order
    }));
    let run = |format: &str| {
        let run = check(&program, &baseline, &traces, &["--format", format]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert_eq!(
            check(&program, &baseline, &traces, &["--format", format]).out,
            run.out,
            "always in one order"
        );
        assert!(!run.out.contains("secret value") && !run.out.contains('\u{1b}'), "{run:?}");
        run.out
    };
    // The published schema has a bracket that is not escaped.
    let schema = include_str!("check/sarif-2.1.0.schema.json").replace("{2}]?$", "{2}\\\\]?$");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let sarif: Value = serde_json::from_str(&run("sarif")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> = validator.iter_errors(&sarif).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}\n{sarif}");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(
        results.iter().any(|one| one["ruleId"] == "violation.type" && one["level"] == "error"),
        "{sarif}"
    );

    let junit = run("junit");
    assert!(junit.contains("<testcase classname=\"schemascope\" name=\"api__order\""), "{junit}");
    assert!(!junit.contains("]]></failure>\n::") && junit.matches("</failure>").count() == 1, "{junit}");
    let github = run("github");
    assert!(
        github
            .lines()
            .all(|line| ["::error ", "::notice ", "::warning "].iter().any(|word| line.starts_with(word)))
    );
    let told: Value = serde_json::from_str(&run("json")).unwrap();
    assert_eq!((&told["tools_checked"], &told["observation_count"]), (&json!(1), &json!(9)));
    assert_eq!(told["findings"][0]["class"], "breaking");
    run("text");
}

/// What a break of a union says about its fields is said of those that differ alone: a field that is null in the few
/// calls of a check was "anything", and new fields of an object that a declared schema leaves open were new each time.
#[test]
fn fields_beside_a_change_are_not_reported() {
    let scratch = tempfile::tempdir().unwrap();
    let learning = program(scratch.path());
    let paid = |n: u64, weight: Value| {
        let (kind, field) = if n.is_multiple_of(2) { ("card", "last4") } else { ("voucher", "code") };
        let note = (!n.is_multiple_of(3)).then(|| json!({"by": "ann"}));
        json!({"kind": kind, field: format!("x{n}"), "note": note, "weight": weight})
    };
    let learned = lines((0..120).map(|n| paid(n, json!(n as f64 + 0.5))));
    assert_eq!(learning.run_with_input(&["backfill", "-"], &learned).unwrap().code, Some(0));
    let baseline = scratch.path().join("baseline.json");
    let baseline = baseline.to_str().unwrap();
    assert_eq!(learning.run(&["export", "bundle", "--out", baseline]).unwrap().code, Some(0));
    let elsewhere = tempfile::tempdir().unwrap();
    let run = check(
        &program(elsewhere.path()),
        baseline,
        &lines([0, 3].map(|n| paid(n, json!("7 kg"))).into_iter()),
        &[],
    );
    assert!(run.code == Some(1) && run.out.contains("weight"), "{run:?}");
    assert!(!run.out.contains("note"), "{run:?}");
}

/// What is recorded since the baseline was made, and calls made for the purpose.
#[test]
fn check_covers_recorded_and_live_calls() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    for _ in 0..12 {
        assert_eq!(program.run(&["call", "shop__store_info"]).unwrap().code, Some(0));
    }
    let path = scratch.path().join("baseline.json");
    let baseline = path.to_str().unwrap();
    assert_eq!(program.run(&["export", "bundle", "--out", baseline]).unwrap().code, Some(0));
    let nothing = program.run(&["check", "--baseline", baseline]).unwrap();
    assert!(nothing.code == Some(0) && nothing.err.contains("nothing was checked"), "{nothing:?}");
    let all = program.json(&["check", "--baseline", baseline, "--since", "2020-01-01"]).unwrap();
    assert_eq!((&all["observation_count"], &all["findings"]), (&json!(12), &json!([])), "{all}");
    let calls = scratch.path().join("calls.ndjson");
    fs::write(&calls, "{\"tool_id\": \"shop__store_info\"}\n").unwrap();
    let live = ["check", "--baseline", baseline, "--live", calls.to_str().unwrap()];
    let live = program.json(&live).unwrap();
    assert_eq!((&live["observation_count"], &live["findings"]), (&json!(1), &json!([])), "{live}");
}

/// Calls that fail are no proof that all is well.
#[test]
fn check_reports_failed_live_calls() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    for tool in ["shop__store_info", "shop__list_invoices"] {
        assert_eq!(program.run(&["call", tool]).unwrap().code, Some(0));
    }
    let (baseline, calls) = (scratch.path().join("baseline.json"), scratch.path().join("calls.ndjson"));
    let (baseline, live) = (baseline.to_str().unwrap(), calls.to_str().unwrap());
    assert_eq!(program.run(&["export", "bundle", "--out", baseline]).unwrap().code, Some(0));
    let run = |more: &[&str]| {
        program.run(&[&["check", "--baseline", baseline, "--live", live], more].concat()).unwrap()
    };
    let lost = "{\"tool_id\": \"shop__refund\", \"arguments\": {\"id\": \"o1\"}}\n";
    fs::write(&calls, format!("{{\"tool_id\": \"shop__store_info\"}}\n{lost}")).unwrap();
    assert_eq!(run(&[]).code, Some(0));
    let risky = run(&["--fail-on", "risky"]);
    assert!(risky.code == Some(1) && risky.out.contains("1 of 1 calls made for the check"), "{risky:?}");
    let junit = run(&["--fail-on", "risky", "--format", "junit"]).out;
    assert_eq!(junit.matches("name=\"shop__refund\"").count(), 1, "{junit}");
    assert!(junit.contains("name=\"shop__store_info\" time=\"0\"/>"), "{junit}");
    // A tool that the baseline has and the server does not list.
    let mut bundle: Value = serde_json::from_str(&fs::read_to_string(baseline).unwrap()).unwrap();
    bundle["tools"]["shop__gone"] = bundle["tools"]["shop__store_info"].clone();
    let before = fs::read(baseline).unwrap();
    fs::write(baseline, bundle.to_string()).unwrap();
    let gone = run(&[]);
    assert!(gone.code == Some(1) && gone.out.contains("no longer lists this tool"), "{gone:?}");
    fs::write(baseline, before).unwrap();
    fs::write(&calls, lost).unwrap();
    let nothing = run(&[]);
    assert!(nothing.code == Some(2) && nothing.err.contains("nothing was checked"), "{nothing:?}");
    // Regression: mistakes in the file were no findings, and the check passed.
    for (line, words) in [
        ("{\"tool_id\": \"shop__refnd\"}", "is not in the baseline"),
        ("{\"tool_id\": \"shp__refund\"}", "there is no server \"shp\""),
        ("{\"tool_id\": \"shop__store_info\", \"argumnets\": {}}", "argumnets"),
    ] {
        fs::write(&calls, format!("{{\"tool_id\": \"shop__store_info\"}}\n{line}\n")).unwrap();
        let wrong = run(&[]);
        assert!(wrong.code == Some(2) && wrong.err.contains(words), "{wrong:?}");
    }
}
