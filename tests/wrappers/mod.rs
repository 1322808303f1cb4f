//! Wrappers: generated, imported and called as a user does.

mod evolve;
mod hostile;
mod rust;

use std::fs;
use std::path::Path;
use std::process::Command;

use schemascope_test_support::{Places, Program, ScriptedRequest, scripted, stdio};
use serde_json::{Map, Value, json};

/// The guide, whose script must run whatever is known of the tool.
const GUIDE: &str = include_str!("../../assets/guide/wrappers.md");

/// More of what a script written for a helper uses.
const MORE: &str = r#"
async def more():
    order = await get_order(GetOrderParams(id="1"))
    for line in order.require("lines"):
        print(line.has("price"), line.require("quantity"))
    print(order.get("nothing"), order.get("nothing", 1), order.has("nothing"), order.fits)

asyncio.run(more())
"#;

fn places() -> Places {
    Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap()
}

fn program(scratch: &Path) -> Program {
    let places = places();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
    Program::new(&places, scratch, &servers).unwrap()
}

/// What a Python script prints; it may not warn.
fn python(program: &Program, script: &str, folder: &Path) -> String {
    let run = Command::new(places().python())
        .args(["-W", "error", "-c", script])
        .arg(folder)
        .env("SCHEMASCOPE_DATA_DIR", program.data_dir())
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && err.is_empty(), "{out}\n{err}");
    out.into_owned()
}

fn entry(folder: &Path, tool: &str) -> Value {
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("schemascope.json")).unwrap()).unwrap();
    let found = manifest["tools"].as_array().unwrap().iter().find(|entry| entry["tool_id"] == tool);
    found.unwrap().clone()
}

#[test]
fn script_written_for_a_helper_runs_unchanged_when_more_is_known() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let folder = scratch.path().join("wrappers");
    let out = folder.to_string_lossy().into_owned();
    let serve = program.serve(&[]).unwrap();
    let (_, sample) = GUIDE.split_once("```python\n").unwrap();
    let (sample, _) = sample.split_once("```").unwrap();
    let script = format!("import sys\nsys.path.insert(0, sys.argv[1])\n{sample}{MORE}");
    let mut printed = Vec::new();
    for (calls, strategy, quality) in
        [(0, "helper", "none"), (3, "inferred", "low"), (10, "inferred", "medium")]
    {
        for _ in 0..calls {
            program.run(&["call", "shop__get_order", "{\"id\": \"1\"}"]).unwrap();
        }
        let run = program.run(&["generate", "--out", &out]).unwrap();
        assert_eq!(run.code, Some(0), "{run:?}");
        let entry = entry(&folder, "shop__get_order");
        assert_eq!((entry["strategy"].as_str(), entry["quality"].as_str()), (Some(strategy), Some(quality)));
        printed.push(python(&program, &script, &folder));
    }
    assert!(
        printed[0].starts_with("70.45\npen-") && printed[0].ends_with("None 1 False True\n"),
        "{printed:?}"
    );
    assert!(printed.iter().all(|text| *text == printed[0]), "{printed:?}");
    drop(serve);
}

#[test]
fn generate_writes_only_what_changed_and_ends_with_the_totals() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let folder = scratch.path().join("wrappers");
    let out = folder.to_string_lossy().into_owned();
    let first =
        program.json(&["generate", "--out", &out, "--lang", "python", "--lang", "typescript"]).unwrap();
    let report = program.json(&["report"]).unwrap();
    assert_eq!(first["totals"]["total"]["count"], report["tool_count"]);
    assert_eq!(first["totals"]["declared"]["count"], report["by_source"]["declared"]);
    assert_eq!(first["wrappers"].as_u64().unwrap(), 2 * report["tool_count"].as_u64().unwrap());
    let again = program.json(&["generate", "--out", &out]).unwrap();
    assert_eq!((again["files_written"].as_u64(), &again["wrappers"]), (Some(0), &first["wrappers"]));

    // One more observation changes nothing that is written, and text outside the marks stays.
    for _ in 0..2 {
        program.run(&["call", "shop__store_info"]).unwrap();
    }
    program.json(&["generate", "--out", &out]).unwrap();
    let path = folder.join("servers/shop/store_info.py");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("# mine\n{text}# mine too\n")).unwrap();
    program.run(&["call", "shop__store_info"]).unwrap();
    let again = program.json(&["generate", "--out", &out]).unwrap();
    assert_eq!(again["files_written"], 0);
    assert!(fs::read_to_string(&path).unwrap().starts_with("# mine\n"));

    // One that has lost its marks belongs to the user and does not stop the others.
    let taken = folder.join("servers/shop/refund.py");
    fs::write(&taken, "print('mine')\n").unwrap();
    fs::remove_file(folder.join("servers/shop/get_order.py")).unwrap();
    let run = program.run(&["generate", "--out", &out, "--force"]).unwrap();
    assert!(run.code == Some(0) && run.err.contains("has lost its marks"), "{run:?}");
    assert_eq!(fs::read_to_string(&taken).unwrap(), "print('mine')\n");
    assert!(folder.join("servers/shop/get_order.py").exists());
    // A file of somebody else is not replaced.
    let other = scratch.path().join("other");
    fs::create_dir_all(other.join("servers/shop")).unwrap();
    fs::write(other.join("servers/shop/refund.py"), "print('mine')\n").unwrap();
    let run = program.run(&["generate", "--out", other.to_str().unwrap()]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("was not written by Schemascope"), "{run:?}");
    let run = program.run(&["generate", "--out", &out, "--server", "shopp"]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("did you mean shop?"), "{run:?}");
}

/// A few schemas in one process; the large sets are `cargo xtask bench wrappers`.
#[test]
fn python_models_accept_valid_values_unchanged_and_reject_others() {
    let scratch = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/wrappers/values.py");
    hostile::write_values(scratch.path());
    let run = Command::new(places().python()).arg(script).current_dir(scratch.path()).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && out.trim() == "ok", "{out}\n{err}");
}

/// Which value a result teaches is decided once, by Schemascope; wrappers do not read Python literals themselves.
#[test]
fn wrapper_receives_the_value_that_is_learned_in_any_language() {
    let scratch = tempfile::tempdir().unwrap();
    let texts: [(&str, &[&str]); 4] = [
        ("rows", &["[{'id': 1, 'name': None}]"]),
        ("big", &["{\"n\": 12345678901234567890}"]),
        ("plain", &["done"]),
        // A list as FastMCP sends it.
        ("items", &["{\"n\": 1}", "{\"n\": 2}"]),
    ];
    let names = texts.map(|(name, _)| name);
    let url = scripted(move |asked: &ScriptedRequest| {
        asked.usual(&names).unwrap_or_else(|| {
            let name = asked.message["params"]["name"].as_str().unwrap_or_default();
            let texts = texts.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, texts)| texts);
            let blocks: Vec<_> = texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
            asked.answered(&json!({"content": blocks}))
        })
    });
    let servers = Map::from_iter([("api".to_owned(), json!({"type": "http", "url": url.unwrap()}))]);
    let program = Program::new(&places(), scratch.path(), &servers).unwrap();
    let folder = scratch.path().join("wrappers");
    let serve = program.serve(&[]).unwrap();
    for tool in ["api__rows", "api__items"] {
        program.run(&["call", tool]).unwrap();
    }
    let out = folder.to_string_lossy().into_owned();
    let run = program.run(&["generate", "--out", &out]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    let script = r#"
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from servers.api import BigParams, ItemsParams, PlainParams, RowsParams, big, items, plain, rows
from schemascope_runtime import call_mcp_tool, read_result

async def main():
    result = await rows(RowsParams())
    print([(row.id, row.name) for row in result.root], result.fits)
    print((await big(BigParams())).require("n"), (await plain(PlainParams())).raw)
    print(await call_mcp_tool("api__rows", {}))
    result = await items(ItemsParams())
    print([item.n for item in result.root], result.fits)
    print(read_result("api__items", {"content": [{"type": "text", "text": text} for text in ("1", "[2]")]}))

asyncio.run(main())
"#;
    let printed = python(&program, script, &folder);
    let expected =
        "[(1, None)] True\n12345678901234567890 done\n[{'id': 1, 'name': None}]\n[1, 2] True\n[1, [2]]\n";
    assert_eq!(printed, expected);
    drop(serve);
}

/// Schemas without end, references to nowhere and the like become wrappers that import.
#[test]
fn wrappers_of_hostile_schemas_import_and_run() {
    let scratch = tempfile::tempdir().unwrap();
    let servers = ["traps", "hostile"].map(|name| (name.to_owned(), stdio(places().fixture(name), &[])));
    let program = Program::new(&places(), scratch.path(), &Map::from_iter(servers)).unwrap();
    let folder = scratch.path().join("wrappers");
    let run = program.run(&["generate", "--out", &folder.to_string_lossy()]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    let script = r#"
import functools, json, pathlib, sys
from importlib import import_module
sys.path.insert(0, sys.argv[1])
for entry in json.loads(pathlib.Path(sys.argv[1], "schemascope.json").read_text())["tools"]:
    module = import_module(entry["module"])
    assert callable(getattr(module, entry["function"]))
    getattr(module, entry["params"])
    parse = functools.reduce(getattr, entry["parse"].split("."), module)
    if entry["strategy"] == "helper":
        assert parse({"a": 1}).get("a") == 1
print("ok")
"#;
    assert_eq!(python(&program, script, &folder), "ok\n");
}
