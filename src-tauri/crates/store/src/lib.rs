//! Calls and tool states on disk, and the only crate that names sled.
//!
//! The journal is the truth: a call is acknowledged when its group is synced there. sled is what is
//! queried; it carries the journal position it has applied (its *checkpoint*) in the same batch as
//! the data, so catching up after a kill applies every entry exactly once, and a damaged or deleted
//! sled folder only costs a rebuild.
//!
//! Owns: files, keys, formats, recovery. Refuses to know: what a tool's state means. States are bytes
//! that a [`Fold`] loads and advances.

mod audit;
mod ballast;
mod entry;
mod index;
mod lock;
mod maintain;
mod marks;
mod open;
mod pack;
mod query;
mod redact;
mod retain;
mod snapshot;
mod summaries;
mod verify;
mod write;

use std::path::PathBuf;

pub use audit::{AuditLog, Read as AuditRead};
pub use entry::{Declared, Entry};
pub use maintain::{Rebuilt, rebuild};
pub use open::{IndexRecovery, Recovery, open};
pub use pack::{Packed, Packer};
pub use query::{CallQuery, Page, Reader};
pub use redact::{Redacted, Rewrite, redact, rehearse};
pub use retain::{Policy, Progress};
pub use schemascope_journal::{Damage, Error as JournalError, Position, Torn};
pub use verify::{AuditCheck, Report, Several, verify};
pub use write::{GROUP, Writer};

use schemascope_model::ToolId;

/// What turns journal entries into tool states. The store replays into it at open.
pub trait Fold {
    /// Takes a tool's state as the index has it, replacing what is known of the tool.
    fn load(&mut self, tool: ToolId, state: &[u8]) -> Result<(), String>;
    /// Forgets everything loaded, because the index it came from is unusable.
    fn clear(&mut self);
    /// Advances by one entry that is not in the loaded states. An [`Entry::State`] replaces what is
    /// known of its tool, and is not in the index yet: it must be saved like any other change.
    fn apply(&mut self, entry: &Entry) -> Result<(), String>;
    /// Told now and then how many bytes of how many have been replayed.
    fn progress(&mut self, _done: u64, _total: u64) {}
}

/// A fold whose states can be saved.
pub trait States: Fold {
    /// All tools it knows.
    fn tools(&self) -> Vec<ToolId>;
    /// The state of one, as [`Fold::load`] takes it; the same bytes whichever way it came about.
    fn state(&self, tool: &ToolId) -> Option<Vec<u8>>;

    /// What any two folds of the same entries agree on of that: all of it, unless a state depends on settings too.
    fn compared(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.state(tool)
    }

    /// Takes an entry of the audit log, oldest first; why it makes no sense behind those before it.
    fn decision(&mut self, _entry: &[u8]) -> Result<(), String> {
        Ok(())
    }
}

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The journal refused.
    #[error(transparent)]
    Journal(#[from] schemascope_journal::Error),
    /// sled refused. What was journaled is safe: the index catches up at the next start.
    #[error("the index refused: {0}")]
    Index(#[from] sled::Error),
    /// sled was to be opened anew and could not be.
    #[error("the index is closed until the next start; what is recorded is safe")]
    IndexClosed,
    /// sled panicked on what it found in its files.
    #[error("the index is damaged; it is rebuilt at the next start")]
    IndexPanicked,
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// Another process has the store open.
    #[error("{0} is open in another process")]
    Locked(PathBuf),
    /// Written by a newer Schemascope.
    #[error("{path} has {what} format {found}; this program reads format {supported}")]
    Version {
        /// The folder.
        path: PathBuf,
        /// What was read.
        what: &'static str,
        /// Its format.
        found: u8,
        /// Ours.
        supported: u8,
    },
    /// A snapshot's state cannot be used, and what it was learned from is gone.
    #[error(
        "the state of {tool} in journal segment {} at offset {} cannot be read ({reason}), and the calls it was learned from were removed; the program that wrote it can",
        .at.segment, .at.offset
    )]
    StateLost {
        /// Where it is.
        at: Position,
        /// Whose it is.
        tool: ToolId,
        /// What the fold said.
        reason: String,
    },
    /// A stored value does not parse.
    #[error("a stored value cannot be read: {0}")]
    Malformed(String),
}
