//! `promote`, `pin`, `unpin`, `reject`, `rollback`, `undo`.

use std::process::ExitCode;

use anyhow::Result;
use schemascope_api::{Decide, Decided, Decision, InForceRow};
use schemascope_engine::Front;

use crate::args::Args;
use crate::output;

pub async fn run(
    args: &Args,
    tool_id: &str,
    decision: Decision,
    reason: Option<&String>,
    front: &Front,
) -> Result<ExitCode> {
    let person = person();
    let (tool_id, reason) = (tool_id.to_owned(), reason.cloned());
    let decided = front.call(Decide { tool_id, decision, reason, person }).await?;
    if args.json {
        output::json(&decided)?;
    } else {
        output::line(&output::harmless(&sentence(&decided)))?;
        decided.warnings.iter().for_each(|warning| output::note(warning));
    }
    Ok(ExitCode::SUCCESS)
}

/// Who is at the terminal.
pub(super) fn person() -> Option<String> {
    ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok())
}

/// What was decided, and what is in force now.
fn sentence(decided: &Decided) -> String {
    let entry = &decided.entry;
    let did = match (entry.event.as_str(), entry.version) {
        ("promote", Some(version)) => format!("version {version} is promoted"),
        ("pin", Some(version)) => format!("version {version} is pinned"),
        ("unpin", _) => "the pin is taken away".to_owned(),
        ("reject", Some(version)) => format!("version {version} is rejected"),
        ("rollback", _) => "what was in force is rolled back".to_owned(),
        ("undo", _) => "the latest decision is undone".to_owned(),
        (other, _) => other.to_owned(),
    };
    let told = if decided.list_changed { "; clients are told to list the tools again" } else { "" };
    format!("{}: {did}; in force: {}{told}", entry.tool_id, in_force(decided.after.as_ref()))
}

/// A version in force, in words.
pub(super) fn in_force(row: Option<&InForceRow>) -> String {
    match row {
        None => "no version; what the upstream declares, if it declares anything".to_owned(),
        Some(InForceRow { version, enforced: true, .. }) => format!("version {version}, pinned and enforced"),
        Some(InForceRow { version, pinned: true, .. }) => format!("version {version}, pinned"),
        Some(InForceRow { version, .. }) => format!("version {version}"),
    }
}
