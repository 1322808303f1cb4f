//! Keys: many, long, odd and duplicate.

use schemascope_shape::{Policy, Shape};

use crate::judge::{Numbers, SCALE, holds, noted, object, survives, word};

/// Returns about ten megabytes, in one document and in many.
fn random_keys(key: impl Fn(u64) -> String) -> Vec<String> {
    let keys = 400_000 * SCALE;
    let one = object(Numbers(1).take(keys).map(|n| (key(n), (n % 1_000).to_string())));
    let many = (0..keys as u64 / 100)
        .map(|at| object(Numbers(at + 2).take(50).map(|n| (key(n), format!("{{\"v\":{}}}", n % 10)))));
    std::iter::once(one).chain(many).collect()
}

#[test]
fn random_keys_that_are_data_are_bounded() {
    let shape = survives("keys that are data", random_keys(|n| format!("{n:020}")));
    assert!(shape.is_trimmed());
}

#[test]
fn random_keys_that_are_words_are_bounded() {
    let shape = survives("keys that are words", random_keys(|n| word(n, 16)));
    assert!(shape.is_trimmed());
}

/// The number of keys is bounded, so only long keys could enlarge a state.
#[test]
fn long_keys_do_not_enlarge_the_state() {
    let long = |n: u64, length: usize| (word(n, 40) + &"/x".repeat(length / 2), n.to_string());
    let keys = |count: usize, length| object(Numbers(3).take(count).map(move |n| long(n, length)));
    survives("keys of 10 kB", [keys(1_000 * SCALE, 10_000)]);
    survives("keys of 10 kB below data", [format!("{{\"1234\":{}}}", keys(1_000 * SCALE, 10_000))]);
    survives("a key of 5 MB", [keys(1, 5_000_000 * SCALE)]);
    let worst = |n: u64| (word(n, 40) + &"\\u0001".repeat(200), "\"\\u0002\"".to_owned());
    survives("keys of escapes", [object(Numbers(4).take(10_000).map(worst))]);
}

/// Long keys count the same for every split of the work.
#[test]
fn long_keys_merge_exactly() {
    let long = "a/".repeat(5_000);
    let documents = [
        format!("{{\"{long}\":{{\"x\":1}},\"b\":2}}"),
        format!("{{\"1234\":{{\"{long}\":[1]}}}}"),
        "{\"b\":3}".into(),
    ];
    for cap in [1, 3, 4_096] {
        let part = |documents: &[String]| {
            let mut shape = Shape::with_cap(cap);
            documents.iter().for_each(|document| shape.observe(document.as_bytes()).unwrap());
            shape
        };
        let (mut left, right) = (part(&documents[..1]), part(&documents[1..]));
        left.merge(&Shape::from_state(&right.to_state()).unwrap()).unwrap();
        assert!(left == part(&documents));
        documents.iter().for_each(|document| {
            holds(&left, document.as_bytes());
        });
    }
}

/// Of values that are not kept, only the type is known, so a map that contains them has no format.
#[test]
fn map_with_values_not_kept_has_no_format() {
    // Hashes decide which of the two is kept.
    for outer in 'a'..='z' {
        let mut shape = Shape::with_cap(2);
        let document = format!("{{\"{outer}\":{{\"0000\":\"2026-11-20\",\"key\":\"no date\"}}}}");
        shape.observe(document.as_bytes()).unwrap();
        holds(&shape, document.as_bytes());
    }
}

#[test]
fn duplicate_keys_are_counted() {
    let times = 1_000_000;
    let shape = survives("1e6 times one key", [object((0..times).map(|n| ("a".to_owned(), n.to_string())))]);
    assert_eq!(noted(&shape, "duplicate"), times - 1);
    let kinds = ["1", "\"x\"", "null", "[1]", "{\"a\":1,\"a\":[]}"];
    let shape = survives(
        "1e6 times 9 keys",
        [object((0..times as usize).map(|n| (format!("k{}", n % 9), kinds[n % 5].to_owned())))],
    );
    assert!(noted(&shape, "duplicate") >= times - 9);
    let data = object((0..times).map(|n| (format!("{}", n % 7), "{}".to_owned())));
    assert!(noted(&survives("1e6 times 7 data keys", [data]), "duplicate") >= times - 7);
}

/// Joint counts are counts of values. An object with a duplicate key has two, so the number of
/// objects is not known.
#[test]
fn duplicate_keys_are_not_tags() {
    let with = "{\"kind\":\"a\",\"m\":1,\"m\":2}";
    let without = "{\"kind\":\"a\"}";
    let other = "{\"kind\":\"b\",\"n\":1}";
    let both = "{\"kind\":\"a\",\"kind\":\"b\",\"n\":1}";
    let neither = "{\"kind\":\"\\u0063\",\"n\":1}";
    for documents in [[with, without, other, other], [both, neither, "{\"kind\":\"a\"}", "{\"kind\":\"c\"}"]]
    {
        let mut shape = Shape::new();
        for document in documents.iter().cycle().take(80) {
            shape.observe(document.as_bytes()).unwrap();
        }
        for document in documents {
            holds(&shape, document.as_bytes());
        }
    }
}

#[test]
fn odd_keys_survive() {
    let keys = [
        "",
        " ",
        ".",
        "/",
        "\\\"",
        "\\\\",
        "\\u0000",
        "\\u001f",
        "__proto__",
        "constructor",
        "prototype",
        "a.b",
        "a[]",
        "{}",
        "$ref",
        "$schema",
        "$defs",
        "~1",
        "%",
        "é",
        "\\ud83d\\ude00",
        "\\ud83d",
        "\\ude00",
        "\u{feff}",
        "\u{202e}",
        "'",
        "`",
        "<script>",
        "const",
        "enum",
        "\\n",
        "null",
        "-1",
        "0",
        "toString",
        "$serde_json::private::Number",
        "$serde_json::private::RawValue",
    ];
    for value in ["1", "\"x\"", "{\"\":null}", "[{\"__proto__\":[]}]"] {
        let document = object(keys.iter().map(|key| ((*key).to_owned(), value.to_owned())));
        let shape = survives("odd keys", vec![document.as_str(); 30]);
        assert_eq!(noted(&shape, "surrogate"), 60);
        for key in keys {
            let document = object([(key.to_owned(), value.to_owned())]);
            survives("an odd key", vec![document; 30]);
        }
    }
    // Both become the same replacement character, and are no names: not one key twice.
    let shape = survives("halves", [r#"{"\ud83d":1,"\ude00":2}"#]);
    assert_eq!((noted(&shape, "surrogate"), noted(&shape, "duplicate")), (2, 0));
}

#[test]
fn million_fields_followed_by_many_documents_stay_bounded() {
    let wide = object((0..1_000_000).map(|n| (format!("field_{}", word(n, 6)), "1".to_owned())));
    let mut shape = survives("1e6 fields", [wide]);
    let before = shape.paths();
    for n in 0..20_000 {
        shape.observe(object([(format!("field_{}", word(n, 6)), "\"x\"".into())]).as_bytes()).unwrap();
    }
    assert!(shape.paths() <= before && shape.is_trimmed());
    holds(&shape, b"{\"field_x\":\"x\"}");
    assert!(shape.explain(&Policy::default()).len() < 10_000);
}
