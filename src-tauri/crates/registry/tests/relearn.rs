//! Laws of learning from results since a time.

use proptest::prelude::*;
use schemascope_model::{CallRecord, IdSource, Origin, Outcome, Timestamp, ToolId};
use schemascope_registry::{LearningRules, Registry};
use serde_json::Value;
use serde_json::value::RawValue;

fn tool() -> ToolId {
    "s__t".parse().unwrap()
}

fn at(n: u64) -> Timestamp {
    Timestamp::from_millis(n * 1_000)
}

/// Calls whose results have another name for a field from the `changed`th on, each by one of `machines` machines.
fn calls(count: u64, changed: u64, machines: u16) -> Vec<CallRecord> {
    let ids: Vec<IdSource> = (0..machines).map(|machine| IdSource::new(u64::from(machine), 0)).collect();
    let call = |n: u64| {
        let name = if n < changed { "customer" } else { "client" };
        let result = format!("{{\"content\":[],\"structuredContent\":{{\"id\":{n},\"{name}\":\"c{n}\"}}}}");
        let id = ids[n as usize % ids.len()].at(at(n));
        let call = CallRecord::new(id, at(n), tool(), Outcome::Ok, Origin::Proxy);
        CallRecord { result: Some(RawValue::from_string(result).unwrap()), ..call }
    };
    (0..count).map(call).collect()
}

fn learn(registry: &mut Registry, calls: &[CallRecord]) {
    calls.iter().for_each(|call| registry.record(call));
}

fn since(n: u64) -> LearningRules {
    LearningRules { since: Some(at(n)), ..LearningRules::default() }
}

/// What is known once the calls were read again by these rules.
fn relearned(calls: &[CallRecord], rules: &LearningRules) -> Registry {
    let mut registry = Registry::default();
    registry.set_learning_rules(&tool(), rules);
    learn(&mut registry, calls);
    registry.settle_learning(&tool());
    registry
}

fn schema(registry: &Registry) -> Value {
    registry.tool(&tool()).unwrap().inferred_schema()
}

#[test]
fn schema_is_that_of_later_results_while_calls_stay() {
    let all = calls(120, 60, 1);
    let mut live = Registry::default();
    learn(&mut live, &all);
    assert!(schema(&live).to_string().contains("customer"));
    assert_eq!(live.tool(&tool()).unwrap().drift.open().count(), 1);

    let again = relearned(&all, &since(60));
    let mut later = Registry::default();
    learn(&mut later, &all[60..]);
    assert_eq!(schema(&again), schema(&later));
    let learned = again.tool(&tool()).unwrap();
    assert_eq!((learned.calls, learned.shape.observations()), (120, 60));
    assert_eq!(learned.drift.open().count(), 0, "the change is usual now");
    // Nor is it a change when the tool is learned again once more, after others.
    let mut returned = calls(240, 60, 1);
    returned.splice(120..180, calls(240, 240, 1).into_iter().skip(120).take(60));
    let twice = relearned(&returned, &since(60));
    let drift = twice.tool(&tool()).unwrap().drift.open().count();
    assert_eq!(drift, 0, "what came in between is over");
    assert_eq!(learned.history.points.len(), later.tool(&tool()).unwrap().history.points.len());
}

/// Who asks for the schema of the results since a change is shown it, though it changed with the latest of them.
#[test]
fn schema_is_drafted_at_once_where_enough_is_known() {
    let drafted = |count| relearned(&calls(count, 60, 1), &since(60)).redraft(&tool(), false);
    assert!(drafted(65).is_none());
    for count in 70..120 {
        let draft = drafted(count).expect("it is drafted");
        assert_eq!(
            (draft.evidence.observation_count, draft.evidence.learned_since),
            (count - 60, Some(at(60)))
        );
    }
}

#[test]
fn nothing_is_learned_from_a_time_without_later_results() {
    let all = calls(20, 10, 1);
    let registry = relearned(&all, &since(1_000));
    let learned = registry.tool(&tool()).unwrap();
    assert_eq!((learned.calls, learned.shape.observations(), learned.last_observed), (20, 0, None));
}

proptest! {
    /// What is learned does not depend on when it was decided, nor on a kill afterwards; and all is as before when it
    /// is taken back.
    #[test]
    fn decision_counts_whenever_it_comes(
        count in 1u64..80,
        changed in 0u64..80,
        from in 0u64..90,
        decided in 0u64..80,
        machines in 1u16..4,
    ) {
        let all = calls(count, changed, machines);
        let (before, after) = all.split_at(decided.min(count) as usize);
        // Later calls are later than what was decided.
        let from = from.min(before.len() as u64);
        let mut live = relearned(before, &since(from));
        let state = live.state(&tool()).unwrap();
        live = Registry::default();
        live.restore(&tool(), &state).unwrap();
        prop_assert_eq!(live.state(&tool()).unwrap(), state);
        learn(&mut live, after);
        let learned = |registry: &Registry| {
            let tool = registry.tool(&tool()).unwrap();
            let drift = tool.drift.open().map(|event| (event.path.clone(), event.since)).collect::<Vec<_>>();
            let machines = (0..machines).map(|machine| tool.position_of(u64::from(machine))).collect::<Vec<_>>();
            (tool.shape.to_state(), tool.calls, tool.carriers, tool.last_observed, drift, machines)
        };
        let whole = relearned(&all, &since(from));
        prop_assert_eq!(learned(&live), learned(&whole));
        let mut later = Registry::default();
        learn(&mut later, &all[from as usize..]);
        let shape = later.tool(&tool()).map(|tool| tool.shape.to_state()).unwrap_or_default();
        if from < count {
            prop_assert_eq!(whole.tool(&tool()).unwrap().shape.to_state(), shape);
        }

        let mut never = Registry::default();
        learn(&mut never, &all);
        let undone = relearned(&all, &LearningRules::default());
        prop_assert_eq!(undone.state(&tool()).unwrap(), never.state(&tool()).unwrap());
    }
}
