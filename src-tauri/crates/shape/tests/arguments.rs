//! Detection of the argument that separates shapes: random dependencies among decoys.

use proptest::prelude::*;
use schemascope_shape::{Arguments, Circumstances, Shape};
use serde_json::{Map, Value, json};

use crate::text;

/// A small random number generator (SplitMix64), so that a seed identifies a trial.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) % below as u64) as usize
    }
}

/// Returns a result that depends on the value of the deciding argument.
fn document(effect: usize, choice: usize, random: &mut Random) -> Value {
    let mut object = Map::new();
    object.insert("id".into(), random.next(1_000).into());
    for (name, chance) in [("note", 3), ("hint", 2), ("extra", 5)] {
        if random.next(chance) == 0 {
            object.insert(name.into(), "x".into());
        }
    }
    match (effect, choice) {
        (0, 0) => "plain text".into(),
        (0, _) => Value::Object(object),
        (1, 0) => Value::from(vec![Value::Object(object)]),
        (1, _) => Value::Object(object),
        (2, choice) => {
            object.insert(format!("detail_{}", ["a", "b", "c"][choice % 3]), json!({"n": 1}));
            Value::Object(object)
        }
        (3, choice) => {
            object.insert("count".into(), if choice == 0 { 1.into() } else { "many".into() });
            Value::Object(object)
        }
        (_, 0) => Value::Object(object),
        (_, _) => json!({"data": object, "page": 1}),
    }
}

/// Returns a random argument: its value, and the number of the choice.
fn argument(kind: usize, random: &mut Random) -> (Option<Value>, usize) {
    match kind % 5 {
        0 => {
            let choice = random.next(2);
            (Some((choice == 1).into()), choice)
        }
        1 => {
            let choice = random.next(3);
            (Some(["json", "text", "xml"][choice].into()), choice)
        }
        2 => {
            let choice = random.next(2);
            ((choice == 1).then(|| "full".into()), choice)
        }
        3 => {
            let choice = random.next(6);
            (Some(choice.into()), choice)
        }
        _ => (Some(format!("query {}", random.next(1_000_000)).into()), 0),
    }
}

#[test]
fn separating_argument_is_found_among_decoys() {
    let (mut found, mut named, mut there) = (0, 0, 0);
    for seed in 0..400 {
        let mut random = Random(seed);
        // One trial in five has no separating argument.
        let effect = (seed % 5 != 0).then(|| random.next(5));
        let kind = random.next(4);
        let decoys: Vec<usize> = (0..2 + random.next(6)).map(|_| random.next(5)).collect();
        let mut arguments = Arguments::default();
        for _ in 0..[30, 60, 200][random.next(3)] {
            let (value, choice) = argument(kind, &mut random);
            let mut given = Map::new();
            given.extend(value.map(|value| ("decider".to_owned(), value)));
            for (at, decoy) in decoys.iter().enumerate() {
                let (value, _) = argument(*decoy, &mut random);
                given.extend(value.map(|value| (format!("decoy{at}"), value)));
            }
            let document = document(effect.unwrap_or(9), effect.map_or(0, |_| choice), &mut random);
            let given = Value::from(given).to_string();
            let document = document.to_string();
            arguments.observe(Some(given.as_bytes()), document.as_bytes(), Circumstances::default()).unwrap();
        }
        let names: Vec<String> = arguments.separations().into_iter().map(|one| one.argument).collect();
        named += names.len();
        there += usize::from(effect.is_some());
        found += usize::from(effect.is_some() && names.iter().any(|name| name == "decider"));
    }
    let (precision, recall) = (found as f64 / named as f64, found as f64 / there as f64);
    println!("precision {precision:.3}, recall {recall:.3} over 400 trials");
    assert!(precision >= 0.9 && recall >= 0.9, "precision {precision:.3}, recall {recall:.3}");
}

#[test]
fn separation_names_values_and_their_parts() {
    let mut arguments = Arguments::default();
    for n in 0..40 {
        let (options, document) = match n % 4 {
            0 => (r#""options":{"format":"text"},"#, r#""some text""#),
            1 => ("", r#"{"rows":[1]}"#),
            _ => (r#""options":{"format":"json"},"#, r#"{"rows":[1]}"#),
        };
        let given = format!("{{{options}\"q\":{}}}", n % 3);
        let (given, document) = (given.as_bytes(), document.as_bytes());
        arguments.observe(Some(given), document, Circumstances::default()).unwrap();
    }
    let found = arguments.separations();
    assert_eq!(found[0].argument, "options.format", "{found:?}");
    assert!(found[0].explains > 0.9);
    let text = found[0].values.iter().find(|value| value.json.as_deref() == Some("\"text\"")).unwrap();
    assert_eq!((text.count, text.parts.as_slice()), (10, ["(root): string".to_owned()].as_slice()));
    assert!(found[0].values.iter().any(|value| value.json.is_none() && value.count == 10));
}

fn call() -> impl Strategy<Value = (Value, Value)> {
    let value =
        prop_oneof![(0i64..40).prop_map(Value::from), "[a-c]".prop_map(Value::from), Just(json!({"x": 1}))];
    let arguments = prop::collection::btree_map(text("[a-z]{1,2}"), value.clone(), 0..6);
    let document = prop::collection::btree_map(text("[a-z]{1,2}|[0-9]{4}"), value, 0..8);
    let object = |map: std::collections::BTreeMap<String, Value>| Value::Object(map.into_iter().collect());
    (arguments.prop_map(object), document.prop_map(object))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_split_gives_the_same_counts(calls in prop::collection::vec((call(), any::<bool>()), 0..60)) {
        let over = |calls: &[&(Value, Value)]| {
            let mut arguments = Arguments::default();
            for (given, document) in calls {
                let (given, document) = (given.to_string(), document.to_string());
                arguments.observe(Some(given.as_bytes()), document.as_bytes(), Circumstances::default()).unwrap();
            }
            arguments
        };
        let all: Vec<_> = calls.iter().map(|(call, _)| call).collect();
        let of = |part: bool| calls.iter().filter(|(_, p)| *p == part).map(|(call, _)| call).collect::<Vec<_>>();
        let (mut a, b) = (over(&of(true)), over(&of(false)));
        let mut other_way = b.clone();
        other_way.merge(&a);
        a.merge(&b);
        prop_assert_eq!(&a, &over(&all));
        prop_assert_eq!(&a, &other_way);
        let written = serde_json::to_vec(&a).unwrap();
        prop_assert_eq!(serde_json::from_slice::<Arguments>(&written).unwrap(), a);
    }
}

proptest! {
    /// Counting in one pass with the shape gives the same counts.
    #[test]
    fn one_pass_counts_the_same_as_two(
        calls in prop::collection::vec((any_json(), prop::option::of(any_json())), 1..8),
    ) {
        let (mut shape, mut arguments) = (Shape::default(), Arguments::default());
        let (mut together, mut beside) = (Shape::default(), Arguments::default());
        for (document, given) in calls {
            let (document, given) = (document.to_string(), given.map(|given| given.to_string()));
            let given = given.as_deref().map(str::as_bytes);
            shape.observe(document.as_bytes()).unwrap();
            arguments.observe(given, document.as_bytes(), Circumstances::default()).unwrap();
            together
                .observe_call(document.as_bytes(), Circumstances::default(), &mut beside, given)
                .unwrap();
        }
        prop_assert_eq!(together.to_state(), shape.to_state());
        prop_assert_eq!(beside, arguments);
    }
}

/// Longer than one plan.
#[test]
fn long_documents_count_the_same_in_one_pass() {
    let items: Vec<Value> =
        (0..9_000).map(|n| json!({"id": n, "tag": "a", format!("x{}", n % 3_000): [n]})).collect();
    let document = json!({"items": items}).to_string();
    let (mut shape, mut together) = (Shape::default(), Shape::default());
    let (mut arguments, mut beside) = (Arguments::default(), Arguments::default());
    let given = br#"{"all":true}"#;
    for _ in 0..3 {
        shape.observe(document.as_bytes()).unwrap();
        arguments.observe(Some(given), document.as_bytes(), Circumstances::default()).unwrap();
        together
            .observe_call(document.as_bytes(), Circumstances::default(), &mut beside, Some(given))
            .unwrap();
    }
    assert_eq!(together.to_state(), shape.to_state());
    assert_eq!(beside, arguments);
    // Invalid JSON counts nothing if it fails before anything was counted. With invalid arguments
    // only the document counts.
    let before = together.to_state();
    for broken in ["", "{\"new\":", "[1,2"] {
        assert!(
            together
                .observe_call(broken.as_bytes(), Circumstances::default(), &mut beside, Some(given))
                .is_err()
        );
    }
    assert_eq!((together.to_state(), &beside), (before, &arguments));
    together.observe_call(b"1", Circumstances::default(), &mut beside, Some(b"{")).unwrap();
    assert_eq!((together.observations(), beside), (4, arguments));
}

fn any_json() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..99).prop_map(Value::from),
        text("[a-c]{0,3}").prop_map(Value::from)
    ];
    scalar.prop_recursive(4, 40, 5, |inner| {
        let key = text("[a-d]|20[0-9]{2}-01-01|x[0-9]{6}");
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..5).prop_map(|members| members.into_iter().collect()),
        ]
    })
}
