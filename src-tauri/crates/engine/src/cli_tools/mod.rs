//! Command-line tools as upstreams: entries of `ai-tools.json`, what their help says, and running them for a call.
//!
//! An entry is read ([`file`]), its program is found and asked for its help ([`probe`], kept by [`cache`]), and the
//! definitions become tools ([`served`]) that the proxy serves like those of any server.

mod cache;
mod calling;
mod entry;
mod file;
mod keeper;
mod list_edit;
mod paths;
mod persona;
mod probe;
mod requests;
mod served;

pub(crate) use cache::ProgramFile;
pub use entry::CliEntry;
pub(crate) use entry::{Confine, concurrency, confines_tcp, max_output, resources, timeout_seconds};
pub(crate) use file::{FILE, FileError, read};
pub(crate) use keeper::{CliTools, Origin, Row, State};
pub use probe::{ProbeError, Probed, probe};
pub(crate) use requests::{Requests, Wish};
