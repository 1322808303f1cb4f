//! Gaps of the file are filled.
//!
//! Owns: that it is done between two looks, on what the file says by then. Refuses to know: which gaps there are (see
//! the crate `overrides`).

use schemascope_model::ToolId;
use schemascope_overrides::{Document, Field, NEW, populate};

use super::{LookError, OverrideFile, TRIES};
use crate::files::read_text;

impl OverrideFile {
    /// Fills the gaps of tools that are wanted by what their upstreams declare. What was, or would be filled. Blocks.
    pub(crate) fn populate(
        &self,
        is_wanted: impl Fn(&ToolId) -> bool,
        dry_run: bool,
    ) -> Result<Vec<(ToolId, Vec<Field>)>, LookError> {
        let mut state = self.state();
        // First what is there, decisions included, so that they are no gaps.
        self.bring_in_line(&mut state, &mut Vec::new())?;
        let tools: Vec<ToolId> = {
            let registry = self.registry.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let listed =
                registry.tools().iter().filter(|(id, tool)| tool.declaration.is_some() && is_wanted(id));
            listed.map(|(id, _)| id.clone()).collect()
        };
        for _ in 0..TRIES {
            let on_disk = read_text(&self.path).map_err(LookError::Read)?;
            let text = on_disk.clone().unwrap_or_else(|| NEW.to_owned());
            let document = Document::parse(text).map_err(LookError::Broken)?;
            let declared = tools.iter().filter_map(|tool| Some((tool.clone(), self.known(tool).declared?)));
            let (document, filled) = populate(document, declared).map_err(LookError::Broken)?;
            if dry_run
                || filled.is_empty()
                || self.write(on_disk.as_deref(), document.text()).map_err(LookError::Write)?
            {
                let mut problems = Vec::new();
                self.bring_in_line(&mut state, &mut problems)?;
                return Ok(filled);
            }
        }
        Err(LookError::Restless)
    }
}
