//! Classes of many forms: maps, unions, roots. *Frozen*.

use schemascope_benches::random::Random;
use serde_json::{Value, json};

use super::parts::{
    Fields, array, choice, date_time, format, free, integer, leaf, map, nullable, of, record, small,
    words_choice,
};
use super::vocabulary::{LISTS, MAPS, TAGS};

const KEYS: &[&str] = &[
    "uuid", "date", "digits", "email", "path", "user", "package", "word", "first", "month", "prefixed",
    "city",
];

/// Objects keyed by data, as fields or as the whole.
pub fn maps(random: &mut Random) -> Value {
    if random.chance(0.25) {
        return one_map(random);
    }
    let mut fields = record(random, 3, 0.2, 0.1);
    let count = 1 + usize::from(random.chance(0.35));
    for name in random.some(MAPS, count) {
        let map = one_map(random);
        let presence = if random.chance(0.15) { random.between(0.5, 0.95) } else { 1.0 };
        fields.add(name, map, presence);
    }
    fields.object()
}

fn one_map(random: &mut Random) -> Value {
    let keys = random.one(KEYS);
    let values = match random.below(6) {
        0 => of("count", random),
        1 => of("number:0..1000", random),
        2 => free(random.one(&["version", "sentence", "word"])),
        3 => array(free("user"), 1, 4, 0.1),
        _ => small(random),
    };
    let low = random.one(&[0, 0, 1, 3]);
    let high = random.one(&[4, 8, 15, 30]);
    map(keys, values, low, high)
}

/// Values of several types, and objects of several forms.
pub fn unions(random: &mut Random) -> Value {
    match random.below(8) {
        0 => tagged(random),
        1 => either(random),
        2 => array(tagged(random), 1, 5, 0.1),
        3 => two_forms(random),
        _ => {
            let mut fields = record(random, 3, 0.25, 0.1);
            let count = 1 + random.below(2);
            for name in random.some(&["value", "result", "content", "target", "input", "payload"], count) {
                let union = match random.below(6) {
                    0 | 1 => either(random),
                    2 => tagged(random),
                    3 => array(tagged(random), 1, 5, 0.1),
                    4 => array(either(random), 1, 4, 0.1),
                    _ => two_forms(random),
                };
                let presence = if random.chance(0.2) { random.between(0.4, 0.95) } else { 1.0 };
                fields.add(name, union, presence);
            }
            fields.object()
        }
    }
}

/// Values of two or three types.
pub fn either(random: &mut Random) -> Value {
    let word = || free("word");
    let alternatives = match random.below(7) {
        0 => vec![word(), of("number:0..100", random)],
        1 => vec![word(), integer(1, 5_000)],
        2 => vec![free("prefixed"), small(random)],
        3 => vec![small(random), array(small(random), 1, 3, 0.1)],
        4 => vec![word(), array(free("word"), 1, 4, 0.0)],
        5 => vec![json!({"type": "boolean"}), free("word"), small(random)],
        _ => vec![date_time(random), integer(1_500_000_000, 1_800_000_000)],
    };
    let mut weights: Vec<f64> = alternatives.iter().map(|_| 0.15 + random.share()).collect();
    weights.iter_mut().for_each(|weight| *weight = (*weight * 100.0).round() / 100.0);
    let union = json!({"anyOf": alternatives, "x-weights": weights});
    if random.chance(0.15) { nullable(union, 0.15) } else { union }
}

/// Objects distinguished by the value of one field.
pub fn tagged(random: &mut Random) -> Value {
    let tag = random.one(TAGS);
    let count = random.within(2, 6) as usize;
    let names = words_choice(random, count);
    let shared = leaf(random);
    let mut alternatives = Vec::new();
    for name in names["enum"].as_array().into_iter().flatten() {
        let mut fields = Fields::default().always(tag, json!({"const": name}));
        if shared.0 != tag {
            fields.add(shared.0, shared.1.clone(), 1.0);
        }
        for _ in 0..random.within(1, 4) {
            let (name, schema) = leaf(random);
            let presence = if random.chance(0.25) { random.between(0.4, 0.9) } else { 1.0 };
            if name != tag {
                fields.add(name, schema, presence);
            }
        }
        if random.chance(0.3) {
            // The same name holds something else in each alternative.
            let data = if random.chance(0.5) { small(random) } else { free("sentence") };
            fields.add("data", data, 1.0);
        }
        alternatives.push(fields.object());
    }
    json!({"oneOf": alternatives, "x-weights": names["x-weights"]})
}

/// Objects of two forms that no field distinguishes by its value: done and failed, short and full.
fn two_forms(random: &mut Random) -> Value {
    let error =
        Fields::default().always("code", integer(400, 599)).always("message", free("sentence")).object();
    let forms = if random.chance(0.5) {
        let done =
            Fields::default().always("data", small(random)).always("took_ms", integer(1, 900)).object();
        vec![done, Fields::default().always("error", error).object()]
    } else {
        let full = record(random, 6, 0.1, 0.1).always("details", free("sentence")).object();
        vec![full, Fields::default().always("ref", integer(1, 90_000)).always("href", format("uri")).object()]
    };
    let rare = random.one(&[0.1, 0.3, 0.5]);
    json!({"anyOf": forms, "x-weights": [1.0 - rare, rare]})
}

/// Whole results that are no plain object.
pub fn roots(random: &mut Random) -> Value {
    match random.below(12) {
        0 => free(random.one(&["sentence", "word", "token"])),
        1 => format(random.one(&["uuid", "date", "uri", "email"])),
        2 => {
            let count = random.within(2, 6) as usize;
            words_choice(random, count)
        }
        3 => of("count", random),
        4 => of("number:-100..100", random),
        5 => json!({"type": "boolean"}),
        6 => array(free(random.one(&["word", "user", "path"])), 0, 8, 0.1),
        7 => array(small(random), 1, 6, 0.1),
        8 => nullable(small(random), 0.2),
        9 => nullable(free("sentence"), 0.3),
        10 => either(random),
        _ => {
            let list = random.one(LISTS);
            let inner = Fields::default().always(list, array(integer(1, 900), 0, 6, 0.1));
            array(inner.always("state", choice(&["ok", "failed"], 1.0)).object(), 1, 3, 0.05)
        }
    }
}
