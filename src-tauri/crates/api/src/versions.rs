//! Versions of a tool's schema, and decisions about them.

use schemascope_model::{
    ActorKind, CallId, Evidence, ImpactedCall, Quality, RuleCount, Timestamp, VersionOrigin, VersionState,
};
use serde::{Deserialize, Serialize};

use crate::{Command, FitRow, RawSchema, SchemaChoice};

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
    /// The version in force; none as long as nothing was decided.
    pub in_force: Option<InForceRow>,
    /// Clients are not told of the schema in force for now: results keep missing it.
    pub suspended: bool,
    /// Old versions that are not kept any more.
    pub dropped: u32,
    /// There is a decision to undo.
    pub undoable: bool,
    /// What rolling back would go back to; none when there is nothing to take back.
    #[serde(default)]
    pub rollback: Option<RollbackRow>,
    /// Those kept, oldest first.
    pub versions: Vec<VersionRow>,
}

/// A version in force, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct InForceRow {
    /// Its number.
    pub version: u32,
    /// It stays in force whatever comes later.
    pub pinned: bool,
    /// Results that break it become errors.
    pub enforced: bool,
}

/// What rolling back goes back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RollbackRow {
    /// The version promoted before; none for no version at all.
    pub to: Option<u32>,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VersionRow {
    /// Its number, from 1.
    pub version: u32,
    /// What was decided about it.
    pub state: VersionState,
    /// It stays in force whatever comes later.
    pub pinned: bool,
    /// It is pinned, and results that break it become errors.
    pub enforced: bool,
    /// It was in force and taken back.
    pub rolled_back: bool,
    /// Where it comes from.
    pub origin: VersionOrigin,
    /// When it was cut.
    pub created: Timestamp,
    /// Observations at the time.
    pub observation_count: u64,
    /// How far what was inferred could be trusted at the time.
    pub quality: Quality,
    /// Mean of the fields' consistency at the time, 0 to 1; none before the first observation.
    pub mean_consistency: Option<f64>,
    /// Observations made while it was in force that fit it, and that do not.
    pub fits: FitRow,
    /// JSON Schema 2020-12.
    pub schema: RawSchema,
    /// What was known at the time.
    pub evidence: Evidence,
}

/// Compares two of a tool's schemas.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CompareVersions {
    /// `server__tool`.
    pub tool_id: String,
    /// The old one.
    pub old: SchemaChoice,
    /// The new one.
    pub new: SchemaChoice,
}

impl Command for CompareVersions {
    const NAME: &'static str = "compare_versions";
    type Reply = ComparisonReply;
}

/// What changed between two schemas, and the schemas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparisonReply {
    /// The changes, outermost first.
    pub changes: Vec<ChangeRow>,
    /// The worst of them for who reads what the schema describes: a tool's output.
    pub output: ChangeClass,
    /// The worst for who sends it.
    pub input: ChangeClass,
    /// The old schema.
    pub old: RawSchema,
    /// The new schema.
    pub new: RawSchema,
    /// The lines of the two, laid out, that differ, with some around them: ` ` the same, `-` gone, `+` new, `@@`
    /// where lines are left out.
    #[serde(default)]
    pub lines: Vec<String>,
}

/// How bad a change is for one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeClass {
    /// Proven: nothing that worked stops working.
    Safe,
    /// Neither proven nor shown otherwise.
    Risky,
    /// Shown: there are values that trip over it.
    Breaking,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeRow {
    /// Where: `orders[].customer`; empty for the whole.
    pub path: String,
    /// What kind of change: `field_removed`, `type_widened`, …
    pub what: String,
    /// How bad it is for who reads.
    pub output: ChangeClass,
    /// How bad it is for who sends.
    pub input: ChangeClass,
    /// In words.
    pub sentence: String,
}

/// Asks what a version would have made of the latest observations, and what promoting it changes for clients.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GetImpact {
    /// `server__tool`.
    pub tool_id: String,
    /// The version.
    pub version: u32,
    /// Observations to look at, 1,000 unless said otherwise, 20,000 at most.
    #[serde(default)]
    pub last: Option<u32>,
}

impl Command for GetImpact {
    const NAME: &'static str = "get_impact";
    type Reply = ImpactReply;
}

/// What a version would have made of the latest observations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImpactReply {
    /// `server__tool`.
    pub tool_id: String,
    /// The version.
    pub version: u32,
    /// Observations judged. Values that are redacted count as fitting, as far as their type does.
    pub observation_count: u64,
    /// Those that do not fit.
    pub violating: u64,
    /// Observations whose bodies are not stored, or that take too long to judge.
    pub not_judged: u64,
    /// Rules that are broken, the most frequent first.
    pub rules: Vec<RuleCount>,
    /// Violations of further rules.
    pub other_rules: u64,
    /// The latest calls that do not fit, 50 at most.
    pub calls: Vec<ImpactedCall>,
    /// What is in force now; none for what the upstream declares, or nothing.
    pub in_force: Option<InForceRow>,
    /// What `/mcp` tells clients with sessions of the tool's output now; none for nothing.
    pub advertised: Option<RawSchema>,
    /// What it would tell them once the version is promoted.
    pub advertised_then: Option<RawSchema>,
    /// Clients would be told to list the tools again.
    pub list_changed: bool,
    /// What changes from the schema in force to the version; none without a schema in force.
    pub comparison: Option<ComparisonReply>,
}

/// Decides something about the versions of a tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Decide {
    /// `server__tool`.
    pub tool_id: String,
    /// What.
    pub decision: Decision,
    /// Why; 1,000 bytes at most.
    #[serde(default)]
    pub reason: Option<String>,
    /// Who.
    #[serde(default)]
    pub person: Option<String>,
}

impl Command for Decide {
    const NAME: &'static str = "decide";
    type Reply = Decided;
}

/// What can be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Promotes a version; without a number the candidate.
    Promote {
        /// Which.
        #[serde(default)]
        version: Option<u32>,
    },
    /// Pins a version; without a number the one in force.
    Pin {
        /// Which.
        #[serde(default)]
        version: Option<u32>,
        /// Whether results that break it become errors.
        #[serde(default)]
        enforced: bool,
    },
    /// Takes the pin away.
    Unpin {},
    /// Rejects a version; without a number the candidate.
    Reject {
        /// Which.
        #[serde(default)]
        version: Option<u32>,
    },
    /// Takes back what is in force, its pin included, for the version promoted before.
    Rollback {
        /// For this earlier one instead.
        #[serde(default)]
        to: Option<u32>,
    },
    /// Undoes the latest decision that is not undone.
    Undo {},
}

/// A decision that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// It, as it stands in the audit log.
    pub entry: AuditRow,
    /// What was in force before.
    pub before: Option<InForceRow>,
    /// What is in force now.
    pub after: Option<InForceRow>,
    /// Clients are told to list the tools again.
    pub list_changed: bool,
    /// What is wrong with the file of overrides: the decision may be missing there until that is mended.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// Lists the audit log, newest first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListAudit {
    /// Only of this tool.
    #[serde(default)]
    pub tool_id: Option<String>,
    /// Only what people decided, by hand or by file, not what policies did.
    #[serde(default)]
    pub people: bool,
    /// Only before this entry, for the next page.
    #[serde(default)]
    pub before: Option<CallId>,
    /// At most this many, 1,000 at most.
    pub limit: usize,
}

impl Command for ListAudit {
    const NAME: &'static str = "list_audit";
    type Reply = AuditPage;
}

/// Entries of the audit log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditPage {
    /// Newest first.
    pub entries: Vec<AuditRow>,
    /// [`ListAudit::before`] of the next page; none when there is no more.
    pub next: Option<CallId>,
    /// Suspensions and restorations since the start that were too many to be noted.
    pub not_noted: u64,
}

/// One entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRow {
    /// Its id.
    pub id: CallId,
    /// When.
    pub at: Timestamp,
    /// `server__tool`.
    pub tool_id: String,
    /// What kind of actor.
    pub actor: ActorKind,
    /// Their name, where that is known.
    pub name: Option<String>,
    /// `cut`, `promote`, `pin`, `unpin`, `reject`, `rollback`, `undo`, `suspend`, `restore`, `drift`,
    /// `acknowledge`, `resolve`.
    pub event: String,
    /// The version it is about; of a rollback, the one gone back to.
    pub version: Option<u32>,
    /// The number of the drift it is about.
    #[serde(default)]
    pub drift: Option<u64>,
    /// Of a pin: whether results that break it become errors.
    pub enforced: bool,
    /// Of what undoes: what was undone.
    pub undoes: Option<CallId>,
    /// It was undone later.
    pub undone: bool,
    /// Why.
    pub reason: Option<String>,
    /// Observations of the tool at the time.
    pub observation_count: Option<u64>,
    /// Quality of what was inferred at the time.
    pub quality: Option<Quality>,
}
