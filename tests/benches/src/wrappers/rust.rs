//! A program that reads every value with its wrapper in Rust.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use schemascope_benches::places;
use schemascope_codegen::Entry;

/// Reads values and compares the whole and every field with what was sent.
const DRIVER: &str = r#"
use schemascope_wrappers::servers;
use serde_json::{json, Value};

type Fields = Vec<(Option<&'static str>, Result<Option<Value>, String>)>;

fn shown<T: serde::Serialize>(value: Result<T, impl std::fmt::Display>) -> Result<Option<Value>, String> {
    value.map(|value| serde_json::to_value(value).ok()).map_err(|why| why.to_string())
}

fn optional<T: serde::Serialize>(value: Result<Option<T>, impl std::fmt::Display>) -> Result<Option<Value>, String> {
    value.map(|value| value.and_then(|value| serde_json::to_value(value).ok())).map_err(|why| why.to_string())
}

fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other)),
        (Value::Object(one), Value::Object(other)) => one.len() == other.len() && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| same(value, other))),
        _ => one == other,
    }
}

fn main() {
    let path = std::env::args().nth(1).expect("a file of cases");
    let cases: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).expect("cases")).expect("JSON");
    let outcomes: Vec<Value> = cases.iter().map(|case| {
        let value: Value = serde_json::from_str(case["json"].as_str().unwrap_or_default()).expect("JSON");
        match read(case["module"].as_str().unwrap_or_default(), value.clone()) {
            Err(error) => json!({"accepted": false, "unchanged": false, "error": error}),
            Ok((whole, fields)) => {
                let mut error = (whole != value).then(|| "another whole".to_owned());
                for (key, field) in fields {
                    let sent = key.map_or(Some(&value), |key| value.get(key));
                    match field {
                        Err(why) => error = Some(why),
                        Ok(found) if found.as_ref().zip(sent).is_some_and(|(one, other)| same(one, other)) || found.is_none() && sent.is_none() => {}
                        Ok(found) => error = Some(format!("{key:?} is {found:?}")),
                    }
                }
                json!({"accepted": true, "unchanged": error.is_none(), "error": error})
            }
        }
    }).collect();
    println!("{}", Value::from(outcomes));
}
"#;

/// Builds the wrappers without a warning, and the program.
pub fn build(folder: &Path, entries: &[Entry]) -> Result<PathBuf> {
    let mut text = format!(
        "{DRIVER}\nfn read(module: &str, value: Value) -> Result<(Value, Fields), String> {{\n    match module {{\n"
    );
    for entry in entries {
        let wrapper = fs::read_to_string(folder.join(&entry.file))?;
        let _ = write!(
            text,
            "        {:?} => {{\n            let result = {}::{}(value).map_err(|why| why.to_string())?;\n            \
             let whole = serde_json::to_value(&result).map_err(|why| why.to_string())?;\n            Ok((whole, vec![{}]))\n        }}\n",
            entry.module,
            entry.module,
            entry.parse,
            fields(&wrapper, &entry.result).join(", ")
        );
    }
    text += "        other => panic!(\"no wrapper {other}\"),\n    }\n}\n";
    let driver = folder.join("driver");
    fs::create_dir_all(driver.join("src"))?;
    fs::write(driver.join("src/main.rs"), text)?;
    fs::write(
        driver.join("Cargo.toml"),
        "[package]\nname = \"driver\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n\n[dependencies]\n\
         schemascope-wrappers = { path = \"..\" }\nserde = \"1\"\nserde_json = \"1\"\n",
    )?;
    let target = places::target()?.join("wrappers");
    let run = Command::new("cargo")
        .args(["build", "--quiet"])
        .current_dir(&driver)
        .env("CARGO_TARGET_DIR", &target)
        .env("RUSTFLAGS", "-Dwarnings -Cdebuginfo=0")
        .output()?;
    if !run.status.success() {
        bail!("the wrappers do not compile:\n{}", String::from_utf8_lossy(&run.stderr));
    }
    Ok(target.join("debug/driver"))
}

/// Expressions for the fields of the whole value: the key, and what the method returns.
fn fields(wrapper: &str, result: &str) -> Vec<String> {
    let methods = wrapper.split_once(&format!("\nimpl {result} {{\n")).map_or("", |(_, rest)| rest);
    let methods = methods.split_once("\n}\n").map_or("", |(methods, _)| methods);
    let mut fields = Vec::new();
    for method in methods.split("    pub fn ").skip(1) {
        let end = method.find(['<', '(']).unwrap_or(0);
        let (name, body) = method.split_at(end);
        let call = |reader: &str| {
            let (_, rest) = body.split_once(&format!("self.0.view().{reader}("))?;
            rest.split_once(")\n").map(|(key, _)| key.to_owned())
        };
        if let Some(key) = call("field") {
            fields.push(format!("(Some({key}), shown(result.{name}()))"));
        } else if let Some(key) = call("optional") {
            fields.push(format!("(Some({key}), optional(result.{name}()))"));
        } else if body.contains("self.0.read()") {
            fields.push(format!("(None, shown(result.{name}()))"));
        }
    }
    fields
}
