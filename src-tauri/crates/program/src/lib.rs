//! Programs that Schemascope starts: MCP servers, and command-line tools for a call.
//!
//! A program gets few variables of the environment and a process group of its own, which ends with it. No shell is
//! involved. [`run`] runs one to its end within limits of time, output and resources.

mod captured;
mod confine;
mod environment;
mod find;
mod group;
mod needed;
mod resources;
mod run;

pub use captured::Captured;
pub use confine::{Confinement, support, system_folder_of};
pub use environment::{UPSTREAM_OF, inherited};
pub use find::{NotFound, find, is_executable};
pub use group::ProcessGroup;
pub use needed::needed;
pub use resources::{FILE_TOO_LARGE, Resources};
pub use run::{Ended, Outcome, Run, run};
