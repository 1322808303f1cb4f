//! Documents with more fields than are kept whole, and schemas with so many decisions that some would be wrong.

use std::collections::BTreeMap;

use schemascope_shape::{Emission, Policy, Shape};
use serde_json::{Map, Value, json};

fn shape<'d>(cap: usize, documents: impl IntoIterator<Item = &'d Value>) -> Shape {
    let mut shape = Shape::with_cap(cap);
    documents.into_iter().for_each(|document| shape.observe(document.to_string().as_bytes()).unwrap());
    shape
}

/// A deterministic number below 1,000 for a place of a document.
fn chance(seed: u64, place: u64) -> u64 {
    let mut mixed = (seed << 32 ^ place).wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ mixed >> 31) % 1_000
}

/// A record of 80 fields, every fourth of which is a number.
fn record(number: u64) -> Value {
    let field = |at: u64| match at % 4 {
        0 => json!(number as f64 + 0.5),
        1 => json!(["2026-11-26", "2026-11-27"][(number % 2) as usize]),
        2 => json!(number.is_multiple_of(3)),
        _ => json!([number]),
    };
    (0..80).map(|at| (format!("field{at}"), field(at))).collect::<Map<_, _>>().into()
}

#[test]
fn fields_that_are_not_kept_whole_keep_their_types() {
    let documents: Vec<Value> = (0..60).map(record).collect();
    let shape = shape(60, &documents);
    // Each of the 20 arrays has items.
    assert_eq!((shape.paths(), shape.is_trimmed()), (100, false));
    assert!((40..100).contains(&shape.bare_paths()), "{}", shape.bare_paths());
    let schema = shape.schema(&Policy::default());
    let properties = schema["properties"].as_object().unwrap();
    assert_eq!((properties.len(), schema["required"].as_array().unwrap().len()), (80, 80));
    assert_eq!(schema["additionalProperties"], false);
    let formats = properties.values().filter(|field| field["format"] == "date").count();
    assert!((1..20).contains(&formats), "{formats} of 20 dates are kept whole");
    let judge = jsonschema::validator_for(&schema).unwrap();
    assert!(documents.iter().all(|document| judge.is_valid(document)));
    for at in 0..80 {
        let mut wrong = record(1);
        wrong[format!("field{at}")] = json!({"wrong": true});
        assert!(!judge.is_valid(&wrong), "field{at}");
    }
    let fields = shape.fields(&Policy::default());
    assert!(fields.iter().all(|field| field.observations == 60 && field.consistency == 1.0));
}

/// Whether a path is whole does not depend on the order of documents, nor on how they were divided.
#[test]
fn same_paths_are_kept_whole_in_any_order() {
    let document = |number: u64| {
        let own = (0..30).map(|at| (format!("own{}", number * 7 + at), json!("x")));
        let mut document = record(number);
        document.as_object_mut().unwrap().extend(own);
        document
    };
    for cap in [4, 30, 60, 90] {
        let documents: Vec<Value> = (0..12).map(document).collect();
        let whole = shape(cap, &documents);
        assert!(whole.bare_paths() > 0, "{cap}");
        assert_eq!(shape(cap, documents.iter().rev()), whole, "{cap}");
        for parts in [2, 3, 12] {
            let mut merged = Shape::with_cap(cap);
            for part in documents.chunks(documents.len() / parts) {
                let written = shape(cap, part).to_state();
                merged.merge(&Shape::from_state(&written).unwrap()).unwrap();
            }
            assert_eq!(merged, whole, "{parts} parts, {cap}");
        }
    }
}

/// In a map, the values of some keys may be kept and those of others not.
#[test]
fn nothing_is_concluded_from_a_part_of_the_values_of_a_map() {
    let word = |at: u8| format!("word{}", char::from(b'a' + at % 20));
    for other in 0..20 {
        let document = |number: u8| {
            let value = |at: u8| if at % 20 == other { "a word" } else { "2026-11-26" };
            let own = (0..4).map(|at| number * 7 + at).map(|at| (word(at), json!(value(at))));
            json!({"own": own.collect::<Map<_, _>>()})
        };
        let documents: Vec<Value> = (0..20).map(document).collect();
        // Reading removes what is only not visible before.
        let shape = Shape::from_state(&shape(16, &documents).to_state()).unwrap();
        assert!((1..20).contains(&shape.bare_paths()), "{shape:?}");
        let schema = shape.schema(&Policy::default());
        assert!(schema["properties"]["own"]["additionalProperties"].is_object(), "{schema}");
        let judge = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        assert!(documents.iter().all(|document| judge.is_valid(document)), "{other}: {schema}");
    }
}

/// States of format 5 have no bare paths: what was not kept whole is only counted by type.
#[test]
fn bound_of_an_older_state_stays() {
    let documents: Vec<Value> = (0..30).map(record).collect();
    let shape = shape(20, &documents);
    assert!(shape.is_trimmed());
    let mut state: Value = serde_json::from_slice(&shape.to_state()).unwrap();
    state["version"] = json!(5);
    state["bare"].take();
    let mut older = Shape::from_state(state.to_string().as_bytes()).unwrap();
    let paths = older.paths();
    older.observe(record(31).to_string().as_bytes()).unwrap();
    assert_eq!(older.paths(), paths);
    assert!(Shape::from_state(&older.to_state()).unwrap() == older);
}

/// 60 records of twelve fields, half of which are there in seven of ten documents.
fn sections(number: u64) -> Value {
    let section = |section: u64| {
        let field = |at: &u64| *at < 6 || chance(number, section * 100 + at) < 700;
        (0..12).filter(field).map(|at| (format!("field{at}"), json!(true))).collect::<Map<_, _>>()
    };
    (0..60).map(|at| (format!("section{at}"), json!(section(at)))).collect::<Map<_, _>>().into()
}

fn accepted(schema: &Value, documents: impl Iterator<Item = Value>) -> usize {
    let judge = jsonschema::validator_for(schema).unwrap();
    documents.filter(|document| judge.is_valid(document)).count()
}

#[test]
fn thousands_of_fields_are_not_required_after_a_few_documents() {
    let documents: Vec<Value> = (0..8).map(sections).collect();
    let shape = shape(4_096, &documents);
    let schema = |mistakes| shape.schema(&Policy { mistakes, ..Policy::default() });
    let next = || (100..140).map(sections);
    assert!(accepted(&schema(f64::MAX), next()) < 20);
    assert!(accepted(&shape.schema(&Policy::default()), next()) >= 36);
}

#[test]
fn records_that_are_certain_stay_required_beside_others() {
    let certain = |number: u64| json!({"sections": sections(number), "page": {"size": 3, "next": "a"}});
    let documents: Vec<Value> = (0..10).map(certain).collect();
    let schema = shape(4_096, &documents).schema(&Policy::default());
    assert_eq!(schema["required"], json!(["page", "sections"]));
    assert_eq!(schema["properties"]["page"]["required"], json!(["next", "size"]));
    assert_eq!(schema["properties"]["sections"]["required"].as_array().unwrap().len(), 60);
}

/// That there were too few objects is said only where more of them would do.
#[test]
fn reason_of_an_optional_field_is_the_one_that_decided() {
    let explained = |documents: u64| -> BTreeMap<String, String> {
        let documents: Vec<Value> = (0..documents).map(sections).collect();
        let decisions = shape(4_096, &documents).explain(&Policy::default());
        let of_one =
            decisions.into_iter().filter(|one| one.path.starts_with("section7") && one.decision != "string");
        of_one.map(|one| (format!("{} {}", one.path, one.decision), one.because)).collect()
    };
    assert_eq!(explained(2)["section7.field0 optional"], "present in 2 of 2 objects, too few to be sure");
    assert_eq!(explained(2)["section7 open object"], "too few objects to be sure: 2");
    let doubtful = explained(12);
    assert_eq!(
        doubtful["section7.field0 optional"],
        "present in 12 of 12 objects, but other fields are absent too often to be sure of this one"
    );
    assert_eq!(
        doubtful["section7 open object"],
        "its fields are absent from some of 12 objects too often to exclude others"
    );
}

/// One record among forty is a small part of a document, and would be wrong about all of it.
#[test]
fn record_is_required_later_among_many_than_alone() {
    let varied = |number: u64| -> Value {
        let field = |at: &u64| *at < 6 || chance(number, *at) < 500;
        (0..12).filter(field).map(|at| (format!("field{at}"), json!(true))).collect::<Map<_, _>>().into()
    };
    let same: Map<String, Value> = (0..12).map(|at| (format!("field{at}"), json!(true))).collect();
    let among = |others: u64, number: u64| -> Value {
        let others = (0..others).map(|at| (format!("part{at}"), json!(same)));
        others.chain([("varied".to_owned(), varied(number))]).collect::<Map<_, _>>().into()
    };
    let required = |others: u64, part: &str, policy: &Policy| {
        let documents: Vec<Value> = (0..8).map(|number| among(others, number)).collect();
        let schema = shape(4_096, &documents).schema(policy);
        schema["properties"][part]["required"].is_array()
    };
    let policy = Policy::default();
    assert!(required(0, "varied", &policy) && required(1, "varied", &policy));
    assert!(!required(40, "varied", &policy) && required(40, "part3", &policy));
    assert!(required(40, "varied", &Policy { mistakes_by_share: f64::MAX, ..policy }));
}

/// What is decided about a record also depends on the others, and is decided again if only those change.
#[test]
fn schema_that_is_kept_up_to_date_follows_other_records() {
    let record = |number: u64| -> Value {
        let field = |at: &u64| *at < 6 || chance(number, *at) < 500;
        (0..12).filter(field).map(|at| (format!("field{at}"), json!(true))).collect::<Map<_, _>>().into()
    };
    let policy = Policy { mistakes: 0.15, ..Policy::default() };
    let (mut shape, mut emission) = (Shape::new(), Emission::new(policy));
    let mut required = Vec::new();
    for number in 0..60 {
        let document = match number {
            0..6 => json!({"now": record(number), "then": record(number + 100)}),
            _ => json!({"now": record(number)}),
        };
        shape.observe(document.to_string().as_bytes()).unwrap();
        emission.update(&shape);
        assert_eq!(emission.schema(), &shape.schema(&policy), "{number}");
        required.push(emission.schema()["properties"]["then"]["required"].is_array());
    }
    assert!(!required[8] && required[59], "{required:?}");
}

/// 900 measures and as many words, a few in each document. One number in ten is written as an integer, as writers omit
/// `.0`.
fn measures(number: u64) -> Value {
    let measure = |at: u64| match chance(number, at) % 10 {
        _ if at.is_multiple_of(2) => json!("word"),
        0 => json!(3),
        rest => json!(rest as f64 + 0.5),
    };
    let own = (0..1_800).filter(|at| chance(number, 2_000 + at) < 60);
    let measures: Map<String, Value> = own.map(|at| (format!("measure{at}"), measure(at))).collect();
    json!({"count": number, "measures": measures})
}

#[test]
fn numbers_are_not_integers_because_the_first_ones_were() {
    let documents: Vec<Value> = (0..20).map(measures).collect();
    let shape = shape(4_096, &documents);
    let schema = |mistakes| shape.schema(&Policy { mistakes, ..Policy::default() });
    let next = || (100..140).map(measures);
    assert!(accepted(&schema(f64::MAX), next()) < 20);
    let schema = shape.schema(&Policy::default());
    assert!(accepted(&schema, next()) >= 36);
    assert_eq!(schema["properties"]["count"]["type"], "integer", "20 integers are enough");
    let explained = shape.explain(&Policy::default());
    let reason = explained.iter().find(|decision| decision.decision == "number").unwrap();
    assert!(reason.because.contains("too few to exclude other numbers"), "{}", reason.because);
}

#[test]
fn few_integers_are_enough_where_all_numbers_are_integers() {
    let documents = [json!({"count": 3, "rate": 0.5}), json!({"count": 4, "rate": 1.5})];
    let schema = shape(4_096, &documents).schema(&Policy::default());
    assert_eq!(schema["properties"]["count"]["type"], "integer");
    assert_eq!(schema["properties"]["rate"]["type"], "number");
}
