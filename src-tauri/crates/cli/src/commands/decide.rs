//! `promote`, `pin`, `unpin`, `reject`, `rollback` and `undo`.

use std::process::ExitCode;

use anyhow::Result;
use schemascope_api::{
    AuditRow, Decide, Decided, Decision, GetImpact, InForceRow, ListAudit, ListVersions, VersionRow,
    VersionState,
};
use schemascope_engine::Front;

use super::readiness;
use super::verb::{WithEngine, verbs};
use crate::args::{Args, person};
use crate::output;

verbs!(Decide:
    engine Promote,
    engine Pin,
    engine Unpin,
    engine Reject,
    engine Rollback,
    engine Undo,
);

/// Entries of the audit log among which an undone decision is looked for.
const ENTRIES: usize = 200;

#[derive(Debug, clap::Args)]
struct About {
    /// Tool id, for example git__git_status
    tool_id: String,
    #[command(flatten)]
    why: Why,
}

/// The reason of a decision, or that there is none.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub struct Why {
    /// Reason, kept in the audit log
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Decide without a reason
    #[arg(long)]
    pub no_reason: bool,
}

/// Make a version effective and advertise it to clients
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope promote git__git_log --reason \"billing uses it\"    the candidate\n  \
    schemascope promote git__git_log 3 --reason \"discussed with the team\"\n\n\
    `impact` shows beforehand what changes, and whether the version is ready; `rollback` and `undo` take the decision back.")]
pub struct Promote {
    #[command(flatten)]
    about: About,
    /// Version number [default: the candidate]
    version: Option<u32>,
}

/// Keep a version effective, whatever is promoted later
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope pin git__git_log --reason \"release 4\"    the effective version\n  \
    schemascope pin git__git_log 3 --enforce --no-reason    violations are errors")]
pub struct Pin {
    #[command(flatten)]
    about: About,
    /// Version number [default: the effective version]
    version: Option<u32>,
    /// Turn results that violate the version into errors, which contain the result
    #[arg(long)]
    enforce: bool,
}

/// Remove the pin
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope unpin git__git_log --reason \"the new release is fine\"")]
pub struct Unpin {
    #[command(flatten)]
    about: About,
}

/// Reject a version, so that it is not suggested again
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope reject git__git_log --no-reason       the candidate\n  \
    schemascope reject git__git_log 3 --reason \"one client sent test data\"")]
pub struct Reject {
    #[command(flatten)]
    about: About,
    /// Version number [default: the candidate]
    version: Option<u32>,
}

/// Make an earlier promoted version effective again, or none
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope rollback git__git_log --reason \"clients of the old release break\"\n  \
    schemascope rollback git__git_log --to 2 --no-reason\n\n\
    A pin is removed, too.")]
pub struct Rollback {
    #[command(flatten)]
    about: About,
    /// Number of an earlier promoted version [default: the one promoted before, or none]
    #[arg(long, value_name = "N")]
    to: Option<u32>,
}

/// Undo the latest decision about a tool
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    schemascope undo git__git_log\n\n\
    Run it again to undo the decision before that one.")]
pub struct Undo {
    /// Tool id, for example git__git_status
    tool_id: String,
    /// Reason, kept in the audit log
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Implements a command that takes one decision.
macro_rules! decides {
    ($($verb:ident: $this:ident => $decision:expr;)+) => {
        $(impl WithEngine for $verb {
            async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
                let $this = self;
                decide(args, &$this.about, $decision, front).await
            }
        })+
    };
}

decides! {
    Pin: verb => Decision::Pin { version: verb.version, enforced: verb.enforce };
    Unpin: verb => Decision::Unpin {};
    Reject: verb => Decision::Reject { version: verb.version };
    Rollback: verb => Decision::Rollback { to: verb.to };
}

impl WithEngine for Promote {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let tool_id = self.about.tool_id.clone();
        // Before the decision: afterwards the version is the effective one.
        let versions = front.call(ListVersions { tool_id: tool_id.clone() }).await?;
        let is_candidate = |row: &&VersionRow| row.state == VersionState::Candidate;
        let mut candidates = versions.versions.iter().filter(is_candidate).map(|row| row.version);
        // Of two, one must be named.
        let candidate = candidates.next().filter(|_| candidates.next().is_none());
        let shown = match self.version.or(candidate) {
            Some(version) if candidate == Some(version) => Some(version).zip(versions.candidate),
            // An unknown version is an error of the decision.
            Some(version) if !args.json => {
                let impact = GetImpact { tool_id: tool_id.clone(), version, last: None };
                front.call(impact).await.ok().map(|impact| (version, impact.readiness))
            }
            _ => None,
        };
        if let Some((version, readiness)) = shown.filter(|_| !args.json) {
            for line in readiness::lines(version, &readiness) {
                output::note(&output::harmless(&line));
            }
        }
        decide(args, &self.about, Decision::Promote { version: self.version }, front).await
    }
}

impl WithEngine for Undo {
    async fn run(&self, args: &Args, front: &Front) -> Result<ExitCode> {
        let Self { tool_id, reason } = self;
        let decision = Decision::Undo { entry: None };
        let (tool_id, reason) = (tool_id.clone(), reason.clone());
        let decided =
            front.call(Decide { tool_id, decision, reason, no_reason: true, person: person() }).await?;
        report(args, front, &decided).await
    }
}

async fn decide(args: &Args, about: &About, decision: Decision, front: &Front) -> Result<ExitCode> {
    let About { tool_id, why: Why { reason, no_reason } } = about;
    let (tool_id, reason, no_reason) = (tool_id.clone(), reason.clone(), *no_reason);
    let decided = front.call(Decide { tool_id, decision, reason, no_reason, person: person() }).await?;
    report(args, front, &decided).await
}

async fn report(args: &Args, front: &Front, decided: &Decided) -> Result<ExitCode> {
    if args.json {
        output::json(decided)?;
    } else {
        // Where nothing runs, there is no client.
        let notified = if decided.list_changed && front.is_attached() { "; clients notified" } else { "" };
        let Decided { entry, after, .. } = decided;
        let done = match undone(front, entry).await {
            Some(undone) => format!("undone: {undone}"),
            None => entry.sentence(),
        };
        let effective = effective(after.as_ref());
        let line = format!("{}: {done}; effective: {effective}{notified}", entry.tool_id);
        output::line(&output::harmless(&line))?;
        decided.warnings.iter().for_each(|warning| output::note(warning));
    }
    Ok(ExitCode::SUCCESS)
}

/// The decision that an entry of the audit log undoes, in words.
async fn undone(front: &Front, entry: &AuditRow) -> Option<String> {
    let id = entry.undoes?;
    let page =
        ListAudit { tool_id: Some(entry.tool_id.clone()), people: false, before: None, limit: ENTRIES };
    let entries = front.call(page).await.ok()?.entries;
    entries.iter().find(|entry| entry.id == id).map(AuditRow::sentence)
}

/// The effective version in words.
pub fn effective(row: Option<&InForceRow>) -> String {
    match row {
        None => "no version (the declared schema applies, if there is one)".to_owned(),
        Some(InForceRow { version, enforced: true, .. }) => format!("version {version}, pinned and enforced"),
        Some(InForceRow { version, pinned: true, .. }) => format!("version {version}, pinned"),
        Some(InForceRow { version, .. }) => format!("version {version}"),
    }
}
