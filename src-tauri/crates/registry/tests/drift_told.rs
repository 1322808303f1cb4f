//! Laws of reporting drift: once while it lasts, and its end, also when the process is killed in between.

use proptest::prelude::*;
use schemascope_model::{
    CallRecord, Ending, Evidence, Fit, IdSource, Origin, Outcome, Quality, Timestamp, ToolId, VersionOrigin,
};
use schemascope_registry::versions::{
    Actor, AuditEntry, AuditEvent, Cut, Drifts, Ledger, Refused, Resolution, Wish, due, untold,
};
use schemascope_registry::{LearningRules, Registry};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

/// What calls teach, and what is reported of it, as an engine keeps both.
struct Shop {
    ids: IdSource,
    calls: u64,
    registry: Registry,
    ledger: Ledger,
    log: Vec<AuditEvent>,
}

fn tool() -> ToolId {
    "s__t".parse().unwrap()
}

fn order(n: u64, renamed: bool) -> String {
    let name = if renamed { "customer_name" } else { "customer" };
    format!("{{\"id\":{n},\"{name}\":\"c{n}\",\"total\":{}}}", n * 3)
}

impl Shop {
    fn new() -> Self {
        let (registry, ledger) = (Registry::default(), Ledger::default());
        Self { ids: IdSource::new(3, 0), calls: 0, registry, ledger, log: Vec::new() }
    }

    fn calls(&mut self, count: u64, renamed: bool, fit: Option<(&str, bool)>) {
        for _ in 0..count {
            self.calls += 1;
            let at = Timestamp::from_millis(self.calls * 1_000);
            let raw = |text: String| RawValue::from_string(text).unwrap();
            let document = order(self.calls, renamed);
            self.registry.record(&CallRecord {
                arguments: Some(raw(format!("{{\"id\":{}}}", self.calls))),
                result: Some(raw(format!("{{\"content\":[],\"structuredContent\":{document}}}"))),
                fit: fit.map(|(schema, fits)| Fit {
                    schema: schema.into(),
                    fits,
                    rule: (!fits).then(|| "/required".into()),
                }),
                ..CallRecord::new(self.ids.at(at), at, tool(), Outcome::Ok, Origin::Proxy)
            });
        }
    }

    /// Saves what was learned, and reads it back as after a kill.
    fn kill(&mut self) {
        let states = self.registry.states();
        self.registry = Registry::default();
        states.iter().for_each(|(id, state)| self.registry.load(id.clone(), state).unwrap());
        assert_eq!(self.registry.states(), states);
    }

    fn write(&mut self, event: AuditEvent) -> Result<(), Refused> {
        let at = Timestamp::from_millis(self.calls * 1_000 + self.log.len() as u64);
        let entry = AuditEntry {
            id: self.ids.at(at),
            at,
            tool_id: tool(),
            actor: Actor::person(None),
            reason: None,
            observation_count: None,
            quality: None,
            event,
        };
        // As it is read back.
        let entry: AuditEntry = serde_json::from_slice(&serde_json::to_vec(&entry).unwrap()).unwrap();
        self.ledger.apply(&entry)?;
        self.log.push(entry.event);
        Ok(())
    }

    fn drifts(&self) -> Drifts {
        self.ledger.tool(&tool()).map(|tool| tool.drifts().clone()).unwrap_or_default()
    }

    fn due(&self) -> (Vec<AuditEvent>, bool) {
        let now = Timestamp::from_millis(self.calls * 1_000);
        let versions = self.ledger.tool(&tool()).cloned().unwrap_or_default();
        self.registry.tool(&tool()).map_or((Vec::new(), false), |tool| due(tool, &versions, now))
    }

    /// Tells what is due, or as much of it as a kill lets through.
    fn tell(&mut self, at_most: usize) {
        for event in self.due().0.into_iter().take(at_most) {
            self.write(event).unwrap();
        }
    }

    fn cut_and_promote(&mut self) {
        self.cut_and_promote_from(VersionOrigin::Inferred);
    }

    fn cut_and_promote_from(&mut self, origin: VersionOrigin) {
        let version = self.ledger.tool(&tool()).map_or(1, |tool| tool.next());
        let evidence = Evidence {
            observation_count: self.calls,
            call_count: self.calls,
            last_observed: None,
            learned_since: None,
            quality: Quality::High,
            mean_consistency: None,
            fields: Vec::new(),
            fields_left_out: 0,
            examples: Vec::new(),
            counter_examples: Vec::new(),
        };
        let schema = to_raw_value(&json!({"const": version})).unwrap();
        let cut = Cut { version, origin, schema, evidence };
        self.write(AuditEvent::Cut(Box::new(cut))).unwrap();
        self.write(AuditEvent::Promote { version }).unwrap();
    }

    #[track_caller]
    fn open(&self) -> Vec<u64> {
        self.drifts().open().map(|drift| drift.event.id).collect()
    }
}

#[test]
fn it_is_told_once_and_acknowledged_once() {
    let mut shop = Shop::new();
    shop.calls(150, false, None);
    shop.tell(9);
    assert!(shop.open().is_empty());
    shop.calls(200, true, None);
    shop.tell(9);
    shop.kill();
    shop.tell(9);
    assert_eq!(shop.open(), [1]);
    let drift = shop.drifts().get(1).unwrap().clone();
    assert_eq!((drift.event.path.as_str(), drift.event.began), ("customer", 151));
    assert_eq!(drift.event.examples.len(), 3);
    shop.write(AuditEvent::Acknowledge { drift: 1 }).unwrap();
    assert_eq!((shop.open(), shop.drifts().waiting().count()), (vec![1], 0));
    assert_eq!(shop.write(AuditEvent::Acknowledge { drift: 1 }), Err(Refused::IsAcknowledged(1)));
    let unknown = Refused::NoSuchDrift { number: 7, open: vec![1] };
    assert_eq!(shop.write(AuditEvent::Acknowledge { drift: 7 }), Err(unknown));
    let again = AuditEvent::Drift(Box::new(drift.event));
    assert_eq!(shop.write(again), Err(Refused::ToldBefore(1)));
}

#[test]
fn it_is_over_when_results_are_as_they_were() {
    let mut shop = Shop::new();
    shop.calls(150, false, None);
    shop.calls(40, true, None);
    shop.tell(9);
    shop.calls(40, false, None);
    shop.tell(9);
    assert!(shop.open().is_empty());
    let how = |shop: &Shop, drift| shop.drifts().get(drift).unwrap().resolved.map(|resolved| resolved.how);
    assert_eq!(how(&shop, 1), Some(Resolution::Ended(Ending::Returned)));
    assert_eq!(shop.write(AuditEvent::Acknowledge { drift: 1 }), Err(Refused::DriftIsOver(1)));
    // Nobody looked while it came, went and came: the first one must have ended.
    shop.calls(40, true, None);
    shop.tell(9);
    (0..30).for_each(|round| shop.calls(30, round % 2 == 1, None));
    shop.tell(9);
    assert_eq!(how(&shop, 2), Some(Resolution::Ended(Ending::Returned)));
}

/// Its evidence counts results of other machines.
#[test]
fn imported_version_takes_no_drift_in() {
    let mut shop = Shop::new();
    shop.calls(150, false, None);
    shop.calls(40, true, None);
    shop.tell(9);
    shop.cut_and_promote_from(VersionOrigin::Import);
    assert_eq!(shop.open(), [1]);
    shop.cut_and_promote();
    assert!(shop.open().is_empty());
}

#[test]
fn a_version_cut_after_the_change_takes_it_in_and_one_before_it_does_not() {
    let mut shop = Shop::new();
    shop.calls(150, false, None);
    shop.cut_and_promote();
    shop.calls(40, true, None);
    shop.tell(9);
    assert_eq!(shop.open(), [1]);
    shop.write(AuditEvent::Rollback { to: None }).unwrap();
    shop.write(AuditEvent::Promote { version: 1 }).unwrap();
    assert_eq!(shop.open(), [1], "the first version knows nothing of it");
    shop.cut_and_promote();
    assert!(shop.open().is_empty());
    let taken_in = shop.drifts().get(1).unwrap().resolved.unwrap().how;
    assert!(matches!(taken_in, Resolution::TakenIn(2, _)), "{taken_in:?}");
    shop.tell(9);
    assert!(shop.open().is_empty(), "it is not told again");
    // Taken back, it goes on.
    let undo = shop.ledger.resolve(&tool(), Wish::Undo).unwrap();
    shop.write(undo).unwrap();
    assert_eq!(shop.open(), [1]);
}

#[test]
fn broken_rules_are_another_kind() {
    let mut shop = Shop::new();
    shop.calls(150, false, Some(("v1", true)));
    shop.calls(40, true, Some(("v1", false)));
    shop.tell(9);
    let told = shop.drifts();
    let mut told: Vec<String> =
        told.open().map(|drift| drift.event.change.sentence(&drift.event.path)).collect();
    told.sort();
    assert_eq!(
        told,
        ["`customer` is now `customer_name`", "the result lacks fields that the effective schema requires"]
    );
    shop.calls(1, true, Some(("v2", true)));
    shop.tell(9);
    assert!(shop.open().is_empty());
}

/// Without a schema no result is compared, so that results cannot end the drift.
#[test]
fn broken_rules_are_over_while_no_schema_is_in_effect() {
    let mut shop = Shop::new();
    shop.calls(150, false, None);
    shop.cut_and_promote();
    shop.calls(150, false, Some(("v1", true)));
    shop.calls(40, false, Some(("v1", false)));
    shop.tell(9);
    assert_eq!(shop.open(), [1]);
    let how = |shop: &Shop| shop.drifts().get(1).unwrap().resolved.map(|resolved| resolved.how);
    shop.write(AuditEvent::Rollback { to: None }).unwrap();
    assert_eq!(how(&shop), Some(Resolution::Withdrawn));
    shop.calls(5, false, None);
    shop.tell(9);
    assert_eq!(how(&shop), Some(Resolution::Withdrawn));
    // The same schema is in effect again, and its rule is still broken.
    let undo = shop.ledger.resolve(&tool(), Wish::Undo).unwrap();
    shop.write(undo).unwrap();
    shop.calls(5, false, Some(("v1", false)));
    shop.tell(9);
    assert_eq!(shop.open(), [1]);
    // Another one that all results fit.
    shop.write(AuditEvent::Rollback { to: None }).unwrap();
    shop.cut_and_promote();
    shop.calls(5, false, Some(("v2", true)));
    shop.tell(9);
    assert!(shop.open().is_empty());
}

#[test]
fn one_that_turns_to_and_fro_does_not_fill_the_log() {
    let mut shop = Shop::new();
    shop.calls(150, false, None);
    for round in 0..80 {
        shop.calls(25, round % 2 == 0, None);
        shop.tell(9);
    }
    let told = shop.log.iter().filter(|event| matches!(event, AuditEvent::Drift(_))).count();
    assert_eq!(told, 20, "within an hour");
    assert!(shop.drifts().all().count() <= 64);
    // What did not fit is reported once there is room.
    shop.calls(25, true, None);
    assert!(shop.due().1);
    assert_eq!(untold(shop.registry.tool(&tool()).unwrap(), &shop.drifts()), 1);
    shop.calls(4_000, true, None);
    assert_eq!(shop.due().0.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Kills between counting and reporting change neither what is reported nor what is learned.
    #[test]
    fn kills_cost_nothing(stretches in prop::collection::vec((1u64..60, any::<bool>(), 0usize..3, any::<bool>()), 1..8)) {
        let (mut calm, mut killed) = (Shop::new(), Shop::new());
        for shop in [&mut calm, &mut killed] {
            shop.calls(120, false, None);
        }
        for (count, renamed, at_most, kill) in stretches {
            for shop in [&mut calm, &mut killed] {
                shop.calls(count, renamed, None);
            }
            killed.tell(at_most);
            if kill {
                killed.kill();
            }
            killed.tell(usize::MAX);
            calm.tell(usize::MAX);
            prop_assert_eq!(calm.registry.states(), killed.registry.states());
            let known = |shop: &Shop| -> Vec<_> {
                shop.drifts().all().map(|drift| (drift.event.clone(), drift.resolved.map(|r| r.how))).collect()
            };
            prop_assert_eq!(known(&calm), known(&killed));
        }
    }
}

/// States without drift are read, and drift is watched from there on.
#[test]
fn older_states_are_read() {
    let mut shop = Shop::new();
    shop.calls(100, false, None);
    let (id, state) = shop.registry.states().remove(0);
    let mut state: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&state).unwrap();
    let drift = state.remove("drift").unwrap();
    assert_eq!(drift["observations"], 100);
    let read = |state: &serde_json::Map<String, serde_json::Value>| {
        let mut registry = Registry::default();
        registry.load(tool(), &serde_json::to_vec(state).unwrap()).map(|()| registry)
    };
    assert!(read(&state).is_err(), "this version has drift");
    state.insert("version".into(), 2.into());
    shop.registry = read(&state).unwrap();
    shop.calls(60, false, None);
    shop.calls(40, true, None);
    shop.tell(9);
    assert_eq!(shop.registry.tool(&id).unwrap().shape.observations(), 200);
    assert_eq!(shop.drifts().get(1).unwrap().event.began, 161);
    state.insert("drift".into(), drift);
    assert!(read(&state).is_err(), "that version has none");
    // Drift counted differently starts again; the rest stays.
    state.insert("version".into(), 3.into());
    state.insert("drift".into(), serde_json::json!({"version": 1}));
    let registry = read(&state).unwrap();
    let tool = registry.tool(&id).unwrap();
    assert_eq!((tool.drift.observations(), tool.shape.observations()), (0, 100));
}

#[test]
fn it_is_over_once_only_later_results_are_learned_from_until_that_is_undone() {
    let mut shop = Shop::new();
    shop.calls(150, false, None);
    shop.calls(40, true, None);
    shop.tell(9);
    assert_eq!(shop.open(), [1]);
    let since = Some(shop.drifts().get(1).unwrap().event.since);
    shop.write(AuditEvent::LearnSince { since }).unwrap();
    assert_eq!(shop.write(AuditEvent::LearnSince { since }), Err(Refused::IsLearnedSince(since)));
    shop.registry.set_learning_rules(&tool(), &LearningRules { since, ..LearningRules::default() });
    shop.registry.settle_learning(&tool());
    shop.kill();
    shop.tell(9);
    let how = shop.drifts().get(1).unwrap().resolved.map(|resolved| resolved.how);
    assert_eq!(how, Some(Resolution::Ended(Ending::LearnedAgain)));
    assert!(shop.due().0.is_empty());
    // The old shape is a change now.
    shop.calls(40, true, None);
    shop.calls(40, false, None);
    shop.tell(9);
    assert_eq!(shop.open(), [2]);

    let decision = shop.ledger.resolve(&tool(), Wish::Undo).unwrap();
    shop.write(decision).unwrap();
    assert_eq!(shop.open(), [1, 2]);
    // Until the tool is learned again its state says what was decided before.
    shop.tell(9);
    assert_eq!(shop.open(), [1, 2]);
    assert_eq!(shop.ledger.tool(&tool()).unwrap().decided().learned_since(), None);
}
