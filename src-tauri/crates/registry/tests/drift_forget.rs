//! What is known of drift holds no secret once it is known to be one.

use schemascope_model::{CallRecord, IdSource, Origin, Outcome, Timestamp, ToolId};
use schemascope_registry::versions::{Actor, AuditEntry, AuditEvent, ToolVersions, due};
use schemascope_registry::{Registry, state_without_secrets};
use schemascope_shape::Secrets;
use serde_json::value::RawValue;

/// The one secret.
struct Planted;

const SECRET: &str = "hunter2";

impl Secrets for Planted {
    fn key(&self, _: &str) -> bool {
        false
    }

    fn text(&self, text: &str) -> Option<String> {
        text.contains(SECRET).then(|| text.replace(SECRET, "⟦redacted string 7⟧"))
    }

    fn json(&self, json: &str) -> Option<String> {
        self.text(json)
    }

    fn definition(&self, json: &str) -> Option<String> {
        self.text(json)
    }
}

fn tool() -> ToolId {
    "s__t".parse().unwrap()
}

/// A tool that called one of its fields otherwise from some call on; its name of old, and the new one.
fn drifted(old: &str, new: &str) -> Registry {
    let (mut registry, ids) = (Registry::default(), IdSource::new(1, 0));
    for number in 0..140_u64 {
        let at = Timestamp::from_millis(number * 1_000);
        let raw = |text: String| RawValue::from_string(text).unwrap();
        let name = if number < 100 { old } else { new };
        registry.record(&CallRecord {
            arguments: Some(raw(format!("{{\"id\":{number}}}"))),
            result: Some(raw(format!(
                "{{\"content\":[],\"structuredContent\":{{\"id\":{number},\"{name}\":\"x{number}\"}}}}"
            ))),
            ..CallRecord::new(ids.at(at), at, tool(), Outcome::Ok, Origin::Proxy)
        });
    }
    registry
}

fn holds(bytes: &[u8]) -> bool {
    bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes())
}

#[test]
fn a_state_that_tells_of_a_secret_is_watched_anew() {
    for (old, new) in [("hunter2", "plain"), ("plain", "hunter2"), ("plain", "in_hunter2_it")] {
        let registry = drifted(old, new);
        let open: Vec<String> = registry
            .tool(&tool())
            .unwrap()
            .drift
            .open()
            .map(|event| event.change.sentence(&event.path))
            .collect();
        assert_eq!(open, [format!("`{old}` is now `{new}`")]);
        let (id, state) = registry.states().remove(0);
        assert!(holds(&state));
        let clean = state_without_secrets(&state, &Planted).unwrap().unwrap();
        assert!(!holds(&clean), "{}", String::from_utf8_lossy(&clean));
        let mut read = Registry::default();
        read.load(id.clone(), &clean).unwrap();
        let tool = read.tool(&id).unwrap();
        assert_eq!((tool.drift.observations(), tool.shape.observations()), (0, 140));
        // Nothing is left to forget.
        assert_eq!(state_without_secrets(&clean, &Planted).unwrap(), None);
    }
}

#[test]
fn a_state_without_secrets_stays_as_it_is() {
    let (_, state) = drifted("one", "other").states().remove(0);
    assert_eq!(state_without_secrets(&state, &Planted).unwrap(), None);
}

#[test]
fn what_was_told_of_it_forgets_it_too() {
    for (old, new) in [("hunter2", "plain"), ("plain", "hunter2")] {
        let registry = drifted(old, new);
        let (events, more) =
            due(registry.tool(&tool()).unwrap(), &ToolVersions::default(), Timestamp::from_millis(200_000));
        assert_eq!((events.len(), more), (1, false));
        let at = Timestamp::from_millis(1);
        let mut entry = AuditEntry {
            id: IdSource::new(2, 0).at(at),
            at,
            tool_id: tool(),
            actor: Actor::policy(),
            reason: events.first().map(|event| match event {
                AuditEvent::Drift(drift) => drift.change.sentence(&drift.path).into(),
                other => panic!("{other:?}"),
            }),
            observation_count: None,
            quality: None,
            event: events.into_iter().next().unwrap(),
        };
        assert!(holds(&serde_json::to_vec(&entry).unwrap()));
        assert!(entry.forget(&Planted));
        assert!(!holds(&serde_json::to_vec(&entry).unwrap()));
        assert!(!entry.forget(&Planted));
    }
}
