//! What calls and listings make of a tool.

use std::collections::BTreeMap;

use schemascope_model::{CallRecord, Fit, IdSource, Origin, Outcome, Quality, Source, Timestamp, ToolId};
use schemascope_registry::{Registry, Validators};
use schemascope_shape::Policy;
use serde_json::json;
use serde_json::value::RawValue;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn tool() -> ToolId {
    "s__t".parse().unwrap()
}

fn call(result: &str, outcome: Outcome) -> CallRecord {
    let at = Timestamp::from_millis(5);
    CallRecord {
        result: Some(raw(result)),
        ..CallRecord::new(IdSource::new(0, 0).at(at), at, tool(), outcome, Origin::Proxy)
    }
}

fn structured(value: &str) -> String {
    format!("{{\"content\":[],\"structuredContent\":{value}}}")
}

fn observe(registry: &mut Registry, value: &str, times: usize) {
    for _ in 0..times {
        let mut call = call(&structured(value), Outcome::Ok);
        let declared = registry.declared_schema(&tool());
        call.fit = declared.and_then(|schema| {
            Validators::default().judge(&schema, &schemascope_registry::observe(call.result.as_deref()?)?)
        });
        registry.record(&call);
    }
}

#[test]
fn quality_follows_observations_and_consistency() {
    let mut registry = Registry::default();
    for (times, quality) in [
        (1, Quality::Low),
        (8, Quality::Low),
        (1, Quality::Medium),
        (89, Quality::Medium),
        (1, Quality::High),
    ] {
        observe(&mut registry, "{\"a\":1}", times);
        assert_eq!(registry.tool(&tool()).unwrap().standing().quality, quality);
    }
    observe(&mut registry, "{}", 100);
    let standing = registry.tool(&tool()).unwrap().standing();
    assert_eq!((standing.quality, standing.source), (Quality::Medium, Source::Inferred));
}

#[test]
fn errors_teach_nothing_but_are_counted() {
    let mut registry = Registry::default();
    for outcome in [Outcome::ToolError, Outcome::Error, Outcome::Cancelled, Outcome::Lost] {
        registry.record(&call(&structured("{\"a\":1}"), outcome));
    }
    let known = registry.tool(&tool()).unwrap();
    assert_eq!((known.calls, known.failures, known.shape.observations()), (4, 3, 0));
    assert_eq!(known.standing().quality, Quality::None);
    assert_eq!(known.standing().source, Source::Unknown);
}

/// A misspelt name leads to a recorded failure, not to a tool.
#[test]
fn a_name_that_gave_but_errors_is_no_tool() {
    let mut registry = Registry::default();
    registry.record(&call("{}", Outcome::Error));
    registry.record(&call("{}", Outcome::Lost));
    // As many servers answer names that they do not know.
    registry.record(&call("{}", Outcome::ToolError));
    assert!(!registry.tool(&tool()).unwrap().exists());
    registry.record(&call("{}", Outcome::Ok));
    assert!(registry.tool(&tool()).unwrap().exists());
}

#[test]
fn a_declaration_holds_until_it_is_violated() {
    let mut registry = Registry::default();
    let definition = r#"{"name":"t","outputSchema":{"type":"object","properties":{"a":{"type":"integer"}}}}"#;
    let listed = BTreeMap::from([(tool(), raw(definition))]);
    let changes = registry.compare("s", &listed);
    assert_eq!(changes.len(), 1);
    registry.declare(&tool(), Timestamp::from_millis(1), changes[0].definition.clone());
    assert!(registry.compare("s", &listed).is_empty());
    let standing = |registry: &Registry| registry.tool(&tool()).unwrap().standing();
    assert_eq!((standing(&registry).source, standing(&registry).quality), (Source::Declared, Quality::High));
    observe(&mut registry, "{\"a\":1}", 19);
    observe(&mut registry, "{\"a\":\"x\"}", 1);
    assert_eq!((standing(&registry).source, standing(&registry).quality), (Source::Hybrid, Quality::High));
    observe(&mut registry, "{\"a\":\"x\"}", 1);
    assert_eq!((standing(&registry).violated, standing(&registry).quality), (true, Quality::Medium));
    let gone = registry.compare("s", &BTreeMap::new());
    assert!(gone[0].definition.is_none());
    assert!(registry.compare("other", &BTreeMap::new()).is_empty());
}

#[test]
fn redacted_values_count_with_their_own_type() {
    let mut registry = Registry::default();
    observe(&mut registry, r#"{"password":"⟦redacted string 9⟧","pin":"⟦redacted integer⟧"}"#, 1);
    observe(&mut registry, r#"{"password":"⟦redacted string 3⟧","pin":"⟦redacted number⟧"}"#, 1);
    let schema = registry.tool(&tool()).unwrap().shape.schema(&Policy::default());
    assert_eq!(schema["properties"], json!({"password": {"type": "string"}, "pin": {"type": "number"}}));
}

#[test]
fn states_round_trip_and_only_changes_are_unsaved() {
    let mut registry = Registry::default();
    registry.declare(
        &tool(),
        Timestamp::from_millis(1),
        Some(raw(r#"{"name":"t","n":1.10,"outputSchema":{}}"#)),
    );
    observe(&mut registry, "{\"a\":[1,null]}", 3);
    registry.record(&call("{}", Outcome::Error));
    let states = registry.take_unsaved();
    assert_eq!(states, registry.states());
    assert!(registry.take_unsaved().is_empty());
    let mut restored = Registry::default();
    for (id, state) in states.clone() {
        restored.load(id, &state).unwrap();
    }
    assert_eq!(restored.states(), states);
    assert_eq!(restored.tool(&tool()).unwrap().standing(), registry.tool(&tool()).unwrap().standing());
    assert!(restored.load(tool(), b"{\"version\":2}").is_err());
}

/// After a promotion the share of results that fit the declared schema stood still.
#[test]
fn declared_schema_is_counted_while_another_is_effective() {
    let mut registry = Registry::default();
    let definition = json!({"name": "t", "outputSchema": {"type": "object", "required": ["a"]}});
    registry.declare(&tool(), Timestamp::from_millis(1), Some(raw(&definition.to_string())));
    let declared = registry.declared_schema(&tool()).unwrap();
    for value in ["{\"a\":1}", "{}", "{\"a\":2}"] {
        let mut call = call(&structured(value), Outcome::Ok);
        let observed = schemascope_registry::observe(call.result.as_deref().unwrap()).unwrap();
        let fit = Validators::default().judge(&declared, &observed);
        call.fit = Some(Fit { schema: "v2".into(), fits: true, rule: None });
        call.declared_fit = fit.clone();
        registry.record(&call);
        // A version that is the declared schema counts once.
        call.fit = fit;
        registry.record(&call);
    }
    let counts = registry.tool(&tool()).unwrap().declared_fits().unwrap();
    assert_eq!((counts.fits, counts.violates), (4, 2));
}
