//! The dashboard in a real browser, with a real engine and fixture upstreams.
//!
//! `tests/dashboard/NAME.mjs` says what a page must do; this file runs the engine and answers the scenario's
//! requests. Every scenario fails on an error on the console and on a request to another host (`page.mjs`).
#![allow(clippy::print_stderr, reason = "figures are for people")]

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use schemascope_test_support::{McpClient, Places, Program, Serve, Streamed, play, stdio};
use serde_json::{Map, Value, json};

/// A name with markup and a direction override; see the hostile upstream.
const MARKUP: &str = "<img src=x onerror=\"window.__pwned=1\"> \u{202E}gnp.exe";
/// Clients that call at the same time.
const CLIENTS: u64 = 4;

/// An engine with upstreams, which answers the requests of scenarios.
struct Stage {
    places: Places,
    program: Program,
    serve: Option<Serve>,
    client: Option<McpClient>,
    client_name: &'static str,
    _scratch: tempfile::TempDir,
}

impl Stage {
    /// An engine with these fixtures under their own names.
    fn new(fixtures: &[&str]) -> Self {
        let entries: Vec<(&str, &str, &[&str])> =
            fixtures.iter().map(|name| (*name, *name, &[] as &[&str])).collect();
        Self::with(&entries)
    }

    /// An engine with fixtures: name, binary, arguments.
    fn with(entries: &[(&str, &str, &[&str])]) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
        let servers = entries
            .iter()
            .map(|(name, binary, args)| ((*name).to_owned(), stdio(places.fixture(binary), args)));
        let program = Program::new(&places, scratch.path(), &Map::from_iter(servers)).unwrap();
        let serve = program.serve(&[]).unwrap();
        Self { places, program, serve: Some(serve), client: None, client_name: "test", _scratch: scratch }
    }

    fn serve(&self) -> &Serve {
        self.serve.as_ref().unwrap()
    }

    fn address(&self) -> String {
        self.serve().instance["address"].as_str().unwrap().to_owned()
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        if self.client.is_none() {
            self.client = Some(self.serve().connect_as(self.client_name)?);
        }
        self.client.as_ref().unwrap().call(tool, arguments)?.answer()
    }

    /// Makes several calls of the shop.
    fn busy(mut self) -> Self {
        for n in 0..12 {
            for tool in ["get_order", "list_orders", "store_info", "exchange_rates", "shipping_label"] {
                self.call(&format!("shop__{tool}"), &json!({"id": n.to_string()})).unwrap();
            }
        }
        self.call("shop__refund", &json!({"id": "1"})).unwrap();
        self.call("shop__refund", &json!({})).unwrap();
        self
    }

    /// The names of all tools, as an agent sees them.
    fn tools(&mut self) -> Result<Value> {
        let list = self.serve().connect(None)?.request("tools/list", "{}")?.result()?;
        let tools = list["tools"].as_array().cloned().unwrap_or_default();
        Ok(tools.into_iter().map(|tool| tool["name"].clone()).collect())
    }

    fn recorded(&self) -> Result<Value> {
        Ok(self.program.json(&["report"])?["call_count"].clone())
    }

    /// Runs a scenario; `more` answers its own requests. Returns its output.
    fn play(mut self, name: &str, mut more: impl FnMut(&mut Self, &str, &Value) -> Result<Value>) -> String {
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../../tests/dashboard/{name}.mjs"));
        let serve = self.serve();
        let job = json!({
            "address": self.address(), "token": serve.owner_token(), "agent_token": serve.token(),
        });
        let places = self.places.clone();
        let played = play(&places, &script, &job, |ask, question| match ask {
            "call" => self.call(question["tool"].as_str().unwrap_or_default(), &question["args"]),
            "recorded" => self.recorded(),
            "newest" => Ok(self.program.json_lines(&["calls", "--limit", "1"])?[0]["id"].clone()),
            ask => more(&mut self, ask, question),
        });
        played.unwrap_or_else(|error| panic!("{error:#}\n--- serve\n{}", self.log()))
    }

    fn log(&self) -> String {
        self.serve.as_ref().map(|serve| serve.log().unwrap_or_default()).unwrap_or_default()
    }
}

/// For scenarios without requests of their own.
fn no_requests(_: &mut Stage, ask: &str, _: &Value) -> Result<Value> {
    bail!("unknown request {ask:?}")
}

#[test]
fn calls_appear_without_reload() {
    let crash: (&str, &str, &[&str]) = ("crash", "faulty", &["crash"]);
    let shop: (&str, &str, &[&str]) = ("shop", "shop", &["--step-ms", "600000"]);
    let mut slow = None;
    Stage::with(&[shop, ("odd", "odd", &[]), crash]).play("live", |stage, ask, _| {
        let client = stage.client.as_ref().unwrap();
        match ask {
            "begin" => {
                let call = json!({"name": "shop__rebuild_catalog", "arguments": {}});
                let body = json!({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": call});
                let headers = [("mcp-session-id", client.session())];
                slow = Some(Streamed::post(stage.serve(), None, &headers, &body)?);
                Ok(Value::Null)
            }
            "end" => {
                client.notify("notifications/cancelled", r#"{"requestId":"slow"}"#)?;
                slow = None;
                Ok(Value::Null)
            }
            "listed" => Ok(stage.program.run(&["calls"])?.out.into()),
            ask => bail!("unknown request {ask:?}"),
        }
    });
}

#[test]
fn filter_keys_palette_and_links_open_pages() {
    Stage::new(&["shop", "odd"]).busy().play("places", no_requests);
}

#[test]
fn fields_stay_open_while_calls_arrive() {
    Stage::new(&["shop"]).play("fields", no_requests);
}

#[test]
fn fields_explain_their_schema() {
    Stage::new(&["shop"]).play("explains", no_requests);
}

#[test]
fn failures_in_text_are_counted_and_taken_back() {
    let trace = |n: u64| match n % 4 {
        3 => {
            json!({"tool_id": "docs__search", "output": format!("Error searching libraries: <b>attempt</b> {n}")})
        }
        _ => json!({"tool_id": "docs__search", "output": {"id": n, "title": format!("t{n}")}}),
    };
    Stage::new(&["shop"]).play("failing", |stage, _, _| {
        let lines: Vec<String> = (0..40).map(|n| trace(n).to_string()).collect();
        let run = stage.program.run_with_input(&["backfill", "-"], &lines.join("\n"))?;
        Ok(json!(run.code))
    });
}

#[test]
fn decisions_are_taken_with_their_impact() {
    Stage::with(&[("shop", "shop", &["--drift-after", "44"])]).play("decide", no_requests);
}

#[test]
fn review_keeps_to_one_tool_and_decides_several() {
    Stage::new(&["shop"]).play("queue", no_requests);
}

#[test]
fn settings_are_saved_and_rules_tested() {
    Stage::new(&["shop"]).busy().play("settings", |stage, ask, _| match ask {
        "settings" => stage.program.json(&["settings"]),
        ask => bail!("unknown request {ask:?}"),
    });
}

#[test]
fn wrappers_edited_by_hand_are_decided_about() {
    const FILE: &str = "servers/shop/get_order.py";
    Stage::new(&["shop"]).play("wrappers", |stage, ask, _| {
        let folder = stage.program.config().with_file_name("wrappers");
        let read = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
        match ask {
            "generate" => {
                let done = stage.program.run(&["generate", "--out", &folder.to_string_lossy()])?;
                anyhow::ensure!(done.code == Some(0), "{done:?}");
                Ok(Value::Null)
            }
            "edit" => {
                let text = read(FILE).unwrap_or_default();
                let text = text.replace("async def get_order", "# <b>note</b>\nasync def get_order");
                std::fs::write(
                    folder.join(FILE),
                    format!("# mine\n{}", text.trim_start_matches("# mine\n")),
                )?;
                Ok(Value::Null)
            }
            "promote" => {
                let promote = ["promote", "shop__get_order", "--reason", "test"];
                let done = stage.program.run(&promote)?;
                anyhow::ensure!(done.code == Some(0), "{done:?}");
                Ok(Value::Null)
            }
            "files" => Ok(json!({"text": read(FILE), "beside": read(&format!("{FILE}.new"))})),
            ask => bail!("unknown request {ask:?}"),
        }
    });
}

#[test]
fn graph_shows_which_tool_feeds_which() {
    Stage::new(&["shop"]).play("graph", no_requests);
}

#[test]
fn drift_is_listed_until_resolved() {
    Stage::with(&[("shop", "shop", &["--drift-after", "44"])]).play("drift", no_requests);
}

#[test]
fn pages_fit_every_theme_and_size() {
    Stage::new(&["shop", "odd"]).busy().play("looks", no_requests);
}

#[test]
fn pages_are_accessible() {
    let broken: (&str, &str, &[&str]) = ("broken", "faulty", &["exit"]);
    Stage::with(&[("shop", "shop", &[]), ("odd", "odd", &[]), broken]).busy().play("axe", no_requests);
}

#[test]
fn page_reconnects_after_engine_restart() {
    let stage = Stage::new(&["shop"]).busy();
    let address = stage.address();
    stage.play("reconnect", move |stage, ask, _| match ask {
        "kill" => {
            stage.client = None;
            stage.serve.take().unwrap().kill()?;
            Ok(Value::Null)
        }
        "serve" => {
            stage.serve = Some(stage.program.serve_on(&address, &[])?);
            Ok(Value::Null)
        }
        "hang" => stage.serve().signal("STOP").map(|()| Value::Null),
        "go on" => stage.serve().signal("CONT").map(|()| Value::Null),
        ask => bail!("unknown request {ask:?}"),
    });
}

#[test]
fn page_shows_nothing_without_token() {
    Stage::new(&["shop"]).busy().play("token", no_requests);
}

#[test]
fn hostile_upstream_stays_text() {
    let mut stage = Stage::with(&[("hostile", "hostile", &[]), (MARKUP, "hostile", &[])]);
    stage.client_name = MARKUP;
    stage.play("hostile", |stage, ask, _| match ask {
        "tools" => stage.tools(),
        ask => bail!("unknown request {ask:?}"),
    });
}

#[test]
fn list_of_calls_handles_load() {
    let output = Stage::new(&["shop"]).play("load", |stage, ask, question| match ask {
        "press" => press(stage.serve(), question),
        ask => bail!("unknown request {ask:?}"),
    });
    eprintln!("{output}");
}

#[test]
fn servers_show_reason_and_restart() {
    let broken: (&str, &str, &[&str]) = ("broken", "faulty", &["exit"]);
    Stage::with(&[("shop", "shop", &[]), broken]).play("servers", no_requests);
}

#[test]
fn proposed_tools_are_called_for_discovery() {
    Stage::new(&["shop", "odd"]).play("discovery", |stage, ask, _| match ask {
        "calls" => Ok(stage.program.json_lines(&["calls"])?.into()),
        "file" => {
            let file = stage.program.config().with_file_name("discovery_config.json");
            Ok(serde_json::from_str(&std::fs::read_to_string(file)?)?)
        }
        ask => bail!("unknown request {ask:?}"),
    });
}

#[test]
fn command_line_tools_are_added_and_requests_decided() {
    Stage::new(&["shop"]).play("cli_tools", |stage, ask, question| match ask {
        "tools" => stage.tools(),
        "register" => {
            let agent = stage.serve().connect(Some("schemascope"))?;
            agent.call("register_cli_tool", &question["args"])?.result()
        }
        "calls" => {
            let calls = stage.program.json_lines(&["calls"])?;
            Ok(calls.into_iter().map(|call| call["tool_id"].clone()).collect())
        }
        ask => bail!("unknown request {ask:?}"),
    });
}

#[test]
fn interviews_are_conducted_and_calls_of_agents_appear() {
    Stage::new(&["shop"]).play("interviews", |stage, ask, question| match ask {
        "agent" => {
            let agent = stage.serve().connect(Some("schemascope"))?;
            let tool = question["tool"].as_str().unwrap_or_default();
            let result = agent.call(tool, &question["args"])?.result()?;
            Ok(result["structuredContent"].clone())
        }
        "orders" => stage.serve().connect(Some("shop"))?.call("list_orders", &json!({}))?.result(),
        ask => bail!("unknown request {ask:?}"),
    });
}

#[test]
fn disabled_recording_is_shown() {
    let mut stage = Stage::new(&["shop"]);
    stage.serve.take().unwrap().stop().unwrap();
    stage.serve = Some(stage.program.serve(&["--record", "off"]).unwrap());
    stage.play("unrecorded", no_requests);
}

/// Makes `calls` calls with several clients, `rate` per second if given. Returns the time it took, in seconds.
fn press(serve: &Serve, question: &Value) -> Result<Value> {
    let calls = question["calls"].as_u64().unwrap_or_default();
    let pace = question["rate"].as_u64().map(|rate| Duration::from_secs(CLIENTS) / rate as u32);
    let began = Instant::now();
    std::thread::scope(|scope| {
        let one = |first: u64| -> Result<()> {
            let client = serve.connect(None)?;
            let mut next = began;
            for _ in (first..calls).step_by(CLIENTS as usize) {
                client.call("shop__get_order", &json!({"id": "1"}))?;
                next += pace.unwrap_or_default();
                std::thread::sleep(next.saturating_duration_since(Instant::now()));
            }
            Ok(())
        };
        let clients: Vec<_> = (0..CLIENTS).map(|first| scope.spawn(move || one(first))).collect();
        clients.into_iter().try_for_each(|client| client.join().unwrap())
    })?;
    Ok(json!(began.elapsed().as_secs_f64()))
}
