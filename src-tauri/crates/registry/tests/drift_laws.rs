//! Laws of telling drift: a fold, bounded, whatever it is fed.

use std::fmt::Write as _;

use proptest::prelude::*;
use schemascope_model::{IdSource, Timestamp};
use schemascope_registry::drift::{Conformity, Drift, Notice, Sighting};

/// Bytes a state may have.
const MAX_STATE: usize = 64 * 1024;

#[derive(Debug, Clone)]
struct Call {
    arguments: String,
    document: String,
    breaks: Option<u8>,
}

/// Feeds calls numbered from `from`.
fn feed(drift: &mut Drift, calls: &[Call], from: u64) -> Vec<Notice> {
    let mut told = Vec::new();
    for (number, call) in (from..).zip(calls) {
        let at = Timestamp::from_millis(number * 1_000);
        let rule = call.breaks.map(|rule| format!("rule {rule}"));
        told.extend(
            drift.observe(&Sighting {
                call: IdSource::new(0, number as u32).at(at),
                at,
                arguments: Some(&call.arguments),
                document: &call.document,
                conformity: rule
                    .as_deref()
                    .map_or(Conformity::Fits("a"), |rule| Conformity::Breaks { schema: "a", rule }),
            }),
        );
    }
    told
}

/// Calls of a tool that changes now and then, so that something is suspected and told.
fn calls() -> impl Strategy<Value = Vec<Call>> {
    let call = (0..40_u32, 0..3_u8, prop::bits::u8::ANY, prop::option::weighted(0.1, 0..3_u8));
    let stretch = (prop::collection::vec(call, 1..60), prop::bits::u8::ANY);
    prop::collection::vec(stretch, 1..6).prop_map(|stretches| {
        let mut calls = Vec::new();
        for (stretch, there) in stretches {
            for (id, kind, chance, breaks) in stretch {
                let mut document = format!("{{\"id\":{id}");
                for bit in 0..8 {
                    if there >> bit & 1 == 1 && (chance >> bit & 1 == 1 || bit < 5) {
                        let value =
                            if bit % 3 == 2 { "{\"deep\":[{\"x\":1},{\"x\":null}]}" } else { "\"text\"" };
                        let _ = write!(document, ",\"f{bit}\":{value}");
                    }
                }
                document.push('}');
                calls.push(Call { arguments: format!("{{\"id\":{id},\"kind\":{kind}}}"), document, breaks });
            }
        }
        calls
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn written_and_read_back_it_goes_on_as_if_nothing_were(calls in calls(), at in any::<prop::sample::Index>()) {
        let at = at.index(calls.len() + 1);
        let mut straight = Drift::default();
        let all = feed(&mut straight, &calls, 0);
        let mut split = Drift::default();
        let mut told = feed(&mut split, &calls[..at], 0);
        let state = split.to_state();
        prop_assert!(state.len() <= MAX_STATE);
        let mut split = Drift::from_state(&state).unwrap();
        prop_assert_eq!(split.to_state(), state);
        told.extend(feed(&mut split, &calls[at..], at as u64));
        prop_assert_eq!(told, all);
        prop_assert_eq!(split.to_state(), straight.to_state());
    }

    #[test]
    fn anything_may_come(documents in prop::collection::vec(".{0,60}|[\\[\\]{}\",:0-9a-z ]{0,80}", 1..40)) {
        let call = |text: String| Call { arguments: text.clone(), document: text, breaks: None };
        let calls: Vec<Call> = documents.into_iter().map(call).collect();
        let mut drift = Drift::default();
        feed(&mut drift, &calls, 0);
        let state = drift.to_state();
        prop_assert_eq!(Drift::from_state(&state).unwrap().to_state(), state);
    }

    #[test]
    fn a_damaged_state_is_refused_or_harmless(calls in calls(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut drift = Drift::default();
        feed(&mut drift, &calls, 0);
        let mut state = drift.to_state();
        let at = at.index(state.len());
        state[at] = byte;
        if let Ok(mut drift) = Drift::from_state(&state) {
            feed(&mut drift, &calls, 1_000);
            drift.to_state();
        }
    }
}

/// Everything that is bounded is filled.
#[test]
fn its_state_is_bounded() {
    let mut drift = Drift::default();
    let name = |number: usize, length: usize| format!("{}_{}", "k".repeat(length), letters(number));
    for round in 0..45_usize {
        let mut document = String::from("{\"records\":[{");
        for field in 0..150 {
            let value = ["1", "\"t\"", "null", "[1]", "{\"a\":true,\"b\":[{}]}"][(round / 7 + field) % 5];
            let _ = write!(document, "\"{}\":{value},", name(field, 12));
        }
        let _ = write!(document, "\"end\":1}}],\"maps\":{{\"{}\":1}}}}", name(round, 40));
        let calls: Vec<Call> = (0..20)
            .map(|class| Call {
                arguments: format!("{{\"kind\":{},\"form\":\"{}\"}}", class % 4, letters(class % 5)),
                document: document.clone(),
                breaks: Some((round % 40) as u8),
            })
            .collect();
        feed(&mut drift, &calls, round as u64 * 20);
        let state = drift.to_state();
        assert!(state.len() <= MAX_STATE, "{} bytes after {round}", state.len());
    }
    Drift::from_state(&drift.to_state()).unwrap();
}

fn letters(number: usize) -> String {
    [number / 26, number % 26].iter().map(|digit| char::from(b'a' + (*digit % 26) as u8)).collect()
}

#[test]
fn hostile_documents_do_no_harm() {
    let deep = format!("{}1{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    let nested = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(30_000));
    let many: Vec<String> = (0..20_000).map(|n| format!("\"{}{n:x}\":{n}", letters(n))).collect();
    let many = format!("{{{}}}", many.join(","));
    let long = format!("[{}1]", "{\"a\":[1,2]},".repeat(30_000));
    let call = |document: String| Call { arguments: "{}".to_owned(), document, breaks: None };
    let calls = [deep, nested, many, long].map(call);
    let mut drift = Drift::default();
    feed(&mut drift, &calls, 0);
    assert!(drift.not_watched() > 0 || drift.to_state().len() < MAX_STATE);
    assert!(drift.to_state().len() <= MAX_STATE);
}

#[test]
fn other_states_are_refused() {
    let state = String::from_utf8(Drift::default().to_state()).unwrap();
    let refused = |state: &str| Drift::from_state(state.as_bytes()).unwrap_err().to_string();
    assert!(refused(&state.replace("\"version\":3", "\"version\":9")).contains("version 9"));
    assert!(refused("{}").contains("cannot be read"));
}

/// Classes of arguments that are merged had more counts together than a state may have: it could not be read again, and
/// with it the tool.
#[test]
fn state_of_merged_classes_is_read_again() {
    let field = |n: u32, kind: u32, call: u32| {
        let value = if (n + call + kind).is_multiple_of(7) { "null" } else { "1" };
        format!("\"f{n}\":{value}")
    };
    let part = |kind: u32, call: u32| {
        let from = 60 * (kind % 2);
        (from..from + 60).map(|n| field(n, kind, call)).collect::<Vec<_>>().join(",")
    };
    let calls = (0..40_u32).flat_map(|call| (0..16_u32).map(move |kind| (call, kind)));
    let calls: Vec<Call> = calls
        .map(|(call, kind)| {
            let part = part(kind, call);
            let letter = char::from(b'a' + (kind as u8));
            Call {
                arguments: format!("{{\"kind\":\"{}\"}}", letter.to_string().repeat(6)),
                document: format!("{{\"a\":{{{part}}},\"b\":{{{part}}},\"c\":{{{part}}}}}"),
                breaks: None,
            }
        })
        .collect();
    let mut drift = Drift::default();
    for (number, call) in calls.iter().enumerate() {
        feed(&mut drift, std::slice::from_ref(call), number as u64);
        let state = drift.to_state();
        assert!(Drift::from_state(&state).is_ok(), "after {number} calls");
    }
}
