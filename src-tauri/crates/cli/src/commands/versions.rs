//! `versions`.

use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{Cell, Color};
use schemascope_api::{ListVersions, VersionRow, VersionState, VersionsReply};
use schemascope_engine::Front;
use schemascope_model::VersionOrigin;

use super::readiness;
use super::verb::{WithEngine, verbs};
use crate::args::Args;
use crate::output::{self, count};

verbs!(Decide: reader Versions);

/// List the versions of a tool's schema
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope versions git__git_log")]
pub struct Versions {
    /// Tool id, for example git__git_status
    tool_id: String,
}

impl WithEngine for Versions {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let reply = front.call(ListVersions { tool_id: self.tool_id.clone() }).await?;
        if args.json {
            output::json(&reply.versions)?;
        } else {
            print(&reply)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Number of fields that were observed. Schemas from elsewhere do not rest on them.
fn fields(version: &VersionRow) -> String {
    match version.origin {
        VersionOrigin::Inferred => {
            count(version.evidence.fields.len() as u64 + version.evidence.fields_left_out)
        }
        _ => String::new(),
    }
}

fn print(reply: &VersionsReply) -> Result<()> {
    if reply.versions.is_empty() {
        output::note(
            "No version yet. One is created when the inferred schema has stayed the same for a few results; a tool that returns only text gets none.",
        );
        return Ok(());
    }
    let header = ["version", "state", "origin", "quality", "results", "fields", "violated", "created"];
    let mut table = output::table(&header, &[0, 4, 5, 6]);
    for version in &reply.versions {
        let violates = version.fits.violates;
        table.add_row([
            Cell::new(version.version),
            state(version),
            Cell::new(version.origin),
            output::quality(version.quality),
            Cell::new(count(version.observation_count)),
            Cell::new(fields(version)),
            Cell::new(if violates == 0 { String::new() } else { count(violates) }),
            Cell::new(output::time(version.created)),
        ]);
    }
    output::print_without(&table, &["fields", "origin"])?;
    let is_candidate = |row: &&VersionRow| row.state == VersionState::Candidate;
    let candidate = reply.versions.iter().rev().find(is_candidate).map(|row| row.version);
    if let Some((version, readiness)) = candidate.zip(reply.candidate.as_ref()) {
        for line in readiness::lines(version, readiness) {
            output::note(&output::harmless(&line));
        }
    }
    if reply.dropped > 0 {
        output::note(&format!("{} older versions were removed", reply.dropped));
    }
    if reply.suspended {
        output::note(
            "The schema is paused: clients do not receive it, because several results in a row were text that does not fit it.",
        );
    }
    Ok(())
}

fn state(version: &VersionRow) -> Cell {
    let promoted = version.state == VersionState::Promoted;
    let text = match version {
        VersionRow { enforced: true, .. } if promoted => "promoted (pinned, enforced)".to_owned(),
        VersionRow { enforced: true, .. } => "pinned, enforced".to_owned(),
        VersionRow { pinned: true, .. } if promoted => "promoted (pinned)".to_owned(),
        VersionRow { pinned: true, .. } => "pinned".to_owned(),
        VersionRow { rolled_back: true, .. } => format!("{} (rolled back)", version.state),
        _ => version.state.to_string(),
    };
    if version.pinned {
        return Cell::new(text).fg(Color::Green);
    }
    Cell::new(text).fg(match version.state {
        VersionState::Candidate => Color::Yellow,
        VersionState::Promoted => Color::Green,
        VersionState::Rejected => Color::Red,
        VersionState::Superseded => Color::DarkGrey,
    })
}
