//! Names of fields and keys of maps are distinguished, on keys of real schemas and documents.
#![allow(clippy::print_stdout, reason = "the figures are printed with --nocapture")]

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use schemascope_shape::{Policy, Shape};
use serde_json::{Map, Value, json};

const NAMES: &str = include_str!("keys/names.jsonl");
const DATA: &str = include_str!("keys/data.jsonl");

/// Returns the lists of a file with their sources.
fn lists(text: &str, field: &str) -> Vec<(String, Vec<String>)> {
    let list = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let keys = line[field].as_array().unwrap().iter().map(|key| key.as_str().unwrap().to_owned());
        (line["source"].as_str().unwrap().to_owned(), keys.collect())
    };
    text.lines().map(list).collect()
}

/// Returns a number below `end` that depends on these things only.
fn below(end: u64, of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish() % end
}

/// Returns the keys that a schema learned from these objects lists as properties, and all others.
fn listed(objects: &[Value]) -> (usize, BTreeSet<String>) {
    let mut shape = Shape::new();
    for object in objects {
        shape.observe(object.to_string().as_bytes()).unwrap();
    }
    let schema = shape.schema(&Policy::default());
    let keys: BTreeSet<String> =
        objects.iter().flat_map(|object| object.as_object().unwrap().keys().cloned()).collect();
    let (mut found, mut others) = (0, BTreeSet::new());
    for key in keys {
        // In a union, each alternative lists its own properties.
        let alternatives = schema["oneOf"].as_array().map_or(std::slice::from_ref(&schema), Vec::as_slice);
        let has = |alternative: &Value| alternative["properties"].get(&key).is_some();
        if alternatives.iter().any(has) { found += 1 } else { others.extend([key]) }
    }
    (found, others)
}

/// Returns a record: most names are always present, the others more or less often. Records of every
/// third source have strings only.
fn record(source: &str, names: &[String], number: u64) -> Value {
    let present = |name: &&String| {
        let often = [10, 10, 10, 9, 6, 3][below(6, name) as usize];
        below(10, (name, number)) < often
    };
    let value = |name: &String| match below(4, name) {
        _ if below(3, source) == 0 => json!(format!("text {}", below(50, (name, number, 1)))),
        0 => json!(below(1_000, (name, number, 2))),
        1 => json!(number.is_multiple_of(2)),
        2 => json!({"value": below(9, (name, number, 3))}),
        _ => json!(format!("text {}", below(50, (name, number, 4)))),
    };
    names.iter().filter(present).map(|name| (name.clone(), value(name))).collect::<Map<_, _>>().into()
}

/// Returns a map of up to eight of these keys, some of which come often.
fn map(source: &str, keys: &[String], number: u64) -> Value {
    let entries = 2 + below(7, (source, number));
    let key = |at: u64| {
        let among = if below(3, (at, number)) == 0 { 6 } else { keys.len().min(80) as u64 };
        keys[below(among, (source, at, number)) as usize].clone()
    };
    let value = |key: &str| match below(2, source) {
        0 => json!(below(1_000, (key, number))),
        _ => json!({"size": below(1_000, (key, number)), "kind": "file"}),
    };
    (0..entries).map(key).map(|key| (key.clone(), value(&key))).collect::<Map<_, _>>().into()
}

/// Returns a map that mostly has the same four keys, as one of servers or of branches.
fn recurring_map(source: &str, keys: &[String], number: u64) -> Value {
    let often = keys.iter().take(4).filter(|key| below(5, (key, number)) > 0);
    let seldom = (below(4, (source, number)) == 0).then(|| &keys[below(keys.len() as u64, number) as usize]);
    let value = |key: &String| json!(below(1_000, (key, number)));
    often.chain(seldom).map(|key| (key.clone(), value(key))).collect::<Map<_, _>>().into()
}

/// Function that makes an object of some of the keys of a list, by its number.
type Make = fn(&str, &[String], u64) -> Value;

/// Counts the keys of all lists that are properties.
fn count(lists: &[(String, Vec<String>)], objects: u64, make: Make) -> (usize, usize) {
    let (mut named, mut others) = (0, 0);
    for (source, keys) in lists {
        let made: Vec<Value> = (0..objects).map(|number| make(source, keys, number)).collect();
        let (found, missed) = listed(&made);
        println!("{objects} objects, {source}: {found} names, {} data", missed.len());
        (named, others) = (named + found, others + missed.len());
    }
    (named, others)
}

#[test]
fn names_of_real_schemas_stay_names() {
    let lists = lists(NAMES, "names");
    let distinct: BTreeSet<&String> = lists.iter().flat_map(|(_, names)| names).collect();
    assert!(distinct.len() >= 2_000, "{}", distinct.len());
    for objects in [1, 2, 3, 12, 40] {
        let (named, others) = count(&lists, objects, record);
        println!("{objects} records: {others} of {} names were taken for data", named + others);
        assert!(others * 100 <= named + others, "{objects} records: {others} of {}", named + others);
    }
}

#[test]
fn keys_of_real_maps_become_maps() {
    let lists = lists(DATA, "keys");
    let distinct: BTreeSet<&String> = lists.iter().flat_map(|(_, keys)| keys).collect();
    assert!(distinct.len() >= 2_000, "{}", distinct.len());
    // Words that always recur are names, whatever they mean. So are words with dots, as some hosts are.
    let words = ["dependencies of packages", "modules replaced for browsers", "hosts"];
    let telling: Vec<_> =
        lists.iter().filter(|(source, _)| !words.contains(&source.as_str())).cloned().collect();
    for (lists, objects, make) in [
        (&lists, 20, map as Make),
        (&lists, 100, map),
        (&telling, 20, recurring_map),
        (&telling, 100, recurring_map),
    ] {
        let (named, others) = count(lists, objects, make);
        println!("{objects} maps: {named} of {} keys were taken for names", named + others);
        assert!(named * 20 <= named + others, "{objects} maps: {named} of {}", named + others);
    }
}

#[test]
fn record_of_dotted_names_that_are_always_present_is_no_map() {
    for names in [
        ["sap.app", "sap.ui", "sap.ui5"],
        ["http.response.status_code", "service.name", "k8s.pod.name"],
        ["editor.fontSize", "editor.tabSize", "files.eol"],
        ["dc:title", "dc:creator", "xml:lang"],
        ["First Name", "Last Name", "and/or"],
    ] {
        for objects in [1, 2, 3, 20] {
            let record = |n: u64| -> Value { names.iter().map(|name| (*name, json!(n))).collect() };
            let (named, others) = listed(&(0..objects).map(record).collect::<Vec<_>>());
            assert_eq!((named, others.len()), (3, 0), "{names:?} after {objects}: {others:?}");
        }
    }
}
