//! `verify`, `rebuild`, `compact`: looking after the store.

use std::process::ExitCode;

use anyhow::Result;
use schemascope_engine::{AuditCheck, Damage, Durability, Rebuilt, Several, Verified};
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
    let Rebuilt { entries, damaged, damaged_count, bytes_before, bytes_after, audit } = done;
    if args.json {
        output::json(&json!({
            "entries": entries,
            "damaged": damaged_count,
            "bytes_before": bytes_before,
            "bytes_after": bytes_after,
            "audit": audit_json(&audit),
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
    output::line(&format!("the audit log has {} entries", count(audit.entries)))?;
    audit_findings(&audit).iter().try_for_each(Finding::print)?;
    Ok(ExitCode::SUCCESS)
}

/// Something that differs: its name for programs, what it is, how often it was found, the first ones.
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
        found: &Several<T>,
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
        Finding::new("refused", "entries of the audit log that make no sense", &audit.refused, String::clone),
    ]
}

fn audit_json(audit: &AuditCheck) -> Value {
    let mut json = json!({"entries": audit.entries, "torn_bytes": audit.torn.map(|torn| torn.bytes)});
    for finding in audit_findings(audit) {
        json[finding.name] = finding.json();
    }
    json
}

/// Everything that differs between journal, index and states.
fn findings(report: &Verified) -> Vec<Finding> {
    let place = |(id, at): &(_, schemascope_engine::Position)| {
        format!("{id} (segment {} offset {})", at.segment, at.offset)
    };
    vec![
        Finding::new("damaged", "damaged places in the journal", &report.damaged, damage),
        Finding::new("missing", "calls that the index lacks", &report.missing, place),
        Finding::new("different", "calls that are otherwise in the index", &report.different, place),
        Finding::new("unlisted", "calls that a list of the index lacks", &report.unlisted, place),
        Finding::new(
            "unknown",
            "calls in the index that the journal lacks",
            &report.unknown,
            ToString::to_string,
        ),
        Finding::new(
            "states",
            "tools whose state is not what the journal gives",
            &report.states,
            ToString::to_string,
        ),
    ]
}

fn print(report: &Verified) -> Result<()> {
    output::line(&format!(
        "{} calls, the states of {} tools and {} entries of the audit log looked at; {} calls removed by retention, {} entries not indexed yet",
        count(report.calls),
        count(report.tools),
        count(report.audit.entries),
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
    for finding in findings(report).iter().chain(&audit_findings(&report.audit)) {
        finding.print()?;
    }
    let audit = &report.audit;
    Ok(output::line(match (report.is_sound(), audit.damaged.count + audit.refused.count) {
        (true, _) => "everything agrees",
        (false, 0) => "the journal is the truth: `schemascope rebuild` builds the index anew from it",
        (false, _) => "what is damaged in the audit log is lost; all that rests on the rest is in force",
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
    });
    for finding in findings(report) {
        json[finding.name] = finding.json();
    }
    json
}
