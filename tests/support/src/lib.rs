//! What tests and the demo share: a small MCP client, the running program, and where things are.
//!
//! Owns: talking to Schemascope from outside, as its users do. Refuses to know: its insides.

mod client;
mod listening;
mod places;
mod program;
mod running;
mod script;
mod scripted;
mod sdk;
mod stdio;
mod streamed;
mod suite;
#[cfg(unix)]
pub mod torture;
#[cfg(unix)]
mod window;

pub use client::{Exchange, McpClient};
pub use listening::{Listening, conformance};
pub use places::{Places, stdio};
pub use program::{Program, Run, Serve};
pub use script::play;
pub use scripted::{Asked, Said, scripted};
pub use sdk::Sdk;
pub use stdio::StdioClient;
pub use streamed::Streamed;
pub use suite::{Check, Status, Suite, Verdict};
#[cfg(unix)]
pub use window::{Display, Window};
