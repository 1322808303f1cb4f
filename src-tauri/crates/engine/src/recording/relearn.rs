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

#[cfg(test)]
mod tests {
    use schemascope_model::{CallRecord, IdSource, Origin, Outcome, Timestamp};
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::super::replay::Replay;
    use super::*;

    fn calls(ids: &IdSource, texts: &[&str]) -> Vec<Entry> {
        let call = |text: &&str| {
            let at = Timestamp::from_millis(1_000);
            let result = to_raw_value(&json!({"content": [{"type": "text", "text": text}]})).unwrap();
            let tool = "docs__search".parse().unwrap();
            let call = CallRecord::new(ids.live(at), at, tool, Outcome::Ok, Origin::Proxy);
            Entry::Call(CallRecord { result: Some(result), ..call })
        };
        texts.iter().map(call).collect()
    }

    /// What a state sums up that retention left alone stays; later states, which sum up what is read, do not count twice.
    #[test]
    fn relearning_begins_with_the_first_state_and_ignores_later_ones() {
        let dir = tempfile::tempdir().unwrap();
        let mut replay = Replay::new(Registry::default());
        let (mut writer, reader, _) =
            schemascope_store::open(dir.path(), &mut replay, Timestamp::from_millis(1)).unwrap();
        let ids = IdSource::new(1, 0);
        let tool: ToolId = "docs__search".parse().unwrap();
        let removed = calls(&ids, &["{\"id\":1}", "{\"id\":2}", "Error: a", "Error: b"]);
        let state =
            |registry: &Registry| Entry::State { tool: tool.clone(), state: registry.state(&tool).unwrap() };
        let mut live = Registry::default();
        let observe_into = |live: &mut Registry, entries: &[Entry]| {
            for entry in entries {
                if let Entry::Call(call) = entry {
                    live.record(call);
                }
            }
        };
        observe_into(&mut live, &removed);
        writer.append(&[state(&live)]).unwrap();
        let first = calls(&ids, &["{\"id\":3}", "Error: c"]);
        writer.append(&first).unwrap();
        observe_into(&mut live, &first);
        writer.append(&[state(&live)]).unwrap();

        let mut relearning = Relearning::new(tool.clone(), ["Error".into()].into(), live.emptied());
        relearning.read_to(writer.journal_dir(), writer.end()).unwrap();
        let last = calls(&ids, &["{\"id\":4}", "Error: d"]);
        writer.append(&last).unwrap();
        relearning.read_to(writer.journal_dir(), writer.end()).unwrap();
        let learned = relearning.registry.tool(&tool).unwrap();
        assert_eq!((learned.calls, learned.failures, learned.shape.observations()), (8, 2, 6));
        assert_eq!(learned.failing_texts.rules().get("Error"), Some(&2));
        drop((writer, reader));
    }
}
