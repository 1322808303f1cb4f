//! The MCP proxy: client to every upstream, server to every client.
//!
//! Bytes are the currency. `params`, `result` and `error` travel as slices of what was received and
//! are changed by splicing the few bytes that must change (a tool's prefixed name, a progress token),
//! so numbers, key order, duplicate keys, escapes and unknown fields reach the other side as
//! they were. rmcp supplies the protocol's vocabulary (versions, error codes, handshake types); its
//! typed results and its service loop stay out of the call path, because the first re-serialise and
//! the second handles each notification on a task of its own, so progress may overtake a result.
//!
//! ```text
//!  endpoint (HTTP, eras) ─▶ hub (names) ─▶ call (records) ─▶ bridge (eras) ─▶ upstream (sessions, health)
//!                              └─▶ adapter    └─▶ Observer                          └─▶ link ─▶ stdio, HTTP
//!                                    └─▶ Schemas
//! ```
//!
//! Architecture invariant: this crate does not know who observes, and nothing it does for a client
//! waits for disk. It is the only crate that names rmcp.

mod adapt;
mod adapter;
mod asker;
mod bridge;
mod built_in;
mod call;
mod cancel;
mod config;
pub mod endpoint;
mod exchange;
mod hub;
mod listed;
mod observer;
pub mod relay;
mod running;
mod schemas;
mod slow_consumers;
mod upstream;
mod wire;

pub use asker::{Asker, FilledForm};
pub use built_in::{BuiltIn, BuiltInTools, CallContext, CallerSession, Calling, Progress, ToolOutput};
pub use call::{Answer, CallFailed, Caller};
pub use config::{Config, ConfigError, HttpSpec, OWN_SERVER, ServerEntry, StdioSpec};
pub use hub::{Hub, Reconfigured, public_name};
pub use observer::{Ended, FinishedCall, Introduction, ListedTool, Observer};
pub use running::RunningCall;
pub use schemas::{AdapterStatus, Adapting, Effective, Mode, Schema, Schemas, SuspensionChange, advertised};
pub use upstream::Status;
