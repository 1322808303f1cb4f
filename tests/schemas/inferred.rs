//! Schemas in the terminal: explained, compared, and inferred from some of a tool's calls.

use std::fs;

use schemascope_test_support::{Places, Program, stdio};
use serde_json::{Map, Value, json};

fn program(scratch: &tempfile::TempDir) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
    Program::new(&places, scratch.path(), &servers).unwrap()
}

#[test]
fn infer_explains_each_decision_with_its_numbers() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let documents = (0..40).map(|n| format!("{{\"id\":{n},\"state\":\"{}\"}}\n", ["on", "off"][n % 2]));
    let documents: String = documents.collect();
    let run = program.run_with_input(&["infer", "--explain"], &documents).unwrap();
    let lines: Vec<Vec<&str>> = run
        .out
        .lines()
        .map(|line| line.split("  ").map(str::trim).filter(|part| !part.is_empty()).collect())
        .collect();
    assert_eq!(lines[0], ["path", "decision", "because"]);
    assert!(
        lines.contains(&vec!["state", "enum of 2", "2 distinct values in 40, none seen only once"]),
        "{lines:?}"
    );
    assert!(lines.contains(&vec!["id", "required", "present in 40 of 40 objects"]), "{lines:?}");
    let run = program.run_with_input(&["infer", "--explain", "--json"], &documents).unwrap();
    let decisions: Vec<Value> = serde_json::from_str(&run.out).unwrap();
    assert!(
        decisions.iter().any(|one| one["path"] == "" && one["decision"] == "closed object"),
        "{decisions:?}"
    );
    // Who names a number means it.
    let run = program.run_with_input(&["infer", "--required-after", "41"], &documents).unwrap();
    assert!(!run.out.contains("required"), "{}", run.out);
}

/// Documents are counted on all processors; the result is that of one.
#[test]
fn infer_gives_the_same_schema_for_any_number_of_threads() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let file = scratch.path().join("many.ndjson");
    let document = |n: usize| json!({"n": n, "text": "x".repeat(n % 400), "at": "2026-11-21", "k": {format!("id-{n:05}"): n}});
    let lines: Vec<String> = (0..20_000).map(|n| document(n).to_string()).collect();
    fs::write(&file, lines.join("\n")).unwrap();
    let learned = program.json(&["infer", file.to_str().unwrap()]).unwrap();
    let mut shape = schemascope_shape::Shape::new();
    lines.iter().for_each(|line| shape.observe(line.as_bytes()).unwrap());
    assert_eq!(learned, shape.schema(&schemascope_shape::Policy::default()));
}

#[test]
fn diff_names_the_sides_that_a_change_breaks() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let write = |name: &str, schema: Value| {
        let path = scratch.path().join(name);
        fs::write(&path, schema.to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let old =
        write("old.json", json!({"type": "object", "properties": {"a": {"enum": ["x"]}}, "required": ["a"]}));
    let new = write(
        "new.json",
        json!({"type": "object", "properties": {"a": {"enum": ["x", "y"]}}, "required": ["a"]}),
    );
    let run = program.run(&["diff", &old, &new]).unwrap();
    assert!(run.code == Some(0) && run.out.contains("breaking") && run.out.contains("safe"), "{run:?}");
    assert!(run.out.contains("can now also be \"y\""), "{run:?}");
    let comparison = program.json(&["diff", &new, &old]).unwrap();
    assert_eq!((&comparison["output"], &comparison["input"]), (&json!("safe"), &json!("breaking")));
    let run = program.run(&["diff", &old, &old]).unwrap();
    assert!(run.out.is_empty() && run.err.contains("the schemas are equivalent"), "{run:?}");
    let broken = scratch.path().join("broken.json");
    fs::write(&broken, "{").unwrap();
    let run = program.run(&["diff", &old, broken.to_str().unwrap()]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("broken.json is not JSON"), "{run:?}");
}

/// The shape per argument value comes from replaying the calls that had it.
#[test]
fn schema_is_inferred_from_calls_with_one_argument_value() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let trace = scratch.path().join("trace.ndjson");
    let lines = (0..40).map(|n| {
        let (format, output) = if n % 2 == 0 { ("text", json!("plain")) } else { ("json", json!({"rows": [n]})) };
        json!({"tool_id": "api__export", "arguments": {"options": {"format": format}, "page": n}, "output": output}).to_string()
    });
    fs::write(&trace, lines.collect::<Vec<_>>().join("\n")).unwrap();
    assert_eq!(program.run(&["backfill", trace.to_str().unwrap()]).unwrap().code, Some(0));
    let schema = program.json(&["schema", "api__export", "--where", "options.format=text"]).unwrap();
    assert_eq!(schema["type"], "string");
    let run = program.run(&["schema", "api__export", "--where", "options.format=\"json\""]).unwrap();
    assert!(run.out.contains("\"rows\"") && run.err.contains("20 results in the latest 40 calls"), "{run:?}");
    let run = program.run(&["schema", "api__export", "--where", "options.format=xml"]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("none of the latest 40 calls"), "{run:?}");
}

#[test]
fn structure_in_text_is_learned_and_other_text_is_named() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let trace = scratch.path().join("trace.ndjson");
    let forms = [
        ("rows", "[{'id': 1, 'name': None}]"),
        ("config", "name: demo\nitems:\n- 1\n- 2"),
        ("pairs", "Name: Argo\nYear: 1\nPort: x"),
        ("doc", "# Title\n\nSome **text**."),
        ("status", "On branch main"),
    ];
    let line =
        |(tool, text): (&str, &str)| json!({"tool_id": format!("api__{tool}"), "output": text}).to_string();
    let lines: Vec<String> = forms.iter().cycle().take(60).map(|form| line(*form)).collect();
    fs::write(&trace, lines.join("\n")).unwrap();
    assert_eq!(program.run(&["backfill", trace.to_str().unwrap()]).unwrap().code, Some(0));
    let tools = program.json(&["tools"]).unwrap();
    for (tool, source, form) in [
        ("rows", "inferred", None),
        ("config", "inferred", None),
        ("pairs", "inferred", None),
        ("doc", "unknown", Some("markdown")),
        ("status", "unknown", Some("plain")),
    ] {
        let id = format!("api__{tool}");
        let row = tools.as_array().unwrap().iter().find(|row| row["tool_id"] == id).unwrap();
        assert_eq!((row["source"].as_str(), row["form"].as_str()), (Some(source), form), "{row}");
        assert_eq!(row["never_called"], false);
    }
    assert_eq!(program.json(&["schema", "api__rows"]).unwrap()["type"], "array");
    let report = program.json(&["report"]).unwrap();
    assert_eq!((&report["standings"]["text"], &report["never_called"]), (&json!(2), &json!(0)));
    let registry = scratch.path().join("registry.json");
    let run = program.run(&["export", "registry", "--out", registry.to_str().unwrap()]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    let registry: Value = serde_json::from_str(&fs::read_to_string(&registry).unwrap()).unwrap();
    assert_eq!(
        (&registry["api__doc"]["form"], &registry["api__doc"]["output_schema"]),
        (&json!("markdown"), &Value::Null)
    );
}

/// What an upstream declares may be a trap: it is called, recorded and looked at like any other.
#[test]
fn hostile_schemas_do_no_harm() {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("traps".to_owned(), stdio(places.fixture("traps"), &[]))]);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let serve = program.serve(&[]).unwrap();
    let direct = serve.connect(Some("traps")).unwrap();
    let list = direct.request("tools/list", "{}").unwrap().result().unwrap();
    let names: Vec<&str> =
        list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let all = serve.connect(None).unwrap();
    all.request("tools/list", "{}").unwrap().result().unwrap();
    for name in &names {
        let result = direct.call(name, &json!({})).unwrap().result().unwrap();
        assert!(result["structuredContent"].is_object(), "{name}");
        let result = all.call(&format!("traps__{name}"), &json!({})).unwrap().result().unwrap();
        assert!(result["structuredContent"].is_object(), "{name}");
    }
    let tools = program.json(&["tools"]).unwrap();
    for name in &names {
        let id = format!("traps__{name}");
        let row = tools.as_array().unwrap().iter().find(|row| row["tool_id"] == *id).unwrap();
        assert_eq!((&row["observation_count"], &row["source"]), (&json!(2), &json!("hybrid")), "{name}");
        let schema = program.json(&["schema", &id]).unwrap();
        let file = scratch.path().join(name);
        fs::write(&file, schema.to_string()).unwrap();
        let [same, other] = [name, names[0]].map(|name| scratch.path().join(name));
        for other in [same, other] {
            let run = program.run(&["diff", file.to_str().unwrap(), other.to_str().unwrap()]).unwrap();
            assert_eq!(run.code, Some(0), "{name}: {run:?}");
        }
    }
    let recorder = &program.json(&["report"]).unwrap()["recorder"];
    assert_eq!(recorder["recorded"], json!(2 * names.len()));
    // Judged by are three of nine: the one with many levels, the one with many values, the one with a pattern.
    assert_eq!(recorder["not_judged"], json!(2 * (names.len() - 3)), "{recorder}");
}
