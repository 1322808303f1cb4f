//! Learning one tool again from its stored calls, after users decided which of its texts are failures, or since when
//! results are learned from.
//!
//! The calls are read beside the recorder. It only reads those that came meanwhile, and then writes the state that they
//! add up to as an entry of the journal, which replaces what was known of the tool: live, and whenever the journal is
//! read again. Calls that retention removed stay as they were counted: the states of snapshots still count them.

use std::ops::Range;
use std::path::Path;

use schemascope_model::ToolId;
use schemascope_registry::{LearningRules, Registry, observe};
use schemascope_store::{Entry, Error, Position, entries_of};

use super::fold::Fold;
use super::tool_state::{self, REGISTRY};

/// A tool that is learned again.
pub(super) struct Relearning {
    tool: ToolId,
    /// How it learns.
    rules: LearningRules,
    /// The tool alone.
    registry: Registry,
    /// Everything before was read.
    at: Position,
    /// Whether nothing was read of the tool.
    is_empty: bool,
}

impl Relearning {
    /// Begins with an empty registry.
    pub(super) fn new(tool: ToolId, rules: LearningRules, registry: Registry) -> Self {
        let mut relearning = Self { tool, rules, registry, at: Position::START, is_empty: true };
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
        match entry {
            Entry::Call(call) => {
                let observation = call.result.as_deref().and_then(observe);
                self.registry.apply(entry, observation.as_ref())
            }
            Entry::Declared(_) => self.registry.apply(entry, None),
            Entry::State { tool, state } => {
                let parts = tool_state::split(state)?;
                let Some((_, state)) = parts.into_iter().find(|(name, _)| *name == REGISTRY) else {
                    return Ok(());
                };
                let mut summed = self.registry.emptied();
                summed.restore(tool, state).map_err(|error| error.to_string())?;
                // A state sums up what is read here anyway, unless it counts calls that are not there any more.
                let calls = |registry: &Registry| registry.tool(tool).map_or(0, |tool| tool.calls);
                if is_first {
                    self.registry = summed;
                    self.set_rules();
                } else if calls(&summed) > calls(&self.registry) {
                    self.registry.restore_counts(tool, state).map_err(|error| error.to_string())?;
                    self.set_rules();
                }
                Ok(())
            }
        }
    }

    fn set_rules(&mut self) {
        self.registry.set_learning_rules(&self.tool, &self.rules);
    }

    /// Returns what is known of the tool once all calls were read.
    pub(super) fn settle(&mut self) -> Option<Vec<u8>> {
        self.registry.settle_learning(&self.tool);
        self.registry.state(&self.tool)
    }
}

#[cfg(test)]
mod tests {
    use schemascope_model::{CallRecord, IdSource, Origin, Outcome, Timestamp};
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use schemascope_registry::Tool;

    use super::super::replay::Replay;
    use super::*;

    fn tool() -> ToolId {
        "docs__search".parse().unwrap()
    }

    fn calls(ids: &IdSource, texts: &[&str]) -> Vec<Entry> {
        let call = |text: &&str| {
            let at = Timestamp::from_millis(1_000);
            let result = to_raw_value(&json!({"content": [{"type": "text", "text": text}]})).unwrap();
            let call = CallRecord::new(ids.live(at), at, tool(), Outcome::Ok, Origin::Proxy);
            Entry::Call(CallRecord { result: Some(result), ..call })
        };
        texts.iter().map(call).collect()
    }

    /// What it learns of a journal; all before `removed` is gone from it.
    fn relearned(entries: &[Entry], removed: usize) -> (u64, u64, u64, u64) {
        let rules = LearningRules { failing: ["Error".into()].into(), since: None };
        let learned = learned_by(&rules, entries, removed);
        let failing = learned.failing_texts.rules().get("Error").copied().unwrap_or_default();
        (learned.calls, learned.failures, learned.shape.observations(), failing)
    }

    fn learned_by(rules: &LearningRules, entries: &[Entry], removed: usize) -> Tool {
        let dir = tempfile::tempdir().unwrap();
        let mut replay = Replay::new(Registry::default());
        let (mut writer, _reader, _) =
            schemascope_store::open(dir.path(), &mut replay, Timestamp::from_millis(1)).unwrap();
        let mut live = Registry::default();
        let state = |live: &Registry| {
            // As it is stored, beside the state of another fold.
            let parts = vec![("edges", vec![1]), (REGISTRY, live.state(&tool()).unwrap())];
            Entry::State { tool: tool(), state: tool_state::join(parts).unwrap() }
        };
        let mut relearning = Relearning::new(tool(), rules.clone(), live.emptied());
        for (at, entry) in entries.iter().enumerate() {
            let entry = match entry {
                Entry::Call(call) => {
                    live.record(call);
                    entry.clone()
                }
                _ => state(&live),
            };
            if at >= removed {
                writer.append(&[entry]).unwrap();
            }
            if at == removed + 2 {
                relearning.read_to(writer.journal_dir(), writer.end()).unwrap();
            }
        }
        relearning.read_to(writer.journal_dir(), writer.end()).unwrap();
        relearning.settle();
        relearning.registry.tool(&tool()).unwrap().clone()
    }

    /// Calls that retention removed stay counted, and results since the time that was decided stay learned from, although
    /// the state that counts the calls learned from all of them.
    #[test]
    fn read_to_learns_since_a_time_where_calls_are_gone() {
        let ids = IdSource::new(1, 0);
        let calls = |text: &str, at: u64| {
            let mut calls = calls(&ids, &[text, text]);
            calls.iter_mut().for_each(|entry| {
                if let Entry::Call(call) = entry {
                    call.at = Timestamp::from_millis(at);
                }
            });
            calls
        };
        let state = || vec![Entry::State { tool: tool(), state: Vec::new() }];
        let (old, new) = (|| calls("{\"id\":1}", 1_000), || calls("{\"key\":1}", 2_000));
        let entries = [old(), old(), new(), state(), new()].concat();
        let rules = LearningRules { since: Some(Timestamp::from_millis(2_000)), ..LearningRules::default() };
        for removed in [0, 3, 4, 5] {
            let learned = learned_by(&rules, &entries, removed);
            let observations = learned.shape.observations();
            assert_eq!(learned.calls, 8, "{removed}");
            // What the removed calls taught is gone with them.
            assert_eq!(observations, if removed == 5 { 3 } else { 4 }, "{removed}");
            assert!(!learned.inferred_schema().to_string().contains("id"), "{removed}");
        }
    }

    /// What retention removed stays as it was counted, wherever the first state stands that still counts it. Other states
    /// sum up what is read, and do not count twice.
    #[test]
    fn calls_that_are_not_there_any_more_stay_as_they_were_counted() {
        let ids = IdSource::new(1, 0);
        let calls = |texts: &[&str]| calls(&ids, texts);
        let state = || vec![Entry::State { tool: tool(), state: Vec::new() }];
        let two = || calls(&["{\"id\":1}", "Error: a"]);
        let snapshot_first = [two(), two(), state(), two(), state(), two()].concat();
        let calls_first = [two(), two(), two(), state(), two()].concat();
        for (entries, removed, expect) in [
            (&snapshot_first, 0, (8, 4, 4, 4)),
            (&snapshot_first, 4, (8, 2, 6, 2)),
            (&calls_first, 0, (8, 4, 4, 4)),
            (&calls_first, 4, (8, 1, 7, 1)),
        ] {
            assert_eq!(relearned(entries, removed), expect, "{removed}");
        }
    }
}
