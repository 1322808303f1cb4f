//! The dashboard in a real browser, before a real engine and real upstreams.
//!
//! What a page must do is written in `tests/dashboard/NAME.mjs`; here is what happens behind it. Every
//! scenario fails on an error on the console and on a request that leaves the engine (`page.mjs`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]
#![allow(clippy::print_stderr, reason = "figures are for people")]

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use schemascope_test_support::{McpClient, Places, Program, Serve, play, stdio};
use serde_json::{Map, Value, json};

/// What a name can carry; see the hostile upstream.
const MARKUP: &str = "<img src=x onerror=\"window.__pwned=1\"> \u{202E}gnp.exe";
/// Clients that press at once.
const CLIENTS: u64 = 4;

/// An engine with upstreams, and the answers to what scenarios ask.
struct Stage {
    places: Places,
    program: Program,
    serve: Option<Serve>,
    client: Option<McpClient>,
    client_name: &'static str,
    _scratch: tempfile::TempDir,
}

impl Stage {
    /// With these fixtures under their own names.
    fn new(fixtures: &[&str]) -> Self {
        let entries: Vec<(&str, &str, &[&str])> =
            fixtures.iter().map(|name| (*name, *name, &[] as &[&str])).collect();
        Self::with(&entries)
    }

    /// With fixtures: name, binary, arguments.
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

    /// Several calls of the shop, so that there is something to look at.
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

    /// Plays a scenario; `more` answers what is not of every scenario. Gives what it told.
    fn play(mut self, name: &str, more: impl Fn(&mut Self, &str, &Value) -> Result<Value>) -> String {
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../../tests/dashboard/{name}.mjs"));
        let job = json!({"address": self.address(), "token": self.serve().token()});
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

/// Of scenarios that ask for nothing of their own.
fn nothing_more(_: &mut Stage, ask: &str, _: &Value) -> Result<Value> {
    bail!("nobody answers {ask:?}")
}

#[test]
fn what_happens_shows_by_itself() {
    let crash: (&str, &str, &[&str]) = ("crash", "faulty", &["crash"]);
    Stage::with(&[("shop", "shop", &[]), ("odd", "odd", &[]), crash]).play("live", nothing_more);
}

#[test]
fn filter_keys_palette_and_links_lead_there() {
    Stage::new(&["shop", "odd"]).busy().play("places", nothing_more);
}

#[test]
fn fields_open_and_stay_open() {
    Stage::new(&["shop"]).play("fields", nothing_more);
}

#[test]
fn schemas_are_explained() {
    Stage::new(&["shop"]).play("explains", nothing_more);
}

#[test]
fn a_person_decides() {
    Stage::with(&[("shop", "shop", &["--drift-after", "44"])]).play("decide", nothing_more);
}

#[test]
fn settings_are_kept_and_rules_tried() {
    Stage::new(&["shop"]).busy().play("settings", |stage, ask, _| match ask {
        "settings" => stage.program.json(&["settings"]),
        ask => bail!("nobody answers {ask:?}"),
    });
}

#[test]
fn drift_is_told_until_it_is_taken_in() {
    Stage::with(&[("shop", "shop", &["--drift-after", "44"])]).play("drift", nothing_more);
}

#[test]
fn themes_and_sizes_fit() {
    Stage::new(&["shop", "odd"]).busy().play("looks", nothing_more);
}

#[test]
fn nothing_is_in_the_way_of_assistive_technology() {
    let broken: (&str, &str, &[&str]) = ("broken", "faulty", &["exit"]);
    Stage::with(&[("shop", "shop", &[]), ("odd", "odd", &[]), broken]).busy().play("axe", nothing_more);
}

#[test]
fn a_page_outlives_its_engine() {
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
        ask => bail!("nobody answers {ask:?}"),
    });
}

#[test]
fn without_the_token_there_is_nothing_to_see() {
    Stage::new(&["shop"]).busy().play("token", nothing_more);
}

#[test]
fn what_upstreams_say_stays_text() {
    let mut stage = Stage::with(&[("hostile", "hostile", &[]), (MARKUP, "hostile", &[])]);
    stage.client_name = MARKUP;
    stage.play("hostile", |stage, ask, _| match ask {
        "tools" => stage.tools(),
        ask => bail!("nobody answers {ask:?}"),
    });
}

#[test]
fn the_list_of_calls_bears_load() {
    let told = Stage::new(&["shop"]).play("load", |stage, ask, question| match ask {
        "press" => press(stage.serve(), question),
        ask => bail!("nobody answers {ask:?}"),
    });
    eprintln!("{told}");
}

#[test]
fn servers_are_explained_and_restarted() {
    let broken: (&str, &str, &[&str]) = ("broken", "faulty", &["exit"]);
    Stage::with(&[("shop", "shop", &[]), broken]).play("servers", nothing_more);
}

#[test]
fn what_is_not_recorded_is_said() {
    let mut stage = Stage::new(&["shop"]);
    stage.serve.take().unwrap().stop().unwrap();
    stage.serve = Some(stage.program.serve(&["--record", "off"]).unwrap());
    stage.play("unrecorded", nothing_more);
}

/// Some clients make calls, all together `calls` of them and `rate` a second if that is given. Gives how
/// long it took.
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
