//! Machines of a team exchange what they learned and decided, through files.

use std::fs;
use std::path::{Path, PathBuf};

use schemascope_test_support::{Places, Program, Run, stdio, until};
use serde_json::{Map, Value, json};

/// In values, arguments and keys that are data; nowhere else.
pub(super) const WORD: &str = "PLANTED";

pub(super) fn machine(scratch: &Path, name: &str) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let scratch = scratch.join(name);
    fs::create_dir(&scratch).unwrap();
    Program::new(&places, &scratch, &Map::new()).unwrap().with_env("USER", "ann")
}

#[track_caller]
pub(super) fn done(run: &Run) -> &Run {
    assert_eq!(run.code, Some(0), "{run:?}");
    run
}

#[track_caller]
pub(super) fn refused(program: &Program, args: &[&str], words: &str) {
    let run = program.run(args).unwrap();
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.is_empty() && run.err.contains(words), "expected {words:?}: {run:?}");
}

/// Machines that share a key.
pub(super) fn team(scratch: &Path, names: &[&str]) -> Vec<Program> {
    let team: Vec<Program> = names.iter().map(|name| machine(scratch, name)).collect();
    let key = scratch.join("key.json");
    done(&team[0].run(&["export", "key", "--out", key.to_str().unwrap()]).unwrap());
    for other in &team[1..] {
        done(&other.run(&["import", "key", key.to_str().unwrap()]).unwrap());
    }
    team
}

fn line(n: u64) -> String {
    let letter = |at: u64| char::from(b'a' + (at % 26) as u8);
    json!({
        "tool_id": "shop__get_order",
        "at": format!("2026-11-20T12:{:02}:{:02}Z", n / 60, n % 60),
        "arguments": {"id": format!("{WORD} argument {n}")},
        "output": {
            "id": format!("{WORD}-{n}"),
            "state": format!("{WORD} {}", n % 2),
            "total": 7_700_000_000_u64 + n,
            "note": (n.is_multiple_of(3)).then(|| format!("{WORD} note")),
            "stock": {format!("{WORD}_12345{}", n % 20): {"count": n}},
            "by_name": {format!("{WORD}{}{}", letter(n), letter(n / 3)): n, format!("{WORD}{}", letter(n * 7)): 1},
        },
    })
    .to_string()
}

pub(super) fn learn(program: &Program, calls: std::ops::Range<u64>) {
    let lines: Vec<String> = calls.map(line).collect();
    done(&program.run_with_input(&["backfill", "-"], &lines.join("\n")).unwrap());
}

pub(super) fn bundle(program: &Program, more: &[&str]) -> (PathBuf, String) {
    let path = program.config().with_file_name("bundle.json");
    done(&program.run(&[&["export", "bundle", "--out", path.to_str().unwrap()], more].concat()).unwrap());
    let text = fs::read_to_string(&path).unwrap();
    (path, text)
}

pub(super) fn known(program: &Program) -> Value {
    let run = program.run(&["export", "registry", "--team"]).unwrap();
    serde_json::from_str(&done(&run).out).unwrap()
}

/// Base64 of a text at each of the three places it may begin at, without the letters that depend on neighbours.
fn in_base64(text: &str) -> Vec<String> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let shifted = |shift: usize| {
        let bytes: Vec<u8> = vec![0; shift].into_iter().chain(text.bytes()).collect();
        let bits: Vec<u8> =
            bytes.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1)).collect();
        let letters =
            bits.chunks_exact(6).map(|six| six.iter().fold(0, |sum, bit| sum << 1 | usize::from(*bit)));
        let letters: String = letters.map(|at| char::from(LETTERS[at])).collect();
        letters[(shift * 8).div_ceil(6)..].to_owned()
    };
    (0..3).map(shifted).collect()
}

#[test]
fn bundles_of_two_machines_equal_one_machine_with_all_calls() {
    let scratch = tempfile::tempdir().unwrap();
    let team = team(scratch.path(), &["a", "b", "c", "all"]);
    let [a, b, c, all] = team.as_slice() else { panic!() };
    learn(a, 0..40);
    learn(b, 40..100);
    learn(all, 0..100);
    for machine in [a, b] {
        let (path, text) = bundle(machine, &[]);
        assert!(!text.contains(WORD) && !text.contains("77000000"), "{text}");
        assert!(in_base64(WORD).iter().all(|hidden| !text.contains(hidden)));
        let key: Value = serde_json::from_slice(&fs::read(scratch.path().join("key.json")).unwrap()).unwrap();
        assert!(!text.contains(key["key"].as_str().unwrap()));
        assert_eq!(bundle(machine, &[]).1, text, "the same knowledge, the same bytes");
        done(&c.run(&["import", "bundle", path.to_str().unwrap()]).unwrap());
        // Again: nothing counts twice.
        let again = c.json(&["import", "bundle", path.to_str().unwrap()]).unwrap();
        assert_eq!(again["machines"][0]["what"], "unchanged", "{again}");
    }
    // As one machine tells it that shares no values either.
    let (path, _) = bundle(all, &[]);
    let other = machine(scratch.path(), "other");
    done(&other.run(&["import", "key", scratch.path().join("key.json").to_str().unwrap()]).unwrap());
    done(&other.run(&["import", "bundle", path.to_str().unwrap()]).unwrap());
    assert_eq!(known(c), known(&other));
    assert_eq!(known(c)["shop__get_order"]["observation_count"], 100);
    assert!(c.json(&["tools"]).unwrap().as_array().unwrap().is_empty(), "own calls stay apart");
    // A later bundle takes the place of the earlier one.
    learn(a, 100..110);
    let (later, _) = bundle(a, &[]);
    let told = c.json(&["import", "bundle", later.to_str().unwrap()]).unwrap();
    assert_eq!(told["machines"][0]["what"], "replaced", "{told}");
    assert_eq!(known(c)["shop__get_order"]["observation_count"], 110);
    // A bundle can be passed on, and its own machine learns nothing from it.
    let (passed, _) = bundle(c, &[]);
    let told = a.json(&["import", "bundle", passed.to_str().unwrap()]).unwrap();
    let what = |told: &Value, at: usize| told["machines"][at]["what"].as_str().unwrap().to_owned();
    let mut whats: Vec<String> = (0..3).map(|at| what(&told, at)).collect();
    whats.sort();
    assert_eq!(whats, ["added", "added", "own"], "{told}");
}

#[test]
fn bundles_with_values_equal_one_machine_with_all_calls() {
    let scratch = tempfile::tempdir().unwrap();
    let team = team(scratch.path(), &["a", "b", "all"]);
    let [a, b, all] = team.as_slice() else { panic!() };
    learn(a, 0..40);
    learn(b, 40..100);
    learn(all, 0..100);
    let (path, text) = bundle(a, &["--with-values"]);
    let told: Value = serde_json::from_str(&text).unwrap();
    assert!(text.contains(WORD) && told["values"] == true);
    done(&b.run(&["import", "bundle", path.to_str().unwrap()]).unwrap());
    assert_eq!(known(b), known(all));
    // What came with values goes on without, unless it is asked for.
    assert!(!bundle(b, &[]).1.contains(WORD));
}

#[test]
fn key_is_checked_before_a_bundle_is_counted() {
    let scratch = tempfile::tempdir().unwrap();
    let (a, b) = (machine(scratch.path(), "a"), machine(scratch.path(), "b"));
    learn(&a, 0..5);
    learn(&b, 0..5);
    let (path, _) = bundle(&a, &[]);
    refused(&b, &["import", "bundle", path.to_str().unwrap()], "another key");
    let key = scratch.path().join("key.json");
    done(&a.run(&["export", "key", "--out", key.to_str().unwrap()]).unwrap());
    refused(&b, &["import", "key", key.to_str().unwrap()], "new data directory");
    refused(&b, &["import", "key", path.to_str().unwrap()], "bundle.json");
    let again = a.run(&["import", "key", key.to_str().unwrap()]).unwrap();
    assert!(done(&again).out.contains("already"));
}

/// All schemas are written, whatever the tools are called, and read back; or none is.
#[test]
fn schemas_of_any_name_are_exported_whole_or_not_at_all() {
    let scratch = tempfile::tempdir().unwrap();
    let team = team(scratch.path(), &["a", "b"]);
    let [a, b] = team.as_slice() else { panic!() };
    let names = ["log".to_owned(), "x".repeat(300), "\u{4e2d}".repeat(29), "a/b \u{e9}".to_owned()];
    let lines =
        names.each_ref().map(|name| json!({"tool_id": format!("s__{name}"), "output": {"n": 1}}).to_string());
    done(&a.run_with_input(&["backfill", "-"], &lines.join("\n")).unwrap());
    let folder = scratch.path().join("schemas");
    let export = || a.run(&["export", "schemas", "--out", folder.to_str().unwrap()]).unwrap();
    done(&export());
    let listed =
        || fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> = listed().collect();
    files.sort();
    assert_eq!(files.len(), 4, "{files:?}");
    let told = b.json(&["import", "schemas", folder.to_str().unwrap()]).unwrap();
    let mut ids: Vec<&str> =
        told["tools"].as_array().unwrap().iter().filter_map(|tool| tool["tool_id"].as_str()).collect();
    let mut expected = names.each_ref().map(|name| format!("s__{name}"));
    ids.sort_unstable();
    expected.sort_unstable();
    assert_eq!(ids, expected);
    // The same names again, and nothing is left behind if one cannot be written.
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir_all(folder.join(&files[2])).unwrap();
    let run = export();
    assert!(run.code == Some(1) && listed().count() == 1, "{run:?}");
}

#[test]
fn exports_in_other_formats_are_imported_again() {
    const TOOL: &str = "shop__get_order";
    let scratch = tempfile::tempdir().unwrap();
    let (a, b) = (machine(scratch.path(), "a"), machine(scratch.path(), "b"));
    learn(&a, 0..40);
    let registry: Value = serde_json::from_str(&a.run(&["export", "registry"]).unwrap().out).unwrap();
    let row = &registry[TOOL];
    assert_eq!((&row["source"], &row["quality"]), (&json!("inferred"), &json!("medium")));
    assert_eq!((&row["output_schema"], &row["inferred_schema"]["type"]), (&Value::Null, &json!("object")));
    assert_eq!(row["inferred_fields"]["stock"], "Dict[str, Dict[str, Any]]", "{row}");
    assert_eq!(
        (&row["inferred_fields"]["note"], &row["field_consistency"]["id"]),
        (&json!("Optional[str]"), &json!(1.0))
    );
    let file = |name: &str, text: &str| {
        let path = scratch.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let path = file("type_registry.json", &registry.to_string());
    let told = b.json(&["import", "registry", &path]).unwrap();
    assert_eq!((&told["tools"][0]["cut"], &told["tools"][0]["put_in_force"]), (&json!(true), &json!(false)));
    assert_eq!(b.json(&["import", "registry", &path]).unwrap()["tools"][0]["cut"], false);

    let folder = scratch.path().join("schemas");
    let folder = folder.to_str().unwrap();
    done(&a.run(&["export", "schemas", "--out", folder, "--tool", "shop__*"]).unwrap());
    let told = b.json(&["import", "schemas", folder]).unwrap();
    assert_eq!(told["tools"][0]["cut"], false, "it is the one of the registry: {told}");

    done(&a.run(&["promote", TOOL, "--reason", "test"]).unwrap());
    let overrides = a.run(&["export", "overrides"]).unwrap().out;
    let path = file("tool_overrides.json", &overrides);
    let told = b.json(&["import", "overrides", &path]).unwrap();
    assert_eq!(
        (&told["tools"][0]["version"], &told["tools"][0]["put_in_force"]),
        (&json!(1), &json!(false)),
        "{told}"
    );

    for (form, text, words) in [
        ("registry", "{\n \"a\": }", "line 2 column 7"),
        ("registry", "{\"a\": {}}", "line 1 column 7"),
        ("overrides", "{\"schemaVersion\": 7}", "schemaVersion"),
        ("bundle", "[]", "wrong.json"),
        ("schemas", "{}", "named after its tool"),
    ] {
        let path = file("wrong.json", text);
        refused(&b, &["import", form, &path], words);
    }
    refused(&a, &["export", "schemas", "--tool", "shop__get_ordre"], "did you mean shop__get_order?");
    assert_eq!(a.run(&["export", "registry", "--with-values"]).unwrap().code, Some(2));
}

#[test]
fn followed_registry_stays_current() {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let file = scratch.path().join("type_registry.json");
    let path = file.to_str().unwrap();
    refused(&program, &["export", "registry", "--follow", path], "needs a running Schemascope");
    let serve = program.serve(&[]).unwrap();
    assert_eq!(program.run(&["export", "bundle", "--follow", path]).unwrap().code, Some(2));
    let mut follower = program.command(&["export", "registry", "--follow", path, "--quiet"]).spawn().unwrap();
    let count = || {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let registry: Value = serde_json::from_str(&text).unwrap_or_default();
        registry["shop__get_order"]["observation_count"].as_u64()
    };
    for n in 1..=2 {
        done(&program.run(&["call", "shop__get_order", "{\"id\": \"1\"}"]).unwrap());
        until("the file", || count() == Some(n));
    }
    follower.kill().unwrap();
    follower.wait().unwrap();
    drop(serve);
}

/// A session that lists orders, and gets one of them.
fn session(n: u64) -> String {
    let (name, at, id) = (format!("session-{n}"), n * 60, format!("ord_{}", 880_000 + n));
    let time = |second: u64| {
        let all = at + second;
        format!("2026-11-20T{:02}:{:02}:{:02}Z", all / 3600, all / 60 % 60, all % 60)
    };
    let call = |tool: &str, second: u64, arguments: Value, structured: Value| {
        json!({
            "tool_id": format!("shop__{tool}"), "session": name, "at": time(second), "arguments": arguments,
            "output": structured,
        })
    };
    let listed = json!({"orders": [{"id": id}, {"id": format!("ord_{}", 990_000 + n)}], "page": 1});
    let order = json!({"id": id, "state": "open", "total": 12});
    format!(
        "{}\n{}",
        call("list_orders", 1, json!({"page": 1}), listed),
        call("get_order", 3, json!({"id": id}), order)
    )
}

fn flow(program: &Program, sessions: std::ops::Range<u64>) {
    let lines: Vec<String> = sessions.map(session).collect();
    done(&program.run_with_input(&["backfill", "-"], &lines.join("\n")).unwrap());
}

#[test]
fn edges_of_two_machines_equal_one_that_saw_both() {
    let scratch = tempfile::tempdir().unwrap();
    let team = team(scratch.path(), &["a", "b", "all"]);
    let [a, b, all] = team.as_slice() else { panic!() };
    flow(a, 0..8);
    flow(b, 8..20);
    flow(all, 0..20);
    let of_team = |program: &Program| program.json(&["edges", "--team", "--min", "0"]).unwrap();
    let flows = |edges: &Value| {
        let edges = edges.as_array().unwrap();
        let edge =
            edges.iter().find(|edge| edge["from"] == "shop__list_orders" && edge["to"] == "shop__get_order");
        edge.map(|edge| edge["evidence"]["flows"].as_u64().unwrap())
    };
    assert_eq!((flows(&of_team(a)), flows(&of_team(b))), (Some(8), Some(12)));

    let (path, text) = bundle(a, &[]);
    assert!(!text.contains("880003") && text.contains("orders[].id"), "paths and no values: {text}");
    done(&b.run(&["import", "bundle", path.to_str().unwrap()]).unwrap());
    assert_eq!(of_team(b), all.json(&["edges", "--min", "0"]).unwrap());
    assert_eq!(flows(&b.json(&["edges"]).unwrap()), Some(12), "own edges stay apart");
    // A later bundle takes the place of the earlier one, also if the calls themselves were read here.
    let calls = a.run(&["calls", "--json"]).unwrap().out;
    done(&b.run_with_input(&["backfill", "-"], &calls).unwrap());
    assert_eq!(flows(&b.json(&["edges"]).unwrap()), Some(20));
    assert_eq!(flows(&of_team(b)), Some(20), "nothing counts twice");

    // What cannot be true is set aside, also with a signature.
    let edited = scratch.path().join("edited.json");
    for (place, value) in [("calls", json!(9_999)), ("flows", json!(1_u64 << 60)), ("version", json!(7))] {
        let mut bundle: Value = serde_json::from_str(&text).unwrap();
        bundle.as_object_mut().unwrap().shift_remove("signature");
        let node = bundle["nodes"].as_object().unwrap().keys().next().unwrap().clone();
        bundle["nodes"][&node]["tools"]["shop__get_order"]["edges"][place] = value;
        fs::write(&edited, bundle.to_string()).unwrap();
        let fresh = machine(scratch.path(), &format!("fresh-{place}"));
        done(&fresh.run(&["import", "key", scratch.path().join("key.json").to_str().unwrap()]).unwrap());
        let told = fresh.json(&["import", "bundle", edited.to_str().unwrap(), "--unsigned"]).unwrap();
        assert!(told.to_string().contains("evidence of edges") || place == "version", "{told}");
        assert_eq!(flows(&of_team(&fresh)), None, "{place}: {told}");
    }
}
