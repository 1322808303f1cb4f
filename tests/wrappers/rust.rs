//! Wrappers in Rust, compiled without a warning and run as a user does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use schemascope_test_support::{Program, stdio};
use serde_json::Map;

use super::{GUIDE, entry, places};
use crate::share::patch::{Values, check, patch, values};

/// The result as types, and what happens to one that does not fit.
const TYPED: &str = r##"
use schemascope_wrappers::schemascope_runtime::{read_result, Error};
use schemascope_wrappers::servers::shop::{get_order, GetOrderParams, GetOrderResult};
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let order = get_order(&GetOrderParams::new("1")).await?;
    println!("{:?} {}", order.total()?, order.fits());
    for line in order.lines()?.iter().flat_map(|lines| lines.iter()) {
        println!("{:?}", line?.sku()?);
    }
    let text = order.raw_text().unwrap_or_default();
    println!("{}", serde_json::from_str::<serde_json::Value>(text).ok() == serde_json::to_value(&order).ok());

    let odd = GetOrderResult::parse(json!({"total": "much", "lines": [{"sku": "a"}, 7]}))?;
    println!("{} {}", odd.fits(), odd.total().unwrap_err());
    let lines = odd.lines()?.ok_or(Error::Connection { message: "no lines".to_owned() })?;
    println!("{:?} {}", lines.get(0).unwrap()?.sku()?, lines.get(1).unwrap().unwrap_err());
    println!("{}", odd.require("nothing").unwrap_err());

    let big = read_result("shop__get_order", r#"{"content": [{"type": "text", "text": "[18446744073709551616]"}]}"#);
    println!("{}", big.is_ok());
    match get_order(&GetOrderParams::new("1").set("id", 7)).await {
        Err(Error::InvalidValue { path, .. }) => println!("{path} is not sent"),
        other => println!("{other:?}"),
    }
    match get_order(&GetOrderParams::new("no such order")).await {
        Err(Error::Tool { tool_id, .. }) => println!("{tool_id} failed"),
        other => println!("{other:?}"),
    }
    Ok(())
}
"##;

/// What a patch needs.
const MORE: &str = r#"
schemars = "1"
serde = { version = "1", features = ["derive"] }
rmcp = { version = "=3.9.0", default-features = false, features = ["macros", "server", "transport-io"] }
"#;

/// A server around a patch. Its values are in files.
const SERVER: &str = r#"
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::transport::stdio;
use rmcp::{ServerHandler, ServiceExt, tool, tool_handler, tool_router};

#[derive(Clone)]
struct Patched {
    tool_router: ToolRouter<Self>,
}

fn read(name: &str) -> Result<GetOrderOutput, String> {
    let folder = std::env::args().nth(1).unwrap_or_default();
    let text = std::fs::read_to_string(format!("{folder}/{name}.json")).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

#[tool_router]
impl Patched {
    #[tool(description = "Fits")]
    async fn good(&self) -> Result<rmcp::Json<GetOrderOutput>, String> {
        read("good").map(rmcp::Json)
    }

    #[tool(description = "Does not fit")]
    async fn bad(&self) -> Result<rmcp::Json<GetOrderOutput>, String> {
        read("bad").map(rmcp::Json)
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Patched {}

#[tokio::main]
async fn main() {
    let server = Patched { tool_router: Patched::tool_router() };
    let running = server.serve(stdio()).await.unwrap();
    running.waiting().await.unwrap();
}
"#;

/// The guide's block of a language.
fn sample(language: &str) -> &'static str {
    let (_, rest) = GUIDE.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

/// Builds a program with the wrappers, and returns where it is.
fn build(folder: &Path, main: &str) -> PathBuf {
    let app = folder.with_file_name("app");
    fs::create_dir_all(app.join("src")).unwrap();
    let dependencies = sample("toml").replace("\"wrappers\"", "\"../wrappers\"");
    let manifest = format!(
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n{dependencies}serde_json = \"1\"\n{MORE}"
    );
    fs::write(app.join("Cargo.toml"), manifest).unwrap();
    fs::write(app.join("src/main.rs"), main).unwrap();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrappers");
    let run = Command::new("cargo")
        .args(["build", "--quiet"])
        .current_dir(&app)
        .env("CARGO_TARGET_DIR", &target)
        .env("RUSTFLAGS", "-Dwarnings -Cdebuginfo=0")
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    target.join("debug/app")
}

/// Builds and runs a program with the wrappers, and returns what it prints.
fn run(program: &Program, folder: &Path, main: &str) -> String {
    let run =
        Command::new(build(folder, main)).env("SCHEMASCOPE_DATA_DIR", program.data_dir()).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn rust_program_compiles_without_a_warning_and_runs_whatever_is_known() {
    let scratch = tempfile::tempdir().unwrap();
    // The schemas of the other two are traps; they must compile, too.
    let servers =
        ["shop", "traps", "hostile"].map(|name| (name.to_owned(), stdio(places().fixture(name), &[])));
    let program = Program::new(&places(), scratch.path(), &Map::from_iter(servers)).unwrap();
    let folder = scratch.path().join("wrappers");
    let out = folder.to_string_lossy().into_owned();
    let serve = program.serve(&[]).unwrap();
    let mut printed = Vec::new();
    for (calls, strategy) in [(0, "helper"), (3, "inferred")] {
        for _ in 0..calls {
            program.run(&["call", "shop__get_order", "{\"id\": \"1\"}"]).unwrap();
        }
        let done = program.run(&["generate", "--lang", "rust", "--out", &out]).unwrap();
        assert_eq!(done.code, Some(0), "{done:?}");
        assert_eq!(entry(&folder, "shop__get_order")["strategy"], strategy);
        printed.push(run(&program, &folder, sample("rust")));
    }
    assert!(printed[0].starts_with("Some(70.45)\npen-"), "{printed:?}");
    assert_eq!(printed[0], printed[1]);

    let typed = run(&program, &folder, TYPED);
    let lines: Vec<&str> = typed.lines().collect();
    assert_eq!(lines[0], "Some(70.45) true", "{typed}");
    let rest: Vec<&str> = lines.iter().copied().skip_while(|line| line.starts_with("Some(")).collect();
    let expected = [
        "true",
        "false GetOrderResult: total breaks the schema: type: expected number",
        "Some(\"a\") GetOrderResult: lines[1] breaks the schema: type: expected object",
        "GetOrderResult: nothing is absent",
        "true",
        "id is not sent",
        "shop__get_order failed",
    ];
    assert_eq!(rest, expected, "{typed}");

    let patched = scratch.path().join("patched");
    fs::create_dir(&patched).unwrap();
    let Values { schema, folder: values } = values(&program, &serve, &patched);
    let patch = patch(&program, "rust", "// In the tool");
    // The author's values come from somewhere; here from files.
    let patch = patch.replace("#[derive(Serialize)]", "#[derive(Serialize, serde::Deserialize)]");
    let server = stdio(build(&folder, &(patch + SERVER)), &[values.to_str().unwrap()]);
    check("rust", server, &patched, &schema);
    drop(serve);
}
