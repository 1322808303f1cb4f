//! Filling gaps of the file with what upstreams declare. Which gaps there are is decided in the crate `overrides`.

use schemascope_model::ToolId;
use schemascope_overrides::{Document, Field, NEW_FILE, populate};

use super::{MAX_ATTEMPTS, OverrideFile, ReconcileError};
use crate::files::read_text;

impl OverrideFile {
    /// Fills the gaps of the wanted tools with what their upstreams declare. Returns what was filled, or would be.
    /// Blocks.
    pub(crate) fn populate(
        &self,
        is_wanted: impl Fn(&ToolId) -> bool,
        dry_run: bool,
    ) -> Result<Vec<(ToolId, Vec<Field>)>, ReconcileError> {
        let mut state = self.state();
        // Decisions are written to the file first, so that they do not count as gaps.
        self.bring_in_line(&mut state, &mut Vec::new())?;
        let tools: Vec<ToolId> = {
            let registry = self.registry.lock();
            let listed =
                registry.tools().iter().filter(|(id, tool)| tool.declaration.is_some() && is_wanted(id));
            listed.map(|(id, _)| id.clone()).collect()
        };
        for _ in 0..MAX_ATTEMPTS {
            let on_disk = read_text(&self.path).map_err(ReconcileError::Read)?;
            let text = on_disk.clone().unwrap_or_else(|| NEW_FILE.to_owned());
            let document = Document::parse(text).map_err(ReconcileError::Invalid)?;
            let declared = tools.iter().filter_map(|tool| Some((tool.clone(), self.known(tool).declared?)));
            let (document, filled) = populate(document, declared).map_err(ReconcileError::Invalid)?;
            if dry_run
                || filled.is_empty()
                || self.write(on_disk.as_deref(), document.text()).map_err(ReconcileError::Write)?
            {
                let mut problems = Vec::new();
                self.bring_in_line(&mut state, &mut problems)?;
                return Ok(filled);
            }
        }
        Err(ReconcileError::KeepsChanging)
    }
}
