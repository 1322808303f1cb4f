//! The real window, on a display of its own, looked at and clicked through WebDriver.

use std::path::PathBuf;
use std::process::Command;

use schemascope_test_support::{Display, McpClient, Places, Program, Window, stdio, try_until, until};
use serde_json::{Map, Value, json};

/// A desktop session: a display, a home, and data.
struct DesktopSession {
    program: Program,
    home: PathBuf,
    log: PathBuf,
    display: Display,
    _scratch: tempfile::TempDir,
}

impl DesktopSession {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
        let window = places.fixture("schemascope-desktop");
        assert!(window.exists(), "there is no {}: cargo build -p schemascope-desktop", window.display());
        let display = Display::open().unwrap();
        let home = scratch.path().join("home");
        std::fs::create_dir(&home).unwrap();
        let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
        let program = Program::new(&places, scratch.path(), &servers)
            .unwrap()
            .with_env("DISPLAY", &display.name)
            .with_env("GDK_BACKEND", "x11")
            .with_env("HOME", &home)
            .with_env("XDG_RUNTIME_DIR", &home)
            // CI has no session bus, and a person's must not be used.
            .with_env("DBUS_SESSION_BUS_ADDRESS", "disabled:");
        Self { program, home, log: scratch.path().join("window.log"), display, _scratch: scratch }
    }

    fn open(&self, args: &[&str]) -> Window {
        let window = Window::open(&self.program.desktop_command(args), &self.log).unwrap();
        self.shows(&window, "#connection", "live");
        window
    }

    /// Waits until the first element of a selector contains a text.
    fn shows(&self, window: &Window, selector: &str, wanted: &str) {
        let shown = try_until(&format!("{selector} shows {wanted:?}"), || {
            Ok(window.text(selector)?.contains(wanted))
        });
        if let Err(error) = shown {
            let page = window.text("body").unwrap_or_default();
            panic!("{error:#}\n{page}\n{}", self.log());
        }
    }

    fn instance(&self) -> Value {
        let file = std::fs::read(self.program.data_dir().join("instance.json"));
        file.map_or(Value::Null, |bytes| serde_json::from_slice(&bytes).unwrap())
    }

    fn client(&self) -> McpClient {
        let instance = self.instance();
        McpClient::connect(instance["mcp_url"].as_str().unwrap(), instance["token"].as_str().unwrap())
            .unwrap()
    }

    fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

/// Whether a process runs that is not a child of the test.
fn runs(pid: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

fn call(client: &McpClient, tool: &str) {
    client.call(tool, &json!({"id": "1"})).unwrap().result().unwrap();
}

/// Asks a process to end, as a session manager does, and waits.
fn end(pid: u64) {
    assert!(Command::new("kill").arg(pid.to_string()).status().unwrap().success());
    until("the process ends", || !runs(pid));
}

#[test]
fn window_shows_the_dashboard_and_restores_its_state() {
    let desk = DesktopSession::new();
    let listen = ["--listen", "127.0.0.1:0"];
    let window = desk.open(&listen);
    let pid = desk.instance()["pid"].as_u64().unwrap();
    window.run("window.__mark = 'same page'", &[]).unwrap();

    // A call made by an agent shows by itself.
    let client = desk.client();
    call(&client, "shop__get_order");
    desk.shows(&window, "#latest a.tr", "get_order");

    // One can go about.
    window.click("nav a[href='/tools']").unwrap();
    desk.shows(&window, ".tools-table", "shipping_label");
    window.click(".tools-table a[href='/tools/shop__get_order']").unwrap();
    desk.shows(&window, "#fields", "payment");
    assert!(window.address().unwrap().ends_with("/tools/shop__get_order"));

    // But not away.
    let before = window.address().unwrap();
    window.run("location.href = arguments[0]", &[desk.instance()["dashboard_url"].clone()]).unwrap();
    until("the navigation is rejected", || desk.log().contains("rejected a navigation of the page"));
    assert_eq!(window.address().unwrap(), before);

    // What it shows can be saved.
    window.click("#tab-inferred").unwrap();
    let save = || window.click("#tab-panel button[title='Save as a file']").unwrap();
    save();
    desk.display.answer("Save", "Escape").unwrap();
    save();
    desk.display.answer("Save", "Return").unwrap();
    let saved = desk.home.join("inferred-schema.json");
    until("the file is written", || {
        std::fs::read(&saved).is_ok_and(|text| serde_json::from_slice::<Value>(&text).is_ok())
    });
    desk.shows(&window, ".toasts", "inferred-schema.json saved");
    assert_eq!(
        window.text(".toasts").unwrap().matches("saved").count(),
        1,
        "what was cancelled is not saved"
    );

    // There is one window.
    let second = desk.program.desktop_command(&[]).output().unwrap();
    assert_eq!(second.status.code(), Some(0), "{}", String::from_utf8_lossy(&second.stderr));
    assert!(String::from_utf8_lossy(&second.stderr).contains("its window was brought to the front"));
    assert_eq!(desk.instance()["pid"], pid);
    assert_eq!(window.run("return window.__mark", &[]).unwrap(), "same page");

    // It ends in order, with what was recorded kept.
    let size = (1010, 690);
    window.resize(size).unwrap();
    until("the window has its size", || window.size().unwrap() == size);
    drop(client);
    end(pid);
    assert_eq!(desk.instance(), Value::Null);
    drop(window);

    let window = desk.open(&listen);
    assert_ne!(desk.instance()["pid"], pid);
    desk.shows(&window, ".busiest", "get_order");
    desk.shows(&window, "#latest a.tr", "get_order");
    window.click("nav a[href='/calls']").unwrap();
    desk.shows(&window, ".calls-table .window a.tr", "get_order");
    until("the window has its earlier size", || window.size().unwrap() == size);
}

#[test]
fn window_attaches_to_a_running_engine() {
    let desk = DesktopSession::new();
    let mut serve = desk.program.serve(&[]).unwrap();
    let client = desk.client();
    call(&client, "shop__list_orders");
    let window = desk.open(&[]);
    desk.shows(&window, "#latest a.tr", "list_orders");
    call(&client, "shop__get_order");
    desk.shows(&window, "#latest a.tr", "get_order");
    assert_eq!(desk.instance()["pid"], serve.pid());
    drop(window);
    assert!(serve.is_running());
}

#[test]
fn window_takes_decisions() {
    let desk = DesktopSession::new();
    let window = desk.open(&["--listen", "127.0.0.1:0"]);
    let client = desk.client();
    for n in 0..44 {
        client.call("shop__get_order", &json!({"id": n.to_string()})).unwrap().result().unwrap();
    }
    let is_told = || {
        let list = client.request("tools/list", "{}").unwrap().result().unwrap();
        let tool = list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "shop__get_order");
        tool.unwrap()["outputSchema"].is_object()
    };
    let file = desk.program.data_dir().join("tool_overrides.json");
    let is_in_file = || std::fs::read_to_string(&file).unwrap_or_default().contains("outputSchema");
    let take = |reason: &str| {
        let script = "const field = document.querySelector('#reason'); field.value = arguments[0];
            field.dispatchEvent(new Event('input', {bubbles: true}))";
        until("the dialog is open", || window.run(script, &[json!(reason)]).is_ok());
        let enabled = "return document.querySelector('#decide')?.disabled === false";
        until("its button is enabled", || window.run(enabled, &[]).unwrap() == true);
        window.click("#decide").unwrap();
        let gone = "return document.querySelector('dialog') === null";
        until("the dialog is closed", || window.run(gone, &[]).unwrap() == true);
    };

    // With its impact in sight.
    window.click("nav a[href='/review']").unwrap();
    let versions = desk.program.json(&["versions", "shop__get_order"]).unwrap();
    let newest = &versions.as_array().unwrap().last().unwrap()["version"];
    desk.shows(&window, ".review", &format!("Promote v{newest}"));
    assert!(!is_told() && !is_in_file());
    window.click(".review .button.promote").unwrap();
    desk.shows(&window, "dialog .impact", "44 of 44 recent results match");
    take("billing relies on it");
    desk.shows(&window, ".review", "Nothing to review");
    assert!(is_told() && is_in_file(), "clients and file have what was promoted");

    window.click("nav a[href='/tools']").unwrap();
    window.click(".tools-table a[href='/tools/shop__get_order']").unwrap();
    desk.shows(&window, ".facts", "promoted");
    let roll_back = "[...document.querySelectorAll('.decisions button')]
        .find((button) => button.textContent.includes('Roll back')).click()";
    until("the button is shown", || window.run(roll_back, &[]).is_ok());
    take("too early");
    until("neither clients nor the file have the schema", || !is_told() && !is_in_file());
    let audit = desk.program.json_lines(&["audit", "shop__get_order"]).unwrap();
    let decided: Vec<_> = audit.iter().map(|entry| (&entry["event"], &entry["reason"])).take(2).collect();
    let expected = [("rollback", "too early"), ("promote", "billing relies on it")];
    assert_eq!(
        decided,
        expected.map(|(event, reason)| (json!(event), json!(reason))).each_ref().map(|(a, b)| (a, b))
    );
}

#[test]
fn window_conducts_an_interview_and_adds_a_program() {
    let desk = DesktopSession::new();
    let window = desk.open(&["--listen", "127.0.0.1:0"]);
    let fill = |selector: &str, value: &str| {
        let script = "const field = document.querySelector(arguments[0]); if (!field) return false;
            field.value = arguments[1]; field.dispatchEvent(new Event('input', {bubbles: true})); return true";
        until("the field is shown", || window.run(script, &[json!(selector), json!(value)]).unwrap() == true);
    };
    let click = |selector: &str| {
        let enabled =
            "const button = document.querySelector(arguments[0]); return !!button && !button.disabled";
        until("the button is enabled", || window.run(enabled, &[json!(selector)]).unwrap() == true);
        window.click(selector).unwrap();
    };

    window.click("nav a[href='/interviews']").unwrap();
    click("#start-interview");
    fill("#project-name", "Bakery");
    click("#decide");
    desk.shows(&window, ".conversation h2", "Bakery");
    fill("#answer", "rye bread");
    click("#answer-question");
    desk.shows(&window, ".transcript", "rye bread");
    desk.shows(&window, ".aggregates", "product-or-service-name");
    let listed = desk.program.json(&["interview", "list"]).unwrap();
    assert_eq!(listed[0]["project_name"], "Bakery", "{listed}");

    window.click("nav a[href='/servers']").unwrap();
    click("#add-cli-tool");
    fill("#cli-command", "sort");
    click("#read-help");
    desk.shows(&window, ".cli-preview", "--compress-program");
    click("#decide");
    desk.shows(&window, ".cli-tool", "ask-sort");
    let added = desk.program.json(&["cli", "list"]).unwrap();
    assert!(added.to_string().contains("ask-sort"), "{added}");
    let called = desk.client().call("ask-sort__sort", &json!({"stdin": "b\na\n"})).unwrap();
    assert!(called.result().unwrap().to_string().contains("a\\nb"));
}

/// Calls of a store in which each result gives an id that the next call takes.
fn flow_of_a_store() -> String {
    let calls = (0..30).flat_map(|n| {
        let (customer, order) = (format!("cus_99{n}1"), format!("ord_99{n}2"));
        [
            ("list_orders", json!({"customer_id": customer}), json!({"orders": [{"id": order}]})),
            ("get_order", json!({"order_id": order}), json!({"parcel": format!("p-{n}77"), "weight": 1})),
        ]
        .map(|call| (n, call))
    });
    let lines = calls.enumerate().map(|(at, (n, (tool, arguments, output)))| {
        let time = format!("2026-11-21T{:02}:{:02}:00Z", at / 60, at % 60);
        let line = json!({"tool_id": format!("store__{tool}"), "session": format!("s{n}"), "at": time,
            "arguments": arguments, "output": output});
        format!("{line}\n")
    });
    lines.collect()
}

#[test]
fn window_names_the_edge_that_a_promotion_breaks() {
    let desk = DesktopSession::new();
    let run = desk.program.run_with_input(&["backfill", "-"], &flow_of_a_store()).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    let schema = json!({"type": "object", "properties": {"orders": {"type": "array", "items": {
        "type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]}}}});
    let overrides = json!({"schemaVersion": 2, "servers": {"store": {"tools": {"list_orders": {"outputSchema": schema}}}}});
    let file = desk.home.join("overrides.json");
    std::fs::write(&file, overrides.to_string()).unwrap();
    let run = desk.program.run(&["import", "overrides", &file.to_string_lossy()]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");

    let window = desk.open(&["--listen", "127.0.0.1:0"]);
    window.click("nav a[href='/review']").unwrap();
    let choose = "const row = [...document.querySelectorAll('a[href*=\"store__list_orders\"]')][0];
        if (row) row.click(); return !!row";
    until("the tool is listed", || window.run(choose, &[]).unwrap() == true);
    desk.shows(&window, ".review .impact .edges", "Breaks");
    let promote = "const button = [...document.querySelectorAll('.review button')]
        .find((button) => button.textContent.includes('Promote v')); if (button) button.click(); return !!button";
    until("the button is shown", || window.run(promote, &[]).unwrap() == true);
    desk.shows(&window, "dialog .impact .edges", "store__list_orders → store__get_order");
    desk.shows(&window, "dialog .impact .edges", "used by");
    desk.shows(&window, "dialog .impact .edges .cause", "id");

    // So it is turned down.
    let cancel = "[...document.querySelectorAll('dialog button')]
        .find((button) => button.textContent.includes('Cancel')).click()";
    window.run(cancel, &[]).unwrap();
    until("the dialog is closed", || {
        window.run("return document.querySelector('dialog') === null", &[]).unwrap() == true
    });
    let versions = desk.program.json(&["versions", "store__list_orders"]).unwrap();
    assert!(!versions.to_string().contains("promoted"), "{versions}");
}
