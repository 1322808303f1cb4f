//! What clients of `/mcp` get: every row of the adapter's table, judged by the official SDKs with their validation
//! on; what is learned all the same; schemas that go out of sight and come back.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use schemascope_model::{Rung, ToolId};
use schemascope_proxy::{
    AdapterStatus, Config, Effective, Ended, FinishedCall, Hub, ListedTool, Mode, Observer, Schema, Schemas,
    Turn, endpoint,
};
use schemascope_test_support::{McpClient, Places, Program, Sdk, stdio};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

fn places() -> Places {
    Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap()
}

/// What is held true of tools, said by a test.
#[derive(Default)]
struct Decided(Mutex<BTreeMap<String, Effective>>);

impl Schemas for Decided {
    fn effective(&self, tool: &ToolId) -> Effective {
        self.0.lock().unwrap().get(&tool.to_string()).cloned().unwrap_or_default()
    }
}

/// What came of the calls.
#[derive(Default)]
struct Seen {
    calls: Mutex<Vec<(String, Option<Rung>, String)>>,
    turns: Mutex<Vec<Turn>>,
}

impl Observer for Seen {
    fn finished(&self, call: FinishedCall) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let Ended::Result(result) = &call.ended else { panic!("{call:?}") };
        let result = String::from_utf8(result.to_vec()).unwrap();
        self.calls.lock().unwrap().push((call.tool.to_string(), call.rung, result));
        Box::pin(async {})
    }

    fn listed(&self, _: &str, _: &[ListedTool]) {}

    fn changed(&self, _: &str) {}

    fn adapted(&self, _: &ToolId, status: AdapterStatus) {
        self.turns.lock().unwrap().extend(status.turn);
    }
}

/// The proxy alone, in this process.
struct Proxy {
    url: String,
    seen: Arc<Seen>,
    hub: Arc<Hub>,
    shutdown: CancellationToken,
    runtime: tokio::runtime::Runtime,
}

impl Proxy {
    fn start(servers: &Map<String, Value>, decided: BTreeMap<String, Effective>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let config = Config::parse(&json!({"mcpServers": servers}).to_string()).unwrap();
        let (seen, decided) = (Arc::new(Seen::default()), Arc::new(Decided(Mutex::new(decided))));
        let shutdown = CancellationToken::new();
        let (url, hub) = runtime.block_on(async {
            let hub = Hub::new(&config, Arc::clone(&seen) as _, decided, Mode::On);
            let router = endpoint::router(Arc::clone(&hub), shutdown.clone());
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}/mcp", listener.local_addr().unwrap());
            tokio::spawn(async move { axum::serve(listener, router).await });
            (url, hub)
        });
        Self { url, seen, hub, shutdown, runtime }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shutdown.cancel();
        self.runtime.block_on(self.hub.stop());
    }
}

/// A mirror of tools: name, declared schema, results.
fn mirror<'a>(
    scratch: &Path,
    tools: impl IntoIterator<Item = (&'a str, Option<&'a Value>, &'a [String])>,
) -> Value {
    let tools = tools.into_iter().map(|(name, declared, results)| {
        let mut definition = json!({"name": name, "inputSchema": {"type": "object"}});
        if let Some(declared) = declared {
            definition["outputSchema"] = declared.clone();
        }
        format!(r#"{{"definition":{definition},"results":[{}]}}"#, results.join(","))
    });
    let file = scratch.join("mirror.json");
    std::fs::write(&file, format!("[{}]", tools.collect::<Vec<_>>().join(","))).unwrap();
    stdio(places().fixture("mirror"), &[file.to_str().unwrap()])
}

fn schema(value: &Value) -> Schema {
    Schema { digest: value.to_string().into(), schema: Arc::new(value.clone()) }
}

/// On whose word a schema is held true.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Word {
    Nobodys,
    Declared,
    Promoted,
    Pinned,
    Enforced,
}
use Word::{Declared, Enforced, Nobodys, Pinned, Promoted};

/// What an SDK makes of an answer.
#[derive(Debug, Clone, PartialEq)]
enum Gets {
    /// A result with this structure.
    Structure(Value),
    /// One without.
    Plain,
    /// One that is an error, without structure.
    Error,
    /// It refuses the answer: the upstream breaks its own word.
    Nothing,
}
use Gets::{Error, Nothing, Plain, Structure};

struct Row {
    name: &'static str,
    word: Word,
    schema: Value,
    result: String,
    rung: Option<Rung>,
    /// Clients with a handshake, and those without.
    gets: [Gets; 2],
}

fn text(texts: &[&str]) -> String {
    let blocks: Vec<String> =
        texts.iter().map(|text| format!(r#"{{"type":"text","text":{}}}"#, Value::from(*text))).collect();
    format!(r#"{{"content":[{}]}}"#, blocks.join(","))
}

fn structure(value: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":"see structure"}}],"structuredContent":{value}}}"#)
}

const IMAGE: &str = r#"{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}"#;

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |name, words: &[Word], schema: &Value, result: &str, rung, gets: [Gets; 2]| {
        rows.extend(words.iter().map(|word| {
            let (schema, result, gets) = (schema.clone(), result.to_owned(), gets.clone());
            Row { name, word: *word, schema, result, rung, gets }
        }));
    };
    let (pass, declared, generic) = (Some(Rung::PassThrough), Some(Rung::Declared), Some(Rung::Generic));
    let both = |gets: Gets| [gets.clone(), gets];
    let order = json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]});
    let list = json!({"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}});
    let page = json!({"type": "object", "required": ["metadata", "content"],
        "properties": {"metadata": {"type": "object"}, "content": {"type": "string"}}});
    let content =
        json!({"type": "object", "required": ["content"], "properties": {"content": {"type": "string"}}});
    let words = [Declared, Promoted, Pinned, Enforced];
    let lenient = [Promoted, Pinned];
    let result = |value: Value| both(Structure(json!({"result": value})));

    let error = r#"{"content":[{"type":"text","text":"{\"id\":\"x\"}"}],"isError":true}"#;
    add("error", &[Nobodys, Declared, Promoted, Pinned, Enforced], &order, error, None, both(Error));
    let good = both(Structure(json!({"id": 1})));
    add(
        "structure",
        &[Nobodys, Declared, Promoted, Pinned, Enforced],
        &order,
        &structure(r#"{"id":1}"#),
        pass,
        good.clone(),
    );
    let bad = structure(r#"{"id":"x"}"#);
    add("violation", &[Nobodys, Promoted, Pinned], &order, &bad, pass, both(Structure(json!({"id": "x"}))));
    add("violation", &[Declared], &order, &bad, pass, both(Nothing));
    add("violation", &[Enforced], &order, &bad, pass, both(Error));
    add(
        "json",
        &[Nobodys, Declared, Promoted, Pinned, Enforced],
        &order,
        &text(&[r#"{"id":1}"#]),
        declared,
        good.clone(),
    );
    add(
        "json_in_blocks",
        &[Nobodys, Declared, Promoted],
        &order,
        &text(&[r#"{"id":"#, "1}"]),
        declared,
        good,
    );
    add("json_list", &[Nobodys], &order, &text(&["[1,2]"]), declared, result(json!([1, 2])));
    add(
        "json_list",
        &[Promoted, Pinned, Enforced],
        &list,
        &text(&["[1,2]"]),
        declared,
        [Structure(json!({"result": [1, 2]})), Structure(json!([1, 2]))],
    );
    add("json_number", &[Nobodys], &order, &text(&["1.5"]), declared, result(json!(1.5)));
    add("json_misfit", &lenient, &order, &text(&[r#"{"id":"x"}"#]), generic, result(json!(r#"{"id":"x"}"#)));
    add("json_misfit", &[Enforced], &order, &text(&[r#"{"id":"x"}"#]), generic, both(Error));
    add(
        "one_string",
        &words,
        &content,
        &text(&["plain \"text\""]),
        declared,
        both(Structure(json!({"content": "plain \"text\""}))),
    );
    add(
        "metadata",
        &words,
        &page,
        &text(&["METADATA: {\"n\": 1}\n\nbody\n"]),
        declared,
        both(Structure(json!({"metadata": {"n": 1}, "content": "body\n"}))),
    );
    add(
        "string",
        &[Promoted, Enforced],
        &json!({"type": "string"}),
        &text(&["plain"]),
        declared,
        [Structure(json!({"result": "plain"})), Structure(json!("plain"))],
    );
    add("text", &[Nobodys], &order, &text(&["plain"]), None, both(Plain));
    add("text", &lenient, &order, &text(&["pl", "ain"]), generic, result(json!("plain")));
    add("text", &[Declared], &order, &text(&["plain"]), generic, both(Nothing));
    add("text", &[Enforced], &order, &text(&["plain"]), generic, both(Error));
    add("text", &lenient, &list, &text(&["plain"]), generic, result(json!("plain")));
    add("image", &[Nobodys], &order, IMAGE, None, both(Plain));
    add("image", &lenient, &order, IMAGE, generic, result(json!("")));
    add("image", &[Enforced], &order, IMAGE, generic, both(Error));
    // What would make an SDK refuse the whole list, were it told so.
    let broken = json!({"type": "object", "properties": {"a": {"$ref": "https://example.org/a.json"}}});
    add(
        "broken",
        &[Declared, Promoted, Enforced],
        &broken,
        &text(&["plain"]),
        generic,
        result(json!("plain")),
    );
    add(
        "typeless",
        &[Declared, Enforced],
        &json!({"properties": {"a": true}, "required": ["a"]}),
        &text(&[r#"{"a":1}"#]),
        declared,
        both(Structure(json!({"a": 1}))),
    );
    rows
}

#[test]
fn both_sdks_are_content_with_every_row() {
    let scratch = tempfile::tempdir().unwrap();
    let rows = rows();
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
            Nobodys => return None,
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
        let seen = sdk.see(&places(), &proxy.url, "none", &calls).unwrap();
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
            assert_eq!(told, row.word != Nobodys, "{context}");
        }
    }
}

/// The shop answers JSON in text and declares next to nothing; here some of it was promoted.
#[test]
fn both_sdks_get_structure_from_the_shop() {
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
        let seen = sdk.see(&places(), &proxy.url, "none", &calls).unwrap();
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
fn a_schema_that_results_keep_missing_goes_out_of_sight_until_they_fit() {
    let scratch = tempfile::tempdir().unwrap();
    let declared = json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]});
    let results = [text(&["plain"]), text(&["plain"]), text(&["plain"]), structure(r#"{"id":1}"#)];
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
            // Until nobody wants to know any more.
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
        let seen = Sdk::TypeScript.see(&places(), &proxy.url, "none", &calls).unwrap();
        assert_eq!(seen["calls"][0]["result"]["structuredContent"], json!({"result": "plain"}), "{seen}");
        assert_eq!(call()["structuredContent"], json!({"id": 1}));
        list_changed();
        assert_eq!(told(), declared);
        proxy.shutdown.cancel();
    });
    assert_eq!(*proxy.seen.turns.lock().unwrap(), [Turn::Suspended, Turn::Restored]);
}

fn status(program: &Program) -> Value {
    let file = program.data_dir().join("tool_schema_status.json");
    std::fs::read(file).map_or(Value::Null, |text| serde_json::from_slice(&text).unwrap())
}

#[test]
fn the_program_adapts_records_how_and_remembers() {
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
