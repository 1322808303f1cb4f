//! `diff`: what changed between two schemas, and for whom it breaks. Two files are compared without an engine.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use comfy_table::{Cell, Color};
use schemascope_api::{ChangeClass, ChangeRow, CompareVersions, ComparisonReply};
use schemascope_compare::compare;
use schemascope_engine::{Front, raw_diff};
use serde_json::Value;

use super::verb::{Alone, verbs, with_engine};
use crate::args::{Args, schema_choice};
use crate::output::{self, counted};

verbs!(Decide: alone Diff);

/// Compare two schemas: what changed, and for whom it breaks
#[derive(Debug, clap::Args)]
#[command(
    after_help = "For readers of what a schema describes (a tool's output), a change is safe if the old schema allowed \
    every value that the new schema allows. For senders (a tool's input), it is safe if the new schema \
    allows every value that the old one allowed. A change is called safe only if that is proven."
)]
pub struct Diff {
    /// Two files with a JSON Schema (- reads one from standard input), or a tool id and two of its schemas: a version
    /// number, effective, inferred or declared
    #[arg(num_args = 2..=3, required = true, value_names = ["OLD|TOOL", "NEW|A", "B"])]
    of: Vec<String>,
    /// Compare the text line by line instead
    #[arg(long)]
    raw: bool,
}

impl Alone for Diff {
    async fn run(&self, args: &Args) -> Result<ExitCode> {
        match self.of.as_slice() {
            [tool_id, one] if schema_choice(one).is_ok() && !Path::new(tool_id).exists() => bail!(
                "there is no file {tool_id}; for a tool, name two of its schemas: \
                 `schemascope diff {tool_id} {one} effective`"
            ),
            [old, new] => self.files(args, old, new),
            [tool_id, old, new] => {
                let choice = |word| schema_choice(word).map_err(anyhow::Error::msg);
                let (tool_id, old, new) = (tool_id.clone(), choice(old)?, choice(new)?);
                let command = CompareVersions { tool_id, old, new };
                with_engine(args, async |front| self.versions(args, command, front).await).await
            }
            _ => bail!("expected two files, or a tool id and two of its schemas"),
        }
    }
}

impl Diff {
    fn files(&self, args: &Args, old: &str, new: &str) -> Result<ExitCode> {
        if old == "-" && new == "-" {
            bail!("only one of the two schemas can be read from standard input");
        }
        let (old, new) = (read(Path::new(old))?, read(Path::new(new))?);
        if self.raw {
            return raw(&raw_diff::lines(&old, &new));
        }
        let comparison = compare(&old, &new);
        if args.json {
            output::json(&comparison)?;
            return Ok(ExitCode::SUCCESS);
        }
        // Both types are written with the same words.
        let changes: Vec<ChangeRow> = serde_json::from_value(serde_json::to_value(&comparison.changes)?)?;
        let class = |class| serde_json::from_value(serde_json::to_value(class)?);
        changed(&changes, class(comparison.output)?, class(comparison.input)?)?;
        Ok(ExitCode::SUCCESS)
    }

    async fn versions(&self, args: &Args, command: CompareVersions, front: &Front) -> Result<ExitCode> {
        let comparison = front.call(command).await?;
        if self.raw {
            return raw(&comparison.lines);
        }
        if args.json {
            output::json(&comparison)?;
        } else {
            print(&comparison)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Prints the changes between two schemas.
pub fn print(comparison: &ComparisonReply) -> Result<()> {
    changed(&comparison.changes, comparison.output, comparison.input)
}

fn changed(changes: &[ChangeRow], output: ChangeClass, input: ChangeClass) -> Result<()> {
    if !changes.is_empty() {
        let mut table = output::table(&["path", "readers", "senders", "change"], &[]);
        for change in changes {
            let path =
                if change.path.is_empty() { "(root)".to_owned() } else { output::harmless(&change.path) };
            let sentence = Cell::new(output::harmless(&change.sentence));
            table.add_row([Cell::new(path), class(change.output), class(change.input), sentence]);
        }
        output::print(&table)?;
    }
    output::note(&match changes.len() {
        0 => "the schemas are equivalent".to_owned(),
        changes => format!(
            "{}; {} for readers, {} for senders",
            counted(changes as u64, "change"),
            word(output),
            word(input)
        ),
    });
    Ok(())
}

/// Prints the lines that differ in the text of the schemas.
fn raw(lines: &[String]) -> Result<ExitCode> {
    for line in lines {
        output::line(&output::harmless(line))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> Result<Value> {
    let name = path.display();
    let text = if path.as_os_str() == "-" {
        let mut text = Vec::new();
        std::io::stdin().lock().read_to_end(&mut text).context("cannot read standard input")?;
        text
    } else {
        fs::read(path).with_context(|| format!("cannot read {name}"))?
    };
    serde_json::from_slice(&text).with_context(|| format!("{name} is not JSON"))
}

fn class(class: ChangeClass) -> Cell {
    Cell::new(word(class)).fg(match class {
        ChangeClass::Safe => Color::Green,
        ChangeClass::Risky => Color::Yellow,
        ChangeClass::Breaking => Color::Red,
    })
}

fn word(class: ChangeClass) -> &'static str {
    match class {
        ChangeClass::Safe => "safe",
        ChangeClass::Risky => "risky",
        ChangeClass::Breaking => "breaking",
    }
}
