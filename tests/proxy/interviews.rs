//! Interviews as agents conduct them: over MCP in both eras, with the prompts alone, and beside a person.

mod automatic;
mod minizinc;
mod sdks;
mod stored;

use schemascope_test_support::{McpClient, Places, Program, stdio, until};
use serde_json::{Map, Value, json};

const OWN: Option<&str> = Some("schemascope");

fn program(scratch: &tempfile::TempDir) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    Program::new(&places, scratch.path(), &Map::new()).unwrap()
}

/// Calls a tool. Its result has to fit the schema the tool declares.
fn call(client: &McpClient, tools: &[Value], stateless: bool, name: &str, arguments: &Value) -> Value {
    let params = json!({"name": name, "arguments": arguments});
    let exchange = match stateless {
        true => client.ask_stateless("new", &json!({}), "tools/call", &params).unwrap(),
        false => client.request("tools/call", &params.to_string()).unwrap(),
    };
    let result = exchange.result().unwrap();
    assert_ne!(result["isError"], true, "{name}: {result}");
    let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
    let validator = jsonschema::validator_for(&tool["outputSchema"]).unwrap();
    let structured = &result["structuredContent"];
    let errors: Vec<String> = validator.iter_errors(structured).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{name}: {errors:?}: {structured}");
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, *structured, "clients that read text only get the same");
    structured.clone()
}

fn tools(client: &McpClient) -> Vec<Value> {
    client.request("tools/list", "{}").unwrap().result().unwrap()["tools"].as_array().unwrap().clone()
}

fn answers() -> String {
    let step = |name: &str, minutes: &str, from: &str, resource: &str| {
        json!({
            "process-id": name,
            "inputs": [{"item-id": "x", "from": from}],
            "resources": [resource],
            "duration": {"units": "minutes", "value-string": minutes},
        })
    };
    let answers = [
        json!({
            "product-or-service-name": "rye bread",
            "scheduling-challenges": ["The oven is always full."],
            "one-more-thing": "Nothing else.",
        }),
        json!({
            "principal-problem-type": "FLOW-SHOP-SCHEDULING-PROBLEM", "continuous?": false, "cyclical?": true,
            "problem-components": ["FLOW-SHOP-SCHEDULING-PROBLEM"],
        }),
        json!({
            "process-id": "rye-bread",
            "duration": {"units": "hours", "value-string": "3"},
            "subprocesses": [
                step("mix", "30", "supplier", "baker"),
                step("heat", "40", "supplier", "baker"),
                step("bake", "1 to 2", "mix", "oven"),
            ],
            "exhausted?": true,
        }),
    ];
    answers.map(|answer| format!("{answer}\n\n")).concat()
}

#[test]
fn agent_conducts_an_interview_in_both_eras_as_the_prompt_says() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(OWN).unwrap();
    let prompts = client.request("prompts/list", "{}").unwrap().result().unwrap();
    let names: Vec<&str> = prompts["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| prompt["name"].as_str().unwrap())
        .collect();
    assert_eq!((names[0], names.len()), ("interview", 5), "one for each interviewer type");
    let params = json!({"name": "interview", "arguments": {"topic": "the bakery"}}).to_string();
    let prompt = client.request("prompts/get", &params).unwrap().result().unwrap();
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("start_interview") && text.contains("the bakery"), "{text}");

    let tools = tools(&client);
    for stateless in [false, true] {
        let call = |name: &str, arguments: &Value| call(&client, &tools, stateless, name, arguments);
        let place = call("start_interview", &json!({"project_name": "Bakery"}));
        let with = |more: Value| {
            let mut all = place.clone();
            all.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            all
        };
        // Everything in the order that is recommended, until nothing is left for a shop of this kind.
        let answers = json!({
            "process/warm-up-with-challenges":
                {"product-or-service-name": "bread", "scheduling-challenges": ["late orders"], "one-more-thing": "none"},
            "process/scheduling-problem-type": {
                "principal-problem-type": "PROJECT-SCHEDULING-PROBLEM", "problem-components": ["FLOW-SHOP-SCHEDULING-PROBLEM"],
                "continuous?": false, "cyclical?": true,
            },
        });
        let mut pursued = Vec::new();
        loop {
            let next = call("get_next_ds", &place);
            let Some(id) = next["ds_id"].as_str() else {
                assert!(next["rationale"].as_str().unwrap().contains("exhausted"), "{next}");
                break;
            };
            assert!(!pursued.contains(&id.to_owned()), "{id} is recommended again");
            pursued.push(id.to_owned());
            call("start_ds_pursuit", &with(json!({"ds_id": id})));
            let Some(answer) = answers.get(id) else {
                call("finalize_ds", &with(json!({"ds_id": id, "force": true})));
                continue;
            };
            for (key, value) in answer.as_object().unwrap() {
                let question = call("get_next_question", &with(json!({"ds_id": id})));
                assert!(
                    question["question"].as_str().is_some_and(|question| question.len() > 5),
                    "{question}"
                );
                let given =
                    json!({"ds_id": id, "question_id": question["question_id"], "answer": {key: value}});
                let read = call("process_ds_answer", &with(given));
                assert_eq!(read["updated_ascr"][key], *value, "{read}");
                if read["next_action"] == "complete" {
                    break;
                }
            }
            let done = call("finalize_ds", &with(json!({"ds_id": id})));
            assert_eq!(done["success"], true, "{id}: {done}");
        }
        assert_eq!(
            &pursued[..3],
            ["process/warm-up-with-challenges", "process/scheduling-problem-type", "data/orm"]
        );
        let found = call("get_aggregated_scr", &place);
        assert!(found["scr_by_ds"].to_string().contains("late orders"), "{found}");
    }
}

#[test]
fn interview_continues_after_a_kill_and_wrong_arguments_say_what_is_right() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(OWN).unwrap();
    let tools = tools(&client);
    let place = call(&client, &tools, false, "start_interview", &json!({"project_name": "Bakery"}));
    let with = |more: Value| {
        let mut all = place.clone();
        all.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        all
    };
    let rejected = |name: &str, arguments: Value| {
        let result = client.call(name, &arguments).unwrap().result().unwrap();
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    };
    assert!(rejected("get_next_question", place.clone()).contains("start_ds_pursuit"));
    let unknown = rejected("start_ds_pursuit", with(json!({"ds_id": "process/flow-shp"})));
    assert!(unknown.contains("process/flow-shop"), "{unknown}");
    let unmet = rejected("start_ds_pursuit", with(json!({"ds_id": "process/flow-shop"})));
    assert!(unmet.contains("process/scheduling-problem-type"), "{unmet}");
    call(
        &client,
        &tools,
        false,
        "start_ds_pursuit",
        &with(json!({"ds_id": "process/warm-up-with-challenges"})),
    );
    let question = call(&client, &tools, false, "get_next_question", &place);
    let large = json!({"question_id": question["question_id"], "answer": "x".repeat(300_000)});
    assert!(rejected("process_ds_answer", with(large)).contains("256"));
    let wrong = json!({"question_id": question["question_id"], "answer": {"colour": "red"}});
    assert!(rejected("process_ds_answer", with(wrong)).contains("colour"));
    let given = json!({"question_id": question["question_id"], "answer": "bread"});
    let read = call(&client, &tools, false, "process_ds_answer", &with(given));
    serve.kill().unwrap();

    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(OWN).unwrap();
    let status = call(&client, &tools, false, "get_ds_status", &place);
    assert_eq!(status["data_structure"], read["updated_ascr"], "what was acknowledged is there");
    assert_eq!(status["budget_used"], 0.1);

    // The person at the terminal sees it, and goes on with it.
    let list = program.json(&["interview", "list"]).unwrap();
    assert_eq!(
        (&list[0]["project_name"], list[0]["pursuits"].as_array().unwrap().len()),
        (&json!("Bakery"), 1),
        "{list}"
    );
    let next = program.json(&["interview", "ask", "bakery"]).unwrap();
    assert_ne!(next["question_id"], question["question_id"]);
    let run = program.run(&["interview", "answer", "bakery", "late orders\u{200f}\ntoo few ovens"]).unwrap();
    assert!(run.code == Some(0) && run.out.contains("too few ovens"), "{run:?}");
    // A further answer would be one to a question that no one has read.
    let run = program.run(&["interview", "answer", "bakery", "yes"]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("no question is open"), "{run:?}");
    let run = program.run(&["interview", "answer", "bakerry", "x"]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("did you mean Bakery?"), "{run:?}");
    let exported = program.run(&["interview", "export"]).unwrap().out;
    assert!(exported.contains("late orders\\u200f"), "nothing is replaced: {exported}");
    let file = scratch.path().join("interviews.json");
    std::fs::write(&file, &exported).unwrap();
    let other = program.on(scratch.path().join("other"));
    other.run(&["interview", "import", file.to_str().unwrap()]).unwrap();
    assert_eq!(other.run(&["interview", "export"]).unwrap().out, exported, "equal bytes");
    let broken = scratch.path().join("broken.json");
    std::fs::write(&broken, "{\n \"DS\": 3}").unwrap();
    let run = program.run(&["interview", "check", broken.to_str().unwrap()]).unwrap();
    assert!(run.code == Some(1) && run.out.contains("line "), "{run:?}");
    program.run(&["interview", "delete", "bakery", "--yes"]).unwrap();
    let run = program.run(&["interview", "start", "--name", "Early", "--ds", "process/flow-shop"]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("process/scheduling-problem-type"), "{run:?}");
    assert_eq!(program.json(&["interview", "list"]).unwrap(), json!([]));
}

#[test]
fn what_people_know_of_fields_becomes_descriptions_once_it_is_accepted() {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let serve = program.serve(&[]).unwrap();
    let shop = serve.connect(Some("shop")).unwrap();
    for id in 1..=12 {
        shop.call("list_orders", &json!({"limit": id})).unwrap().result().unwrap();
    }
    let promoted = program.run(&["promote", "shop__list_orders", "--reason", "seen"]).unwrap();
    assert_eq!(promoted.code, Some(0), "{promoted:?}");
    let client = serve.connect(None).unwrap();
    let advertised = || {
        let listed = tools(&client);
        let tool = listed.iter().find(|tool| tool["name"] == "shop__list_orders").unwrap();
        tool["outputSchema"].to_string()
    };
    assert!(advertised().contains("total") && !advertised().contains("description"), "{}", advertised());
    let before = program.json(&["schema", "shop__list_orders"]).unwrap();
    assert!(!before.to_string().contains("description"), "{before}");

    let own = serve.connect(OWN).unwrap();
    let tools = tools(&own);
    let call = |name: &str, arguments: &Value| call(&own, &tools, false, name, arguments);
    let place = call("start_interview", &json!({}));
    let with = |more: Value| {
        let mut all = place.clone();
        all.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        all
    };
    let next = call("get_next_ds", &with(json!({"tool_id": "shop__list_orders"})));
    assert!(next["ds_id"].as_str().unwrap().starts_with("tool/"), "{next}");
    let about = json!({"ds_id": "tool/output-fields", "tool_id": "shop__list_orders"});
    call("start_ds_pursuit", &with(about));
    let question = call("get_next_question", &with(json!({"ds_id": "tool/output-fields"})));
    assert!(question["table_template"].as_str().unwrap().contains("orders[].id"), "{question}");
    let answer = json!({"fields": [
        {"field-id": "orders[].id", "meaning": "Number of the order", "unit": "none"},
        {"field-id": "orders[].total", "meaning": "What the customer pays", "unit": "euros"},
    ], "exhausted?": true});
    let given =
        json!({"ds_id": "tool/output-fields", "question_id": question["question_id"], "answer": answer});
    call("process_ds_answer", &with(given));
    let done = call("finalize_ds", &with(json!({"ds_id": "tool/output-fields"})));
    assert_eq!(done["success"], true, "{done}");

    let proposals = program.json(&["interview", "descriptions"]).unwrap();
    let id = proposals[0]["proposal_id"].as_str().unwrap().to_owned();
    assert_eq!(
        (&proposals[0]["tool_id"], &proposals[0]["accepted"]),
        (&json!("shop__list_orders"), &Value::Null)
    );
    assert_eq!(
        program.json(&["schema", "shop__list_orders"]).unwrap(),
        before,
        "nothing changes before a person says so"
    );
    program.run(&["interview", "descriptions", &id, "--accept"]).unwrap();
    let after = program.json(&["schema", "shop__list_orders"]).unwrap();
    let order = &after["properties"]["orders"]["items"]["properties"];
    assert_eq!(order["id"]["description"], "Number of the order. Unit: none.", "{after}");
    assert!(advertised().contains("What the customer pays"), "{}", advertised());
    let out = scratch.path().join("wrappers");
    program.run(&["generate", "--lang", "python", "--out", out.to_str().unwrap(), "--no-discover"]).unwrap();
    let wrapper = std::fs::read_to_string(out.join("servers/shop/list_orders.py")).unwrap();
    assert!(wrapper.contains("What the customer pays"), "{wrapper}");
    program.run(&["interview", "descriptions", &id, "--undo"]).unwrap();
    assert!(!advertised().contains("description"), "{}", advertised());
    assert_eq!(program.json(&["schema", "shop__list_orders"]).unwrap(), before);
}
