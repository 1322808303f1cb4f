//! `verify`, `rebuild`, `compact`: looking after the store.

use std::process::ExitCode;

use anyhow::Result;
use schemascope_engine::{Durability, Rebuilt, Several, Verified};
use serde_json::{Value, json};

use crate::args::Args;
use crate::output::{self, bytes, count};

/// Compares everything, says what differs. Fails when something does.
pub fn verify(args: &Args) -> Result<ExitCode> {
    let report = schemascope_engine::verify(&args.options(Durability::default())?.data_dir)?;
    if args.json {
        output::json(&as_json(&report))?;
    } else {
        print(&report)?;
    }
    Ok(ExitCode::from(u8::from(!report.is_sound())))
}

/// Builds the index anew from the journal; it takes no more room than it needs then.
pub fn rebuild(args: &Args) -> Result<ExitCode> {
    let done = schemascope_engine::rebuild(&args.options(Durability::default())?.data_dir)?;
    let Rebuilt { entries, damaged, damaged_count, bytes_before, bytes_after } = done;
    if args.json {
        output::json(&json!({
            "entries": entries,
            "damaged": damaged_count,
            "bytes_before": bytes_before,
            "bytes_after": bytes_after,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    output::line(&format!("the index was built anew from {} entries of the journal", count(entries)))?;
    output::line(&format!("it takes {}; before it took {}", bytes(bytes_after), bytes(bytes_before)))?;
    for place in &damaged {
        output::line(&format!(
            "left out: segment {} offset {}, {} ({})",
            place.at.segment,
            place.at.offset,
            bytes(place.bytes),
            place.reason
        ))?;
    }
    let unnamed = damaged_count - damaged.len() as u64;
    if unnamed > 0 {
        output::line(&format!("and {} more places like these", count(unnamed)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Everything that differs, as lines under a heading each.
fn findings(report: &Verified) -> Vec<(&'static str, u64, Vec<String>)> {
    let place = |(id, at): &(_, schemascope_engine::Position)| {
        format!("{id} (segment {} offset {})", at.segment, at.offset)
    };
    let damage = |damage: &schemascope_engine::Damage| {
        let at = damage.at;
        format!("segment {} offset {}, {} ({})", at.segment, at.offset, bytes(damage.bytes), damage.reason)
    };
    vec![
        listed("damaged places in the journal", &report.damaged, damage),
        listed("calls that the index lacks", &report.missing, place),
        listed("calls that are otherwise in the index", &report.different, place),
        listed("calls that a list of the index lacks", &report.unlisted, place),
        listed("calls in the index that the journal lacks", &report.unknown, ToString::to_string),
        listed("tools whose state is not what the journal gives", &report.states, ToString::to_string),
    ]
}

fn listed<T>(
    what: &'static str,
    found: &Several<T>,
    name: impl Fn(&T) -> String,
) -> (&'static str, u64, Vec<String>) {
    (what, found.count, found.first.iter().map(name).collect())
}

fn print(report: &Verified) -> Result<()> {
    output::line(&format!(
        "{} calls and the states of {} tools compared; {} calls removed by retention, {} entries not indexed yet",
        count(report.calls),
        count(report.tools),
        count(report.gone),
        count(report.behind)
    ))?;
    if let Some(torn) = report.torn {
        let what = "bytes of an unfinished write at the end; nothing acknowledged is in them";
        output::line(&format!("{} {what}", count(torn.bytes)))?;
    }
    if let Some(reason) = &report.unusable {
        output::line(&format!("the index cannot be compared: {}", output::harmless(reason)))?;
    }
    for (what, found, first) in findings(report).into_iter().filter(|(_, found, _)| *found > 0) {
        output::line(&format!("{} {what}:", count(found)))?;
        for one in &first {
            output::line(&format!("  {one}"))?;
        }
        if found > first.len() as u64 {
            output::line(&format!("  and {} more", count(found - first.len() as u64)))?;
        }
    }
    Ok(output::line(if report.is_sound() {
        "everything agrees"
    } else {
        "the journal is the truth: `schemascope rebuild` builds the index anew from it"
    })?)
}

fn as_json(report: &Verified) -> Value {
    let several = |count: u64, first: Vec<String>| json!({"count": count, "first": first});
    let mut findings = findings(report).into_iter().map(|(_, count, first)| several(count, first));
    let mut next = || findings.next().unwrap_or_default();
    json!({
        "sound": report.is_sound(),
        "calls": report.calls,
        "tools": report.tools,
        "removed": report.gone,
        "behind": report.behind,
        "torn_bytes": report.torn.map(|torn| torn.bytes),
        "unusable": report.unusable,
        "damaged": next(),
        "missing": next(),
        "different": next(),
        "unlisted": next(),
        "unknown": next(),
        "states": next(),
    })
}
