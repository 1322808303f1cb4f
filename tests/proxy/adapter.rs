//! Results that clients of `/mcp` get: every row of the adapter's table, judged by the official SDKs with their
//! validation on; what is learned all the same; schemas that go out of sight and come back.

mod proxy;
mod rows;

use std::collections::BTreeMap;
use std::sync::mpsc;
use std::time::Duration;

use schemascope_proxy::{Effective, SuspensionChange};
use schemascope_test_support::{McpClient, Places, Program, Sdk, stdio};
use serde_json::{Map, Value, json};

use proxy::{Proxy, mirror, schema};
use rows::{Declared, Enforced, Error, Nothing, Pinned, Promoted, Structure, Undeclared, structure, text};

fn places() -> Places {
    Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap()
}

#[test]
fn both_sdks_accept_every_row() {
    let scratch = tempfile::tempdir().unwrap();
    let rows = rows::all();
    let names: Vec<String> =
        (0..).zip(&rows).map(|(n, row)| format!("{}_{:?}_{n}", row.name, row.word)).collect();
    let tools = names.iter().zip(&rows).map(|(name, row)| {
        let declared = (row.word == Declared).then_some(&row.schema);
        (name.as_str(), declared, std::slice::from_ref(&row.result))
    });
    let servers = Map::from_iter([("mirror".to_owned(), mirror(scratch.path(), tools))]);
    let decided = names.iter().zip(&rows).filter_map(|(name, row)| {
        let schema = schema(&row.schema);
        let effective = match row.word {
            Undeclared => return None,
            Declared => Effective::Declared(schema),
            Promoted => Effective::Promoted(schema),
            Pinned => Effective::Pinned(schema),
            Enforced => Effective::Enforced(schema),
        };
        Some((format!("mirror__{name}"), effective))
    });
    let decided: BTreeMap<_, _> = decided.collect();
    for (sdk, era) in [(Sdk::TypeScript, 0), (Sdk::PythonLegacy, 0), (Sdk::Python, 1)] {
        // Anew for each: two clients in a row would take declared schemas out of sight.
        let proxy = Proxy::start(&servers, decided.clone());
        let calls: Vec<Value> =
            names.iter().map(|name| json!({"name": format!("mirror__{name}"), "arguments": {}})).collect();
        let seen = sdk.see(&places(), proxy.job(&calls)).unwrap();
        assert_eq!(seen["version"] == "2026-07-28", era == 1, "{sdk:?}");
        let learned = proxy.seen.calls.lock().unwrap();
        for (n, (row, name)) in rows.iter().zip(&names).enumerate() {
            let answer = &seen["calls"][n];
            let context =
                format!("{sdk:?} {name}: {answer}\ntold {}", seen["schemas"][format!("mirror__{name}")]);
            let got = &answer["result"];
            match &row.gets[era] {
                Nothing => assert!(answer["refused"].is_string(), "{context}"),
                Error => {
                    assert_eq!(
                        (&got["isError"], got.get("structuredContent")),
                        (&json!(true), None),
                        "{context}"
                    );
                }
                gets => {
                    let structure = match gets {
                        Structure(value) => Some(value),
                        _ => None,
                    };
                    assert!(got.is_object() && got["isError"] != true, "{context}");
                    assert_eq!(got.get("structuredContent"), structure, "{context}");
                }
            }
            // Content is what it was, and so is what is learned.
            let sent: Value = serde_json::from_str(&row.result).unwrap();
            if row.gets[era] != Nothing {
                for (got, sent) in
                    got["content"].as_array().unwrap().iter().zip(sent["content"].as_array().unwrap())
                {
                    assert_eq!((&got["text"], &got["data"]), (&sent["text"], &sent["data"]), "{context}");
                }
            }
            assert_eq!(learned[n], (format!("mirror__{name}"), row.rung, row.result.clone()), "{context}");
            let told = !seen["schemas"][format!("mirror__{name}")].is_null();
            assert_eq!(told, row.word != Undeclared, "{context}");
        }
    }
}

/// The shop answers JSON in text and declares next to nothing; here some of it was promoted.
#[test]
fn both_sdks_get_structured_content_from_the_shop() {
    let servers = Map::from_iter([("shop".to_owned(), stdio(places().fixture("shop"), &[]))]);
    let customers = schema(&json!({"type": "array", "items": {"type": "object", "required": ["id"]}}));
    let label = schema(&json!({"type": "string"}));
    let stock = schema(&json!({"type": "object", "additionalProperties": {"type": "integer"}}));
    let total = schema(&json!({"type": "number"}));
    let decided = BTreeMap::from([
        ("shop__search_customers".to_owned(), Effective::Promoted(customers)),
        ("shop__shipping_label".to_owned(), Effective::Pinned(label)),
        ("shop__check_stock".to_owned(), Effective::Enforced(stock)),
        ("shop__order_total".to_owned(), Effective::Promoted(total)),
    ]);
    for (sdk, modern) in [(Sdk::TypeScript, false), (Sdk::PythonLegacy, false), (Sdk::Python, true)] {
        let proxy = Proxy::start(&servers, decided.clone());
        let names =
            ["list_orders", "search_customers", "shipping_label", "check_stock", "order_total", "store_info"];
        let calls: Vec<Value> = names
            .iter()
            .map(|name| json!({"name": format!("shop__{name}"), "arguments": {"id": "1"}}))
            .collect();
        let seen = sdk.see(&places(), proxy.job(&calls)).unwrap();
        let structure = |n: usize| {
            let structure = seen["calls"][n]["result"].get("structuredContent");
            structure.unwrap_or_else(|| panic!("{sdk:?} {}: {}", names[n], seen["calls"][n]))
        };
        let value = |n: usize| if modern { structure(n) } else { &structure(n)["result"] };
        assert!(structure(0)["orders"].is_array());
        assert!(value(1).is_array() && value(2).is_string() && value(4).is_number());
        assert!(structure(3).is_object() && structure(5)["city"] == "Graz");
    }
}

#[test]
fn violated_schema_is_not_advertised_until_results_conform() {
    let scratch = tempfile::tempdir().unwrap();
    let declared = json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]});
    // The other client has a process of its own, which begins again.
    let results = [text(&["plain"]), text(&["plain"]), structure(r#"{"id":1}"#)];
    let server = mirror(scratch.path(), [("t", Some(&declared), &results[..])]);
    let servers = Map::from_iter([("mirror".to_owned(), server)]);
    let decided = BTreeMap::from([("mirror__t".to_owned(), Effective::Declared(schema(&declared)))]);
    let proxy = Proxy::start(&servers, decided);
    let client = McpClient::connect(&proxy.url, "none").unwrap();
    let told = || {
        let list = client.request("tools/list", "{}").unwrap().result().unwrap();
        list["tools"][0]["outputSchema"].clone()
    };
    assert_eq!(told(), declared);
    std::thread::scope(|scope| {
        let (changed, changes) = mpsc::sync_channel(8);
        scope.spawn(|| {
            // Until the receiver is dropped.
            client
                .listen(move |message| !message.contains("tools/list_changed") || changed.send(()).is_ok())
                .unwrap();
        });
        let list_changed = || changes.recv_timeout(Duration::from_secs(30)).unwrap();
        let call = || client.call("mirror__t", &json!({})).unwrap().result().unwrap();
        for _ in 0..2 {
            assert_eq!(call()["structuredContent"], json!({"result": "plain"}));
        }
        list_changed();
        assert_eq!(told(), json!({"type": "object", "properties": {"result": {}}}));
        let calls = [json!({"name": "mirror__t", "arguments": {}})];
        let seen = Sdk::TypeScript.see(&places(), proxy.job(&calls)).unwrap();
        assert_eq!(seen["calls"][0]["result"]["structuredContent"], json!({"result": "plain"}), "{seen}");
        assert_eq!(call()["structuredContent"], json!({"id": 1}));
        list_changed();
        assert_eq!(told(), declared);
        proxy.shutdown.cancel();
    });
    assert_eq!(*proxy.seen.turns.lock().unwrap(), [SuspensionChange::Suspended, SuspensionChange::Restored]);
}

fn status(program: &Program) -> Value {
    let file = program.data_dir().join("tool_schema_status.json");
    std::fs::read(file).map_or(Value::Null, |text| serde_json::from_slice(&text).unwrap())
}

/// Failures say nothing about the schema, also those that a person recognises by their text.
#[test]
fn texts_that_are_failures_do_not_pause_a_schema() {
    let scratch = tempfile::tempdir().unwrap();
    let declared = json!({"type": "object", "required": ["id"]});
    let down = [text(&["Error: down"])];
    let server = mirror(scratch.path(), [("t", Some(&declared), &down[..])]);
    let servers = Map::from_iter([("mirror".to_owned(), server)]);
    let program = Program::new(&places(), scratch.path(), &servers).unwrap();
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    let call = || drop(client.call("mirror__t", &json!({})).unwrap().result().unwrap());
    let pauses = || {
        let audit = program.json_lines(&["audit", "mirror__t"]).unwrap();
        audit.iter().filter(|row| row["event"] == "suspend").count()
    };
    call();
    let run = program.run(&["failures", "count", "mirror__t", "Error:", "--no-reason"]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    (0..3).for_each(|_| call());
    assert_eq!(pauses(), 0);
    program.run(&["undo", "mirror__t"]).unwrap();
    (0..2).for_each(|_| call());
    assert_eq!(pauses(), 1);
}

/// Regression: after a promotion the Python SDK failed every call of a FastMCP tool that returns `str`, because it
/// validates by the schema that it listed before; and after a rollback, every call whose result is text.
#[test]
fn results_keep_the_form_that_a_session_listed_until_it_lists_again() {
    let scratch = tempfile::tempdir().unwrap();
    let declared =
        json!({"type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"]});
    let quote = |n: usize| json!({"symbol": format!("S{n}"), "price": n * 7}).to_string();
    let wrapped = |n: usize| {
        let text = quote(n);
        let content = json!([{"type": "text", "text": text}]);
        json!({"content": content, "structuredContent": {"result": text}}).to_string()
    };
    let lines = |n: usize| text(&[&format!("name: n{n}\nsize: {}\nowner: o{n}", n * 3)]);
    let quotes: Vec<String> = (0..60).map(wrapped).collect();
    let files: Vec<String> = (0..60).map(lines).collect();
    let server =
        mirror(scratch.path(), [("quote", Some(&declared), &quotes[..]), ("file", None, &files[..])]);
    let program =
        Program::new(&places(), scratch.path(), &Map::from_iter([("mirror".to_owned(), server)])).unwrap();
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    let list = |client: &McpClient| drop(client.request("tools/list", "{}").unwrap().result().unwrap());
    let structure = |client: &McpClient, tool: &str| {
        client.call(tool, &json!({})).unwrap().result().unwrap()["structuredContent"].clone()
    };
    let decide = |args: &[&str]| {
        let run = program.run(args).unwrap();
        assert_eq!(run.code, Some(0), "{run:?}");
    };
    list(&client);
    let learned = |client: &McpClient, tool: &str| {
        let asked = json!({"name": tool, "arguments": {}, "_meta": {"schemascope/observation": true}});
        let answer = client.request("tools/call", &asked.to_string()).unwrap().result().unwrap();
        answer["_meta"]["schemascope/observation"].clone()
    };
    // Wrappers ask for what is learned. Regression: those of a schema that the server declares got what is inside, too,
    // and failed.
    assert!(learned(&client, "mirror__quote").is_null());
    for tool in ["mirror__quote", "mirror__file"] {
        (0..30).for_each(|_| drop(structure(&client, tool)));
        decide(&["promote", tool, "--no-reason"]);
    }
    assert!(structure(&client, "mirror__quote")["result"].is_string());
    // A client that knows no schema may get structure.
    assert!(structure(&client, "mirror__file")["owner"].is_string());
    let later = serve.connect(None).unwrap();
    list(&later);
    assert!(structure(&later, "mirror__quote")["symbol"].is_string());
    list(&client);
    assert!(structure(&client, "mirror__quote")["symbol"].is_string());

    // Regression: lines `key: value` reached wrappers as text.
    assert!(learned(&client, "mirror__file")["owner"].is_string());
    assert!(learned(&client, "mirror__quote")["symbol"].is_string());

    decide(&["rollback", "mirror__file", "--no-reason"]);
    assert!(structure(&client, "mirror__file")["owner"].is_string());
    list(&client);
    assert!(structure(&client, "mirror__file").is_null());
}

#[test]
fn adapter_used_is_recorded_and_kept_over_restarts() {
    let scratch = tempfile::tempdir().unwrap();
    let declared = json!({"type": "object", "required": ["id"]});
    let plain = [text(&["plain"])];
    let servers = Map::from_iter([
        ("mirror".to_owned(), mirror(scratch.path(), [("t", Some(&declared), &plain[..])])),
        ("shop".to_owned(), stdio(places().fixture("shop"), &[])),
    ]);
    let program = Program::new(&places(), scratch.path(), &servers).unwrap();
    let serve = program.serve(&[]).unwrap();
    let call =
        |client: &McpClient, tool: &str| client.call(tool, &json!({"id": "1"})).unwrap().result().unwrap();
    let client = serve.connect(None).unwrap();
    let order = call(&client, "shop__get_order");
    let in_text: Value = serde_json::from_str(order["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(order["structuredContent"], in_text);
    assert_eq!(call(&client, "shop__shipping_label").get("structuredContent"), None);
    for _ in 0..2 {
        assert_eq!(call(&client, "mirror__t")["structuredContent"], json!({"result": "plain"}));
    }
    // One upstream as it is.
    let alone = serve.connect(Some("shop")).unwrap();
    assert_eq!(call(&alone, "get_order").get("structuredContent"), None);
    serve.stop().unwrap();

    let calls = program.json_lines(&["calls"]).unwrap();
    let rungs: Vec<_> =
        calls.iter().rev().map(|call| (call["tool_id"].as_str().unwrap(), &call["rung"])).collect();
    let (declared_rung, generic, none) = (json!("declared"), json!("generic"), Value::Null);
    assert_eq!(
        rungs,
        [
            ("shop__get_order", &declared_rung),
            ("shop__shipping_label", &none),
            ("mirror__t", &generic),
            ("mirror__t", &generic),
            ("shop__get_order", &none),
        ]
    );
    assert!(
        calls.iter().all(|call| call["result"].get("structuredContent").is_none()),
        "the original is kept"
    );
    let known = status(&program);
    assert_eq!(known["shop__get_order"]["last_adapter"], "declared", "{known}");
    assert_eq!(known["mirror__t"]["consecutive_generic_count"], 2, "{known}");
    // A decision by policy, in the log with all others.
    let audit = program.json_lines(&["audit", "mirror__t"]).unwrap();
    let suspended = audit.iter().find(|row| row["event"] == "suspend").unwrap();
    assert_eq!((&suspended["actor"], suspended["reason"].is_string()), (&json!("policy"), true));
    assert!(
        known["mirror__t"]["updated_at"].is_string() && known.get("shop__shipping_label").is_none(),
        "{known}"
    );

    // What was out of sight still is.
    let serve = program.serve(&["--adapt", "all"]).unwrap();
    let client = serve.connect(None).unwrap();
    let list = client.request("tools/list", "{}").unwrap().result().unwrap();
    let tools = list["tools"].as_array().unwrap();
    let told = tools.iter().find(|tool| tool["name"] == "mirror__t").unwrap();
    assert_eq!(told["outputSchema"].get("required"), None, "{told}");
    assert!(call(&client, "shop__shipping_label")["structuredContent"]["result"].is_string());
    serve.stop().unwrap();

    let serve = program.serve(&["--adapt", "off"]).unwrap();
    let client = serve.connect(None).unwrap();
    let list = client.request("tools/list", "{}").unwrap().result().unwrap();
    let told =
        list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "mirror__t").unwrap().clone();
    assert_eq!(told["outputSchema"], declared);
    assert_eq!(call(&client, "shop__get_order").get("structuredContent"), None);
    assert_eq!(call(&client, "mirror__t").get("structuredContent"), None);
}
