//! What is drift, and what is none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use schemascope_model::{IdSource, Timestamp};
use schemascope_registry::drift::{Change, Conformity, Drift, DriftEvent, Notice, Sighting, TypeName};

/// A tool that is called.
struct Watched {
    drift: Drift,
    ids: IdSource,
    calls: u64,
    raised: Vec<DriftEvent>,
    returned: Vec<DriftEvent>,
}

impl Watched {
    fn new() -> Self {
        let drift = Drift::default();
        Self { drift, ids: IdSource::new(0, 0), calls: 0, raised: Vec::new(), returned: Vec::new() }
    }

    fn see(&mut self, arguments: &str, document: &str, conformity: Conformity<'_>) {
        self.calls += 1;
        let at = Timestamp::from_millis(self.calls * 60_000);
        let call = self.ids.at(at);
        let arguments = Some(arguments);
        for notice in self.drift.observe(&Sighting { call, at, arguments, document, conformity }) {
            match notice {
                Notice::Raised(event) => self.raised.push(event),
                Notice::Returned(event) => self.returned.push(event),
            }
        }
    }

    /// So many calls, each for something else.
    fn calls(&mut self, count: u64, document: impl Fn(u64) -> String) {
        for _ in 0..count {
            let number = self.calls;
            self.see(&format!("{{\"id\":{number}}}"), &document(number), Conformity::Unknown);
        }
    }

    /// The only drift told.
    #[track_caller]
    fn only(&self) -> &DriftEvent {
        assert_eq!(self.raised.len(), 1, "{:?}", self.raised);
        &self.raised[0]
    }
}

/// Two thirds of the time like that: a cheap hash, so that neither parity nor runs play a part.
fn mostly(number: u64) -> bool {
    !(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40).is_multiple_of(6)
}

fn user(number: u64) -> String {
    let note = if mostly(number) { ",\"note\":\"n\"" } else { "" };
    format!("{{\"id\":{number},\"name\":\"n{number}\",\"tags\":[{{\"label\":\"x{number}\"}}]{note}}}")
}

#[track_caller]
fn becomes(document: impl Fn(u64) -> String, path: &str, change: &Change) {
    let mut tool = Watched::new();
    tool.calls(150, user);
    tool.calls(30, document);
    let event = tool.only();
    assert_eq!((event.path.as_str(), &event.change), (path, change));
    assert_eq!(event.examples.len(), 3);
    assert!(event.before.count > event.before.of / 2 && event.after.count == 0, "{event:?}");
    assert!(event.since < event.at);
}

#[test]
fn each_kind_of_change_is_told() {
    becomes(
        |n| user(n).replace("\"name\":", "\"title\":"),
        "$.name",
        &Change::Renamed { to: "$.title".into() },
    );
    becomes(|n| user(n).replace(",\"note\":\"n\"", ""), "$.note", &Change::Removed);
    becomes(|n| user(n).replace("{\"id\"", "{\"more\":1,\"id\""), "$.more", &Change::Appeared);
    becomes(|n| user(n).replace(&format!("\"x{n}\""), "null"), "$.tags[].label", &Change::BecameNull);
    let retyped = Change::Retyped { from: TypeName::String, to: TypeName::Number };
    becomes(|n| user(n).replace(&format!("\"n{n}\""), "7"), "$.name", &retyped);
    let list = Change::Retyped { from: TypeName::Object, to: TypeName::Array };
    becomes(|n| format!("[{}]", user(n)), "$", &list);
}

#[test]
fn a_tool_without_arguments_that_returns_the_same_each_time_drifts_too() {
    for same in [true, false] {
        let document =
            |n: u64| format!("{{\"ok\":true,\"load\":{},\"zone\":\"eu\"}}", if same { 1 } else { n });
        let mut tool = Watched::new();
        (0..200).for_each(|n| tool.see("{}", &document(n), Conformity::Unknown));
        (200..230)
            .for_each(|n| tool.see("{}", &document(n).replace(",\"zone\":\"eu\"", ""), Conformity::Unknown));
        assert_eq!((tool.only().path.as_str(), &tool.only().change), ("$.zone", &Change::Removed));
    }
}

#[test]
fn rules_that_were_kept_and_are_broken_are_told() {
    let mut tool = Watched::new();
    let mut conformity = Conformity::Fits;
    for number in 0..80 {
        if number == 50 {
            conformity = Conformity::Breaks("required: name");
        }
        tool.see(&format!("{{\"id\":{number}}}"), &user(number), conformity);
    }
    assert_eq!((tool.only().path.as_str(), &tool.only().change), ("required: name", &Change::Violated));
    assert_eq!(tool.drift.schema_changed().len(), 1);
    assert_eq!(tool.drift.open().count(), 0);
}

#[test]
fn it_is_told_once_until_it_is_over() {
    let without = |n: u64| user(n).replace("\"name\":", "\"title\":");
    let mut tool = Watched::new();
    tool.calls(150, user);
    tool.calls(500, without);
    let id = tool.only().id;
    assert!(tool.drift.acknowledge(id) && !tool.drift.acknowledge(id + 1));
    assert!(tool.drift.open().all(|event| event.acknowledged));
    tool.calls(30, user);
    assert_eq!(tool.returned.len(), 1);
    assert_eq!(tool.drift.open().count(), 0);
    tool.calls(30, without);
    assert_eq!(tool.raised.len(), 2);
    assert_ne!(tool.raised[1].id, id);
}

#[test]
fn what_is_accepted_is_the_usual_from_then_on() {
    let without = |n: u64| user(n).replace("\"name\":", "\"title\":");
    let mut tool = Watched::new();
    tool.calls(150, user);
    tool.calls(60, without);
    assert!(tool.drift.accept(tool.only().id).is_some());
    tool.calls(300, without);
    assert_eq!((tool.raised.len(), tool.returned.len()), (1, 0));
    tool.calls(40, user);
    assert_eq!(tool.raised.len(), 2);
}

#[track_caller]
fn is_none(calls: impl IntoIterator<Item = (String, String)>) {
    let mut tool = Watched::new();
    for (arguments, document) in calls {
        tool.see(&arguments, &document, Conformity::Unknown);
    }
    assert_eq!(tool.raised, []);
}

#[test]
fn other_arguments_are_no_drift() {
    let call = |n: u64| match n {
        0..200 => (format!("{{\"id\":{n}}}"), user(n)),
        _ => (format!("{{\"id\":{n},\"format\":\"brief\"}}"), format!("{{\"brief\":{n}}}")),
    };
    is_none((0..400).map(call));
    let other_kind = |n: u64| match n {
        0..200 => (format!("{{\"key\":\"user_{n}\"}}"), user(n)),
        _ => (format!("{{\"key\":\"order_{n}\"}}"), format!("{{\"total\":{n},\"lines\":[]}}")),
    };
    is_none((0..400).map(other_kind));
}

#[test]
fn asking_for_the_same_again_and_again_is_no_drift() {
    let bare = (0..300).filter(|n| !mostly(*n)).take(3).collect::<Vec<_>>();
    let polled = bare.into_iter().flat_map(|n| std::iter::repeat_n(n, 200));
    is_none((1_000..1_150).chain(polled).map(|n| (format!("{{\"id\":{n}}}"), user(n))));
}

#[test]
fn keys_that_are_data_are_no_drift() {
    let word = |n: u64| ["oak", "elm", "ash", "fir", "yew", "bay"][(n % 6) as usize];
    let map = |n: u64| {
        let words = (0..4).map(|at| format!("\"{}{}\":{n}", word(n * 7 + at * 5), word(n / 9 + at)));
        format!("{{\"counts\":{{{}}},\"2026-{n}\":1}}", words.collect::<Vec<_>>().join(","))
    };
    is_none((0..600).map(|n| (format!("{{\"id\":{n}}}"), map(n))));
}

#[test]
fn neither_the_length_of_arrays_nor_slow_change_is_drift() {
    let list = |n: u64| {
        let length = if n < 300 { 1 + n % 40 } else { n % 2 };
        let items =
            (0..length).map(|at| format!("{{\"a\":1{}}}", if mostly(n * 50 + at) { ",\"b\":2" } else { "" }));
        format!("{{\"items\":[{}]}}", items.collect::<Vec<_>>().join(","))
    };
    is_none((0..600).map(|n| (format!("{{\"id\":{n}}}"), list(n))));
    let slow = |n: u64| {
        let there = (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) % 4_000 > n;
        format!("{{\"id\":{n}{}}}", if there { ",\"old\":1" } else { "" })
    };
    is_none((0..4_000).map(|n| (format!("{{\"id\":{n}}}"), slow(n))));
}

#[test]
fn a_redacted_value_has_the_type_it_stands_for() {
    let mut tool = Watched::new();
    tool.calls(150, |n| format!("{{\"id\":{n},\"pin\":{n}}}"));
    tool.calls(60, |n| format!("{{\"id\":{n},\"pin\":\"⟦redacted integer⟧\"}}"));
    assert_eq!(tool.raised, []);
}
