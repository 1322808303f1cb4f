//! What holds of every file and every edit.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use schemascope_model::ToolId;
use schemascope_overrides::{Document, Known, Reconciled, populate, reconcile};
use serde_json::{Value, json};

/// Comments, unknown keys, trailing commas, and tools that are not ours to touch.
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

/// Reconciles with what is in force, of tools that exist and declare nothing.
fn run(agreed: &Document, now: Document, held: &BTreeMap<ToolId, Value>) -> Reconciled {
    let known =
        |tool: &ToolId| Known { exists: true, held: held.get(tool).cloned(), declared: Some([None, None]) };
    reconcile(agreed.says(), &BTreeSet::new(), now, held.keys().cloned(), known).unwrap()
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

/// What is not an output schema, without white space and separators: nothing of it may change.
fn untouched(text: &str) -> Vec<String> {
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

    /// Whatever is decided, the file says exactly that, everything else of it stays, and the next look finds nothing
    /// to do.
    #[test]
    fn decisions_change_output_schemas_and_nothing_else(
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
            prop_assert_eq!(untouched(now.text()), Vec::<String>::new(), "{}", now.text());
            let mut said = BTreeMap::new();
            for (server, says) in &now.says().servers {
                for (tool, entry) in says.tools.iter().filter(|(_, entry)| entry.output_schema.is_some()) {
                    said.insert(ToolId::new(server, tool).unwrap(), entry.output_schema.clone().unwrap());
                }
            }
            prop_assert_eq!(&said, &held);
            let again = run(&now, now.clone(), &held);
            prop_assert_eq!(again.document.text(), now.text());
        }
        // And back: only what was ours is gone.
        let back = BTreeMap::from([(id("shop__get_order"), json!({"type": "object", "x": 1E5}))]);
        let done = run(&now, now.clone(), &back);
        let (mut was, mut is) = (start.says().clone(), done.document.says().clone());
        was.servers.get_mut("shop").unwrap().tools.retain(|_, entry| *entry != Default::default());
        is.servers.get_mut("shop").unwrap().tools.retain(|_, entry| *entry != Default::default());
        prop_assert_eq!(was, is);
    }

    /// One entry more and gone again is as if nothing had been.
    #[test]
    fn what_comes_and_goes_leaves_nothing(schema in schema(), tool in "[a-c]".prop_map(|name| id(&format!("shop__{name}")))) {
        let start = document(FILE);
        let mut held = BTreeMap::from([(id("shop__get_order"), json!({"type": "object", "x": 1E5}))]);
        held.insert(tool.clone(), schema);
        let with = run(&start, start.clone(), &held).document;
        held.remove(&tool);
        let without = run(&with, with.clone(), &held).document;
        prop_assert_eq!(without.text(), FILE);
    }

    /// An edit by hand is decided, once, whatever was in force.
    #[test]
    fn the_file_decides_where_it_was_edited(schema in prop::option::of(schema()), was in prop::option::of(schema())) {
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
        // The same after a crash that kept the agreement from being noted.
        prop_assert!(run(&with(&was), done.document, &held).decisions.is_empty());
    }

    /// Any text is read or refused.
    #[test]
    fn no_text_is_too_odd(text in ".{0,60}", at in 0..FILE.len(), odd in "[{}\\[\\],:\"/* \n0-9a-z]{0,3}") {
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
fn gaps_are_filled_once_and_follow_their_upstream() {
    let (input, output) = (json!({"type": "object", "a": 1}), json!({"type": "object", "b": 1}));
    let tools = || {
        [
            declared("shop__get_order", input.clone(), Some(output.clone())),
            declared("new__tool", input.clone(), None),
        ]
    };
    let (filled, what) = populate(document(FILE), tools()).unwrap();
    assert_eq!(what.len(), 2);
    assert_eq!(untouched(filled.text()), Vec::<String>::new());
    let entry = filled.says().entry("shop", "get_order").unwrap();
    assert_eq!(entry.output_schema, Some(json!({"type": "object", "x": 1E5})), "what is there stays");
    assert_eq!(entry.follows.len(), 1);
    assert_eq!(filled.says().presented(&id("new__tool")).input_schema, None, "it overrides nothing");
    let (again, what) = populate(filled.clone(), tools()).unwrap();
    assert_eq!((again.text(), what.len()), (filled.text(), 0));

    // The upstream changes its mind; what was edited by hand does not.
    let other = json!({"type": "object", "a": 2});
    let known = |held: Option<Value>| {
        let other = other.clone();
        move |tool: &ToolId| Known {
            exists: true,
            held: held.clone().filter(|_| *tool == id("shop__get_order")),
            declared: Some([Some(other.clone()), None]),
        }
    };
    let held = json!({"type": "object", "x": 1E5});
    let follow = |agreed: &Document, now: Document| {
        reconcile(agreed.says(), &BTreeSet::new(), now, [], known(Some(held.clone()))).unwrap()
    };
    let followed = follow(&filled, filled.clone()).document;
    assert_eq!(followed.says().entry("new", "tool").unwrap().input_schema.as_ref(), Some(&other));
    let by_hand = followed.text().replacen("\"a\": 2", "\"a\": 3", 2);
    let done = follow(&followed, document(&by_hand));
    let entry = done.document.says().entry("new", "tool").unwrap();
    assert!(
        entry.follows.is_empty() && !done.document.text().contains("followsUpstream"),
        "the mark is gone"
    );
    assert_eq!(entry.input_schema, Some(json!({"type": "object", "a": 3})));
    assert!(done.decisions.is_empty());
}

#[test]
fn an_entry_for_a_tool_nobody_knows_waits_for_it() {
    let agreed = Document::parse(String::new()).unwrap();
    let file = document(r#"{"servers": {"s": {"tools": {"t": {"outputSchema": {"type": "object"}}}}}}"#);
    let known = |exists: bool| move |_: &ToolId| Known { exists, ..Known::default() };
    let done = reconcile(agreed.says(), &BTreeSet::new(), file.clone(), [], known(false)).unwrap();
    assert!(done.decisions.is_empty() && done.pending.contains(&id("s__t")));
    assert_eq!(done.document.text(), file.text());
    let then = reconcile(file.says(), &done.pending, file.clone(), [], known(true)).unwrap();
    assert_eq!(then.decisions.len(), 1);
    assert!(then.pending.is_empty());
}

#[test]
fn what_only_repeats_the_upstream_is_marked_and_decides_nothing() {
    let agreed = Document::parse(String::new()).unwrap();
    let schema = json!({"type": "object"});
    let file = document(&json!({"servers": {"s": {"tools": {"t": {"outputSchema": schema}}}}}).to_string());
    let known = |_: &ToolId| Known { exists: true, held: None, declared: Some([None, Some(schema.clone())]) };
    let done = reconcile(agreed.says(), &BTreeSet::new(), file, [], known).unwrap();
    assert!(
        done.decisions.is_empty() && done.document.text().contains(r#""followsUpstream": ["outputSchema"]"#)
    );
    // Whoever takes the mark away means the schema.
    let unmarked =
        document(&json!({"servers": {"s": {"tools": {"t": {"outputSchema": schema}}}}}).to_string());
    let then = reconcile(done.document.says(), &BTreeSet::new(), unmarked, [], known).unwrap();
    assert_eq!(then.decisions[0].schema, Some(schema.clone()));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, words) in [
        ("{\n  \"servers\": {", "line 2"),
        ("{\"servers\": []}", "servers must be an object"),
        (
            "{\n\"servers\": {\"s\": {\"tools\": {\"t\": {\"enabled\": \"no\"}}}}}",
            "line 2: servers.s.tools.t.enabled must be true or false",
        ),
        ("{\"servers\": {\"s\": {\"tools\": {\"t\": {\"outputSchema\": 1}}}}}", "must be a JSON Schema"),
        ("{\"servers\": {}, \"servers\": {}}", "stands there twice"),
        ("{\"schemaVersion\": 3}", "schemaVersion 3 is not known"),
        ("{'servers': {}}", "line 1, column 2"),
        ("[]", "the file must be an object"),
    ] {
        let problem = Document::parse(text.to_owned()).unwrap_err().to_string();
        assert!(problem.contains(words), "{text}: {problem}");
    }
    let wild = document(r#"{"master": {"tools": {"*": {"name": "x"}}}, "servers": {"a__b": {}}}"#);
    assert_eq!(wild.problems().len(), 2);
}

#[test]
fn a_mark_of_byte_order_is_no_mistake() {
    let marked = document("\u{feff}{\"servers\": {}}");
    let held = BTreeMap::from([(id("s__t"), json!({}))]);
    assert!(run(&marked, marked.clone(), &held).document.text().starts_with("\u{feff}{"));
}
