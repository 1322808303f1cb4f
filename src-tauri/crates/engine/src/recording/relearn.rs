//! Learning one tool again from its stored calls, after people decided which of its texts are failures.
//!
//! The calls are read beside the recorder. It only reads those that came meanwhile, and then writes the state that they
//! add up to as an entry of the journal, which replaces what was known of the tool: live, and whenever the journal is
//! read again. Calls that retention removed stay as they were counted.

use std::ops::Range;
use std::path::Path;

use schemascope_model::ToolId;
use schemascope_registry::{Registry, observe};
use schemascope_store::{Entry, Error, Position, entries_of};

use super::fold::Fold;

/// A tool that is learned again.
pub(super) struct Relearning {
    tool: ToolId,
    /// How texts begin that count as failures.
    failing: Box<[Box<str>]>,
    /// The tool alone.
    registry: Registry,
    /// Everything before was read.
    at: Position,
    /// Whether nothing was read of the tool.
    is_empty: bool,
}

impl Relearning {
    /// Begins with an empty registry.
    pub(super) fn new(tool: ToolId, failing: Box<[Box<str>]>, registry: Registry) -> Self {
        let mut relearning = Self { tool, failing, registry, at: Position::START, is_empty: true };
        relearning.set_rules();
        relearning
    }

    /// The tool.
    pub(super) fn tool(&self) -> &ToolId {
        &self.tool
    }

    /// Reads the journal up to a position.
    pub(super) fn read_to(&mut self, journal: &Path, end: Position) -> Result<(), Error> {
        let part: Range<Position> = self.at..end;
        self.at = end;
        let tool = self.tool.clone();
        entries_of(journal, &tool, part, |entry| self.take(entry))
    }

    fn take(&mut self, entry: &Entry) -> Result<(), String> {
        let is_first = std::mem::take(&mut self.is_empty);
        let observation = match entry {
            // States sum up what is read here anyway, unless retention removed it.
            Entry::State { .. } if !is_first => return Ok(()),
            Entry::Call(call) => call.result.as_deref().and_then(observe),
            Entry::State { .. } | Entry::Declared(_) => None,
        };
        self.registry.apply(entry, observation.as_ref())?;
        if matches!(entry, Entry::State { .. }) {
            self.set_rules();
        }
        Ok(())
    }

    fn set_rules(&mut self) {
        self.registry.set_failing_texts(&self.tool, &self.failing);
    }

    /// What the registry knows of the tool now.
    pub(super) fn state(&self) -> Option<Vec<u8>> {
        self.registry.state(&self.tool)
    }
}
