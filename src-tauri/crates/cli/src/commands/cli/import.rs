//! `import cli`: command-line tools from another program's file. A person sees what each would run before it is added.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use comfy_table::Cell;
use schemascope_api::{AddCliTool, CliState, ListCliTools};
use schemascope_engine::{CliEntry, Front};
use serde_json::{Map, Value, json};

use crate::args::{Args, person};
use crate::output::{self, harmless, read_file};

/// Most entries of a file.
const MAX_ENTRIES: usize = 500;
/// Keys that decide what is run, beside the command.
const TELLING: [&str; 11] = [
    "args",
    "defaultArgs",
    "env",
    "allow",
    "interpreter",
    "cwd",
    "roots",
    "confine",
    "network",
    "systemPrompt",
    "definition",
];

/// Endings of variables that decide which code runs: `LD_PRELOAD`, `NODE_OPTIONS`, `GIT_SSH_COMMAND`, `BASH_ENV`, …
const RUNS_CODE: [&str; 26] = [
    "ASKPASS",
    "AUDIT",
    "BROWSER",
    "CMD",
    "COMMAND",
    "DIFF",
    "EDITOR",
    "ENV",
    "EXEC",
    "HOME",
    "HOOK",
    "INIT",
    "LIB",
    "LIBRARIES",
    "OPEN",
    "OPT",
    "OPTIONS",
    "OPTS",
    "PAGER",
    "PATH",
    "PRELOAD",
    "RC",
    "SHELL",
    "SSH",
    "STARTUP",
    "VISUAL",
];
/// Beginnings of such variables.
const CONFIGURES: [&str; 2] = ["GIT_CONFIG_", "DYLD_"];

/// How entries are added.
#[derive(Debug, Clone, Copy)]
pub struct How<'a> {
    /// Only say what would be added.
    pub dry_run: bool,
    /// Without asking.
    pub yes: bool,
    /// Why.
    pub reason: Option<&'a str>,
}

/// An entry of the file.
struct Offered {
    alias: String,
    entry: Map<String, Value>,
}

pub async fn import(args: &Args, front: &Front, file: &Path, how: How<'_>) -> Result<ExitCode> {
    let (offered, mut problems) = entries(&read_file(file)?).with_context(|| file.display().to_string())?;
    let known: BTreeSet<String> =
        front.call(ListCliTools {}).await?.tools.into_iter().map(|row| row.alias).collect();
    let (kept, new): (Vec<_>, Vec<_>) =
        offered.into_iter().partition(|offered| known.contains(&offered.alias));
    let kept: Vec<String> = kept.into_iter().map(|offered| offered.alias).collect();
    if !args.json {
        for alias in &kept {
            output::note(&format!("{} is already in ai-tools.json and stays as it is", harmless(alias)));
        }
        for problem in &problems {
            output::note(&format!("skipped: {}", harmless(problem)));
        }
        print(&new)?;
    }
    let (mut added, told) = (Vec::new(), problems.len());
    if !how.dry_run && !new.is_empty() && agreed(args, how, new.len())? {
        for Offered { alias, entry } in &new {
            let command = AddCliTool {
                entry: entry.clone(),
                reason: how.reason.map(str::to_owned),
                person: person(),
                only_new: false,
            };
            match front.call(command).await {
                Ok(row) if row.state == CliState::Failed => {
                    problems.push(format!("{alias} was added, but {}", row.reason.unwrap_or_default()));
                }
                Ok(_) => added.push(alias.clone()),
                Err(error) => problems.push(format!("{alias}: {error}")),
            }
        }
        for problem in problems.iter().skip(told).filter(|_| !args.json) {
            output::note(&harmless(problem));
        }
    }
    if args.json {
        let would: Vec<&str> = new.iter().map(|offered| offered.alias.as_str()).collect();
        output::json(&json!({
            "added": added, "new": would, "kept": kept, "problems": problems, "dry_run": how.dry_run,
        }))?;
    } else if !how.dry_run {
        output::line(&format!("{} added", output::counted(added.len() as u64, "command-line tool")))?;
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The entries of a file, and why others cannot be used. One that cannot be used hides no other.
fn entries(text: &str) -> Result<(Vec<Offered>, Vec<String>)> {
    let document: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
        anyhow::anyhow!("is not valid JSON: line {}, column {}: {error}", error.line(), error.column())
    })?;
    let Some(tools) = document.get("tools").and_then(Value::as_array) else {
        bail!("has no \"tools\"; expected {{\"version\": \"1.0\", \"tools\": [{{\"command\": \"…\"}}]}}");
    };
    if tools.len() > MAX_ENTRIES {
        bail!("has {} entries, and {MAX_ENTRIES} at most can be imported", tools.len());
    }
    let (mut offered, mut problems, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (at, tool) in tools.iter().enumerate() {
        let text = |key: &str| tool.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let Some((command, entry)) = text("command").zip(tool.as_object()) else {
            problems.push(format!("entry {} has no \"command\"", at + 1));
            continue;
        };
        let alias = text("alias").map_or_else(|| CliEntry::of_command(command).alias, str::to_owned);
        if seen.insert(alias.clone()) {
            offered.push(Offered { alias, entry: entry.clone() });
        } else {
            problems.push(format!("entry {} has the alias {alias:?} of an earlier one", at + 1));
        }
    }
    Ok((offered, problems))
}

/// Prints what each entry would run.
fn print(new: &[Offered]) -> Result<()> {
    if new.is_empty() {
        output::note("There is nothing to add.");
        return Ok(());
    }
    let mut table = output::table(&["alias", "command", "with"], &[]);
    for Offered { alias, entry } in new {
        let command = entry.get("command").and_then(Value::as_str).unwrap_or_default();
        let with = TELLING.iter().filter_map(|key| Some(format!("{key}: {}", shown(key, entry.get(*key)?))));
        let with = harmless(&with.collect::<Vec<_>>().join(", "));
        table.add_row([Cell::new(harmless(alias)), Cell::new(harmless(command)), Cell::new(with)]);
    }
    output::print(&table)?;
    Ok(())
}

/// Variables without their values, which may be secrets, but for those that decide what is run. Anything else as it is.
fn shown(key: &str, value: &Value) -> String {
    match value {
        Value::Object(variables) if key == "env" => {
            let variable = |(name, value): (&String, &Value)| match value.as_str() {
                Some(value) if decides(name) => format!("{name}={value}"),
                _ => name.clone(),
            };
            variables.iter().map(variable).collect::<Vec<_>>().join(" ")
        }
        _ => value.to_string(),
    }
}

fn decides(variable: &str) -> bool {
    RUNS_CODE.iter().any(|ending| variable.ends_with(ending))
        || CONFIGURES.iter().any(|beginning| variable.starts_with(beginning))
}

fn agreed(args: &Args, how: How<'_>, count: usize) -> Result<bool> {
    if how.yes {
        return Ok(true);
    }
    let tools = output::counted(count as u64, "command-line tool");
    if args.json || !std::io::stdin().is_terminal() {
        bail!("{tools} would be offered to agents; look at them with --dry-run, then add --yes");
    }
    output::note(&format!("Offer {tools} to agents? Their help is read first. [y/N]"));
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(output::is_yes(&line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_that_cannot_be_used_hides_no_other() {
        let text = r#"{"tools": [{"command": "/usr/bin/git", "alias": ""}, {"alias": "x"}, 3,
            {"command": "ls", "alias": "ask-git"}, {"command": "jq", "env": {"A": "b"}}]}"#;
        let (offered, problems) = entries(text).unwrap();
        let aliases: Vec<&str> = offered.iter().map(|offered| offered.alias.as_str()).collect();
        assert_eq!(aliases, ["ask-git", "ask-jq"]);
        assert_eq!(
            problems,
            [
                "entry 2 has no \"command\"",
                "entry 3 has no \"command\"",
                "entry 4 has the alias \"ask-git\" of an earlier one",
            ]
        );
        assert!(entries("{\n \"tools\": [").err().unwrap().to_string().contains("line 2"));
        assert!(entries("[]").is_err() && entries("{\"tools\": {}}").is_err());
    }
}
