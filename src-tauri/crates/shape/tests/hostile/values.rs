//! Values: many, long, huge and replaced, and their epochs.

use schemascope_shape::{Circumstances, Shape, StandsFor};

use crate::judge::{Numbers, SCALE, holds, noted, object, survives, word};

#[test]
fn arrays_of_a_million_items_are_bounded() {
    let list = |item: &dyn Fn(u64) -> String| {
        let items: Vec<String> = (0..1_000_000).map(item).collect();
        format!("[{}]", items.join(","))
    };
    survives("1e6 integers", [list(&|n| n.to_string())]);
    survives(
        "1e6 of all types",
        [list(&|n| ["1", "1.5", "\"x\"", "null", "[]", "{}"][n as usize % 6].into())],
    );
    survives("1e6 records", [list(&|n| format!("{{\"id\":{n},\"name\":\"n{}\"}}", n % 50))]);
    survives("1e6 arrays", [list(&|n| format!("[{n}]"))]);
}

#[test]
fn long_strings_are_noted() {
    let length = 5_000_000 * SCALE;
    let texts = ["a", "é", "\\u0000", "\\ud83d", "\\\"", "1"];
    for text in texts {
        let document = format!("{{\"text\":\"{}\"}}", text.repeat(length / text.len()));
        let shape = survives(&format!("a string of {text}"), [document]);
        assert_eq!(noted(&shape, "megabyte"), 1);
    }
    let digits = "9".repeat(length);
    let shape = survives("an integer of digits", [&digits]);
    assert_eq!(noted(&shape, "too large for a float"), 1);
    survives("a fraction of digits", [format!("0.{digits}")]);
}

#[test]
fn many_strings_are_bounded() {
    let shape = survives(
        "many strings",
        (0..50_000 * SCALE as u64).map(|n| {
            let long = word(n, 300);
            format!(
                "{{\"short\":\"{n}\",\"long\":\"{long}\",\"kind\":\"{}\",\"few\":\"{}\"}}",
                n % 33,
                n % 32
            )
        }),
    );
    assert_eq!(shape.paths(), 4);
}

/// Everything kept of a path has its largest size, at every path.
#[test]
fn completely_full_shape_stays_bounded() {
    let mut shape = Shape::new();
    // Escapes take six bytes in a written state, and eight times as many fields may be tags.
    let kinds = ["null", "true", "1234567890123", "1.25", "{}", "[]"];
    let mut numbers = Numbers(9);
    for round in 0..64_u64 {
        let record = |at: u64| {
            object((0..46_u64).map(|n| {
                let key = format!("{}type", word(at * 50 + n, 40));
                let value = match (round + n) % 3 {
                    0 => kinds[(round as usize + n as usize) % kinds.len()].to_owned(),
                    _ => format!("\"{}\"", "\\u0001".repeat((round % 7) as usize + 8)),
                };
                (key, value)
            }))
        };
        let tags = object((0..60_u64).map(|n| {
            let at = numbers.next().unwrap() % 8;
            (format!("{}type", word(n, 20)), format!("\"\u{7f}{}{at}\"", "\u{7f}".repeat(24)))
        }));
        let document = format!(
            "{{\"tags\":{tags},\"records\":{}}}",
            object((0..85).map(|at| (format!("record{}", word(at, 30)), record(at))))
        );
        let epoch = round as u32 % 12;
        shape.observe_under(document.as_bytes(), Circumstances { epoch, stands_for: None }).unwrap();
    }
    let state = holds(&shape, b"");
    println!("full to the brim: {} paths, state {:.2} MB", shape.paths(), state as f64 / 1e6);
}

#[test]
fn numbers_too_large_for_a_float_are_noted() {
    let digits = "1234567890".repeat(40);
    let numbers = [
        "1e999999".to_owned(),
        "-1e999999".to_owned(),
        "1e-999999".to_owned(),
        "1E+400".to_owned(),
        digits.clone(),
        format!("-{digits}"),
        format!("{digits}.{digits}e-{digits}"),
        "-0".to_owned(),
        "-0.0".to_owned(),
        "18446744073709551616".to_owned(),
        "-9223372036854775809".to_owned(),
        "0e0".to_owned(),
        "1e308".to_owned(),
        "-1e-400".to_owned(),
        format!("0.{}1", "0".repeat(400)),
    ];
    let shape = survives("huge numbers", [format!("[{}]", numbers.join(","))]);
    assert_eq!(noted(&shape, "too large for a float"), 5);
    for number in &numbers {
        survives("a huge number", vec![number.as_str(); 25]);
        survives("a huge number in a field", vec![format!("{{\"a\":{number}}}"); 25]);
    }
}

#[test]
fn lone_surrogates_are_noted() {
    let texts = ["\\ud83d", "\\ude00", "\\ude00\\ud83d", "\\ud83dx\\ude00", "\\ud83d\\n", "\\uD83D\\u0041"];
    let list: Vec<String> = texts.iter().map(|text| format!("\"{text}\"")).collect();
    let shape = survives("halves of pairs", vec![format!("[{}]", list.join(",")); 25]);
    assert_eq!(noted(&shape, "surrogate"), 25 * texts.len() as u64);
}

#[test]
fn replaced_values_are_never_kept() {
    let stands_for = |text: &str| match text.chars().next()? {
        'i' => Some(StandsFor::Integer),
        'n' => Some(StandsFor::Number),
        's' => Some(StandsFor::String(None)),
        'l' => Some(StandsFor::String(Some(u64::MAX))),
        _ => None,
    };
    let mut shape = Shape::new();
    for n in 0..20_000 {
        let value = |at: u64| {
            ["i-REPLACED", "n-REPLACED", "s-REPLACED", "l-REPLACED", "s-REPL\\u0041CED"]
                [((n + at) % 5) as usize]
        };
        let document = format!(
            "{{\"a\":\"{}\",\"kind\":\"{}\",\"list\":[\"{}\",\"{}\"],\"2026\":\"{}\",\"{}\":1}}",
            value(0),
            value(1),
            value(2),
            value(3),
            value(4),
            n % 7
        );
        let circumstances = Circumstances { epoch: n as u32, stands_for: Some(&stands_for) };
        shape.observe_under(document.as_bytes(), circumstances).unwrap();
    }
    holds(&shape, b"");
    let state = String::from_utf8(shape.to_state()).unwrap();
    assert!(!state.contains("REPLACED"), "a replaced value was kept");
}

#[test]
fn number_of_epochs_is_bounded() {
    let mut shape = Shape::new();
    let mut observe = |epoch: u32| {
        let document = format!("{{\"a\":1,\"{}\":[{epoch}]}}", word(u64::from(epoch % 1_000), 5));
        shape.observe_under(document.as_bytes(), Circumstances { epoch, stands_for: None }).unwrap();
    };
    for epoch in 0..65_000_u32 {
        observe(epoch.wrapping_mul(2_654_435_761));
    }
    for epoch in (0..500).chain((u32::MAX - 20)..=u32::MAX).chain([u32::MAX; 20]).chain(0..500) {
        observe(epoch);
    }
    holds(&shape, b"{\"a\":1}");
    assert_eq!(shape.stability().unwrap().of, 8);
    let mut last = Shape::new();
    last.observe_under(b"1", Circumstances { epoch: u32::MAX, stands_for: None }).unwrap();
    holds(&last, b"1");
    last.merge(&shape).unwrap();
    holds(&last, b"1");
}
