//! What the file and the decisions agreed on last.
//!
//! Kept in the data directory, so that after a crash, a start, or an edit while nothing ran it can be told who knows
//! more; and the last good file stays in force while the file itself cannot be used. Owns: that file. Refuses to know:
//! what follows.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use schemascope_model::ToolId;
use schemascope_overrides::Overrides;
use serde::{Deserialize, Serialize};

use crate::files::write_whole;

/// An agreement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Agreed {
    /// The file of overrides it is about.
    pub(super) file: String,
    /// Its text.
    pub(super) text: String,
    /// Tools whose entries wait to be decided about.
    pub(super) pending: BTreeSet<ToolId>,
}

/// Where the agreement about a file is kept. Each file has its own: one that was used for a while does not take a
/// later one's decisions for its own.
pub(super) fn place(data: &Path, file: &Path) -> PathBuf {
    if file == data.join(super::FILE) {
        return data.join("overrides.agreed.json");
    }
    let name = schemascope_registry::digest(&file.display().to_string().into());
    data.join(format!("overrides.{name}.agreed.json"))
}

impl Agreed {
    /// Reads it. Without one, or about another file, nothing was agreed.
    pub(super) fn read(path: &Path, file: &Path) -> Self {
        let nothing = Self { file: file.display().to_string(), ..Self::default() };
        let read = std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        read.filter(|agreed| agreed.file == nothing.file).unwrap_or(nothing)
    }

    pub(super) fn write(&self, path: &Path) -> std::io::Result<()> {
        write_whole(path, &serde_json::to_vec(self)?)
    }

    /// What the file said then.
    pub(super) fn says(&self) -> Overrides {
        let read = schemascope_overrides::Document::parse(self.text.clone());
        read.map(|document| document.says().clone()).unwrap_or_default()
    }
}
