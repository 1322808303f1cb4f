//! The state on which the file of overrides and the decisions last agreed.
//!
//! Kept in the data directory. After a crash, or an edit while nothing ran, it shows which side changed; and the last
//! valid file stays in effect while the file itself cannot be used.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use schemascope_model::ToolId;
use schemascope_overrides::Overrides;
use serde::{Deserialize, Serialize};

use crate::files::write_whole;

/// An agreement between one file and the decisions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Agreement {
    /// The file of overrides it is about.
    pub(super) file: String,
    /// Its text.
    pub(super) text: String,
    /// Tools whose entries are not decided yet.
    pub(super) pending: BTreeSet<ToolId>,
}

/// Path of the agreement about a file. Each file has its own, so that a file used for a while is not reconciled with
/// decisions made for another.
pub(super) fn place(data: &Path, file: &Path) -> PathBuf {
    if file == data.join(super::FILE) {
        return data.join("overrides.agreed.json");
    }
    let name = schemascope_registry::digest(&file.display().to_string().into());
    data.join(format!("overrides.{name}.agreed.json"))
}

impl Agreement {
    /// Reads an agreement. It is empty if there is none, or if it is about another file.
    pub(super) fn read(path: &Path, file: &Path) -> Self {
        let nothing = Self { file: file.display().to_string(), ..Self::default() };
        let read = std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        read.filter(|agreed| agreed.file == nothing.file).unwrap_or(nothing)
    }

    pub(super) fn write(&self, path: &Path) -> std::io::Result<()> {
        write_whole(path, &serde_json::to_vec(self)?)
    }

    /// The overrides in the text agreed on.
    pub(super) fn says(&self) -> Overrides {
        let read = schemascope_overrides::Document::parse(self.text.clone());
        read.map(|document| document.overrides().clone()).unwrap_or_default()
    }
}
