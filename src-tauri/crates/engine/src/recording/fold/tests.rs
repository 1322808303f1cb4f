//! Two folds over one journal: a count of calls beside the registry.

use std::path::Path;

use schemascope_model::{CallRecord, IdSource, Origin, Outcome, Timestamp};
use schemascope_redact::{Redaction, Rules};
use schemascope_store::{CallQuery, Declared, Policy, Reader, Writer};
use serde_json::value::RawValue;

use super::super::events::Events;
use super::super::mode::{Durability, Recording};
use super::super::recorder::{Recorder, RecorderParts};
use super::super::replay::Replay;
use super::*;

/// Counts calls, and those whose result teaches something.
#[derive(Default)]
struct CallCount {
    tools: BTreeMap<ToolId, [u64; 2]>,
    unsaved: BTreeSet<ToolId>,
}

impl Fold for CallCount {
    fn name(&self) -> &'static str {
        "count"
    }

    fn apply(&mut self, entry: &Entry, observation: Option<&Observation<'_>>) -> Result<(), String> {
        match entry {
            Entry::Call(call) => {
                assert_ne!(call.tool_id.tool(), "panics", "as the test wants it");
                let [calls, observations] = self.tools.entry(call.tool_id.clone()).or_default();
                *calls += 1;
                *observations += u64::from(call.outcome == Outcome::Ok && observation.is_some());
            }
            Entry::Declared(_) => return Ok(()),
            Entry::State { tool, state } => self.load(tool, state)?,
        }
        self.unsaved.insert(entry.tool().clone());
        Ok(())
    }

    fn load(&mut self, tool: &ToolId, state: &[u8]) -> Result<(), String> {
        let counts = serde_json::from_slice(state).map_err(|error| error.to_string())?;
        self.tools.insert(tool.clone(), counts);
        Ok(())
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn tools(&self) -> Vec<ToolId> {
        self.tools.keys().cloned().collect()
    }

    fn state(&self, tool: &ToolId) -> Option<Vec<u8>> {
        serde_json::to_vec(self.tools.get(tool)?).ok()
    }

    fn comparable(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.state(tool)
    }

    fn take_unsaved(&mut self) -> Vec<(ToolId, Vec<u8>)> {
        let unsaved = std::mem::take(&mut self.unsaved);
        unsaved.into_iter().filter_map(|tool| self.state(&tool).map(|state| (tool, state))).collect()
    }
}

struct Opened {
    registry: Arc<Mutex<Registry>>,
    count: Arc<Mutex<CallCount>>,
    folds: Folds,
    writer: Writer,
    reader: Reader,
}

fn open(dir: &Path) -> Opened {
    let (registry, count) = (Arc::<Mutex<Registry>>::default(), Arc::<Mutex<CallCount>>::default());
    let folds = Folds::new([Arc::clone(&registry) as _, Arc::clone(&count) as _]);
    let mut replay = Replay::into_folds(Arc::clone(&registry), folds.clone());
    let (writer, reader, _) =
        schemascope_store::open(dir, &mut replay, Timestamp::from_millis(1_000)).unwrap();
    Opened { registry, count, folds, writer, reader }
}

/// Calls and observations by tool, on which both folds must agree.
fn counts(registry: &Mutex<Registry>, count: &Mutex<CallCount>) -> BTreeMap<ToolId, [u64; 2]> {
    let registry = registry.lock();
    let called = registry.tools().iter().filter(|(_, tool)| tool.calls > 0);
    let counts: BTreeMap<ToolId, [u64; 2]> =
        called.map(|(id, tool)| (id.clone(), [tool.calls, tool.shape.observations()])).collect();
    assert_eq!(count.lock().tools, counts);
    counts
}

impl Opened {
    fn counts(&self) -> BTreeMap<ToolId, [u64; 2]> {
        counts(&self.registry, &self.count)
    }

    /// Closes the store and drops its index, so that the next start rebuilds it.
    fn close_without_index(self, dir: &Path) {
        self.writer.close().unwrap();
        drop((self.reader, self.folds));
        drop_index(dir);
    }

    fn append(&mut self, entry: &Entry) {
        self.writer.append(std::slice::from_ref(entry)).unwrap();
        let observation = match entry {
            Entry::Call(call) => call.result.as_deref().and_then(schemascope_registry::observe),
            _ => None,
        };
        self.folds.apply(entry, observation.as_ref()).unwrap();
    }
}

fn call(ids: &IdSource, tool: &str, outcome: Outcome) -> CallRecord {
    let at = Timestamp::from_millis(5);
    let result = r#"{"content":[],"structuredContent":{"a":1}}"#;
    let record = CallRecord::new(ids.at(at), at, tool.parse().unwrap(), outcome, Origin::Proxy);
    CallRecord { result: Some(RawValue::from_string(result.to_owned()).unwrap()), ..record }
}

fn declared(tool: &str) -> Entry {
    let definition = RawValue::from_string(r#"{"name":"t"}"#.to_owned()).unwrap();
    let at = Timestamp::from_millis(4);
    Entry::Declared(Declared { tool_id: tool.parse().unwrap(), at, definition: Some(definition) })
}

fn drop_index(dir: &Path) {
    std::fs::remove_dir_all(dir.join("index")).unwrap();
}

#[tokio::test]
async fn folds_see_the_same_entries_live_after_replay_and_after_rebuild() {
    let dir = tempfile::tempdir().unwrap();
    let mut opened = open(dir.path());
    opened.append(&declared("s__never_called"));
    let ids = Arc::new(IdSource::new(0, 0));
    let parts = RecorderParts {
        registry: Arc::clone(&opened.registry),
        folds: opened.folds.clone(),
        ids: Arc::clone(&ids),
        events: Arc::new(Events::new(Timestamp::from_millis(1))),
        redaction: Arc::new(Redaction::new(Rules::default(), []).unwrap()),
    };
    let Opened { registry, count, folds, writer, reader } = opened;
    let recorder = Recorder::start(writer, Durability::Relaxed, Recording::On, parts).unwrap();
    for tool in ["s__a", "s__b", "s__a"] {
        assert!(recorder.submit(call(&ids, tool, Outcome::Ok), false).await);
    }
    assert!(recorder.submit(call(&ids, "s__a", Outcome::ToolError), false).await);
    recorder.flush().await;
    let live = counts(&registry, &count);
    assert_eq!(live.values().copied().collect::<Vec<_>>(), [[3, 2], [1, 1]]);
    recorder.close();
    drop((recorder, reader, folds));
    assert_eq!(open(dir.path()).counts(), live);
    drop_index(dir.path());
    assert_eq!(open(dir.path()).counts(), live);
}

#[test]
fn folds_keep_their_states_when_calls_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let mut opened = open(dir.path());
    let ids = IdSource::new(0, 0);
    for tool in ["s__a", "s__b", "s__a"] {
        opened.append(&Entry::Call(call(&ids, tool, Outcome::Ok)));
    }
    let before = opened.counts();
    let (policy, now) = (Policy { count: Some(1), ..Policy::default() }, Timestamp::from_millis(10));
    while opened.writer.retain(&policy, now, || opened.folds.states()).unwrap().more {}
    let query = CallQuery { limit: 10, ..CallQuery::default() };
    assert_eq!(opened.reader.calls(&query).unwrap().calls.len(), 1);
    opened.append(&Entry::Call(call(&ids, "s__b", Outcome::Ok)));
    let after = opened.counts();
    assert_ne!(before, after);
    opened.close_without_index(dir.path());
    assert_eq!(open(dir.path()).counts(), after);
}

/// A tool that is known from a snapshot alone must be saved after a rebuild like any other.
#[test]
fn tools_known_from_a_snapshot_alone_outlive_a_rebuild() {
    let dir = tempfile::tempdir().unwrap();
    let ids = IdSource::new(0, 0);
    let mut opened = open(dir.path());
    for tool in ["s__quiet", "s__busy"] {
        opened.append(&Entry::Call(call(&ids, tool, Outcome::Ok)));
    }
    let snapshot: Vec<Entry> =
        opened.folds.states().map(|(tool, state)| Entry::State { tool, state }).collect();
    opened.writer.append(&snapshot).unwrap();
    opened.append(&Entry::Call(call(&ids, "s__busy", Outcome::Ok)));
    opened.close_without_index(dir.path());

    let mut rebuilt = open(dir.path());
    let counts = rebuilt.counts();
    assert_eq!(counts.len(), 2);
    let unsaved = rebuilt.folds.take_unsaved();
    assert_eq!(unsaved, rebuilt.folds.states().collect::<Vec<_>>());
    rebuilt.writer.save_states(&unsaved).unwrap();
    rebuilt.writer.close().unwrap();
    drop((rebuilt.reader, rebuilt.folds));
    assert_eq!(open(dir.path()).counts(), counts);
}

/// What was stored before flows were recorded is read again once, and counts from then on.
#[test]
fn calls_stored_without_flows_count_after_an_update() {
    use schemascope_compose::Evidence;
    let dir = tempfile::tempdir().unwrap();
    let ids = IdSource::new(0, 0);
    let call = |tool: &str, at: u64, arguments: &str, result: &str| {
        let at = Timestamp::from_millis(at);
        let raw = |text: String| Some(RawValue::from_string(text).unwrap());
        Entry::Call(CallRecord {
            session: Some("a".into()),
            arguments: raw(arguments.to_owned()),
            result: raw(format!(r#"{{"content":[],"structuredContent":{result}}}"#)),
            ..CallRecord::new(ids.at(at), at, tool.parse().unwrap(), Outcome::Ok, Origin::Proxy)
        })
    };
    // An engine that knows nothing of flows.
    let registry = Arc::<Mutex<Registry>>::default();
    let folds = Folds::new([Arc::clone(&registry) as _]);
    let mut replay = Replay::into_folds(registry, folds.clone());
    let now = Timestamp::from_millis(1_000);
    let (mut writer, reader, _) = schemascope_store::open(dir.path(), &mut replay, now).unwrap();
    for entry in [
        call("s__list", 10, "{}", r#"{"orders":[{"id":"ord_4711"},{"secret":"⟦redacted string 8⟧"}]}"#),
        call("s__get", 20, r#"{"id":"ord_4711","key":"⟦redacted string 8⟧"}"#, r#"{"ok":true}"#),
    ] {
        let Entry::Call(record) = &entry else { unreachable!() };
        let observation = record.result.as_deref().and_then(schemascope_registry::observe);
        folds.apply(&entry, observation.as_ref()).unwrap();
        writer.append(&[entry]).unwrap();
    }
    writer.save_states(&folds.take_unsaved()).unwrap();
    writer.close().unwrap();
    drop((reader, folds, replay));

    let evidence = |replay: &Replay| replay.flows.lock().evidence().clone();
    let edge = |evidence: &Evidence| {
        let (input, taken) = evidence.taken("s__get").find(|(_, taken)| !taken.from.is_empty()).unwrap();
        (input.to_owned(), taken.from["s__list"].keys().map(ToString::to_string).collect::<Vec<_>>())
    };
    let mut updated = Replay::new(Registry::default());
    let (mut writer, reader, recovery) = schemascope_store::open(dir.path(), &mut updated, now).unwrap();
    assert_eq!(recovery.index, schemascope_store::IndexRecovery::Intact);
    let learned = evidence(&updated);
    assert_eq!(edge(&learned), ("id".to_owned(), vec!["orders[].id".to_owned()]), "markers never match");
    writer.save_states(&updated.folds.take_unsaved()).unwrap();
    writer.close().unwrap();
    drop((reader, updated));

    let mut again = Replay::new(Registry::default());
    let (writer, reader, recovery) = schemascope_store::open(dir.path(), &mut again, now).unwrap();
    assert_eq!((recovery.replayed, evidence(&again) == learned), (0, true), "once is enough");
    writer.close().unwrap();
    drop(reader);
    drop_index(dir.path());
    let mut rebuilt = Replay::new(Registry::default());
    schemascope_store::open(dir.path(), &mut rebuilt, now).unwrap();
    assert!(evidence(&rebuilt) == learned, "the same after a rebuild");
}

#[test]
fn panic_of_a_fold_leaves_the_others_learning() {
    let (registry, count) = (Arc::<Mutex<Registry>>::default(), Arc::<Mutex<CallCount>>::default());
    let folds = Folds::new([Arc::clone(&count) as _, Arc::clone(&registry) as _]);
    let ids = IdSource::new(0, 0);
    for tool in ["s__panics", "s__a"] {
        folds.apply(&Entry::Call(call(&ids, tool, Outcome::Ok)), None).unwrap();
    }
    assert_eq!(count.lock().tools().len(), 1);
    assert_eq!(registry.lock().tools().len(), 2);
}
