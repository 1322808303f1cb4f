//! Patches for the authors of servers, pasted into servers of the official SDKs.

use std::fs;
use std::path::{Path, PathBuf};

use schemascope_test_support::{Places, Program, Serve, stdio};
use serde_json::{Map, Value, json};

const TOOL: &str = "shop__get_order";

/// A server around a patch in TypeScript. Its values are in files.
const TYPESCRIPT: &str = r#"
import { readFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
const server = new McpServer({ name: "patched", version: "1" });
for (const name of ["good", "bad"]) {
  server.registerTool(name, { outputSchema: getOrderOutput }, async () => {
    const value = JSON.parse(readFileSync(process.argv[2] + "/" + name + ".json", "utf8"));
    return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
  });
}
await server.connect(new StdioServerTransport());
"#;

const PYTHON: &str = r#"
import json, sys
from mcp.server.mcpserver import MCPServer
server = MCPServer("patched")

@server.tool()
async def good() -> GetOrderOutput:
    return json.load(open(sys.argv[1] + "/good.json"))

@server.tool()
async def bad() -> GetOrderOutput:
    return json.load(open(sys.argv[1] + "/bad.json"))

server.run("stdio")
"#;

fn places() -> Places {
    Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap()
}

/// The part of a patch before what is said about the tool.
pub(crate) fn patch(program: &Program, sdk: &str, comment: &str) -> String {
    let run = program.run(&["export", "patch", TOOL, "--sdk", sdk, "--with-values"]).unwrap();
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "nothing is left out: {run:?}");
    assert!(run.out.contains("learned by Schemascope from "), "{}", run.out);
    let (before, _) = run.out.split_once(comment).unwrap();
    before.to_owned()
}

/// Puts Schemascope before a patched server, and looks at what it declares and returns.
pub(crate) fn check(name: &str, server: Value, scratch: &Path, schema: &Path) {
    let folder = scratch.join(name);
    fs::create_dir(&folder).unwrap();
    let program =
        Program::new(&places(), &folder, &Map::from_iter([("patched".to_owned(), server)])).unwrap();
    let good = program.json(&["call", "patched__good"]).unwrap();
    assert!(good["result"]["isError"] != true, "{name}: {good}");
    let bad = program.run(&["call", "patched__bad", "--json"]).unwrap();
    assert!(bad.code != Some(0), "{name} rejects a value that does not fit: {bad:?}");
    let declared = folder.join("declared.json");
    let run = program.run(&["schema", "patched__good", "--version", "declared"]).unwrap();
    assert_eq!(run.code, Some(0), "{name}: {run:?}");
    fs::write(&declared, &run.out).unwrap();
    let [ours, theirs] = [schema, &declared].map(|path| path.to_str().unwrap());
    let diff = program.json(&["diff", ours, theirs]).unwrap();
    assert_eq!(diff["changes"].as_array().map(Vec::len), Some(0), "{name}: {diff}\n{}", run.out);
}

/// Files with what a patched server returns.
pub(crate) struct Values {
    /// The schema that the patch declares.
    pub(crate) schema: PathBuf,
    /// Folder of `good.json` and `bad.json`.
    pub(crate) folder: PathBuf,
}

/// Has the tool called twelve times, and writes the schema, a result that fits and one that does not.
pub(crate) fn values(program: &Program, serve: &Serve, folder: &Path) -> Values {
    let client = serve.connect(None).unwrap();
    let mut good = Value::Null;
    for id in 1..=12 {
        let result = client.call(TOOL, &json!({"id": id.to_string()})).unwrap();
        let result = result.result().unwrap();
        good = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    }
    let schema = program.json(&["export", "patch", TOOL, "--with-values", "-q"]).unwrap();
    let schema: Value = serde_json::from_str(schema["text"].as_str().unwrap()).unwrap();
    let schema_file = folder.join("schema.json");
    fs::write(&schema_file, schema["outputSchema"].to_string()).unwrap();
    let mut bad = good.clone();
    bad["lines"] = json!("none");
    for (name, value) in [("good", &good), ("bad", &bad)] {
        fs::write(folder.join(format!("{name}.json")), value.to_string()).unwrap();
    }
    Values { schema: schema_file, folder: folder.to_owned() }
}

#[test]
fn servers_with_a_pasted_patch_declare_the_schema_and_keep_it() {
    let scratch = tempfile::tempdir().unwrap();
    let scratch = scratch.path();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places().fixture("shop"), &[]))]);
    let program = Program::new(&places(), scratch, &servers).unwrap();
    let serve = program.serve(&[]).unwrap();
    let Values { schema: schema_file, folder } = values(&program, &serve, scratch);
    let values = folder.to_str().unwrap();

    let text = patch(&program, "typescript", "// In the registration");
    assert!(text.contains("from 12 results since 20"), "{text}");
    // Node finds packages beside the script.
    let script = places().npm().join(format!("patched-{}.mjs", std::process::id()));
    fs::write(&script, text + TYPESCRIPT).unwrap();
    let node = places().node();
    let server = stdio(node, &[script.to_str().unwrap(), values]);
    check("typescript", server, scratch, &schema_file);
    fs::remove_file(script).unwrap();

    let text = patch(&program, "python", "# In the tool");
    let script = scratch.join("server.py");
    fs::write(&script, text + PYTHON).unwrap();
    let server = stdio(places().python(), &[script.to_str().unwrap(), values]);
    check("python", server, scratch, &schema_file);

    // Observed values are written on request only.
    let client = serve.connect(None).unwrap();
    for id in 13..=120 {
        client.call(TOOL, &json!({"id": id.to_string()})).unwrap().result().unwrap();
    }
    let has_values = |options: &[&str]| {
        let patch = program.json(&[&["export", "patch", TOOL, "-q"], options].concat()).unwrap().to_string();
        patch.contains("invoice")
    };
    assert!(has_values(&["--with-values"]) && !has_values(&[]));
    drop(serve);
}

#[test]
fn patch_needs_a_schema_and_says_what_it_leaves_out() {
    let scratch = tempfile::tempdir().unwrap();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places().fixture("shop"), &[]))]);
    let program = Program::new(&places(), scratch.path(), &servers).unwrap();
    program.run(&["tools"]).unwrap();
    program.run(&["call", "shop__list_orders"]).unwrap();
    let run = program.run(&["export", "patch", TOOL]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("no result was observed"), "{run:?}");
    let run = program.run(&["export", "patch", "shop__get_ordr"]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("did you mean shop__get_order"), "{run:?}");
    assert_eq!(program.run(&["export", "patch"]).unwrap().code, Some(2));
    assert_eq!(program.run(&["export", "bundle", TOOL]).unwrap().code, Some(2));
    let run = program.run(&["export", "patch", "shop__list_orders"]).unwrap();
    assert!(run.code == Some(0) && run.err.contains("in "), "{run:?}");
    // With --json, the file was not written.
    let file = scratch.path().join("patch.json");
    let out = ["--out", file.to_str().unwrap()];
    let patch = program
        .json(&[&["export", "patch", "shop__list_orders", "--with-values"][..], &out].concat())
        .unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), patch["text"].as_str().unwrap());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600,
            "it has observed values"
        );
    }
    let run = program.run(&["export", "patch", "shop__list_orders", "--follow", "x"]).unwrap();
    assert!(run.code == Some(2) && run.err.contains("--follow works with `export registry` only"), "{run:?}");
}
