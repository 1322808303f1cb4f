//! The engine: wires proxy, recorder, store and registry, and answers every front.
//!
//! One direction, no back-calls: the proxy hands calls to the [`recorder`], which redacts them, appends
//! them to the store and folds them into the registry. Fronts ask through commands ([`Engine::handle`]);
//! nothing else is public but opening, serving and closing.

mod commands;
mod config;
mod data;
mod engine;
mod histogram;
mod instance;
mod recorder;
mod redact;
mod server;

pub use commands::Handle;
pub use config::LoadedConfig;
pub use data::{DataDir, DataDirError};
pub use engine::{Engine, OpenError, Options};
pub use instance::Instance;
pub use recorder::Durability;
pub use schemascope_proxy::ServerEntry;
pub use server::{ServeError, serve};
