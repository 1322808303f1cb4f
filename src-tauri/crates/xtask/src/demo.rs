//! `cargo xtask demo`: builds and starts everything with real servers, in the window or the browser. The scripted agent
//! is in [`agent`], what there is to see meanwhile in [`story`].

mod agent;
mod decisions;
mod story;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};
use schemascope_test_support::{Places, Program, Serve, stdio};
use serde_json::json;

use crate::shell::{UNOPTIMISED, cargo, must, step, target};
use crate::{setup, ui};

/// The usual address; another port is used when this one is taken.
const ADDRESS: &str = "127.0.0.1:7347";
/// Tools without a declared schema whose learned schema is shown.
const SHOWN: &[&str] = &["shop__get_order", "shop__check_stock"];

/// Where the demo is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Front {
    Window,
    Browser,
    /// Only in the terminal: the demo ends by itself.
    Terminal,
}

pub fn run(options: &[&str]) -> Result<bool> {
    let front = front(options);
    setup::servers()?;
    let front = build(front)?;
    let target = target()?;
    let places = Places::beside(target.join("debug/schemascope"))?;
    let scratch = target.join("demo");
    if !options.contains(&"--keep") {
        let _ = fs::remove_dir_all(&scratch);
    }
    let folder = folder(&scratch)?;
    let mut servers = places.real_servers(&folder);
    let drift = story::DRIFT_AFTER.to_string();
    servers
        .insert("shop".to_owned(), stdio(places.fixture("shop"), &["--seed", "7", "--drift-after", &drift]));
    // A server that does not start, to show how that looks.
    let broken = "console.error('TICKETS_TOKEN is not set'); process.exit(1)";
    servers.insert("tickets".to_owned(), json!({"command": "node", "args": ["-e", broken]}));
    let program = Program::new(&places, &scratch, &servers)?;
    let mut running = match front {
        Front::Window => program.desktop(&[])?,
        Front::Browser | Front::Terminal => program.serve_on(ADDRESS, &[]).or_else(|_| program.serve(&[]))?,
    };
    if front == Front::Terminal {
        let sent = story::all_at_once(&program, &running, &folder)?;
        show(&program, sent)?;
        running.stop()?;
        return Ok(true);
    }
    invite(front, &program, &running);
    story::tell(&program, &mut running, &folder)?;
    // Closed, or Ctrl-C, which reaches both of us.
    running.wait()?;
    Ok(true)
}

fn front(options: &[&str]) -> Front {
    let display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let has_display = display || !cfg!(target_os = "linux");
    if options.contains(&"--once") {
        Front::Terminal
    } else if options.contains(&"--browser") {
        Front::Browser
    } else if has_display {
        Front::Window
    } else {
        println!("There is no display here: the dashboard will be a page for your browser.");
        Front::Browser
    }
}

/// Builds what the front needs; where the window cannot be built the browser takes its place.
fn build(front: Front) -> Result<Front> {
    let front = match front {
        Front::Window => match setup::window() {
            Ok(()) => Front::Window,
            Err(error) => {
                println!(
                    "The window cannot be built: {error:#}\nThe dashboard will be a page for your browser."
                );
                Front::Browser
            }
        },
        other => other,
    };
    ui::build()?;
    let mut packages = vec!["-p", "schemascope", "-p", "schemascope-upstreams"];
    if front == Front::Window {
        packages.extend(["-p", "schemascope-desktop"]);
    }
    step("build (some minutes the first time)", || {
        must(cargo().args(["build", "--locked", "--quiet", UNOPTIMISED]).args(&packages))
    })?;
    Ok(front)
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

/// What was learned, in the terminal; and whether everything sent was recorded.
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

fn invite(front: Front, program: &Program, running: &Serve) {
    let url = running.url(None);
    let data = program.data_dir().display();
    let binary = program.command(&[]).get_program().display().to_string();
    match front {
        Front::Window => println!("\nThe window is open. The same for a browser: {}", running.dashboard()),
        _ => println!("\nOpen this in your browser:\n\n  {}", running.dashboard()),
    }
    println!(
        "\nConnect an agent of yours:\n\n  \
         claude mcp add --transport http schemascope {url} --header \"Authorization: Bearer {}\"\n\n\
         or any MCP client over Streamable HTTP with that URL and header; {url}/shop is the shop alone.\n\
         In another terminal: {binary} --data-dir {data} tools\n\n\
         {}\n",
        running.token(),
        match front {
            Front::Window => "Close the window, or Ctrl-C here, to end.",
            _ => "Ctrl-C ends it.",
        }
    );
    std::thread::sleep(Duration::from_millis(500));
}
