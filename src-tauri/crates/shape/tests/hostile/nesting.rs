//! Depth: endless brackets, and levels of keys that are data.

use schemascope_shape::{MAX_DEPTH, Policy};
use serde_json::Value;

use crate::judge::{Numbers, SCALE, noted, object, survives, word};

#[test]
fn million_levels_are_noted() {
    let million = 1_000_000;
    for (name, open, close, levels) in [
        ("1e6 arrays", "[", "]", million),
        ("1e6 objects", "{\"a\":", "}", million),
        ("1e6 of both", "[{\"a\":", "}]", million / 2),
        ("maps in maps", "{\"2026-11-21\":", "}", million / 10 * SCALE),
        ("maps in arrays", "[{\"/a/b\":", "}]", million / 20 * SCALE),
    ] {
        let document = open.repeat(levels) + "1" + &close.repeat(levels);
        let shape = survives(name, [document]);
        assert!(noted(&shape, "too deep") > 0 && shape.paths() <= 64 * MAX_DEPTH, "{name}");
    }
}

/// Every additional walk costs another pass over its content: as many as there are levels, and no
/// more.
#[test]
fn levels_of_data_around_much_content_are_bounded() {
    let records = |count: usize| {
        let record = |n: u64| format!("{{\"id\":{n},\"{}\":[\"{n}\",null,1.5]}}", word(n, 3));
        let records: Vec<String> = Numbers(7).take(count).map(record).collect();
        format!("[{}]", records.join(","))
    };
    for levels in [10, 30, 57, 70] {
        let document = "{\"2026-11-21\":".repeat(levels) + &records(2_000 * SCALE) + &"}".repeat(levels);
        survives(&format!("{levels} levels of data"), [&document]);
    }
}

/// Each level has several such keys, and siblings that are not data.
#[test]
fn tree_of_data_keys_is_bounded() {
    fn level(depth: usize) -> String {
        if depth == 0 {
            return "{\"leaf\":[1,2,{\"x\":null}]}".to_owned();
        }
        let below = level(depth - 1);
        let keys = ["2026-11-21", "user@example.org", "/etc/passwd", "id"];
        object(keys.iter().map(|key| ((*key).to_owned(), below.clone())))
    }
    survives("4^7 data keys", [level(7)]);
    let chain = (0..100).fold("1".to_owned(), |inner, n| {
        format!("{{\"{n}\":{inner},\"{}\":[{{\"a b\":{n}}}],\"plain\":\"x\"}}", n + 1)
    });
    survives("100 levels with siblings", [chain]);
}

/// A union at every level nests schemas four times as deep as documents. Readers stop at 128
/// levels.
#[test]
fn unions_at_every_level_stay_readable() {
    for (open, close, other) in [("{\"a\":", "}", "\"x\""), ("[", "]", "true"), ("{\"10\":", "}", "[]")] {
        let documents = (0..70).flat_map(|levels| {
            [
                open.repeat(levels) + "1" + &close.repeat(levels),
                open.repeat(levels) + other + &close.repeat(levels),
            ]
        });
        let shape = survives("unions at every level", documents);
        let written = shape.schema(&Policy::default()).to_string();
        assert!(serde_json::from_str::<Value>(&written).is_ok());
    }
}

/// Every alternative repeats the content below it, so alternatives within alternatives have to be
/// limited.
#[test]
fn alternatives_and_tuples_at_every_level_are_limited() {
    let levels = 40;
    let tuple = "[1,".repeat(levels) + "[]" + &"]".repeat(levels);
    survives("tuples at every level", vec![tuple; 25]);
    let wide = (0..8).fold("1".to_owned(), |inner, _| format!("[null,{inner},{inner}]"));
    survives("wide tuples at every level", vec![wide; 25]);
    let union = |n: usize| {
        (0..levels).fold("null".to_owned(), |inner, level| {
            let [kind, only] = if (n + level).is_multiple_of(3) { ["a", "x"] } else { ["b", "y"] };
            format!("{{\"kind\":\"{kind}\",\"{only}\":1,\"child\":{inner}}}")
        })
    };
    let shape = survives("alternatives at every level", (0..90).map(union));
    let policy = Policy::default();
    assert!(shape.schema(&policy).to_string().len() < 1 << 20);
    assert!(shape.explain(&policy).iter().any(|decision| decision.decision == "tagged union of 2"));
}
