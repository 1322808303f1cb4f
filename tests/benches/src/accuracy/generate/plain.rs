//! Classes of plain objects: records, optional fields, enums, formats, closed and open ones. *Frozen*.

use schemascope_benches::random::Random;
use serde_json::{Value, json};

use super::parts::{
    Fields, choice, date_time, format, free, integer, leaf, nullable, record, small, usual_choice,
    words_choice,
};
use super::vocabulary::CONTAINERS;

/// Flat and nested records, required and optional fields mixed, some nullable.
pub fn records(random: &mut Random) -> Value {
    let levels = random.below(3);
    nested(random, levels)
}

fn nested(random: &mut Random, levels: usize) -> Value {
    let (fields, optional) = (random.within(4, 12) as usize, random.between(0.0, 0.5));
    let mut fields = record(random, fields, optional, 0.18);
    if levels > 0 {
        for _ in 0..random.within(1, 2) {
            let inner = nested(random, levels - 1);
            let inner = if random.chance(0.2) { nullable(inner, 0.25) } else { inner };
            let presence = if random.chance(0.25) { random.between(0.4, 0.95) } else { 1.0 };
            fields.add(random.one(CONTAINERS), inner, presence);
        }
    }
    fields.object()
}

/// Most fields optional, from usual to rare; some come and go together.
pub fn optional_heavy(random: &mut Random) -> Value {
    let mut fields = record(random, 2, 0.0, 0.0);
    let together = random.chance(0.4).then(|| random.between(0.1, 0.8));
    for at in 0..random.within(7, 18) {
        let (name, mut schema) = leaf(random);
        match together {
            Some(presence) if at < 3 => {
                schema["x-group"] = json!("together");
                fields.add(name, schema, presence);
            }
            _ => {
                let presence = if random.chance(0.1) { 1.0 } else { random.between(0.05, 0.95) };
                fields.add(name, schema, presence);
            }
        }
    }
    if random.chance(0.5) {
        let mut inner = Fields::default();
        for _ in 0..random.within(3, 8) {
            let (name, schema) = leaf(random);
            let presence = random.between(0.05, 0.95);
            inner.add(name, schema, presence);
        }
        let presence = random.between(0.3, 0.95);
        fields.add(random.one(CONTAINERS), inner.object(), presence);
    }
    fields.object()
}

const INTEGERS: &[&[i64]] = &[&[1, 2, 3, 4, 5], &[0, 1], &[200, 201, 400, 404, 500], &[10, 20, 50, 100]];

/// Sets of values, and beside them texts and numbers that are none.
pub fn enums(random: &mut Random) -> Value {
    let mut fields = Fields::default();
    for at in 0..random.within(1, 3) {
        let (name, schema) = match random.below(5) {
            0 | 1 => usual_choice(random),
            2 => {
                let count = random.within(2, 10) as usize;
                ("category", words_choice(random, count))
            }
            3 => {
                let values = random.one(INTEGERS);
                let weights: Vec<f64> = (0..values.len()).map(|at| 1.0 / (at as f64 + 1.0)).collect();
                ("rank", json!({"type": "integer", "enum": values, "x-weights": weights}))
            }
            _ => {
                let constants = [json!("v2"), json!("list"), json!("2024-06-01"), json!(1), json!(true)];
                ("api", json!({"const": random.pick(&constants)}))
            }
        };
        let schema =
            if random.chance(0.15) && schema.get("enum").is_some() { nullable(schema, 0.2) } else { schema };
        let presence = if random.chance(0.2) { random.between(0.3, 0.95) } else { 1.0 };
        fields.add(&if at == 0 { name.to_owned() } else { format!("{name}_{at}") }, schema, presence);
    }
    for (name, kind) in random.some(
        &[("name", "first"), ("city", "city"), ("keyword", "word"), ("owner", "user"), ("text", "title")],
        2,
    ) {
        fields.add(name, free(kind), 1.0);
    }
    let ranges = [
        ("floor", integer(-2, 40)),
        ("hour", integer(0, 23)),
        ("votes", integer(0, 300)),
        ("id", integer(1, 900_000)),
    ];
    let (name, schema) = random.pick(&ranges).clone();
    fields.add(name, schema, 1.0);
    if random.chance(0.3) {
        let inner = Fields::default()
            .always("mode", choice(&["auto", "manual"], 1.0))
            .always("note", free("sentence"));
        fields.add("settings", inner.object(), 1.0);
    }
    fields.object()
}

/// Formats, next to texts that only look so, sometimes or always.
pub fn formats(random: &mut Random) -> Value {
    const REAL: &[(&str, &str)] = &[
        ("created", "date-time"),
        ("seen", "date-time"),
        ("day", "date"),
        ("opens", "time"),
        ("key", "uuid"),
        ("email", "email"),
        ("link", "uri"),
        ("ip", "ipv4"),
        ("ip6", "ipv6"),
    ];
    const NOT: &[(&str, &[(&str, f64)])] = &[
        ("reference", &[("date", 0.7), ("code", 0.3)]),
        ("contact", &[("email", 0.8), ("phone", 0.2)]),
        ("host", &[("ipv4", 0.6), ("hostname", 0.4)]),
        ("target", &[("uri", 0.85), ("relative", 0.15)]),
        ("external", &[("uuid", 0.5), ("prefixed", 0.5)]),
        ("deadline", &[("date-time", 0.9), ("word", 0.1)]),
        ("period", &[("month", 0.5), ("date", 0.5)]),
        ("version", &[("version", 1.0)]),
        ("logged", &[("local-time", 1.0)]),
        ("at", &[("clock", 1.0)]),
        ("number", &[("digits", 1.0)]),
        ("subject", &[("sentence", 0.95), ("uri", 0.05)]),
    ];
    let mut fields = Fields::default();
    for (name, kind) in random.some(REAL, 3) {
        let schema = if kind == "date-time" { date_time(random) } else { format(kind) };
        let schema = if random.chance(0.2) { nullable(schema, 0.3) } else { schema };
        let presence = if random.chance(0.25) { random.between(0.3, 0.95) } else { 1.0 };
        fields.add(name, schema, presence);
    }
    for (name, kinds) in random.some(NOT, 2) {
        fields.add(name, json!({"type": "string", "x-texts": kinds}), 1.0);
    }
    if random.chance(0.4) {
        let (_, kind) = random.one(REAL);
        fields.add("list", super::parts::array(format(kind), 1, 4, 0.15), 1.0);
    }
    fields.object()
}

/// Some objects closed; others have undocumented fields.
pub fn closed_open(random: &mut Random) -> Value {
    let mut root = record(random, 4, 0.25, 0.1);
    for at in 0..random.within(1, 3) {
        let mut inner = small(random);
        decide(&mut inner, random);
        let inner = if random.chance(0.25) { super::parts::array(inner, 1, 4, 0.1) } else { inner };
        fields_of(&mut root, at, inner, random);
    }
    let mut root = root.object();
    decide(&mut root, random);
    root
}

fn fields_of(root: &mut Fields, at: i64, inner: Value, random: &mut Random) {
    root.add(&format!("{}_{at}", random.one(CONTAINERS)), inner, 1.0);
}

fn decide(object: &mut Value, random: &mut Random) {
    let open = random.chance(0.5);
    object["additionalProperties"] = json!(open);
    if open {
        let often = (random.between(0.15, 0.9) * 100.0).round() / 100.0;
        object["x-extra"] = json!([often, random.within(1, 4)]);
    }
}
