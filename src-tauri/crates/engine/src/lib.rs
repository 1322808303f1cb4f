//! The engine: wires proxy, recorder, store and registry, and answers every front.
//!
//! One direction, no back-calls: the proxy hands calls to the [`recorder`], which redacts them, appends
//! them to the store and folds them into the registry. Fronts ask through commands ([`Engine::handle`]);
//! nothing else is public but opening, serving and closing.

mod checking;
mod commands;
mod config;
mod data;
mod decisions;
mod effective;
mod engine;
mod events;
mod files;
mod front;
mod histogram;
mod instance;
mod link;
mod log;
mod maintenance;
mod overrides;
pub mod raw_diff;
mod recorder;
mod redact;
mod reload;
mod replay;
mod server;
mod settings;
mod signal;
mod status;
mod stdio;
mod team;
mod team_key;
mod trace;
mod views;
mod watch;

pub use checking::{CheckError, Checker};
pub use commands::Handle;
pub use config::LoadedConfig;
pub use data::{DataDir, DataDirError};
pub use engine::{Engine, OpenError, Options};
pub use events::Follower;
pub use front::{Attached, Front, FrontError};
pub use instance::Instance;
pub use link::{Link, LinkError, Reached};
pub use log::{hide_secrets_of, log_to_stderr, without_secrets};
pub use maintenance::{RedactedStore, rebuild, redact_stored, verify};
pub use overrides::check as check_overrides;
pub use recorder::{Durability, Recording};
pub use redact::{Counted, Found, RuleError};
pub use replay::Replay;
pub use schemascope_proxy::ServerEntry;
pub use schemascope_registry::check::{Checks, Class as CheckClass, Finding};
pub use schemascope_store::{AuditCheck, Damage, Position, Rebuilt, Report as Verified, Several};
pub use server::{Page, Pages, ServeError, Serving, StartError, serve};
pub use settings::SettingsError;
pub use signal::asked_to_end;
pub use stdio::relay;
pub use team_key::{AdoptError, adopt_key, team_key};
