//! `diff`: what changed between two schemas, and for whom it breaks, without engine or data.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use comfy_table::{Cell, Color};
use schemascope_shape::compare::{Class, compare};
use serde_json::Value;

use crate::args::{Args, Diff};
use crate::output::{self, count};

pub fn run(args: &Args, verb: &Diff) -> Result<ExitCode> {
    if [&verb.old, &verb.new].iter().all(|path| path.as_os_str() == "-") {
        bail!("only one of the two can be read from standard input");
    }
    let comparison = compare(&read(&verb.old)?, &read(&verb.new)?);
    if args.json {
        output::json(&comparison)?;
        return Ok(ExitCode::SUCCESS);
    }
    if !comparison.changes.is_empty() {
        let mut table = output::table(&["path", "reads it", "sends it", "change"], &[]);
        for change in &comparison.changes {
            let path =
                if change.path.is_empty() { "(root)".to_owned() } else { output::harmless(&change.path) };
            let sentence = Cell::new(output::harmless(&change.sentence));
            table.add_row([Cell::new(path), class(change.output), class(change.input), sentence]);
        }
        output::print(&table)?;
    }
    output::note(&match comparison.changes.len() {
        0 => "the two say the same".to_owned(),
        changes => format!(
            "{} changes; {} for who reads what it describes, {} for who sends it",
            count(changes as u64),
            word(comparison.output),
            word(comparison.input)
        ),
    });
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

fn class(class: Class) -> Cell {
    Cell::new(word(class)).fg(match class {
        Class::Safe => Color::Green,
        Class::Risky => Color::Yellow,
        Class::Breaking => Color::Red,
    })
}

fn word(class: Class) -> &'static str {
    match class {
        Class::Safe => "safe",
        Class::Risky => "risky",
        Class::Breaking => "breaking",
    }
}
