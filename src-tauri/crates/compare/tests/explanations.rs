//! Explanations are true: every sentence is checked against values of both schemas.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]
#![allow(dead_code, reason = "the generator of the benches has parts that are not used here")]

extern crate self as schemascope_benches;

#[path = "../../../../tests/benches/src/accuracy/generate/mod.rs"]
mod generate;
#[path = "../../../../tests/benches/src/accuracy/instances.rs"]
mod instances;
#[path = "samples/judge.rs"]
mod judge;
#[path = "samples/pairs.rs"]
mod pairs;
#[path = "../../../../tests/benches/src/random.rs"]
pub mod random;
#[path = "samples/sampling.rs"]
mod sampling;
#[path = "../../../../tests/benches/src/text.rs"]
pub mod text;
#[path = "../../../../tests/benches/src/words.rs"]
pub mod words;

use std::collections::BTreeMap;

use jsonschema::Validator;
use random::Random;
use sampling::{Words, instance, satisfies};
use schemascope_compare::{Change, Claim, Side, compare_with_claims};
use serde_json::{Value, json};

/// APIs of each class.
const SEEDS: u64 = 24;

/// Values of each schema.
const VALUES: usize = 120;

/// A schema, and values that it accepts.
struct Sampled<'a> {
    schema: &'a Value,
    values: Vec<Value>,
}

/// Returns values that the schema accepts: of itself, and of another schema.
fn sampled<'a>(
    schema: &'a Value,
    words: &Words,
    (other, most): (&[Value], usize),
    random: &mut Random,
) -> Sampled<'a> {
    let validator = judge::compile(schema).unwrap();
    let mut values: Vec<Value> =
        other.iter().filter(|value| validator.is_valid(value)).take(most / 4).cloned().collect();
    for _ in 0..20 * most {
        let value = instance(schema, words, random);
        if validator.is_valid(&value) {
            values.push(value);
        }
        if values.len() >= most {
            break;
        }
    }
    assert!(values.len() >= 100, "{} values of {schema}", values.len());
    Sampled { schema, values }
}

/// Counts over all pairs.
#[derive(Debug, Default)]
struct Counts {
    pairs: usize,
    /// Changes by their kind.
    kinds: BTreeMap<String, usize>,
    /// Changes with a claim.
    claimed: usize,
    /// Claims about every value.
    every: usize,
    /// Claims about some value that a sampled value shows.
    shown: usize,
    /// Number of the other claims about some value, and the first of them.
    not_shown: usize,
    missed: Vec<String>,
    /// Sentences that give an example value.
    examples: usize,
    /// Sentences that say that nothing is known.
    uncertain: usize,
}

impl Counts {
    /// Compares two schemas in both directions, with this many values of each.
    fn check_both(&mut self, old: &Value, new: &Value, values: usize, random: &mut Random) {
        let mut words = Words::default();
        words.add(old);
        words.add(new);
        let one = sampled(old, &words, (&[], values), random);
        let two = sampled(new, &words, (&one.values, values), random);
        self.check(&one, &two);
        self.check(&two, &one);
    }

    fn check(&mut self, old: &Sampled<'_>, new: &Sampled<'_>) {
        self.pairs += 1;
        let (found, claims) = compare_with_claims(old.schema, new.schema);
        assert_eq!(found.changes.len(), claims.len());
        for (change, claims) in found.changes.iter().zip(claims) {
            *self.kinds.entry(format!("{:?}", change.what)).or_default() += 1;
            self.claimed += usize::from(!claims.is_empty());
            self.examples += usize::from(change.sentence.contains(", for example "));
            self.uncertain += usize::from(change.sentence.contains("uncertain"));
            for claim in claims {
                let side = if claim.side == Side::Old { old } else { new };
                let verdict = check(&claim, &side.values);
                if claim.every {
                    self.every += 1;
                    if let Some(value) = verdict {
                        panic!("{}", untrue(change, &claim, value, (old.schema, new.schema)));
                    }
                } else if verdict.is_some() {
                    self.shown += 1;
                } else {
                    self.not_shown += 1;
                    if self.missed.len() < 12 {
                        self.missed.push(format!("{} | {}", change.sentence, claim.test));
                    }
                }
            }
        }
    }
}

fn untrue(change: &Change, claim: &Claim, value: &Value, (old, new): (&Value, &Value)) -> String {
    let Claim { side, test, .. } = claim;
    format!(
        "{}\nis false for this {side:?} value: {value}\nclaim {test}\nold {old}\nnew {new}",
        change.sentence
    )
}

/// Returns a value that does not satisfy the claim's schema.
fn check<'v>(claim: &Claim, values: &'v [Value]) -> Option<&'v Value> {
    let validator: std::cell::OnceCell<Validator> = std::cell::OnceCell::new();
    let full = |value: &Value| validator.get_or_init(|| judge::compile(&claim.test).unwrap()).is_valid(value);
    values.iter().enumerate().find_map(|(at, value)| {
        let quick = satisfies(&claim.test, value);
        let verdict = quick.unwrap_or_else(|| full(value));
        // The quick validator is checked by the full one on some values.
        if at % 60 == 0 && quick.is_some() {
            assert_eq!(full(value), verdict, "{} {value}", claim.test);
        }
        (!verdict).then_some(value)
    })
}

#[test]
fn sentences_are_true_for_values_of_both_schemas() {
    let mut counts = Counts::default();
    for class in 0..=generate::CLASSES.len() {
        for seed in 0..SEEDS {
            let mut random = Random::new(seed, "values");
            for (old, new) in pairs::pairs(class, seed) {
                counts.check_both(&old, &new, VALUES, &mut random);
            }
        }
    }
    println!("{counts:#?}");
    assert!(counts.pairs >= 1_000 && counts.every >= 5_000, "{counts:?}");
    // Samples seldom miss what a sentence says is possible: mostly a value of a tag where any text is
    // allowed. Few changes are not explained.
    assert!(counts.not_shown * 7 <= counts.shown, "{counts:?}");
    let changes: usize = counts.kinds.values().sum();
    assert!(counts.uncertain * 50 <= changes && counts.claimed * 4 >= changes * 3, "{counts:?}");
}

/// Checks the sentences of two schemas against values, in both directions, and returns them.
fn explained(old: &Value, new: &Value) -> (Vec<String>, Vec<String>) {
    let mut random = Random::new(1, "explained");
    let mut counts = Counts::default();
    counts.check_both(old, new, 10 * VALUES, &mut random);
    assert!(counts.missed.is_empty(), "{counts:#?}");
    let sentences = |old, new| {
        let changes = compare_with_claims(old, new).0.changes;
        changes.into_iter().map(|change| change.sentence).collect()
    };
    (sentences(old, new), sentences(new, old))
}

/// An object that becomes a union: the case of an order whose payment is described more precisely.
#[test]
fn object_against_tagged_union_is_explained_by_tag() {
    let text = json!({"type": "string"});
    let object = json!({"type": "object", "properties": {"kind": text, "code": text, "last4": text},
        "required": ["kind"]});
    let way = |kind: &str, field: &str| {
        json!({"properties": {"kind": {"const": kind}, field: text}, "required": ["kind", field],
            "additionalProperties": false})
    };
    let union = json!({"type": "object", "oneOf": [way("card", "last4"), way("voucher", "code")]});
    let (forward, back) = explained(&object, &union);
    assert_eq!(
        forward,
        [
            "`kind` is now limited to \"card\" or \"voucher\"",
            "where `kind` is \"card\", `code` was removed and is no longer allowed",
            "where `kind` is \"voucher\", `code` is now required: senders must set it",
            "where `kind` is \"card\", `last4` is now required: senders must set it",
            "where `kind` is \"voucher\", `last4` was removed and is no longer allowed",
            "the whole value can no longer have undescribed fields",
        ]
    );
    assert_eq!(
        back,
        [
            "`kind` was limited to \"card\" or \"voucher\" and can now have other values",
            "where `kind` is \"card\", `code` is a new field and was not allowed before",
            "where `kind` is \"voucher\", `code` is now optional: readers must check whether it is present",
            "where `kind` is \"card\", `last4` is now optional: readers must check whether it is present",
            "where `kind` is \"voucher\", `last4` is a new field and was not allowed before",
            "the whole value can now have undescribed fields",
        ]
    );
}

/// Unions with one alternative more or less, and with another field in one alternative.
#[test]
fn tagged_unions_are_explained_by_alternative() {
    let way = |kind: &str, fields: &[(&str, &str)]| {
        let mut properties = json!({"kind": {"const": kind}, "id": {"type": "string"}});
        let mut required = vec!["id", "kind"];
        for (name, kind) in fields {
            properties[*name] = json!({"type": kind});
            required.push(name);
        }
        json!({"properties": properties, "required": required, "additionalProperties": false})
    };
    let order = |ways: &[Value]| {
        let payment = json!({"type": "object", "oneOf": ways});
        json!({"type": "object", "properties": {"payment": payment}, "required": ["payment"]})
    };
    let card = way("card", &[("last4", "string")]);
    let voucher = way("voucher", &[("code", "string")]);
    let first = order(&[card, voucher.clone()]);
    let invoice = way("invoice", &[("dueDays", "integer")]);
    let second = order(&[way("card", &[("last4", "integer")]), invoice, voucher]);
    let (forward, back) = explained(&first, &second);
    assert_eq!(
        forward,
        [
            "`payment` can now also be an object with `kind` \"invoice\"",
            "where `payment.kind` is \"card\", `payment.last4` changed from a string to an integer",
        ]
    );
    assert_eq!(
        back,
        [
            "`payment` can no longer be an object with `kind` \"invoice\"",
            "where `payment.kind` is \"card\", `payment.last4` changed from an integer to a string",
        ]
    );
}

/// Alternatives that no field distinguishes: what no sentence covers is shown by an example.
#[test]
fn untagged_union_is_explained_by_what_all_alternatives_share() {
    let text = json!({"type": "string"});
    let way = |fields: &[&str]| {
        let properties: Value = fields.iter().map(|name| ((*name).to_owned(), text.clone())).collect();
        json!({"type": "object", "properties": properties, "required": fields, "additionalProperties": false})
    };
    let record = way(&["id", "a"]);
    let union = json!({"anyOf": [way(&["id", "a"]), way(&["id", "b"])]});
    let (forward, back) = explained(&record, &union);
    assert_eq!(
        forward,
        [
            "`a` is now optional: readers must check whether it is present",
            "`b` is a new field and was not allowed before",
        ]
    );
    assert_eq!(
        back,
        ["`a` is now required: senders must set it", "`b` was removed and is no longer allowed"]
    );
    let both = json!({"type": "object", "properties": {"id": text, "a": text, "b": text}, "required": ["id"],
        "additionalProperties": false});
    let (forward, back) = explained(&both, &union);
    let [rejects] = forward.as_slice() else { panic!("{forward:?}") };
    assert!(
        rejects.starts_with("the whole value no longer allows some values, for example {\"id\":"),
        "{rejects}"
    );
    let [allows] = back.as_slice() else { panic!("{back:?}") };
    assert!(allows.starts_with("the whole value allows other values, for example {\"id\":"), "{allows}");
}

/// A nullable enumeration is not "one of" its texts.
#[test]
fn sentences_about_one_type_name_it() {
    let (forward, back) = explained(&json!({"type": ["string", "null"]}), &json!({"enum": ["a", "b", null]}));
    assert_eq!(forward, ["the whole value, if not null, is now limited to \"a\" or \"b\""]);
    assert_eq!(
        back,
        ["the whole value, if not null, was limited to \"a\" or \"b\" and can now have other values"]
    );
    let (forward, _) =
        explained(&json!({"type": ["integer", "string"]}), &json!({"type": ["number", "string"]}));
    assert_eq!(forward, ["the whole value, if a number, was an integer and can now have a fraction"]);
}

/// An order as a shop sends it: paid by card, by invoice or with a voucher.
fn order(number: usize) -> Value {
    let (brand, days) = if (number / 3).is_multiple_of(2) { ("visa", 14) } else { ("amex", 30) };
    let payment = match number % 3 {
        0 => json!({"kind": "card", "brand": brand, "last4": format!("{:04}", number * 37)}),
        1 => json!({"kind": "invoice", "dueDays": days}),
        _ => json!({"kind": "voucher", "code": format!("V{number}"), "rest": number as f64 / 4.0}),
    };
    json!({"id": format!("ord_{number}"), "payment": payment})
}

/// The first version of a tool knows one object with optional fields, a later one the union.
#[test]
fn versions_of_an_order_are_explained_by_kind_of_payment() {
    let version = |count: usize| {
        let mut shape = schemascope_shape::Shape::new();
        for number in 0..count {
            shape.observe(order(number).to_string().as_bytes()).unwrap();
        }
        shape.schema(&schemascope_shape::Policy::default())
    };
    let (first, third) = (version(6), version(90));
    assert!(first["properties"]["payment"].get("oneOf").is_none(), "{first}");
    assert!(third["properties"]["payment"].get("oneOf").is_some(), "{third}");
    let (forward, back) = explained(&first, &third);
    let says = |sentences: &[String], wanted: &str| {
        assert!(sentences.iter().any(|own| own == wanted), "{wanted:?} in {sentences:#?}");
    };
    says(&forward, "`payment.kind` is now limited to \"card\", \"invoice\" or \"voucher\"");
    says(&forward, "where `payment.kind` is \"card\", `payment.last4` is now required: senders must set it");
    says(
        &back,
        "where `payment.kind` is \"card\", `payment.last4` is now optional: readers must check whether it is present",
    );
    says(
        &forward,
        "where `payment.kind` is \"invoice\" or \"voucher\", `payment.last4` was removed and is no longer allowed",
    );
}
