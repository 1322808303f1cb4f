//! Commands about versions of schemas, and decisions about them.

use schemascope_model::{
    ActorKind, CallId, Evidence, ImpactedCall, Quality, RuleCount, Timestamp, VersionOrigin, VersionState,
};
use serde::{Deserialize, Serialize};

use crate::{Command, EdgeDiff, FitRow, RawSchema, Readiness, SchemaChoice};

/// Lists the versions of a tool's schema, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListVersions {
    /// `server__tool`.
    pub tool_id: String,
}

impl Command for ListVersions {
    const NAME: &'static str = "list_versions";
    type Reply = VersionsReply;
}

/// The versions of a tool's schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VersionsReply {
    /// `server__tool`.
    pub tool_id: String,
    /// Effective version; `None` until a decision was taken.
    pub in_force: Option<InForceRow>,
    /// Whether the effective schema is paused, because results came without structure.
    pub suspended: bool,
    /// Number of old versions that were removed.
    pub dropped: u32,
    /// After undoing the latest decision; `None` if there is nothing to undo.
    #[serde(default)]
    pub undo: Option<ActiveAfter>,
    /// After unpinning; `None` if nothing is pinned.
    #[serde(default)]
    pub unpin: Option<ActiveAfter>,
    /// After a rollback; `None` if there is nothing to roll back.
    #[serde(default)]
    pub rollback: Option<ActiveAfter>,
    /// Readiness of the candidate; `None` without one.
    #[serde(default)]
    pub candidate: Option<Readiness>,
    /// Versions, oldest first.
    pub versions: Vec<VersionRow>,
}

/// An effective version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct InForceRow {
    /// Version number.
    pub version: u32,
    /// Whether it is pinned.
    pub pinned: bool,
    /// Whether results that violate it become errors.
    pub enforced: bool,
}

/// What is effective after a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveAfter {
    /// Version number; `None` for no version.
    pub version: Option<u32>,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VersionRow {
    /// Version number, from 1.
    pub version: u32,
    /// State.
    pub state: VersionState,
    /// Whether it is pinned.
    pub pinned: bool,
    /// Whether it is pinned and results that violate it become errors.
    pub enforced: bool,
    /// Whether it was effective and rolled back.
    pub rolled_back: bool,
    /// Origin.
    pub origin: VersionOrigin,
    /// Time of creation.
    pub created: Timestamp,
    /// Number of observations at the time of creation.
    pub observation_count: u64,
    /// Quality of the inferred schema at the time of creation.
    pub quality: Quality,
    /// Mean consistency of the fields at the time of creation, 0 to 1; `None` before the first observation.
    pub mean_consistency: Option<f64>,
    /// Numbers of observations that fit it and violate it, while it was effective.
    pub fits: FitRow,
    /// JSON Schema 2020-12.
    pub schema: RawSchema,
    /// Evidence at the time of creation.
    pub evidence: Evidence,
}

/// Compares two of a tool's schemas.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CompareVersions {
    /// `server__tool`.
    pub tool_id: String,
    /// Old schema.
    pub old: SchemaChoice,
    /// New schema.
    pub new: SchemaChoice,
}

impl Command for CompareVersions {
    const NAME: &'static str = "compare_versions";
    type Reply = ComparisonReply;
}

/// Comparison of two schemas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparisonReply {
    /// Changes, outermost first.
    pub changes: Vec<ChangeRow>,
    /// Worst class for readers of what the schema describes (a tool's output).
    pub output: ChangeClass,
    /// Worst class for senders (a tool's input).
    pub input: ChangeClass,
    /// Old schema.
    pub old: RawSchema,
    /// New schema.
    pub new: RawSchema,
    /// Differing lines of the formatted schemas with context: ` ` unchanged, `-` removed, `+` added, `@@` where lines are
    /// left out.
    #[serde(default)]
    pub lines: Vec<String>,
}

/// Effect of a change on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeClass {
    /// Proven: everything that worked still works.
    Safe,
    /// Neither proven to be safe nor shown to break.
    Risky,
    /// Shown: some values break.
    Breaking,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeRow {
    /// Path: `orders[].customer`; empty for the whole schema.
    pub path: String,
    /// Kind of change: `field_removed`, `type_widened`, …
    pub what: String,
    /// Effect on readers.
    pub output: ChangeClass,
    /// Effect on senders.
    pub input: ChangeClass,
    /// The change as a sentence.
    pub sentence: String,
}

/// Checks a version against the latest observations, and returns what promoting it changes for clients.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GetImpact {
    /// `server__tool`.
    pub tool_id: String,
    /// Version number.
    pub version: u32,
    /// Number of observations to check; 1,000 by default, at most 20,000.
    #[serde(default)]
    pub last: Option<u32>,
}

impl Command for GetImpact {
    const NAME: &'static str = "get_impact";
    type Reply = ImpactReply;
}

/// Result of checking a version against the latest observations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImpactReply {
    /// `server__tool`.
    pub tool_id: String,
    /// Version number.
    pub version: u32,
    /// Number of checked observations. Redacted values count as fitting if their type fits.
    pub observation_count: u64,
    /// Number of observations that do not fit.
    pub violating: u64,
    /// Number of observations that could not be checked: their bodies are not stored, or checking takes too long.
    pub not_judged: u64,
    /// Violated rules, most frequent first.
    pub rules: Vec<RuleCount>,
    /// Number of violations of further rules.
    pub other_rules: u64,
    /// Latest calls that do not fit, at most 50.
    pub calls: Vec<ImpactedCall>,
    /// Effective version; `None` if the declared schema applies, or none.
    pub in_force: Option<InForceRow>,
    /// Output schema that `/mcp` advertises to clients with sessions now; `None` for none.
    pub advertised: Option<RawSchema>,
    /// Output schema that it would advertise after promoting the version.
    pub advertised_then: Option<RawSchema>,
    /// Whether clients would be notified that the tool list changed.
    pub list_changed: bool,
    /// What promoting it would do to the edges from the tool.
    #[serde(default)]
    pub edges: EdgeDiff,
    /// What promoting it would do to the attributes of the tool's Python wrapper.
    #[serde(default)]
    pub attributes: AttributeDiff,
    /// Comparison of the effective schema with the version; `None` without an effective schema.
    pub comparison: Option<ComparisonReply>,
    /// Judgement of the version by results that came after it was created.
    pub readiness: Readiness,
}

/// Attributes of a tool's Python wrapper that a version changes, as `ListOrdersResult.orders`; at most 200 of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttributeDiff {
    /// New ones, with their types.
    pub added: Vec<(String, String)>,
    /// Those that would no longer be there, with their types.
    pub removed: Vec<(String, String)>,
    /// Those whose type would change, with the type now and then.
    pub retyped: Vec<(String, String, String)>,
}

/// Takes a decision about the versions of a tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Decide {
    /// `server__tool`.
    pub tool_id: String,
    /// Decision.
    pub decision: Decision,
    /// Reason, at most 1,000 bytes.
    #[serde(default)]
    pub reason: Option<String>,
    /// Whether the reason is left out on purpose. Every decision except an undo needs a reason or this.
    #[serde(default)]
    pub no_reason: bool,
    /// Name of the user; by default, of the user that runs the engine.
    #[serde(default)]
    pub person: Option<String>,
}

impl Command for Decide {
    const NAME: &'static str = "decide";
    type Reply = Decided;
}

/// A decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Promotes a version; without a number, the candidate.
    Promote {
        /// Version number.
        #[serde(default)]
        version: Option<u32>,
    },
    /// Pins a version; without a number, the effective one.
    Pin {
        /// Version number.
        #[serde(default)]
        version: Option<u32>,
        /// Whether results that violate it become errors.
        #[serde(default)]
        enforced: bool,
    },
    /// Removes the pin.
    Unpin {},
    /// Rejects a version; without a number, the candidate.
    Reject {
        /// Version number.
        #[serde(default)]
        version: Option<u32>,
    },
    /// Makes the version promoted before effective again, and removes a pin.
    Rollback {
        /// Number of another earlier version.
        #[serde(default)]
        to: Option<u32>,
    },
    /// Undoes the latest decision that is not undone.
    Undo {
        /// Entry of that decision; an error if a later decision was taken.
        #[serde(default)]
        entry: Option<CallId>,
    },
}

/// A decision that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// Its entry in the audit log.
    pub entry: AuditRow,
    /// Effective version before.
    pub before: Option<InForceRow>,
    /// Effective version now.
    pub after: Option<InForceRow>,
    /// Whether clients were notified that the tool list changed.
    pub list_changed: bool,
    /// Problems of the overrides file; the decision may be missing there until they are fixed.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// Lists the audit log, newest first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListAudit {
    /// Only entries of this tool.
    #[serde(default)]
    pub tool_id: Option<String>,
    /// Only decisions of people, by command or by file; none of policies.
    #[serde(default)]
    pub people: bool,
    /// Only entries before this one, for the next page.
    #[serde(default)]
    pub before: Option<CallId>,
    /// Largest number of entries, at most 1,000.
    pub limit: usize,
}

impl Command for ListAudit {
    const NAME: &'static str = "list_audit";
    type Reply = AuditPage;
}

/// A page of the audit log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditPage {
    /// Entries, newest first.
    pub entries: Vec<AuditRow>,
    /// [`ListAudit::before`] of the next page; `None` at the end.
    pub next: Option<CallId>,
    /// Number of pauses and restorations since the start that were not logged, because there were too many.
    pub not_noted: u64,
}

/// One entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRow {
    /// Entry id.
    pub id: CallId,
    /// Time.
    pub at: Timestamp,
    /// `server__tool`.
    pub tool_id: String,
    /// Kind of actor.
    pub actor: ActorKind,
    /// Name of the actor, if it is known.
    pub name: Option<String>,
    /// Event: `cut`, `promote`, `pin`, `unpin`, `reject`, `rollback`, `undo`, `suspend`, `restore`, `drift`,
    /// `acknowledge`, `unacknowledge`, `resolve`, `override`, `cli_added`, `cli_removed`, `cli_approved`, `cli_rejected`,
    /// `delete_interview`, `descriptions_accepted`, `descriptions_rejected`, `descriptions_open_again`, `count_failures`, `count_results`, `learn_since`, `learn_all`.
    pub event: String,
    /// Version number; for a rollback, of the target.
    pub version: Option<u32>,
    /// Number of the drift.
    #[serde(default)]
    pub drift: Option<u64>,
    /// For a pin, whether results that violate it become errors.
    pub enforced: bool,
    /// For an undo, the decision that was undone.
    pub undoes: Option<CallId>,
    /// Whether it was undone later.
    pub undone: bool,
    /// How texts begin that count as failures from then on, or as results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts: Option<String>,
    /// Time since which results are learned from, from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned_since: Option<Timestamp>,
    /// Reason, if one was given.
    pub reason: Option<String>,
    /// Number of observations of the tool at the time.
    pub observation_count: Option<u64>,
    /// Quality of the inferred schema at the time.
    pub quality: Option<Quality>,
}

impl AuditRow {
    /// What happened, in words.
    pub fn sentence(&self) -> String {
        let version = self.version.map(|version| format!("v{version} ")).unwrap_or_default();
        let drift = self.drift.map(|drift| format!(" #{drift}")).unwrap_or_default();
        match self.event.as_str() {
            "cut" => format!("{version}created"),
            "promote" => format!("{version}promoted"),
            "pin" if self.enforced => format!("{version}pinned, enforced"),
            "pin" => format!("{version}pinned"),
            "unpin" => "unpinned".to_owned(),
            "reject" => format!("{version}rejected"),
            "rollback" if version.is_empty() => "rolled back to none".to_owned(),
            "rollback" => format!("rolled back to {}", version.trim_end()),
            "count_failures" => "texts count as failures".to_owned(),
            "learn_since" => {
                let since = self.learned_since.map_or_else(String::new, |at| at.to_string());
                format!("only results since {since} are learned from")
            }
            "learn_all" => "all results are learned from".to_owned(),
            "count_results" => "texts count as results".to_owned(),
            "undo" => "previous decision undone".to_owned(),
            "suspend" => "schema paused: results had no structure and no text that fits it".to_owned(),
            "override" => "changed in the overrides file".to_owned(),
            "restore" => "schema advertised again: results have structured content".to_owned(),
            "drift" => format!("drift{drift} detected"),
            "acknowledge" => format!("drift{drift} acknowledged"),
            "unacknowledge" => format!("acknowledgement of drift{drift} undone"),
            "resolve" => format!("drift{drift} resolved"),
            "cli_added" => "command-line tool added".to_owned(),
            "cli_removed" => "command-line tool removed".to_owned(),
            "cli_approved" => "command-line tool approved".to_owned(),
            "cli_rejected" => "command-line tool rejected".to_owned(),
            "delete_interview" => "interview deleted".to_owned(),
            other => other.replace('_', " "),
        }
    }
}
