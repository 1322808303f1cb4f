//! Wrappers that are kept current, and what is learned before they are written.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use schemascope_test_support::{Program, ScriptedRequest, scripted, until};
use serde_json::{Map, json};

use super::{entry, places, program};

const FILE: &str = "servers/shop/get_customer.py";

fn call(program: &Program, times: usize) {
    for _ in 0..times {
        program.run(&["call", "shop__get_customer", "{\"id\": \"1\"}"]).unwrap();
    }
}

fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap_or_default()
}

fn why(folder: &Path) -> String {
    entry(folder, "shop__get_customer")["why"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn wrappers_follow_quality_and_decisions_and_keep_what_was_edited() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let folder = scratch.path().join("wrappers");
    let out = folder.to_string_lossy().into_owned();
    let serve = program.serve(&[]).unwrap();
    let run = program.run(&["generate", "--out", &out]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    let text = read(&folder, FILE);
    fs::write(folder.join(FILE), format!("# mine\n{text}# mine too")).unwrap();
    let other = fs::metadata(folder.join("servers/shop/check_stock.py")).unwrap().modified().unwrap();

    call(&program, 5);
    until("a wrapper of low quality", || read(&folder, FILE).contains("quality low"));
    until("its reason", || why(&folder).starts_with("none → low, helper → inferred, "));
    // A schema is closed after some observations, which is noticed by a check of all wrappers.
    program.json(&["evolve", "--once"]).unwrap();
    let text = read(&folder, FILE);
    assert!(text.starts_with("# mine\n# schemascope: begin ") && text.ends_with("\n# mine too"), "{text}");
    assert!(serve.log().unwrap().contains("wrapper replaced: none → low"), "{:?}", serve.log());

    // More observations change nothing. Edited text stays, and the new text is beside it.
    let manifest = read(&folder, "schemascope.json");
    call(&program, 1);
    let edited = text.replace("async def", "# note\nasync def");
    fs::write(folder.join(FILE), &edited).unwrap();
    let once = program.json(&["evolve", "--once"]).unwrap();
    assert_eq!((&once[0]["changes"], &once[0]["edited"]), (&json!([]), &json!([FILE])));
    assert_eq!(read(&folder, "schemascope.json"), manifest);
    let new = format!("{FILE}.new");
    call(&program, 5);
    until("the new text", || read(&folder, &new).contains("quality medium"));
    assert_eq!(read(&folder, FILE), edited);
    until("the reason", || why(&folder).starts_with("low → medium, "));
    let run = program.run(&["generate", "--out", &out, "--force"]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    let text = read(&folder, FILE);
    assert!(text.contains("quality medium") && !text.contains("# note") && text.ends_with("# mine too"));
    assert!(!folder.join(&new).exists());

    // Decisions.
    let run = program.run(&["promote", "shop__get_customer", "--reason", "test"]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    until("the promoted version", || why(&folder).contains(" takes effect"));
    assert!(!folder.join(&new).exists());
    let now = fs::metadata(folder.join("servers/shop/check_stock.py")).unwrap().modified().unwrap();
    assert_eq!(now, other, "other wrappers are not touched");

    // A folder that is gone is not created again.
    fs::remove_dir_all(&folder).unwrap();
    let once = program.json(&["evolve", "--once"]).unwrap();
    assert_eq!(once[0]["gone"], true);
    assert!(!folder.exists());
    assert_eq!(program.json(&["generate", "--targets"]).unwrap(), json!([]));
}

/// What was current is remembered; what was done to the folder meanwhile is noticed all the same.
#[test]
fn folder_that_was_current_is_looked_at_again_where_something_changed() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let folder = scratch.path().join("wrappers");
    let out = folder.to_string_lossy().into_owned();
    // Otherwise the server in the background may be first.
    let set = |name: &str, value: &str| {
        assert_eq!(program.run(&["settings", name, value]).unwrap().code, Some(0), "{name}");
    };
    set("evolve", "false");
    let serve = program.serve(&[]).unwrap();
    let generate = |more: &[&str]| {
        let run = program.run(&[&["generate", "--out", &out], more].concat()).unwrap();
        assert_eq!(run.code, Some(0), "{run:?}");
        run
    };
    let once = || program.json(&["evolve", "--once"]).unwrap()[0].clone();
    let first = generate(&[]);
    assert_eq!(once()["changes"], json!([]));
    let modified = || fs::metadata(folder.join(FILE)).unwrap().modified().unwrap();
    let before = modified();
    let again = generate(&[]);
    assert_eq!(modified(), before);
    let totals = |text: &str| text.lines().last().map(str::to_owned);
    assert_eq!(totals(&again.out), totals(&first.out));

    fs::remove_file(folder.join(FILE)).unwrap();
    let changes = once()["changes"].clone();
    assert_eq!((&changes[0]["file"], &changes[0]["why"]), (&json!(FILE), &json!("its file was missing")));
    assert!(folder.join(FILE).exists());
    fs::remove_file(folder.join("schemascope_runtime/call.py")).unwrap();
    once();
    assert!(folder.join("schemascope_runtime/call.py").exists());

    let edited = read(&folder, FILE).replace("async def", "# note\nasync def");
    fs::write(folder.join(FILE), &edited).unwrap();
    for _ in 0..2 {
        assert_eq!(once()["edited"], json!([FILE]));
    }
    assert!(generate(&[]).err.contains(FILE), "an edited wrapper is named each time");
    generate(&["--force"]);
    assert_ne!(read(&folder, FILE), edited);

    generate(&["--lang", "typescript"]);
    assert!(folder.join("servers/shop/get_customer.ts").exists());
    set("evolve", "true");
    set("model_from", "high");
    call(&program, 3);
    until("low quality in the manifest", || why(&folder).contains("none → low"));
    assert_eq!(entry(&folder, "shop__get_customer")["strategy"], "helper");
    set("model_from", "low");
    once();
    assert_eq!(entry(&folder, "shop__get_customer")["strategy"], "inferred");

    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(once()["gone"], true);
    assert!(!folder.exists());
    drop(serve);
}

#[test]
fn targets_are_private_listed_forgotten_and_current_after_run() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let folder = scratch.path().join("wrappers");
    let out = folder.to_string_lossy().into_owned();
    let run = program.run(&["generate", "--out", &out, "--tool", "shop__get_customer"]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    let targets = program.json(&["generate", "--targets"]).unwrap();
    assert_eq!(targets[0]["filters"], json!([{"tool_id": "shop__get_customer"}]));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&program.data_dir().join("wrapper_targets.json")), 0o600);
    }
    let script = "import asyncio\nfrom servers.shop import GetCustomerParams, get_customer\n\
                  asyncio.run(get_customer(GetCustomerParams(id='1')))";
    let mut command = program.command(&["run", "--out", &out]);
    let run = command.arg("--").arg(places().python()).args(["-c", script]).output().unwrap();
    let err = String::from_utf8_lossy(&run.stderr).into_owned();
    let closing = "schemascope: 1 call, 1 result, 1 wrapper changed";
    assert_eq!((run.status.code(), err.lines().last()), (Some(0), Some(closing)), "{err}");
    assert_eq!(entry(&folder, "shop__get_customer")["quality"], "low");
    let dry = program.json(&["evolve", "--once", "--dry-run"]).unwrap();
    assert_eq!(dry[0]["changes"], json!([]));
    let run = program.run(&["generate", "--forget", &out]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(program.json(&["evolve", "--once"]).unwrap(), json!([]));
    assert!(folder.join("schemascope.json").exists());
    let run = program.run(&["generate", "--forget", &out]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("is not kept current"), "{run:?}");
}

#[test]
fn generate_learns_first_and_skips_what_may_destroy_something() {
    let scratch = tempfile::tempdir().unwrap();
    let url = scripted(|asked: &ScriptedRequest| {
        let tool = |name: &str, destructive: bool| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": destructive}});
        match asked.method() {
            "tools/list" => asked.answered(&json!({"tools": [tool("rows", false), tool("drop", true)]})),
            _ => asked.usual(&["rows", "drop"]).unwrap_or_else(|| {
                asked.answered(&json!({"content": [{"type": "text", "text": "{\"n\": 1}"}]}))
            }),
        }
    });
    let servers = Map::from_iter([("api".to_owned(), json!({"type": "http", "url": url.unwrap()}))]);
    let program = Program::new(&places(), scratch.path(), &servers).unwrap();
    let list = scratch.path().join("discovery_config.json");
    fs::write(&list, "{\"servers\": {\"api\": {\"safeTools\": {\"rows\": {}, \"drop\": {}}}}}").unwrap();
    let folder = scratch.path().join("wrappers");
    let out = folder.to_string_lossy().into_owned();
    let strategies = || ["api__rows", "api__drop"].map(|tool| entry(&folder, tool)["strategy"].clone());
    program.run(&["generate", "--out", &out, "--no-discover"]).unwrap();
    assert_eq!(strategies(), ["helper", "helper"]);
    let run = program.run(&["generate", "--out", &out]).unwrap();
    assert!(run.code == Some(0) && run.err.contains("--allow api__drop calls it"), "{run:?}");
    assert_eq!(strategies(), ["inferred", "helper"]);
    program.run(&["generate", "--out", &out, "--allow", "api__drop"]).unwrap();
    assert_eq!(strategies(), ["inferred", "inferred"]);
    fs::write(&list, "{\"servers\": [").unwrap();
    let run = program.run(&["generate", "--out", &out]).unwrap();
    assert!(
        run.code == Some(1) && run.err.contains("line 1") && run.err.contains("--no-discover"),
        "{run:?}"
    );
}

#[test]
fn wrapper_of_a_tool_that_is_gone_stays_until_it_is_pruned() {
    let scratch = tempfile::tempdir().unwrap();
    let is_gone = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&is_gone);
    let url = scripted(move |asked: &ScriptedRequest| {
        let names: &[&str] = if now.load(Ordering::SeqCst) { &["stays"] } else { &["stays", "goes"] };
        asked
            .usual(names)
            .unwrap_or_else(|| asked.answered(&json!({"content": [{"type": "text", "text": "{\"a\": 1}"}]})))
    });
    let servers = Map::from_iter([("api".to_owned(), json!({"type": "http", "url": url.unwrap()}))]);
    let program = Program::new(&places(), scratch.path(), &servers).unwrap();
    let folder = scratch.path().join("wrappers");
    let out = folder.to_string_lossy().into_owned();
    let generate = |more: &[&str]| program.json(&[&["generate", "--out", &out], more].concat()).unwrap();
    program.run(&["call", "api__goes"]).unwrap();
    generate(&["--lang", "python", "--lang", "rust"]);
    is_gone.store(true, Ordering::SeqCst);
    generate(&[]);
    let path = folder.join("servers/api/goes.py");
    assert!(fs::read_to_string(&path).unwrap().contains("no longer lists this tool"));

    fs::write(&path, format!("# mine\n{}", fs::read_to_string(&path).unwrap())).unwrap();
    let done = generate(&["--prune"]);
    assert_eq!(done["pruned"], json!(["servers/api/goes.rs"]));
    assert!(path.exists() && !folder.join("servers/api/goes.rs").exists());
    program.json(&["evolve", "--once"]).unwrap();
    assert!(!folder.join("servers/api/goes.rs").exists(), "what was removed stays removed");
    let done = generate(&["--prune", "--force"]);
    assert_eq!(done["pruned"], json!(["servers/api/goes.py"]));
    assert!(!path.exists() && folder.join("servers/api/stays.py").exists());
    assert!(!read(&folder, "servers/api/mod.rs").contains("goes"));
    assert!(!read(&folder, "schemascope.json").contains("goes"));
    program.json(&["evolve", "--once"]).unwrap();
    assert!(!path.exists(), "keeping wrappers current brings none back");
}
