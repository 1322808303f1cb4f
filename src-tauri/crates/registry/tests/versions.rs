//! Laws of versions and decisions: state is the fold of the log, and nonsense changes nothing.

use proptest::prelude::*;
use schemascope_model::{
    CallRecord, Evidence, IdSource, Origin, Outcome, Quality, Timestamp, ToolId, VersionOrigin, VersionState,
};
use schemascope_registry::Registry;
use schemascope_registry::versions::{
    Actor, AuditEntry, AuditEvent, Cut, Draft, Form, InForce, Ledger, Refused, ToolVersions, Wish,
};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

/// A log with its fold, as an engine keeps them.
struct Books {
    ids: IdSource,
    log: Vec<Vec<u8>>,
    ledger: Ledger,
}

fn tool() -> ToolId {
    "s__t".parse().unwrap()
}

fn no_evidence(quality: Quality) -> Evidence {
    Evidence {
        observation_count: 1,
        call_count: 1,
        last_observed: None,
        learned_since: None,
        quality,
        mean_consistency: None,
        fields: Vec::new(),
        fields_left_out: 0,
        examples: Vec::new(),
        counter_examples: Vec::new(),
    }
}

impl Books {
    fn new() -> Self {
        Self { ids: IdSource::new(7, 0), log: Vec::new(), ledger: Ledger::default() }
    }

    fn write(&mut self, actor: Actor, event: AuditEvent) -> Result<(), Refused> {
        let at = Timestamp::from_millis(self.log.len() as u64);
        let entry = AuditEntry {
            id: self.ids.at(at),
            at,
            tool_id: tool(),
            actor,
            reason: None,
            observation_count: None,
            quality: None,
            event,
        };
        let before = self.ledger.clone();
        let done = self.ledger.apply(&entry);
        match done {
            Ok(()) => self.log.push(serde_json::to_vec(&entry).unwrap()),
            Err(_) => assert_eq!(self.ledger, before, "what is refused changes nothing"),
        }
        done
    }

    fn wish(&mut self, wish: Wish) -> Result<(), Refused> {
        let event = self.ledger.resolve(&tool(), wish)?;
        self.write(Actor::person(None), event)
    }

    fn cut(&mut self, form: u8) -> u32 {
        self.cut_from(VersionOrigin::Inferred, form)
    }

    fn cut_from(&mut self, origin: VersionOrigin, form: u8) -> u32 {
        let version = self.versions().newest().map_or(0, |newest| newest.number) + 1;
        let cut = Cut {
            version,
            origin,
            schema: to_raw_value(&json!({"const": form})).unwrap(),
            evidence: no_evidence(Quality::High),
        };
        self.write(Actor::policy(), AuditEvent::Cut(Box::new(cut))).unwrap();
        version
    }

    fn cut_draft(&mut self, draft: &Draft) {
        let cut = Cut {
            version: self.versions().next(),
            origin: VersionOrigin::Inferred,
            schema: to_raw_value(&draft.schema).unwrap(),
            evidence: draft.evidence.clone(),
        };
        self.write(Actor::policy(), AuditEvent::Cut(Box::new(cut))).unwrap();
    }

    fn versions(&self) -> ToolVersions {
        self.ledger.tool(&tool()).cloned().unwrap_or_default()
    }

    fn in_force(&self) -> Option<u32> {
        self.versions().in_force().map(|in_force| in_force.version().number)
    }

    fn states(&self) -> Vec<VersionState> {
        let versions = self.versions();
        versions.versions().map(|version| versions.state(version.number)).collect()
    }
}

fn replayed(log: &[Vec<u8>]) -> Ledger {
    let mut ledger = Ledger::default();
    log.iter().for_each(|entry| ledger.apply(&serde_json::from_slice(entry).unwrap()).unwrap());
    ledger
}

#[derive(Debug, Clone)]
enum Act {
    Cut(u8),
    Wish(Wish),
    Policy(u32),
    Turn(bool),
}

fn act() -> impl Strategy<Value = Act> {
    let version = || prop::option::of(0u32..8);
    prop_oneof![
        3 => (0u8..4).prop_map(Act::Cut),
        3 => version().prop_map(|version| Act::Wish(Wish::Promote(version))),
        2 => (version(), any::<bool>()).prop_map(|(version, enforced)| Act::Wish(Wish::Pin { version, enforced })),
        1 => Just(Act::Wish(Wish::Unpin)),
        2 => version().prop_map(|version| Act::Wish(Wish::Reject(version))),
        2 => version().prop_map(|version| Act::Wish(Wish::Rollback(version))),
        2 => Just(Act::Wish(Wish::Undo)),
        2 => (0u32..8).prop_map(Act::Policy),
        1 => any::<bool>().prop_map(Act::Turn),
    ]
}

proptest! {
    /// The same log gives the same state, live or replayed, and so does every beginning of it.
    #[test]
    fn state_is_the_fold_of_the_log(acts in prop::collection::vec(act(), 0..60)) {
        let mut books = Books::new();
        let mut live = vec![books.ledger.clone()];
        for act in acts {
            let before = books.versions();
            let written = books.log.len();
            let done = match act {
                Act::Cut(form) => { books.cut(form); Ok(()) }
                Act::Wish(wish) => books.wish(wish),
                Act::Policy(version) => books.write(Actor::policy(), AuditEvent::Promote { version }),
                Act::Turn(true) => books.write(Actor::policy(), AuditEvent::Suspend {}),
                Act::Turn(false) => books.write(Actor::policy(), AuditEvent::Restore {}),
            };
            let after = books.versions();
            if let Err(refused) = done {
                prop_assert!(!refused.to_string().is_empty());
                prop_assert_eq!(&after, &before);
                prop_assert_eq!(books.log.len(), written);
            } else {
                prop_assert_eq!(books.log.len(), written + 1);
                live.push(books.ledger.clone());
            }
            // The version in effect is kept, is not rejected, and follows from pins and promotions.
            if let Some(number) = after.decided().in_force() {
                let state = after.state(number);
                prop_assert!(after.version(number).is_ok());
                prop_assert_ne!(state, VersionState::Rejected);
                prop_assert!(state == VersionState::Promoted || after.decided().pinned.is_some());
            }
            let candidates = after.versions().filter(|version| after.state(version.number) == VersionState::Candidate);
            prop_assert!(candidates.count() <= 1);
        }
        for (length, expect) in live.iter().enumerate() {
            prop_assert_eq!(&replayed(&books.log[..length]), expect);
        }
    }

    /// Undoing all decisions, one after the other, ends where nothing was decided.
    #[test]
    fn every_decision_can_be_undone(acts in prop::collection::vec(act(), 0..40)) {
        let mut books = Books::new();
        for form in 0..4 {
            books.cut(form);
        }
        let mut stood = vec![books.versions().decided().clone()];
        for act in acts {
            if let Act::Wish(wish) = act && wish != Wish::Undo && books.wish(wish).is_ok() {
                stood.push(books.versions().decided().clone());
            }
        }
        while let Some(expect) = stood.pop() {
            let versions = books.versions();
            prop_assert_eq!(versions.decided(), &expect);
            prop_assert_eq!(books.wish(Wish::Undo).is_ok(), !stood.is_empty());
        }
    }

    /// A policy brings nothing back that a person rejected or took back.
    #[test]
    fn policies_leave_alone_what_persons_took_back(acts in prop::collection::vec(act(), 0..40)) {
        let mut books = Books::new();
        let version = books.cut(9);
        books.wish(Wish::Promote(None)).unwrap();
        books.wish(Wish::Rollback(None)).unwrap();
        for act in acts {
            match act {
                Act::Cut(_) => {
                    books.cut(9);
                }
                Act::Policy(version) => {
                    let done = books.write(Actor::policy(), AuditEvent::Promote { version });
                    prop_assert!(done.is_err());
                }
                _ => {}
            }
        }
        prop_assert_eq!(books.in_force(), None);
        prop_assert_eq!(books.versions().state(version) == VersionState::Promoted, false);
        // The person may.
        books.wish(Wish::Promote(Some(version))).unwrap();
        prop_assert_eq!(books.in_force(), Some(version));
    }
}

#[test]
fn a_story_of_decisions() {
    use VersionState::{Candidate, Promoted, Rejected, Superseded};
    let mut books = Books::new();
    assert_eq!(books.wish(Wish::Promote(None)), Err(Refused::NoVersions));
    assert_eq!(books.wish(Wish::Unpin), Err(Refused::NotPinned));
    books.cut(1);
    assert_eq!(books.states(), [Candidate]);
    books.wish(Wish::Promote(None)).unwrap();
    assert_eq!(books.wish(Wish::Promote(Some(1))), Err(Refused::IsPromoted(1)));
    books.cut(2);
    books.cut(3);
    assert_eq!(books.states(), [Promoted, Superseded, Candidate]);
    assert_eq!(books.wish(Wish::Reject(Some(1))), Err(Refused::InForce(1)));
    books.wish(Wish::Reject(None)).unwrap();
    assert_eq!(books.states(), [Promoted, Superseded, Rejected]);
    assert_eq!(
        books.wish(Wish::Promote(None)).unwrap_err().to_string(),
        "no candidate waits for a decision; name a version: 1, 2, 3"
    );
    assert_eq!(books.wish(Wish::Pin { version: Some(3), enforced: false }), Err(Refused::WasRejected(3)));
    // A person may change their mind.
    books.wish(Wish::Promote(Some(3))).unwrap();
    assert_eq!(books.states(), [Superseded, Superseded, Promoted]);
    books.wish(Wish::Pin { version: None, enforced: true }).unwrap();
    assert!(matches!(books.versions().in_force(), Some(InForce::Enforced(version)) if version.number == 3));
    books.wish(Wish::Promote(Some(2))).unwrap();
    assert_eq!(books.in_force(), Some(3), "what is pinned stays");
    assert_eq!(books.wish(Wish::Rollback(None)), Err(Refused::PinnedBefore { pinned: 3, promoted: 2 }));
    books.wish(Wish::Unpin).unwrap();
    assert_eq!(books.in_force(), Some(2));
    books.wish(Wish::Rollback(None)).unwrap();
    assert_eq!(books.in_force(), Some(3));
    assert_eq!(
        books.wish(Wish::Rollback(Some(2))).unwrap_err().to_string(),
        "version 2 was not promoted before; promote it instead; those that were: 1"
    );
    books.wish(Wish::Rollback(Some(1))).unwrap();
    assert_eq!(books.in_force(), Some(1));
    books.wish(Wish::Rollback(None)).unwrap();
    assert_eq!((books.in_force(), books.wish(Wish::Rollback(None))), (None, Err(Refused::NothingInForce)));
    assert_eq!(
        books.wish(Wish::Promote(Some(9))).unwrap_err().to_string(),
        "there is no version 9; there are: 1, 2, 3"
    );
    books.wish(Wish::Undo).unwrap();
    assert_eq!(books.in_force(), Some(1));
}

#[test]
fn what_decisions_rest_on_is_kept_and_the_rest_bounded() {
    let mut books = Books::new();
    books.cut(0);
    books.wish(Wish::Promote(Some(1))).unwrap();
    for form in 0..200 {
        books.cut(form);
    }
    let versions = books.versions();
    assert_eq!((versions.versions().count(), versions.dropped()), (50, 151));
    assert_eq!(books.in_force(), Some(1));
    let error = books.wish(Wish::Promote(Some(2))).unwrap_err().to_string();
    assert!(error.contains("…, 190,") && error.contains("151 older ones are not kept"), "{error}");
}

fn call(ids: &IdSource, at: u64, value: &serde_json::Value) -> CallRecord {
    let result =
        RawValue::from_string(json!({"content": [], "structuredContent": value}).to_string()).unwrap();
    let at = Timestamp::from_millis(at);
    CallRecord { result: Some(result), ..CallRecord::new(ids.at(at), at, tool(), Outcome::Ok, Origin::Proxy) }
}

/// A kill between the draft of the first version and the version itself, after which the schema is another one.
#[test]
fn first_version_is_not_lost_by_a_kill() {
    let ids = IdSource::new(0, 0);
    let mut registry = Registry::default();
    let known = (0..20).find(|n| {
        registry.record(&call(&ids, *n, &json!({"id": n})));
        !registry.take_drafts().is_empty()
    });
    let next = known.unwrap() + 1;
    let changed = |n: u64| call(&ids, n, &json!({"id": n, "more": format!("m{n}")}));
    let mut resumed = Registry::default();
    for (id, state) in registry.states() {
        resumed.load(id, &state).unwrap();
    }
    resumed.record(&changed(next));
    assert!(resumed.take_drafts().is_empty(), "the new schema has not held");
    let resumed_at = resumed.tool(&tool()).unwrap().form.digest().to_owned();
    assert_eq!(resumed.redraft(&tool(), false), None);
    let draft = resumed.redraft(&tool(), true).unwrap();
    assert_eq!((draft.evidence.observation_count, &*draft.digest), (next + 1, &*resumed_at));
    // It is what was drafted last now.
    assert!(resumed.tool(&tool()).unwrap().form.was_drafted(&draft.digest));
}

/// A version is drafted early, then whenever another form has held, and never for what passes.
#[test]
fn a_form_that_held_becomes_a_version() {
    let ids = IdSource::new(0, 0);
    let calls: Vec<CallRecord> = (0..140u64)
        .map(|n| {
            let mut value = json!({"id": n, "name": format!("n{n}")});
            if n >= 60 {
                value["more"] = json!(format!("m{n}"));
            }
            call(&ids, n, &value)
        })
        .collect();
    let mut registry = Registry::default();
    let (mut drafts, mut half_way) = (Vec::new(), None);
    for (n, call) in calls.iter().enumerate() {
        if n == 70 {
            half_way = Some(registry.states());
        }
        registry.record(call);
        drafts.extend(registry.take_drafts().into_values().flatten());
    }
    let at: Vec<u64> = drafts.iter().map(|draft| draft.evidence.observation_count).collect();
    assert!(at[0] <= 10, "a first version comes early: {at:?}");
    assert!(at.iter().any(|n| (61..=80).contains(n)), "a change that holds makes one: {at:?}");
    assert!(at.len() <= 5, "and what passes makes none: {at:?}");
    let newest = drafts.last().unwrap();
    assert_eq!(newest.schema["properties"]["more"]["type"], "string");
    assert!(newest.evidence.fields.iter().any(|field| field.path == "more" && !field.required));

    // All at once, or from a state in between, it is the same ones.
    let mut at_once = Registry::default();
    calls.iter().for_each(|call| at_once.record(call));
    assert_eq!(Vec::from(at_once.take_drafts().remove(&tool()).unwrap()), drafts);
    let mut resumed = Registry::default();
    for (id, state) in half_way.unwrap() {
        resumed.load(id, &state).unwrap();
    }
    calls[70..].iter().for_each(|call| resumed.record(call));
    let behind = drafts.iter().filter(|draft| draft.evidence.observation_count > 70).cloned();
    assert_eq!(
        resumed.take_drafts().remove(&tool()).map(Vec::from).unwrap_or_default(),
        behind.collect::<Vec<_>>()
    );

    // Drafted again by a replay they are not cut again, and neither is what was rejected.
    let mut books = Books::new();
    for draft in &drafts {
        assert!(books.versions().wants(draft));
        books.cut_draft(draft);
    }
    assert!(drafts.iter().all(|draft| !books.versions().wants(draft)));
    books.wish(Wish::Reject(Some(1))).unwrap();
    let mut again = drafts[0].clone();
    again.evidence.observation_count = 1_000;
    assert!(!books.versions().wants(&again));
}

/// What was learned here waits on when a schema from elsewhere came after it; then it must be said which is meant.
#[test]
fn import_waits_beside_the_version_that_was_learned_here() {
    use VersionState::{Candidate, Promoted, Rejected, Superseded};
    let mut books = Books::new();
    books.cut(1);
    books.cut_from(VersionOrigin::Import, 2);
    assert_eq!((books.states(), books.versions().candidate()), (vec![Candidate, Candidate], Some(2)));
    let which = Refused::SeveralCandidates { learned: 1, elsewhere: 2 };
    assert_eq!(books.wish(Wish::Promote(None)), Err(which));
    books.wish(Wish::Promote(Some(2))).unwrap();
    assert_eq!(books.states(), [Superseded, Promoted]);
    books.wish(Wish::Undo).unwrap();
    books.wish(Wish::Reject(Some(2))).unwrap();
    assert_eq!(books.states(), [Candidate, Rejected]);
    books.wish(Wish::Promote(None)).unwrap();
    assert_eq!(books.states(), [Promoted, Rejected]);
    // One that is learned here and rejected leaves nothing.
    books.cut(3);
    books.cut(4);
    books.wish(Wish::Reject(None)).unwrap();
    assert_eq!(books.states(), [Promoted, Rejected, Superseded, Rejected]);
}

/// A decision that brings another schema into force ends a suspension, and so does undoing one.
#[test]
fn undo_ends_a_suspension() {
    let mut books = Books::new();
    books.cut(1);
    books.wish(Wish::Promote(None)).unwrap();
    books.cut(2);
    books.wish(Wish::Promote(None)).unwrap();
    books.write(Actor::policy(), AuditEvent::Suspend {}).unwrap();
    assert!(books.versions().is_suspended());
    books.wish(Wish::Undo).unwrap();
    assert_eq!((books.in_force(), books.versions().is_suspended()), (Some(1), false));
}

/// An imported schema waits for a person, even if it is what is inferred here.
#[test]
fn policy_does_not_promote_an_imported_version() {
    let mut books = Books::new();
    for (origin, promoted) in [(VersionOrigin::Import, None), (VersionOrigin::Inferred, Some(2))] {
        books.cut_from(origin, 1);
        let versions = books.versions();
        let digest = &versions.newest().unwrap().digest;
        let form = json!({"digest": digest, "since": 0, "looked": 0, "drafted": null});
        let form: Form = serde_json::from_value(form).unwrap();
        assert_eq!(versions.to_promote(&form, || Quality::High), promoted);
    }
}
