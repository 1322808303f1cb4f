//! `diff`: what changed between two schemas, and for whom it breaks. Of two files without engine or data.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use comfy_table::{Cell, Color};
use schemascope_api::{ChangeClass, ChangeRow, CompareVersions, ComparisonReply, SchemaChoice};
use schemascope_engine::{Front, raw_diff};
use schemascope_shape::compare::compare;
use serde_json::Value;

use crate::args::{Args, Diff};
use crate::output::{self, counted};

/// Two files.
pub fn files(args: &Args, verb: &Diff) -> Result<ExitCode> {
    let [old, new] = verb.of.as_slice() else { bail!("two files are compared") };
    if old == "-" && new == "-" {
        bail!("only one of the two can be read from standard input");
    }
    let (old, new) = (read(Path::new(old))?, read(Path::new(new))?);
    if verb.raw {
        return raw(&raw_diff::lines(&old, &new));
    }
    let comparison = compare(&old, &new);
    if args.json {
        output::json(&comparison)?;
        return Ok(ExitCode::SUCCESS);
    }
    // The same words in both.
    let changes: Vec<ChangeRow> = serde_json::from_value(serde_json::to_value(&comparison.changes)?)?;
    let class = |class| serde_json::from_value(serde_json::to_value(class)?);
    changed(&changes, class(comparison.output)?, class(comparison.input)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Two of a tool's schemas.
pub async fn versions(args: &Args, verb: &Diff, front: &Front) -> Result<ExitCode> {
    let [tool_id, old, new] = verb.of.as_slice() else {
        bail!("a tool and two of its versions are compared")
    };
    let (tool_id, old, new) = (tool_id.clone(), choice(old)?, choice(new)?);
    let comparison = front.call(CompareVersions { tool_id, old, new }).await?;
    if verb.raw {
        return raw(&comparison.lines);
    }
    if args.json {
        output::json(&comparison)?;
    } else {
        print(&comparison)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A schema by the word for it: a version's number, or `effective`, `inferred`, `declared`.
pub fn choice(word: &str) -> Result<SchemaChoice> {
    Ok(match word {
        "effective" => SchemaChoice::Effective,
        "inferred" => SchemaChoice::Inferred,
        "declared" => SchemaChoice::Declared,
        number => SchemaChoice::Version(number.parse().ok().with_context(|| {
            format!("{word:?} is neither the number of a version nor effective, inferred or declared")
        })?),
    })
}

pub(super) fn print(comparison: &ComparisonReply) -> Result<()> {
    changed(&comparison.changes, comparison.output, comparison.input)
}

fn changed(changes: &[ChangeRow], output: ChangeClass, input: ChangeClass) -> Result<()> {
    if !changes.is_empty() {
        let mut table = output::table(&["path", "reads it", "sends it", "change"], &[]);
        for change in changes {
            let path =
                if change.path.is_empty() { "(root)".to_owned() } else { output::harmless(&change.path) };
            let sentence = Cell::new(output::harmless(&change.sentence));
            table.add_row([Cell::new(path), class(change.output), class(change.input), sentence]);
        }
        output::print(&table)?;
    }
    output::note(&match changes.len() {
        0 => "the two say the same".to_owned(),
        changes => format!(
            "{}; {} for who reads what it describes, {} for who sends it",
            counted(changes as u64, "change"),
            word(output),
            word(input)
        ),
    });
    Ok(())
}

/// The schemas' own text, line by line.
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
    serde_json::from_slice(&text).with_context(|| format!("{name} is no JSON"))
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
