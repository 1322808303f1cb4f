//! Laws that apply to every file and every edit.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use schemascope_model::ToolId;
use schemascope_overrides::{Document, Reconciliation, ToolFacts, populate, reconcile};
use serde_json::{Value, json};

/// A file with comments, unknown keys, trailing commas, and entries that edits must not touch.
const FILE: &str = r#"// Ours, by hand
{
    "$schema": "./overrides.schema.json",   // for the editor
    "schemaVersion": 2,
    /* defaults */ "master": {"tools": {"*": {"annotations": {"readOnlyHint": true}, "later": [1,  2.50]}}},
    "servers": {
        "shop": {
            "metadata": {"description": "the shop"},
            "tools": {
                // never show this
                "refund": {"enabled": false, },
                "get_order": {
                    "description": "One order", // shorter
                    "outputSchema": {"type": "object",
                        "x": 1E5}
                },
            }
        }
    }
}
"#;

fn id(tool: &str) -> ToolId {
    tool.parse().unwrap()
}

fn document(text: &str) -> Document {
    Document::parse(text.to_owned()).unwrap()
}

/// Reconciles with effective schemas of tools that exist and declare nothing.
fn run(agreed: &Document, now: Document, held: &BTreeMap<ToolId, Value>) -> Reconciliation {
    let known = |tool: &ToolId| ToolFacts {
        exists: true,
        effective: held.get(tool).cloned(),
        declared: Some([None, None]),
    };
    reconcile(agreed.overrides(), &BTreeSet::new(), now, held.keys().cloned(), known).unwrap()
}

fn schema() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({"type": "object"})),
        Just(
            json!({"type": "object", "properties": {"id": {"type": "string", "description": "a \"b\"\n/* c */"}}})
        ),
        any::<i64>().prop_map(|n| json!({"const": n, "enum": [n, {}]})),
    ]
}

fn tool() -> impl Strategy<Value = ToolId> {
    prop_oneof![
        Just(id("shop__get_order")),
        Just(id("shop__refund")),
        "[a-c]".prop_map(|name| id(&format!("shop__{name}"))),
        "[x-z]".prop_map(|server| id(&format!("{server}__t"))),
    ]
}

/// Parts of [`FILE`] outside of output schemas that are missing in a text: there must be none.
fn missing_parts(text: &str) -> Vec<String> {
    [
        "// Ours, by hand\n{\n    \"$schema\": \"./overrides.schema.json\",   // for the editor\n    \"schemaVersion\": 2,\n    /* defaults */ \"master\": {\"tools\": {\"*\": {\"annotations\": {\"readOnlyHint\": true}, \"later\": [1,  2.50]}}},\n",
        "\"metadata\": {\"description\": \"the shop\"},\n            \"tools\": {\n                // never show this\n                \"refund\": {\"enabled\": false,",
        "\"description\": \"One order\"",
        "// shorter",
    ]
    .into_iter()
    .filter(|part| !text.contains(part))
    .map(str::to_owned)
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// After any decisions, the file contains exactly them, everything else stays, and reconciling again changes nothing.
    #[test]
    fn decisions_change_only_output_schemas(
        steps in prop::collection::vec((tool(), prop::option::of(schema())), 1..8)
    ) {
        let start = document(FILE);
        let mut held = BTreeMap::from([(id("shop__get_order"), json!({"type": "object", "x": 1E5}))]);
        let mut now = start.clone();
        for (tool, schema) in steps {
            match schema {
                Some(schema) => held.insert(tool, schema),
                None => held.remove(&tool),
            };
            let agreed = now.clone();
            let done = run(&agreed, now, &held);
            prop_assert!(done.decisions.is_empty());
            now = done.document;
            prop_assert_eq!(missing_parts(now.text()), Vec::<String>::new(), "{}", now.text());
            let mut in_file = BTreeMap::new();
            for (server, overrides) in &now.overrides().servers {
                for (tool, entry) in overrides.tools.iter().filter(|(_, entry)| entry.output_schema.is_some()) {
                    in_file.insert(ToolId::new(server, tool).unwrap(), entry.output_schema.clone().unwrap());
                }
            }
            prop_assert_eq!(&in_file, &held);
            let again = run(&now, now.clone(), &held);
            prop_assert_eq!(again.document.text(), now.text());
        }
        // And back: only the entries that were added are gone.
        let back = BTreeMap::from([(id("shop__get_order"), json!({"type": "object", "x": 1E5}))]);
        let done = run(&now, now.clone(), &back);
        let (mut was, mut is) = (start.overrides().clone(), done.document.overrides().clone());
        was.servers.get_mut("shop").unwrap().tools.retain(|_, entry| *entry != Default::default());
        is.servers.get_mut("shop").unwrap().tools.retain(|_, entry| *entry != Default::default());
        prop_assert_eq!(was, is);
    }

    /// Adding an entry and removing it again restores the file.
    #[test]
    fn removing_an_added_entry_restores_the_text(schema in schema(), tool in "[a-c]".prop_map(|name| id(&format!("shop__{name}")))) {
        let start = document(FILE);
        let mut held = BTreeMap::from([(id("shop__get_order"), json!({"type": "object", "x": 1E5}))]);
        held.insert(tool.clone(), schema);
        let with = run(&start, start.clone(), &held).document;
        held.remove(&tool);
        let without = run(&with, with.clone(), &held).document;
        prop_assert_eq!(without.text(), FILE);
    }

    /// An edit by hand becomes a decision, once, whatever schema was effective.
    #[test]
    fn edit_by_hand_becomes_one_decision(schema in prop::option::of(schema()), was in prop::option::of(schema())) {
        let tool = id("shop__a");
        let with = |schema: &Option<Value>| {
            let entry = schema.as_ref().map_or(json!({}), |schema| json!({"outputSchema": schema}));
            document(&json!({"servers": {"shop": {"tools": {"a": entry}}}}).to_string())
        };
        let held: BTreeMap<_, _> = was.clone().map(|was| (tool.clone(), was)).into_iter().collect();
        let done = run(&with(&was), with(&schema), &held);
        let decided: Vec<_> = done.decisions.iter().map(|one| one.schema.clone()).collect();
        prop_assert_eq!(decided, if was == schema { vec![] } else { vec![schema.clone()] });
        let held: BTreeMap<_, _> = schema.clone().map(|schema| (tool, schema)).into_iter().collect();
        // Also after a crash before the agreed state was saved.
        prop_assert!(run(&with(&was), done.document, &held).decisions.is_empty());
    }

    #[test]
    fn parse_survives_any_text(text in ".{0,60}", at in 0..FILE.len(), odd in "[{}\\[\\],:\"/* \n0-9a-z]{0,3}") {
        let _ = Document::parse(text);
        let mut broken = FILE.to_owned();
        broken.insert_str(at, &odd);
        if let Ok(read) = Document::parse(broken) {
            let held = BTreeMap::from([(id("shop__new"), json!({}))]);
            let _ = run(&read.clone(), read, &held);
        }
    }
}

fn declared(tool: &str, input: Value, output: Option<Value>) -> (ToolId, [Option<Value>; 2]) {
    (id(tool), [Some(input), output])
}

#[test]
fn populate_fills_gaps_once_and_they_follow_the_upstream() {
    let (input, output) = (json!({"type": "object", "a": 1}), json!({"type": "object", "b": 1}));
    let tools = || {
        [
            declared("shop__get_order", input.clone(), Some(output.clone())),
            declared("new__tool", input.clone(), None),
        ]
    };
    let (filled, what) = populate(document(FILE), tools()).unwrap();
    assert_eq!(what.len(), 2);
    assert_eq!(missing_parts(filled.text()), Vec::<String>::new());
    let entry = filled.overrides().entry("shop", "get_order").unwrap();
    assert_eq!(entry.output_schema, Some(json!({"type": "object", "x": 1E5})), "the existing schema stays");
    assert_eq!(entry.follows.len(), 1);
    assert_eq!(
        filled.overrides().presented(&id("new__tool")).input_schema,
        None,
        "a following schema overrides nothing"
    );
    let (again, what) = populate(filled.clone(), tools()).unwrap();
    assert_eq!((again.text(), what.len()), (filled.text(), 0));

    // The upstream changes its schema; a schema edited by hand stays.
    let other = json!({"type": "object", "a": 2});
    let known = |held: Option<Value>| {
        let other = other.clone();
        move |tool: &ToolId| ToolFacts {
            exists: true,
            effective: held.clone().filter(|_| *tool == id("shop__get_order")),
            declared: Some([Some(other.clone()), None]),
        }
    };
    let held = json!({"type": "object", "x": 1E5});
    let follow = |agreed: &Document, now: Document| {
        reconcile(agreed.overrides(), &BTreeSet::new(), now, [], known(Some(held.clone()))).unwrap()
    };
    let followed = follow(&filled, filled.clone()).document;
    assert_eq!(followed.overrides().entry("new", "tool").unwrap().input_schema.as_ref(), Some(&other));
    let by_hand = followed.text().replacen("\"a\": 2", "\"a\": 3", 2);
    let done = follow(&followed, document(&by_hand));
    let entry = done.document.overrides().entry("new", "tool").unwrap();
    assert!(
        entry.follows.is_empty() && !done.document.text().contains("followsUpstream"),
        "the mark is removed"
    );
    assert_eq!(entry.input_schema, Some(json!({"type": "object", "a": 3})));
    assert!(done.decisions.is_empty());
}

#[test]
fn entry_of_unknown_tool_waits_until_tool_exists() {
    let agreed = Document::parse(String::new()).unwrap();
    let file = document(r#"{"servers": {"s": {"tools": {"t": {"outputSchema": {"type": "object"}}}}}}"#);
    let known = |exists: bool| move |_: &ToolId| ToolFacts { exists, ..ToolFacts::default() };
    let done = reconcile(agreed.overrides(), &BTreeSet::new(), file.clone(), [], known(false)).unwrap();
    assert!(done.decisions.is_empty() && done.pending.contains(&id("s__t")));
    assert_eq!(done.document.text(), file.text());
    let then = reconcile(file.overrides(), &done.pending, file.clone(), [], known(true)).unwrap();
    assert_eq!(then.decisions.len(), 1);
    assert!(then.pending.is_empty());
}

#[test]
fn entry_that_repeats_the_upstream_is_marked_and_decides_nothing() {
    let agreed = Document::parse(String::new()).unwrap();
    let schema = json!({"type": "object"});
    let file = document(&json!({"servers": {"s": {"tools": {"t": {"outputSchema": schema}}}}}).to_string());
    let known = |_: &ToolId| ToolFacts {
        exists: true,
        effective: None,
        declared: Some([None, Some(schema.clone())]),
    };
    let done = reconcile(agreed.overrides(), &BTreeSet::new(), file, [], known).unwrap();
    assert!(
        done.decisions.is_empty() && done.document.text().contains(r#""followsUpstream": ["outputSchema"]"#)
    );
    // Removing the mark makes the schema an override.
    let unmarked =
        document(&json!({"servers": {"s": {"tools": {"t": {"outputSchema": schema}}}}}).to_string());
    let then = reconcile(done.document.overrides(), &BTreeSet::new(), unmarked, [], known).unwrap();
    assert_eq!(then.decisions[0].schema, Some(schema.clone()));
}

#[test]
fn parse_reports_problems_with_their_place() {
    for (text, words) in [
        ("{\n  \"servers\": {", "line 2"),
        ("{\"servers\": []}", "servers must be an object"),
        (
            "{\n\"servers\": {\"s\": {\"tools\": {\"t\": {\"enabled\": \"no\"}}}}}",
            "line 2: servers.s.tools.t.enabled must be true or false",
        ),
        ("{\"servers\": {\"s\": {\"tools\": {\"t\": {\"outputSchema\": 1}}}}}", "must be a JSON Schema"),
        ("{\"servers\": {}, \"servers\": {}}", "servers is duplicated"),
        ("{\"schemaVersion\": 3}", "schemaVersion 3 is not supported"),
        ("{'servers': {}}", "line 1, column 2"),
        ("[]", "the file must be an object"),
    ] {
        let problem = Document::parse(text.to_owned()).unwrap_err().to_string();
        assert!(problem.contains(words), "{text}: {problem}");
    }
    let wild = document(r#"{"master": {"tools": {"*": {"name": "x"}}}, "servers": {"a__b": {}}}"#);
    assert_eq!(wild.problems().len(), 2);
}

/// The TypeScript SDK rejects a whole list of tools for one of these.
#[test]
fn what_clients_would_reject_is_ignored_with_a_problem() {
    let odd = document(
        r#"{"servers": {"s": {"tools": {
            "a": {"inputSchema": {"type": "string"}, "description": "kept"},
            "b": {"inputSchema": {}},
            "c": {"annotations": {"readOnlyHint": "yes", "title": 7, "openWorldHint": false, "x": 1}},
            "d": {"inputSchema": {"type": "object"}, "annotations": {"title": "T"}}}}}}"#,
    );
    let problems: Vec<String> = odd.problems().iter().map(ToString::to_string).collect();
    let expected = [
        r#"servers.s.tools.a.inputSchema is ignored: its type has to be "object", and it is "string""#,
        r#"servers.s.tools.b.inputSchema is ignored: its type has to be "object", and it has none"#,
        "line 4: servers.s.tools.c.annotations.readOnlyHint must be true or false",
        "line 4: servers.s.tools.c.annotations.title must be text",
    ];
    assert_eq!(problems, expected);
    let tools = &odd.overrides().servers["s"].tools;
    assert!(tools["a"].input_schema.is_none() && tools["a"].description.is_some());
    assert_eq!(tools["c"].annotations.as_ref().unwrap().len(), 2);
    assert!(tools["d"].input_schema.is_some());
}

#[test]
fn byte_order_mark_is_kept() {
    let marked = document("\u{feff}{\"servers\": {}}");
    let held = BTreeMap::from([(id("s__t"), json!({}))]);
    assert!(run(&marked, marked.clone(), &held).document.text().starts_with("\u{feff}{"));
}
