//! Storage of calls and tool states, and the only crate that names sled.
//!
//! The journal is the truth: a call is acknowledged when its group is synced there. sled holds what
//! is queried. It stores the journal position it has applied (its *checkpoint*) in the same batch
//! as the data, so catching up after a kill applies every entry exactly once, and a damaged or
//! deleted sled folder only costs a rebuild.
//!
//! Tool states are opaque bytes here: a [`Fold`] loads and advances them.

mod audit;
mod ballast;
mod entry;
mod history;
mod index;
mod lock;
mod maintain;
mod marks;
mod open;
mod pack;
mod query;
mod redact;
mod retain;
mod salvage;
mod snapshot;
mod summaries;
mod verify;
mod write;

use std::path::PathBuf;

pub use audit::{AuditContents, AuditLog, EntryChange};
pub use entry::{Declared, Entry};
pub use history::entries_of;
pub use maintain::{Rebuilt, rebuild};
pub use open::{IndexRecovery, Recovery, open};
pub use pack::{Packed, Packer};
pub use query::{CallQuery, Page, Passes, Reader};
pub use redact::{Redacted, Rewrite, redact, rehearse};
pub use retain::{Policy, Progress};
pub use salvage::Salvaged;
pub use schemascope_journal::{Damage, Error as JournalError, Position, Torn, free_space};
pub use verify::{AuditCheck, Findings, Report, verify};
pub use write::{MAX_GROUP_ENTRIES, Writer};

use schemascope_model::ToolId;

/// A fold of journal entries into tool states. The store replays entries into it when it opens.
pub trait Fold {
    /// Loads a tool's state as the index has it, replacing any previous state of the tool.
    fn load(&mut self, tool: ToolId, state: &[u8]) -> Result<(), String>;
    /// Discards everything loaded, because the index it came from is unusable.
    fn clear(&mut self);
    /// Returns whether the loaded states lack something that earlier entries of the journal teach. All entries
    /// are then applied again after [`Fold::clear`].
    fn is_outdated(&self) -> bool {
        false
    }
    /// Applies one entry that the loaded states do not include. An [`Entry::State`] replaces the
    /// state of its tool and is not in the index yet: it must be saved like any other change.
    fn apply(&mut self, entry: &Entry) -> Result<(), String>;
    /// Receives the number of bytes replayed so far and in total, from time to time.
    fn progress(&mut self, _done: u64, _total: u64) {}
}

/// A fold whose states can be saved.
pub trait States: Fold {
    /// Returns all tools with a state.
    fn tools(&self) -> Vec<ToolId>;
    /// Returns the state of a tool as [`Fold::load`] accepts it: the same bytes in whatever way the
    /// state came about.
    fn state(&self, tool: &ToolId) -> Option<Vec<u8>>;

    /// Returns the part of the state that any two folds of the same entries agree on: all of it,
    /// unless a state also depends on settings.
    fn compared(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.state(tool)
    }

    /// Applies an entry of the audit log, oldest first. Returns the reason if the entry contradicts
    /// earlier ones.
    fn decision(&mut self, _entry: &[u8]) -> Result<(), String> {
        Ok(())
    }
}

/// Failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] schemascope_journal::Error),
    /// sled failed. Journaled entries are safe: the index catches up at the next start.
    #[error(
        "the index failed: {0}; recorded data is safe in the journal, and the next start brings the index up to date"
    )]
    Index(#[from] sled::Error),
    /// sled could not be reopened.
    #[error("the index is closed until the next start; recorded data is safe in the journal")]
    IndexClosed,
    /// sled panicked on the content of its files.
    #[error("the index is damaged; the next start rebuilds it from the journal")]
    IndexPanicked,
    /// A file operation failed.
    #[error("{path}: {source}")]
    Io {
        /// File or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// Another process has the store open.
    #[error("{0} is in use by another process; stop that process or use another data directory")]
    Locked(PathBuf),
    /// The data was written by a newer Schemascope.
    #[error(
        "{path} has {what} format {found}, but this version of Schemascope supports only up to format {supported}; use the newer version that wrote it"
    )]
    Version {
        /// Folder of the data.
        path: PathBuf,
        /// Kind of data.
        what: &'static str,
        /// Format of the data.
        found: u8,
        /// Newest supported format.
        supported: u8,
    },
    /// A snapshot's state cannot be used, and the calls it was learned from are gone.
    #[error(
        "cannot read the state of {tool} in journal segment {} at offset {}: {reason}; the calls it was learned from were removed, so it cannot be rebuilt; use the version of Schemascope that wrote it",
        .at.segment, .at.offset
    )]
    StateLost {
        /// Position of the state.
        at: Position,
        /// Tool the state belongs to.
        tool: ToolId,
        /// Reason given by the fold.
        reason: String,
    },
    /// A stored value is malformed.
    #[error("cannot read a stored value: {0}")]
    Malformed(String),
}
