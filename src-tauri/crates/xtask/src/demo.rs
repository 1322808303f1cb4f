//! `cargo xtask demo`: everything at work, on real servers, within a minute.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use schemascope_test_support::{McpClient, Places, Program, Serve, stdio};
use serde_json::{Value, json};

use crate::setup;
use crate::shell::{cargo, must, step, target};

/// Where agents usually find us; another port is taken when this one is.
const ADDRESS: &str = "127.0.0.1:7347";
/// Rounds of calls. One tool is asked in every round, so that it reaches high quality.
const ROUNDS: u64 = 110;
/// Tools without a declared schema whose learned schema is shown.
const SHOWN: &[&str] = &["shop__list_invoices", "shop__get_order", "shop__check_stock"];

pub fn run(options: &[&str]) -> Result<bool> {
    setup::servers()?;
    step("build", || {
        must(cargo().args([
            "build",
            "--locked",
            "--quiet",
            "-p",
            "schemascope",
            "-p",
            "schemascope-upstreams",
        ]))
    })?;
    let target = target()?;
    let places = Places::beside(target.join("debug/schemascope"))?;
    let scratch = target.join("demo");
    if !options.contains(&"--keep") {
        let _ = fs::remove_dir_all(&scratch);
    }
    let folder = folder(&scratch)?;
    let mut servers = places.real_servers(&folder);
    servers.insert("shop".to_owned(), stdio(places.fixture("shop"), &["--seed", "7"]));
    let program = Program::new(&places, &scratch, &servers)?;
    let serve = program.serve_on(ADDRESS, &[]).or_else(|_| program.serve(&[]))?;

    let sent = step("an agent at work", || work(&serve, &folder))?;
    show(&program, sent)?;
    if options.contains(&"--once") {
        serve.stop()?;
        return Ok(true);
    }
    invite(&program, &serve);
    // Ctrl-C reaches both of us; serve stops in order and we end with it.
    serve.wait()?;
    Ok(true)
}

/// A folder with some files and a repository, for the real servers to work on.
fn folder(scratch: &Path) -> Result<PathBuf> {
    let folder = scratch.join("project");
    if folder.join(".git").exists() {
        return Ok(folder);
    }
    fs::create_dir_all(folder.join("notes"))?;
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=Demo", "-c", "user.email=demo@example.org"];
        must(Command::new("git").args(identity).args(args).current_dir(&folder))
    };
    git(&["init", "--quiet"])?;
    for n in 1..=5 {
        fs::write(folder.join(format!("notes/{n}.md")), format!("# Note {n}\n\nSomething about {n}.\n"))?;
        git(&["add", "."])?;
        git(&["commit", "--quiet", "-m", &format!("Write note {n}")])?;
    }
    Ok(folder)
}

/// The scripted agent. Returns how many calls it sent.
fn work(serve: &Serve, folder: &Path) -> Result<u64> {
    let client = serve.connect(None)?;
    let tools = client.request("tools/list", "{}")?.result()?;
    let count = tools["tools"].as_array().map_or(0, Vec::len);
    println!("   {count} tools of 6 servers on {}", serve.url(None));
    let calls: Vec<(String, Value)> = (0..ROUNDS).flat_map(|round| script(round, folder)).collect();
    let style = ProgressStyle::with_template("   {pos} of {len} calls {wide_bar:.cyan/black} {msg}");
    let progress = ProgressBar::new(calls.len() as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    for (tool, arguments) in &calls {
        progress.set_message(tool.clone());
        call(&client, tool, arguments)?;
        progress.inc(1);
    }
    progress.finish_and_clear();
    println!("   {} calls sent", calls.len());
    Ok(calls.len() as u64)
}

/// Errors of tools are part of the story; an answer must come.
fn call(client: &McpClient, tool: &str, arguments: &Value) -> Result<()> {
    client.call(tool, arguments)?.answer().with_context(|| format!("calling {tool}")).map(drop)
}

/// What the agent does in one round: often the shop, now and then the others.
fn script(round: u64, folder: &Path) -> Vec<(String, Value)> {
    let note = folder.join(format!("notes/{}.md", round % 5 + 1));
    let id = json!({"id": format!("{round}")});
    let mut calls = vec![("shop__list_invoices", json!({}))];
    let now_and_then: [(u64, &str, Value); 23] = [
        (2, "shop__list_orders", json!({"limit": 2 + round % 7})),
        (2, "shop__get_order", id.clone()),
        (3, "shop__get_customer", id.clone()),
        (4, "shop__search_customers", json!({"query": "a"})),
        (4, "shop__check_stock", json!({})),
        (5, "shop__list_events", json!({})),
        (6, "shop__order_total", id.clone()),
        (6, "shop__shipping_label", id.clone()),
        (7, "shop__store_info", json!({})),
        (5, "shop__exchange_rates", json!({})),
        (40, "shop__rebuild_catalog", json!({"steps": 3})),
        (20, "shop__refund", id),
        (6, "files__read_text_file", json!({"path": note})),
        (9, "files__list_directory", json!({"path": folder})),
        (30, "files__read_text_file", json!({"path": "/etc/shadow"})),
        (9, "git__git_status", json!({"repo_path": folder})),
        (11, "git__git_log", json!({"repo_path": folder, "max_count": 1 + round % 4})),
        (8, "time__get_current_time", json!({"timezone": "Europe/Vienna"})),
        (
            13,
            "time__convert_time",
            json!({"source_timezone": "UTC", "time": "12:30", "target_timezone": "Asia/Tokyo"}),
        ),
        (
            10,
            "memory__create_entities",
            json!({"entities": [{"name": format!("order-{round}"), "entityType": "order", "observations": ["paid"]}]}),
        ),
        (12, "memory__read_graph", json!({})),
        (10, "everything__get-sum", json!({"a": round, "b": 2})),
        (15, "everything__get-env", json!({})),
    ];
    calls.extend(
        now_and_then
            .into_iter()
            .filter(|(every, ..)| round.is_multiple_of(*every))
            .map(|(_, tool, arguments)| (tool, arguments)),
    );
    calls.into_iter().map(|(tool, arguments)| (tool.to_owned(), arguments)).collect()
}

fn show(program: &Program, sent: u64) -> Result<()> {
    let print = |title: &str, args: &[&str]| -> Result<()> {
        println!("\n$ schemascope {title}");
        must(&mut program.command(args))
    };
    print("tools", &["tools"])?;
    for tool in SHOWN {
        print(&format!("schema {tool}"), &["schema", tool])?;
    }
    print("report", &["report"])?;
    let report = program.json(&["report"])?;
    let recorded = report["recorder"]["recorded"].as_u64();
    if recorded != Some(sent) {
        bail!("{sent} calls were sent and {recorded:?} recorded");
    }
    println!("\n{sent} calls sent, {sent} recorded.");
    Ok(())
}

fn invite(program: &Program, serve: &Serve) {
    let url = serve.url(None);
    let data = program.data_dir().display();
    let binary = program.command(&[]).get_program().display().to_string();
    println!(
        "\nSchemascope stays up. Connect an agent:\n\n  \
         claude mcp add --transport http schemascope {url} --header \"Authorization: Bearer {}\"\n\n\
         or any MCP client over Streamable HTTP with that URL and header; {url}/shop is the shop alone.\n\
         Look on from another terminal:\n\n  \
         {binary} --data-dir {data} calls\n\n\
         Ctrl-C ends it.",
        serve.token()
    );
}
