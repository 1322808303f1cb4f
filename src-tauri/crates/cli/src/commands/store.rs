//! `verify`, `rebuild` and `compact`: maintenance of the stored data.

use std::process::ExitCode;

use anyhow::Result;
use schemascope_engine::{AuditCheck, Damage, Durability, Findings, Rebuilt, Verified};
use serde_json::{Value, json};

use super::verb::{Alone, verbs};
use crate::args::Args;
use crate::output::{self, bytes, count};

verbs!(Maintain: alone Verify, alone Rebuild, alone Compact);

/// Compare journal, index, learned state and audit log, and list differences
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Nothing is changed. The exit code is 1 if something differs. Stop Schemascope first.\n\n\
    Example:\n  schemascope verify && schemascope compact"
)]
pub struct Verify {}

/// Rebuild the index from the journal
#[derive(Debug, clap::Args)]
#[command(after_help = "The journal has every recorded call, so nothing is lost. Stop Schemascope first.")]
pub struct Rebuild {}

/// Return the space that removed calls used in the index
#[derive(Debug, clap::Args)]
#[command(after_help = "The index is rebuilt from the journal. Stop Schemascope first.")]
pub struct Compact {}

impl Alone for Verify {
    async fn run(&self, args: &Args) -> Result<ExitCode> {
        verify(args)
    }
}

impl Alone for Rebuild {
    async fn run(&self, args: &Args) -> Result<ExitCode> {
        rebuild(args)
    }
}

impl Alone for Compact {
    async fn run(&self, args: &Args) -> Result<ExitCode> {
        rebuild(args)
    }
}

fn verify(args: &Args) -> Result<ExitCode> {
    let data_dir = args.options(Durability::default())?.data_dir;
    super::verb::remove_copy_on_signal(&data_dir);
    let report = schemascope_engine::verify(&data_dir)?;
    let written = if args.json { output::json(&as_json(&report)) } else { print(&report) };
    output::coded(written, ExitCode::from(u8::from(!report.is_sound())))
}

fn rebuild(args: &Args) -> Result<ExitCode> {
    let done = schemascope_engine::rebuild(&args.options(Durability::default())?.data_dir)?;
    let Rebuilt { entries, salvaged, damaged, damaged_count, bytes_before, bytes_after, audit } = done;
    let restored = salvaged.unwrap_or_default();
    if args.json {
        output::json(&json!({
            "entries": entries,
            "restored": restored.calls,
            "damaged": damaged_count,
            "bytes_before": bytes_before,
            "bytes_after": bytes_after,
            "audit": audit_json(&audit),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    output::line(&format!("the index was rebuilt from {} journal entries", count(entries)))?;
    if restored.calls > 0 {
        output::line(&format!(
            "{} calls that the journal had lost were restored from the old index, {} of them without content",
            count(restored.calls),
            count(restored.without_bodies)
        ))?;
    }
    output::line(&format!("its size is {}; it was {}", bytes(bytes_after), bytes(bytes_before)))?;
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
        output::line(&format!("and {} more", count(unnamed)))?;
    }
    output::line(&format!("the audit log has {} entries", count(audit.entries)))?;
    audit_findings(&audit).iter().try_for_each(Finding::print)?;
    Ok(ExitCode::SUCCESS)
}

/// A difference: its name in JSON, its description, its count, and the first places.
struct Finding {
    name: &'static str,
    what: &'static str,
    count: u64,
    first: Vec<String>,
}

impl Finding {
    fn new<T>(
        name: &'static str,
        what: &'static str,
        found: &Findings<T>,
        one: impl Fn(&T) -> String,
    ) -> Self {
        Self { name, what, count: found.count, first: found.first.iter().map(one).collect() }
    }

    fn print(&self) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        output::line(&format!("{} {}:", count(self.count), self.what))?;
        for one in &self.first {
            output::line(&format!("  {}", output::harmless(one)))?;
        }
        if self.count > self.first.len() as u64 {
            output::line(&format!("  and {} more", count(self.count - self.first.len() as u64)))?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        json!({"count": self.count, "first": self.first})
    }
}

fn damage(damage: &Damage) -> String {
    let at = damage.at;
    format!("segment {} offset {}, {} ({})", at.segment, at.offset, bytes(damage.bytes), damage.reason)
}

fn audit_findings(audit: &AuditCheck) -> Vec<Finding> {
    vec![
        Finding::new("damaged", "damaged places in the audit log", &audit.damaged, damage),
        Finding::new("refused", "invalid entries in the audit log", &audit.refused, String::clone),
    ]
}

/// The same for the log of interviews.
fn interview_findings(log: &AuditCheck) -> Vec<Finding> {
    vec![
        Finding::new("damaged", "damaged places in the log of interviews", &log.damaged, damage),
        Finding::new("refused", "invalid steps in the log of interviews", &log.refused, String::clone),
    ]
}

fn audit_json(audit: &AuditCheck) -> Value {
    let mut json = json!({"entries": audit.entries, "torn_bytes": audit.torn.map(|torn| torn.bytes)});
    for finding in audit_findings(audit) {
        json[finding.name] = finding.json();
    }
    json
}

/// The differences between journal, index and states.
fn findings(report: &Verified) -> Vec<Finding> {
    let place = |(id, at): &(_, schemascope_engine::Position)| {
        format!("{id} (segment {} offset {})", at.segment, at.offset)
    };
    vec![
        Finding::new("damaged", "damaged places in the journal", &report.damaged, damage),
        Finding::new("missing", "calls missing from the index", &report.missing, place),
        Finding::new("different", "calls that differ in the index", &report.different, place),
        Finding::new("unlisted", "calls missing from a list of the index", &report.unlisted, place),
        Finding::new(
            "unknown",
            "calls in the index that are not in the journal",
            &report.unknown,
            ToString::to_string,
        ),
        Finding::new(
            "states",
            "tools whose state differs from the journal",
            &report.states,
            ToString::to_string,
        ),
    ]
}

/// Whether the journal has damaged places and the index all that can be read.
fn has_only_damage(report: &Verified, findings: &[Finding]) -> bool {
    report.unusable.is_none()
        && findings.iter().all(|finding| finding.name == "damaged" || finding.count == 0)
}

fn print(report: &Verified) -> Result<()> {
    output::line(&format!(
        "{} calls, the states of {} tools, {} audit log entries and {} steps of interviews checked; {} calls removed by retention, {} entries not indexed yet",
        count(report.calls),
        count(report.tools),
        count(report.audit.entries),
        count(report.interviews.entries),
        count(report.gone),
        count(report.behind)
    ))?;
    if let Some(torn) = report.torn {
        let what = "bytes of an unfinished write at the end, without any acknowledged call";
        output::line(&format!("{} {what}", count(torn.bytes)))?;
    }
    if let Some(reason) = &report.unusable {
        output::line(&format!("the index cannot be compared: {}", output::harmless(reason)))?;
    }
    let logs = audit_findings(&report.audit).into_iter().chain(interview_findings(&report.interviews));
    let found = findings(report);
    found.iter().try_for_each(Finding::print)?;
    for finding in logs {
        finding.print()?;
    }
    let lost = |log: &AuditCheck| log.damaged.count + log.refused.count > 0;
    Ok(output::line(match (report.is_sound(), lost(&report.audit), lost(&report.interviews)) {
        (true, ..) => "no differences",
        (false, true, _) => {
            "damaged entries of the audit log are lost; every other decision is still in effect"
        }
        (false, false, true) => "damaged steps of interviews are lost; all others are intact",
        (false, false, false) if has_only_damage(report, &found) => {
            "what is damaged in the journal cannot be read; everything else is intact"
        }
        (false, false, false) => {
            "run `schemascope rebuild` to rebuild the index from the journal, and to restore what only the index has"
        }
    })?)
}

fn as_json(report: &Verified) -> Value {
    let mut json = json!({
        "sound": report.is_sound(),
        "calls": report.calls,
        "tools": report.tools,
        "removed": report.gone,
        "behind": report.behind,
        "torn_bytes": report.torn.map(|torn| torn.bytes),
        "unusable": report.unusable,
        "audit": audit_json(&report.audit),
        "interviews": audit_json(&report.interviews),
    });
    for finding in findings(report) {
        json[finding.name] = finding.json();
    }
    json
}
