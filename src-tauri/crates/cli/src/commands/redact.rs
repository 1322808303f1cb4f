//! `redact`: the current redaction rules applied to everything that is stored.

use std::io::IsTerminal;
use std::process::ExitCode;

use anyhow::Result;
use schemascope_engine::{Counted, Durability, RedactedStore};
use serde_json::{Value, json};

use super::verb::{Alone, verbs};
use crate::args::Args;
use crate::output::{self, bytes, count};

verbs!(Maintain: alone Redact);

/// Apply the current redaction rules to everything that is stored
#[derive(Debug, clap::Args)]
#[command(
    after_help = "New calls are redacted before they are stored. Use this command after adding a rule: add it to \
    redaction.json in the data directory, for example {\"keys\": [\"employee_no\"], \"patterns\": [\"INT-(\\\\d{6})\"]}, \
    or write a server's new password into mcp.json (--config). Stop Schemascope, and run\n\n  \
        schemascope redact --dry-run    prints how much would change\n  \
        schemascope redact              changes it permanently\n\n\
    Counts, types and lengths stay. Schemas of versions that listed a secret value allow any value there \
    afterwards. If the command is interrupted, run it again."
)]
pub struct Redact {
    /// Print what would change, without changing it
    #[arg(long)]
    dry_run: bool,
}

impl Alone for Redact {
    async fn run(&self, args: &Args) -> Result<ExitCode> {
        let progress = |done: u64, total: u64| {
            if std::io::stderr().is_terminal() && !args.quiet && total > 1 {
                output::note(&format!("{done} of {total} segments"));
            }
        };
        let options = args.options(Durability::default())?;
        let done = schemascope_engine::redact_stored(&options, self.dry_run, progress).await?;
        if args.json {
            output::json(&as_json(&done))?;
        } else {
            print(&done)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Each kind of record: its name in JSON, its name for people, and its counts.
fn kinds(done: &RedactedStore) -> [(&'static str, &'static str, Counted); 5] {
    let found = &done.found;
    [
        ("calls", "calls", found.calls),
        ("declarations", "tool definitions", found.declarations),
        ("states", "tool states in snapshots", found.states),
        ("decisions", "versions and decisions", found.decisions),
        ("interviews", "steps of interviews", found.interviews),
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
        let why = "their content cannot be read";
        output::line(&format!("{} damaged places {left_out}: {why}", count(done.unreadable)))?;
    }
    if let Some(file) = &done.without_config {
        let unknown = "does not exist, so no secrets of servers are known; name the file with --config FILE";
        output::line(&format!("{} {unknown}", file.display()))?;
    }
    for file in done.left.iter().filter(|_| done.index.is_some()) {
        let yours = "still contains secrets and was not changed; edit or delete it";
        output::line(&format!("{} {yours}", file.display()))?;
    }
    Ok(match &done.index {
        Some(index) => {
            output::line(&format!("the index was rebuilt; its size is {}", bytes(index.bytes_after)))
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
        "without_config": done.without_config,
        "index_bytes": done.index.as_ref().map(|index| index.bytes_after),
    });
    for (name, _, Counted { records, changed }) in kinds(done) {
        json[name] = json!({"records": records, "changed": changed});
    }
    json
}
