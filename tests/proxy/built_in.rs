//! Schemascope's own tools as the built-in upstream `schemascope`.

use schemascope_test_support::{McpClient, Places, Program, Sdk, Serve, stdio, until};
use serde_json::{Map, Value, json};

const OWN: &str = "schemascope";
const NAMES: [&str; 19] = [
    "get_tool_schema",
    "get_quality_report",
    "suggest_next_tools",
    "plan_tools",
    "register_cli_tool",
    "start_interview",
    "list_available_ds",
    "get_next_ds",
    "start_ds_pursuit",
    "get_next_question",
    "process_ds_answer",
    "get_ds_status",
    "finalize_ds",
    "get_conversation_history",
    "get_aggregated_scr",
    "interviewer_formulates_question",
    "interviewer_interprets_response",
    "create_surrogate_expert",
    "run_surrogate_interview",
];

fn places() -> Places {
    Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap()
}

/// Schemascope with the shop, and other entries in its configuration.
fn program(scratch: &tempfile::TempDir, more: &[(&str, Value)]) -> Program {
    let places = places();
    let mut servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
    servers.extend(more.iter().map(|(name, entry)| ((*name).to_owned(), entry.clone())));
    Program::new(&places, scratch.path(), &servers).unwrap()
}

/// The tools an endpoint lists, for a client with a handshake and for a stateless one.
fn listed(serve: &Serve, upstream: Option<&str>) -> [Vec<Value>; 2] {
    let client = serve.connect(upstream).unwrap();
    let with_handshake = client.request("tools/list", "{}").unwrap().result().unwrap();
    let stateless =
        client.ask_stateless("new", &json!({}), "tools/list", &json!({})).unwrap().result().unwrap();
    [with_handshake, stateless].map(|list| list["tools"].as_array().unwrap().clone())
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// Results of a call in both eras. A result keeps the schema its tool declares.
fn called(client: &McpClient, tools: &[Value], name: &str, arguments: &Value) -> [Value; 2] {
    let with_handshake = client.call(name, arguments).unwrap().result().unwrap();
    let params = json!({"name": name, "arguments": arguments});
    let stateless = client.ask_stateless("new", &json!({}), "tools/call", &params).unwrap().result().unwrap();
    let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
    let validator = jsonschema::validator_for(&tool["outputSchema"]).unwrap();
    [with_handshake, stateless].map(|result| {
        if result["isError"] != true {
            let structure = &result["structuredContent"];
            let errors: Vec<String> =
                validator.iter_errors(structure).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{errors:?}: {structure}");
            let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
            assert_eq!(text, *structure, "clients that read text only get the same");
        }
        result
    })
}

fn server(program: &Program, name: &str) -> Value {
    let servers = program.json(&["servers", name]).unwrap();
    servers["servers"][0].clone()
}

#[test]
fn own_tools_are_always_at_their_endpoint_and_on_mcp_only_when_set() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch, &[]);
    let serve = program.serve(&[]).unwrap();
    for tools in listed(&serve, Some(OWN)) {
        assert_eq!(names(&tools), NAMES);
        let reads = |tool: &Value| tool["annotations"]["readOnlyHint"] == true;
        assert!(tools[..4].iter().all(reads) && !reads(&tools[4]), "{tools:?}");
    }
    let without = listed(&serve, None);
    assert!(without.iter().all(|tools| tools.len() == 13), "{without:?}");
    let client = serve.connect(None).unwrap();
    let hidden = client.call("schemascope__get_quality_report", &json!({})).unwrap().answer().unwrap();
    assert_eq!(hidden["error"]["code"], -32602, "{hidden}");

    let run = program.run(&["settings", "own_tools", "insigt"]).unwrap();
    assert_eq!(
        (
            run.code,
            run.err.contains("own_tools must be off, all, or some of insight, plans, cli, interviews")
        ),
        (Some(1), true),
        "{run:?}"
    );
    client.request("tools/list", "{}").unwrap();
    let run = program.run(&["settings", "own_tools", "insight"]).unwrap();
    client
        .listen(|message| {
            assert!(message.contains("notifications/tools/list_changed"), "{message}");
            false
        })
        .unwrap();
    let with = listed(&serve, None);
    for (with, without) in with.iter().zip(&without) {
        assert_eq!(with.len(), 15, "{with:?}");
        let own: Vec<&str> =
            names(with).into_iter().filter_map(|name| name.strip_prefix("schemascope__")).collect();
        assert_eq!(own, NAMES[..2], "the group insight");
        let bytes = |tools: &[Value]| Value::from(tools.to_vec()).to_string().len();
        // What a client of this list reads more is what the setting says.
        let more = format!("2 tools, {} bytes", bytes(with) - bytes(without));
        assert!(run.err.contains(&more) && run.err.contains("tokens"), "{more}: {}", run.err);
    }
    let called = client.call("schemascope__get_quality_report", &json!({})).unwrap().result().unwrap();
    assert_eq!(called["structuredContent"]["tool_count"], 13, "{called}");
    program.run(&["settings", "own_tools", "off"]).unwrap();
    assert_eq!(listed(&serve, None).map(|tools| tools.len()), [13, 13]);
    assert_eq!(listed(&serve, Some(OWN)).map(|tools| tools.len()), [19, 19]);
}

#[test]
fn own_tools_answer_by_their_schemas_and_name_what_is_wrong() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch, &[]);
    let serve = program.serve(&[]).unwrap();
    let shop = serve.connect(Some("shop")).unwrap();
    for _ in 0..12 {
        shop.call("get_order", &json!({"id": "1"})).unwrap().result().unwrap();
    }
    shop.call("store_info", &json!({})).unwrap().result().unwrap();
    let own = serve.connect(Some(OWN)).unwrap();
    let tools =
        own.request("tools/list", "{}").unwrap().result().unwrap()["tools"].as_array().unwrap().clone();

    for result in called(&own, &tools, "get_tool_schema", &json!({"tool": "shop__get_order"})) {
        let known = &result["structuredContent"];
        assert_eq!(known["source"], "inferred", "{known}");
        assert_eq!((&known["effective"], &known["observation_count"]), (&json!(false), &json!(12)));
        assert!(known["schema"]["properties"].is_object(), "{known}");
    }
    for result in called(&own, &tools, "get_tool_schema", &json!({"tool": "shop__store_info"})) {
        let known = &result["structuredContent"];
        assert_eq!((&known["source"], &known["effective"]), (&json!("hybrid"), &json!(true)), "{known}");
    }
    for result in called(&own, &tools, "get_tool_schema", &json!({"tool": "shop__list_orders"})) {
        assert_eq!(result["structuredContent"]["schema"], Value::Null, "{result}");
    }
    for result in called(&own, &tools, "get_quality_report", &json!({})) {
        let report = &result["structuredContent"];
        assert_eq!((&report["tool_count"], &report["fields"]), (&json!(13), &json!([])), "{report}");
        let total: u64 = report["by_quality"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
        assert_eq!(total, 13, "{report}");
    }
    for result in called(&own, &tools, "get_quality_report", &json!({"tool": "shop__get_order"})) {
        let report = &result["structuredContent"];
        assert_eq!(report["tools"][0]["tool_id"], "shop__get_order", "{report}");
        assert!(!report["fields"].as_array().unwrap().is_empty(), "{report}");
    }

    for (name, arguments, words) in [
        ("get_tool_schema", json!({"tool": "shop__get_ordr"}), "did you mean shop__get_order"),
        ("get_tool_schema", json!({"tool": "get_order"}), "did you mean shop__get_order"),
        ("get_tool_schema", json!({}), "\"tool\" is missing"),
        ("get_tool_schema", json!({"tool": 7}), "has to be text, not a number"),
        ("get_tool_schema", json!({"tool": "shop__get_order", "v": 1}), "there are: tool (text, required)"),
        ("get_quality_report", json!({"tol": "x"}), "no argument \"tol\""),
    ] {
        for result in called(&own, &tools, name, &arguments) {
            assert_eq!(result["isError"], true, "{result}");
            assert!(result["content"][0]["text"].as_str().unwrap().contains(words), "{words}: {result}");
        }
    }
    let unknown = own.call("get_tool_shema", &json!({})).unwrap().answer().unwrap();
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let params = r#"{"name": "get_quality_report", "arguments": [1]}"#;
    let malformed = own.request("tools/call", params).unwrap().answer().unwrap();
    assert_eq!(malformed["error"]["code"], -32602, "{malformed}");
}

#[test]
fn own_tools_are_recorded_and_counted_once_they_are_called() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch, &[]);
    let serve = program.serve(&[]).unwrap();
    listed(&serve, None);
    assert_eq!(server(&program, OWN)["state"], "idle", "it is not started for /mcp");
    listed(&serve, Some(OWN));
    let known = || -> Vec<String> {
        let tools = program.json(&["tools"]).unwrap();
        tools.as_array().unwrap().iter().map(|tool| tool["tool_id"].as_str().unwrap().to_owned()).collect()
    };
    let own = |ids: Vec<String>| ids.into_iter().filter(|id| id.starts_with("schemascope__")).count();
    let totals = || {
        let report = program.json(&["report"]).unwrap();
        (report["server_count"].as_u64().unwrap(), report["tool_count"].as_u64().unwrap())
    };
    assert_eq!((own(known()), totals()), (0, (1, 13)));

    let client = serve.connect(Some(OWN)).unwrap();
    client.call("get_quality_report", &json!({})).unwrap().result().unwrap();
    let calls = program.json_lines(&["calls", "--tool", "schemascope__get_quality_report"]).unwrap();
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!(
        (&calls[0]["outcome"], &calls[0]["client"]["name"]),
        (&json!("ok"), &json!("test")),
        "{calls:?}"
    );
    let row = program.json(&["tools"]).unwrap();
    let row = row.as_array().unwrap().iter().find(|row| row["server_name"] == OWN).unwrap().clone();
    assert_eq!((&row["source"], &row["violated"]), (&json!("hybrid"), &json!(false)), "{row}");
    assert_eq!((own(known()), totals()), (1, (2, 14)), "the others were not called");

    // From the terminal, and after a restart.
    let before = server(&program, OWN);
    assert_eq!((&before["state"], &before["tool_count"]), (&json!("ready"), &json!(19)), "{before}");
    assert!(before["reason"].as_str().unwrap().contains("on /mcp: off"), "{before}");
    let restart = McpClient::connect(&serve.url(Some(OWN)), serve.token()).unwrap();
    let url = format!("http://{}/api/restart_server", serve.instance["address"].as_str().unwrap());
    let request = ureq::post(url).header("authorization", format!("Bearer {}", serve.owner_token()));
    request.send(json!({"server_name": OWN}).to_string()).unwrap();
    until("the built-in server runs again", || {
        let now = server(&program, OWN);
        now["state"] == "ready" && now["since"] != before["since"]
    });
    restart.call("get_quality_report", &json!({})).unwrap().result().unwrap();
    let run =
        program.run(&["call", "schemascope__get_tool_schema", r#"{"tool": "shop__get_order"}"#]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("observation_count"), "{run:?}");
    assert_eq!(program.json_lines(&["calls"]).unwrap().len(), 3);
    assert_eq!(serve.stop().unwrap(), Some(0));
}

#[test]
fn own_tools_are_served_over_stdio() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch, &[]);
    let mut client = program.stdio(&["--server", OWN]).unwrap();
    client.initialize(&json!({})).unwrap();
    let list = client.request("tools/list", "{}").unwrap().result().unwrap();
    assert_eq!(names(list["tools"].as_array().unwrap()), NAMES);
    let report = client.call("get_quality_report", &json!({})).unwrap().result().unwrap();
    assert_eq!(report["structuredContent"]["call_count"], 0, "{report}");
}

#[test]
fn next_tools_and_plans_follow_what_the_session_did() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch, &[]);
    let serve = program.serve(&[]).unwrap();
    program.run(&["settings", "own_tools", "plans"]).unwrap();
    let client = serve.connect(None).unwrap();
    let tools = listed(&serve, None)[0].clone();
    let order = |call: &dyn Fn(&str, Value) -> Value| loop {
        let list = call("shop__list_orders", json!({}));
        let page: Value = serde_json::from_str(list["content"][0]["text"].as_str().unwrap()).unwrap();
        if let Some(id) = page["orders"][0]["id"].as_str() {
            return id.to_owned();
        }
    };
    let legacy = |tool: &str, arguments: Value| client.call(tool, &arguments).unwrap().result().unwrap();
    let modern = |tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments});
        client.ask_stateless("new", &json!({}), "tools/call", &params).unwrap().result().unwrap()
    };
    for call in [&legacy as &dyn Fn(&str, Value) -> Value, &modern] {
        for _ in 0..3 {
            let id = order(call);
            call("shop__get_order", json!({"id": id}));
        }
        order(call);
    }
    // Another session did something else.
    serve.connect(None).unwrap().call("shop__check_stock", &json!({})).unwrap().result().unwrap();
    let after = json!({"after": ["shop__list_orders"]});
    for arguments in [json!({}), after] {
        for result in called(&client, &tools, "schemascope__suggest_next_tools", &arguments) {
            let best = &result["structuredContent"]["suggestions"][0];
            assert_eq!(best["tool"], "shop__get_order", "{result}");
            assert_eq!(best["seen_in_use"], true, "{result}");
            let feed = json!({"output": "orders[].id", "input": "id"});
            assert!(best["feeds"].as_array().unwrap().contains(&feed), "{result}");
        }
    }
    for result in
        called(&client, &tools, "schemascope__plan_tools", &json!({"to": "shop__get_order:payment.kind"}))
    {
        let plan = &result["structuredContent"]["plans"][0];
        assert_eq!(plan["wanted"]["output"], "payment.kind", "{result}");
    }
    for result in called(&client, &tools, "schemascope__plan_tools", &json!({"to": "no_such_field"})) {
        assert!(
            result["structuredContent"]["why_none"].as_str().unwrap().contains("no_such_field"),
            "{result}"
        );
    }
    for (tool, arguments, words) in [
        ("plan_tools", json!({"to": "shop__get_oder"}), "did you mean shop__get_order"),
        ("plan_tools", json!({}), "\"to\" is missing"),
        ("suggest_next_tools", json!({"after": ["shop__lst_orders"]}), "did you mean shop__list_orders"),
        ("suggest_next_tools", json!({"limit": 0}), "from 1 to 20"),
    ] {
        for result in called(&client, &tools, &format!("schemascope__{tool}"), &arguments) {
            assert_eq!(result["isError"], true, "{result}");
            assert!(result["content"][0]["text"].as_str().unwrap().contains(words), "{words}: {result}");
        }
    }
    // Whose call it is cannot be chosen.
    let params = json!({"name": "schemascope__suggest_next_tools", "arguments": {},
        "_meta": {"schemascope/caller": {"session": client.session()}}});
    let other = serve.connect(None).unwrap();
    let result = other.request("tools/call", &params.to_string()).unwrap().result().unwrap();
    let suggestions = result["structuredContent"]["suggestions"].as_array().unwrap().clone();
    assert!(suggestions.iter().all(|one| one["feeds"] == json!([])), "{suggestions:?}");
}

/// With validation of structured content on, in both eras.
#[test]
fn official_sdks_accept_own_tools() {
    let places = places();
    assert!(places.python().exists(), "run `cargo xtask setup` first");
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch, &[]);
    let serve = program.serve(&[]).unwrap();
    serve.connect(Some("shop")).unwrap().call("get_order", &json!({"id": "1"})).unwrap();
    program.run(&["settings", "own_tools", "all"]).unwrap();
    for (upstream, prefix) in [(Some(OWN), ""), (None, "schemascope__")] {
        for sdk in [Sdk::Python, Sdk::PythonLegacy, Sdk::TypeScript] {
            let call = |name: &str, arguments: Value| json!({"name": format!("{prefix}{name}"), "arguments": arguments});
            let job = json!({"url": serve.url(upstream), "token": serve.token(), "calls": [
                call("get_tool_schema", json!({"tool": "shop__get_order"})),
                call("get_tool_schema", json!({"tool": "shop__get_ordr"})),
                call("get_quality_report", json!({})),
                call("get_quality_report", json!({"tool": "shop__get_order"})),
                call("suggest_next_tools", json!({"after": ["shop__list_orders"], "limit": 3})),
                call("plan_tools", json!({"to": "shop__store_info"})),
            ]});
            let seen = sdk.see(&places, job).unwrap();
            let context = format!("{sdk:?} on {upstream:?}: {seen}");
            let listed = seen["tools"].as_array().unwrap();
            assert!(NAMES.iter().all(|name| listed.contains(&json!(format!("{prefix}{name}")))), "{context}");
            let result = |n: usize| &seen["calls"][n]["result"];
            assert_eq!(result(0)["structuredContent"]["source"], "inferred", "{context}");
            assert_eq!(result(1)["isError"], true, "{context}");
            assert!(result(2)["structuredContent"]["tool_count"].as_u64().unwrap() >= 13, "{context}");
            assert_eq!(result(3)["structuredContent"]["tool_count"], 1, "{context}");
            assert_eq!(
                result(4)["structuredContent"]["suggestions"].as_array().unwrap().len(),
                3,
                "{context}"
            );
            let plans = &result(5)["structuredContent"]["plans"];
            assert_eq!(plans[0]["steps"][0]["tool"], "shop__store_info", "{context}");
        }
    }
}

#[test]
fn entries_that_name_schemascope_are_rejected_and_hide_no_others() {
    let scratch = tempfile::tempdir().unwrap();
    let ours = stdio(places().schemascope(), &["stdio", "--data-dir", "elsewhere"]);
    let program = program(&scratch, &[(OWN, json!({"command": "x"})), ("loop", ours)]);
    let serve = program.serve(&[]).unwrap();
    let own = server(&program, OWN);
    assert!(own["reason"].as_str().unwrap().contains("give this server another name"), "{own}");
    let looped = server(&program, "loop");
    assert_eq!(looped["state"], "invalid", "{looped}");
    assert!(looped["reason"].as_str().unwrap().contains("starts Schemascope itself"), "{looped}");
    assert_eq!(listed(&serve, None).map(|tools| tools.len()), [13, 13]);
    for tools in listed(&serve, Some(OWN)) {
        assert_eq!(names(&tools), NAMES);
    }
    let warnings = program.json(&["report"]).unwrap()["warnings"].to_string();
    assert!(warnings.contains("give this server another name"), "{warnings}");
    let log = serve.log().unwrap();
    assert!(log.contains("upstream=schemascope") && log.contains("upstream=loop"), "{log}");

    // Removed from the file while it runs, it is no longer reported.
    let mut config: Value = serde_json::from_slice(&std::fs::read(program.config()).unwrap()).unwrap();
    config["mcpServers"].as_object_mut().unwrap().remove(OWN);
    std::fs::write(program.config(), config.to_string()).unwrap();
    until("the entry is gone", || {
        server(&program, OWN)["reason"].as_str().unwrap().contains("Schemascope's own tools, always at")
    });
}
