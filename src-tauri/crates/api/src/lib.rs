//! Commands and replies: the only language between a front and the engine.
//!
//! A command is a struct with a name and a reply type; fronts send it as JSON, in process or as
//! `POST /api/NAME`. Field names are those of the design's glossary and of `--json` output. Builds for
//! wasm32. Owns: the types. Refuses to know: transports, the engine, how anything is shown.

mod calls;
mod drift;
mod error;
mod events;
mod exchange;
mod filter;
mod overrides;
mod report;
mod servers;
mod settings;
mod tools;
mod versions;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use calls::{
    Backfill, BackfillReply, BrowseCalls, CallReply, CallRow, CallTool, CallsPage, GetCall, ListCalls,
    RejectedLine, RowsPage,
};
pub use drift::{AcknowledgeDrift, AcknowledgedRow, DriftRow, ListDrift, ResolvedRow};
pub use error::{ApiError, ErrorKind};
pub use events::{Cursor, Frame, InvalidCursor, Pulse, ShowWindow, Snapshot};
pub use exchange::{
    Export, ExportReply, ExportedFile, Form, Import, ImportReply, ImportedMachine, ImportedTool,
};
pub use filter::{Filter, InvalidFilter, Subject};
pub use overrides::{FilledRow, GetOverrides, OverrideRow, OverridesReply, PopulateOverrides, PopulateReply};
pub use report::{
    ByQuality, BySource, Coverage, CoveragePoint, GetCoverage, GetReport, Latency, RecorderReport,
    RecoveryReport, Report, Standings,
};
pub use schemascope_model::{
    ActorKind, CallId, CallRecord, Carrier, Change, Ending, Evidence, Example, FieldEvidence, ImpactedCall,
    Outcome, Quality, RuleCount, Share, Source, Timestamp, TypeName, UpstreamState, VersionOrigin,
    VersionState, Violation,
};
pub use servers::{ListServers, RestartServer, ServerRow, ServersReply};
pub use settings::{
    ChangeRedaction, ChangeSetting, GetSettings, RedactionRules, SettingRow, SettingsReply, TriedRedaction,
    TryRedaction,
};
pub use tools::{
    AlternativeRow, ArgumentRow, ArgumentValueRow, CarrierCounts, DecisionRow, Distinct, FieldRow, FitRow,
    GetSchema, GetTool, HistoryPoint, InferWhere, InferredWhere, ListTools, MAX_SAMPLE, NoteRow, RawSchema,
    Sample, SchemaChoice, SchemaReply, Stability, StandingRow, ToolDetail, ToolRow, TypeRow, ValueRow,
    ValueSummary,
};
pub use versions::{
    AuditPage, AuditRow, ChangeClass, ChangeRow, CompareVersions, ComparisonReply, Decide, Decided, Decision,
    GetImpact, ImpactReply, InForceRow, ListAudit, ListVersions, RollbackRow, VersionRow, VersionsReply,
};

/// Changes when a front and an engine of different builds would misunderstand each other.
pub const API_VERSION: u32 = 5;

/// Something a front asks of the engine.
pub trait Command: Serialize + DeserializeOwned + Send {
    /// Its name in `POST /api/NAME`.
    const NAME: &'static str;
    /// What comes back.
    type Reply: Serialize + DeserializeOwned + Send;
}
