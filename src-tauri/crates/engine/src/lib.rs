//! The engine: connects proxy, recorder, store and registry, and answers every front.
//!
//! Data flows in one direction: the proxy hands calls to the recorder (`recording`), which redacts them, appends them
//! to the store and hands them to the folds, the registry among them. Decisions about schemas are in `knowledge`,
//! files of the user in `config`. Fronts send commands ([`Engine::dispatch`]), in process or over `http`; `attach`
//! finds the engine that runs.

mod attach;
mod background;
mod cli_tools;
mod commands;
mod config;
mod data;
mod discovery;
mod engine;
mod errors;
mod files;
mod follower;
mod http;
mod instance;
mod interviews;
mod knowledge;
mod log;
mod machine;
mod maintenance;
mod nearest;
mod options;
mod own_tools;
mod recording;
mod services;
mod signal;
mod upstreams;
mod user;
mod views;
mod wrappers;
mod write_behind;

pub use attach::front::{Attached, Events, Front, FrontError};
pub use attach::lasting::{LastingEngine, LastingError, Passed};
pub use attach::link::{Link, LinkError, Reached};
pub use attach::stdio::relay;
pub use cli_tools::{CliEntry, ProbeError, Probed, probe};
pub use commands::Handle;
pub use config::mcp_json::LoadedConfig;
pub use config::settings::SettingsError;
pub use data::{DataDir, DataDirError, ReadableCopy, remove_copies};
pub use discovery::list::{DiscoveryList, DiscoveryListError};
pub use engine::Engine;
pub use files::save_file;
pub use follower::Follower;
pub use http::{Page, Pages, ServeError, Serving, StartError, serve};
pub use instance::{Instance, UsedFiles, is_same_file};
pub use interviews::library::check_discovery_schema;
pub use interviews::minizinc::DS_VARIABLE;
pub use knowledge::checking::{CheckError, Checker};
pub use knowledge::overrides::check as check_overrides;
pub use knowledge::raw_diff;
pub use knowledge::team_key::{AdoptError, adopt_key, team_key};
pub use log::{hide_secrets_of, log_to_stderr, without_secrets};
pub use maintenance::{RedactedStore, rebuild, redact_stored, verify};
pub use nearest::nearest;
pub use options::{OpenError, Options};
pub use recording::mode::{Durability, Recording};
pub use recording::replay::Replay;
pub use recording::stored_redaction::{Counted, Found};
pub use schemascope_codegen::beside;
pub use schemascope_proxy::ServerEntry;
pub use schemascope_redact::RuleError;
pub use schemascope_registry::check::{Checks, Class as CheckClass, Finding};
pub use schemascope_store::{AuditCheck, Damage, Findings, Position, Rebuilt, Report as Verified};
pub use signal::asked_to_end;
