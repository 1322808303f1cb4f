//! Values that flow from one tool's result to another's arguments: seen at once, kept whatever happens, and stored
//! nowhere themselves.

use std::fs;
use std::path::Path;

use schemascope_test_support::{McpClient, Places, Program, stdio, stdio_once, until};
use serde_json::{Map, Value, json};

fn program(scratch: &Path, name: &str) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let scratch = scratch.join(name);
    fs::create_dir(&scratch).unwrap();
    // In one process, so that no two clients get the same ids.
    let servers = Map::from_iter([("shop".to_owned(), stdio_once(places.fixture("shop"), &scratch))]);
    Program::new(&places, &scratch, &servers).unwrap()
}

/// A program that calls no server.
fn without_servers(scratch: &Path, name: &str) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let scratch = scratch.join(name);
    fs::create_dir(&scratch).unwrap();
    Program::new(&places, &scratch, &Map::new()).unwrap()
}

/// The id of an order that the shop lists.
fn order(mut list: impl FnMut() -> Value) -> String {
    for _ in 0..50 {
        let text = list()["content"][0]["text"].as_str().unwrap().to_owned();
        let page: Value = serde_json::from_str(&text).unwrap();
        if let Some(id) = page["orders"][0]["id"].as_str() {
            return id.to_owned();
        }
    }
    panic!("the shop has no orders");
}

fn listed(client: &McpClient) -> String {
    order(|| client.call("shop__list_orders", &json!({})).unwrap().result().unwrap())
}

fn with_id(client: &McpClient, tool: &str, id: &str) {
    client.call(&format!("shop__{tool}"), &json!({"id": id})).unwrap().result().unwrap();
}

fn edges(program: &Program, args: &[&str]) -> Value {
    program.json(&[&["edges"], args].concat()).unwrap()
}

fn edge<'a>(edges: &'a Value, from: &str, to: &str) -> Option<&'a Value> {
    edges.as_array().unwrap().iter().find(|edge| edge["from"] == from && edge["to"] == to)
}

/// What calls show, apart from what tools declare.
fn evidence(program: &Program) -> Vec<Value> {
    let edges = edges(program, &["--seen", "--min", "0"]);
    let mut seen: Vec<Value> = edges
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| {
            let fields: Vec<&Value> = edge["fields"].as_array().unwrap().iter().collect();
            let seen = fields.into_iter().filter(|field| field["evidence"]["flows"] != 0);
            let mut seen: Vec<String> = seen
                .map(|field| {
                    json!([field["output"], field["input"], field["how"], field["evidence"]]).to_string()
                })
                .collect();
            seen.sort();
            json!([edge["from"], edge["to"], edge["evidence"], seen])
        })
        .collect();
    seen.sort_by_key(Value::to_string);
    seen
}

#[test]
fn flow_is_listed_and_outlives_kill_rebuild_export_and_retention() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path(), "first");
    let serve = program.serve(&[]).unwrap();
    let (ann, bob) = (serve.connect(None).unwrap(), serve.connect(None).unwrap());
    let (of_ann, of_bob) = (listed(&ann), listed(&bob));
    with_id(&ann, "get_order", &of_ann);
    let seen = until("an edge of the flow", || {
        let now = edges(&program, &["--from", "shop__list_orders", "--to", "shop__get_order"]);
        edge(&now, "shop__list_orders", "shop__get_order").cloned()
    });
    assert_eq!(seen["state"], "seen", "{seen}");
    assert_eq!(seen["fields"][0]["output"], "orders[].id");
    assert_eq!((&seen["fields"][0]["input"], &seen["fields"][0]["how"]), (&json!("id"), &json!("item")));
    assert_eq!((&seen["evidence"]["flows"], &seen["evidence"]["sessions"]), (&json!(1), &json!(1)));
    assert!(seen["evidence"]["last_at"].as_str().unwrap().starts_with("20"), "{seen}");

    // What one client saw is nothing that the other one could have taken.
    with_id(&ann, "shipping_label", &of_bob);
    with_id(&bob, "order_total", &of_ann);
    let stateless = |name: &str, tool: &str, arguments: Value| {
        let params = json!({"name": format!("shop__{tool}"), "arguments": arguments});
        ann.ask_stateless(name, &json!({}), "tools/call", &params).unwrap().result().unwrap()
    };
    let of_cid = order(|| stateless("cid", "list_orders", json!({})));
    let of_dan = order(|| stateless("dan", "list_orders", json!({})));
    stateless("cid", "get_order", json!({"id": of_cid}));
    stateless("cid", "shipping_label", json!({"id": of_dan}));
    // Plans follow an edit of the overrides, although a hidden tool gets no calls.
    let (overrides, plan) =
        (program.data_dir().join("tool_overrides.json"), ["plan", "--to", "shop__get_order"]);
    let is_planned = || !program.json(&plan).unwrap()["plans"].as_array().unwrap().is_empty();
    let hide = |is_shown: bool| {
        let tools = json!({"get_order": {"enabled": is_shown}});
        fs::write(&overrides, json!({"servers": {"shop": {"tools": tools}}}).to_string()).unwrap();
    };
    assert!(is_planned());
    hide(false);
    until("no plan to a hidden tool", || !is_planned());
    hide(true);
    until("a plan to a tool that is shown again", is_planned);

    let all = edges(&program, &["--seen", "--min", "0"]);
    assert_eq!(edge(&all, "shop__list_orders", "shop__get_order").unwrap()["evidence"]["flows"], 2);
    for other in ["shop__shipping_label", "shop__order_total"] {
        assert_eq!(edge(&all, "shop__list_orders", other), None, "{all}");
    }

    let before = edges(&program, &["--min", "0"]);
    serve.kill().unwrap();
    assert_eq!(edges(&program, &["--min", "0"]).to_string(), before.to_string(), "after kill -9");
    assert_eq!(program.run(&["rebuild"]).unwrap().code, Some(0));
    assert_eq!(edges(&program, &["--min", "0"]).to_string(), before.to_string(), "after a rebuild");
    assert_eq!(program.run(&["verify"]).unwrap().code, Some(0));

    let export = program.run(&["calls", "--json"]).unwrap().out;
    let seen = evidence(&program);
    assert!(!seen.is_empty());
    let mut oldest_first: Vec<&str> = export.lines().collect();
    oldest_first.reverse();
    for (name, lines) in [("newest", export.clone()), ("oldest", oldest_first.join("\n"))] {
        let copy = without_servers(scratch.path(), name);
        assert_eq!(copy.run_with_input(&["backfill", "-"], &lines).unwrap().code, Some(0));
        assert_eq!(evidence(&copy), seen, "{name} first");
    }
    // Calls that were stored before flows were.
    let mut earlier = String::new();
    for line in export.lines() {
        let mut call: Value = serde_json::from_str(line).unwrap();
        assert!(call.as_object_mut().unwrap().remove("flow").is_some(), "{line}");
        earlier += &format!("{call}\n");
    }
    let copy = without_servers(scratch.path(), "earlier");
    assert_eq!(copy.run_with_input(&["backfill", "-"], &earlier).unwrap().code, Some(0));
    assert_eq!(evidence(&copy), seen, "without flows");

    // The calls are removed; what they showed stays.
    let serve = program.serve(&[]).unwrap();
    assert_eq!(program.run(&["settings", "keep_calls", "1"]).unwrap().code, Some(0));
    until("calls are removed", || program.json_lines(&["calls"]).unwrap().len() == 1);
    assert_eq!(edges(&program, &["--min", "0"]).to_string(), before.to_string(), "without its calls");
    let again = program.run_with_input(&["backfill", "-"], &export).unwrap();
    assert!(again.out.starts_with("0 calls") && again.err.contains("removed since"), "{again:?}");
    assert_eq!(edges(&program, &["--min", "0"]).to_string(), before.to_string(), "read again");
    serve.kill().unwrap();
    assert_eq!(program.run(&["rebuild"]).unwrap().code, Some(0));
    assert_eq!(edges(&program, &["--min", "0"]).to_string(), before.to_string(), "rebuilt without its calls");
}

/// After so many answers the shop's `get_order` has the whole customer where its id was.
#[test]
fn drift_breaks_the_edge_of_the_field_that_it_changes() {
    const BEFORE: u64 = 60;
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let shop = stdio(places.fixture("shop"), &["--drift-after", &BEFORE.to_string()]);
    let program =
        Program::new(&places, scratch.path(), &Map::from_iter([("shop".to_owned(), shop)])).unwrap();
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    let get = |number: u64| -> Value {
        let order =
            client.call("shop__get_order", &json!({"id": format!("{number}")})).unwrap().result().unwrap();
        serde_json::from_str(order["content"][0]["text"].as_str().unwrap()).unwrap()
    };
    for number in 0..BEFORE {
        let order = get(number);
        with_id(&client, "get_customer", order["customer"].as_str().expect("an id"));
    }
    let found = || {
        let edges = edges(&program, &["--from", "shop__get_order", "--to", "shop__get_customer"]);
        edge(&edges, "shop__get_order", "shop__get_customer").expect("an edge").clone()
    };
    let field = |edge: &Value| {
        let fields = edge["fields"].as_array().unwrap();
        fields.iter().find(|field| field["output"] == "customer" && field["input"] == "id").cloned()
    };
    let before = found();
    assert_eq!(before["state"], "seen", "{before}");
    let evidence = field(&before).expect("customer → id")["evidence"].clone();
    let bundle = scratch.path().join("bundle.json");
    let bundle = bundle.to_str().unwrap();
    assert_eq!(program.run(&["export", "bundle", "--out", bundle]).unwrap().code, Some(0));
    for number in BEFORE..BEFORE + 30 {
        assert!(get(number)["customer"].is_object());
    }
    let drifts = program.json(&["drift", "shop__get_order"]).unwrap();
    let retyped = drifts.as_array().unwrap().iter().find(|one| one["path"] == "customer").expect("a drift");
    let breaks =
        json!([{"to": "shop__get_customer", "inputs": ["id"], "flows": before["evidence"]["flows"]}]);
    assert_eq!(retyped["breaks"], breaks, "{drifts}");
    let text = program.run(&["drift", "shop__get_order"]).unwrap().err;
    assert!(text.contains("breaks the edge to shop__get_customer (id, 60 calls)"), "{text}");
    let checks = program.run(&["--json", "check", "--baseline", bundle]).unwrap();
    let checks: Value = serde_json::from_str(&checks.out).unwrap();
    let breaking = |finding: &&Value| finding["path"] == "customer" && finding["breaks"] == breaks;
    assert!(checks["findings"].as_array().unwrap().iter().any(|one| breaking(&one)), "{checks:#}");
    let sarif = program.run(&["check", "--baseline", bundle, "--format", "sarif"]).unwrap().out;
    let junit = program.run(&["check", "--baseline", bundle, "--format", "junit"]).unwrap().out;
    for text in [sarif, junit] {
        assert!(text.contains("breaks the edge to shop__get_customer (id, 60 calls)"), "{text}");
    }
    let after = found();
    let lost = field(&after).unwrap_or_else(|| panic!("customer → id: {after}"));
    assert_eq!((&lost["broken"], &lost["evidence"]), (&json!(true), &evidence), "{after}");
    assert_eq!(after["state"], "broken", "{after}");
    drop(serve);
}

#[test]
fn secret_that_flows_makes_an_edge_and_is_stored_nowhere() {
    let scratch = tempfile::tempdir().unwrap();
    let program = without_servers(scratch.path(), "data");
    let secret = format!("ghp_{}", "aB3".repeat(12));
    let lines = [
        json!({"tool_id": "web__sign_in", "session": "a", "at": "2026-11-20T12:00:00Z", "arguments": {"name": "ann"},
            "output": {"session_token": secret}}),
        json!({"tool_id": "web__my_page", "session": "a", "at": "2026-11-20T12:00:01Z",
            "arguments": {"session_token": secret}, "output": {"title": "Hello"}}),
        json!({"tool_id": "web__sign_in", "session": "b", "at": "2026-11-20T12:00:02Z", "arguments": {"name": "bob"},
            "output": {"session_token": format!("ghp_{}", "cD4".repeat(12))}}),
        // Another secret of equal length: its marker is the same.
        json!({"tool_id": "web__other_page", "session": "b", "at": "2026-11-20T12:00:03Z",
            "arguments": {"session_token": format!("ghp_{}", "eF5".repeat(12))}, "output": {"title": "Hello"}}),
    ];
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    assert_eq!(program.run_with_input(&["backfill", "-"], &lines.join("\n")).unwrap().code, Some(0));
    let seen = edges(&program, &["--seen", "--min", "0"]);
    let flow = edge(&seen, "web__sign_in", "web__my_page").expect("an edge");
    assert_eq!(flow["fields"][0]["output"], "session_token", "{flow}");
    assert_eq!(edge(&seen, "web__sign_in", "web__other_page"), None, "{seen}");
    let export = program.run(&["calls", "--json"]).unwrap().out;
    assert!(export.contains("redacted string") && !export.contains(&secret), "{export}");
    assert_eq!(super::redaction::places_of(&secret, program.data_dir()), Vec::<String>::new());
    // The same from what is stored, where the values are gone.
    let before = seen.to_string();
    assert_eq!(program.run(&["rebuild"]).unwrap().code, Some(0));
    assert_eq!(edges(&program, &["--seen", "--min", "0"]).to_string(), before);
}

#[test]
fn wrong_options_of_edges_are_rejected_with_what_is_right() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path(), "data");
    program.run(&["call", "shop__store_info"]).unwrap();
    let run = program.run(&["edges", "--min", "2"]).unwrap();
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
    assert!(run.err.contains("a number from 0 to 1"), "{run:?}");
    for (args, words) in [
        (["edges", "--to", "shop__get_oder"], "did you mean shop__get_order"),
        (["edges", "--from", "nothing"], "there is no tool \"nothing\""),
        (["edges", "--server", "shpo"], "did you mean shop?"),
    ] {
        let run = program.run(&args).unwrap();
        assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{run:?}");
        assert!(run.err.contains(words), "expected {words:?}: {run:?}");
    }
    for (option, begins) in [("--dot", "digraph edges {"), ("--mermaid", "flowchart LR")] {
        let run = program.run(&["edges", option]).unwrap();
        assert!(run.out.starts_with(begins), "{run:?}");
    }
}

/// Customers, their orders, and shipments of orders: each id is needed for the next tool.
fn with_chains(scratch: &Path) -> Program {
    let program = without_servers(scratch, "chains");
    let mut lines = Vec::new();
    for n in 0..4 {
        let (customer, order, parcel) =
            (format!("cus_88{n}1"), format!("ord_77{n}2"), format!("parcel-66{n}3"));
        for (tool, arguments, output) in [
            (
                "find_customers",
                json!({}),
                json!({"customers": [{"id": customer, "name": format!("Name {n}")}]}),
            ),
            ("list_orders", json!({"customer_id": customer}), json!({"orders": [{"id": order}]})),
            ("get_order", json!({"order_id": order}), json!({"id": order, "parcel": parcel, "weight": 12.5})),
            (
                "track",
                json!({"parcel": parcel}),
                json!({"__typename": "Parcel", "place": "Graz", "eta_day": format!("2026-12-0{}", n + 1)}),
            ),
        ] {
            let at = format!("2026-11-20T12:{n:02}:{:02}Z", lines.len());
            let line = json!({"tool_id": format!("store__{tool}"), "session": format!("s{n}"), "at": at,
                "arguments": arguments, "output": output});
            lines.push(line.to_string());
        }
    }
    assert_eq!(program.run_with_input(&["backfill", "-"], &lines.join("\n")).unwrap().code, Some(0));
    program
}

fn tools(plan: &Value) -> Vec<&str> {
    plan["steps"].as_array().unwrap().iter().map(|step| step["tool_id"].as_str().unwrap()).collect()
}

#[test]
fn plan_is_the_chain_that_calls_have_shown() {
    let scratch = tempfile::tempdir().unwrap();
    let program = with_chains(scratch.path());
    let plans = program.json(&["plan", "--to", "store__track"]).unwrap();
    let best = &plans["plans"][0];
    let chain = ["store__find_customers", "store__list_orders", "store__get_order", "store__track"];
    assert_eq!(tools(best), chain, "{plans}");
    assert_eq!(
        best["steps"][3]["arguments"]["parcel"],
        json!({"step": 3, "output": "parcel", "how": "same"})
    );
    assert_eq!(best["steps"][1]["arguments"]["customer_id"]["output"], "customers[].id");
    assert_eq!((&best["missing"], &best["wanted"]), (&json!([]), &json!({"output": ""})));
    assert_eq!(plans["why_none"], Value::Null);
    let plans = program.json(&["plan", "--to", "store__track:eta_day", "--have", "order_id"]).unwrap();
    assert_eq!(tools(&plans["plans"][0]), &chain[2..], "{plans}");
    assert_eq!(plans["plans"][0]["steps"][0]["arguments"]["order_id"], json!({"have": "order_id"}));
    assert_eq!(plans["plans"][0]["wanted"]["output"], "eta_day");
    let plans = program.json(&["plan", "--to", "__typename", "--limit", "1"]).unwrap();
    assert_eq!(tools(&plans["plans"][0]), chain, "{plans}");
    assert_eq!(plans["plans"][0]["wanted"]["output"], "__typename");
    let plans = program.json(&["plan", "--to", "weight", "--limit", "1"]).unwrap();
    assert_eq!(tools(&plans["plans"][0]), &chain[..3], "{plans}");
    assert_eq!(plans["plans"].as_array().unwrap().len(), 1);
    // A tool whose result is there is no step.
    let plans = program.json(&["plan", "--to", "store__track", "--have", "store__list_orders"]).unwrap();
    assert_eq!(tools(&plans["plans"][0]), &chain[2..], "{plans}");
    let order_id = &plans["plans"][0]["steps"][0]["arguments"]["order_id"];
    assert_eq!(order_id, &json!({"have": "store__list_orders", "output": "orders[].id", "how": "item"}));
    assert_eq!(plans["plans"][0]["missing"], json!([]));
    let text = program.run(&["plan", "--to", "store__track"]).unwrap();
    for words in ["4. store__track   may change something", "parcel = parcel of step 3", "gives orders[].id"]
    {
        assert!(text.out.contains(words), "expected {words:?}: {}", text.out);
    }
}

#[test]
fn plans_to_unknown_places_say_what_is_known() {
    let scratch = tempfile::tempdir().unwrap();
    let program = with_chains(scratch.path());
    let none = program.json(&["plan", "--to", "wieght"]).unwrap();
    assert_eq!(none["plans"], json!([]));
    assert!(none["why_none"].as_str().unwrap().contains("did you mean weight?"), "{none}");
    for (args, code, words) in [
        (&["plan", "--to", "store__trak"][..], 1, "did you mean store__track"),
        (&["plan", "--to", "store__track", "--have", "store__get_oder"], 1, "did you mean store__get_order"),
        (&["plan", "--to", "store__track:eta"], 1, "did you mean eta_day?"),
        (&["plan", "--to", ""], 1, "nothing is wanted"),
        (&["plan", "--to", "store__track", "--limit", "0"], 2, "1..=20"),
    ] {
        let run = program.run(args).unwrap();
        assert_eq!((run.code, run.out.as_str()), (Some(code), ""), "{run:?}");
        assert!(run.err.contains(words), "expected {words:?}: {run:?}");
    }
}

#[test]
fn edge_is_explained_by_the_calls_that_show_it() {
    let scratch = tempfile::tempdir().unwrap();
    let program = with_chains(scratch.path());
    let explain = ["edges", "--from", "store__list_orders", "--to", "store__get_order", "--explain"];
    let reply = program.json(&explain).unwrap();
    let field = &reply["fields"][0];
    assert_eq!((&field["output"], &field["input"]), (&json!("orders[].id"), &json!("order_id")), "{reply}");
    assert!(!field["supporting"].as_array().unwrap().is_empty(), "{reply}");
    let calls = field["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 4, "{reply}");
    assert_eq!(calls[0]["value"], "ord_7732", "the newest first");
    let listed = program.json_lines(&["calls", "--tool", "store__list_orders"]).unwrap();
    assert_eq!(calls[0]["from"], listed[0]["id"]);
    let text = program.run(&explain).unwrap().out;
    assert!(text.contains("+ 4 of 4 later calls took the value") && text.contains("\"ord_7732\""), "{text}");
    let run = program
        .run(&["edges", "--from", "store__track", "--to", "store__find_customers", "--explain"])
        .unwrap();
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("nothing joins store__track and store__find_customers"), "{run:?}");
    assert_eq!(program.run(&["edges", "--to", "store__track", "--explain"]).unwrap().code, Some(2));
}

/// A version without the field that an edge uses.
#[test]
fn version_that_lacks_a_field_names_the_edge_it_breaks() {
    let scratch = tempfile::tempdir().unwrap();
    let program = with_chains(scratch.path());
    let mut lines = String::new();
    for n in 0..30 {
        let (customer, order) = (format!("cus_99{n}1"), format!("ord_99{n}2"));
        for (tool, arguments, output) in [
            ("find_customers", json!({}), json!({"customers": [{"id": customer, "name": "Ann"}]})),
            ("list_orders", json!({"customer_id": customer}), json!({"orders": [{"id": order}]})),
            (
                "get_order",
                json!({"order_id": order}),
                json!({"id": order, "parcel": format!("p-{n}77"), "weight": 1}),
            ),
        ] {
            lines += &format!(
                "{}\n",
                json!({"tool_id": format!("store__{tool}"), "session": format!("t{n}"),
                "at": format!("2026-11-21T12:{n:02}:{:02}Z", lines.len() % 60), "arguments": arguments, "output": output})
            );
        }
    }
    let lines = lines.lines().enumerate().map(|(n, line)| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line["at"] = json!(format!("2026-11-21T{:02}:{:02}:00Z", n / 60, n % 60));
        line.to_string()
    });
    let lines: Vec<String> = lines.collect();
    assert_eq!(program.run_with_input(&["backfill", "-"], &lines.join("\n")).unwrap().code, Some(0));
    let schema = json!({"type": "object", "properties": {"orders": {"type": "array", "items": {
        "type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]}}}});
    let document = json!({"schemaVersion": 2, "servers": {"store": {"tools": {"list_orders": {"outputSchema": schema}}}}});
    let file = scratch.path().join("overrides.json");
    fs::write(&file, document.to_string()).unwrap();
    let versions = program.json(&["versions", "store__list_orders"]).unwrap();
    let first = versions[0]["version"].as_u64().expect("a version").to_string();
    let imported = program.run(&["import", "overrides", file.to_str().unwrap()]).unwrap();
    assert_eq!(imported.code, Some(0), "{imported:?}");
    let newest = program.json(&["versions", "store__list_orders"]).unwrap();
    let newest = newest.as_array().unwrap().iter().filter_map(|row| row["version"].as_u64()).max().unwrap();
    let newest = newest.to_string();
    assert_ne!(first, newest);
    let impact = program.json(&["impact", "store__list_orders", &newest]).unwrap();
    let attributes = &impact["attributes"];
    assert_eq!(
        attributes["removed"][0],
        json!(["ListOrdersResultOrdersItem.id", "str | None"]),
        "{attributes}"
    );
    assert_eq!(attributes["added"][0][0], "ListOrdersResultOrdersItem.number", "{attributes}");
    let shown = program.run(&["impact", "store__list_orders", &newest]).unwrap().out;
    assert!(shown.contains("- ListOrdersResultOrdersItem.id: str"), "{shown}");
    let diff = program.json(&["edges", "--diff", "store__list_orders", &first, &newest]).unwrap();
    assert_eq!(diff["broken"][0]["edge"]["to"], "store__get_order", "{diff}");
    assert!(diff["broken"][0]["changes"][0]["path"].as_str().unwrap().contains("orders"), "{diff}");
    assert_eq!(
        program.json(&["edges", "--diff", "store__list_orders", &newest, &first]).unwrap()["broken"],
        json!([])
    );
    let run = program.run(&["edges", "--diff", "store__list_orders", "1", "99"]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("99"), "{run:?}");
    let threatened = |word: &str| json!([format!("version {word} of store__list_orders")]);
    let from = || edges(&program, &["--from", "store__list_orders"]);
    let found = from();
    let found = edge(&found, "store__list_orders", "store__get_order").unwrap();
    assert_eq!((&found["state"], &found["threatened_by"]), (&json!("seen"), &threatened(&newest)), "{found}");
    let impact = program.json(&["impact", "store__list_orders", &newest]).unwrap();
    assert_eq!(impact["edges"]["broken"][0]["edge"]["to"], "store__get_order", "{impact}");
    let text = program.run(&["impact", "store__list_orders", &newest]).unwrap().out;
    assert!(text.contains("breaks store__list_orders → store__get_order  (seen in use, 34 calls"), "{text}");
    // In effect, it breaks the edge; another decision repairs it.
    for (version, state) in [(&newest, "broken"), (&first, "seen")] {
        let run = program.run(&["promote", "store__list_orders", version, "--no-reason"]).unwrap();
        assert_eq!(run.code, Some(0), "{run:?}");
        let found = from();
        assert_eq!(
            edge(&found, "store__list_orders", "store__get_order").unwrap()["state"],
            state,
            "{found}"
        );
    }
}
