//! Helpers for tests and the demo: a small MCP client, the running program, fixtures, and waiting for conditions.
//! They use Schemascope from outside, as its users do.

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
mod wait;
#[cfg(unix)]
mod window;

pub use client::{Exchange, McpClient};
pub use listening::{Listening, conformance};
pub use places::{Places, stdio, stdio_once};
pub use program::{Program, Run, Serve};
pub use script::play;
pub use scripted::{ScriptedRequest, ScriptedResponse, scripted};
pub use sdk::Sdk;
pub use stdio::StdioClient;
pub use streamed::Streamed;
pub use suite::{Check, Status, Suite, Verdict};
pub use wait::{DEADLINE, throughout, try_until, until};
#[cfg(unix)]
pub use window::{Display, Window};
