//! `redact`: today's rules applied to what is stored.

use std::io::IsTerminal;
use std::process::ExitCode;

use anyhow::Result;
use schemascope_engine::{Counted, Durability, RedactedStore};
use serde_json::{Value, json};

use crate::args::{Args, Redact};
use crate::output::{self, bytes, count};

/// Redacts, or tells what it would.
pub async fn run(args: &Args, verb: &Redact) -> Result<ExitCode> {
    let progress = |done: u64, total: u64| {
        if std::io::stderr().is_terminal() && !args.quiet && total > 1 {
            output::note(&format!("{done} of {total} segments"));
        }
    };
    let options = args.options(Durability::default())?;
    let done = schemascope_engine::redact_stored(&options, verb.dry_run, progress).await?;
    if args.json {
        output::json(&as_json(&done))?;
    } else {
        print(&done)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Each kind of record under its name for programs and for people.
fn kinds(done: &RedactedStore) -> [(&'static str, &'static str, Counted); 4] {
    let found = &done.found;
    [
        ("calls", "calls", found.calls),
        ("declarations", "definitions of tools", found.declarations),
        ("states", "states of tools in snapshots", found.states),
        ("decisions", "versions and decisions", found.decisions),
    ]
}

fn print(done: &RedactedStore) -> Result<()> {
    let changed = if done.index.is_some() { "changed" } else { "would change" };
    for (_, what, Counted { records, changed: found }) in kinds(done) {
        output::line(&format!("{} of {} {what} {changed}", count(found), count(records)))?;
    }
    output::line(&format!("{} values in calls", count(done.found.values)))?;
    if done.unreadable > 0 {
        let left_out = if done.index.is_some() { "left out" } else { "to be left out" };
        let why = "nobody can tell what is in them";
        output::line(&format!("{} damaged places {left_out}: {why}", count(done.unreadable)))?;
    }
    for file in done.left.iter().filter(|_| done.index.is_some()) {
        let yours = "still holds secrets, and is left to you; edit or remove it";
        output::line(&format!("{} {yours}", file.display()))?;
    }
    Ok(match &done.index {
        Some(index) => {
            output::line(&format!("the index was built anew; it takes {}", bytes(index.bytes_after)))
        }
        None => output::line("nothing was changed (--dry-run)"),
    }?)
}

fn as_json(done: &RedactedStore) -> Value {
    let mut json = json!({
        "dry_run": done.index.is_none(),
        "values": done.found.values,
        "unreadable": done.unreadable,
        "left": done.left,
        "index_bytes": done.index.as_ref().map(|index| index.bytes_after),
    });
    for (name, _, Counted { records, changed }) in kinds(done) {
        json[name] = json!({"records": records, "changed": changed});
    }
    json
}
