//! The rule for versions that are ready to be promoted.

use schemascope_compare::compare;
use schemascope_model::{
    Change, Evidence, IdSource, Quality, Share, Timestamp, ToolId, TypeName, VersionOrigin,
};
use schemascope_registry::drift::DriftEvent;
use schemascope_registry::versions::{
    Actor, AuditEntry, AuditEvent, Cut, Ledger, ToolVersions, Trial, obstacles,
};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

/// A tool's audit log with its fold.
struct Log {
    ids: IdSource,
    at: u64,
    ledger: Ledger,
}

impl Log {
    fn new() -> Self {
        Self { ids: IdSource::new(1, 0), at: 0, ledger: Ledger::default() }
    }

    fn tool() -> ToolId {
        "shop__get_order".parse().unwrap()
    }

    fn write(&mut self, event: AuditEvent) {
        self.at += 1;
        let at = Timestamp::from_millis(self.at);
        let entry = AuditEntry {
            id: self.ids.at(at),
            at,
            tool_id: Self::tool(),
            actor: Actor::person(None),
            reason: None,
            observation_count: None,
            quality: None,
            event,
        };
        self.ledger.apply(&entry).unwrap();
    }

    fn create(&mut self, origin: VersionOrigin, schema: &Value, observation_count: u64) -> u32 {
        let version = self.versions().next();
        let evidence = Evidence {
            observation_count,
            call_count: observation_count,
            last_observed: None,
            learned_since: None,
            quality: Quality::High,
            mean_consistency: None,
            fields: Vec::new(),
            fields_left_out: 0,
            examples: Vec::new(),
            counter_examples: Vec::new(),
        };
        let cut = Cut { version, origin, schema: to_raw_value(schema).unwrap(), evidence };
        self.write(AuditEvent::Cut(Box::new(cut)));
        version
    }

    fn drift(&mut self, id: u64, began: u64) {
        let share = Share { count: 0, of: 20 };
        let at = Timestamp::from_millis(self.at);
        let change = Change::Retyped { from: TypeName::String, to: TypeName::Object };
        let event = DriftEvent {
            id,
            path: "customer".into(),
            change,
            before: share,
            after: share,
            since: at,
            began,
            at,
            examples: vec![self.ids.at(at)],
        };
        self.write(AuditEvent::Drift(Box::new(event)));
    }

    fn versions(&self) -> ToolVersions {
        self.ledger.tool(&Self::tool()).cloned().unwrap_or_default()
    }

    /// The reasons against a version after as many results that fit, compared with an effective schema.
    fn reasons(&self, version: u32, effective: Option<&Value>, trial: Trial) -> Vec<String> {
        let versions = self.versions();
        let version = versions.version(version).unwrap();
        let comparison = effective.map(|effective| compare(effective, &version.schema));
        let readers = comparison.as_ref().map(|found| (found.output, found.changes.as_slice()));
        let found = obstacles(version, versions.drifts(), readers, trial, 0, 10);
        found.iter().map(ToString::to_string).collect()
    }
}

fn customer(types: &Value) -> Value {
    json!({"type": "object", "properties": {"customer": {"type": types}}, "required": ["customer"]})
}

fn fits(fits: u64) -> Trial {
    Trial { fits, violates: 0 }
}

#[test]
fn first_version_is_ready_after_enough_results_that_fit() {
    let mut log = Log::new();
    let version = log.create(VersionOrigin::Inferred, &customer(&json!("string")), 30);
    assert_eq!(log.reasons(version, None, fits(0)), ["no stored result since it was created; 10 are needed"]);
    assert_eq!(log.reasons(version, None, fits(9)), ["9 stored results since it was created; 10 are needed"]);
    assert!(log.reasons(version, None, fits(10)).is_empty());
    let few = Trial { fits: 19, violates: 1 };
    assert!(log.reasons(version, None, few).is_empty(), "five percent may violate it");
    let many = Trial { fits: 18, violates: 2 };
    let expected = ["2 of 20 results since it was created do not match it"];
    assert_eq!(log.reasons(version, None, many), expected);
}

/// Error texts that no one decided about were learned as results.
#[test]
fn version_learned_from_undecided_texts_is_not_ready() {
    let mut log = Log::new();
    let learned = log.create(VersionOrigin::Inferred, &customer(&json!("string")), 30);
    let told = log.create(VersionOrigin::File, &customer(&json!("string")), 0);
    let versions = log.versions();
    let reasons = |version: u32, undecided: u64| -> Vec<String> {
        let version = versions.version(version).unwrap();
        let found = obstacles(version, versions.drifts(), None, fits(10), undecided, 10);
        found.iter().map(ToString::to_string).collect()
    };
    assert_eq!(reasons(learned, 3), ["3 results may be failures; decide about their texts first"]);
    assert!(reasons(learned, 0).is_empty() && reasons(told, 3).is_empty());
}

/// The version that a drift led to fits all results, as it was learned from them.
#[test]
fn version_that_contains_a_drift_is_not_ready_until_acknowledged() {
    let mut log = Log::new();
    let before = log.create(VersionOrigin::Inferred, &customer(&json!("string")), 60);
    log.drift(1, 61);
    let after = log.create(VersionOrigin::Inferred, &customer(&json!(["string", "object"])), 80);
    let contains = "contains drift 1, not acknowledged: `customer` changed from a string to an object";
    assert_eq!(log.reasons(after, None, fits(50)), [contains]);
    assert!(log.reasons(before, None, fits(50)).is_empty(), "the version before the change");
    log.write(AuditEvent::Acknowledge { drift: 1 });
    assert!(log.reasons(after, None, fits(50)).is_empty());
    let versions = log.versions();
    let contained = versions.drifts().contained_in(versions.version(after).unwrap()).count();
    assert_eq!(contained, 1, "it is still shown");
    log.write(AuditEvent::Unacknowledge { drift: 1 });
    assert_eq!(log.reasons(after, None, fits(50)), [contains]);
}

#[test]
fn version_from_a_file_contains_no_drift() {
    let mut log = Log::new();
    log.drift(1, 61);
    let version = log.create(VersionOrigin::File, &customer(&json!("string")), 80);
    assert!(log.reasons(version, None, fits(50)).is_empty());
}

#[test]
fn version_that_breaks_readers_is_not_ready() {
    let mut log = Log::new();
    let (narrow, wide) = (customer(&json!("string")), customer(&json!(["string", "object"])));
    let version = log.create(VersionOrigin::Inferred, &wide, 80);
    let reasons = log.reasons(version, Some(&narrow), fits(50));
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    assert!(reasons[0].starts_with("breaks readers: ") && reasons[0].contains("customer"), "{reasons:?}");
    let version = log.create(VersionOrigin::Inferred, &narrow, 90);
    assert!(log.reasons(version, Some(&wide), fits(50)).is_empty(), "readers of both lose nothing");
}
