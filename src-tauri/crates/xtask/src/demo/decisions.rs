//! What a person decides in the demo's story, by the commands anybody has, and what clients see of it.
//!
//! Each step checks that it did what the story says.

use std::cell::Cell;

use anyhow::{Context, Result, bail};
use schemascope_test_support::{McpClient, Program};
use serde_json::Value;

use crate::shell::must;

/// The tool the story is about.
const TOOL: &str = "shop__get_order";

/// Who sits at it.
pub struct Table<'t> {
    pub program: &'t Program,
    /// The agent.
    pub client: &'t McpClient,
    /// Calls of the story itself.
    pub calls: Cell<u64>,
}

impl Table<'_> {
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

    /// The output schema that clients of all upstreams are told.
    fn told(&self) -> Result<Option<Value>> {
        let list = self.client.request("tools/list", "{}")?.result()?;
        let tool = list["tools"].as_array().into_iter().flatten().find(|tool| tool["name"] == TOOL);
        Ok(tool.with_context(|| format!("{TOOL} is not listed"))?.get("outputSchema").cloned())
    }
}

pub fn impact(table: &Table<'_>) -> Result<()> {
    if table.told()?.is_some() {
        bail!("clients are told a schema of {TOOL} that nobody promoted");
    }
    table.type_in(&["impact", TOOL, &table.candidate()?])
}

pub fn promote(table: &Table<'_>) -> Result<()> {
    let version = table.candidate()?;
    table.type_in(&["promote", TOOL, &version, "--reason", "fits all results so far"])?;
    if table.told()?.is_none() {
        bail!("clients are not told of what was promoted");
    }
    if !table.is_in_file()? {
        bail!("the file of overrides does not have what was promoted");
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

pub fn drift(table: &Table<'_>) -> Result<()> {
    table.type_in(&["drift", TOOL])?;
    let drifts = table.program.json(&["drift", TOOL])?;
    if drifts.as_array().is_none_or(Vec::is_empty) {
        bail!("nobody noticed that {TOOL} changed");
    }
    Ok(())
}

pub fn roll_back(table: &Table<'_>) -> Result<()> {
    table.type_in(&["rollback", TOOL, "--reason", "the shop returns customers otherwise"])?;
    if table.told()?.is_some() {
        bail!("clients are still told of what was rolled back");
    }
    if table.is_in_file()? {
        bail!("the file of overrides still has what was rolled back");
    }
    table.type_in(&["audit", TOOL])
}
