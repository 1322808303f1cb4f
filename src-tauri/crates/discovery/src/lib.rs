//! The file `discovery_config.json`: which tools may be called to learn what they return, and with which arguments.
//!
//! The file belongs to the user. The command `discover` calls only what it lists ([`parse`]). [`propose`] suggests entries from what
//! servers declare about their tools and from earlier calls, never from names; [`add`] writes entries and leaves
//! everything else in the file byte for byte.
//!
//! The crate is pure: it uses no runtime, store, clock, file or network.

mod file;
mod propose;

pub use file::{Problem, SafeTool, add, parse};
pub use propose::{Listed, Proposal, is_destructive, propose};

/// Name of the file, beside the `mcp.json` in use.
pub const FILE_NAME: &str = "discovery_config.json";
/// Content of a new file.
pub const NEW_FILE: &str = "{\n  \"servers\": {}\n}\n";
