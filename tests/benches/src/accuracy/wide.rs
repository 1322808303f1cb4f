//! Learning curves over wide documents: five kinds with 5,000 to 50,000 paths among all documents of a kind.
//!
//! Wide records have thousands of fields of their own. In the others, keys are mostly words: attributes of telemetry,
//! settings, the packages of lock files, and maps in maps in maps.

use anyhow::{Result, ensure};
use schemascope_benches::random::Random;
use schemascope_benches::text::text;
use schemascope_benches::words::WORDS;
use serde_json::{Map, Value, json};

use crate::formats::Format;
use crate::instances::draw;
use crate::judge::compile_as_it_says;

/// Documents of a kind.
const DOCUMENTS: usize = 160;

/// A true schema, and one document after another.
type Kind = (Value, Box<dyn FnMut(&mut Random) -> Value>);

/// Draws a kind.
type Maker = fn(&mut Random) -> Kind;

const KINDS: [(&str, Maker); 5] = [
    ("records", records),
    ("attributes", attributes),
    ("settings", settings),
    ("lock files", lock_files),
    ("nested maps", nested_maps),
];

/// All kinds, of one seed.
pub fn formats(seed: u64) -> Result<Vec<Format>> {
    KINDS.into_iter().enumerate().map(|(number, kind)| format(seed, number, kind)).collect()
}

fn format(seed: u64, number: usize, (name, make): (&'static str, Maker)) -> Result<Format> {
    let mut random = Random::new(seed, name);
    let (schema, mut next) = make(&mut random);
    let truth = compile_as_it_says(&schema)?;
    let documents: Vec<Value> = (0..DOCUMENTS).map(|_| next(&mut random)).collect();
    ensure!(documents.iter().all(|document| truth.is_valid(document)), "the truth rejects {name}");
    Ok(Format { name, number, documents, truth })
}

/// Different names of one to three words.
fn names(count: usize, joined_by: &str, random: &mut Random) -> Vec<String> {
    let mut names = std::collections::BTreeSet::new();
    while names.len() < count {
        let words: Vec<&str> = (0..random.within(1, 3)).map(|_| random.one(WORDS)).collect();
        names.insert(words.join(joined_by));
    }
    let mut names: Vec<String> = names.into_iter().collect();
    random.shuffle(&mut names);
    names
}

fn leaf(random: &mut Random) -> Value {
    match random.below(7) {
        0 | 1 => json!({"type": "string", "format": "word"}),
        2 => json!({"type": "string", "x-texts": [["sentence", 1.0]]}),
        3 => json!({"type": "integer", "x-range": [0, 900]}),
        4 => json!({"type": "number", "x-range": [0, 10]}),
        5 => json!({"type": "boolean"}),
        _ => json!({"type": "array", "items": {"type": "string"}, "x-items": [0, 3]}),
    }
}

/// 40 sections of 150 fields, most of which every document has.
fn records(random: &mut Random) -> Kind {
    let mut sections = Map::new();
    for section in names(40, "_", random) {
        let mut fields = Map::new();
        let mut required = Vec::new();
        for name in names(150, "_", random) {
            let mut schema = leaf(random);
            if random.chance(0.7) {
                required.push(name.clone());
            } else {
                schema["x-presence"] = json!(random.between(0.2, 0.9));
            }
            fields.insert(name, schema);
        }
        let section_schema = json!({"type": "object", "properties": fields, "required": required,
                                    "additionalProperties": false});
        sections.insert(section, section_schema);
    }
    let required: Vec<&String> = sections.keys().collect();
    let schema = json!({"type": "object", "required": required, "additionalProperties": false,
                        "properties": sections});
    let drawn = schema.clone();
    (schema, Box::new(move |random| draw(&drawn, random)))
}

/// Spans with some of 8,000 attributes, which may be strings, numbers or truth values.
fn attributes(random: &mut Random) -> Kind {
    let known: Vec<(String, Value)> = names(8_000, ".", random)
        .into_iter()
        .map(|name| {
            let leaf = loop {
                let leaf = leaf(random);
                if leaf["type"] != "array" {
                    break leaf;
                }
            };
            (name, leaf)
        })
        .collect();
    let map = json!({"type": "object",
                     "additionalProperties": {"type": ["string", "number", "boolean"]}});
    let span = json!({"type": "object", "additionalProperties": false,
        "required": ["name", "kind", "start", "attributes"],
        "properties": {"name": {"type": "string"}, "kind": {"enum": ["client", "server", "internal"]},
                       "start": {"type": "integer"}, "attributes": map}});
    let schema = json!({"type": "object", "required": ["resource", "spans"], "additionalProperties": false,
                        "properties": {"resource": map, "spans": {"type": "array", "items": span}}});
    let some = move |count: i64, random: &mut Random| -> Map<String, Value> {
        (0..count)
            .map(|_| {
                let (name, leaf) = &known[random.below(known.len())];
                (name.clone(), draw(leaf, random))
            })
            .collect()
    };
    let next = move |random: &mut Random| {
        let count = random.within(5, 20);
        let resource = some(count, random);
        let spans: Vec<Value> = (0..random.within(3, 12))
            .map(|_| {
                let count = random.within(4, 16);
                let attributes = some(count, random);
                json!({"name": text("slug", random), "kind": random.one(&["client", "server", "internal"]),
                       "start": random.within(0, 1_000_000), "attributes": attributes})
            })
            .collect();
        json!({"resource": resource, "spans": spans})
    };
    (schema, Box::new(next))
}

/// 6,000 settings, each with a type of its own. A document has some of them.
fn settings(random: &mut Random) -> Kind {
    let mut properties = Map::new();
    for name in names(6_000, ".", random) {
        let mut schema = leaf(random);
        schema["x-presence"] = json!(random.between(0.005, 0.08));
        properties.insert(name, schema);
    }
    let schema = json!({"type": "object", "properties": properties});
    let drawn = schema.clone();
    (schema, Box::new(move |random| draw(&drawn, random)))
}

/// Packages by name, with what they need.
fn lock_files(random: &mut Random) -> Kind {
    let packages = names(3_000, "-", random);
    let package = json!({"type": "object", "required": ["version", "resolved", "integrity"],
        "additionalProperties": false,
        "properties": {"version": {"type": "string"}, "resolved": {"type": "string"},
            "integrity": {"type": "string"}, "dev": {"type": "boolean"},
            "requires": {"type": "object", "additionalProperties": {"type": "string"}}}});
    let schema = json!({"type": "object", "additionalProperties": false,
        "required": ["name", "version", "lockfileVersion", "dependencies"],
        "properties": {"name": {"type": "string"}, "version": {"type": "string"},
            "lockfileVersion": {"type": "integer"},
            "dependencies": {"type": "object", "additionalProperties": package}}});
    let next = move |random: &mut Random| {
        let mut dependencies = Map::new();
        for _ in 0..random.within(20, 250) {
            let name = random.pick(&packages).clone();
            let mut package = json!({"version": text("version", random), "resolved": text("uri", random),
                                     "integrity": format!("sha512-{}", text("token", random))});
            if random.chance(0.4) {
                package["dev"] = json!(true);
            }
            if random.chance(0.5) {
                let requires: Map<String, Value> = (0..random.within(1, 6))
                    .map(|_| (random.pick(&packages).clone(), json!(format!("^{}", text("version", random)))))
                    .collect();
                package["requires"] = json!(requires);
            }
            dependencies.insert(name, package);
        }
        json!({"name": text("slug", random), "version": text("version", random), "lockfileVersion": 1,
               "dependencies": dependencies})
    };
    (schema, Box::new(next))
}

/// Regions with services with endpoints, all by name.
fn nested_maps(random: &mut Random) -> Kind {
    let pools: Vec<Vec<String>> = [60, 200, 400].into_iter().map(|count| names(count, "_", random)).collect();
    let endpoint = json!({"type": "object", "required": ["p50", "p95", "errors"],
        "additionalProperties": false,
        "properties": {"p50": {"type": "number"}, "p95": {"type": "number"}, "errors": {"type": "integer"},
            "owner": {"type": "string"}}});
    let map = |of: Value| json!({"type": "object", "additionalProperties": of});
    let service = json!({"type": "object", "required": ["tier", "endpoints"], "additionalProperties": false,
        "properties": {"tier": {"type": "integer"}, "endpoints": map(endpoint)}});
    let schema = json!({"type": "object", "required": ["generated", "regions"], "additionalProperties": false,
        "properties": {"generated": {"type": "string"}, "regions": map(map(service))}});
    let next = move |random: &mut Random| {
        let some = |pool: usize, low: i64, high: i64, random: &mut Random| -> Vec<String> {
            (0..random.within(low, high)).map(|_| random.pick(&pools[pool]).clone()).collect()
        };
        let mut regions = Map::new();
        for region in some(0, 2, 8, random) {
            let mut services = Map::new();
            for service in some(1, 2, 10, random) {
                let mut endpoints = Map::new();
                for endpoint in some(2, 1, 10, random) {
                    let mut measures = json!({"p50": random.between(0.0, 9.0), "p95": random.between(9.0, 99.0),
                                              "errors": random.within(0, 40)});
                    if random.chance(0.3) {
                        measures["owner"] = json!(text("user", random));
                    }
                    endpoints.insert(endpoint, measures);
                }
                services.insert(service, json!({"tier": random.within(1, 3), "endpoints": endpoints}));
            }
            regions.insert(region, json!(services));
        }
        json!({"generated": text("date", random), "regions": regions})
    };
    (schema, Box::new(next))
}
