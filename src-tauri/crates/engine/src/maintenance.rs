//! Looking after a store that nobody has open.
//!
//! Owns: that it is nobody's meanwhile. Refuses to know: how it is done, and how it is shown.

use std::path::Path;
use std::time::Instant;

use schemascope_model::ToolId;
use schemascope_registry::Registry;
use schemascope_store::{Rebuilt, Report, States};

use crate::data::DataDir;
use crate::engine::{OpenError, Replay};

/// Compares journal, index and states in a data directory. Mends nothing.
pub fn verify(data_dir: &Path) -> Result<Report, OpenError> {
    with_store(data_dir, |dir, replay| schemascope_store::verify(dir, replay))
}

/// Builds the index in a data directory anew from the journal.
pub fn rebuild(data_dir: &Path) -> Result<Rebuilt, OpenError> {
    with_store(data_dir, |dir, replay| schemascope_store::rebuild(dir, replay))
}

fn with_store<T>(
    data_dir: &Path,
    work: impl FnOnce(&Path, &mut dyn States) -> Result<T, schemascope_store::Error>,
) -> Result<T, OpenError> {
    // Owning a directory makes it.
    if !data_dir.join("journal").is_dir() {
        return Err(OpenError::NoStore(data_dir.to_owned()));
    }
    let data = DataDir::own(data_dir)?;
    let registry = Registry::with_key(data.hash_key()?);
    Ok(work(data.path(), &mut Replay { registry, told: Instant::now() })?)
}

impl States for Replay {
    fn tools(&self) -> Vec<ToolId> {
        self.registry.tools().keys().cloned().collect()
    }

    fn state(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.registry.state(tool)
    }

    fn compared(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.registry.learned(tool)
    }
}
