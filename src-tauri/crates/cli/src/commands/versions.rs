//! `versions`.

use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{Cell, Color};
use schemascope_api::{ListVersions, VersionRow, VersionState, VersionsReply};
use schemascope_engine::Front;

use crate::args::{Args, Versions};
use crate::output::{self, count};

pub async fn run(args: &Args, verb: &Versions, front: &Front) -> Result<ExitCode> {
    let reply = front.call(ListVersions { tool_id: verb.tool_id.clone() }).await?;
    if args.json {
        output::json(&reply.versions)?;
    } else {
        print(&reply)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(reply: &VersionsReply) -> Result<()> {
    if reply.versions.is_empty() {
        output::note(
            "No version yet. One is cut when the inferred schema has been the same for a few observations.",
        );
        return Ok(());
    }
    let header = ["version", "state", "origin", "quality", "observed", "fields", "violated", "cut"];
    let mut table = output::table(&header, &[0, 4, 5, 6]);
    for version in &reply.versions {
        let violates = version.fits.violates;
        table.add_row([
            Cell::new(version.version),
            state(version),
            Cell::new(version.origin),
            output::quality(version.quality),
            Cell::new(count(version.observation_count)),
            Cell::new(count(version.evidence.fields.len() as u64 + version.evidence.fields_left_out)),
            Cell::new(if violates == 0 { String::new() } else { count(violates) }),
            Cell::new(output::time(version.created)),
        ]);
    }
    output::print(&table)?;
    if reply.dropped > 0 {
        output::note(&format!("{} older versions are not kept any more", reply.dropped));
    }
    if reply.suspended {
        output::note("Clients are not told of the schema for now: results keep missing it.");
    }
    Ok(())
}

fn state(version: &VersionRow) -> Cell {
    let more = match version {
        VersionRow { enforced: true, .. } => " (pinned, enforced)",
        VersionRow { pinned: true, .. } => " (pinned)",
        VersionRow { rolled_back: true, .. } => " (rolled back)",
        _ => "",
    };
    Cell::new(format!("{}{more}", version.state)).fg(match version.state {
        VersionState::Candidate => Color::Yellow,
        VersionState::Promoted => Color::Green,
        VersionState::Rejected => Color::Red,
        VersionState::Superseded => Color::DarkGrey,
    })
}
