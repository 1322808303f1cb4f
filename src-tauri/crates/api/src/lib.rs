//! Commands, replies and events: everything that the terminal, the dashboard and the engine say to each other.
//!
//! A command is a struct with a name and a reply type. Fronts send it as JSON, in process or as
//! `POST /api/NAME`. Field names are those of the glossary and of `--json` output. The crate builds for
//! wasm32, and declares each setting ([`SETTINGS`]) and each column of the list of tools ([`TOOL_COLUMNS`]) once
//! for all fronts.

mod attention;
mod calls;
mod cli_tools;
mod discovery;
mod drift;
mod edges;
mod error;
mod events;
mod exchange;
mod failing_texts;
mod failure;
mod filter;
mod glob;
mod interviews;
mod overrides;
mod pages;
mod patch;
mod readiness;
mod report;
mod servers;
mod settings;
mod tools;
mod versions;
mod wrappers;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use attention::*;
pub use calls::*;
pub use cli_tools::*;
pub use discovery::*;
pub use drift::*;
pub use edges::*;
pub use error::*;
pub use events::*;
pub use exchange::*;
pub use failing_texts::*;
pub use failure::*;
pub use filter::*;
pub use glob::*;
pub use interviews::*;
pub use overrides::*;
pub use pages::*;
pub use patch::*;
pub use readiness::*;
pub use report::*;
pub use schemascope_model::{
    ActorKind, CallId, CallRecord, Carrier, Carriers, Change, Ending, Evidence, Example, FieldEvidence,
    ImpactedCall, LostEdge, Outcome, Quality, RuleCount, Share, Source, Strategy, Timestamp, TypeName,
    UpstreamState, VersionOrigin, VersionState, Violation, broken_rule,
};
pub use servers::*;
pub use settings::*;
pub use tools::*;
pub use versions::*;
pub use wrappers::*;

/// Version of the API. It changes when a front and an engine of different builds would misunderstand each other.
pub const API_VERSION: u32 = 8;

/// A request from a front to the engine.
pub trait Command: Serialize + DeserializeOwned + Send {
    /// Name in `POST /api/NAME`.
    const NAME: &'static str;
    /// Type of the reply.
    type Reply: Serialize + DeserializeOwned + Send;
}
