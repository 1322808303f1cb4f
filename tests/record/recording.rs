//! Every call is recorded, redacted, and there again whatever happens to the process or the index.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use schemascope_test_support::{Places, Program, Serve, stdio};
use serde_json::{Map, Value, json};

fn shop(scratch: &Path) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &["--step-ms", "5"]))]);
    Program::new(&places, scratch, &servers).unwrap()
}

const TOOLS: &[&str] = &[
    "list_orders",
    "get_order",
    "search_customers",
    "get_customer",
    "check_stock",
    "list_invoices",
    "list_events",
    "order_total",
    "shipping_label",
    "store_info",
    "exchange_rates",
    "refund",
];

/// `rounds` calls of every tool.
fn use_the_shop(serve: &Serve, rounds: usize) -> usize {
    let client = serve.connect(None).unwrap();
    for round in 0..rounds {
        for tool in TOOLS {
            client
                .call(&format!("shop__{tool}"), &json!({"id": round.to_string()}))
                .unwrap()
                .answer()
                .unwrap();
        }
    }
    rounds * TOOLS.len()
}

/// What must be the same after whatever happened: every tool's row and inferred schema.
fn learned(program: &Program) -> (Value, BTreeMap<String, Value>) {
    let tools = program.json(&["tools"]).unwrap();
    let ids: Vec<String> =
        tools.as_array().unwrap().iter().map(|row| row["tool_id"].as_str().unwrap().to_owned()).collect();
    let schema = |id: String| {
        let run = program.run(&["schema", &id, "--version", "inferred"]).unwrap();
        let schema = serde_json::from_str(&run.out).unwrap_or(Value::Null);
        (id, schema)
    };
    (tools, ids.into_iter().map(schema).collect())
}

fn ids(program: &Program) -> Vec<String> {
    let calls = program.json_lines(&["calls"]).unwrap();
    calls.iter().map(|call| call["id"].as_str().unwrap().to_owned()).collect()
}

fn row<'a>(tools: &'a Value, id: &str) -> &'a Value {
    tools.as_array().unwrap().iter().find(|row| row["tool_id"] == id).unwrap()
}

#[test]
fn calls_are_recorded_and_learned() {
    let scratch = tempfile::tempdir().unwrap();
    let program = shop(scratch.path());
    let serve = program.serve(&[]).unwrap();
    let sent = use_the_shop(&serve, 12);
    assert_eq!(ids(&program).len(), sent);
    let tools = program.json(&["tools"]).unwrap();
    for tool in TOOLS {
        let row = row(&tools, &format!("shop__{tool}"));
        assert_eq!(row["call_count"], 12, "{row}");
        // The label has lines `key: value`, which teach from the tenth result on.
        let observed = match *tool {
            "refund" => 0,
            "shipping_label" => 3,
            _ => 12,
        };
        assert_eq!(row["observation_count"], observed, "{row}");
    }
    let expect = |id: &str, source: &str, quality: &str| {
        let row = row(&tools, id);
        assert_eq!((row["source"].as_str(), row["quality"].as_str()), (Some(source), Some(quality)), "{row}");
    };
    expect("shop__list_orders", "inferred", "medium");
    expect("shop__shipping_label", "inferred", "low");
    expect("shop__store_info", "hybrid", "high");
    expect("shop__exchange_rates", "hybrid", "medium");
    expect("shop__refund", "unknown", "none");
    expect("shop__rebuild_catalog", "unknown", "none");
    assert_eq!(row(&tools, "shop__exchange_rates")["violated"], true);
    let report = program.json(&["report"]).unwrap();
    assert_eq!((&report["recorder"]["recorded"], &report["recorder"]["dropped"]), (&json!(sent), &json!(0)));
    assert_eq!(report["call_count"], sent);

    let (_, schemas) = learned(&program);
    let invoice = &schemas["shop__list_invoices"]["properties"]["invoices"]["items"];
    // What is paid has a date, what is not has none.
    let [unpaid, paid] = [&invoice["oneOf"][0], &invoice["oneOf"][1]];
    assert_eq!(
        (&unpaid["properties"]["paid"], &paid["properties"]["paid"]),
        (&json!({"const": false}), &json!({"const": true}))
    );
    assert_eq!(
        (&unpaid["properties"]["paidAt"]["type"], &paid["properties"]["paidAt"]["type"]),
        (&json!("null"), &json!("string"))
    );
    assert_eq!(paid["properties"]["amount"]["type"], "number");
    assert_eq!(paid["required"], json!(["amount", "number", "paid", "paidAt"]));
    let customer = &schemas["shop__get_customer"]["properties"];
    assert_eq!(customer["address"]["anyOf"][0]["type"], "string");
    assert_eq!(customer["address"]["anyOf"][1]["type"], "object");
    assert_eq!(customer["portal_token"]["type"], "string");
    assert_eq!(schemas["shop__check_stock"]["additionalProperties"]["type"], "integer");
    assert_eq!(schemas["shop__search_customers"]["type"], "array");
    assert_eq!(schemas["shop__order_total"]["type"], "number");
    assert_eq!(schemas["shop__shipping_label"]["properties"]["CITY"]["type"], "string");
    assert_eq!(schemas["shop__refund"], Value::Null);
}

#[test]
fn calls_are_found_by_what_they_contain() {
    let scratch = tempfile::tempdir().unwrap();
    let program = shop(scratch.path());
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    let call = |tool: &str, arguments: Value| {
        client.call(&format!("shop__{tool}"), &arguments).unwrap().answer().unwrap()
    };
    for n in 0..3 {
        call("refund", json!({"id": format!("A-{n} \"Zoë\"")}));
    }
    call("refund", json!({}));
    // Bodies of this size are read from the journal.
    let orders = (0..8).map(|_| call("list_orders", json!({"limit": 50})).to_string());
    let orders = orders.max_by_key(String::len).unwrap();
    assert!(orders.len() > 4_096, "{}", orders.len());
    let order = orders.rfind("ord_").map(|at| &orders[at..at + 9]).unwrap();
    let found = |filters: &[&str]| {
        let run = program.run(&[&["calls", "--json"], filters].concat()).unwrap();
        assert_eq!(run.code, Some(0), "{run:?}");
        run.out.lines().count()
    };
    for (filters, number) in [
        (&["text:a-1"] as &[&str], 1),
        (&["text:\"ZOË\""], 3),
        (&["text:the shop KEEPS"], 3),
        (&["text:\"the shop keeps\"", "text:a-2"], 1),
        (&["text:needs an id"], 1),
        (&["tool:refund", "text:needs an id"], 1),
        (&["tool:list_orders", "text:refused"], 0),
        (&["text:no such text"], 0),
    ] {
        assert_eq!(found(filters), number, "{filters:?}");
    }
    assert!(found(&[&format!("text:{order}")]) > 0, "{order}");
    let refused = program.run(&["calls", "text:"]).unwrap();
    assert!(refused.code != Some(0) && refused.err.contains("a text such as paris"), "{}", refused.err);
}

/// Kill -9 at any moment: what was answered a moment ago is there, shapes equal a rebuild, and the next
/// run goes on from there.
#[test]
fn kill_loses_nothing_acknowledged() {
    let scratch = tempfile::tempdir().unwrap();
    let program = shop(scratch.path());
    let mut sent = 0;
    for round in 1..4 {
        let serve = program.serve(&["--durability", "strict"]).unwrap();
        sent += use_the_shop(&serve, round);
        // Strict: an answer means that the call is on disk.
        serve.kill().unwrap();
        assert_eq!(ids(&program).len(), sent, "after kill {round}");
    }
    let serve = program.serve(&[]).unwrap();
    sent += use_the_shop(&serve, 2);
    std::thread::sleep(std::time::Duration::from_millis(50));
    serve.kill().unwrap();
    let before = (ids(&program), learned(&program));
    assert_eq!(before.0.len(), sent);
    fs::remove_dir_all(program.data_dir().join("index")).unwrap();
    assert_eq!((ids(&program), learned(&program)), before);
    let report = program.json(&["report"]).unwrap();
    assert_eq!(report["call_count"], sent);
}

/// An index that cannot be opened is moved aside and said so; nothing is lost.
#[test]
fn broken_index_is_replaced() {
    let scratch = tempfile::tempdir().unwrap();
    let program = shop(scratch.path());
    let serve = program.serve(&[]).unwrap();
    use_the_shop(&serve, 3);
    assert_eq!(serve.stop().unwrap(), Some(0));
    let before = (ids(&program), learned(&program));
    let index = program.data_dir().join("index");
    fs::remove_dir_all(&index).unwrap();
    fs::write(&index, "no folder").unwrap();
    let report = program.json(&["report"]).unwrap();
    assert!(report["recovery"]["notes"][0].as_str().unwrap().contains("moved to"), "{report}");
    assert_eq!((ids(&program), learned(&program)), before);
}

#[test]
fn secrets_under_sensitive_keys_never_reach_the_disk() {
    let scratch = tempfile::tempdir().unwrap();
    let program = shop(scratch.path());
    let serve = program.serve(&["-vv"]).unwrap();
    let client = serve.connect(None).unwrap();
    let arguments =
        json!({"id": "1", "api_key": "planted-argument", "nested": {"password": ["planted-nested"]}});
    for _ in 0..10 {
        let result = client.call("shop__get_customer", &arguments).unwrap().result().unwrap();
        // The client gets the real value.
        assert!(result["content"][0]["text"].as_str().unwrap().contains("shop-secret-"));
    }
    let calls = program.json_lines(&["calls"]).unwrap();
    assert_eq!(calls[0]["redacted"], 3, "{}", calls[0]);
    assert_eq!(calls[0]["arguments"]["api_key"], "⟦redacted string 16⟧");
    let schema = program.json(&["schema", "shop__get_customer"]).unwrap();
    assert_eq!(schema["properties"]["portal_token"]["type"], "string");
    serve.stop().unwrap();
    let mut files = vec![scratch.path().to_owned()];
    let mut looked_at = 0;
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        looked_at += 1;
        let bytes = fs::read(&path).unwrap();
        for planted in ["shop-secret-", "planted-argument", "planted-nested"] {
            let found = bytes.windows(planted.len()).any(|window| window == planted.as_bytes());
            assert!(!found, "{planted} stands in {}", path.display());
        }
    }
    assert!(looked_at > 4);
    // What is compressed on disk is what `calls` shows.
    let calls = program.run(&["calls", "--json"]).unwrap().out;
    assert!(!calls.contains("shop-secret-") && !calls.contains("planted-"));
}

/// With recording off calls pass, and nothing of them is left; with it on again all is as ever.
#[test]
fn unrecorded_calls_leave_nothing_behind() {
    let scratch = tempfile::tempdir().unwrap();
    let program = shop(scratch.path());
    let journal = || -> BTreeMap<_, _> {
        let files = fs::read_dir(program.data_dir().join("journal")).unwrap();
        files.map(|file| file.unwrap().path()).map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    };
    let serve = program.serve(&["--record", "off"]).unwrap();
    let before = journal();
    use_the_shop(&serve, 3);
    let client = serve.connect(None).unwrap();
    client
        .call("shop__get_order", &json!({"id": "1", "note": "planted-unrecorded"}))
        .unwrap()
        .result()
        .unwrap();
    let run = program.run(&["call", "shop__get_order", "{\"id\":\"1\",\"note\":\"planted-too\"}"]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    let report = program.json(&["report"]).unwrap();
    assert_eq!((&report["recorder"]["off"], &report["call_count"]), (&json!(true), &json!(0)), "{report}");
    assert_eq!((program.json(&["tools"]).unwrap(), ids(&program).len()), (json!([]), 0));
    assert!(program.run(&["report"]).unwrap().out.contains("recorder  OFF"));
    assert!(serve.log().unwrap().contains("recording    OFF"));
    assert_eq!(serve.stop().unwrap(), Some(0));
    assert_eq!(journal(), before);
    let mut folders = vec![program.data_dir().to_owned()];
    while let Some(path) = folders.pop() {
        if path.is_dir() {
            folders.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let bytes = fs::read(&path).unwrap();
            assert!(!bytes.windows(7).any(|window| window == b"planted"), "{}", path.display());
        }
    }
    let serve = program.serve(&[]).unwrap();
    let sent = use_the_shop(&serve, 1);
    assert_eq!(ids(&program).len(), sent);
    assert_eq!(program.json(&["report"]).unwrap()["recorder"]["off"], false);
}

/// A trace gives the state the calls gave live: from plain lines, and from our own export.
#[test]
fn backfill_equals_live() {
    let live_scratch = tempfile::tempdir().unwrap();
    let live = shop(live_scratch.path());
    let serve = live.serve(&[]).unwrap();
    use_the_shop(&serve, 11);
    let export = live.run(&["calls", "--json"]).unwrap().out;
    let (live_tools, live_schemas) = learned(&live);

    let plain: String = live
        .json_lines(&["calls"])
        .unwrap()
        .iter()
        .map(|call| {
            let line = json!({"tool_id": call["tool_id"], "output": call["result"], "at": call["at"], "session": "s"});
            format!("{line}\n")
        })
        .collect();
    for (name, trace) in [("export", &export), ("plain", &plain)] {
        let scratch = tempfile::tempdir().unwrap();
        let program = shop(scratch.path());
        let file = scratch.path().join("trace.ndjson");
        fs::write(&file, trace).unwrap();
        let dry = program.run(&["backfill", file.to_str().unwrap(), "--dry-run"]).unwrap();
        assert_eq!(dry.code, Some(0), "{dry:?}");
        assert!(ids(&program).is_empty());
        let run = program.run(&["backfill", file.to_str().unwrap()]).unwrap();
        assert_eq!(run.code, Some(0), "{run:?}");
        let (tools, schemas) = learned(&program);
        for (id, schema) in &schemas {
            assert_eq!(schema, &live_schemas[id], "{name} {id}");
            for field in
                ["observation_count", "call_count", "failure_count", "mean_consistency", "last_observed"]
            {
                assert_eq!(row(&tools, id)[field], row(&live_tools, id)[field], "{name} {id} {field}");
            }
        }
        // That there is a tool that only fails, its server says, and no server was asked here.
        assert_eq!(schemas.len(), TOOLS.len() - 1, "{name}: {run:?}");
        // The export a second time adds nothing.
        if name == "export" {
            let again = program.json(&["backfill", file.to_str().unwrap()]).unwrap();
            assert_eq!((&again["accepted"], &again["known"]), (&json!(0), &json!(TOOLS.len() * 11)));
            assert_eq!(learned(&program), (tools, schemas));
        }
    }
}

#[test]
fn backfill_reports_malformed_lines_and_reads_the_rest() {
    let scratch = tempfile::tempdir().unwrap();
    let program = shop(scratch.path());
    let file = scratch.path().join("trace.ndjson");
    let lines = [
        r#"{"tool_id":"a__x","output":{"n":1}}"#,
        "not json",
        "",
        r#"{"output":1}"#,
        r#"{"tool_id":"nosplit","output":1}"#,
        r#"{"tool_id":"a__x"}"#,
        r#"{"tool_id":"a__x","output":1,"at":"yesterday"}"#,
        r#"{"tool_id":"a__x","output":{"n":null},"is_error":true}"#,
        r#"{"tool_id":"a__y","output":null,"at":"2026-01-02T03:04:05Z"}"#,
    ];
    fs::write(&file, lines.join("\n")).unwrap();
    let run = program.run(&["backfill", file.to_str().unwrap()]).unwrap();
    assert_eq!(run.code, Some(1));
    for expect in [
        "line 2: not a JSON object",
        "line 4: has no \"tool_id\"",
        "line 5: ",
        "line 6: has no \"output\"",
        "line 7: \"at\": ",
    ] {
        assert!(run.err.contains(expect), "{expect}: {}", run.err);
    }
    assert!(run.out.contains("3 calls of 2 tools recorded"), "{}", run.out);
    let tools = program.json(&["tools"]).unwrap();
    assert_eq!(
        (&row(&tools, "a__x")["observation_count"], &row(&tools, "a__x")["failure_count"]),
        (&json!(1), &json!(1))
    );
    // A single null says nothing of the values to come.
    assert_eq!(program.json(&["schema", "a__y"]).unwrap().get("type"), None);
    assert_eq!(row(&tools, "a__y")["last_observed"], "2026-01-02T03:04:05.000Z");
}

/// An upstream that answers otherwise after a release: both shapes are in what was learned.
#[test]
fn changed_answers_widen_the_schema() {
    let scratch = tempfile::tempdir().unwrap();
    let program = shop(scratch.path());
    let amount = |program: &Program| {
        let schema = program.json(&["schema", "shop__list_invoices"]).unwrap();
        let invoice = &schema["properties"]["invoices"]["items"];
        // After enough observations, paid and unpaid ones are distinguished.
        let record = invoice.pointer("/oneOf/0").unwrap_or(invoice);
        record["properties"]["amount"].clone()
    };
    let serve = program.serve(&[]).unwrap();
    use_the_shop(&serve, 3);
    assert_eq!(amount(&program), json!({"type": "number"}));
    serve.stop().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &["--drift"]))]);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let serve = program.serve(&[]).unwrap();
    use_the_shop(&serve, 3);
    assert_eq!(amount(&program), json!({"anyOf": [{"type": "number"}, {"type": "string"}]}));
    drop(serve);
}

/// Many clients at once: none lost, none counted twice.
#[test]
fn concurrent_calls_are_all_counted() {
    let scratch = tempfile::tempdir().unwrap();
    let program = shop(scratch.path());
    let serve = program.serve(&[]).unwrap();
    let sent: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(|| use_the_shop(&serve, 8))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    let mut recorded = ids(&program);
    recorded.sort();
    recorded.dedup();
    assert_eq!(recorded.len(), sent);
    let (tools, schemas) = learned(&program);
    assert_eq!(
        tools.as_array().unwrap().iter().map(|row| row["call_count"].as_u64().unwrap()).sum::<u64>(),
        sent as u64
    );
    assert_eq!(serve.stop().unwrap(), Some(0));
    fs::remove_dir_all(program.data_dir().join("index")).unwrap();
    assert_eq!(learned(&program), (tools, schemas));
}
