//! Classes of nested things: arrays, depth, whole payloads. *Frozen*.

use schemascope_benches::random::Random;
use serde_json::{Value, json};

use super::many::{either, tagged};
use super::parts::{
    Fields, array, choice, date_time, format, free, integer, leaf, map, nullable, of, record, small,
    words_choice,
};
use super::vocabulary::{CONTAINERS, LISTS};

/// Arrays of scalars, records, tuples, arrays.
pub fn arrays(random: &mut Random) -> Value {
    let mut fields = record(random, 2, 0.2, 0.1);
    let count = 1 + random.below(3);
    for name in random.some(LISTS, count) {
        let empty = random.one(&[0.0, 0.1, 0.3]);
        let schema = match random.below(9) {
            0 => array(free(random.one(&["word", "user", "sentence"])), 1, 6, empty),
            1 => array(
                of(random.one(&["count", "number:0..100", "format:date-time", "format:uri"]), random),
                1,
                6,
                empty,
            ),
            2 | 3 => array(small(random), 1, 5, empty),
            4 => tuple(&[of("number:-90..90", random), of("number:-180..180", random)]),
            5 => tuple(&[free("word"), integer(0, 500), json!({"type": "boolean"})]),
            6 => array(tuple(&[date_time(random), of("number:0..500", random)]), 1, 5, empty),
            7 => array(array(integer(0, 9), 1, 4, 0.1), 1, 4, empty),
            _ => {
                let count = random.within(2, 6) as usize;
                array(words_choice(random, count), 1, 4, empty)
            }
        };
        let schema = if random.chance(0.1) { nullable(schema, 0.2) } else { schema };
        let presence = if random.chance(0.2) { random.between(0.4, 0.95) } else { 1.0 };
        fields.add(name, schema, presence);
    }
    fields.object()
}

fn tuple(positions: &[Value]) -> Value {
    let count = positions.len();
    json!({"type": "array", "prefixItems": positions, "items": false, "minItems": count, "maxItems": count})
}

/// 5 to 12 levels of objects and arrays.
pub fn deep(random: &mut Random) -> Value {
    let levels = random.within(5, 12) as usize;
    level(random, levels, 2)
}

fn level(random: &mut Random, levels: usize, arrays: usize) -> Value {
    let count = random.within(1, 3) as usize;
    let mut fields = record(random, count, 0.2, 0.1);
    if levels > 1 {
        // Few arrays: each one multiplies everything below it.
        let many = arrays > 0 && random.chance(0.4);
        let inner = level(random, levels - 1, arrays - usize::from(many));
        let presence = if random.chance(0.15) { random.between(0.6, 0.95) } else { 1.0 };
        if many {
            fields.add(random.one(LISTS), array(inner, 1, 2, 0.05), presence);
        } else {
            let inner = if random.chance(0.1) { nullable(inner, 0.1) } else { inner };
            fields.add(random.one(CONTAINERS), inner, presence);
        }
    }
    fields.object()
}

/// Whole payloads of usual APIs.
pub fn mixed(random: &mut Random) -> Value {
    let item = entity(random);
    match random.below(6) {
        0 => Fields::default()
            .always("items", array(item, 1, 4, 0.1))
            .always("next_cursor", nullable(free("token"), 0.4))
            .always("total", integer(0, 9_000))
            .object(),
        1 => Fields::default()
            .always("count", integer(0, 900))
            .always("next", nullable(format("uri"), 0.3))
            .always("previous", nullable(format("uri"), 0.6))
            .always("results", array(item, 1, 4, 0.1))
            .object(),
        2 => {
            let error =
                Fields::default().always("code", choice(&["rate_limited", "not_found", "invalid"], 0.8));
            let meta =
                Fields::default().always("request_id", format("uuid")).always("took_ms", integer(1, 2_000));
            let mut fields =
                Fields::default().always("data", nullable(item, 0.1)).always("meta", meta.object());
            fields.add("errors", array(error.always("message", free("sentence")).object(), 1, 2, 0.0), 0.15);
            fields.object()
        }
        3 => {
            let kind = choice(&["articles", "people", "comments"], 0.7);
            let link = Fields::default().always("id", free("digits")).always("type", kind.clone()).object();
            let related = map("word", Fields::default().always("data", link).object(), 0, 3);
            let data = Fields::default()
                .always("type", kind)
                .always("id", free("digits"))
                .always("attributes", item);
            Fields::default().always("data", data.always("relationships", related).object()).object()
        }
        4 => Fields::default()
            .always("id", format("uuid"))
            .always("occurred_at", date_time(random))
            .always("attempt", integer(1, 5))
            .always("event", tagged(random))
            .object(),
        _ => item,
    }
}

/// One thing of an API: identity, timestamps, a state, and some of everything.
fn entity(random: &mut Random) -> Value {
    let id = random.pick(&[json!("id"), json!("uuid"), json!("prefixed")]).clone();
    let id = match id.as_str() {
        Some("id") => integer(1, 9_000_000),
        Some("uuid") => format("uuid"),
        _ => free("prefixed"),
    };
    let mut fields = Fields::default().always("id", id);
    fields.add("created_at", date_time(random), 1.0);
    fields.add("updated_at", nullable(date_time(random), 0.3), 1.0);
    for _ in 0..random.within(2, 6) {
        let (name, schema) = leaf(random);
        let schema = if random.chance(0.15) { nullable(schema, 0.2) } else { schema };
        let presence = if random.chance(0.3) { random.between(0.1, 0.95) } else { 1.0 };
        fields.add(name, schema, presence);
    }
    fields.add("owner", small(random), 1.0);
    for _ in 0..random.within(0, 2) {
        match random.below(5) {
            0 => fields.add("tags", array(free("word"), 1, 5, 0.2), 1.0),
            1 => fields.add("labels", map("word", free("word"), 0, 6), 1.0),
            2 => fields.add("source", either(random), 1.0),
            3 => fields.add(
                "location",
                tuple(&[of("number:-90..90", random), of("number:-180..180", random)]),
                0.8,
            ),
            _ => fields.add("history", array(tagged(random), 1, 3, 0.2), 1.0),
        }
    }
    fields.object()
}
