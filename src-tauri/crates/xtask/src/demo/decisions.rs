//! Decisions of the demo's story, made by terminal commands, and what clients see of them.
//!
//! Each step checks that it did what the story says.

use std::cell::Cell;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use schemascope_test_support::{McpClient, Program};
use serde_json::{Value, json};

use crate::shell::must;

/// A tool that gains quality while the story runs, and where its wrapper is.
const WRAPPED: &str = "servers/shop/list_invoices.py";
/// The tool the story is about.
const TOOL: &str = "shop__get_order";
/// The tool that takes the id of a customer from it.
const CUSTOMER: &str = "shop__get_customer";

/// The program and the agent of the story.
pub struct Stage<'t> {
    pub program: &'t Program,
    /// The agent.
    pub client: &'t McpClient,
    /// Calls of the story itself.
    pub calls: Cell<u64>,
}

impl Stage<'_> {
    fn type_in(&self, args: &[&str]) -> Result<()> {
        let shown: Vec<String> = args
            .iter()
            .map(|arg| if arg.contains(' ') { format!("\"{arg}\"") } else { (*arg).to_owned() })
            .collect();
        println!("\n   $ schemascope {}", shown.join(" "));
        must(&mut self.program.command(args))?;
        println!();
        Ok(())
    }

    /// The version that waits for a decision.
    fn candidate(&self) -> Result<String> {
        let versions = self.program.json(&["versions", TOOL])?;
        let mut versions = versions.as_array().into_iter().flatten();
        let waiting = versions.rfind(|version| version["state"] == "candidate");
        Ok(waiting.with_context(|| format!("no version of {TOOL} waits"))?["version"].to_string())
    }

    /// Whether the file of overrides has it.
    fn is_in_file(&self) -> Result<bool> {
        let text = std::fs::read_to_string(self.program.data_dir().join("tool_overrides.json"));
        let shown: Value = serde_json::from_str(&text.unwrap_or_else(|_| "null".into()))?;
        let (server, tool) = TOOL.split_once("__").unwrap_or_default();
        Ok(shown["servers"][server]["tools"][tool]["outputSchema"].is_object())
    }

    /// The output schema that `/mcp` advertises.
    fn advertised(&self) -> Result<Option<Value>> {
        let list = self.client.request("tools/list", "{}")?.result()?;
        let tool = list["tools"].as_array().into_iter().flatten().find(|tool| tool["name"] == TOOL);
        Ok(tool.with_context(|| format!("{TOOL} is not listed"))?.get("outputSchema").cloned())
    }
}

/// Adds a program as a tool, and calls it as the agent.
pub fn program(table: &Stage<'_>) -> Result<()> {
    table.type_in(&["cli", "add", "sort", "--alias", "lines", "--reason", "the agent sorts lines"])?;
    let listed = table.client.request("tools/list", "{}")?.result()?;
    if !listed.to_string().contains("\"lines__sort\"") {
        bail!("lines__sort is not listed");
    }
    let arguments = json!({"stdin": "pear\napple\n", "reverse": true});
    let sorted = table.client.call("lines__sort", &arguments)?.result()?;
    table.calls.set(table.calls.get() + 1);
    println!("   lines__sort {arguments} ran {}\n", sorted["_meta"]["schemascope/argv"]);
    if sorted["content"][0]["text"] != "pear\napple\n" {
        bail!("lines__sort gave {sorted}");
    }
    Ok(())
}

/// The folder of wrappers.
fn wrappers(table: &Stage<'_>) -> PathBuf {
    table.program.data_dir().with_file_name("wrappers")
}

/// The quality that the wrapper of a tool says.
fn quality_in_wrapper(table: &Stage<'_>) -> Result<String> {
    let text = std::fs::read_to_string(wrappers(table).join(WRAPPED))?;
    let (_, after) = text.split_once("quality ").context("the wrapper says the quality")?;
    Ok(after.chars().take_while(char::is_ascii_lowercase).collect())
}

/// Writes typed Python for the tools.
pub fn generate(table: &Stage<'_>) -> Result<()> {
    let out = wrappers(table).display().to_string();
    table.type_in(&["generate", "--lang", "python", "--server", "shop", "--out", &out])?;
    let quality = quality_in_wrapper(table)?;
    if quality != "medium" {
        bail!("the wrapper of list_invoices says quality {quality}");
    }
    println!("   {WRAPPED} says quality {quality}.\n");
    Ok(())
}

/// Shows that a wrapper followed the quality of its tool.
pub fn evolved(table: &Stage<'_>) -> Result<()> {
    // Wrappers follow within a second; the agent of `--once` does not wait.
    table.program.json(&["evolve", "--once"])?;
    let quality = quality_in_wrapper(table)?;
    if quality != "high" {
        bail!("the wrapper of list_invoices still says quality {quality}");
    }
    println!("   {WRAPPED} says quality {quality} now.\n");
    Ok(())
}

/// Writes the report for people without a terminal.
pub fn report(table: &Stage<'_>) -> Result<()> {
    let out = wrappers(table).with_file_name("report.html");
    table.type_in(&["report", "--format", "html", "--out", &out.display().to_string()])?;
    if !std::fs::read_to_string(&out)?.contains("list_invoices") {
        bail!("the report does not name list_invoices");
    }
    Ok(())
}

/// Has a person say what fields mean, and accepts it.
pub fn describe(table: &Stage<'_>) -> Result<()> {
    const ABOUT: &str = "shop__list_orders";
    let start = ["interview", "start", "--name", "Orders", "--ds", "tool/output-fields", "--tool", ABOUT];
    table.type_in(&start)?;
    let answer =
        r#"{"fields": [{"field-id": "orders[].id", "meaning": "Number of the order"}], "exhausted?": true}"#;
    table.type_in(&["interview", "answer", "Orders", answer])?;
    table.type_in(&["interview", "finish", "Orders"])?;
    let proposals = table.program.json(&["interview", "descriptions"])?;
    let proposal = proposals[0]["proposal_id"].as_str().context("no descriptions are proposed")?.to_owned();
    table.type_in(&["interview", "descriptions", &proposal, "--accept"])?;
    let schema = table.program.json(&["schema", ABOUT])?;
    if !schema.to_string().contains("Number of the order.") {
        bail!("{ABOUT} is not described: {schema}");
    }
    Ok(())
}

/// Shows the edges between the shop's tools, and that values were seen to flow.
pub fn edges(table: &Stage<'_>) -> Result<()> {
    table.type_in(&["edges", "--server", "shop", "--seen"])?;
    let edges = table.program.json(&["edges", "--from", TOOL, "--to", CUSTOMER])?;
    if edges[0]["state"] != "seen" {
        bail!("{TOOL} is not seen to feed {CUSTOMER}: {edges}");
    }
    Ok(())
}

/// Shows the plan to a customer and runs it as printed.
pub fn plan(table: &Stage<'_>) -> Result<()> {
    let args = ["plan", "--to", CUSTOMER, "--limit", "1"];
    table.type_in(&args)?;
    let plan = &table.program.json(&args)?["plans"][0];
    let mut results: Vec<Value> = Vec::new();
    for step in plan["steps"].as_array().into_iter().flatten() {
        let mut arguments = serde_json::Map::new();
        for (input, from) in step["arguments"].as_object().into_iter().flatten() {
            let before = from["step"].as_u64().and_then(|step| results.get(step as usize - 1));
            let output = from["output"].as_str().unwrap_or_default();
            let value = before.and_then(|result| first_at(result, output));
            let value = value.with_context(|| format!("{input} has no value from {output:?}"))?;
            arguments.insert(input.clone(), value.clone());
        }
        let tool = step["tool_id"].as_str().unwrap_or_default();
        let result = table.client.call(tool, &Value::Object(arguments))?.result()?;
        table.calls.update(|calls| calls + 1);
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        results.push(serde_json::from_str(text).unwrap_or_default());
    }
    let Some(name) = results.last().and_then(|customer| customer["name"].as_str()) else {
        bail!("the plan does not lead to a customer: {plan}");
    };
    println!("   Run: the customer is {name}.\n");
    Ok(())
}

/// The first value at a path such as `orders[].id`.
fn first_at<'v>(result: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(result, |value, step| {
        let (name, items) = step.split_once("[]").map_or((step, false), |(name, _)| (name, true));
        let value = if name.is_empty() { value } else { value.get(name)? };
        if items { value.as_array()?.first() } else { Some(value) }
    })
}

/// Shows that the drift broke the edge from the order to its customer.
pub fn broken_edge(table: &Stage<'_>) -> Result<()> {
    table.type_in(&["edges", "--from", TOOL])?;
    let edges = table.program.json(&["edges", "--from", TOOL, "--to", CUSTOMER])?;
    if edges[0]["state"] != "broken" {
        bail!("the edge from {TOOL} to {CUSTOMER} is not broken: {edges}");
    }
    Ok(())
}

pub fn impact(table: &Stage<'_>) -> Result<()> {
    if table.advertised()?.is_some() {
        bail!("a schema of {TOOL} is advertised, but none was promoted");
    }
    table.type_in(&["impact", TOOL, &table.candidate()?])
}

pub fn promote(table: &Stage<'_>) -> Result<()> {
    let version = table.candidate()?;
    table.type_in(&["promote", TOOL, &version, "--reason", "fits all results so far"])?;
    if table.advertised()?.is_none() {
        bail!("the promoted schema is not advertised");
    }
    if !table.is_in_file()? {
        bail!("the promoted schema is not in tool_overrides.json");
    }
    let result = table.client.call(TOOL, &serde_json::json!({"id": "1"}))?.result()?;
    table.calls.update(|calls| calls + 1);
    let Some(structure) = result.get("structuredContent") else {
        bail!("results of {TOOL} come without structure");
    };
    let structure = structure.to_string();
    println!("   The agent now gets: {}…\n", structure.chars().take(96).collect::<String>());
    Ok(())
}

pub fn drift(table: &Stage<'_>) -> Result<()> {
    table.type_in(&["drift", TOOL])?;
    let drifts = table.program.json(&["drift", TOOL])?;
    if drifts.as_array().is_none_or(Vec::is_empty) {
        bail!("no drift of {TOOL} was found");
    }
    Ok(())
}

pub fn roll_back(table: &Stage<'_>) -> Result<()> {
    table.type_in(&["rollback", TOOL, "--reason", "the shop returns customers differently"])?;
    if table.advertised()?.is_some() {
        bail!("the schema is still advertised after the rollback");
    }
    if table.is_in_file()? {
        bail!("the schema is still in tool_overrides.json after the rollback");
    }
    table.type_in(&["audit", TOOL])
}
