//! The process that runs the proxy ends, and clients notice as little as possible.

use super::*;

fn ok_calls(program: &Program) -> usize {
    let calls = program.json_lines(&["calls"]).unwrap();
    calls.iter().filter(|call| call["outcome"] == "ok").count()
}

/// Kill -9 of the process that runs the proxy: the others report which calls are lost, and continue.
#[test]
fn sessions_outlive_the_process_that_runs_the_proxy() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let owner = client(&program, &[]);
    assert_eq!(program.instance().unwrap()["pid"], owner.pid());
    let mut clients = [client(&program, &[]), client(&program, &["--server", "shop"])];
    let names = ["shop__", ""];
    let mut answered = 0;
    for round in 0..3 {
        for (client, prefix) in clients.iter_mut().zip(names) {
            for tool in ["store_info", "list_orders"] {
                assert!(client.call(&format!("{prefix}{tool}"), &json!({})).unwrap().result().is_ok());
                answered += 1;
            }
        }
        assert_eq!(round + 1, answered / 4);
    }
    let slow: Vec<String> = clients
        .iter_mut()
        .zip(names)
        .map(|(client, prefix)| {
            client.begin_call(&format!("{prefix}rebuild_catalog"), &json!({"steps": 100_000})).unwrap()
        })
        .collect();
    // A call is in the journal 50 ms after its answer at the latest.
    until("the answered calls are recorded", || ok_calls(&program) == answered);
    owner.kill().unwrap();
    for ((client, prefix), slow) in clients.iter_mut().zip(names).zip(slow) {
        let (code, message) = error(&client.answer(&slow).unwrap());
        assert_eq!(code, -32603);
        assert!(message.contains("may or may not have been carried out"), "{message}");
        let began = Instant::now();
        for tool in ["store_info", "list_orders"] {
            client.call(&format!("{prefix}{tool}"), &json!({})).unwrap().result().unwrap();
            answered += 1;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
        let listed = client.request("tools/list", "{}").unwrap().result().unwrap();
        assert!(listed["tools"].as_array().unwrap().len() >= 13, "{listed}");
    }
    let pid = program.instance().unwrap()["pid"].as_u64().unwrap();
    assert!(clients.iter().any(|client| u64::from(client.pid()) == pid), "{pid}");
    assert_eq!(ok_calls(&program), answered);
    let mut fourth = client(&program, &[]);
    assert!(fourth.call("shop__store_info", &json!({})).unwrap().result().is_ok());
}

/// Requests that only ask are repeated at the next instance; clients do not notice.
#[test]
fn reading_requests_are_repeated_after_a_kill() {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    // Takes its time to start, so that the list is under way when the proxy ends.
    let shop = places.fixture("shop").display().to_string();
    let late = stdio("sh", &["-c", &format!("sleep 1; exec '{shop}'")]);
    let servers = Map::from_iter([("late".to_owned(), late)]);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let owner = program.serve(&[]).unwrap();
    let mut clients = [client(&program, &[]), program.stdio(&[]).unwrap()];
    let asked =
        [clients[0].ask("tools/list", "{}").unwrap(), clients[1].ask("tools/list", &modern("")).unwrap()];
    let idle = |servers: Value| servers["servers"][0]["state"] == "idle";
    until("the list is under way", || !idle(program.json(&["servers"]).unwrap()));
    owner.kill().unwrap();
    for (client, asked) in clients.iter_mut().zip(asked) {
        let listed = client.answer(&asked).unwrap().result().unwrap();
        assert_eq!(listed["tools"].as_array().unwrap().len(), 13, "{listed}");
    }
}

/// Subscriptions of a client apply to the next instance; questions of the previous instance are withdrawn.
#[test]
fn subscriptions_continue_and_questions_are_withdrawn_after_a_kill() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let owner = program.serve(&[]).unwrap();
    let watched = r#"{"uri":"test://watched-resource"}"#;
    let [mut all, mut one] = [&[][..], &["--server", "conformance"]].map(|args| {
        let mut client = program.stdio(args).unwrap();
        client.initialize(&json!({"sampling": {}})).unwrap();
        client
    });
    let mut stateless = program.stdio(&["--server", "conformance"]).unwrap();
    for client in [&mut all, &mut one] {
        assert!(client.request("resources/subscribe", watched).unwrap().result().is_ok());
    }
    let filter = modern(r#","notifications":{"resourceSubscriptions":["test://watched-resource"]}"#);
    stateless.ask_as("\"watch\"", "subscriptions/listen", &filter).unwrap();
    stateless.told("notifications/subscriptions/acknowledged").unwrap();
    let asking = one.ask_call("test_sampling", &json!({"prompt": "hi"})).unwrap();
    let question = one.told("sampling/createMessage").unwrap();

    owner.kill().unwrap();
    let withdrawn = one.told("notifications/cancelled").unwrap();
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    assert_eq!(error(&one.answer(&asking).unwrap()).0, -32603);
    // Too late: it is not taken for the answer to another question.
    let late = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "late"}}});
    let asking = one.ask_call("test_sampling", &json!({"prompt": "again"})).unwrap();
    let question = one.told("sampling/createMessage").unwrap();
    one.say(&late.to_string()).unwrap();
    one.say(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "in time"}}}).to_string()).unwrap();
    assert!(text(&one.answer(&asking).unwrap()).contains("in time"));

    // Streams are opened again in their own time. Each of them has a process of its own there.
    let told = |who: &str, client: &mut StdioClient, change: &str| {
        let updated = until(&format!("{who} is notified of the update"), || {
            client.request("tools/call", change).unwrap().result().unwrap();
            let lines = client.unread();
            assert!(lines.iter().all(|line| !line.contains("acknowledged")), "{lines:?}");
            lines.into_iter().find(|line| line.contains("notifications/resources/updated"))
        });
        assert!(updated.contains("test://watched-resource"), "{updated}");
    };
    told("the client of /mcp", &mut all, r#"{"name":"conformance__test_trigger_resource_change"}"#);
    told("the client of one server", &mut one, r#"{"name":"test_trigger_resource_change"}"#);
    told("the stateless client", &mut stateless, &modern(r#","name":"test_trigger_resource_change""#));
}

/// An owner whose own client has closed its stdin hands over, with nothing lost.
#[test]
fn owner_that_ends_hands_over() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let mut owner = client(&program, &[]);
    assert_eq!(program.instance().unwrap()["pid"], owner.pid());
    let address = program.instance().unwrap()["address"].clone();
    let mut other = client(&program, &[]);
    for client in [&mut owner, &mut other] {
        client.call("shop__store_info", &json!({})).unwrap();
    }
    let under_way = other.begin_call("shop__rebuild_catalog", &json!({"steps": 15})).unwrap();
    assert_eq!(owner.close().unwrap(), Some(0));
    assert!(other.answer(&under_way).unwrap().result().is_ok());
    // Also if it asks for nothing: others depend on it.
    until("the other client takes over", || program.instance().unwrap()["pid"] == other.pid());
    assert_eq!(program.instance().unwrap()["address"], address);
    other.call("shop__store_info", &json!({})).unwrap().result().unwrap();
    assert_eq!(program.json_lines(&["calls"]).unwrap().len(), 4);
    // And to what is started by hand.
    assert_eq!(other.close().unwrap(), Some(0));
    let serve = program.serve(&[]).unwrap();
    let mut client = client(&program, &[]);
    assert_eq!(program.instance().unwrap()["pid"], serve.pid());
    client.call("shop__store_info", &json!({})).unwrap().result().unwrap();
}
